#include "planner/rewrite/functions.hpp"

#include <cstring>

#include "pg/compat.hpp"
#include "planner/nodes.hpp"

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
    {&Functions::condition, "uuid_condition", "uuidx_condition"},
    {&Functions::in_range, "uuid_in_time_range", "uuidx_in_time_range_tstzrange"},
    {&Functions::in_ranges, "uuid_in_time_range", "uuidx_in_time_range_tstzmultirange"},
    {&Functions::recheck_ranges, "uuid_recheck_time_ranges", "uuidx_recheck_time_ranges"},
    {&Functions::lower_of_range, "uuid_v7_lower", "uuidx_v7_lower_tstzrange"},
    {&Functions::upper_of_range, "uuid_v7_upper", "uuidx_v7_upper_tstzrange"},
    {&Functions::lower_of_ranges, "uuid_v7_lower", "uuidx_v7_lower_tstzmultirange"},
    {&Functions::upper_of_ranges, "uuid_v7_upper", "uuidx_v7_upper_tstzmultirange"},
    {&Functions::time_of_date, "uuid_time_of", "uuidx_time_of_date"},
    {&Functions::time_of_timestamp, "uuid_time_of", "uuidx_time_of_timestamp"},
    {&Functions::bound_of_date, "uuid_time_bound", "uuidx_time_bound_date"},
    {&Functions::bound_of_timestamp, "uuid_time_bound", "uuidx_time_bound_timestamp"},
    {&Functions::bound_of_timestamptz, "uuid_time_bound", "uuidx_time_bound_timestamptz"},
    {&Functions::bound_of_array, "uuid_time_bound", "uuidx_time_bound__timestamptz"},
    {&Functions::bound_of_float8, "uuid_time_bound", "uuidx_time_bound_float8"},
    {&Functions::bound_of_numeric, "uuid_time_bound", "uuidx_time_bound_numeric"},
};

// What was found last, for a user, until functions or roles change.
struct Found {
  Functions functions;
  Oid user = InvalidOid;
  bool complete = false;
  bool watching = false;
};
constinit Found found;

// Forgets the functions. Called when a function or a role has changed.
void forget(Datum /*argument*/, CacheId /*cache*/, uint32 /*hash*/) {
  found.user = InvalidOid;
}

// True if a row of pg_proc is of the C function with a symbol. Only a superuser can create another
// one with it.
bool tuple_has_symbol(HeapTuple tuple, const char *symbol) {
  if (reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->prolang != ClanguageId) {
    return false;
  }
  bool missing = false;
  const Datum source = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &missing);
  return !missing && std::strcmp(TextDatumGetCString(source), symbol) == 0;
}

// Returns a function that the user may call; InvalidOid if there is none. Not looked up by the
// parser, which depends on search_path and requires USAGE on the schema.
Oid find_function(const Entry &entry) {
  CatCList *candidates = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(entry.name));
  Oid function = InvalidOid;
  for (int i = 0; i < candidates->n_members && !OidIsValid(function); ++i) {
    HeapTuple tuple = &candidates->members[i]->tuple;
    const Oid candidate = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->oid;
    if (tuple_has_symbol(tuple, entry.symbol) && may_call(candidate)) {
      function = candidate;
    }
  }
  ReleaseSysCacheList(candidates);
  return function;
}

// True if a function is the C function with a symbol.
bool has_symbol(Oid function, const char *symbol) {
  HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
  if (!HeapTupleIsValid(tuple)) {
    return false;
  }
  const bool same = tuple_has_symbol(tuple, symbol);
  ReleaseSysCache(tuple);
  return same;
}

// Looks the functions up again.
void look_up(Oid user) {
  if (!found.watching) {
    CacheRegisterSyscacheCallback(PROCOID, forget, 0);
    CacheRegisterSyscacheCallback(AUTHOID, forget, 0);
    CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, forget, 0);
    found.watching = true;
  }
  // Set first: if something changes meanwhile, nothing is kept.
  found.user = user;
  found.complete = true;
  for (const Entry &entry : kEntries) {
    found.functions.*entry.member = find_function(entry);
    found.complete = found.complete && OidIsValid(found.functions.*entry.member);
  }
}

}  // namespace

const Functions *find_functions(PlannerInfo *root) {
  if (const Oid user = GetUserId(); found.user != user) {
    look_up(user);
  }
  if (root != nullptr) {
    root->glob->dependsOnRole = true;
  }
  return found.complete ? &found.functions : nullptr;
}

TimeFunction time_function(Oid function) {
  if (function == kCoreExtractTime) {
    return TimeFunction::any;
  }
  if (function < FirstNormalObjectId) {
    return TimeFunction::none;
  }
  if (has_symbol(function, "uuidx_extract_v7_time")) {
    return TimeFunction::v7;
  }
  return has_symbol(function, "uuidx_extract_time") ||
                 has_symbol(function, "uuidx_extract_timestamp")
             ? TimeFunction::any
             : TimeFunction::none;
}

bool is_version_function(Oid function) {
  return function == kCoreExtractVersion || has_symbol(function, "uuidx_extract_version");
}

const Var *tested_column(const Node *node) {
  const auto *call = as<FuncExpr>(node);
  return call != nullptr && call->funcresulttype == BOOLOID && list_length(call->args) == 1 &&
                 has_symbol(call->funcid, "uuidx_is_v7")
             ? column_of(nth(call->args, 0))
             : nullptr;
}

Expr *call_function(Oid function, Oid result, List *args) {
  return as_expr(
      makeFuncExpr(function, result, args, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
}

Expr *simplified_call(PlannerInfo *root, Oid function, Oid result, List *args) {
  return as_expr(eval_const_expressions(root, as_node(call_function(function, result, args))));
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
