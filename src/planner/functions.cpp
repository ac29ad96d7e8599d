#include "planner/functions.hpp"

#include <cstring>

#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/catcache.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Where a function is kept, and how it is found.
struct Entry {
  Oid Functions::*member;
  const char *name;
  const char *symbol;
};

constexpr Entry kEntries[] = {
    {&Functions::is_v7, "uuid_is_v7", "uuidx_is_v7"},
    {&Functions::v7_min, "uuid_v7_min", "uuidx_v7_min"},
    {&Functions::v7_max, "uuid_v7_max", "uuidx_v7_max"},
    {&Functions::v7_bound, "uuid_v7_bound", "uuidx_v7_bound"},
    {&Functions::condition, "uuid_condition", "uuidx_condition"},
    {&Functions::in_range, "uuid_in_time_range", "uuidx_in_time_range_tstzrange"},
    {&Functions::lower_of_range, "uuid_v7_lower", "uuidx_v7_lower_tstzrange"},
    {&Functions::upper_of_range, "uuid_v7_upper", "uuidx_v7_upper_tstzrange"},
    {&Functions::time_bound, "uuid_time_bound", "uuidx_time_bound"},
    {&Functions::beyond_bound, "uuid_beyond_bound", "uuidx_beyond_bound"},
    {&Functions::check_zone, "uuid_check_zone", "uuidx_check_zone"},
};

struct KindOfSymbol {
  const char *symbol;
  FunctionKind kind;
};

constexpr KindOfSymbol kKinds[] = {
    {"uuidx_extract_v7_time", FunctionKind::v7_time},
    {"uuidx_extract_time", FunctionKind::any_time},
    {"uuidx_extract_timestamp", FunctionKind::any_time},
    {"uuidx_extract_time_precise", FunctionKind::precise_time},
    {"uuidx_is_v7", FunctionKind::is_v7},
};

struct KnownKind {
  Oid function = InvalidOid;
  FunctionKind kind = FunctionKind::other;
};

// What was found, until functions or roles change.
struct Cache {
  Functions functions;  // for a user
  Oid user = InvalidOid;
  bool complete = false;
  KnownKind kinds[64];
  uint32 changes = 0;    // of functions or roles, so far
  bool lacking = false;  // plans were made while functions were missing or forbidden
  bool watching = false;
};
constinit Cache cache;

// Forgets everything. Called when a function or a role has changed: plans that lacked functions are
// made anew. Changes of operators do the same to all plans, so PostgreSQL expects it at any time.
void clear_cache(Datum /*argument*/, CacheId /*cache*/, uint32 /*hash*/) {
  cache.user = InvalidOid;
  ++cache.changes;
  for (KnownKind &known : cache.kinds) {
    known.function = InvalidOid;
  }
  if (cache.lacking) {
    cache.lacking = false;
    ResetPlanCache();
  }
}

void watch() {
  if (!cache.watching) {
    CacheRegisterSyscacheCallback(PROCOID, clear_cache, 0);
    CacheRegisterSyscacheCallback(AUTHOID, clear_cache, 0);
    CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, clear_cache, 0);
    cache.watching = true;
  }
}

// Returns the symbol of a row of pg_proc; null if it is of no C function. Only a superuser can
// create a function with a symbol of this library.
const char *symbol_of(HeapTuple tuple) {
  if (reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->prolang != ClanguageId) {
    return nullptr;
  }
  bool missing = false;
  const Datum source = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &missing);
  return missing ? nullptr : TextDatumGetCString(source);
}

// Returns a function that the user may call; InvalidOid if there is none. Not looked up by the
// parser, which depends on search_path and requires USAGE on the schema.
Oid find_function(const Entry &entry) {
  CatCList *candidates = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(entry.name));
  Oid function = InvalidOid;
  for (int i = 0; i < candidates->n_members && !OidIsValid(function); ++i) {
    HeapTuple tuple = &candidates->members[i]->tuple;
    const Oid candidate = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->oid;
    const char *symbol = symbol_of(tuple);
    if (symbol != nullptr && std::strcmp(symbol, entry.symbol) == 0 && may_call(candidate)) {
      function = candidate;
    }
  }
  ReleaseSysCacheList(candidates);
  return function;
}

