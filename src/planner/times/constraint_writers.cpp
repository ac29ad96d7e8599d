#include "planner/times/constraint_writers.hpp"

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
#include "storage/procarray.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// A table of the catalog, with an index that begins with a column of tables.
struct Catalog {
  Oid table;
  Oid index;
  AttrNumber column;
};
constexpr Catalog kConstraints = {ConstraintRelationId, ConstraintRelidTypidNameIndexId,
                                  Anum_pg_constraint_conrelid};
constexpr Catalog kColumns = {AttributeRelationId, AttributeRelidNumIndexId,
                              Anum_pg_attribute_attrelid};
constexpr Catalog kPartitions = {InheritsRelationId, InheritsParentIndexId,
                                 Anum_pg_inherits_inhparent};

// Adds the transactions that wrote the rows of a table in a catalog.
void add_writers(const Catalog &catalog, Oid table, List **writers) {
  // All snapshots see what was written before.
  const TransactionId seen = GetOldestNonRemovableTransactionId(nullptr);
  ScanKeyData key;
  ScanKeyInit(&key, catalog.column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(table));
  Relation rows = table_open(catalog.table, AccessShareLock);
  SysScanDesc scan = systable_beginscan(rows, catalog.index, true, nullptr, 1, &key);
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

}  // namespace

ConstraintWriters read_writers(Relation table) {
  ConstraintWriters writers;
  const Oid oid = RelationGetRelid(table);
  add_writers(kConstraints, oid, &writers.transactions);
  add_writers(kColumns, oid, &writers.transactions);
  if (table->rd_rel->relkind != RELKIND_PARTITIONED_TABLE) {
    return writers;
  }
  List *family = find_all_inheritors(oid, NoLock, nullptr);
  for (int i = 0; i < list_length(family); ++i) {
    CHECK_FOR_INTERRUPTS();
    const Oid member = list_nth_oid(family, i);
    const char kind = get_rel_relkind(member);
    if (kind == RELKIND_PARTITIONED_TABLE) {
      add_writers(kPartitions, member, &writers.transactions);
      writers.is_nested = writers.is_nested || member != oid;
    }
    writers.has_foreign = writers.has_foreign || kind == RELKIND_FOREIGN_TABLE;
  }
  return writers;
}

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

}  // namespace uuidx
