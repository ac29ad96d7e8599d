// Differences between PostgreSQL versions in planning and in expressions.
#pragma once

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/stratnum.h"
#include "catalog/pg_proc.h"
#include "commands/explain.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/prep.h"
#include "optimizer/restrictinfo.h"
#include "rewrite/rewriteManip.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif
#if PG_VERSION_NUM >= 190000
#include "nodes/miscnodes.h"
#endif
#include "pg/end_headers.hpp"

namespace uuidx {

// Lets the planner call a function for each table of a query. Called before the functions that were
// installed earlier: TimescaleDB reads the conditions in its own.
template <void (*visit)(PlannerInfo *, RelOptInfo *, const RangeTblEntry *)>
struct TableHook {
#if PG_VERSION_NUM >= 190000
  static constinit inline build_simple_rel_hook_type next = nullptr;

  static void call(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *entry) {
    visit(root, rel, entry);
    if (next != nullptr) {
      next(root, rel, entry);
    }
  }

  static void install() {
    next = build_simple_rel_hook;
    build_simple_rel_hook = call;
  }
#else
  static constinit inline get_relation_info_hook_type next = nullptr;

  static void call(PlannerInfo *root, Oid table, bool parent, RelOptInfo *rel) {
    visit(root, rel, root->simple_rte_array[rel->relid]);
    if (next != nullptr) {
      next(root, table, parent, rel);
    }
  }

