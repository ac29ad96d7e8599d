#include "planner/times/table_facts.hpp"

#include <utility>

#include "planner/functions.hpp"
#include "planner/planner_compat.hpp"
#include "planner/times/column_proofs.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "rewrite/rewriteHandler.h"
#include "storage/procarray.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// The facts of a table in the cache.
struct Entry {
  Oid table = InvalidOid;  // the key of the hash table
  TableFacts facts;
};

struct Cache {
  MemoryContext memory = nullptr;  // of all that is kept; null if nothing is
  HTAB *tables = nullptr;
  uint32 changes = 0;       // of tables or functions, so far
  bool has_nested = false;  // a table whose partitions have partitions
  bool watching = false;
};
constinit Cache cache;

// Forgets all tables. Called when a function has changed, as expressions may call it.
void forget_all(Datum /*argument*/, CacheId /*cache*/, uint32 /*hash*/) {
  ++cache.changes;
  cache.has_nested = false;
  if (cache.memory != nullptr) {
    MemoryContextDelete(std::exchange(cache.memory, nullptr));
  }
}

// Called when a table, or all if it is InvalidOid, has changed. Changes of the partitions of
// partitions are not those of a table that is known.
void forget_table(Datum argument, Oid table) {
  ++cache.changes;
  if (cache.memory != nullptr &&
      (!OidIsValid(table) || cache.has_nested ||
       hash_search(cache.tables, &table, HASH_FIND, nullptr) != nullptr)) {
    forget_all(argument, {}, 0);
  }
}

void make_cache() {
  if (!cache.watching) {
    CacheRegisterRelcacheCallback(forget_table, 0);
    CacheRegisterSyscacheCallback(PROCOID, forget_all, 0);
    cache.watching = true;
  }
  if (cache.memory == nullptr) {
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result): a macro of PostgreSQL.
    auto *memory = AllocSetContextCreate(CacheMemoryContext, "uuidx facts", ALLOCSET_SMALL_SIZES);
    HASHCTL control{};
    control.keysize = sizeof(Oid);
    control.entrysize = sizeof(Entry);
    control.hcxt = memory;
    cache.tables =
        hash_create("uuidx facts of tables", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
    cache.memory = memory;
  }
}

// Returns facts with all that they refer to, in the current memory context.
TableFacts copy_facts(const TableFacts &facts) {
  TableFacts copy{bms_copy(facts.all_v7), bms_copy(facts.never_null), NIL,
                  list_copy(facts.writers)};
  for (const auto *stored : each<StoredTime>(facts.stored_times)) {
    StoredTime *own = allocated(*stored);
    own->expression = copy_of(stored->expression);
    copy.stored_times = lappend(copy.stored_times, own);
  }
  return copy;
}

// Adds the transactions that wrote the rows of a table in a catalog, of which an index begins with
// the column of tables.
void add_writers(Oid catalog, Oid index, AttrNumber column, Oid table, List **writers) {
  // All snapshots see what was written before.
  const TransactionId seen = GetOldestNonRemovableTransactionId(nullptr);
  ScanKeyData key;
  ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(table));
  Relation rows = table_open(catalog, AccessShareLock);
  SysScanDesc scan = systable_beginscan(rows, index, true, nullptr, 1, &key);
  HeapTuple tuple = nullptr;
  while (HeapTupleIsValid(tuple = systable_getnext(scan))) {
    const TransactionId writer = HeapTupleHeaderGetXmin(tuple->t_data);
    if (TransactionIdIsNormal(writer) && !TransactionIdPrecedes(writer, seen)) {
      *writers = list_append_unique_oid(*writers, writer);
    }
  }
  systable_endscan(scan);
  table_close(rows, AccessShareLock);
}

// Adds the transactions that wrote the constraints and columns of a table, and attached its
// children, which partitions are, too. Returns true if one of these is a foreign table.
bool read_writers(Relation table, List **writers) {
  const Oid oid = RelationGetRelid(table);
  add_writers(ConstraintRelationId, ConstraintRelidTypidNameIndexId, Anum_pg_constraint_conrelid,
              oid, writers);
  add_writers(AttributeRelationId, AttributeRelidNumIndexId, Anum_pg_attribute_attrelid, oid,
              writers);
  const bool is_partitioned = table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE;
  bool has_foreign = false;
  List *family = table->rd_rel->relhassubclass ? find_all_inheritors(oid, NoLock, nullptr) : NIL;
  for (int i = 0; i < list_length(family); ++i) {
    CHECK_FOR_INTERRUPTS();
    const Oid member = list_nth_oid(family, i);
    const char kind = get_rel_relkind(member);
    if (kind == RELKIND_PARTITIONED_TABLE || !is_partitioned) {
      add_writers(InheritsRelationId, InheritsParentIndexId, Anum_pg_inherits_inhparent, member,
                  writers);
      cache.has_nested = cache.has_nested || member != oid;
    }
    has_foreign = has_foreign || kind == RELKIND_FOREIGN_TABLE;
  }
  return has_foreign;
}

