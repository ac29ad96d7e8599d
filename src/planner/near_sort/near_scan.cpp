// Rows come in the order of a key. No row that is read later has a time above that of the present
// key and the tolerance (as for descending order; ascending is the same with less for greater). So
// once enough rows have a time above that, the first ones of the order have all been read.
//
// A row that is worse than enough others is dropped at once; the others are sorted by PostgreSQL's
// bounded sort, which keeps at most as many. So memory and disk are used as by its own top-N sort.
// Of the times alone, a heap has the best ones, with the worst of these on top.
#include "planner/near_sort/near_scan.hpp"

#include <algorithm>

#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "optimizer/planmain.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/tuplesort.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

struct NearSort {
  CustomScanState custom;
  bool descending;
  bool random_access;  // a cursor may go back
  int64 reach;
  int bound;
  AttrNumber time;
  AttrNumber id;
  const Sort *sort;  // the columns by which rows are sorted
  int64 *ranks;      // the heap
  int ranked;
  Tuplesortstate *sorted;  // null until the rows have been read
  TupleTableSlot *slot;
};

PlanState *input_of(const NearSort &state) {
  return nth<PlanState>(state.custom.custom_ps, 0);
}

// Returns a time as a number that is less if it comes first.
int64 rank_of(const NearSort &state, int64 time) {
  return state.descending ? -time : time;
}

// Takes a time into the heap of the best ones. Returns false if enough are better.
bool take_rank(NearSort *state, int64 rank) {
  int64 *end = state->ranks + state->ranked;
  if (state->ranked < state->bound) {
    *end = rank;
    ++state->ranked;
    std::push_heap(state->ranks, end + 1);
    return true;
  }
  if (rank < state->ranks[0]) {
    std::pop_heap(state->ranks, end);
    end[-1] = rank;
    std::push_heap(state->ranks, end);
    return true;
  }
  return rank == state->ranks[0];  // other columns decide
}

// True if no row that is read later can be among the first ones, by the key that was read last.
bool is_complete(const NearSort &state, Uuid id) {
  const auto millis = static_cast<int64>(id.hi >> 16);
  const int64 time = millis * 1000 - kPostgresEpoch;
  return state.ranked == state.bound && state.ranks[0] < rank_of(state, time + state.reach);
}

