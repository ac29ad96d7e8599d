#include "planner/times/table_facts.hpp"

#include <cstring>

#include "core/v7.hpp"
#include "planner/functions.hpp"
#include "planner/planner_compat.hpp"
#include "planner/times/zone_names.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/sysattr.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteHandler.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// The form of a column of type uuid in the text of an expression. What has none is not worth
// parsing.
constexpr const char *kUuidColumn = ":vartype 2950 ";
static_assert(UUIDOID == 2950);

// The facts of a table in the cache.
struct Entry {
  Oid table = InvalidOid;          // the key of the hash table
  MemoryContext memory = nullptr;  // null if there are no facts
  TableFacts facts;
};

struct Cache {
  HTAB *tables = nullptr;
  uint32 changes = 0;  // of tables or functions, so far
};
constinit Cache cache;

// Removes an entry from the cache.
void remove(Entry *entry) {
  if (entry->memory != nullptr) {
    MemoryContextDelete(entry->memory);
  }
  hash_search(cache.tables, &entry->table, HASH_REMOVE, nullptr);
}

// Forgets a table, or all if it is InvalidOid. Called when a table has changed.
void forget_table(Datum /*argument*/, Oid table) {
  ++cache.changes;
  if (OidIsValid(table)) {
    if (auto *entry = static_cast<Entry *>(hash_search(cache.tables, &table, HASH_FIND, nullptr))) {
      remove(entry);
    }
    return;
  }
  HASH_SEQ_STATUS status;
  hash_seq_init(&status, cache.tables);
  while (auto *entry = static_cast<Entry *>(hash_seq_search(&status))) {
    remove(entry);
  }
}

// Forgets all tables. Called when a function has changed, as expressions may call it.
void forget_all(Datum argument, CacheId /*cache*/, uint32 /*hash*/) {
  forget_table(argument, InvalidOid);
}

