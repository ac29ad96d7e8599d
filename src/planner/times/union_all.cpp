#include "planner/times/union_all.hpp"

#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/sysattr.h"
#include "nodes/makefuncs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// A member whose expressions become those of the UNION ALL.
struct Member {
  const AppendRelInfo *info;
  bool known;
};

// Replaces columns of a member by those of the UNION ALL.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
Node *in_parent(Node *node, void *context) {
  auto *member = static_cast<Member *>(context);
  if (const auto *column = as<Var>(node)) {
    for (int i = 0; i < list_length(member->info->translated_vars); ++i) {
      if (equal(nth(member->info->translated_vars, i), column)) {
        return as_node(makeVar(static_cast<int>(member->info->parent_relid),
                               static_cast<AttrNumber>(i + 1), column->vartype, column->vartypmod,
                               column->varcollid, 0));
      }
    }
    member->known = false;
  }
  return node != nullptr ? mutate_expression(node, in_parent, context) : nullptr;
}

}  // namespace

bool is_union_all(const RangeTblEntry &rte) {
  return rte.rtekind == RTE_SUBQUERY && rte.inh;
}

Node *common_expression(const QueryLevel &level, const Var *column) {
  Node *common = nullptr;
  for (const auto *info : each<AppendRelInfo>(level.root->append_rel_list)) {
    if (info->parent_relid != static_cast<Index>(column->varno)) {
      continue;
    }
    Node *own = nth(info->translated_vars, column->varattno - 1);
    Reach tolerance;
    if (const auto *stored = as<Var>(own)) {
      own = stored_expression(level, stored, &tolerance);
    }
    Member member{info, own != nullptr && tolerance.least == 0 && tolerance.most == 0};
    own = in_parent(own, &member);
    if (!member.known || (common != nullptr && !equal(own, common))) {
      return nullptr;
    }
    common = own;
  }
  return common != nullptr ? with_nulling_relids(common, column) : nullptr;
}

KeyTable read_union_all(QueryLevel *level, Index rti, const RangeTblEntry *rte) {
  KeyTable table;
  table.rti = rti;
  table.rte = rte;
  bool first = true;
  for (const auto *info : each<AppendRelInfo>(level->root->append_rel_list)) {
    if (info->parent_relid != rti) {
      continue;
    }
    Bitmapset *proved = nullptr;
    for (int i = 0; i < list_length(info->translated_vars); ++i) {
      const int number = i + 1 - FirstLowInvalidHeapAttributeNumber;
      const Var *id = id_of(*level, nth(info->translated_vars, i));
      const KeyTable *own = id != nullptr ? table_of(level, id) : nullptr;
      if (own != nullptr && proof_of(*own, id->varattno) == Proof::all_v7) {
        proved = bms_add_member(proved, number);
      }
      if (own != nullptr && has_column(own->tested, id->varattno)) {
        table.tested = bms_add_member(table.tested, number);
      }
    }
    table.facts.all_v7 = first ? proved : bms_int_members(table.facts.all_v7, proved);
    first = false;
  }
  return table;
}

}  // namespace uuidx
