// uuidx_check(): which time columns are not served by the index of their key, and why. Plans say
// which, the catalog says why (check_query.hpp). No code of other roles runs with the privileges of
// the caller, who must own all that is planned.
#include <cstring>

#include "pg/compat.hpp"
#include "pg/settings.hpp"
#include "planner/functions.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/planner_hooks.hpp"
#include "sql/check_guard.hpp"
#include "sql/check_query.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "nodes/plannodes.h"
#include "parser/analyze.h"
#include "parser/parse_relation.h"
#include "parser/parser.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "tcop/tcopprot.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/resowner.h"
#include "utils/tuplestore.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// A column that may be the time of a key, and what is found out about it.
struct Column {
  Oid relation;
  Oid type;            // of the time
  const char *source;  // the relation in a query
  const char *time;    // the time in a query
  const char *kind;    // as uuidx_check() returns it
  const char *number;
  Oid table = InvalidOid;  // of the key; none for a column that is not the time of one
  AttrNumber key = InvalidAttrNumber;
  Oid function = InvalidOid;  // that extracts the time
  List *family = NIL;         // the table and its children
  int depth = 0;              // of sub-queries above the table, of which views become some
  bool blocked = false;       // the view keeps conditions or order from the table
  bool condition = true;      // conditions use an index
  bool order = true;          // nothing is sorted
  const char *failure = "";
};

// Returns the expression that generates a column of a table, or the time of a key that a CHECK
// names beside it if it is not a key itself; null if there is none.
const Node *computed_by(Oid table, AttrNumber column) {
  Relation relation = table_open(table, NoLock);
  const FormData_pg_attribute *attribute = TupleDescAttr(RelationGetDescr(relation), column - 1);
  const Node *expression = nullptr;
  if (attribute->attgenerated != '\0') {
    expression = build_column_default(relation, column);
  } else if (getBaseType(attribute->atttypid) != UUIDOID) {
    expression = nth(times_beside(RelationGetDescr(relation), column, false), 0);
  }
  table_close(relation, NoLock);
  return expression;
}

// Returns what computes a column of a query or, without one, of the table found so far; null if
// nothing does.
const Node *behind(const Var *column, const Query **query, Column *found) {
  const RangeTblEntry *entry =
      *query != nullptr ? rt_fetch(column->varno, (*query)->rtable) : nullptr;
  if (column->varlevelsup != 0 || column->varattno <= 0) {
    return nullptr;
  }
  if (entry == nullptr || entry->rtekind == RTE_RELATION) {
    found->table = entry != nullptr ? entry->relid : found->table;
    found->key = column->varattno;
    *query = nullptr;
    return computed_by(found->table, column->varattno);
  }
  if (entry->rtekind != RTE_SUBQUERY) {
    return nth(columns_behind(entry), column->varattno - 1);
  }
  const Query *inner = *query = entry->subquery;
  found->depth++;
  found->blocked = found->blocked || inner->limitCount != nullptr ||
                   inner->limitOffset != nullptr || inner->hasAggs || inner->groupClause != NIL ||
                   inner->distinctClause != NIL || inner->hasWindowFuncs || inner->hasTargetSRFs;
  return as_node(get_tle_by_resno(inner->targetList, column->varattno)->expr);
}

// Finds the key from which the result of a query is computed: through views, which the rewriter has
// put in place, joins, generated columns and calls. Of a UNION, the first part counts.
bool find_key(const Query *query, Column *found) {
  const Node *node = as_node(linitial_node(TargetEntry, query->targetList)->expr);
  bool is_key = false;
  while (node != nullptr) {
    if (const Var *column = column_of(node)) {
      node = behind(column, &query, found);
      is_key = query == nullptr;
    } else {
      found->function =
          IsA(node, FuncExpr) ? reinterpret_cast<const FuncExpr *>(node)->funcid : found->function;
      node = only_argument(node);
      is_key = false;
    }
  }
  return is_key && is_time_function(found->function) &&
         getBaseType(get_atttype(found->table, found->key)) == UUIDOID;
}