// Adds the calls in an expression that extract a time to a list.
bool collect_times(Node *node, void *calls) {
  const auto *call = as<FuncExpr>(node);
  if (call != nullptr && is_time_function(call->funcid)) {
    auto **list = static_cast<List **>(calls);
    *list = lappend(*list, node);
  }
  return node != nullptr && walk_expression(node, collect_times, calls);
}

// Looks up the kind of a function in the catalog.
FunctionKind look_up_kind(Oid function) {
  HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
  if (!HeapTupleIsValid(tuple)) {
    return FunctionKind::other;
  }
  FunctionKind kind = FunctionKind::other;
  const char *symbol = symbol_of(tuple);
  for (const KindOfSymbol &known : kKinds) {
    if (symbol != nullptr && std::strcmp(symbol, known.symbol) == 0) {
      kind = known.kind;
    }
  }
  ReleaseSysCache(tuple);
  return kind;
}

}  // namespace

bool find_functions(PlannerInfo *root, Functions *functions) {
  if (planning_memory(root) != nullptr) {
    root->glob->dependsOnRole = true;
  }
  const Oid user = GetUserId();
  if (cache.user == user) {
    *functions = cache.functions;
    return cache.complete;
  }
  watch();
  // A look-up may end with an error, and what it reads may change meanwhile: only a whole one that
  // saw no change is kept.
  const uint32 changes = cache.changes;
  bool complete = true;
  for (const Entry &entry : kEntries) {
    functions->*entry.member = find_function(entry);
    complete = complete && OidIsValid(functions->*entry.member);
  }
  if (changes == cache.changes) {
    cache.functions = *functions;
    cache.complete = complete;
    cache.user = user;
    cache.lacking = cache.lacking || !complete;
  } else if (!complete) {
    ResetPlanCache();  // what was missing may have come meanwhile
  }
  return complete;
}

FunctionKind kind_of(Oid function) {
  if (function < FirstNormalObjectId) {
    return OidIsValid(function) && function == kCoreExtractTime ? FunctionKind::any_time
                                                                : FunctionKind::other;
  }
  KnownKind *known = &cache.kinds[function % lengthof(cache.kinds)];
  if (known->function != function) {
    watch();
    const uint32 changes = cache.changes;
    const FunctionKind kind = look_up_kind(function);
    if (changes != cache.changes) {
      return kind;
    }
    *known = {function, kind};
  }
  return known->kind;
}

const Var *tested_column(const Node *node) {
  const auto *call = as<FuncExpr>(node);
  return call != nullptr && call->funcresulttype == BOOLOID && list_length(call->args) == 1 &&
                 kind_of(call->funcid) == FunctionKind::is_v7
             ? column_of(nth(call->args, 0))
             : nullptr;
}

List *time_calls(Node *expression) {
  List *calls = NIL;
  collect_times(expression, &calls);
  return calls;
}

List *times_beside(const TupleDescData *columns, AttrNumber column, bool enforced) {
  const TupleConstr *constraints = columns->constr;
  List *calls = NIL;
  for (int i = 0; constraints != nullptr && i < constraints->num_check; ++i) {
    Node *check = as_node(stringToNode(constraints->check[i].ccbin));
    Bitmapset *named = nullptr;
    pull_varattnos(check, 1, &named);
    if (has_column(named, column) && (!enforced || is_enforced(constraints->check[i]))) {
      calls = list_concat(calls, time_calls(check));
    }
  }
  return calls;
}

Expr *call_function(Oid function, Oid result, List *args) {
  return as_expr(
      makeFuncExpr(function, result, args, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
}

Expr *simplified_call(Oid function, Oid result, List *args) {
  return as_expr(eval_const_expressions(nullptr, as_node(call_function(function, result, args))));
}

int strategy_of(Oid op, Oid type) {
  return get_op_opfamily_strategy(op, family_of(type));
}

Oid family_of(Oid type) {
  return lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
}

Oid uuid_operator(int strategy) {
  return get_opfamily_member(family_of(UUIDOID), UUIDOID, UUIDOID, static_cast<int16>(strategy));
}

}  // namespace uuidx
