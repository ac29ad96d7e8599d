#include "pg/planner/statistics/key_index.hpp"

#include "pg/compat.hpp"
#include "pg/planner/rewrite/functions.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "catalog/pg_am.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "utils/acl.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// A column of a table of a query.
struct TableColumn {
  Index table = 0;
  AttrNumber number = InvalidAttrNumber;
};

// Replaces a child's column with the column of the table that the query names. Privileges and row
// level security are that table's. Returns false if it has no such column.
bool to_named_table(const PlannerInfo *root, TableColumn *column) {
  if (root->append_rel_array == nullptr) {
    return true;
  }
  for (const AppendRelInfo *child = root->append_rel_array[column->table]; child != nullptr;
       child = root->append_rel_array[column->table]) {
    // The child of a UNION ALL is a table that the query names.
    if (root->simple_rte_array[child->parent_relid]->rtekind != RTE_RELATION) {
      return true;
    }
    if (column->number < 1 || column->number > child->num_child_cols) {
      return false;
    }
    *column = {child->parent_relid, child->parent_colnos[column->number - 1]};
  }
  return column->number > 0;
}

// True if a query is in a view with security_barrier, or may be: such a view is planned as a query
// within another one, and conditions of the outer query are moved into it.
bool may_be_behind_barrier(const PlannerInfo *root) {
  for (root = root->parent_root; root != nullptr; root = root->parent_root) {
    const List *tables = root->parse->rtable;
    for (int i = 0; i < list_length(tables); ++i) {
      if (static_cast<const RangeTblEntry *>(list_nth(tables, i))->security_barrier) {
        return true;
      }
    }
  }
  return false;
}

// True if the user may read a column in all rows of a table. Row level security adds conditions to
// the table, unless the user is exempt.
bool may_read(const PlannerInfo *root, TableColumn column) {
  if (!to_named_table(root, &column) || may_be_behind_barrier(root)) {
    return false;
  }
  const RangeTblEntry *table = root->simple_rte_array[column.table];
  const Oid user = reader_of(root, column.table);
  return table->securityQuals == NIL &&
         (pg_class_aclcheck(table->relid, user, ACL_SELECT) == ACLCHECK_OK ||
          pg_attribute_aclcheck(table->relid, column.number, user, ACL_SELECT) == ACLCHECK_OK);
}

// True if the predicate of a partial index is `uuid_is_v7(column)`.
bool has_v7_rows_only(const IndexOptInfo *index, AttrNumber column) {
  const Var *id = list_length(index->indpred) == 1
                      ? tested_column(static_cast<const Node *>(linitial(index->indpred)))
                      : nullptr;
  return id != nullptr && id->varattno == column;
}

// True if an index has all rows of its table, or all of version 7, in ascending order of a column
// of type uuid. The index of a partitioned table, which has no pages, has no order.
bool is_key_index(const IndexOptInfo *index, AttrNumber column) {
  return index->relam == BTREE_AM_OID && !index->hypothetical &&
         (index->indpred == NIL || has_v7_rows_only(index, column)) &&
         index->indexkeys[0] == column && index->opfamily[0] == family_of(UUIDOID) &&
         index->opcintype[0] == UUIDOID && index->reverse_sort != nullptr &&
         !index->reverse_sort[0];
}

// True if a column has no value twice, by its statistics. In a larger table, the sample that they
// are based on may miss that each value is in two rows.
bool is_distinct(const VariableStatData &variable) {
  constexpr double kMostRows = 50e6;
  if (!HeapTupleIsValid(variable.statsTuple) || variable.rel->tuples > kMostRows) {
    return false;
  }
  const auto *form = reinterpret_cast<Form_pg_statistic>(GETSTRUCT(variable.statsTuple));
  return form->stadistinct <= -0.99 * (1 - form->stanullfrac);
}

// Finds such an index of a table: preferably one with version 7 rows only, and then a unique one.
bool find_index(const RelOptInfo *rel, AttrNumber column, KeyIndex *found) {
  const auto rank = [](const KeyIndex &index) {
    return (OidIsValid(index.oid) ? 1 : 0) + (index.unique ? 1 : 0) + (index.v7_only ? 2 : 0);
  };
  for (int i = 0; i < list_length(rel->indexlist); ++i) {
    const auto *index = static_cast<const IndexOptInfo *>(list_nth(rel->indexlist, i));
    if (is_key_index(index, column)) {
      const KeyIndex usable{index->indexoid, index->unique && index->nkeycolumns == 1,
                            index->nulls_first[0], index->indpred != NIL};
      *found = rank(usable) > rank(*found) ? usable : *found;
    }
  }
  return OidIsValid(found->oid);
}

}  // namespace

bool find_key_index(const PlannerInfo *root, const VariableStatData &variable, KeyIndex *index) {
  const RelOptInfo *rel = variable.rel;
  if (!IsA(variable.var, Var) || !IS_SIMPLE_REL(rel) || rel->rtekind != RTE_RELATION ||
      root->simple_rte_array[rel->relid]->inh) {
    return false;
  }
  const AttrNumber column = reinterpret_cast<const Var *>(variable.var)->varattno;
  if (!find_index(rel, column, index) || !may_read(root, {rel->relid, column})) {
    return false;
  }
  index->unique = index->unique || is_distinct(variable);
  return true;
}

}  // namespace uuidx
