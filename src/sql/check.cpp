// SQL functions behind uuidx_check(), whose body in the install script names the reasons: whether
// the planner uses the index of a key for a time column, and whether new sessions load the library.
#include <cstring>

#include "pg/compat.hpp"
#include "planner/nodes.hpp"
#include "planner/rewrite/key_source.hpp"

#include <unistd.h>

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "nodes/plannodes.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/resowner.h"
#include "utils/varlena.h"
#include "utils/tuplestore.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// What is found out about a time column.
struct Check {
  Oid relation = InvalidOid;
  AttrNumber column = InvalidAttrNumber;
  KeySource key;
  List *family = NIL;         // the table of the key and its children
  bool condition = true;      // conditions use an index on the key
  bool order = true;          // nothing is sorted
  Oid obstacle = InvalidOid;  // a table or index that is scanned without the key
  bool young = false;         // the plan is only for this transaction
  const char *failure = nullptr;
};

// Notes the table or index that a node of a plan scans, unless it is by the key.
void note_scan(Check *check, const PlannedStmt *plan, const Scan *scan, const List *conditions,
               Oid index) {
  const Oid table = rt_fetch(static_cast<int>(scan->scanrelid), plan->rtable)->relid;
  if (!list_member_oid(check->family, table)) {
    return;
  }
  const AttrNumber key = get_attnum(table, get_attname(check->key.table, check->key.column, false));
  for (const Node *condition : each(conditions)) {
    // The column of the index is on the left side.
    const List *args = args_of(condition);
    const Var *column = args != NIL ? column_of(nth(args, 0)) : nullptr;
    if (column != nullptr && column->varattno == key) {
      return;
    }
  }
  check->obstacle = OidIsValid(index) ? index : table;
}

// Examines a plan. NOLINTNEXTLINE(misc-no-recursion): plans are trees.
void examine(Check *check, const PlannedStmt *plan, const Node *node) {
  if (node == nullptr) {
    return;
  }
  const List *members = NIL;
  const auto *scan = reinterpret_cast<const Scan *>(node);
  switch (nodeTag(node)) {
    case T_Append:
      members = reinterpret_cast<const Append *>(node)->appendplans;
      break;
    case T_MergeAppend:
      members = reinterpret_cast<const MergeAppend *>(node)->mergeplans;
      break;
    case T_BitmapOr:
      members = reinterpret_cast<const BitmapOr *>(node)->bitmapplans;
      break;
    case T_BitmapAnd:
      members = reinterpret_cast<const BitmapAnd *>(node)->bitmapplans;
      break;
    case T_SubqueryScan:
      members = list_make1(reinterpret_cast<const SubqueryScan *>(node)->subplan);
      break;
    case T_CustomScan:
      members = reinterpret_cast<const CustomScan *>(node)->custom_plans;
      break;
    case T_SeqScan:
      note_scan(check, plan, scan, NIL, InvalidOid);
      break;
    case T_IndexScan: {
      const auto *index = reinterpret_cast<const IndexScan *>(node);
      note_scan(check, plan, scan, index->indexqualorig, index->indexid);
      break;
    }
    case T_BitmapIndexScan: {
      const auto *index = reinterpret_cast<const BitmapIndexScan *>(node);
      note_scan(check, plan, scan, index->indexqualorig, index->indexid);
      break;
    }
    case T_Sort:
    case T_IncrementalSort:
      check->order = false;
      break;
    default:
      break;
  }
  for (const Node *member : each(members)) {
    examine(check, plan, member);
  }
  examine(check, plan, as_node(scan->plan.lefttree));
  examine(check, plan, as_node(scan->plan.righttree));
}

// Plans a query with two parameters of a type, and examines the plan.
void plan_query(Check *check, const char *query, Oid type) {
  Oid types[] = {type, type};
  SPIPlanPtr prepared = SPI_prepare(query, 2, types);
  const CachedPlan *plan = prepared != nullptr ? SPI_plan_get_cached_plan(prepared) : nullptr;
  if (plan == nullptr) {
    elog(ERROR, "could not plan \"%s\"", query);
  }
  for (const auto *statement : each<PlannedStmt>(plan->stmt_list)) {
    check->young = check->young || statement->transientPlan;
    examine(check, statement, as_node(statement->planTree));
    for (const Node *subplan : each(statement->subplans)) {
      examine(check, statement, subplan);
    }
  }
}

// Sets a parameter for the current subtransaction.
void set_locally(const char *name, const char *value) {
  set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
}