// Returns the text of a query of the time of a column, which is `t` in the end of the query.
const char *text_of(const Column &column, const char *end) {
  return psprintf("SELECT t FROM (SELECT %s FROM %s) AS s (t)%s", column.time, column.source, end);
}

// Returns such a query, where $1 and $2 have the type of the time, and finds the key of the column.
// Sets no table if the column is not the time of a key.
Query *query_of(Column *found, const char *text) {
  const Oid types[] = {found->type, found->type};
  auto *parsed = linitial_node(RawStmt, raw_parser(text, RAW_PARSE_DEFAULT));
  Query *query = parse_analyze_fixedparams(parsed, text, types, lengthof(types), nullptr);
  // Of what the names mean, which another role may have changed.
  check_relations(query);
  query = linitial_node(Query, pg_rewrite_query(query));
  found->depth = 0;
  if (!find_key(query, found)) {
    found->table = InvalidOid;
  }
  return query;
}

// True if a query needs no other way to read the table than the one that a parameter allows.
bool is_served(const Column &of, const char *end, const char *allowed) {
  Column found = of;
  const char *text = text_of(found, end);
  Query *query = query_of(&found, text);
  if (found.table != of.table || found.function != of.function || found.depth > 1) {
    // Names have changed, and may now be those of another role.
    elog(ERROR, "its definition has changed");
  }
  for (const char *name : {"enable_seqscan", "enable_tidscan", "enable_indexonlyscan",
                           "enable_indexscan", "enable_bitmapscan", "enable_sort"}) {
    set_locally(name, std::strcmp(name, allowed) == 0 ? "on" : "off");
  }
  return !is_disabled(plan_query(query, text)->planTree);
}

// Finds the key of a column, and plans a condition and an order by its time. For a view, that is
// what its function extracts from the key's table.
void examine(Column *found) {
  query_of(found, text_of(*found, ""));
  if (!OidIsValid(found->table)) {
    return;
  }
  if (found->relation != found->table) {
    const Oid function = found->function;
    found->type = get_func_rettype(function);
    found->time =
        psprintf("%s(%s::uuid)",
                 quote_qualified_identifier(get_namespace_name(get_func_namespace(function)),
                                            get_func_name(function)),
                 quote_identifier(get_attname(found->table, found->key, false)));
    found->source = quote_qualified_identifier(get_namespace_name(get_rel_namespace(found->table)),
                                               get_rel_name(found->table));
  }
  found->family = find_all_inheritors(found->table, AccessShareLock, nullptr);
  check_owners(found->family);
  // Restricts the functions that planning runs, as ANALYZE does, until the subtransaction ends:
  // they could reset the role of a superuser who has become the owner.
  Oid user = InvalidOid;
  int context = 0;
  GetUserIdAndSecContext(&user, &context);
  SetUserIdAndSecContext(user, context | SECURITY_RESTRICTED_OPERATION);
  found->condition = is_served(*found, " WHERE t >= $1 AND t < $2", "enable_bitmapscan");
  found->order = is_served(*found, " ORDER BY t", "enable_indexscan");
}

// Does so in a subtransaction, which is undone: it frees locks and memory, and restores the
// settings and what functions may do. An error, such as that for a lock that another session holds
// for long, becomes a part of the result.
void examine_aside(Column *found) {
  MemoryContext context = CurrentMemoryContext;
  ResourceOwner resources = CurrentResourceOwner;
  BeginInternalSubTransaction(nullptr);
  ErrorData *error = nullptr;
  PG_TRY();
  { examine(found); }
  PG_CATCH();
  {
    MemoryContextSwitchTo(context);
    error = CopyErrorData();
    FlushErrorState();
  }
  PG_END_TRY();
  MemoryContextSwitchTo(context);
  found->family = list_copy(found->family);
  RollbackAndReleaseCurrentSubTransaction();
  MemoryContextSwitchTo(context);
  CurrentResourceOwner = resources;
  if (error != nullptr) {
    // A cancel, or a lack of memory or space on disk, ends the whole check.
    const int category = ERRCODE_TO_CATEGORY(error->sqlerrcode);
    if (category == ERRCODE_OPERATOR_INTERVENTION || category == ERRCODE_INSUFFICIENT_RESOURCES) {
      ReThrowError(error);
    }
    found->failure = error->message;
  }
}

