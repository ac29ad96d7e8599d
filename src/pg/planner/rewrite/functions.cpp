#include "pg/planner/rewrite/functions.hpp"

#include <cstring>

#include "pg/compat.hpp"
#include "pg/planner/nodes.hpp"

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
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the default B-tree operator family of a type.
Oid family_of(Oid type) {
  return lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
}

// True if a row of pg_proc is of the C function with a symbol.
bool tuple_has_symbol(HeapTuple tuple, const char *symbol) {
  if (reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->prolang != ClanguageId) {
    return false;
  }
  bool missing = false;
  const Datum source = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &missing);
  return !missing && std::strcmp(TextDatumGetCString(source), symbol) == 0;
}

}  // namespace

Oid find_function(const char *name, const char *symbol) {
  CatCList *functions = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(name));
  Oid found = InvalidOid;
  for (int i = 0; i < functions->n_members && !OidIsValid(found); ++i) {
    HeapTuple tuple = &functions->members[i]->tuple;
    const Oid function = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->oid;
    if (tuple_has_symbol(tuple, symbol) && may_call(function)) {
      found = function;
    }
  }
  ReleaseSysCacheList(functions);
  return found;
}

bool has_symbol(Oid function, const char *symbol) {
  HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
  if (!HeapTupleIsValid(tuple)) {
    return false;
  }
  const bool found = tuple_has_symbol(tuple, symbol);
  ReleaseSysCache(tuple);
  return found;
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

const Var *tested_column(const Node *node) {
  const auto *call = reinterpret_cast<const FuncExpr *>(node);
  return IsA(node, FuncExpr) && call->funcresulttype == BOOLOID && list_length(call->args) == 1 &&
                 has_symbol(call->funcid, "uuidx_is_v7")
             ? column_of(static_cast<Node *>(linitial(call->args)))
             : nullptr;
}

Expr *call_function(Oid function, Oid result, List *args) {
  return reinterpret_cast<Expr *>(
      makeFuncExpr(function, result, args, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
}

Expr *simplified_call(PlannerInfo *root, Oid function, Oid result, List *args) {
  auto *call = reinterpret_cast<Node *>(call_function(function, result, args));
  return reinterpret_cast<Expr *>(eval_const_expressions(root, call));
}

int strategy_of(Oid op, Oid type) {
  return get_op_opfamily_strategy(op, family_of(type));
}

Oid uuid_family() {
  return family_of(UUIDOID);
}

Oid uuid_operator(int strategy) {
  return get_opfamily_member(uuid_family(), UUIDOID, UUIDOID, static_cast<int16>(strategy));
}

}  // namespace uuidx
