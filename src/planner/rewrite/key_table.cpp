#include "planner/rewrite/key_table.hpp"

#include <algorithm>
#include <cstring>

#include "core/v7.hpp"
#include "pg/compat.hpp"
#include "planner/nodes.hpp"
#include "planner/rewrite/functions.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_partitioned_table.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "partitioning/partdesc.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Adds the calls of an expression that extract a time to a list.
bool collect_times(Node *node, void *calls) {
  if (node == nullptr) {
    return false;
  }
  const auto *call = as<FuncExpr>(node);
  if (call != nullptr && time_function(call->funcid) != TimeFunction::none) {
    auto **list = static_cast<List **>(calls);
    *list = lappend(*list, node);
  }
  return walk_expression(node, collect_times, calls);
}

// Adds expressions of the catalog, in which the table is the first of its query, to a list.
void add_expressions(const KeyTable &table, List *expressions, List **list) {
  for (const Node *expression : each(expressions)) {
    auto *own = as_node(copy_of(expression));
    ChangeVarNodes(own, 1, static_cast<int>(table.varno), 0);
    *list = lappend(*list, own);
  }
}

// Reads the columns of an index.
void read_columns(KeyTable *table, Relation index, bool leads) {
  List *expressions = RelationGetIndexExpressions(index);
  add_expressions(*table, expressions, &table->computed);
  for (int i = 0; i < index->rd_index->indnkeyatts; ++i) {
    const int column = index->rd_index->indkey.values[i] - FirstLowInvalidHeapAttributeNumber;
    table->indexed = bms_add_member(table->indexed, column);
  }
  if (!leads) {
    return;
  }
  if (const AttrNumber first = index->rd_index->indkey.values[0]; first != 0) {
    table->led = bms_add_member(table->led, first - FirstLowInvalidHeapAttributeNumber);
  } else {
    add_expressions(*table, list_make1(linitial(expressions)), &table->leading);
  }
}

// Reads an index that the planner may use.
void read_index(KeyTable *table, Relation index) {
  if (!index->rd_index->indisvalid) {
    return;
  }
  List *predicate = RelationGetIndexPredicate(index);
  read_columns(table, index, index->rd_rel->relam == BTREE_AM_OID && predicate == NIL);
  List *times = NIL;
  collect_times(as_node(predicate), &times);
  add_expressions(*table, times, &table->computed);
  for (Node *clause : each(predicate)) {
    if (tested_column(clause) != nullptr) {
      pull_varattnos(clause, 1, &table->tested);
    }
  }
}

// True if the partition key of a partition that is partitioned, or of one below it, has the time of
// a UUID. Read from the catalog, as the planner locks no partitions that it prunes.
// NOLINTNEXTLINE(misc-no-recursion): partitions are a tree.
bool divides_by_time(Oid partition) {
  CHECK_FOR_INTERRUPTS();
  HeapTuple tuple = SearchSysCache1(PARTRELID, ObjectIdGetDatum(partition));
  if (!HeapTupleIsValid(tuple)) {
    return false;
  }
  bool missing = false;
  List *times = NIL;
  const Datum keys =
      SysCacheGetAttr(PARTRELID, tuple, Anum_pg_partitioned_table_partexprs, &missing);
  if (!missing) {
    collect_times(as_node(stringToNode(TextDatumGetCString(keys))), &times);
  }
  ReleaseSysCache(tuple);
  bool divides = times != NIL;
  List *below = divides ? NIL : find_inheritance_children(partition, NoLock);
  for (int i = 0; i < list_length(below) && !divides; ++i) {
    divides = divides_by_time(list_nth_oid(below, i));
  }
  return divides;
}

// Reads the partition key of a table, and those of its partitions that are partitioned.
void read_partition_keys(KeyTable *table, Relation relation) {
  add_expressions(*table, RelationGetPartitionKey(relation)->partexprs, &table->computed);
  const PartitionDescData *partitions = RelationGetPartitionDesc(relation, false);
  for (int i = 0; i < partitions->nparts && !table->keeps_all; ++i) {
    table->keeps_all = !partitions->is_leaf[i] && divides_by_time(partitions->oids[i]);
  }
}

