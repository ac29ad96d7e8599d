// Reads pages of a B-tree by the buffer manager rather than by an index scan, which would read
// every entry of a range and count as a use of the index in pg_stat_user_indexes.
//
// One page at a time is pinned and locked, and only while it is read, so nothing waits for longer
// than that, not even the replay of VACUUM on a standby. Between two pages, others may be split or
// deleted: as the tree is read from parents to children and to the right only, the estimate is then
// wrong by a page's rows.
#include "pg/planner/statistics/index_probe.hpp"

#include "pg/planner/statistics/tree_probe.hpp"
#include "core/v7.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/genam.h"
#include "access/itup.h"
#include "access/nbtree.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// How often a search goes to the right on a level, because the page was split meanwhile.
constexpr int kMaxMoves = 4;

// A page of an index, pinned and locked.
struct LockedPage {
  Buffer buffer = InvalidBuffer;
  Page page = nullptr;  // null if it is not a page of a B-tree
  BTPageOpaque opaque = nullptr;
};

// Reads and locks a page.
LockedPage lock_page(Relation index, PageNumber number) {
  const Buffer buffer = ReadBuffer(index, number);
  LockBuffer(buffer, BUFFER_LOCK_SHARE);
  Page page = BufferGetPage(buffer);
  if (PageIsNew(page) || PageGetSpecialSize(page) != MAXALIGN(sizeof(BTPageOpaqueData))) {
    return {buffer, nullptr, nullptr};
  }
  return {buffer, page, BTPageGetOpaque(page)};
}

void unlock_page(const LockedPage &locked) {
  UnlockReleaseBuffer(locked.buffer);
}

// Returns the offset of a page's first entry; before it, there may be the high key.
int first_entry(const LockedPage &locked) {
  return P_FIRSTDATAKEY(locked.opaque);
}

int end_of_entries(const LockedPage &locked) {
  return static_cast<int>(PageGetMaxOffsetNumber(locked.page)) + 1;
}

ItemId item_at(const LockedPage &locked, int offset) {
  return PageGetItemId(locked.page, static_cast<OffsetNumber>(offset));
}

IndexTuple entry_at(const LockedPage &locked, int offset) {
  return reinterpret_cast<IndexTuple>(PageGetItem(locked.page, item_at(locked, offset)));
}