void make_cache() {
  if (cache.tables != nullptr) {
    return;
  }
  HASHCTL control{};
  control.keysize = sizeof(Oid);
  control.entrysize = sizeof(Entry);
  control.hcxt = CacheMemoryContext;
  cache.tables =
      hash_create("uuidx facts of tables", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
  CacheRegisterRelcacheCallback(forget_table, 0);
  CacheRegisterSyscacheCallback(PROCOID, forget_all, 0);
}

// Returns facts with all that they refer to, in the current memory context.
TableFacts copy_facts(const TableFacts &facts) {
  TableFacts copy{bms_copy(facts.all_v7), bms_copy(facts.no_other_time), bms_copy(facts.checked)};
  for (const auto *stored : each<StoredTime>(facts.stored_times)) {
    copy.stored_times = lappend(copy.stored_times,
                                allocated(StoredTime{stored->column, copy_of(stored->expression)}));
  }
  return copy;
}

void add_column(Bitmapset **columns, AttrNumber column) {
  *columns = bms_add_member(*columns, column - FirstLowInvalidHeapAttributeNumber);
}

// Returns the column whose version a clause `uuid_extract_version(id) = 7` tests; null if it is
// something else.
const Var *version_7_column(const Node *clause) {
  const auto [op, left, right] = operation_of(clause);
  if (op == nullptr || (op->opfuncid != F_INT24EQ && op->opfuncid != F_INT2EQ)) {
    return nullptr;
  }
  const auto *call = as<FuncExpr>(left);
  const auto *cast = as<FuncExpr>(right);  // from 7::smallint
  const Const *version =
      constant_of(cast != nullptr && cast->funcid == F_INT2_INT4 ? nth(cast->args, 0) : right);
  if (call == nullptr || version == nullptr || list_length(call->args) != 1 ||
      kind_of(call->funcid) != FunctionKind::version) {
    return nullptr;
  }
  const int number = version->consttype == INT4OID ? DatumGetInt32(version->constvalue)
                                                   : DatumGetInt16(version->constvalue);
  return number == kV7 ? as<Var>(nth(call->args, 0)) : nullptr;
}

// Returns a clause without `= true` or `IS TRUE`, which tools write.
const Node *without_true(const Node *clause) {
  const auto *test = as<BooleanTest>(clause);
  if (test != nullptr && test->booltesttype == IS_TRUE) {
    return as_node(test->arg);
  }
  const auto [op, left, right] = operation_of(clause);
  const Const *value = constant_of(right);
  return op != nullptr && op->opfuncid == F_BOOLEQ && value != nullptr &&
                 DatumGetBool(value->constvalue)
             ? left
             : clause;
}

// Adds what a clause of a CHECK constraint proves. A CHECK also passes if it is NULL, as the
// version of a UUID that is not of the RFC's variant, which has no time either.
// NOLINTNEXTLINE(misc-no-recursion): expressions are trees.
void add_proof(TableFacts *facts, const Node *clause) {
  check_stack_depth();
  if (is_andclause(clause)) {
    for (const Node *part : each(as<BoolExpr>(clause)->args)) {
      add_proof(facts, part);
    }
    return;
  }
  if (const Var *tested = tested_column(without_true(clause))) {
    add_column(&facts->all_v7, tested->varattno);
  } else if (const Var *id = version_7_column(clause)) {
    add_column(&facts->no_other_time, id->varattno);
  }
}

// Adds what the CHECK constraints of a table prove.
void read_checks(Relation table, TableFacts *facts) {
  const TupleConstr *constraints = RelationGetDescr(table)->constr;
  for (int i = 0; i < constraints->num_check; ++i) {
    const ConstrCheck &check = constraints->check[i];
    if (check.ccvalid && is_enforced(check) &&
        !(check.ccnoinherit && table->rd_rel->relhassubclass) &&
        std::strstr(check.ccbin, kUuidColumn) != nullptr) {
      add_proof(facts, as_node(stringToNode(check.ccbin)));
    }
  }
}

// True if an expression calls a function that extracts a time.
bool has_time_call(Node *node, void * /*context*/) {
  const auto *call = as<FuncExpr>(node);
  return (call != nullptr && is_time_function(call->funcid)) ||
         (node != nullptr && walk_expression(node, has_time_call, nullptr));
}

// True if an expression has a time zone that may be an abbreviation. What that means depends on
// settings of the session, so stored values may be those of another zone.
bool has_abbreviation(Node *node, void * /*context*/) {
  const auto *call = as<FuncExpr>(node);
  if (call != nullptr &&
      (call->funcid == F_TIMEZONE_TEXT_TIMESTAMPTZ || call->funcid == F_TIMEZONE_TEXT_TIMESTAMP)) {
    const Const *zone = constant_of(nth(call->args, 0));
    const char *name = zone != nullptr ? TextDatumGetCString(zone->constvalue) : "";
    if (std::strchr(name, '/') == nullptr && !is_fixed_utc(name)) {
      return true;
    }
  }
  return node != nullptr && walk_expression(node, has_abbreviation, nullptr);
}

// Reads a column that is generated and stored.
void read_stored(Relation table, AttrNumber column, TableFacts *facts) {
  Node *expression = build_column_default(table, column);
  if (!has_time_call(expression, nullptr) || has_abbreviation(expression, nullptr)) {
    return;
  }
  facts->stored_times = lappend(facts->stored_times, allocated(StoredTime{column, expression}));
  // The time is NULL for all other versions.
  const auto *call = as<FuncExpr>(expression);
  const Var *id = call != nullptr && kind_of(call->funcid) == FunctionKind::v7_time
                      ? column_of(nth(call->args, 0))
                      : nullptr;
  if (id != nullptr && is_not_null(table, column)) {
    add_column(&facts->all_v7, id->varattno);
  }
}

// Adds the columns that the CHECK constraints of a table have: PostgreSQL compares conditions on
// them with these constraints, by which it may leave out the table.
void read_checked(Relation table, TableFacts *facts) {
  const TupleConstr *constraints = RelationGetDescr(table)->constr;
  for (int i = 0; i < constraints->num_check; ++i) {
    pull_varattnos(as_node(stringToNode(constraints->check[i].ccbin)), 1, &facts->checked);
  }
}

// Reads the facts of a table from its entry in the relation cache.
TableFacts read_facts(Relation table) {
  TableFacts facts;
  TupleDescData *columns = RelationGetDescr(table);
  if (columns->constr == nullptr) {
    return facts;
  }
  read_checks(table, &facts);
  if (columns->constr->has_generated_stored && !table->rd_rel->relhassubclass &&
      table->rd_rel->relkind != RELKIND_FOREIGN_TABLE) {
    for (int i = 0; i < columns->natts; ++i) {
      const FormData_pg_attribute *column = TupleDescAttr(columns, i);
      if (column->attgenerated == ATTRIBUTE_GENERATED_STORED && !column->attisdropped &&
          (column->atttypid == TIMESTAMPTZOID || column->atttypid == TIMESTAMPOID ||
           column->atttypid == DATEOID)) {
        read_stored(table, column->attnum, &facts);
      }
    }
  }
  if (facts.stored_times != NIL) {
    read_checked(table, &facts);
  }
  return facts;
}

// Keeps the facts of a table.
void cache_facts(Oid table, const TableFacts &facts) {
  MemoryContext memory = nullptr;
  TableFacts kept;
  if (facts.all_v7 != nullptr || facts.no_other_time != nullptr || facts.stored_times != NIL) {
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): a macro of PostgreSQL.
    memory = AllocSetContextCreate(CurrentMemoryContext, "uuidx facts", ALLOCSET_SMALL_SIZES);
    MemoryContext before = MemoryContextSwitchTo(memory);
    kept = copy_facts(facts);
    MemoryContextSwitchTo(before);
  }
  auto *entry = static_cast<Entry *>(hash_search(cache.tables, &table, HASH_ENTER, nullptr));
  entry->memory = memory;
  entry->facts = kept;
  // Only what is complete becomes permanent.
  if (memory != nullptr) {
    // NOLINTNEXTLINE(readability-suspicious-call-argument): it is the parent.
    MemoryContextSetParent(memory, CacheMemoryContext);
  }
}

}  // namespace

TableFacts facts_of(Relation table) {
  make_cache();
  const Oid oid = RelationGetRelid(table);
  if (const auto *entry =
          static_cast<const Entry *>(hash_search(cache.tables, &oid, HASH_FIND, nullptr))) {
    return copy_facts(entry->facts);
  }
  // Reading may look into other catalogs, which may find that the table has changed.
  const uint32 changes = cache.changes;
  TableFacts facts = read_facts(table);
  if (changes == cache.changes) {
    cache_facts(oid, facts);
  }
  return facts;
}

}  // namespace uuidx
