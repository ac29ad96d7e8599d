#include "pg/planner/rewrite/key_table.hpp"

#include <algorithm>

#include "core/v7.hpp"
#include "pg/compat.hpp"
#include "pg/planner/rewrite/functions.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Adds the functions of an expression that extract a time to a list.
bool collect_time_functions(Node *node, void *functions) {
  if (node == nullptr) {
    return false;
  }
  const auto *call = reinterpret_cast<const FuncExpr *>(node);
  if (IsA(node, FuncExpr) && time_function(call->funcid) != TimeFunction::none) {
    auto **list = static_cast<List **>(functions);
    *list = list_append_unique_oid(*list, call->funcid);
  }
  return walk_expression(node, collect_time_functions, functions);
}

// Adds those of some expressions of an index or a partition key to a table.
void add_indexed_functions(KeyTable *table, List *expressions) {
  collect_time_functions(reinterpret_cast<Node *>(expressions), &table->indexed_functions);
}

// Adds what an index says to a table.
void examine_index(KeyTable *table, Relation index) {
  List *predicate = RelationGetIndexPredicate(index);
  add_indexed_functions(table, predicate);
  add_indexed_functions(table, RelationGetIndexExpressions(index));
  for (int i = 0; i < list_length(predicate); ++i) {
    auto *clause = static_cast<Node *>(list_nth(predicate, i));
    pull_varattnos(clause, 1, &table->predicates);
    if (tested_column(clause) == nullptr) {
      pull_varattnos(clause, 1, &table->other_predicates);
    }
  }
}

// Returns what a clause of a CHECK constraint proves of a column. A CHECK also passes if it is
// NULL, as the version of a UUID that is not of the RFC's variant, which has no time either.
Proof proof_by_clause(Node *clause, AttrNumber column) {
  const Var *tested = tested_column(clause);
  if (tested != nullptr) {
    return tested->varattno == column ? Proof::all_v7 : Proof::none;
  }
  const auto *op = reinterpret_cast<const OpExpr *>(clause);
  if (!IsA(clause, OpExpr) || list_length(op->args) != 2 ||
      (op->opfuncid != F_INT24EQ && op->opfuncid != F_INT2EQ)) {
    return Proof::none;
  }
  const auto *call = static_cast<const FuncExpr *>(linitial(op->args));
  const auto *version = static_cast<const Const *>(lsecond(op->args));
  if (!IsA(call, FuncExpr) || list_length(call->args) != 1 || !IsA(linitial(call->args), Var) ||
      !IsA(version, Const) || version->constisnull ||
      (call->funcid != kCoreExtractVersion && !has_symbol(call->funcid, "uuidx_extract_version"))) {
    return Proof::none;
  }
  const auto number = version->consttype == INT4OID ? DatumGetInt32(version->constvalue)
                                                    : DatumGetInt16(version->constvalue);
  const auto *var = static_cast<const Var *>(linitial(call->args));
  return var->varattno == column && number == kV7 ? Proof::no_other_time : Proof::none;
}

// Returns what the expression of a CHECK constraint proves of a column.
Proof proof_by_check(const char *expression, AttrNumber column) {
  List *clauses = make_ands_implicit(static_cast<Expr *>(stringToNode(expression)));
  Proof proof = Proof::none;
  for (int i = 0; i < list_length(clauses); ++i) {
    proof = std::max(proof, proof_by_clause(static_cast<Node *>(list_nth(clauses, i)), column));
  }
  return proof;
}

// True if all snapshots of the transaction see the constraint's row in pg_constraint as it is now.
// An older one may see rows from before the constraint was validated, also in a table that this
// transaction has created: a STABLE function has the snapshot of the statement around it.
bool is_old_enough(Oid table, const char *name) {
  Relation catalog = table_open(ConstraintRelationId, AccessShareLock);
  ScanKeyData keys[3];
  ScanKeyInit(&keys[0], Anum_pg_constraint_conrelid, BTEqualStrategyNumber, F_OIDEQ,
              ObjectIdGetDatum(table));
  ScanKeyInit(&keys[1], Anum_pg_constraint_contypid, BTEqualStrategyNumber, F_OIDEQ,
              ObjectIdGetDatum(InvalidOid));
  ScanKeyInit(&keys[2], Anum_pg_constraint_conname, BTEqualStrategyNumber, F_NAMEEQ,
              CStringGetDatum(name));
  SysScanDesc scan =
      systable_beginscan(catalog, ConstraintRelidTypidNameIndexId, true, nullptr, 3, keys);
  HeapTuple tuple = systable_getnext(scan);
  const bool old = HeapTupleIsValid(tuple) &&
                   TransactionIdPrecedes(HeapTupleHeaderGetXmin(tuple->t_data), TransactionXmin);
  systable_endscan(scan);
  table_close(catalog, AccessShareLock);
  return old;
}

