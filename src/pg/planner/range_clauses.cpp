#include "pg/planner/range_clauses.hpp"

#include "core/v7.hpp"
#include "pg/planner/range_types.hpp"

namespace uuidx {

namespace {

// Returns one of the extension's functions by name, result and argument types; InvalidOid if there
// is none. A user may have replaced it with a function of their own, but not in C, which only a
// superuser can. Not looked up by the parser, which requires USAGE on the schema.
Oid find_function(const RangeCall &call, const char *name, Oid result, int count,
                  const Oid *types) {
  HeapTuple tuple =
      SearchSysCache3(PROCNAMEARGSNSP, CStringGetDatum(name),
                      PointerGetDatum(buildoidvector(types, count)), ObjectIdGetDatum(call.schema));
  if (!HeapTupleIsValid(tuple)) {
    return InvalidOid;
  }
  const auto *function = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple));
  const bool ours = function->prolang == ClanguageId && function->prokind == PROKIND_FUNCTION &&
                    !function->proretset && function->prorettype == result;
  const Oid oid = ours ? function->oid : InvalidOid;
  ReleaseSysCache(tuple);
  return oid;
}

// Returns a call of one of the extension's functions.
Expr *call_function(Oid function, Oid result, List *args) {
  return reinterpret_cast<Expr *>(
      makeFuncExpr(function, result, args, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
}

// Returns `id operator bound`.
Expr *compare(const RangeCall &call, int16 strategy, Expr *bound) {
  // From the default operator class, whose operators an index must support to be used.
  const TypeCacheEntry *type = lookup_type_cache(UUIDOID, TYPECACHE_BTREE_OPFAMILY);
  const Oid op = get_opfamily_member(type->btree_opf, UUIDOID, UUIDOID, strategy);
  auto *id = static_cast<Expr *>(copyObjectImpl(call.id));
  return make_opclause(op, BOOLOID, false, id, bound, InvalidOid, InvalidOid);
}

// Returns `id operator constant`.
Expr *compare_with_constant(const RangeCall &call, int16 strategy, Uuid bound) {
  return compare(call, strategy,
                 reinterpret_cast<Expr *>(
                     makeConst(UUIDOID, -1, InvalidOid, UUID_LEN, make_uuid(bound), false, false)));
}

}  // namespace

Expr *version_test(const RangeCall &call) {
  const Oid type = UUIDOID;
  const Oid function = find_function(call, "uuid_is_v7", BOOLOID, 1, &type);
  return OidIsValid(function)
             ? call_function(function, BOOLOID, list_make1(copyObjectImpl(call.id)))
             : nullptr;
}

bool is_version_test(const Node *clause, const RangeCall &call) {
  return IsA(clause, FuncExpr) && equal(clause, version_test(call));
}

List *constant_comparisons(const RangeCall &call, const TimeRange &range) {
  List *clauses = NIL;
  const RangeEnd lower = range.lower;
  const RangeEnd upper = range.upper;
  if (lower.bounded) {
    clauses = lappend(
        clauses, lower.inclusive
                     ? compare_with_constant(call, BTGreaterEqualStrategyNumber, v7_min(lower.time))
                     : compare_with_constant(call, BTGreaterStrategyNumber, v7_max(lower.time)));
  }
  if (upper.bounded) {
    clauses = lappend(
        clauses, upper.inclusive
                     ? compare_with_constant(call, BTLessEqualStrategyNumber, v7_max(upper.time))
                     : compare_with_constant(call, BTLessStrategyNumber, v7_min(upper.time)));
  }
  return clauses;
}

namespace {

// Returns a comparison with uuid_v7_lower() or uuid_v7_upper() of the time range, folded if that is
// constant; null if the function is missing.
Expr *compare_with_function(PlannerInfo *root, const RangeCall &call, int16 strategy,
                            const char *name) {
  const Oid function = find_function(call, name, UUIDOID, 1, &call.type);
  if (!OidIsValid(function)) {
    return nullptr;
  }
  Expr *bound = call_function(function, UUIDOID, list_make1(copyObjectImpl(call.range)));
  Node *folded = eval_const_expressions(root, reinterpret_cast<Node *>(bound));
  return compare(call, strategy, reinterpret_cast<Expr *>(folded));
}

}  // namespace

List *bounds(PlannerInfo *root, const RangeCall &call) {
  Expr *lower = compare_with_function(root, call, BTGreaterEqualStrategyNumber, "uuid_v7_lower");
  Expr *upper = compare_with_function(root, call, BTLessEqualStrategyNumber, "uuid_v7_upper");
  return lower != nullptr && upper != nullptr ? list_make2(lower, upper) : NIL;
}

namespace {

// Returns the clauses for an empty time range: false, but NULL for a NULL id, which makes a
// difference below NOT and IS NULL. In a WHERE clause the planner reduces it to false and reads
// nothing.
List *never(const RangeCall &call) {
  NullTest *test = makeNode(NullTest);
  test->arg = static_cast<Expr *>(copyObjectImpl(call.id));
  test->nulltesttype = IS_NULL;
  test->location = -1;
  return list_make2(makeBoolConst(false, true), test);
}

}  // namespace

List *replace_with_bounds(PlannerInfo *root, const RangeCall &call) {
  List *clauses = bounds(root, call);
  if (clauses != NIL && call.type == TSTZMULTIRANGEOID) {
    // The bounds also admit rows between the ranges.
    const Oid types[] = {UUIDOID, TSTZMULTIRANGEOID};
    const Oid recheck = find_function(call, "uuid_recheck_time_ranges", BOOLOID, 2, types);
    if (!OidIsValid(recheck)) {
      return NIL;
    }
    clauses = lappend(
        clauses, call_function(recheck, BOOLOID, list_make2(copyObjectImpl(call.id), call.range)));
  }
  return clauses;
}

List *replace_range(const RangeCall &call, const RangeType *range) {
  const TimeRange times = time_range_of(range_type(), range);
  return times.empty ? never(call) : constant_comparisons(call, times);
}

List *replace_multirange(const RangeCall &call, const MultirangeType *ranges) {
  if (MultirangeIsEmpty(ranges)) {
    return never(call);
  }
  if (ranges->rangeCount == 1) {
    // The executor requires two arguments of an OR.
    return constant_comparisons(call, time_range_at(range_type(), ranges, 0));
  }
  List *alternatives = NIL;
  for (uint32 i = 0; i < ranges->rangeCount; ++i) {
    List *clauses = constant_comparisons(call, time_range_at(range_type(), ranges, i));
    if (clauses == NIL) {
      return NIL;
    }
    alternatives = lappend(alternatives, make_ands_explicit(clauses));
  }
  return list_make1(make_orclause(alternatives));
}

}  // namespace uuidx
