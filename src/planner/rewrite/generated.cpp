#include "planner/rewrite/generated.hpp"

#include <cstring>

#include "pg/compat.hpp"
#include "planner/nodes.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/table.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// True if a column is generated and stored.
bool is_stored(Relation relation, AttrNumber column) {
  return TupleDescAttr(RelationGetDescr(relation), column - 1)->attgenerated ==
         ATTRIBUTE_GENERATED_STORED;
}

// Returns the text of the expression that generates a column; an empty one if it is not stored.
const char *generating_text(Relation relation, AttrNumber column) {
  if (!is_stored(relation, column)) {
    return "";
  }
  List *context = deparse_context_for("", RelationGetRelid(relation));
  return deparse_expression(build_column_default(relation, column), context, false, false);
}

// True if all children of a table generate a column as the table does. Columns may be at other
// places in a child. All children are locked, also those that will be pruned.
bool is_stored_alike(Relation relation, AttrNumber column, LOCKMODE lock) {
  const char *name = NameStr(TupleDescAttr(RelationGetDescr(relation), column - 1)->attname);
  const char *expression = generating_text(relation, column);
  List *children = find_all_inheritors(RelationGetRelid(relation), lock, nullptr);
  for (int i = 1; i < list_length(children); ++i) {
    Relation child = table_open(list_nth_oid(children, i), NoLock);
    const char *own = generating_text(child, get_attnum(RelationGetRelid(child), name));
    const bool alike = std::strcmp(own, expression) == 0;
    table_close(child, NoLock);
    if (!alike) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_generated(const PlannerInfo *root, const Var *column) {
  if (column->varlevelsup != 0 || column->varattno <= 0 || IS_SPECIAL_VARNO(column->varno) ||
      (column->vartype != TIMESTAMPTZOID && column->vartype != TIMESTAMPOID &&
       column->vartype != DATEOID)) {
    return false;
  }
  const RangeTblEntry *entry = planner_rt_fetch(static_cast<int>(column->varno), root);
  if (entry->rtekind != RTE_RELATION) {
    return false;
  }
  Relation relation = table_open(entry->relid, NoLock);
  const bool stored = is_stored(relation, column->varattno);
  table_close(relation, NoLock);
  return stored;
}

Node *generated_by(PlannerInfo *root, const Var *column) {
  if (!is_generated(root, column)) {
    return nullptr;
  }
  const RangeTblEntry *entry = planner_rt_fetch(static_cast<int>(column->varno), root);
  Relation relation = table_open(entry->relid, NoLock);
  Node *expression = nullptr;
  if (!entry->inh || !kChildrenMayDiffer ||
      is_stored_alike(relation, column->varattno, entry->rellockmode)) {
    expression = build_column_default(relation, column->varattno);
    ChangeVarNodes(expression, 1, static_cast<int>(column->varno), 0);
  }
  table_close(relation, NoLock);
  return expression;
}

}  // namespace uuidx
