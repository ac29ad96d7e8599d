// How the planner uses `uuid <@ period`: it is two comparisons of uuid, which indexes, partitions
// and foreign servers understand.
#include "period.hpp"
#include "pg_period.hpp"
#include "v7.hpp"

#include "pg.hpp"

namespace uuidx {

namespace {

// Of more ranges than this, planning their comparisons for each partition costs more than reading
// what lies between them.
constexpr uint32 kMaxRanges = 64;

// A call of `<@` or `@>`, by its function.
struct PeriodCall {
  Node *id = nullptr;
  Node *period = nullptr;   // of type tstzrange or tstzmultirange, the domain over it taken off
  Oid type = InvalidOid;    // which of them
  Oid schema = InvalidOid;  // the extension's, which has the support function
};

// An expression without casts to types of the same representation, as to the domains.
Node *without_relabel(Node *node) {
  while (IsA(node, RelabelType)) {
    node = reinterpret_cast<Node *>(reinterpret_cast<RelabelType *>(node)->arg);
  }
  return node;
}

// The period of a call as an expression of its range type.
Node *period_of_call(Node *node) {
  node = without_relabel(node);
  if (IsA(node, Const)) {
    auto *constant = reinterpret_cast<Const *>(copyObjectImpl(node));
    constant->consttype = getBaseType(constant->consttype);
    return reinterpret_cast<Node *>(constant);
  }
  return node;
}

// Takes a call apart; false where it cannot stand for comparisons. Anybody may name the support
// function for a function of their own, so nothing is taken for granted.
bool read_call(Oid support, List *args, PeriodCall *call) {
  if (list_length(args) != 2) {
    return false;
  }
  auto *first = static_cast<Node *>(linitial(args));
  auto *second = static_cast<Node *>(lsecond(args));
  const bool id_first = getBaseType(exprType(first)) == UUIDOID;
  call->id = id_first ? first : second;
  call->period = period_of_call(id_first ? second : first);
  call->type = getBaseType(exprType(call->period));
  call->schema = get_func_namespace(support);
  return getBaseType(exprType(call->id)) == UUIDOID &&
         (call->type == TSTZRANGEOID || call->type == TSTZMULTIRANGEOID);
}

// True where a period may be computed several times for each row. PostgreSQL's own inlining has the
// same rule: a sub-select may give two answers, and more than ten operators cost too much.
bool may_repeat(PlannerInfo *root, Node *period) {
  if (contain_subplans(period)) {
    return false;
  }
  QualCost cost;
  cost_qual_eval(&cost, list_make1(period), root);
  return cost.startup + cost.per_tuple <= 10 * cpu_operator_cost &&
         !contain_volatile_functions(period);
}

// One of the extension's functions by name, result and argument types; InvalidOid where there is
// none: somebody may have put another one there. Only a superuser can have made one in C. Not by
// the parser, which asks whether the user may use the schema.
Oid find_function(const PeriodCall &call, const char *name, Oid result, int count,
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

// `id operator bound`
Expr *compare(const PeriodCall &call, int16 strategy, Expr *bound) {
  // By the default operator class, whose operators an index must know to be asked.
  const TypeCacheEntry *type = lookup_type_cache(UUIDOID, TYPECACHE_BTREE_OPFAMILY);
  const Oid op = get_opfamily_member(type->btree_opf, UUIDOID, UUIDOID, strategy);
  auto *id = static_cast<Expr *>(copyObjectImpl(call.id));
  return make_opclause(op, BOOLOID, false, id, bound, InvalidOid, InvalidOid);
}

Expr *compare_with_constant(const PeriodCall &call, int16 strategy, Uuid bound) {
  return compare(call, strategy,
                 reinterpret_cast<Expr *>(
                     makeConst(UUIDOID, -1, InvalidOid, UUID_LEN, make_uuid(bound), false, false)));
}

// The comparisons that a constant period is, as one would write them by hand: none for a side
// without an end, all bounds of version 7. (TimescaleDB accepts no others on a hypertable's id.)
List *constant_comparisons(const PeriodCall &call, const Period &period) {
  List *clauses = NIL;
  const PeriodEnd lower = period.lower;
  const PeriodEnd upper = period.upper;
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

// A comparison with one of the functions uuid_v7_lower and uuid_v7_upper of the period, folded if
// it is constant; null where the function is not there.
Expr *compare_with_function(PlannerInfo *root, const PeriodCall &call, int16 strategy,
                            const char *name) {
  const Oid function = find_function(call, name, UUIDOID, 1, &call.type);
  if (!OidIsValid(function)) {
    return nullptr;
  }
  FuncExpr *bound = makeFuncExpr(function, UUIDOID, list_make1(copyObjectImpl(call.period)),
                                 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
  Node *folded = eval_const_expressions(root, reinterpret_cast<Node *>(bound));
  return compare(call, strategy, reinterpret_cast<Expr *>(folded));
}

// id >= uuid_v7_lower(period), id <= uuid_v7_upper(period); NIL where that cannot be said.
List *bounds(PlannerInfo *root, const PeriodCall &call) {
  Expr *lower = compare_with_function(root, call, BTGreaterEqualStrategyNumber, "uuid_v7_lower");
  Expr *upper = compare_with_function(root, call, BTLessEqualStrategyNumber, "uuid_v7_upper");
  return lower != nullptr && upper != nullptr ? list_make2(lower, upper) : NIL;
}

// One clause of several; null of none.
Node *combine(BoolExprType type, List *clauses) {
  if (list_length(clauses) < 2) {
    return clauses == NIL ? nullptr : static_cast<Node *>(linitial(clauses));
  }
  return reinterpret_cast<Node *>(makeBoolExpr(type, clauses, -1));
}

// What an empty period says of an id: false, but NULL of NULL, which makes a difference below NOT
// and IS NULL. In a WHERE clause the planner takes it for false and reads nothing.
Node *never(const PeriodCall &call) {
  NullTest *test = makeNode(NullTest);
  test->arg = static_cast<Expr *>(copyObjectImpl(call.id));
  test->nulltesttype = IS_NULL;
  test->location = -1;
  return combine(AND_EXPR, list_make2(makeBoolConst(false, true), test));
}

// What replaces a call with any period: its bounds and, as those of several ranges also admit what
// lies between them, a check.
Node *replace_period(PlannerInfo *root, const PeriodCall &call) {
  List *clauses = bounds(root, call);
  if (clauses != NIL && call.type == TSTZMULTIRANGEOID) {
    const Oid types[] = {UUIDOID, TSTZMULTIRANGEOID};
    const Oid recheck = find_function(call, "uuid_recheck_periods", BOOLOID, 2, types);
    if (!OidIsValid(recheck)) {
      return nullptr;
    }
    clauses = lappend(
        clauses, makeFuncExpr(recheck, BOOLOID, list_make2(copyObjectImpl(call.id), call.period),
                              InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
  }
  return combine(AND_EXPR, clauses);
}

// What replaces a call with a constant range; null where every id is in it.
Node *replace_range(const PeriodCall &call, const RangeType *range) {
  const Period period = period_of(range_type(), range);
  return period.empty ? never(call) : combine(AND_EXPR, constant_comparisons(call, period));
}

// What replaces a call with a constant multirange: comparisons for each of its ranges, so that only
// their partitions are read; null where every id is in it.
Node *replace_multirange(PlannerInfo *root, const PeriodCall &call, const MultirangeType *ranges) {
  if (MultirangeIsEmpty(ranges)) {
    return never(call);
  }
  if (ranges->rangeCount > kMaxRanges) {
    return replace_period(root, call);
  }
  List *clauses = NIL;
  for (uint32 i = 0; i < ranges->rangeCount; ++i) {
    Node *clause =
        combine(AND_EXPR, constant_comparisons(call, period_at(range_type(), ranges, i)));
    if (clause == nullptr) {
      return nullptr;
    }
    clauses = lappend(clauses, clause);
  }
  return combine(OR_EXPR, clauses);
}

// The constant of a call, or null.
const Const *constant_of(const PeriodCall &call) {
  return IsA(call.period, Const) && !reinterpret_cast<Const *>(call.period)->constisnull
             ? reinterpret_cast<Const *>(call.period)
             : nullptr;
}

// True where a column is in the partition key of a table, and comparisons prune by it: not by HASH.
bool has_partition_key(Oid table, const char *column) {
  HeapTuple tuple = SearchSysCache1(PARTRELID, ObjectIdGetDatum(table));
  if (!HeapTupleIsValid(tuple)) {
    return false;
  }
  const auto *key = reinterpret_cast<Form_pg_partitioned_table>(GETSTRUCT(tuple));
  bool found = false;
  if (key->partstrat != PARTITION_STRATEGY_HASH) {
    // By name, as the numbers of a partition's columns may differ.
    const AttrNumber number = get_attnum(table, column);
    for (int i = 0; i < key->partnatts && !found; ++i) {
      found = number != InvalidAttrNumber && key->partattrs.values[i] == number;
    }
  }
  ReleaseSysCache(tuple);
  return found;
}

// The partitions of a table that have partitions themselves. The query has a lock on the table.
List *divided_partitions(Oid table) {
  List *divided = NIL;
  Relation relation = table_open(table, NoLock);
  PartitionDesc partitions = RelationGetPartitionDesc(relation, true);
  for (int i = 0; i < partitions->nparts; ++i) {
    if (!partitions->is_leaf[i]) {
      divided = lappend_oid(divided, partitions->oids[i]);
    }
  }
  table_close(relation, NoLock);
  return divided;
}

// The same of the first of some partitions, by the catalog.
List *divided_below(const List *tables) {
  List *children = find_inheritance_children(linitial_oid(tables), NoLock);
  List *divided = NIL;
  for (int i = 0; i < list_length(children); ++i) {
    const Oid child = list_nth_oid(children, i);
    if (get_rel_relkind(child) == RELKIND_PARTITIONED_TABLE) {
      divided = lappend_oid(divided, child);
    }
  }
  return divided;
}

// True where a column is in the partition key of a table or of one of its partitions. These are
// read from the catalog's caches, without a lock: the query may have nothing to do with most of
// them, and one may be gone by now. From the third level on only partitions of the first table of
// each are looked at, as others are most often divided alike, and each takes a scan of pg_inherits.
// Where that misses a key, the partitions are still pruned by constants, as the planner simplifies
// a condition again for each partition.
bool is_partition_key(Oid table, const char *column) {
  if (has_partition_key(table, column)) {
    return true;
  }
  for (List *level = divided_partitions(table); level != NIL; level = divided_below(level)) {
    for (int i = 0; i < list_length(level); ++i) {
      if (has_partition_key(list_nth_oid(level, i), column)) {
        return true;
      }
    }
  }
  return false;
}

// True where the planner itself can do more with two comparisons than with the operator: they prune
// partitions, exclude children by their constraints, and a foreign server knows them. Other tables
// keep the operator, which has the better estimate.
bool prefers_comparisons(PlannerInfo *root, Node *id) {
  id = without_relabel(id);
  if (root == nullptr || !IsA(id, Var)) {
    return false;
  }
  const Var *var = reinterpret_cast<const Var *>(id);
  // The root may be that of another query: PostgreSQL simplifies the condition of an EXISTS with
  // the one around it. The table is no more than a hint, as both forms say the same.
  if (var->varlevelsup != 0 || IS_SPECIAL_VARNO(var->varno) || var->varno < 1 ||
      static_cast<int>(var->varno) > list_length(root->parse->rtable)) {
    return false;
  }
  const RangeTblEntry *entry = rt_fetch(static_cast<int>(var->varno), root->parse->rtable);
  if (entry->rtekind != RTE_RELATION) {
    return false;
  }
  if (entry->relkind == RELKIND_PARTITIONED_TABLE) {
    const char *column = get_attname(entry->relid, var->varattno, true);
    return entry->inh && column != nullptr && is_partition_key(entry->relid, column);
  }
  return entry->inh || entry->relkind == RELKIND_FOREIGN_TABLE;
}

// The comparisons that replace a call, or null.
Node *simplify(const SupportRequestSimplify *request, Oid support) {
  PeriodCall call;
  if (request->fcall->funcresulttype != BOOLOID || request->fcall->funcretset ||
      !read_call(support, request->fcall->args, &call) ||
      !prefers_comparisons(request->root, call.id) || !may_repeat(request->root, call.period)) {
    return nullptr;
  }
  const Const *constant = constant_of(call);
  if (constant == nullptr) {
    return replace_period(request->root, call);
  }
  if (call.type == TSTZRANGEOID) {
    return replace_range(call, DatumGetRangeTypeP(constant->constvalue));
  }
  return replace_multirange(request->root, call, DatumGetMultirangeTypeP(constant->constvalue));
}

// The comparisons that an index can look up for a call; NIL where there are none.
List *index_comparisons(PlannerInfo *root, const PeriodCall &call) {
  const Const *constant = constant_of(call);
  if (constant != nullptr && call.type == TSTZRANGEOID) {
    const Period period = period_of(range_type(), DatumGetRangeTypeP(constant->constvalue));
    if (!period.empty) {
      return constant_comparisons(call, period);
    }
  }
  return bounds(root, call);
}

// True where an index of this operator family knows the comparison.
bool family_knows(const Expr *clause, Oid family) {
  return op_in_opfamily(reinterpret_cast<const OpExpr *>(clause)->opno, family);
}

// What to look up in an index on the id; NIL where it does not know the comparisons. The period may
// be expensive, as a scan computes each bound once, when it begins, and the planner adds that to
// its cost; but not a sub-select, which may give two answers.
List *index_condition(SupportRequestIndexCondition *request, Oid support) {
  PeriodCall call;
  List *args = args_of(request->node);
  if (!read_call(support, args, &call) ||
      call.id != static_cast<Node *>(list_nth(args, request->indexarg)) ||
      !is_pseudo_constant_for_index(request->root, call.period, request->index) ||
      contain_subplans(call.period)) {
    return NIL;
  }
  List *clauses = index_comparisons(request->root, call);
  for (int i = 0; i < list_length(clauses); ++i) {
    if (!family_knows(static_cast<Expr *>(list_nth(clauses, i)), request->opfamily)) {
      return NIL;
    }
  }
  // The bounds of several ranges also admit what lies between them.
  request->lossy = call.type == TSTZMULTIRANGEOID;
  return clauses;
}

}  // namespace

// The support function of <@ and @>; null where it has no answer, as the planner asks.
UUIDX_FUNCTION(uuidx_period_support) {
  auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
  const Oid support = fcinfo->flinfo->fn_oid;
  void *answer = nullptr;
  if (IsA(request, SupportRequestSimplify)) {
    answer = simplify(reinterpret_cast<SupportRequestSimplify *>(request), support);
  } else if (IsA(request, SupportRequestIndexCondition)) {
    answer = index_condition(reinterpret_cast<SupportRequestIndexCondition *>(request), support);
  }
  PG_RETURN_POINTER(answer);
}

}  // namespace uuidx
