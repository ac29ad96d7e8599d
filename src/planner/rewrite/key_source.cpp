#include "planner/rewrite/key_source.hpp"

#include "pg/compat.hpp"
#include "planner/nodes.hpp"
#include "planner/rewrite/operations.hpp"
#include "planner/rewrite/times.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// An expression, of the columns of a query's tables, or of one table.
struct Place {
  const Query *query = nullptr;
  Oid table = InvalidOid;
  Node *node = nullptr;
};

// Goes to a column of the result of a query, for a UNION to that of its first member.
void enter_query(Place *place, const Query *query, AttrNumber column) {
  const Node *member = query->setOperations;
  while (member != nullptr && IsA(member, SetOperationStmt)) {
    member = reinterpret_cast<const SetOperationStmt *>(member)->larg;
  }
  if (member != nullptr) {
    const int index = reinterpret_cast<const RangeTblRef *>(member)->rtindex;
    query = rt_fetch(index, query->rtable)->subquery;
  }
  place->query = query;
  const TargetEntry *target = get_tle_by_resno(query->targetList, column);
  place->node = target != nullptr ? as_node(target->expr) : nullptr;
}

// Goes from a column of a view or table to what computes it; null if nothing does.
void enter_relation(Place *place, AttrNumber column) {
  Relation relation = table_open(place->table, AccessShareLock);
  place->node = nullptr;
  if (relation->rd_rel->relkind == RELKIND_VIEW) {
    enter_query(place, get_view_query(relation), column);
  } else if (TupleDescAttr(RelationGetDescr(relation), column - 1)->attgenerated != '\0') {
    place->node = build_column_default(relation, column);
  }
  table_close(relation, NoLock);
}

// Goes from a column to what computes it; null if nothing does.
void enter_column(Place *place, const Var *column) {
  if (place->query == nullptr) {
    enter_relation(place, column->varattno);
    return;
  }
  const RangeTblEntry *entry = rt_fetch(column->varno, place->query->rtable);
  place->node = nullptr;
  if (entry->rtekind == RTE_RELATION) {
    place->query = nullptr;
    place->table = entry->relid;
    place->node = as_node(copy_of(column));
  } else if (entry->rtekind == RTE_SUBQUERY) {
    enter_query(place, entry->subquery, column->varattno);
  } else if (const List *columns = columns_behind(entry); columns != NIL) {
    place->node = nth(columns, column->varattno - 1);
  }
}

}  // namespace

bool find_key_source(Oid relation, AttrNumber number, KeySource *key) {
  const Oid type = get_atttype(relation, number);
  KeyTime time;
  Place place;
  place.table = relation;
  place.node = as_node(makeVar(1, number, type, -1, InvalidOid, 0));
  while (place.node != nullptr) {
    const auto *call = as<FuncExpr>(place.node);
    if (const Var *column = column_of(place.node)) {
      if (column->varlevelsup != 0 || column->varattno <= 0) {
        return false;
      }
      key->table = place.query == nullptr ? place.table : InvalidOid;
      key->column = column->varattno;
      enter_column(&place, column);
    } else if (call != nullptr && is_time_function(call->funcid)) {
      key->table = InvalidOid;
      key->function = call->funcid;
      place.node = nth(call->args, 0);
    } else {
      key->table = InvalidOid;
      place.node = same_time(&time, place.node);
    }
  }
  key->exact = time.exact;
  return OidIsValid(key->table) && getBaseType(get_atttype(key->table, key->column)) == UUIDOID &&
         (OidIsValid(key->function) || getBaseType(type) == UUIDOID);
}

}  // namespace uuidx
