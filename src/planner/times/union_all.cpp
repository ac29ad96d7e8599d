#include "planner/times/union_all.hpp"

#include <algorithm>

#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the members of a UNION ALL, of AppendRelInfo.
List *members_of(const PlannerInfo *root, Index parent) {
  List *members = NIL;
  for (auto *info : each<AppendRelInfo>(root->append_rel_list)) {
    members = info->parent_relid == parent ? lappend(members, info) : members;
  }
  return members;
}

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

// True if nothing in a query depends on how many columns a UNION ALL has, as its record does.
bool may_add_column(const PlannerInfo *root, Index parent) {
  Bitmapset *columns = nullptr;
  pull_varattnos(as_node(root->parse->jointree), parent, &columns);
  pull_varattnos(as_node(root->processed_tlist), parent, &columns);
  pull_varattnos(root->parse->havingQual, parent, &columns);
  pull_varattnos(as_node(root->append_rel_list), parent, &columns);
  return !root->hasLateralRTEs && !has_column(columns, InvalidAttrNumber);
}

// Returns the only column of an expression of a member, if it is the key of a table; else null.
Node *only_key(const QueryLevel &level, Node *expression) {
  if (const auto *column = as<Var>(expression); column != nullptr && column->vartype != UUIDOID) {
    Reach tolerance;
    expression = stored_expression(level, column, &tolerance);
  }
  List *columns = list_union(NIL, pull_var_clause(expression, PVC_RECURSE_PLACEHOLDERS));
  Node *key = nth(columns, 0);
  return list_length(columns) == 1 && id_of(level, key) != nullptr ? key : nullptr;
}

// Returns the keys from which the members compute a column of a UNION ALL; NIL if one has none.
List *keys_behind(const QueryLevel &level, const List *members, int column) {
  List *keys = NIL;
  for (const auto *info : each<AppendRelInfo>(members)) {
    Node *key = only_key(level, nth(info->translated_vars, column));
    if (key == nullptr) {
      return NIL;
    }
    keys = lappend(keys, key);
  }
  return keys;
}

// Adds a column of uuid to a UNION ALL, as if its members selected these keys.
void add_key_column(PlannerInfo *root, const RangeTblEntry *rte, Index parent, const List *members,
                    const List *keys) {
  constexpr const char *kName = "key";
  int i = 0;
  for (auto *info : each<AppendRelInfo>(members)) {
    info->translated_vars = lappend(info->translated_vars, copy_of(nth(keys, i++)));
  }
  rte->eref->colnames = lappend(rte->eref->colnames, makeString(pstrdup(kName)));
  const auto number = static_cast<AttrNumber>(list_length(rte->eref->colnames));
  rte->subquery->targetList = lappend(
      rte->subquery->targetList, makeTargetEntry(as_expr(makeNullConst(UUIDOID, -1, InvalidOid)),
                                                 number, pstrdup(kName), false));
  if (RelOptInfo *rel = root->simple_rel_array[parent]) {
    const auto count = static_cast<Size>(number - rel->min_attr);
    rel->max_attr = number;
    rel->attr_needed =
        static_cast<Relids *>(repalloc(rel->attr_needed, (count + 1) * sizeof(Relids)));
    rel->attr_widths =
        static_cast<int32 *>(repalloc(rel->attr_widths, (count + 1) * sizeof(int32)));
    rel->attr_needed[count] = nullptr;
    rel->attr_widths[count] = 0;
  }
}

// Adds the key to a UNION ALL that has a time of it without the key.
void add_key(QueryLevel *level, const RangeTblEntry *rte, Index parent) {
  PlannerInfo *root = level->root;
  const List *members = members_of(root, parent);
  const int count = list_length(rte->eref->colnames);
  if (members == NIL || count != list_length(rte->subquery->targetList)) {
    return;
  }
  for (int i = 0; i < count; ++i) {
    const Node *own = nth(nth<AppendRelInfo>(members, 0)->translated_vars, i);
    if (exprType(own) == UUIDOID) {
      continue;
    }
    const Var *column = makeVar(static_cast<int>(parent), static_cast<AttrNumber>(i + 1),
                                exprType(own), exprTypmod(own), exprCollation(own), 0);
    const List *keys = keys_behind(*level, members, i);
    Reach tolerance;
    if (keys != NIL && common_expression(*level, column, &tolerance) == nullptr &&
        may_add_column(root, parent)) {
      add_key_column(root, rte, parent, members, keys);
      return;
    }
  }
}

}  // namespace

void add_keys_of_unions(QueryLevel *level) {
  for (Index rti = 1; static_cast<int>(rti) < level->root->simple_rel_array_size; ++rti) {
    const RangeTblEntry *rte = rte_of(level->root, rti);
    if (rte != nullptr && is_union_all(*rte)) {
      add_key(level, rte, rti);
    }
  }
}

bool is_union_all(const RangeTblEntry &rte) {
  return rte.rtekind == RTE_SUBQUERY && rte.inh;
}

Node *common_expression(const QueryLevel &level, const Var *column, Reach *tolerance) {
  Node *common = nullptr;
  *tolerance = {PG_INT64_MAX, PG_INT64_MIN};
  const List *members = members_of(level.root, static_cast<Index>(column->varno));
  for (const auto *info : each<AppendRelInfo>(members)) {
    Node *own = nth(info->translated_vars, column->varattno - 1);
    Reach of_member;
    if (const auto *stored = as<Var>(own)) {
      own = stored_expression(level, stored, &of_member);
    }
    tolerance->least = std::min(tolerance->least, of_member.least);
    tolerance->most = std::max(tolerance->most, of_member.most);
    Member member{info, own != nullptr};
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
  const List *members = members_of(level->root, rti);
  for (const auto *info : each<AppendRelInfo>(members)) {
    Bitmapset *proved = nullptr;
    for (int i = 0; i < list_length(info->translated_vars); ++i) {
      const auto number = static_cast<AttrNumber>(i + 1);
      Node *expression = nth(info->translated_vars, i);
      const Var *column = as<Var>(nth(pull_var_clause(expression, PVC_RECURSE_PLACEHOLDERS), 0));
      const RangeTblEntry *of_column =
          column != nullptr ? rte_of(level->root, static_cast<Index>(column->varno)) : nullptr;
      if (of_column == nullptr || of_column->rtekind != RTE_RELATION) {
        continue;
      }
      const KeyTable *own = table_of(level, column);
      if (is_of_use(*own, stripped(expression))) {
        add_column(&table.used_columns, number);
      }
      const Var *id = id_of(*level, expression);
      if (id != nullptr && is_all_v7(*own, id)) {
        add_column(&proved, number);
      }
      if (id != nullptr && has_column(own->tested, id->varattno)) {
        add_column(&table.tested, number);
      }
    }
    table.facts.all_v7 = first ? proved : bms_int_members(table.facts.all_v7, proved);
    first = false;
  }
  return table;
}

}  // namespace uuidx
