// Execution. In descending order (ascending is the same with less for greater), no row that is read
// later has a time above that of the present key and the tolerance. Once enough rows have a time
// above that, the first ones of the order have all been read. A heap of so many best times has the
// worst of them on top. A row that is worse is dropped at once; the others are sorted by
// PostgreSQL's bounded sort, so memory and disk are used as by its own top-N sort.
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
#include "optimizer/planmain.h"
#include "optimizer/tlist.h"
#include "utils/tuplesort.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

struct NearSort {
  CustomScanState custom;
  bool descending;
  int bound;
  AttrNumber time;
  AttrNumber id;
  int64 reach;
  const Sort *sort;    // the columns by which rows are sorted
  bool random_access;  // a cursor may go back
  PlanState *input;
  int64 *ranks;  // the heap
  int ranked;
  Tuplesortstate *sorted;  // null until the rows have been read
  TupleTableSlot *slot;
};

// Returns a time as a number that is less if it comes first.
int64 rank_of(const NearSort &state, int64 time) {
  return state.descending ? -time : time;
}

// Takes a time into the heap. Returns false if enough are better.
bool take_rank(NearSort *state, int64 rank) {
  if (state->ranked == state->bound) {
    if (rank >= state->ranks[0]) {
      return rank == state->ranks[0];  // other columns decide
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

// Reads rows until the first ones are among them, and sorts them.
void read_rows(NearSort *state) {
  const Sort *sort = state->sort;
  state->ranked = 0;
  state->sorted = tuplesort_begin_heap(
      ExecGetResultType(state->input), sort->numCols, sort->sortColIdx, sort->sortOperators,
      sort->collations, sort->nullsFirst, work_mem, nullptr,
      TUPLESORT_ALLOWBOUNDED | (state->random_access ? TUPLESORT_RANDOMACCESS : TUPLESORT_NONE));
  tuplesort_set_bound(state->sorted, state->bound);
  while (true) {
    CHECK_FOR_INTERRUPTS();
    TupleTableSlot *slot = ExecProcNode(state->input);
    if (TupIsNull(slot)) {
      break;
    }
    bool null[] = {false, false};
    const Datum time = slot_getattr(slot, state->time, &null[0]);
    const Datum id = slot_getattr(slot, state->id, &null[1]);
    if (null[0] || null[1]) {
      elog(ERROR, "near sort read a row without time or key");
    }
    if (take_rank(state, rank_of(*state, DatumGetInt64(time)))) {
      tuplesort_puttupleslot(state->sorted, slot);
    }
    if (is_complete(*state, get_uuid(id))) {
      break;
    }
  }
  tuplesort_performsort(state->sorted);
}

TupleTableSlot *execute(CustomScanState *node) {
  auto *state = reinterpret_cast<NearSort *>(node);
  PlanState *plan = &node->ss.ps;
  if (state->sorted == nullptr) {
    read_rows(state);
  }
  ResetExprContext(plan->ps_ExprContext);
  if (!tuplesort_gettupleslot(state->sorted, ScanDirectionIsForward(plan->state->es_direction),
                              false, state->slot, nullptr)) {
    return nullptr;
  }
  // ExecInitCustomScan() has made the projection for a slot of another kind.
  TupleTableSlot *slot = ExecCopySlot(node->ss.ss_ScanTupleSlot, state->slot);
  plan->ps_ExprContext->ecxt_scantuple = slot;
  return plan->ps_ProjInfo != nullptr ? ExecProject(plan->ps_ProjInfo) : slot;
}

void begin(CustomScanState *node, EState *estate, int flags) {
  auto *state = reinterpret_cast<NearSort *>(node);
  const auto *plan = reinterpret_cast<CustomScan *>(node->ss.ps.plan);
  const List *numbers = nth<List>(plan->custom_private, 0);
  state->descending = list_nth_int(numbers, 0) != 0;
  state->bound = list_nth_int(numbers, 1);
  state->time = static_cast<AttrNumber>(list_nth_int(numbers, 2));
  state->id = static_cast<AttrNumber>(list_nth_int(numbers, 3));
  state->reach = DatumGetInt64(nth<Const>(plan->custom_private, 1)->constvalue);
  state->sort = nth<Sort>(plan->custom_private, 2);
  state->ranks = static_cast<int64 *>(palloc(sizeof(int64) * static_cast<Size>(state->bound)));
  constexpr int kReturns = EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK;
  state->random_access = (flags & kReturns) != 0;
  state->input = ExecInitNode(nth<Plan>(plan->custom_plans, 0), estate, flags & ~kReturns);
  node->custom_ps = list_make1(state->input);
  state->slot =
      ExecInitExtraTupleSlot(estate, ExecGetResultType(state->input), &TTSOpsMinimalTuple);
}

// Forgets the rows.
void clear(NearSort *state) {
  ExecClearTuple(state->custom.ss.ss_ScanTupleSlot);
  ExecClearTuple(state->slot);
  if (state->sorted != nullptr) {
    tuplesort_end(state->sorted);
    state->sorted = nullptr;
  }
}

void end(CustomScanState *node) {
  auto *state = reinterpret_cast<NearSort *>(node);
  clear(state);
  ExecEndNode(state->input);
}

void rescan(CustomScanState *node) {
  auto *state = reinterpret_cast<NearSort *>(node);
  // ExecReScan() does so only for left and right inputs.
  if (node->ss.ps.chgParam != nullptr) {
    UpdateChangedParamSet(state->input, node->ss.ps.chgParam);
  }
  clear(state);
  // Otherwise ExecProcNode() does so.
  if (state->input->chgParam == nullptr) {
    ExecReScan(state->input);
  }
}

// Shows how far rows are read beyond the last one, and how many are kept at most.
void explain(CustomScanState *node, List * /*ancestors*/, ExplainState *es) {
  const auto &state = *reinterpret_cast<NearSort *>(node);
  const auto tolerance = static_cast<double>(state.descending ? state.reach : -state.reach);
  ExplainPropertyFloat("Tolerance", "s", tolerance / USECS_PER_SEC, 3, es);
  ExplainPropertyInteger("Most Rows Kept", nullptr, state.bound, es);
}

Node *make_state(CustomScan * /*scan*/) {
  static const CustomExecMethods methods = {"Near Sort", begin,   execute, end,     rescan,
                                            nullptr,     nullptr, nullptr, nullptr, nullptr,
                                            nullptr,     nullptr, explain};
  auto *state = static_cast<NearSort *>(palloc0(sizeof(NearSort)));
  NodeSetTag(state, T_CustomScanState);
  state->custom.methods = &methods;
  return reinterpret_cast<Node *>(state);
}

const CustomScanMethods kScanMethods = {"Near Sort", make_state};

// Makes the plan of a path; its expressions become positions in what the input returns.
Plan *make_plan(PlannerInfo *root, RelOptInfo * /*rel*/, CustomPath *path, List *targets,
                List * /*clauses*/, List *plans) {
  auto *input = nth<Plan>(plans, 0);
  auto *scan = makeNode(CustomScan);
  scan->scan.plan.targetlist = targets;
  scan->flags = path->flags;
  scan->custom_plans = plans;
  scan->custom_scan_tlist = copy_of(input->targetlist);
  scan->methods = &kScanMethods;
  List *numbers = list_copy(nth<List>(path->custom_private, 0));
  for (const Node *column : each(nth<List>(path->custom_private, 2))) {
    numbers = lappend_int(numbers, tlist_member(as_expr(column), input->targetlist)->resno);
  }
  Sort *sort = make_sort_from_sortclauses(root->parse->sortClause, input);
  sort->plan.lefttree = nullptr;
  sort->plan.targetlist = NIL;
  scan->custom_private = list_make3(numbers, nth(path->custom_private, 1), sort);
  return &scan->scan.plan;
}

}  // namespace

CustomPath *make_near_sort_path(Path *input, const Var *time, const Var *id, bool descending,
                                int bound, int64 reach) {
  static const CustomPathMethods methods = {"Near Sort", make_plan, nullptr};
  auto *path = makeNode(CustomPath);
  path->path.pathtype = T_CustomScan;
  path->flags = CUSTOMPATH_SUPPORT_BACKWARD_SCAN | CUSTOMPATH_SUPPORT_PROJECTION;
  path->custom_paths = list_make1(input);
  path->custom_private = list_make3(list_make2_int(descending ? 1 : 0, bound),
                                    makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
                                              Int64GetDatum(reach), false, FLOAT8PASSBYVAL),
                                    list_make2(copy_of(time), copy_of(id)));
  path->methods = &methods;
  copy_disabled(&path->path, input);
  return path;
}

void register_near_sort() {
  RegisterCustomScanMethods(&kScanMethods);
}

}  // namespace uuidx
