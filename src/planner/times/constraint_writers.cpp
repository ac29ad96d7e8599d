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

// A table of the catalog, with an index that begins with a column.
struct Catalog {
  Oid table;
  Oid index;
  AttrNumber column;
};

// Calls visit(row) for the rows of a catalog that are of a table.
template <typename Row, typename Visit>
void each_row(const Catalog &catalog, Oid table, const Visit &visit) {
  ScanKeyData key;
  ScanKeyInit(&key, catalog.column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(table));
  Relation rows = table_open(catalog.table, AccessShareLock);
  SysScanDesc scan = systable_beginscan(rows, catalog.index, true, nullptr, 1, &key);
  HeapTuple tuple = nullptr;
  while (HeapTupleIsValid(tuple = systable_getnext(scan))) {
    visit(*reinterpret_cast<Row>(GETSTRUCT(tuple)), HeapTupleHeaderGetXmin(tuple->t_data));
  }
  systable_endscan(scan);
  table_close(rows, AccessShareLock);
}

// What is read, and the transaction that all snapshots see, with all before it.
struct Reading {
  ConstraintWriters *writers;
  TransactionId seen;

  void add(TransactionId writer) const {
    if (TransactionIdIsNormal(writer) && !TransactionIdPrecedes(writer, seen)) {
      writers->transactions = list_append_unique_oid(writers->transactions, writer);
    }
  }
};

// Reads who attached the partitions of a table.
// NOLINTNEXTLINE(misc-no-recursion): partitions are a tree.
void read_partitions(const Reading &reading, Oid table) {
  check_stack_depth();
  const Catalog catalog = {InheritsRelationId, InheritsParentIndexId, Anum_pg_inherits_inhparent};
  List *partitions = NIL;
  each_row<Form_pg_inherits>(catalog, table, [&](const auto &row, TransactionId writer) {
    reading.add(writer);
    partitions = lappend_oid(partitions, row.inhrelid);
  });
  for (int i = 0; i < list_length(partitions); ++i) {
    CHECK_FOR_INTERRUPTS();
    const Oid partition = list_nth_oid(partitions, i);
    const char kind = get_rel_relkind(partition);
    if (kind == RELKIND_PARTITIONED_TABLE) {
      reading.writers->is_nested = true;
      read_partitions(reading, partition);
    }
    reading.writers->has_foreign = reading.writers->has_foreign || kind == RELKIND_FOREIGN_TABLE;
  }
}

}  // namespace

ConstraintWriters read_writers(Relation table) {
  ConstraintWriters writers;
  const Reading reading = {&writers, GetOldestNonRemovableTransactionId(nullptr)};
  const Oid oid = RelationGetRelid(table);
  each_row<Form_pg_constraint>(
      {ConstraintRelationId, ConstraintRelidTypidNameIndexId, Anum_pg_constraint_conrelid}, oid,
      [&](const auto &row, TransactionId writer) {
        if (row.contype == CONSTRAINT_CHECK || row.contype == 'n') {
          reading.add(writer);
        }
      });
  each_row<Form_pg_attribute>(
      {AttributeRelationId, AttributeRelidNumIndexId, Anum_pg_attribute_attrelid}, oid,
      [&](const auto &row, TransactionId writer) {
        if (row.attnotnull && row.attnum > 0) {
          reading.add(writer);
        }
      });
  if (table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE) {
    read_partitions(reading, oid);
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