// True if the snapshot of the query that is being planned sees what all of some transactions have
// written, and no row from before.
bool sees_writers(const List *transactions) {
  for (int i = 0; i < list_length(transactions); ++i) {
    const TransactionId writer = list_nth_oid(transactions, i);
    // Its own constraints were compared with the rows that a later snapshot sees.
    if (TransactionIdIsCurrentTransactionId(writer)
            ? IsolationUsesXactSnapshot()
            : !ActiveSnapshotSet() || XidInMVCCSnapshot(writer, GetActiveSnapshot())) {
      return false;
    }
  }
  return true;
}

// Reads a column that is generated and stored.
void read_stored(Relation table, AttrNumber column, TableFacts *facts) {
  Node *expression = build_column_default(table, column);
  if (time_calls(expression) == NIL || has_abbreviation(expression, nullptr)) {
    return;
  }
  facts->stored_times = lappend(facts->stored_times, allocated(StoredTime{column, expression, {}}));
  // The time is NULL for all other versions.
  const auto *call = as<FuncExpr>(expression);
  const Var *id = call != nullptr && kind_of(call->funcid) == FunctionKind::v7_time
                      ? column_of(nth(call->args, 0))
                      : nullptr;
  if (id != nullptr && has_column(facts->never_null, column)) {
    add_column(&facts->all_v7, id->varattno);
  }
}

// Adds the columns without NULL, and those that are generated and stored. Children by inheritance
// may drop a constraint, and compute a column otherwise; a foreign server may store anything.
void read_columns(Relation table, bool has_foreign, TableFacts *facts) {
  const char kind = table->rd_rel->relkind;
  const bool alone = kind == RELKIND_RELATION && !table->rd_rel->relhassubclass;
  if (!alone && (kind != RELKIND_PARTITIONED_TABLE || has_foreign)) {
    return;
  }
  TupleDescData *columns = RelationGetDescr(table);
  for (int i = 0; i < columns->natts; ++i) {
    const FormData_pg_attribute *column = TupleDescAttr(columns, i);
    if (is_not_null(table, column->attnum)) {
      add_column(&facts->never_null, column->attnum);
    }
    if (alone && column->attgenerated == ATTRIBUTE_GENERATED_STORED && !column->attisdropped &&
        is_time(column->atttypid)) {
      read_stored(table, column->attnum, facts);
    }
  }
}

// Reads the facts of a table from its entry in the relation cache.
TableFacts read_facts(Relation table) {
  TableFacts facts;
  if (RelationGetDescr(table)->constr == nullptr) {
    return facts;
  }
  const bool has_foreign = read_writers(table, &facts.writers);
  read_columns(table, has_foreign, &facts);
  const List *clauses = checked_clauses(table);
  for (const Node *clause : each(clauses)) {
    const Var *tested = tested_column(clause);
    if (const Var *id = tested != nullptr ? tested : key_of_equal(facts, clause)) {
      add_column(&facts.all_v7, id->varattno);
    }
  }
  if (facts.never_null != nullptr) {
    add_ordinary_times(&facts, clauses);
  }
  return facts;
}

}  // namespace

TableFacts facts_of(PlannerInfo *root, Relation table) {
  make_cache();
  const Oid oid = RelationGetRelid(table);
  const auto *entry =
      static_cast<const Entry *>(hash_search(cache.tables, &oid, HASH_FIND, nullptr));
  // Reading may look into other catalogs, which may find that the table has changed.
  const uint32 changes = cache.changes;
  TableFacts facts = entry != nullptr ? copy_facts(entry->facts) : read_facts(table);
  if (entry == nullptr && changes == cache.changes) {
    MemoryContext before = MemoryContextSwitchTo(cache.memory);
    const TableFacts kept = copy_facts(facts);
    MemoryContextSwitchTo(before);
    // Only what is complete is found.
    static_cast<Entry *>(hash_search(cache.tables, &oid, HASH_ENTER, nullptr))->facts = kept;
  }
  if (!sees_writers(facts.writers)) {
    root->glob->transientPlan = true;
    return {};
  }
  return facts;
}

}  // namespace uuidx
