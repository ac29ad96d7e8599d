#include "pg/planner/statistics/comparisons.hpp"

#include <algorithm>

#include "pg/planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// A comparison of a column with a constant.
struct Comparison {
  Uuid id;
  bool below = false;  // < or <=, with the column on the left
  bool equal = false;  // <= or >=
};

// True if an expression is a column.
bool is_column(Node *node, TableColumn column) {
  const Var *var = column_of(node);
  return var != nullptr && static_cast<Index>(var->varno) == column.table &&
         var->varattno == column.number && var->varlevelsup == 0;
}

// Sets `comparison` to what an operator does with the operands in their order; returns false if it
// does not compare UUIDs by their order.
bool read_operator(Oid function, Comparison *comparison) {
  comparison->below = function == F_UUID_LT || function == F_UUID_LE;
  comparison->equal = function == F_UUID_LE || function == F_UUID_GE;
  return comparison->below || comparison->equal || function == F_UUID_GT;
}

// Reads the comparison of a column with what the planner can estimate; returns false if an
// expression is something else. The value is the one that PostgreSQL estimates with.
bool read_comparison(PlannerInfo *root, Node *node, TableColumn column, Comparison *comparison) {
  const auto *call = reinterpret_cast<const OpExpr *>(node);
  if (!IsA(node, OpExpr) || !read_operator(call->opfuncid, comparison)) {
    return false;
  }
  auto *left = static_cast<Node *>(linitial(call->args));
  auto *right = static_cast<Node *>(lsecond(call->args));
  const bool commuted = is_column(right, column);
  if (!commuted && !is_column(left, column)) {
    return false;
  }
  Node *other = commuted ? left : right;
  other = IsA(other, Const) ? other : estimate_expression_value(root, other);
  const auto *constant = reinterpret_cast<const Const *>(other);
  if (!IsA(other, Const) || constant->constisnull) {
    return false;
  }
  comparison->id = get_uuid(constant->constvalue);
  comparison->below = comparison->below != commuted;
  return true;
}

// Returns the parts of an expression that PostgreSQL may estimate as well: those of AND and OR, and
// the arguments of a function whose support function may make an index condition of them.
List *parts_of(Node *node) {
  if (IsA(node, BoolExpr)) {
    return reinterpret_cast<BoolExpr *>(node)->args;
  }
  return IsA(node, FuncExpr) &&
                 OidIsValid(get_func_support(reinterpret_cast<FuncExpr *>(node)->funcid))
             ? args_of(node)
             : NIL;
}

// Returns the expression of a condition.
Node *clause_of(Node *node) {
  return IsA(node, RestrictInfo)
             ? reinterpret_cast<Node *>(reinterpret_cast<RestrictInfo *>(node)->clause)
             : node;
}

// Constants that have been found.
struct Found {
  PlannerInfo *root;
  TableColumn column;
  Constant *constants = nullptr;
  int count = 0;
  int size = 0;
};

void add(Found *found, const Comparison &comparison) {
  if (comparison.id == kNil || comparison.id == kMax) {
    return;
  }
  if (found->count == found->size) {
    found->size = found->size == 0 ? 4 : 2 * found->size;
    const std::size_t size = sizeof(Constant) * static_cast<std::size_t>(found->size);
    found->constants = static_cast<Constant *>(
        found->constants == nullptr ? palloc(size) : repalloc(found->constants, size));
  }
  found->constants[found->count++] = {comparison.id, comparison.below != comparison.equal};
}

// Finds the constants of some conditions.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
void find(Found *found, const List *conditions) {
  for (int i = 0; i < list_length(conditions); ++i) {
    Node *clause = clause_of(static_cast<Node *>(list_nth(conditions, i)));
    Comparison comparison;
    if (read_comparison(found->root, clause, found->column, &comparison)) {
      add(found, comparison);
    } else {
      find(found, parts_of(clause));
    }
  }
}

// Keeps the first, the last and some of the constants between them, and returns their number: for
// each constant of the query, PostgreSQL reads all of the statistics.
int thin_out(Constant *constants, int count) {
  constexpr int kMost = 64;
  for (int i = 0; count > kMost && i < kMost; ++i) {
    constants[i] = constants[i * (count - 1) / (kMost - 1)];
  }
  return std::min(count, kMost);
}

// Narrows a range to one side of a constant.
void narrow_by(const Comparison &comparison, UuidRange *range) {
  const Uuid id = comparison.id;
  const UuidRange side =
      comparison.below
          ? UuidRange{kNil, comparison.equal ? id : predecessor(id).value_or(kNil)}
          : UuidRange{comparison.equal ? id : successor(id).value_or(kMax), kMax};
  *range = intersection(*range, side);
}

// True if an expression has a column.
bool has(Node *node, TableColumn column) {
  Bitmapset *columns = nullptr;
  pull_varattnos(node, column.table, &columns);
  return has_column(columns, column.number);
}

}  // namespace

Constant *find_constants(PlannerInfo *root, const List *conditions, TableColumn column,
                         int *count) {
  Found found{root, column};
  find(&found, conditions);
  Constant *end = found.constants + found.count;
  std::sort(found.constants, end, [](const Constant &a, const Constant &b) { return a.id < b.id; });
  end = std::unique(found.constants, end,
                    [](const Constant &a, const Constant &b) { return a.id == b.id; });
  *count = thin_out(found.constants, static_cast<int>(end - found.constants));
  return found.constants;
}

// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
bool narrow(PlannerInfo *root, const List *conditions, TableColumn column, Oid test,
            UuidRange *range) {
  for (int i = 0; i < list_length(conditions); ++i) {
    Node *clause = clause_of(static_cast<Node *>(list_nth(conditions, i)));
    Comparison comparison;
    if (read_comparison(root, clause, column, &comparison)) {
      narrow_by(comparison, range);
    } else if (is_orclause(clause)) {
      UuidRange hull = kEmptyRange;
      const List *arms = parts_of(clause);
      for (int k = 0; k < list_length(arms); ++k) {
        UuidRange arm;
        if (!narrow(root, list_make1(list_nth(arms, k)), column, test, &arm)) {
          return false;
        }
        hull = {std::min(hull.lowest, arm.lowest), std::max(hull.highest, arm.highest)};
      }
      *range = intersection(*range, hull);
    } else if (is_andclause(clause)) {
      if (!narrow(root, parts_of(clause), column, test, range)) {
        return false;
      }
    } else if (!IsA(clause, NullTest) &&
               !(IsA(clause, FuncExpr) &&
                 reinterpret_cast<const FuncExpr *>(clause)->funcid == test) &&
               has(clause, column)) {
      return false;
    }
  }
  return true;
}

}  // namespace uuidx
