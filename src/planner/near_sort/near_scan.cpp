// Execution. In descending order (ascending is the same with less for greater), no row that is read
// later has a time above that of the present key and the tolerance. Once enough rows have a time
// above that, the first ones of the order have all been read. A heap of so many best times has the
// worst of them on top. A row that is worse is dropped; PostgreSQL's top-N sort above has the rest.
#include "planner/near_sort/near_sort.hpp"

#include <algorithm>

#include "core/v7.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

struct NearSort {
  CustomScanState custom;
  bool descending;
  int bound;
  int64 reach;
  int64 *ranks;  // the heap
  int ranked;
  bool complete;
};

// Returns a time as a number that is less if it comes first.
int64 rank_of(const NearSort &state, int64 time) {
  return state.descending ? -time : time;
}

// Takes a time into the heap. Returns false if enough are better; of equal ones, other
// columns decide.
bool take_rank(NearSort *state, int64 rank) {
  if (state->ranked == state->bound) {
    if (rank > state->ranks[0]) {
      return false;
    }
    std::pop_heap(state->ranks, state->ranks + state->ranked--);
  }
  state->ranks[state->ranked++] = rank;
  std::push_heap(state->ranks, state->ranks + state->ranked);
  return true;
}

// True if no row after one with this key can be among the first ones.
bool is_complete(const NearSort &state, Uuid id) {
  const auto millis = static_cast<int64>(id.hi >> kMillisShift);
  const int64 farthest = millis * kMicrosPerMilli - kPostgresEpoch + state.reach;
  return state.ranked == state.bound && state.ranks[0] < rank_of(state, farthest);
}

TupleTableSlot *execute(CustomScanState *node) {
  auto *state = reinterpret_cast<NearSort *>(node);
  while (!state->complete) {
    TupleTableSlot *slot = ExecProcNode(outerPlanState(node));
    if (TupIsNull(slot)) {
      break;
    }
    bool null[] = {false, false};
    const Datum id = slot_getattr(slot, 1, &null[0]);
    const Datum time = slot_getattr(slot, 2, &null[1]);
    if (null[0] || null[1]) {
      elog(ERROR, "near sort read a row without time or key");
    }
    const bool taken = take_rank(state, rank_of(*state, DatumGetTimestampTz(time)));
    state->complete = is_complete(*state, get_uuid(id));
    if (taken) {
      return slot;
    }
  }
  return nullptr;
}

void begin(CustomScanState *node, EState *estate, int flags) {
  auto *state = reinterpret_cast<NearSort *>(node);
  const auto *plan = reinterpret_cast<CustomScan *>(node->ss.ps.plan);
  const List *numbers = nth<List>(plan->custom_private, 0);
  state->descending = list_nth_int(numbers, 0) != 0;
  state->bound = list_nth_int(numbers, 1);
  state->reach = DatumGetInt64(nth<Const>(plan->custom_private, 1)->constvalue);
  state->ranks = static_cast<int64 *>(palloc(sizeof(int64) * static_cast<Size>(state->bound)));
  outerPlanState(node) = ExecInitNode(outerPlan(plan), estate, flags);
  // The slots are those of the input, of any kind.
  node->ss.ps.resultopsset = true;
  node->ss.ps.resultopsfixed = false;
}

void end(CustomScanState *node) {
  ExecEndNode(outerPlanState(node));
}

void rescan(CustomScanState *node) {
  auto *state = reinterpret_cast<NearSort *>(node);
  state->ranked = 0;
  state->complete = false;
  // Otherwise ExecProcNode() does so.
  if (outerPlanState(node)->chgParam == nullptr) {
    ExecReScan(outerPlanState(node));
  }
}

Node *make_state(CustomScan * /*scan*/) {
  static const CustomExecMethods methods = {"Near Sort", begin,   execute, end,     rescan,
                                            nullptr,     nullptr, nullptr, nullptr, nullptr,
                                            nullptr,     nullptr, nullptr};
  auto *state = static_cast<NearSort *>(palloc0(sizeof(NearSort)));
  NodeSetTag(state, T_CustomScanState);
  state->custom.methods = &methods;
  return reinterpret_cast<Node *>(state);
}

constexpr CustomScanMethods kScanMethods = {"Near Sort", make_state};

// Makes the plan of a path, which has the columns of its input.
Plan *make_plan(PlannerInfo * /*root*/, RelOptInfo * /*rel*/, CustomPath *path, List *targets,
                List * /*clauses*/, List *plans) {
  auto *scan = makeNode(CustomScan);
  scan->scan.plan.targetlist = targets;
  outerPlan(scan) = nth<Plan>(plans, 0);
  scan->custom_scan_tlist = copy_of(targets);
  scan->custom_private = path->custom_private;
  scan->methods = &kScanMethods;
  return &scan->scan.plan;
}

}  // namespace

CustomPath *make_near_sort_path(Path *input, bool descending, int bound, int64 reach) {
  static const CustomPathMethods methods = {"Near Sort", make_plan, nullptr};
  auto *path = makeNode(CustomPath);
  path->path.pathtype = T_CustomScan;
  path->path.parent = input->parent;
  path->path.pathtarget = input->pathtarget;
  path->path.parallel_safe = input->parallel_safe;
  path->custom_paths = list_make1(input);
  path->custom_private = list_make2(list_make2_int(descending ? 1 : 0, bound),
                                    makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
                                              Int64GetDatum(reach), false, FLOAT8PASSBYVAL));
  path->methods = &methods;
  copy_disabled(&path->path, input);
  return path;
}

void register_near_sort() {
  RegisterCustomScanMethods(&kScanMethods);
}

}  // namespace uuidx
