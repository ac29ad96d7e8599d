#include "planner/rewrite/order.hpp"

#include <algorithm>

#include "planner/nodes.hpp"
#include "planner/rewrite/wanted.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// A partition scheme that begins with a time, and what it stands for meanwhile.
struct TimeScheme {
  PartitionSchemeData scheme;
  PartitionScheme original = nullptr;
  List **original_keys = nullptr;
};

// True if the scheme of a table is one of these. They have no support functions, as no partition is
// looked up by them.
bool has_time_scheme(const RelOptInfo *rel) {
  return rel->part_scheme != nullptr && rel->part_scheme->partsupfunc == nullptr;
}

// Returns an array with a value inserted before its elements.
template <typename T>
T *prepended(T first, const T *rest, int count) {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): also of pointers.
  auto *all = static_cast<T *>(palloc(sizeof(T) * (static_cast<std::size_t>(count) + 1)));
  all[0] = first;
  std::copy_n(rest, count, all + 1);
  return all;
}

// Shows the planner a time as the first partition key. The key itself follows, as keys of one time
// may be in two partitions: what a query sorts by after the time is in order within one only.
void show_time(RelOptInfo *rel, Node *time) {
  const PartitionSchemeData *key = rel->part_scheme;
  const int count = key->partnatts;
  auto *shown = static_cast<TimeScheme *>(palloc(sizeof(TimeScheme)));
  *shown = {*key, rel->part_scheme, rel->partexprs};
  shown->scheme.partnatts = static_cast<int16>(count + 1);
  shown->scheme.partopfamily = prepended(family_of(exprType(time)), key->partopfamily, count);
  shown->scheme.partopcintype = prepended(exprType(time), key->partopcintype, count);
  shown->scheme.partcollation = prepended(InvalidOid, key->partcollation, count);
  shown->scheme.partsupfunc = nullptr;
  rel->part_scheme = &shown->scheme;
  rel->partexprs = prepended(list_make1(time), rel->partexprs, count);
}

// Returns the partitioned table whose first partition that the query reads is this one; null if
// there is none.
RelOptInfo *parent_of_first(const PlannerInfo *root, const RelOptInfo *rel) {
  if (rel->reloptkind != RELOPT_OTHER_MEMBER_REL) {
    return nullptr;
  }
  RelOptInfo *parent = root->simple_rel_array[root->append_rel_array[rel->relid]->parent_relid];
  const int first = parent->part_rels != nullptr ? bms_next_member(parent->live_parts, -1) : -1;
  return first >= 0 && parent->part_rels[first] == rel ? parent : nullptr;
}

}  // namespace

void order_partitions(PlannerInfo *root, const RelOptInfo *rel) {
  RelOptInfo *parent = parent_of_first(root, rel);
  // Joins of partitions compare their schemes.
  if (parent == nullptr || parent->part_scheme->strategy != PARTITION_STRATEGY_RANGE ||
      enable_partitionwise_join) {
    return;
  }
  Statement statement;
  statement.root = root;
  if (const auto *id = as<Var>(linitial(parent->partexprs[0]))) {
    if (Node *time = wanted_time(&statement, parent, id)) {
      show_time(parent, time);
    }
  }
}

// NOLINTNEXTLINE(misc-no-recursion): queries are trees.
void restore_partitions(const PlannerInfo *root) {
  for (int i = 1; i < root->simple_rel_array_size; ++i) {
    RelOptInfo *rel = root->simple_rel_array[i];
    if (rel != nullptr && has_time_scheme(rel)) {
      const auto *shown = reinterpret_cast<const TimeScheme *>(rel->part_scheme);
      rel->partexprs = shown->original_keys;
      rel->part_scheme = shown->original;
    }
  }
  // min() and max() by an index have queries of their own, which are no members of this one.
  for (const auto *rel : each<RelOptInfo>(root->upper_rels[UPPERREL_GROUP_AGG])) {
    for (const Node *path : each(rel->pathlist)) {
      const auto *ends = as<MinMaxAggPath>(path);
      for (const auto *end : each<MinMaxAggInfo>(ends != nullptr ? ends->mmaggregates : NIL)) {
        restore_partitions(end->subroot);
      }
    }
  }
}

}  // namespace uuidx
