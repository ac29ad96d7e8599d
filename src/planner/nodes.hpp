// Nodes of expressions and lists of them, without casts and positions.
#pragma once

#include <algorithm>

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// The tag of a type of node.
template <typename T>
inline constexpr NodeTag kTag = T_Invalid;
#define UUIDX_TAG(type) \
  template <>           \
  inline constexpr NodeTag kTag<type> = T_##type
UUIDX_TAG(AppendPath);
UUIDX_TAG(ArrayExpr);
UUIDX_TAG(BoolExpr);
UUIDX_TAG(BooleanTest);
UUIDX_TAG(Const);
UUIDX_TAG(FromExpr);
UUIDX_TAG(FuncExpr);
UUIDX_TAG(IndexPath);
UUIDX_TAG(JoinExpr);
UUIDX_TAG(MinMaxAggPath);
UUIDX_TAG(NullTest);
UUIDX_TAG(OpExpr);
UUIDX_TAG(ProjectionPath);
UUIDX_TAG(Query);
UUIDX_TAG(RangeTblEntry);
UUIDX_TAG(RangeTblRef);
UUIDX_TAG(RelabelType);
UUIDX_TAG(RestrictInfo);
UUIDX_TAG(RowCompareExpr);
UUIDX_TAG(ScalarArrayOpExpr);
UUIDX_TAG(SupportRequestIndexCondition);
UUIDX_TAG(SupportRequestSelectivity);
UUIDX_TAG(SupportRequestSimplify);
UUIDX_TAG(Var);
#undef UUIDX_TAG

// Returns a node as one of a type; null if it is null or of another type.
template <typename T>
const T *as(const void *node) {
  static_assert(kTag<T> != T_Invalid);
  return node != nullptr && nodeTag(node) == kTag<T> ? static_cast<const T *>(node) : nullptr;
}
template <typename T>
T *as(void *node) {
  return const_cast<T *>(as<T>(const_cast<const void *>(node)));
}

// Returns any node as the type that PostgreSQL's functions take.
inline Node *as_node(const void *node) {
  return static_cast<Node *>(const_cast<void *>(node));
}

// Returns an expression as the type that PostgreSQL's functions take.
inline Expr *as_expr(const void *node) {
  return static_cast<Expr *>(const_cast<void *>(node));
}

// The members of a list, for a range-based loop. The list must not grow meanwhile.
template <typename T>
struct Each {
  const List *list;

  struct Iterator {
    const ListCell *cell;
    T *operator*() const { return static_cast<T *>(cell->ptr_value); }
    Iterator &operator++() {
      ++cell;
      return *this;
    }
    bool operator!=(const Iterator &other) const { return cell != other.cell; }
  };
  Iterator begin() const { return {list == NIL ? nullptr : list->elements}; }
  Iterator end() const { return {list == NIL ? nullptr : list->elements + list->length}; }
};

// Returns the members of a list, all of one type.
template <typename T = Node>
Each<T> each(const List *list) {
  return {list};
}

// Returns a member of a list; null if the list is shorter, or for -1, as of a row as a whole.
template <typename T = Node>
T *nth(const List *list, int i) {
  return i >= 0 && i < list_length(list) ? static_cast<T *>(list_nth(list, i)) : nullptr;
}

// Returns a copy of a node with all below it.
template <typename T>
T *copy_of(const T *node) {
  return static_cast<T *>(copyObjectImpl(node));
}

// Returns a copy of a value in the current memory context, for a list.
template <typename T>
T *allocated(const T &value) {
  auto *copy = static_cast<T *>(palloc(sizeof(T)));
  *copy = value;
  return copy;
}

// Returns a copy of the first elements of an array.
template <typename T>
T *copy_array(const T *from, int count) {
  auto *copy = static_cast<T *>(palloc(sizeof(T) * static_cast<std::size_t>(count)));
  std::copy_n(from, count, copy);
  return copy;
}

// Returns the memory that lasts until a query is planned; null for a PlannerInfo that is not the
// planner's. Other extensions hand their own to hooks and support functions, in which anything may
// be null: nothing is read of those, or kept for them.
inline MemoryContext planning_memory(const PlannerInfo *root) {
  return root != nullptr && root->parse != nullptr && root->glob != nullptr ? root->planner_cxt
                                                                            : nullptr;
}

// Returns the result of work in a memory context of its own, for what does not last while a table
// is planned: there may be thousands of partitions.
template <typename Work>
auto in_scratch_context(const Work &work) {
  // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): a macro of PostgreSQL.
  auto *scratch = AllocSetContextCreate(CurrentMemoryContext, "uuidx", ALLOCSET_SMALL_SIZES);
  MemoryContext before = MemoryContextSwitchTo(scratch);
  const auto result = work();
  MemoryContextSwitchTo(before);
  MemoryContextDelete(scratch);
  return result;
}

// Returns the first of some callbacks of a memory context that calls a function; null if none does.
inline const MemoryContextCallback *find_callback(const MemoryContextCallback *from,
                                                  MemoryContextCallbackFunction function) {
  while (from != nullptr && from->func != function) {
    from = from->next;
  }
  return from;
}

// Returns the function that an expression calls, by name or as an operator.
Oid function_of(const Node *node);

// Returns the arguments of an operator or a function; NIL for any other node and for null.
List *args_of(const Node *node);

// Returns the only argument of an operation that is not constant; null if there is no such one.
Node *only_argument(const Node *node);

// An operator with two operands.
struct Operation {
  const OpExpr *op = nullptr;
  Node *left = nullptr;
  Node *right = nullptr;
};

// Returns an expression as an operator with two operands; without one for any other expression.
Operation operation_of(const Node *node);

// Returns the column that an expression is, without casts to binary-compatible types, such as the
// domains; null if it is something else.
const Var *column_of(const Node *id);

// True if a set of a table's columns has one.
bool has_column(const Bitmapset *columns, AttrNumber column);

// Adds one to such a set.
void add_column(Bitmapset **columns, AttrNumber column);

// Returns a constant that is not NULL; null for any other expression.
const Const *constant_of(const Node *node);

// Intervals of more days are left alone: sums of them might overflow.
inline constexpr int kMostDays = 100'000;

// Returns a constant text; null for any other expression.
const char *text_of(const Node *node);

// True if an expression is a constant text, in any case of letters.
bool is_text(const Node *node, const char *word);

// Returns the value of a constant of numeric, double precision or real; NaN for other expressions.
double number_of(const Node *node);

// Returns a constant interval of a moderate length; null for any other expression.
const Interval *interval_of(const Node *node);

}  // namespace uuidx
