// Planner support for `uuid <@ time range`: it is equivalent to two comparisons of uuid, which
// indexes, partitions and foreign servers can use, and the test of the version, which proves the
// predicate of a partial index. For a query with `id <@ range`, the planner calls in this order:
//
// 1. simplify(), for the table of the query, before it is planned: adds uuid_is_v7(id), and keeps
//    the call, tagged, or replaces it by comparisons.
// 2. uuid_time_range_sel, for the rows of a call that was kept, and estimate_version(), for the
//    test beside it: see selectivity.cpp and version_selectivity.cpp.
// 3. index_condition(), for each index on the id, if the call was kept: returns the same
//    comparisons. A scan uses them, and rechecks the call if they are not exact.
// 4. simplify(), for each child table, whose condition is derived from the parent's: a foreign one,
//    for example, gets comparisons.
#include "pg/planner/columns.hpp"
#include "pg/planner/partitions.hpp"
#include "pg/planner/range_clauses.hpp"
#include "pg/planner/range_types.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// A constant multirange is replaced with comparisons for each range, so that rows between the
// ranges are not read, if the number of ranges times that of the tables is at most this: each such
// pair takes about 30 microseconds to plan. A few ranges are always replaced, as another condition
// may prune most of the tables.
constexpr uint32 kMaxRangesInTables = 1024;
constexpr uint32 kFewRanges = 4;

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

// Returns the time range of a call if it is a constant and not NULL, else null.
const Const *constant_of(const RangeCall &call) {
  return IsA(call.range, Const) && !reinterpret_cast<Const *>(call.range)->constisnull
             ? reinterpret_cast<Const *>(call.range)
             : nullptr;
}

// True if a table is not stored in a heap. Other access methods may skip data by the bounds that
// they keep for it, but know only the operators of the type's B-tree.
bool has_other_access_method(Oid table) {
  HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
  if (!HeapTupleIsValid(tuple)) {
    return false;
  }
  const Oid method = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->relam;
  ReleaseSysCache(tuple);
  return OidIsValid(method) && method != HEAP_TABLE_AM_OID;
}

// True if the planner can do more with two comparisons than with the operator: they prune
// partitions, exclude children by their constraints, can be sent to a foreign server, and let
// columnar storage skip data. Other tables keep the operator, which has the better estimate.
bool prefers_comparisons(const RangeTblEntry *entry, AttrNumber id) {
  if (entry->relkind == RELKIND_PARTITIONED_TABLE) {
    const char *column = get_attname(entry->relid, id, true);
    return entry->inh && column != nullptr && is_partition_key(entry->relid, column);
  }
  return entry->inh || entry->relkind == RELKIND_FOREIGN_TABLE ||
         has_other_access_method(entry->relid);
}

// True if comparisons for each range would take too long to plan or, where they prune no tables, to
// evaluate for each row.
bool has_too_many_ranges(const RangeTblEntry *table, AttrNumber id, const MultirangeType *ranges) {
  if (ranges->rangeCount <= kFewRanges) {
    return false;
  }
  return (!table->inh && has_other_access_method(table->relid)) ||
         count_tables(table, id, ranges) > kMaxRangesInTables / ranges->rangeCount;
}

// Returns a call, tagged, as the operator that it was, for its estimate and for EXPLAIN; null if
// there is no such operator.
Expr *as_operator(const FuncExpr *function, Oid schema) {
  Oid *types = nullptr;
  int count = 0;
  get_func_signature(function->funcid, &types, &count);
  const char *name = getBaseType(types[0]) == UUIDOID ? "<@" : "@>";
  const Oid op = GetSysCacheOid4(OPERNAMENSP, Anum_pg_operator_oid, CStringGetDatum(name),
                                 ObjectIdGetDatum(types[0]), ObjectIdGetDatum(types[1]),
                                 ObjectIdGetDatum(schema));
  if (!OidIsValid(op) || get_opcode(op) != function->funcid) {
    return nullptr;
  }
  auto *args = static_cast<List *>(copyObjectImpl(function->args));
  Expr *kept = make_opclause(op, BOOLOID, false, static_cast<Expr *>(linitial(args)),
                             static_cast<Expr *>(lsecond(args)), InvalidOid, InvalidOid);
  tag_kept(reinterpret_cast<OpExpr *>(kept));
  return kept;
}

// Sets the comparisons that, together with the test of the version, replace a call on a column;
// returns false if none do. The column may belong to no table here, as in an index's predicate.
bool find_comparisons(PlannerInfo *root, const RangeCall &call, const Var *id, List **clauses) {
  const RangeTblEntry *table = table_of(root, id);
  if (table == nullptr || !prefers_comparisons(table, id->varattno) ||
      !may_repeat(root, call.range)) {
    return false;
  }
  const Const *constant = constant_of(call);
  if (constant != nullptr && call.type == TSTZRANGEOID) {
    *clauses = replace_range(call, DatumGetRangeTypeP(constant->constvalue));
    return true;
  }
  if (constant != nullptr) {
    const MultirangeType *ranges = DatumGetMultirangeTypeP(constant->constvalue);
    if (!has_too_many_ranges(table, id->varattno, ranges)) {
      *clauses = replace_multirange(call, ranges);
      return true;
    }
  }
  *clauses = replace_with_bounds(root, call);
  return *clauses != NIL;
}

// Returns what replaces a call on a column: comparisons, or the call itself, and the test of the
// version. Null to keep any other call.
Node *simplify(const SupportRequestSimplify *request, Oid support) {
  const FuncExpr *function = request->fcall;
  RangeCall call;
  if (function->funcresulttype != BOOLOID || function->funcretset ||
      !read_call(support, function->args, &call)) {
    return nullptr;
  }
  const Var *id = column_of(call.id);
  if (id == nullptr) {
    return nullptr;
  }
  List *clauses = NIL;
  if (!find_comparisons(request->root, call, id, &clauses)) {
    // A kept call would not be sent to a foreign server.
    const bool keep_as_is =
        is_kept(function->inputcollid) || is_foreign(table_of(request->root, id));
    Expr *kept = keep_as_is ? nullptr : as_operator(function, call.schema);
    if (kept == nullptr) {
      return nullptr;
    }
    clauses = list_make1(kept);
  }
  Expr *test = version_test(call);
  if (test == nullptr) {
    return nullptr;
  }
  Node *version = eval_const_expressions(request->root, reinterpret_cast<Node *>(test));
  return reinterpret_cast<Node *>(make_ands_explicit(lappend(clauses, version)));
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

// True if a scan of the index's table tests the version of the id.
bool tests_version(const SupportRequestIndexCondition *request, const RangeCall &call) {
  const List *restrictions = request->index->rel->baserestrictinfo;
  for (int i = 0; i < list_length(restrictions); ++i) {
    const auto *restriction = static_cast<const RestrictInfo *>(list_nth(restrictions, i));
    if (is_version_test(reinterpret_cast<const Node *>(restriction->clause), call)) {
      return true;
    }
  }
  return false;
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
  // The bounds also admit UUIDs of other versions and, of a multirange, those between its ranges.
  request->lossy = call.type == TSTZMULTIRANGEOID || !tests_version(request, call);
  return clauses;
}

}  // namespace

// uuid_time_range_support(internal), the support function of <@ and @>: returns null, as the
// planner expects, if it cannot serve the request.
UUIDX_FUNCTION(uuidx_time_range_support) {
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
