#include "pg/planner/partitions.hpp"

#include <algorithm>

#include "core/time_range.hpp"
#include "pg/planner/range_types.hpp"

namespace uuidx {

namespace {

// True if a column is in the partition key of a table and comparisons prune by it, which they do
// not with HASH.
bool has_partition_key(Oid table, const char *column) {
  HeapTuple tuple = SearchSysCache1(PARTRELID, ObjectIdGetDatum(table));
  if (!HeapTupleIsValid(tuple)) {
    return false;
  }
  const auto *key = reinterpret_cast<Form_pg_partitioned_table>(GETSTRUCT(tuple));
  bool found = false;
  if (key->partstrat != PARTITION_STRATEGY_HASH) {
    // By name, as the numbers of a partition's columns may differ.
    const AttrNumber number = get_attnum(table, column);
    for (int i = 0; i < key->partnatts && !found; ++i) {
      found = number != InvalidAttrNumber && key->partattrs.values[i] == number;
    }
  }
  ReleaseSysCache(tuple);
  return found;
}

// Returns the partitions of a table that have partitions themselves. The query holds a lock on the
// table.
List *subpartitioned_of(Oid table) {
  List *subpartitioned = NIL;
  Relation relation = table_open(table, NoLock);
  PartitionDesc partitions = RelationGetPartitionDesc(relation, true);
  for (int i = 0; i < partitions->nparts; ++i) {
    if (!partitions->is_leaf[i]) {
      subpartitioned = lappend_oid(subpartitioned, partitions->oids[i]);
    }
  }
  table_close(relation, NoLock);
  return subpartitioned;
}

// Returns the same for the first of some tables, from the catalog.
List *subpartitioned_below(const List *tables) {
  List *children = find_inheritance_children(linitial_oid(tables), NoLock);
  List *subpartitioned = NIL;
  for (int i = 0; i < list_length(children); ++i) {
    const Oid child = list_nth_oid(children, i);
    if (get_rel_relkind(child) == RELKIND_PARTITIONED_TABLE) {
      subpartitioned = lappend_oid(subpartitioned, child);
    }
  }
  return subpartitioned;
}

// Returns how many partitions by RANGE of the id overlap some time ranges. Gaps between partitions
// count as partitions.
int count_overlapped(PartitionKey key, PartitionBoundInfo bounds, const MultirangeType *ranges) {
  const auto place = [&](Uuid id) {
    pg_uuid_t octets;
    to_octets(id, octets.data);
    Datum value = UUIDPGetDatum(&octets);
    bool equal = false;
    return partition_range_datum_bsearch(key->partsupfunc, key->partcollation, bounds, 1, &value,
                                         &equal);
  };
  int overlapped = 0;
  int last = -2;  // the place before the first one, -1
  for (uint32 i = 0; i < ranges->rangeCount; ++i) {
    const UuidRange range = v7_range(time_range_at(range_type(), ranges, i));
    if (!range.empty()) {
      const int first = std::max(place(range.lowest), last + 1);
      last = std::max(place(range.highest), last);
      overlapped += last - first + 1;
    }
  }
  return overlapped;
}

}  // namespace

// The catalog is read without locks on the partitions: the query may not need most of them, and one
// may be gone by now. From the third level on, only partitions of the first table of a level are
// examined, as the others are usually partitioned alike and each takes a scan of pg_inherits. If
// that misses a key, constants still prune the partitions, as the planner simplifies a condition
// again for each partition.
bool is_partition_key(Oid table, const char *column) {
  if (has_partition_key(table, column)) {
    return true;
  }
  for (List *level = subpartitioned_of(table); level != NIL; level = subpartitioned_below(level)) {
    for (int i = 0; i < list_length(level); ++i) {
      if (has_partition_key(list_nth_oid(level, i), column)) {
        return true;
      }
    }
  }
  return false;
}

uint32 count_tables(const RangeTblEntry *entry, AttrNumber id, const MultirangeType *ranges) {
  int tables = list_length(find_all_inheritors(entry->relid, NoLock, nullptr));
  if (entry->relkind == RELKIND_PARTITIONED_TABLE) {
    Relation relation = table_open(entry->relid, NoLock);
    PartitionKey key = RelationGetPartitionKey(relation);
    PartitionDesc partitions = RelationGetPartitionDesc(relation, true);
    if (key->strategy == PARTITION_STRATEGY_RANGE && key->partattrs[0] == id &&
        key->partopcintype[0] == UUIDOID && partitions->nparts > 0) {
      tables = tables / partitions->nparts * count_overlapped(key, partitions->boundinfo, ranges);
    }
    table_close(relation, NoLock);
  }
  return static_cast<uint32>(std::max(tables, 1));
}

}  // namespace uuidx