// Returns what a clause of a CHECK constraint proves of which column. A CHECK also passes if it is
// NULL, as the version of a UUID that is not of the RFC's variant, which has no time either.
Proof proof_by_clause(const Node *clause, AttrNumber *column) {
  const auto *test = as<BooleanTest>(clause);
  if (test != nullptr && test->booltesttype == IS_TRUE) {
    clause = as_node(test->arg);
  }
  if (const Var *tested = tested_column(clause)) {
    *column = tested->varattno;
    return Proof::all_v7;
  }
  const auto *op = as<OpExpr>(clause);
  if (op == nullptr || (op->opfuncid != F_INT24EQ && op->opfuncid != F_INT2EQ)) {
    return Proof::none;
  }
  const auto *call = as<FuncExpr>(nth(op->args, 0));
  const Const *version = constant_of(nth(op->args, 1));
  if (call == nullptr || version == nullptr || list_length(call->args) != 1 ||
      !is_version_function(call->funcid)) {
    return Proof::none;
  }
  const int number = version->consttype == INT4OID ? DatumGetInt32(version->constvalue)
                                                   : DatumGetInt16(version->constvalue);
  const auto *id = as<Var>(nth(call->args, 0));
  if (id != nullptr) {
    *column = id->varattno;
  }
  return id != nullptr && number == kV7 ? Proof::no_other_time : Proof::none;
}

// The constraints that were asked for last, as the search for a name takes longer than planning
// may.
struct KnownConstraint {
  Oid table = InvalidOid;
  Oid constraint = InvalidOid;
};
constinit KnownConstraint known_constraints[16];
constinit std::size_t last_constraint = 0;

// Returns the cached row of pg_constraint of a constraint; null if there is none.
HeapTuple find_constraint(Oid table, const char *name) {
  for (const KnownConstraint &known : known_constraints) {
    HeapTuple tuple = known.table == table
                          ? SearchSysCache1(CONSTROID, ObjectIdGetDatum(known.constraint))
                          : nullptr;
    if (tuple != nullptr) {
      const auto *row = reinterpret_cast<Form_pg_constraint>(GETSTRUCT(tuple));
      if (row->conrelid == table && std::strcmp(NameStr(row->conname), name) == 0) {
        return tuple;
      }
      ReleaseSysCache(tuple);
    }
  }
  const Oid constraint = get_relation_constraint_oid(table, name, true);
  last_constraint = (last_constraint + 1) % lengthof(known_constraints);
  known_constraints[last_constraint] = {table, constraint};
  return SearchSysCache1(CONSTROID, ObjectIdGetDatum(constraint));
}

// True if all snapshots of the transaction see the constraint's row in pg_constraint as it is now.
// An older one may see rows from before the constraint was validated, also in a table that this
// transaction has created: a STABLE function has the snapshot of the statement around it.
bool is_old_enough(Oid table, const char *name) {
  HeapTuple tuple = find_constraint(table, name);
  if (tuple == nullptr) {
    return false;
  }
  const bool old = TransactionIdPrecedes(HeapTupleHeaderGetXmin(tuple->t_data), TransactionXmin);
  ReleaseSysCache(tuple);
  return old;
}

// The form of a column of type uuid in the text of an expression. What has none is not worth
// parsing.
constexpr const char *kUuidColumn = ":vartype 2950 ";
static_assert(UUIDOID == 2950);

