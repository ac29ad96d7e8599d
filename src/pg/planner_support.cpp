// Planner support for `uuid <@ time range`: it is equivalent to two comparisons of uuid, which
// indexes, partitions and foreign servers can use.
#include "core/time_range.hpp"
#include "pg/partitions.hpp"
#include "pg/range_types.hpp"
#include "core/v7.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// A constant multirange is replaced with comparisons for each range, so that rows between the
// ranges are not read, if the number of ranges times that of the tables is at most this: each such
// pair takes about 30 microseconds to plan. A few ranges are always replaced, as another condition
// may prune most of the tables.
constexpr uint32 kMaxRangesInTables = 1024;
constexpr uint32 kFewRanges = 4;

// A call of `<@` or `@>`, by its function.
struct RangeCall {
  Node *id = nullptr;
  Node *range = nullptr;    // of type tstzrange or tstzmultirange, without the domain over it
  Oid type = InvalidOid;    // which of them
  Oid schema = InvalidOid;  // the extension's, which has the support function
};

// Strips an expression of casts to binary-compatible types, such as the domains.
Node *without_relabel(Node *node) {
  while (IsA(node, RelabelType)) {
    node = reinterpret_cast<Node *>(reinterpret_cast<RelabelType *>(node)->arg);
  }
  return node;
}

// Returns the time range of a call as an expression of its range type, with a constant's
// type changed as well.
Node *range_of_call(Node *node) {
  node = without_relabel(node);
  if (IsA(node, Const)) {
    auto *constant = reinterpret_cast<Const *>(copyObjectImpl(node));
    constant->consttype = getBaseType(constant->consttype);
    return reinterpret_cast<Node *>(constant);
  }
  return node;
}

// Reads the arguments of a call; returns false if comparisons cannot replace it. The types are
// checked, as a superuser may attach the support function to another function.
bool read_call(Oid support, List *args, RangeCall *call) {
  if (list_length(args) != 2) {
    return false;
  }
  auto *first = static_cast<Node *>(linitial(args));
  auto *second = static_cast<Node *>(lsecond(args));
  const bool id_first = getBaseType(exprType(first)) == UUIDOID;
  call->id = id_first ? first : second;
  call->range = range_of_call(id_first ? second : first);
  call->type = getBaseType(exprType(call->range));
  call->schema = get_func_namespace(support);
  return getBaseType(exprType(call->id)) == UUIDOID &&
         (call->type == TSTZRANGEOID || call->type == TSTZMULTIRANGEOID);
}

// True if a time range may be computed several times for each row. The rule is that of PostgreSQL's
// inlining of SQL functions: not a sub-select or a volatile function, which may return two results,
// nor what costs more than ten operators.
bool may_repeat(PlannerInfo *root, Node *range) {
  if (contain_subplans(range)) {
    return false;
  }
  QualCost cost;
  cost_qual_eval(&cost, list_make1(range), root);
  return cost.startup + cost.per_tuple <= 10 * cpu_operator_cost &&
         !contain_volatile_functions(range);
}

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
                    function->proisstrict && !function->proretset && function->prorettype == result;
  const Oid oid = ours ? function->oid : InvalidOid;
  ReleaseSysCache(tuple);
  return oid;
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

// Returns the comparisons that are equivalent to a constant time range, as written by hand: none
// for an unbounded side, and every bound a version 7 UUID, as TimescaleDB requires on a
// hypertable's id.
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