// Returns the strongest proof by the constraints of a table that are old enough.
Proof read_proof(KeyTable *table, Relation relation, AttrNumber column) {
  const TupleConstr *constraints = RelationGetDescr(relation)->constr;
  const bool has_children = table->entry->inh || relation->rd_rel->relhassubclass;
  Proof proof = Proof::none;
  for (int i = 0; constraints != nullptr && i < constraints->num_check; ++i) {
    const ConstrCheck &check = constraints->check[i];
    if (!check.ccvalid || !is_enforced(check) || (check.ccnoinherit && has_children)) {
      continue;
    }
    const Proof next = proof_by_check(check.ccbin, column);
    if (next <= proof) {
      continue;
    }
    if (is_old_enough(table->entry->relid, check.ccname)) {
      proof = next;
    } else {
      // As for an index that is too new: the plan must not be kept for later transactions.
      table->root->glob->transientPlan = true;
    }
  }
  return proof;
}

}  // namespace

// Without the extension, core's function may be there, and the library may be preloaded. The query
// holds a lock on the table.
void examine(KeyTable *table) {
  if (table->examined) {
    return;
  }
  table->examined = true;
  table->has_functions =
      OidIsValid(find_function("uuid_is_v7", "uuidx_is_v7")) &&
      OidIsValid(find_function("uuid_v7_min", "uuidx_v7_min")) &&
      OidIsValid(find_function("uuid_v7_max", "uuidx_v7_max")) &&
      OidIsValid(find_function("uuid_in_time_range", "uuidx_in_time_range_tstzrange")) &&
      OidIsValid(find_function("uuid_in_time_range", "uuidx_in_time_range_tstzmultirange")) &&
      OidIsValid(find_function("uuid_between_times", "uuidx_between_times"));
  Relation relation = table_open(table->entry->relid, NoLock);
  List *indexes = RelationGetIndexList(relation);
  for (int i = 0; i < list_length(indexes); ++i) {
    // With the lock that the planner takes as well.
    Relation index = index_open(list_nth_oid(indexes, i), table->entry->rellockmode);
    examine_index(table, index);
    index_close(index, NoLock);
  }
  if (relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE) {
    add_indexed_functions(table, RelationGetPartitionKey(relation)->partexprs);
  }
  table_close(relation, NoLock);
}

// The query holds a lock on the table.
bool prefers_comparisons(const RangeTblEntry *table) {
  Relation relation = table_open(table->relid, NoLock);
  const FormData_pg_class *form = relation->rd_rel;
  // Other access methods may skip data by the bounds that they keep for it, but know only the
  // operators of the type's B-tree. TimescaleDB expands its hypertables itself, and clears `inh`
  // until then.
  bool prefers = table->inh || form->relhassubclass || form->relkind == RELKIND_FOREIGN_TABLE ||
                 (OidIsValid(form->relam) && form->relam != HEAP_TABLE_AM_OID);
  if (form->relkind == RELKIND_PARTITIONED_TABLE) {
    // No comparison prunes the partitions of HASH.
    prefers = RelationGetPartitionKey(relation)->strategy != PARTITION_STRATEGY_HASH;
  }
  table_close(relation, NoLock);
  return prefers;
}

Proof proof_of(KeyTable *table, AttrNumber column) {
  if (table->proven_column != column) {
    Relation relation = table_open(table->entry->relid, NoLock);
    table->proof = read_proof(table, relation, column);
    table->proven_column = column;
    table_close(relation, NoLock);
  }
  return table->proof;
}

}  // namespace uuidx
