#include "pg/planner/rewrite/calls.hpp"

#include "pg/planner/nodes.hpp"
#include "pg/planner/rewrite/functions.hpp"
#include "pg/planner/rewrite/clauses.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// The comparisons that become one call.
struct Range {
  const Comparison *lower = nullptr;
  const Comparison *upper = nullptr;
};

// Adds the call for a range, unless it is empty.
void add_call(const KeyTable *table, const Range &range, List **clauses) {
  const Comparison *lower = range.lower;
  const Comparison *upper = range.upper;
  if (lower == nullptr && upper == nullptr) {
    return;
  }
  const Var *id = lower != nullptr ? lower->id : upper->id;
  const bool excludes_lower = lower != nullptr && lower->strategy == BTGreaterStrategyNumber;
  const bool excludes_upper = upper == nullptr || upper->strategy == BTLessStrategyNumber;
  const char bounds[] = {excludes_lower ? '(' : '[', excludes_upper ? ')' : ']', '\0'};
  Expr *from = lower != nullptr ? copy_of(lower->time) : constant_time(DT_NOBEGIN);
  Expr *to = upper != nullptr ? copy_of(upper->time) : constant_time(DT_NOEND);
  Const *text =
      makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(bounds), false, false);
  const Oid function = find_function("uuid_between_times", "uuidx_between_times");
  List *args = list_make4(copy_of(id), from, to, text);
  *clauses = lappend(*clauses, simplified_call(table->root, function, BOOLOID, args));
}

// Adds a comparison to a range; if the range has one in its place, adds its call and begins anew.
void add_to_range(const KeyTable *table, const Comparison *comparison, Range *range,
                  List **clauses) {
  const bool lower = comparison->strategy >= BTEqualStrategyNumber;
  const bool upper = comparison->strategy <= BTEqualStrategyNumber;
  if ((lower && range->lower != nullptr) || (upper && range->upper != nullptr)) {
    add_call(table, *range, clauses);
    *range = {};
  }
  range->lower = lower ? comparison : range->lower;
  range->upper = upper ? comparison : range->upper;
}

// True if a time is infinite, which as a bound of the id is nil or max.
bool is_infinite(const Expr *time) {
  const auto *constant = reinterpret_cast<const Const *>(time);
  return IsA(time, Const) && TIMESTAMP_NOT_FINITE(DatumGetTimestampTz(constant->constvalue));
}

// True if comparisons of a column with version 7 UUIDs should become calls, whose estimate counts
// only these, unless the planner can do more with comparisons, among them to prove the predicate of
// a partial index.
bool prefers_calls(KeyTable *table, const Var *id) {
  if (prefers_comparisons(table->entry)) {
    return false;
  }
  examine(table);
  return !has_column(table->other_predicates, id->varattno);
}

}  // namespace

bool add_comparisons(KeyTable *table, const List *comparisons, bool v7, List **clauses) {
  const Var *id = static_cast<const Comparison *>(linitial(comparisons))->id;
  const bool calls = v7 && prefers_calls(table, id);
  bool changed = false;
  Range range;
  for (int i = 0; i < list_length(comparisons); ++i) {
    const auto *next = static_cast<const Comparison *>(list_nth(comparisons, i));
    // With a column of another table, each comparison has PostgreSQL's estimate for joins.
    const bool call = calls && !contain_var_clause(reinterpret_cast<Node *>(next->time));
    // One with nil or max as the bound has a simpler form if the id is of version 7.
    const bool same = !call && next->origin == Origin::id && !(v7 && is_infinite(next->time));
    if (call) {
      add_to_range(table, next, &range, clauses);
    } else if (same) {
      *clauses = lappend(*clauses, next->clause);
    } else {
      *clauses =
          list_concat(*clauses, compare_with_time(table->root, reinterpret_cast<const Node *>(id),
                                                  next->strategy, next->time));
    }
    changed = changed || !same;
  }
  add_call(table, range, clauses);
  return changed;
}

}  // namespace uuidx