// Reads rows until the first ones are among them, and sorts these.
void read_rows(NearSort *state) {
  PlanState *input = input_of(*state);
  const int options =
      TUPLESORT_ALLOWBOUNDED | (state->random_access ? TUPLESORT_RANDOMACCESS : TUPLESORT_NONE);
  const Sort *sort = state->sort;
  state->sorted = tuplesort_begin_heap(ExecGetResultType(input), sort->numCols, sort->sortColIdx,
                                       sort->sortOperators, sort->collations, sort->nullsFirst,
                                       work_mem, nullptr, options);
  tuplesort_set_bound(state->sorted, state->bound);
  while (true) {
    CHECK_FOR_INTERRUPTS();
    TupleTableSlot *slot = ExecProcNode(input);
    if (TupIsNull(slot)) {
      break;
    }
    bool no_time = false;
    bool no_id = false;
    const Datum time = slot_getattr(slot, state->time, &no_time);
    const Datum id = slot_getattr(slot, state->id, &no_id);
    if (no_time || no_id) {
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
  ScanState *scan = &node->ss;
  TupleTableSlot *slot = scan->ss_ScanTupleSlot;
  const bool forward = ScanDirectionIsForward(scan->ps.state->es_direction);
  if (state->sorted == nullptr) {
    read_rows(state);
  }
  ResetExprContext(scan->ps.ps_ExprContext);
  if (!tuplesort_gettupleslot(state->sorted, forward, false, state->slot, nullptr)) {
    ProjectionInfo *projection = scan->ps.ps_ProjInfo;
    return ExecClearTuple(projection != nullptr ? projection->pi_state.resultslot : slot);
  }
  // The projection is made for a slot of this kind.
  ExecCopySlot(slot, state->slot);
  if (scan->ps.ps_ProjInfo == nullptr) {
    return slot;
  }
  scan->ps.ps_ExprContext->ecxt_scantuple = slot;
  return ExecProject(scan->ps.ps_ProjInfo);
}

// Reads what make_plan() has written.
void begin(CustomScanState *node, EState *estate, int flags) {
  auto *state = reinterpret_cast<NearSort *>(node);
  const auto *plan = reinterpret_cast<CustomScan *>(node->ss.ps.plan);
  constexpr int kReturns = EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK;
  const List *numbers = nth<List>(plan->custom_private, 0);
  state->descending = list_nth_int(numbers, 0) != 0;
  state->bound = list_nth_int(numbers, 1);
  state->time = static_cast<AttrNumber>(list_nth_int(numbers, 2));
  state->id = static_cast<AttrNumber>(list_nth_int(numbers, 3));
  state->reach = DatumGetInt64(nth<Const>(plan->custom_private, 1)->constvalue);
  state->sort = nth<Sort>(plan->custom_private, 2);
  state->random_access = (flags & kReturns) != 0;
  state->ranks = static_cast<int64 *>(palloc(sizeof(int64) * static_cast<Size>(state->bound)));
  node->custom_ps =
      list_make1(ExecInitNode(nth<Plan>(plan->custom_plans, 0), estate, flags & ~kReturns));
  state->slot =
      ExecInitExtraTupleSlot(estate, ExecGetResultType(input_of(*state)), &TTSOpsMinimalTuple);
}

// Forgets the rows.
void clear(NearSort *state) {
  ExecClearTuple(state->custom.ss.ss_ScanTupleSlot);
  ExecClearTuple(state->slot);
  if (state->sorted != nullptr) {
    tuplesort_end(state->sorted);
    state->sorted = nullptr;
  }
  state->ranked = 0;
}

void end(CustomScanState *node) {
  auto *state = reinterpret_cast<NearSort *>(node);
  clear(state);
  ExecEndNode(input_of(*state));
}

void rescan(CustomScanState *node) {
  auto *state = reinterpret_cast<NearSort *>(node);
  PlanState *input = input_of(*state);
  // ExecReScan() does so only for left and right inputs.
  if (node->ss.ps.chgParam != nullptr) {
    UpdateChangedParamSet(input, node->ss.ps.chgParam);
  }
  if (state->sorted != nullptr && state->random_access && input->chgParam == nullptr) {
    ExecClearTuple(state->slot);
    tuplesort_rescan(state->sorted);
    return;
  }
  clear(state);
  // Otherwise ExecProcNode() does so.
  if (input->chgParam == nullptr) {
    ExecReScan(input);
  }
}

// Shows the order, how far rows are read beyond the last one, and how many are kept at most.
void explain(CustomScanState *node, List *ancestors, ExplainState *es) {
  const auto &state = *reinterpret_cast<NearSort *>(node);
  auto *plan = reinterpret_cast<CustomScan *>(node->ss.ps.plan);
  List *context = set_deparse_context_plan(es->deparse_cxt, &plan->scan.plan, ancestors);
  const bool prefix = es->verbose || list_length(es->rtable) > 1;
  List *keys = NIL;
  for (int i = 0; i < state.sort->numCols; ++i) {
    const auto *entry = nth<TargetEntry>(plan->custom_scan_tlist, state.sort->sortColIdx[i] - 1);
    bool descending = false;
    get_equality_op_for_ordering_op(state.sort->sortOperators[i], &descending);
    const bool nulls_first = state.sort->nullsFirst[i];
    keys = lappend(
        keys, psprintf("%s%s%s", deparse_expression(as_node(entry->expr), context, prefix, false),
                       descending ? " DESC" : "",
                       nulls_first == descending ? ""
                       : nulls_first             ? " NULLS FIRST"
                                                 : " NULLS LAST"));
  }
  ExplainPropertyList("Sort Key", keys, es);
  const int64 reach = state.descending ? state.reach : -state.reach;
  ExplainPropertyFloat("Tolerance", "s", static_cast<double>(reach) / USECS_PER_SEC, 3, es);
  ExplainPropertyInteger("Most Rows Kept", nullptr, state.bound, es);
}

Node *make_state(CustomScan *scan);
const CustomScanMethods kScanMethods = {"Near Sort", make_state};

const CustomExecMethods kExecMethods = {"Near Sort", begin,   execute, end,     rescan,
                                        nullptr,     nullptr, nullptr, nullptr, nullptr,
                                        nullptr,     nullptr, explain};

Node *make_state(CustomScan * /*scan*/) {
  auto *state = static_cast<NearSort *>(palloc0(sizeof(NearSort)));
  NodeSetTag(state, T_CustomScanState);
  state->custom.methods = &kExecMethods;
  return reinterpret_cast<Node *>(state);
}

// Returns the position of a column in what the input returns.
int position_of(const Var *column, const Plan *input) {
  const TargetEntry *entry = tlist_member(as_expr(column), input->targetlist);
  if (entry == nullptr) {
    elog(ERROR, "near sort lacks a column");
  }
  return entry->resno;
}

Plan *make_plan(PlannerInfo *root, RelOptInfo * /*rel*/, CustomPath *custom, List *targets,
                List * /*clauses*/, List *plans) {
  const auto &path = *reinterpret_cast<NearSortPath *>(custom);
  auto *input = nth<Plan>(plans, 0);
  auto *scan = makeNode(CustomScan);
  scan->scan.plan.targetlist = targets;
  scan->flags = custom->flags;
  scan->custom_plans = plans;
  scan->custom_scan_tlist = copy_of(input->targetlist);
  scan->methods = &kScanMethods;
  Sort *sort = make_sort_from_sortclauses(root->parse->sortClause, input);
  sort->plan.lefttree = nullptr;
  sort->plan.targetlist = NIL;
  List *numbers = list_make4_int(path.descending ? 1 : 0, path.bound, position_of(path.time, input),
                                 position_of(path.id, input));
  Const *reach = makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(path.reach), false,
                           FLOAT8PASSBYVAL);
  scan->custom_private = list_make3(numbers, reach, sort);
  return &scan->scan.plan;
}

const CustomPathMethods kPathMethods = {"Near Sort", make_plan, nullptr};

}  // namespace

NearSortPath *make_near_sort_path(Path *input) {
  auto *path = static_cast<NearSortPath *>(palloc0(sizeof(NearSortPath)));
  NodeSetTag(path, T_CustomPath);
  CustomPath *custom = &path->custom;
  custom->path.pathtype = T_CustomScan;
  custom->flags = CUSTOMPATH_SUPPORT_BACKWARD_SCAN | CUSTOMPATH_SUPPORT_PROJECTION;
  custom->custom_paths = list_make1(input);
  custom->methods = &kPathMethods;
  copy_disabled(&custom->path, input);
  return path;
}

void register_near_sort() {
  RegisterCustomScanMethods(&kScanMethods);
}

}  // namespace uuidx