// Returns the first number from `begin` that does not match, as all before it do; `end` if all
// match.
template <typename Predicate>
int first_not(int begin, int end, const Predicate &matches) {
  while (begin < end) {
    const int middle = begin + (end - begin) / 2;
    if (matches(middle)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

// The tree that estimate_rows reads.
struct KeyTree {
  IndexProbe *probe;
  UuidRange range;

  bool children(PageNumber number, int level, bool lower, bool upper, Children *children) const;
  bool rows(PageNumber number, bool lower, bool upper, double *rows) const;
};

// The id of an index entry.
struct Key {
  Uuid id;
  bool null = false;
};

Key key_at(const KeyTree &tree, const LockedPage &locked, int offset) {
  bool null = false;
  const Datum id =
      index_getattr(entry_at(locked, offset), 1, RelationGetDescr(tree.probe->relation), &null);
  return null ? Key{{}, true} : Key{get_uuid(id), false};
}

// True if the index has a key before the range.
bool is_before(const KeyTree &tree, const Key &key) {
  return key.null ? tree.probe->index.nulls_first : key.id < tree.range.lowest;
}

// True if the index has a key after the range.
bool is_after(const KeyTree &tree, const Key &key) {
  return key.null ? !tree.probe->index.nulls_first : key.id > tree.range.highest;
}

// Returns the first offset, from `begin`, of an entry that is not before the range.
int end_of_before(const KeyTree &tree, const LockedPage &locked, int begin) {
  return first_not(begin, end_of_entries(locked),
                   [&](int offset) { return is_before(tree, key_at(tree, locked, offset)); });
}

// Returns the first offset, from `begin`, of an entry that is after the range.
int end_of_range(const KeyTree &tree, const LockedPage &locked, int begin) {
  return first_not(begin, end_of_entries(locked),
                   [&](int offset) { return !is_after(tree, key_at(tree, locked, offset)); });
}

// Reads and locks a page of the tree.
LockedPage lock_page_of(const KeyTree &tree, PageNumber number) {
  --tree.probe->pages;
  return lock_page(tree.probe->relation, number);
}

// Reads and locks a page, or instead the one to its right that has the lower end of the range.
LockedPage lock_page_with(const KeyTree &tree, PageNumber number, bool lower) {
  LockedPage locked = lock_page_of(tree, number);
  for (int i = 0; lower && i < kMaxMoves && locked.page != nullptr; ++i) {
    if (P_IGNORE(locked.opaque) || P_RIGHTMOST(locked.opaque) ||
        !is_before(tree, key_at(tree, locked, P_HIKEY))) {
      break;
    }
    const PageNumber next = locked.opaque->btpo_next;
    unlock_page(locked);
    locked = lock_page_of(tree, next);
  }
  return locked;
}

void read_children(const KeyTree &tree, const LockedPage &locked, bool lower, bool upper,
                   Children *children) {
  const auto child = [&](int offset) { return BTreeTupleGetDownLink(entry_at(locked, offset)); };
  // A child's key is at or below its entries. The first child has none, as it is below everything.
  int begin = first_entry(locked);
  int end = end_of_entries(locked);
  children->all = end - begin;
  if (upper) {
    end = end_of_range(tree, locked, begin + 1) - 1;
    children->last = child(end);
  }
  if (lower) {
    begin = end_of_before(tree, locked, begin + 1);
    children->first = child(begin - 1);
  }
  set_inside(children, begin, end, child);
}

bool KeyTree::children(PageNumber number, int level, bool lower, bool upper,
                       Children *children) const {
  const LockedPage locked = lock_page_with(*this, number, lower);
  const bool usable = locked.page != nullptr && !P_IGNORE(locked.opaque) &&
                      locked.opaque->btpo_level == static_cast<uint32>(level) &&
                      first_entry(locked) < end_of_entries(locked);
  if (usable) {
    read_children(*this, locked, lower, upper, children);
  }
  unlock_page(locked);
  return usable;
}

// Returns the number of rows of version 7 in the range on a page of rows. Entries that are known
// to be dead have none, during recovery as well, although a standby's query with an old snapshot
// may see them.
double count_rows(const KeyTree &tree, const LockedPage &locked, bool lower, bool upper) {
  const int first = first_entry(locked);
  const int begin = lower ? end_of_before(tree, locked, first) : first;
  const int end = upper ? end_of_range(tree, locked, begin) : end_of_entries(locked);
  int found = 0;
  Key last{{}, true};
  for (int offset = begin; offset < end; ++offset) {
    if (ItemIdIsDead(item_at(locked, offset))) {
      continue;
    }
    const Key key = key_at(tree, locked, offset);
    if (key.null || !is_v7(key.id)) {
      continue;
    }
    if (!tree.probe->index.unique) {
      IndexTuple entry = entry_at(locked, offset);
      found += BTreeTupleIsPosting(entry) ? BTreeTupleGetNPosting(entry) : 1;
    } else if (last.null || last.id != key.id) {
      ++found;
    }
    last = key;
  }
  return found;
}

// The page that has the upper end may have been split meanwhile, so those to its right may have
// more rows.
bool KeyTree::rows(PageNumber number, bool lower, bool upper, double *rows) const {
  LockedPage locked = lock_page_with(*this, number, lower);
  for (int i = 0; locked.page != nullptr && P_ISLEAF(locked.opaque); ++i) {
    if (!P_IGNORE(locked.opaque)) {
      *rows += count_rows(*this, locked, lower, upper);
    }
    if (!upper || i == kMaxMoves || P_IGNORE(locked.opaque) || P_RIGHTMOST(locked.opaque) ||
        is_after(*this, key_at(*this, locked, P_HIKEY))) {
      unlock_page(locked);
      return true;
    }
    const PageNumber next = locked.opaque->btpo_next;
    unlock_page(locked);
    locked = lock_page_of(*this, next);
  }
  unlock_page(locked);
  return false;
}

// Finds the root of an index, P_NONE if it is empty, and its level; false if it is not a B-tree.
bool find_root(Relation index, PageNumber *root, int *level) {
  const LockedPage locked = lock_page(index, BTREE_METAPAGE);
  const bool usable = locked.page != nullptr && P_ISMETA(locked.opaque);
  if (usable) {
    const BTMetaPageData *meta = BTPageGetMeta(locked.page);
    *root = meta->btm_fastroot;
    *level = static_cast<int>(meta->btm_fastlevel);
  }
  unlock_page(locked);
  return usable;
}

}  // namespace

bool open_probe(const KeyIndex &index, IndexProbe *probe) {
  probe->index = index;
  probe->relation = index_open(index.oid, NoLock);
  if (find_root(probe->relation, &probe->root, &probe->level)) {
    return true;
  }
  close_probe(*probe);
  return false;
}

void close_probe(const IndexProbe &probe) {
  index_close(probe.relation, NoLock);
}

bool count_range(IndexProbe *probe, UuidRange range, int pages, double *rows) {
  *rows = 0;
  KeyTree tree{probe, range};
  return probe->root == P_NONE || range.empty() ||
         estimate_rows(tree, probe->root, probe->level, pages, rows);
}

}  // namespace uuidx
