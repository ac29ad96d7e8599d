#include "planner/orders/trailing_times.hpp"

#include "planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/sysattr.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "optimizer/optimizer.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// A column of a table in the FROM clause.
struct QueryColumn {
  Index rti = 0;  // 0 if there is none
  AttrNumber number = 0;
};

// Returns the column of the query that a column of a table is, which may be a partition.
QueryColumn in_query(const PlannerInfo *root, Index rti, AttrNumber number) {
  const auto *parents = root->append_rel_array;
  while (parents != nullptr && parents[rti] != nullptr) {
    const AppendRelInfo *info = parents[rti];
    int i = 0;
    while (i < list_length(info->translated_vars)) {
      const auto *own = as<Var>(nth(info->translated_vars, i));
      if (own != nullptr && own->varattno == number) {
        break;
      }
      ++i;
    }
    if (i == list_length(info->translated_vars)) {
      return {};
    }
    rti = info->parent_relid;
    number = static_cast<AttrNumber>(i + 1);
  }
  return {rti, number};
}

// True if a table has an index of all rows that begins with a key.
bool has_index_on(const PlannerInfo *root, const RelOptInfo *rel, Index rti, const Bitmapset *key) {
  for (const auto *index : each<IndexOptInfo>(rel->indexlist)) {
    const QueryColumn first =
        in_query(root, rel->relid, static_cast<AttrNumber>(index->indexkeys[0]));
    if (index->relam == BTREE_AM_OID && index->indpred == NIL && first.rti == rti &&
        index->opfamily[0] == family_of(UUIDOID) && has_column(key, first.number)) {
      return true;
    }
  }
  return false;
}

// True if a column is a time on which each condition gives bounds to an indexed key.
bool is_bounded(const QueryLevel &level, const RelOptInfo *rel, QueryColumn column) {
  const StoredTime *stored =
      column.rti != 0 ? stored_time(level, column.rti, column.number) : nullptr;
  if (stored == nullptr) {
    return false;
  }
  for (const auto *unbounded : each<Var>(level.unbounded)) {
    if (static_cast<Index>(unbounded->varno) == column.rti &&
        unbounded->varattno == column.number) {
      return false;
    }
  }
  Bitmapset *key = nullptr;
  pull_varattnos(stored->expression, 1, &key);
  return has_index_on(level.root, rel, column.rti, key);
}

}  // namespace

void hide_trailing_times(const QueryLevel &level, const RelOptInfo *rel) {
  const PlannerInfo *root = level.root;
  if (level.stored == NIL || rte_of(root, rel->relid)->inh) {
    return;
  }
  for (auto *index : each<IndexOptInfo>(rel->indexlist)) {
    if (index->relam != BTREE_AM_OID || index->nkeycolumns < 2 || index->indexkeys[0] == 0) {
      continue;
    }
    const auto column_at = [&](int i) {
      return in_query(root, rel->relid, static_cast<AttrNumber>(index->indexkeys[i]));
    };
    const QueryColumn first = column_at(0);
    for (int i = 1; first.rti != 0 && i < index->nkeycolumns; ++i) {
      if (index->indexkeys[i] != 0 && is_bounded(level, rel, column_at(i)) &&
          !has_column(named_columns(root, rte_of(root, first.rti)), first.number)) {
        if (index->opfamily == index->sortopfamily) {
          index->opfamily = copy_array(index->opfamily, index->nkeycolumns);
        }
        index->opfamily[i] = family_of(UUIDOID);  // which has no operator of a time
      }
    }
  }
}

void show_trailing_times(IndexOptInfo *index) {
  if (index->relam == BTREE_AM_OID && index->sortopfamily != nullptr) {
    index->opfamily = index->sortopfamily;
  }
}

}  // namespace uuidx