// Returns a comparison with uuid_v7_lower() or uuid_v7_upper() of the time range, folded if that is
// constant; null if the function is missing.
Expr *compare_with_function(PlannerInfo *root, const RangeCall &call, int16 strategy,
                            const char *name) {
  const Oid function = find_function(call, name, UUIDOID, 1, &call.type);
  if (!OidIsValid(function)) {
    return nullptr;
  }
  FuncExpr *bound = makeFuncExpr(function, UUIDOID, list_make1(copyObjectImpl(call.range)),
                                 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
  Node *folded = eval_const_expressions(root, reinterpret_cast<Node *>(bound));
  return compare(call, strategy, reinterpret_cast<Expr *>(folded));
}

// Returns `id >= uuid_v7_lower(range)` and `id <= uuid_v7_upper(range)`; NIL if a function is
// missing.
List *bounds(PlannerInfo *root, const RangeCall &call) {
  Expr *lower = compare_with_function(root, call, BTGreaterEqualStrategyNumber, "uuid_v7_lower");
  Expr *upper = compare_with_function(root, call, BTLessEqualStrategyNumber, "uuid_v7_upper");
  return lower != nullptr && upper != nullptr ? list_make2(lower, upper) : NIL;
}

// Combines clauses into one; null if there are none.
Node *combine(BoolExprType type, List *clauses) {
  if (list_length(clauses) < 2) {
    return clauses == NIL ? nullptr : static_cast<Node *>(linitial(clauses));
  }
  return reinterpret_cast<Node *>(makeBoolExpr(type, clauses, -1));
}

// Returns the condition for an empty time range: false, but NULL for a NULL id, which makes a
// difference below NOT and IS NULL. In a WHERE clause the planner reduces it to false and reads
// nothing.
Node *never(const RangeCall &call) {
  NullTest *test = makeNode(NullTest);
  test->arg = static_cast<Expr *>(copyObjectImpl(call.id));
  test->nulltesttype = IS_NULL;
  test->location = -1;
  return combine(AND_EXPR, list_make2(makeBoolConst(false, true), test));
}

// Returns the replacement of a call with any time range: a comparison with each of its bounds and,
// for a multirange, whose bounds also admit rows between its ranges, a recheck. Null if there is
// none.
Node *replace_with_bounds(PlannerInfo *root, const RangeCall &call) {
  List *clauses = bounds(root, call);
  if (clauses != NIL && call.type == TSTZMULTIRANGEOID) {
    const Oid types[] = {UUIDOID, TSTZMULTIRANGEOID};
    const Oid recheck = find_function(call, "uuid_recheck_periods", BOOLOID, 2, types);
    if (!OidIsValid(recheck)) {
      return nullptr;
    }
    clauses = lappend(
        clauses, makeFuncExpr(recheck, BOOLOID, list_make2(copyObjectImpl(call.id), call.range),
                              InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
  }
  return combine(AND_EXPR, clauses);
}

// Returns the replacement of a call with a constant range; null if every id is in it.
Node *replace_range(const RangeCall &call, const RangeType *range) {
  const TimeRange times = time_range_of(range_type(), range);
  return times.empty ? never(call) : combine(AND_EXPR, constant_comparisons(call, times));
}

// Returns the replacement of a call with a constant multirange: comparisons for each of its ranges,
// so that only their partitions are read; null if every id is in it.
Node *replace_multirange(const RangeCall &call, const MultirangeType *ranges) {
  if (MultirangeIsEmpty(ranges)) {
    return never(call);
  }
  List *clauses = NIL;
  for (uint32 i = 0; i < ranges->rangeCount; ++i) {
    Node *clause =
        combine(AND_EXPR, constant_comparisons(call, time_range_at(range_type(), ranges, i)));
    if (clause == nullptr) {
      return nullptr;
    }
    clauses = lappend(clauses, clause);
  }
  return combine(OR_EXPR, clauses);
}

// Returns the time range of a call if it is a constant and not NULL, else null.
const Const *constant_of(const RangeCall &call) {
  return IsA(call.range, Const) && !reinterpret_cast<Const *>(call.range)->constisnull
             ? reinterpret_cast<Const *>(call.range)
             : nullptr;
}

// Returns the column that an id is; null if it is something else.
const Var *column_of(Node *id) {
  id = without_relabel(id);
  return IsA(id, Var) ? reinterpret_cast<const Var *>(id) : nullptr;
}

// Returns the table of a column; null if it belongs to none.
const RangeTblEntry *table_of(const PlannerInfo *root, const Var *column) {
  // The root may be that of another query: PostgreSQL simplifies the condition of an EXISTS with
  // the root of the query around it. That does no harm: the table only decides between two forms
  // that are equivalent.
  if (root == nullptr || column == nullptr || column->varlevelsup != 0 ||
      IS_SPECIAL_VARNO(column->varno) || column->varno < 1 ||
      static_cast<int>(column->varno) > list_length(root->parse->rtable)) {
    return nullptr;
  }
  const RangeTblEntry *entry = rt_fetch(static_cast<int>(column->varno), root->parse->rtable);
  return entry->rtekind == RTE_RELATION ? entry : nullptr;
}

// True if the planner can do more with two comparisons than with the operator: they prune
// partitions, exclude children by their constraints, and can be sent to a foreign server. Other
// tables keep the operator, which has the better estimate.
bool prefers_comparisons(const RangeTblEntry *entry, AttrNumber id) {
  if (entry->relkind == RELKIND_PARTITIONED_TABLE) {
    const char *column = get_attname(entry->relid, id, true);
    return entry->inh && column != nullptr && is_partition_key(entry->relid, column);
  }
  return entry->inh || entry->relkind == RELKIND_FOREIGN_TABLE;
}

// True if comparisons for each range would take too long to plan.
bool has_too_many_ranges(const RangeTblEntry *table, AttrNumber id, const MultirangeType *ranges) {
  return ranges->rangeCount > kFewRanges &&
         count_tables(table, id, ranges) > kMaxRangesInTables / ranges->rangeCount;
}

// Returns the comparisons that replace a call, or null to keep it.
Node *simplify(const SupportRequestSimplify *request, Oid support) {
  RangeCall call;
  if (request->fcall->funcresulttype != BOOLOID || request->fcall->funcretset ||
      !read_call(support, request->fcall->args, &call)) {
    return nullptr;
  }
  const Var *id = column_of(call.id);
  const RangeTblEntry *table = table_of(request->root, id);
  if (table == nullptr || !prefers_comparisons(table, id->varattno) ||
      !may_repeat(request->root, call.range)) {
    return nullptr;
  }
  const Const *constant = constant_of(call);
  if (constant == nullptr) {
    return replace_with_bounds(request->root, call);
  }
  if (call.type == TSTZRANGEOID) {
    return replace_range(call, DatumGetRangeTypeP(constant->constvalue));
  }
  const MultirangeType *ranges = DatumGetMultirangeTypeP(constant->constvalue);
  return has_too_many_ranges(table, id->varattno, ranges) ? replace_with_bounds(request->root, call)
                                                          : replace_multirange(call, ranges);
}

// Returns the comparisons by which an index can be searched for a call; NIL if there are none.
List *index_comparisons(PlannerInfo *root, const RangeCall &call) {
  const Const *constant = constant_of(call);
  if (constant != nullptr && call.type == TSTZRANGEOID) {
    const TimeRange range = time_range_of(range_type(), DatumGetRangeTypeP(constant->constvalue));
    if (!range.empty) {
      return constant_comparisons(call, range);
    }
  }
  return bounds(root, call);
}

// True if an index of this operator family supports the comparison.
bool family_knows(const Expr *clause, Oid family) {
  return op_in_opfamily(reinterpret_cast<const OpExpr *>(clause)->opno, family);
}

// Returns the condition for an index on the id; NIL if the index does not support the comparisons.
// The time range may be expensive, as a scan computes each bound once, when it begins, and the
// planner adds that to the scan's cost; but it may not be a sub-select, which may return two
// results.
List *index_condition(SupportRequestIndexCondition *request, Oid support) {
  RangeCall call;
  List *args = args_of(request->node);
  if (!read_call(support, args, &call) ||
      call.id != static_cast<Node *>(list_nth(args, request->indexarg)) ||
      !is_pseudo_constant_for_index(request->root, call.range, request->index) ||
      contain_subplans(call.range)) {
    return NIL;
  }
  List *clauses = index_comparisons(request->root, call);
  for (int i = 0; i < list_length(clauses); ++i) {
    if (!family_knows(static_cast<Expr *>(list_nth(clauses, i)), request->opfamily)) {
      return NIL;
    }
  }
  // Lossy, as the bounds of a multirange also admit rows between its ranges.
  request->lossy = call.type == TSTZMULTIRANGEOID;
  return clauses;
}

}  // namespace

// uuid_period_support(internal), the support function of <@ and @>: returns null, as the planner
// expects, if it cannot serve the request.
UUIDX_FUNCTION(uuidx_period_support) {
  auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
  const Oid support = fcinfo->flinfo->fn_oid;
  void *result = nullptr;
  if (IsA(request, SupportRequestSimplify)) {
    result = simplify(reinterpret_cast<SupportRequestSimplify *>(request), support);
  } else if (IsA(request, SupportRequestIndexCondition)) {
    result = index_condition(reinterpret_cast<SupportRequestIndexCondition *>(request), support);
  }
  PG_RETURN_POINTER(result);
}

}  // namespace uuidx
