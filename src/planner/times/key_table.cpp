#include "planner/times/key_table.hpp"

#include <algorithm>

#include "planner/functions.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_partitioned_table.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "partitioning/partdesc.h"
#include "rewrite/rewriteManip.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Adds expressions of the catalog, in which the table is the first of its query, to a list.
void add_expressions(const KeyTable &table, List *expressions, List **list) {
  for (const Node *expression : each(expressions)) {
    auto *own = as_node(copy_of(expression));
    ChangeVarNodes(own, 1, static_cast<int>(table.rti), 0);
    *list = lappend(*list, own);
  }
}

// Reads the columns of an index. A B-tree of which the query does not name the first column is of
// no use for later ones.
void read_columns(KeyTable *table, Relation index, bool leads) {
  List *expressions = RelationGetIndexExpressions(index);
  add_expressions(*table, expressions, &table->used_expressions);
  if (expressions == NIL) {
    table->plain_index = RelationGetRelid(index);
  }
  const auto *columns = index->rd_index->indkey.values;
  const bool is_led = index->rd_rel->relam != BTREE_AM_OID || columns[0] == 0 ||
                      table->named_columns == nullptr ||
                      has_column(table->named_columns, columns[0]);
  for (int i = 0; i < (is_led ? index->rd_index->indnkeyatts : 1); ++i) {
    add_column(&table->used_columns, columns[i]);
  }
  if (leads && columns[0] != 0) {
    add_column(&table->first_columns, columns[0]);
  } else if (leads) {
    add_expressions(*table, list_make1(nth(expressions, 0)), &table->first_expressions);
  }
}

// Reads an index that the planner may use.
void read_index(KeyTable *table, Relation index) {
  if (!index->rd_index->indisvalid) {
    return;
  }
  List *predicate = RelationGetIndexPredicate(index);
  read_columns(table, index, index->rd_rel->relam == BTREE_AM_OID && predicate == NIL);
  add_expressions(*table, time_calls(as_node(predicate)), &table->used_expressions);
  pull_varattnos(as_node(predicate), 1, &table->used_columns);
  for (Node *clause : each(predicate)) {
    if (tested_column(clause) != nullptr) {
      pull_varattnos(clause, 1, &table->tested);
    }
  }
}

// Adds the columns of a partition key.
void add_partition_key(KeyTable *table, Oid partitioned) {
  HeapTuple tuple = SearchSysCache1(PARTRELID, ObjectIdGetDatum(partitioned));
  if (HeapTupleIsValid(tuple)) {
    const auto *key = reinterpret_cast<Form_pg_partitioned_table>(GETSTRUCT(tuple));
    for (int i = 0; i < key->partnatts; ++i) {
      add_column(&table->used_columns, key->partattrs.values[i]);
    }
    ReleaseSysCache(tuple);
  }
}

// Adds what partitions a table, and its partitions.
void read_partitioning(KeyTable *table, Relation relation) {
  add_expressions(*table, RelationGetPartitionKey(relation)->partexprs, &table->used_expressions);
  add_partition_key(table, RelationGetRelid(relation));
  const PartitionDescData *partitions = RelationGetPartitionDesc(relation, true);
  table->parts = std::max(partitions->nparts, 1);
  for (int i = 0; i < partitions->nparts; ++i) {
    if (!partitions->is_leaf[i]) {
      add_partition_key(table, partitions->oids[i]);
    }
  }
}

// Adds the columns of a member of a UNION ALL whose columns conditions name.
void add_named_of_member(const PlannerInfo *root, const AppendRelInfo *info, Bitmapset **columns) {
  Bitmapset *of_union = nullptr;
  pull_varattnos(as_node(root->parse->jointree), info->parent_relid, &of_union);
  for (int i = 0; i < list_length(info->translated_vars); ++i) {
    if (has_column(of_union, static_cast<AttrNumber>(i + 1))) {
      pull_varattnos(nth(info->translated_vars, i), info->child_relid, columns);
    }
  }
}

// True if an expression has a part that is in a list.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
bool has_used(Node *node, void *list) {
  return list_member(static_cast<const List *>(list), node) ||
         (node != nullptr && walk_expression(node, has_used, list));
}

}  // namespace

Bitmapset *named_columns(const PlannerInfo *root, const RangeTblEntry *rte) {
  Bitmapset *columns = nullptr;
  Index rti = 0;
  for (const auto *other : each<RangeTblEntry>(root->parse->rtable)) {
    ++rti;
    if (other == rte || (other->rtekind == RTE_RELATION && other->relid == rte->relid)) {
      pull_varattnos(as_node(root->parse->jointree), rti, &columns);
      pull_varattnos(as_node(other->securityQuals), rti, &columns);
    }
  }
  for (const auto *info : each<AppendRelInfo>(root->append_rel_list)) {
    if (nth(root->parse->rtable, static_cast<int>(info->child_relid) - 1) == as_node(rte)) {
      add_named_of_member(root, info, &columns);
    }
  }
  return columns;
}

KeyTable read_key_table(PlannerInfo *root, Index rti, const RangeTblEntry *rte) {
  KeyTable table;
  table.rti = rti;
  table.rte = rte;
  Relation relation = table_open(rte->relid, NoLock);
  table.facts = facts_of(root, relation);
  table.named_columns = named_columns(root, rte);
  List *indexes = RelationGetIndexList(relation);
  for (int i = 0; i < list_length(indexes); ++i) {
    // With the lock that the planner takes as well.
    Relation index = index_open(list_nth_oid(indexes, i), rte->rellockmode);
    read_index(&table, index);
    index_close(index, NoLock);
  }
  if (relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE) {
    read_partitioning(&table, relation);
  }
  table_close(relation, NoLock);
  return table;
}

bool is_all_v7(const KeyTable &table, const Var *id) {
  return has_column(table.facts.all_v7, id->varattno);
}

bool is_indexed(const KeyTable &table, const Node *expression) {
  const auto *column = as<Var>(expression);
  return column != nullptr ? has_column(table.first_columns, column->varattno)
                           : list_member(table.first_expressions, expression);
}

bool is_of_use(const KeyTable &table, const Node *expression) {
  const auto *column = as<Var>(expression);
  return (column != nullptr && has_column(table.used_columns, column->varattno)) ||
         (table.used_expressions != NIL && has_used(as_node(expression), table.used_expressions));
}

}  // namespace uuidx