// Lets the planner plan a condition on a column, and an order by it, as if scans of tables and
// sorts were very slow. A lock that another session holds for long is an error.
void ask_planner(Check *check, const char *schema) {
  for (const char *name :
       {"enable_seqscan", "enable_sort", "enable_indexonlyscan", "enable_tidscan"}) {
    set_locally(name, "off");
  }
  set_locally("lock_timeout", "1s");
  if (!find_key_source(check->relation, check->column, &check->key)) {
    check->key = {};
    return;
  }
  check->family = find_all_inheritors(check->key.table, AccessShareLock, nullptr);
  const char *relation = quote_qualified_identifier(
      get_namespace_name(get_rel_namespace(check->relation)), get_rel_name(check->relation));
  const char *time = quote_identifier(get_attname(check->relation, check->column, false));
  Oid type = get_atttype(check->relation, check->column);
  if (!OidIsValid(check->key.function)) {
    time = psprintf("%s(%s)", quote_qualified_identifier(schema, "uuid_extract_v7_time"), time);
    type = TIMESTAMPTZOID;
  }
  SPI_connect();
  plan_query(check,
             psprintf("SELECT FROM %s WHERE %s OPERATOR(pg_catalog.>=) $1 "
                      "AND %s OPERATOR(pg_catalog.<) $2",
                      relation, time, time),
             type);
  check->condition = !OidIsValid(check->obstacle);
  const Oid obstacle = check->obstacle;
  check->order = true;
  plan_query(check, psprintf("SELECT FROM %s ORDER BY %s LIMIT 1", relation, time), type);
  check->obstacle = obstacle;
  SPI_finish();
}

// The same in a subtransaction, which is undone: it frees the locks and restores the settings, and
// an error becomes a part of the result. Returns false if the statement is to end.
bool try_to_ask(Check *check, const char *schema, ErrorData **end) {
  MemoryContext context = CurrentMemoryContext;
  ResourceOwner owner = CurrentResourceOwner;
  BeginInternalSubTransaction(nullptr);
  MemoryContextSwitchTo(context);
  PG_TRY();
  { ask_planner(check, schema); }
  PG_CATCH();
  {
    MemoryContextSwitchTo(context);
    ErrorData *error = CopyErrorData();
    FlushErrorState();
    check->failure = error->message;
    if (error->sqlerrcode == ERRCODE_QUERY_CANCELED) {
      *end = error;
    }
  }
  PG_END_TRY();
  RollbackAndReleaseCurrentSubTransaction();
  MemoryContextSwitchTo(context);
  CurrentResourceOwner = owner;
  return *end == nullptr;
}

// Returns a list of OIDs as an array.
Datum array_of(const List *oids) {
  const int count = list_length(oids);
  auto *items = static_cast<Datum *>(palloc(sizeof(Datum) * static_cast<std::size_t>(count + 1)));
  for (int i = 0; i < count; ++i) {
    items[i] = ObjectIdGetDatum(list_nth_oid(oids, i));
  }
  return PointerGetDatum(construct_array(items, count, OIDOID, sizeof(Oid), true, TYPALIGN_INT));
}

// True if a list of libraries contains uuidx.
bool lists_library(const char *parameter) {
  const char *value = GetConfigOption(parameter, true, false);
  char *names = pstrdup(value != nullptr ? value : "");
  List *list = NIL;
  if (SplitDirectoriesString(names, ',', &list)) {
    for (const char *name : each<const char>(list)) {
      const char *file = last_dir_separator(name);
      file = file != nullptr ? file + 1 : name;
      if (std::strcmp(file, "uuidx") == 0 || std::strcmp(file, "uuidx" DLSUFFIX) == 0) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

// uuidx_check_column(relation oid, attnum smallint)
UUIDX_FUNCTION(uuidx_check_column) {
  Check check;
  check.relation = PG_GETARG_OID(0);
  check.column = PG_GETARG_INT16(1);
  ErrorData *end = nullptr;
  if (!try_to_ask(&check, get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid)), &end)) {
    ReThrowError(end);
  }
  begin_rows(fcinfo);
  if (!OidIsValid(check.key.table)) {
    return Datum{0};
  }
  auto *result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
  const bool has_failed = check.failure != nullptr;
  Datum values[] = {
      ObjectIdGetDatum(check.key.table),
      Int16GetDatum(check.key.column),
      ObjectIdGetDatum(check.key.function),
      BoolGetDatum(check.key.exact),
      BoolGetDatum(check.condition),
      BoolGetDatum(check.order),
      ObjectIdGetDatum(check.obstacle),
      BoolGetDatum(check.young),
      array_of(check.family),
      CStringGetTextDatum(has_failed ? check.failure : ""),
  };
  bool nulls[] = {false, false, false, false, false, false, false, false, false, !has_failed};
  tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
  return Datum{0};
}

// uuidx_is_preloaded()
UUIDX_FUNCTION(uuidx_is_preloaded) {
  for (const char *parameter :
       {"shared_preload_libraries", "session_preload_libraries", "local_preload_libraries"}) {
    if (lists_library(parameter)) {
      PG_RETURN_BOOL(true);
    }
  }
  PG_RETURN_BOOL(false);
}

// uuidx_has_plugin()
UUIDX_FUNCTION(uuidx_has_plugin) {
  PG_RETURN_BOOL(access(psprintf("%s/plugins/uuidx%s", pkglib_path, DLSUFFIX), R_OK) == 0);
}

}  // namespace uuidx
