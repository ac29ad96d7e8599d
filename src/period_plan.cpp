// How the planner uses `uuid <@ period`: it is two comparisons of uuid, which an index, partitions
// and a foreign server understand.
#include <span>

#include "period.hpp"
#include "pg_period.hpp"

#include "pg.hpp"

namespace uuidx {

namespace {

// Periods beyond this many are not worth a pair of comparisons each.
constexpr std::size_t kMaxPairs = 64;

// A call of `<@` or `@>`, by its function.
struct PeriodCall {
  Node *id = nullptr;
  Node *period = nullptr;  // of type tstzrange or tstzmultirange, the domain over it taken off
  Oid type = InvalidOid;   // which of them
  char *schema = nullptr;  // the extension's
};

// An expression of a domain's type as one of its base type, which has the same representation.
Node *without_domain(Node *node) {
  while (IsA(node, RelabelType)) {
    node = reinterpret_cast<Node *>(reinterpret_cast<RelabelType *>(node)->arg);
  }
  if (IsA(node, Const)) {
    auto *constant = reinterpret_cast<Const *>(copyObjectImpl(node));
    constant->consttype = getBaseType(constant->consttype);
    return reinterpret_cast<Node *>(constant);
  }
  return node;
}

// Takes a call apart; false where it cannot stand for comparisons.
bool read_call(Oid function, List *args, PeriodCall *call) {
  if (list_length(args) != 2) {
    return false;
  }
  auto *first = static_cast<Node *>(linitial(args));
  auto *second = static_cast<Node *>(lsecond(args));
  const bool id_first = getBaseType(exprType(first)) == UUIDOID;
  call->id = id_first ? first : second;
  call->period = without_domain(id_first ? second : first);
  call->type = getBaseType(exprType(call->period));
  call->schema = get_namespace_name(get_func_namespace(function));
  return call->schema != nullptr;
}

// One of the extension's functions by name and argument types; InvalidOid where it is not there.
Oid find_function(const PeriodCall &call, const char *name, int count, const Oid *types) {
  return LookupFuncName(list_make2(makeString(call.schema), makeString(pstrdup(name))), count,
                        types, true);
}

// `id operator bound`
Expr *compare(const PeriodCall &call, int16 strategy, Expr *bound) {
  // By the default operator class, whose operators an index must know to be asked.
  const TypeCacheEntry *type = lookup_type_cache(UUIDOID, TYPECACHE_BTREE_OPFAMILY);
  const Oid op = get_opfamily_member(type->btree_opf, UUIDOID, UUIDOID, strategy);
  auto *id = static_cast<Expr *>(copyObjectImpl(call.id));
  return make_opclause(op, BOOLOID, false, id, bound, InvalidOid, InvalidOid);
}

// A comparison with one of the functions uuid_v7_lower and uuid_v7_upper of the period, folded if
// it is constant; null where the function is not there.
Expr *compare_with(PlannerInfo *root, const PeriodCall &call, int16 strategy, const char *name) {
  const Oid function = find_function(call, name, 1, &call.type);
  if (!OidIsValid(function)) {
    return nullptr;
  }
  FuncExpr *bound = makeFuncExpr(function, UUIDOID, list_make1(copyObjectImpl(call.period)),
                                 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
  Node *folded = eval_const_expressions(root, reinterpret_cast<Node *>(bound));
  return compare(call, strategy, reinterpret_cast<Expr *>(folded));
}

// id >= uuid_v7_lower(period), id <= uuid_v7_upper(period); NIL where that cannot be said.
List *comparisons(PlannerInfo *root, const PeriodCall &call) {
  Expr *lower = compare_with(root, call, BTGreaterEqualStrategyNumber, "uuid_v7_lower");
  Expr *upper = compare_with(root, call, BTLessEqualStrategyNumber, "uuid_v7_upper");
  return lower != nullptr && upper != nullptr ? list_make2(lower, upper) : NIL;
}

// `id` within a span of constants.
Expr *compare_with_span(const PeriodCall &call, UuidSpan span) {
  const auto constant = [](Uuid id) {
    return reinterpret_cast<Expr *>(
        makeConst(UUIDOID, -1, InvalidOid, UUID_LEN, make_uuid(id), false, false));
  };
  return makeBoolExpr(AND_EXPR,
                      list_make2(compare(call, BTGreaterEqualStrategyNumber, constant(span.lowest)),
                                 compare(call, BTLessEqualStrategyNumber, constant(span.highest))),
                      -1);
}

// A constant tstzmultirange as a pair of comparisons for each of its ranges, so that only the
// partitions of those are read; null where they are none or too many.
Expr *pairs_of_constant(const PeriodCall &call) {
  if (!IsA(call.period, Const) || reinterpret_cast<Const *>(call.period)->constisnull) {
    return nullptr;
  }
  const std::span<const UuidSpan> spans =
      spans_of(DatumGetMultirangeTypeP(reinterpret_cast<Const *>(call.period)->constvalue));
  if (spans.empty() || spans.size() > kMaxPairs) {
    return nullptr;
  }
  List *pairs = NIL;
  for (const UuidSpan &span : spans) {
    pairs = lappend(pairs, compare_with_span(call, span));
  }
  return list_length(pairs) == 1 ? static_cast<Expr *>(linitial(pairs))
                                 : makeBoolExpr(OR_EXPR, pairs, -1);
}

// True where the planner itself can do more with two comparisons than with the operator: they prune
// partitions and children, and a foreign server knows them. Other tables keep the operator, which
// has the better estimate.
bool prefers_comparisons(PlannerInfo *root, const Node *id) {
  if (root == nullptr || !IsA(id, Var)) {
    return false;
  }
  const Var *var = reinterpret_cast<const Var *>(id);
  if (var->varlevelsup != 0 || IS_SPECIAL_VARNO(var->varno)) {
    return false;
  }
  const RangeTblEntry *entry = planner_rt_fetch(var->varno, root);
  return entry->rtekind == RTE_RELATION && (entry->inh || entry->relkind == RELKIND_FOREIGN_TABLE);
}

// The comparisons that replace a call, or null.
Node *simplify(const SupportRequestSimplify *request) {
  PeriodCall call;
  if (!read_call(request->fcall->funcid, request->fcall->args, &call) ||
      !prefers_comparisons(request->root, call.id) || contain_volatile_functions(call.period)) {
    return nullptr;
  }
  const bool several = call.type == TSTZMULTIRANGEOID;
  Expr *pairs = several ? pairs_of_constant(call) : nullptr;
  if (pairs != nullptr) {
    return reinterpret_cast<Node *>(pairs);
  }
  List *clauses = comparisons(request->root, call);
  if (clauses == NIL) {
    return nullptr;
  }
  if (several) {
    // The two bounds also admit what lies between the periods.
    const Oid types[] = {UUIDOID, TSTZMULTIRANGEOID};
    const Oid recheck = find_function(call, "uuid_recheck_periods", 2, types);
    if (!OidIsValid(recheck)) {
      return nullptr;
    }
    clauses = lappend(
        clauses, makeFuncExpr(recheck, BOOLOID, list_make2(copyObjectImpl(call.id), call.period),
                              InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
  }
  return reinterpret_cast<Node *>(makeBoolExpr(AND_EXPR, clauses, -1));
}

// True where an index of this operator family knows the comparison.
bool family_knows(const Expr *clause, Oid family) {
  return op_in_opfamily(reinterpret_cast<const OpExpr *>(clause)->opno, family);
}

// The comparisons to look up in an index on the id; NIL where it does not know them.
List *index_condition(SupportRequestIndexCondition *request) {
  PeriodCall call;
  List *args = args_of(request->node);
  if (!read_call(request->funcid, args, &call) ||
      call.id != static_cast<Node *>(list_nth(args, request->indexarg)) ||
      !is_pseudo_constant_for_index(request->root, call.period, request->index)) {
    return NIL;
  }
  List *clauses = comparisons(request->root, call);
  if (clauses == NIL || !family_knows(static_cast<Expr *>(linitial(clauses)), request->opfamily) ||
      !family_knows(static_cast<Expr *>(lsecond(clauses)), request->opfamily)) {
    return NIL;
  }
  // The bounds of several periods also admit what lies between them.
  request->lossy = call.type == TSTZMULTIRANGEOID;
  return clauses;
}

}  // namespace

// The support function of <@ and @>; null where it has no answer, as the planner asks.
UUIDX_FUNCTION(uuidx_period_support) {
  auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
  void *answer = nullptr;
  if (IsA(request, SupportRequestSimplify)) {
    answer = simplify(reinterpret_cast<SupportRequestSimplify *>(request));
  } else if (IsA(request, SupportRequestIndexCondition)) {
    answer = index_condition(reinterpret_cast<SupportRequestIndexCondition *>(request));
  }
  PG_RETURN_POINTER(answer);
}

}  // namespace uuidx