// Runs a query of the catalog.
void read_catalog(const char *query, int count, Oid *types, Datum *values, const char *nulls) {
  SPI_execute_with_args(psprintf("%s%s", kKnownFunctions, query), count, types, values, nulls, true,
                        0);
}

// Adds what was found out to an array in JSON, unless the column is not the time of a key. That is
// not known of one in a view if it failed early: it then counts if the caller has named the view.
void add_column(StringInfo json, const Column &found, bool is_named) {
  const bool known = OidIsValid(found.table);
  if (!known && (found.failure[0] == '\0' || (std::strcmp(found.kind, "view") == 0 && !is_named))) {
    return;
  }
  appendStringInfo(json,
                   R"(%s{"relation":%u,"number":%s,"kind":"%s","key_table":%u,"key":%s,)"
                   R"("extractor":%u,"blocked":%d,"condition":%d,"sorted":%d,"family":[%u)",
                   json->len == 1 ? "" : ",", found.relation, found.number, found.kind,
                   known ? found.table : found.relation,
                   known ? psprintf("%d", found.key) : found.number, found.function,
                   static_cast<int>(found.blocked), static_cast<int>(found.condition),
                   static_cast<int>(found.order), found.table);
  for (int i = 1; i < list_length(found.family); ++i) {
    appendStringInfo(json, ",%u", list_nth_oid(found.family, i));
  }
  appendStringInfoString(json, "],\"failure\":");
  escape_json(json, found.failure);
  appendStringInfoChar(json, '}');
}

// Returns what is found out about the columns of a relation, or of all, as an array in JSON.
const char *find_all(Datum relation, char is_null) {
  Oid types[] = {OIDOID};
  read_catalog(kCandidates, 1, types, &relation, &is_null);
  const SPITupleTable *rows = SPI_tuptable;
  StringInfoData json;
  initStringInfo(&json);
  appendStringInfoChar(&json, '[');
  for (uint64 i = 0; i < rows->numvals; ++i) {
    CHECK_FOR_INTERRUPTS();
    const auto text = [&](int n) { return SPI_getvalue(rows->vals[i], rows->tupdesc, n); };
    Column column = {atooid(text(1)), atooid(text(2)), text(3), text(4), text(5), text(6)};
    examine_aside(&column);
    add_column(&json, column, is_null != 'n');
  }
  appendStringInfoChar(&json, ']');
  return json.data;
}

}  // namespace

// uuidx_check(target regclass)
UUIDX_FUNCTION(uuidx_check) {
  install_planner_hooks();
  begin_rows(fcinfo);
  const auto *result = reinterpret_cast<const ReturnSetInfo *>(fcinfo->resultinfo);
  const int level = NewGUCNestLevel();
  // No name in a query depends on the path of the caller.
  set_locally("search_path", "pg_catalog, pg_temp");
  set_locally("lock_timeout", "1s");
  set_locally("jit", "off");
  SPI_connect();
  const char *found = find_all(PG_GETARG_DATUM(0), PG_ARGISNULL(0) ? 'n' : ' ');
  Oid types[] = {TEXTOID, BOOLOID};
  Datum values[] = {CStringGetTextDatum(found), BoolGetDatum(is_preloaded())};
  read_catalog(kReasons, 2, types, values, nullptr);
  for (uint64 i = 0; i < SPI_tuptable->numvals; ++i) {
    tuplestore_puttuple(result->setResult, SPI_tuptable->vals[i]);
  }
  SPI_finish();
  AtEOXact_GUC(true, level);
  return Datum{0};
}

}  // namespace uuidx