// True if the first child of a table that is not partitioned has a CHECK constraint on the time of
// a UUID, by which the planner may exclude children. Read from the catalog, without a lock.
bool divides_children_by_time(Oid table) {
  const List *children = find_inheritance_children(table, NoLock);
  if (children == NIL) {
    return false;
  }
  Relation catalog = table_open(ConstraintRelationId, AccessShareLock);
  ScanKeyData key;
  ScanKeyInit(&key, Anum_pg_constraint_conrelid, BTEqualStrategyNumber, F_OIDEQ,
              ObjectIdGetDatum(linitial_oid(children)));
  SysScanDesc scan =
      systable_beginscan(catalog, ConstraintRelidTypidNameIndexId, true, nullptr, 1, &key);
  List *times = NIL;
  while (HeapTuple tuple = systable_getnext(scan)) {
    bool missing = false;
    const Datum check = SysCacheGetAttr(CONSTROID, tuple, Anum_pg_constraint_conbin, &missing);
    const char *form = missing ? "" : TextDatumGetCString(check);
    if (std::strstr(form, kUuidColumn) != nullptr) {
      collect_times(as_node(stringToNode(form)), &times);
    }
  }
  systable_endscan(scan);
  table_close(catalog, AccessShareLock);
  return times != NIL;
}

// Adds what a constraint proves.
void read_constraint(PlannerInfo *root, KeyTable *table, const ConstrCheck &check) {
  if (std::strstr(check.ccbin, kUuidColumn) == nullptr) {
    return;
  }
  Node *expression = eval_const_expressions(root, as_node(stringToNode(check.ccbin)));
  bool old = false;
  for (const Node *clause : each(make_ands_implicit(as_expr(expression)))) {
    AttrNumber column = InvalidAttrNumber;
    const Proof proof = proof_by_clause(clause, &column);
    if (proof == Proof::none) {
      continue;
    }
    old = old || is_old_enough(table->entry->relid, check.ccname);
    if (!old) {
      root->glob->transientPlan = true;
      return;
    }
    Bitmapset **columns = proof == Proof::all_v7 ? &table->all_v7 : &table->no_other_time;
    *columns = bms_add_member(*columns, column - FirstLowInvalidHeapAttributeNumber);
  }
}

}  // namespace

KeyTable read_key_table(PlannerInfo *root, Index varno, const RangeTblEntry *entry) {
  KeyTable table;
  table.varno = varno;
  table.entry = entry;
  Relation relation = table_open(entry->relid, NoLock);
  List *indexes = RelationGetIndexList(relation);
  for (int i = 0; i < list_length(indexes); ++i) {
    // With the lock that the planner takes as well.
    Relation index = index_open(list_nth_oid(indexes, i), entry->rellockmode);
    read_index(&table, index);
    index_close(index, NoLock);
  }
  const bool has_children = entry->inh || relation->rd_rel->relhassubclass;
  if (relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE) {
    read_partition_keys(&table, relation);
  } else {
    table.keeps_all =
        entry->inh && relation->rd_rel->relhassubclass && divides_children_by_time(entry->relid);
  }
  const TupleConstr *constraints = RelationGetDescr(relation)->constr;
  for (int i = 0; constraints != nullptr && i < constraints->num_check; ++i) {
    const ConstrCheck &check = constraints->check[i];
    if (check.ccvalid && is_enforced(check) && !(check.ccnoinherit && has_children)) {
      read_constraint(root, &table, check);
    }
  }
  table_close(relation, NoLock);
  return table;
}

Proof proof_of(const KeyTable &table, AttrNumber column) {
  return has_column(table.all_v7, column)          ? Proof::all_v7
         : has_column(table.no_other_time, column) ? Proof::no_other_time
                                                   : Proof::none;
}

bool is_indexed(const KeyTable &table, const Node *expression) {
  const auto *column = as<Var>(expression);
  return column != nullptr ? has_column(table.led, column->varattno)
                           : list_member(table.leading, expression);
}

bool keeps(const KeyTable &table, const Node *expression) {
  const auto *column = as<Var>(expression);
  return table.keeps_all || list_member(table.computed, expression) ||
         (column != nullptr && has_column(table.indexed, column->varattno));
}

}  // namespace uuidx