  static void install() {
    next = get_relation_info_hook;
    get_relation_info_hook = call;
  }
#endif
};

// A function that is called for the parts of an expression until it returns true, as PostgreSQL
// declares it: 15 without parameters.
using Walker = bool (*)(Node *, void *);
#if PG_VERSION_NUM >= 160000
inline Walker declared(Walker walker) {
  return walker;
}
#else
inline auto declared(Walker walker) {
  return reinterpret_cast<bool (*)()>(reinterpret_cast<void (*)()>(walker));
}
#endif

// Calls a function for the parts of an expression.
inline bool walk_expression(Node *node, Walker walker, void *context) {
  return expression_tree_walker(node, declared(walker), context);
}

// Calls a function for the parts of a query, and before those of a table for the table.
inline bool walk_query(Query *query, Walker walker, void *context) {
  return query_tree_walker(query, declared(walker), context, QTW_EXAMINE_RTES_BEFORE);
}

// Returns an expression with its parts replaced by what a function makes of them.
inline Node *mutate_expression(Node *node, Node *(*mutator)(Node *, void *), void *context) {
#if PG_VERSION_NUM >= 160000
  return expression_tree_mutator(node, mutator, context);
#else
  const auto any = reinterpret_cast<void (*)()>(mutator);
  return expression_tree_mutator(node, reinterpret_cast<Node *(*)()>(any), context);
#endif
}

// True if a node is a PlaceHolderVar that no outer join, and from PostgreSQL 18 on no grouping set,
// makes NULL. Before PostgreSQL 16, that is not known.
inline bool is_noop_placeholder([[maybe_unused]] const Node *node) {
#if PG_VERSION_NUM >= 160000
  return IsA(node, PlaceHolderVar) &&
         bms_is_empty(reinterpret_cast<const PlaceHolderVar *>(node)->phnullingrels);
#else
  return false;
#endif
}

// True if an outer join, or a grouping set, may make a column NULL where it stands. Before
// PostgreSQL 16, that is not known.
inline constexpr bool kKnowsNulled = PG_VERSION_NUM >= 160000;
inline bool is_nulled([[maybe_unused]] const Var *column) {
#if PG_VERSION_NUM >= 160000
  return !bms_is_empty(column->varnullingrels);
#else
  return false;
#endif
}

// Returns an expression without the outer joins that may make a column in it NULL.
inline Node *without_nulling_relids(Node *expression, [[maybe_unused]] const Var *column) {
#if PG_VERSION_NUM >= 160000
  if (is_nulled(column)) {
    return remove_nulling_relids(expression, column->varnullingrels, nullptr);
  }
#endif
  return expression;
}

// Returns an expression that takes the place of a column with the outer joins that may make the
// column NULL: its own columns are of the same table.
inline Node *with_nulling_relids(Node *expression, [[maybe_unused]] const Var *column) {
#if PG_VERSION_NUM >= 160000
  if (is_nulled(column)) {
    return add_nulling_relids(expression, bms_make_singleton(column->varno),
                              column->varnullingrels);
  }
#endif
  return expression;
}

// Returns the tables of a join tree.
inline Relids tables_of(Node *node) {
#if PG_VERSION_NUM >= 160000
  return get_relids_in_jointree(node, false, false);
#else
  return get_relids_in_jointree(node, false);
#endif
}

// The strategy of a comparison of rows.
inline auto &strategy_of_rows(RowCompareExpr *rows) {
#if PG_VERSION_NUM >= 180000
  return rows->cmptype;
#else
  return rows->rctype;
#endif
}

// Returns a clause of WHERE with a level of security, as distribute_qual_to_rels() makes it.
inline RestrictInfo *make_condition(PlannerInfo *root, Expr *clause, Index level) {
#if PG_VERSION_NUM >= 160000
  return make_restrictinfo(root, clause, true, false, false, false, level, nullptr, nullptr,
                           nullptr);
#else
  return make_restrictinfo(root, clause, true, false, false, level, nullptr, nullptr, nullptr);
#endif
}

// True if a path key sorts in descending order.
inline bool is_descending(const PathKey *key) {
#if PG_VERSION_NUM >= 180000
  return key->pk_cmptype == COMPARE_GT;
#else
  return key->pk_strategy == BTGreaterStrategyNumber;
#endif
}

// Returns the order of an expression by an operator, as ORDER BY would have it but for NULL.
inline List *pathkeys_of(PlannerInfo *root, Expr *expression, Oid op) {
#if PG_VERSION_NUM >= 160000
  return build_expression_pathkey(root, expression, op, nullptr, true);
#else
  return build_expression_pathkey(root, expression, nullptr, op, nullptr, true);
#endif
}

// Returns a path that appends others, in the order of some path keys.
inline Path *append_in_order(PlannerInfo *root, RelOptInfo *rel, List *paths, List *pathkeys) {
#if PG_VERSION_NUM >= 190000
  AppendPathInput input{};
  input.subpaths = paths;
  return &create_append_path(root, rel, input, pathkeys, nullptr, 0, false, -1)->path;
#else
  return &create_append_path(root, rel, paths, NIL, pathkeys, nullptr, 0, false, -1)->path;
#endif
}

// Does so for paths that are merged.
inline Path *merge_in_order(PlannerInfo *root, RelOptInfo *rel, List *paths, List *pathkeys) {
#if PG_VERSION_NUM >= 190000
  return &create_merge_append_path(root, rel, paths, NIL, pathkeys, nullptr)->path;
#else
  return &create_merge_append_path(root, rel, paths, pathkeys, nullptr)->path;
#endif
}

// Makes a path avoided if its input is.
inline void copy_disabled([[maybe_unused]] Path *path, [[maybe_unused]] const Path *input) {
#if PG_VERSION_NUM >= 180000
  path->disabled_nodes = input->disabled_nodes;
#endif
}

// Returns what the columns of a join, or from PostgreSQL 18 on of a GROUP BY, stand for; NIL for
// any other entry.
inline const List *columns_behind(const RangeTblEntry *entry) {
#if PG_VERSION_NUM >= 180000
  if (entry->rtekind == RTE_GROUP) {
    return entry->groupexprs;
  }
#endif
  return entry->rtekind == RTE_JOIN ? entry->joinaliasvars : NIL;
}

// True if the current user may call a function, which the executor checks.
inline bool may_call(Oid function) {
#if PG_VERSION_NUM >= 160000
  return object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
#else
  return pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
#endif
}

// Returns the plan of a query that has been rewritten.
inline PlannedStmt *plan_query(Query *query, const char *text) {
#if PG_VERSION_NUM >= 190000
  return pg_plan_query(query, text, 0, nullptr, nullptr);
#else
  return pg_plan_query(query, text, 0, nullptr);
#endif
}

// True if a plan does what a parameter such as enable_sort is to avoid.
inline bool is_disabled(const Plan *plan) {
#if PG_VERSION_NUM >= 180000
  return plan->disabled_nodes > 0;
#else
  return plan->total_cost >= disable_cost;
#endif
}

// True if a column has a valid NOT NULL constraint.
inline bool is_not_null(Relation relation, AttrNumber column) {
#if PG_VERSION_NUM >= 180000
  return TupleDescCompactAttr(RelationGetDescr(relation), column - 1)->attnullability ==
         ATTNULLABLE_VALID;
#else
  return TupleDescAttr(RelationGetDescr(relation), column - 1)->attnotnull;
#endif
}

// Returns the timestamp or timestamptz that a conversion of a date or timestamp gives, and where it
// is out of range, infinity: of the sign of what is converted.
#if PG_VERSION_NUM >= 190000
template <auto convert, typename From>
int64 converted_or_infinite(From value) {
  ErrorSaveContext context{};
  context.type = T_ErrorSaveContext;
  const int64 time = convert(value, reinterpret_cast<Node *>(&context));
  return context.error_occurred ? (value < 0 ? DT_NOBEGIN : DT_NOEND) : time;
}
inline constexpr auto kDateToTimestamp = date2timestamp_safe;
inline constexpr auto kDateToTimestamptz = date2timestamptz_safe;
inline constexpr auto kTimestampToTimestamptz = timestamp2timestamptz_safe;
#else
template <auto convert, typename From>
int64 converted_or_infinite(From value) {
  int overflow = 0;
  const int64 time = convert(value, &overflow);
  return overflow < 0 ? DT_NOBEGIN : overflow > 0 ? DT_NOEND : time;
}
inline constexpr auto kDateToTimestamp = date2timestamp_opt_overflow;
inline constexpr auto kDateToTimestamptz = date2timestamptz_opt_overflow;
inline constexpr auto kTimestampToTimestamptz = timestamp2timestamptz_opt_overflow;
#endif

// The type by which callbacks for changes of the catalog are told which cache it is.
#if PG_VERSION_NUM >= 190000
using CacheId = SysCacheIdentifier;
#else
using CacheId = int;
#endif

// Core's uuid_extract_timestamp(), from PostgreSQL 18 on: that of 17 is NULL for version 7.
#if PG_VERSION_NUM >= 180000
inline constexpr Oid kCoreExtractTime = F_UUID_EXTRACT_TIMESTAMP;
#else
inline constexpr Oid kCoreExtractTime = InvalidOid;
#endif

// True if a CHECK constraint is enforced; before PostgreSQL 18, all are.
inline bool is_enforced([[maybe_unused]] const ConstrCheck &check) {
#if PG_VERSION_NUM >= 180000
  return check.ccenforced;
#else
  return true;
#endif
}

}  // namespace uuidx
