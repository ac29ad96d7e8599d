#include "sql/time_trigger_table.hpp"

#include "core/fields.hpp"
#include "core/v7.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"
#include "planner/times/column_proofs.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the column that an argument of a trigger names; raises an error if there is none that a
// trigger can set.
Column named_column(const TriggerData *call, int argument) {
  TupleDesc columns = RelationGetDescr(call->tg_relation);
  const char *name = call->tg_trigger->tgargs[argument];
  for (int i = 0; i < columns->natts; ++i) {
    const FormData_pg_attribute *attribute = TupleDescAttr(columns, i);
    if (attribute->attisdropped || namestrcmp(&TupleDescAttr(columns, i)->attname, name) != 0) {
      continue;
    }
    if (attribute->attgenerated != '\0') {
      ereport(ERROR, errcode(ERRCODE_GENERATED_ALWAYS),
              errmsg("column \"%s\" is a generated column", name),
              errtablecol(call->tg_relation, i + 1));
    }
    Column column{attribute->attnum, attribute->atttypid, attribute->atttypmod};
    column.type = getBaseTypeAndTypmod(attribute->atttypid, &column.typmod);
    column.domain = column.type != attribute->atttypid ? attribute->atttypid : InvalidOid;
    return column;
  }
  ereport(ERROR, errcode(ERRCODE_UNDEFINED_COLUMN),
          errmsg("column \"%s\" of relation \"%s\" does not exist", name,
                 RelationGetRelationName(call->tg_relation)));
  pg_unreachable();
}

// Raises the error for a column of a type that the trigger does not know.
[[noreturn]] void raise_wrong_type(const TriggerData *call, const Column &column,
                                   const char *known) {
  ereport(
      ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
      errmsg(
          "column \"%s\" is of type %s, not %s",
          NameStr(TupleDescAttr(RelationGetDescr(call->tg_relation), column.number - 1)->attname),
          format_type_be(column.type), known),
      errtablecol(call->tg_relation, column.number));
  pg_unreachable();
}

// Returns the tolerance of a trigger in microseconds. Its days have 24 hours.
uint64 read_tolerance(const TriggerData *call) {
  const char *text = tolerance_text(call);
  const Interval *interval = DatumGetIntervalP(DirectFunctionCall3(
      interval_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
  int64 micros = 0;
  if (interval->month != 0 ||
      __builtin_mul_overflow(int64{interval->day}, USECS_PER_DAY, &micros) ||
      __builtin_add_overflow(micros, interval->time, &micros) || micros < 0) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("invalid tolerance: \"%s\"", text),
            errdetail("A tolerance has no months, and is not negative."));
  }
  return static_cast<uint64>(micros);
}

// Returns the conditions of a CHECK that have the time of the key and the column, and no other
// column. Others, as of keys and columns before some day, tell nothing of the time's precision.
List *conditions_of(const ConstrCheck &check, const TimeTrigger &trigger) {
  Bitmapset *both = nullptr;
  for (const AttrNumber number : {trigger.key.number, trigger.time.number}) {
    both = bms_add_member(both, number - FirstLowInvalidHeapAttributeNumber);
  }
  List *conditions = NIL;
  for (Node *condition : each(make_ands_implicit(as_expr(stringToNode(check.ccbin))))) {
    Bitmapset *columns = nullptr;
    pull_varattnos(condition, 1, &columns);
    if (bms_equal(columns, both) && has_time_call(condition, nullptr)) {
      conditions = lappend(conditions, condition);
    }
  }
  return conditions;
}

// Sets two times that tell apart what conditions may demand of a column: precisions, zones.
void choose_times(const Column &column, UnixMicros (&times)[2]) {
  const UnixMicros now = get_time(TimestampTzGetDatum(GetCurrentTimestamp()));
  if (column.type == DATEOID) {
    // The ends of the last day.
    times[1] = now - now % USECS_PER_DAY - 1;
    times[0] = times[1] - USECS_PER_DAY + 2;
    return;
  }
  // In the last second, with each digit.
  times[0] = times[1] = now - now % USECS_PER_SEC - USECS_PER_SEC + 654'700;
  if (column.typmod >= 0 && column.typmod < 3) {
    // Before 2000, PostgreSQL rounds half a unit down, but up with a part of a millisecond more.
    UnixMicros half = USECS_PER_SEC / 2;
    for (int32 digit = 0; digit < column.typmod; ++digit) {
      half /= 10;
    }
    times[1] = kPostgresEpoch - half + 700;
  }
}

// True if conditions hold for keys of these times, with values of microseconds or without.
bool holds(TupleTableSlot *row, ExprState *conditions, const TimeTrigger &trigger, bool precise) {
  UnixMicros times[2];
  choose_times(trigger.time, times);
  ExprContext *context = CreateStandaloneExprContext();
  context->ecxt_scantuple = row;
  bool all = true;
  for (const UnixMicros time : times) {
    const Uuid key = v7_at(time, 0).value_or(kMax);
    row->tts_values[trigger.key.number - 1] = make_uuid(key);
    row->tts_isnull[trigger.key.number - 1] = false;
    row->tts_values[trigger.time.number - 1] = value_of(trigger.time, time_in(key, precise));
    row->tts_isnull[trigger.time.number - 1] = false;
    all = all && ExecCheck(conditions, context);
  }
  FreeExprContext(context, true);
  return all;
}

// True if the constraints demand a time with microseconds. Raises an error if neither that nor one
// with milliseconds satisfies them.
bool demands_precise(const TriggerData *call, const TimeTrigger &trigger) {
  TupleDesc columns = RelationGetDescr(call->tg_relation);
  const TupleConstr *constraints = columns->constr;
  if (constraints == nullptr || constraints->num_check == 0) {
    return false;
  }
  bool allowed[] = {true, true};
  TupleTableSlot *row = MakeSingleTupleTableSlot(columns, &TTSOpsVirtual);
  ExecStoreAllNullTuple(row);
  for (int i = 0; i < constraints->num_check; ++i) {
    const ConstrCheck &check = constraints->check[i];
    List *conditions = is_enforced(check) ? conditions_of(check, trigger) : NIL;
    if (conditions == NIL) {
      continue;
    }
    ExprState *state =
        ExecInitCheck(reinterpret_cast<List *>(expression_planner(as_expr(conditions))), nullptr);
    for (const bool precise : {false, true}) {
      allowed[precise] = allowed[precise] && holds(row, state, trigger, precise);
    }
    if (!allowed[0] && !allowed[1]) {
      ereport(ERROR, errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
              errmsg("trigger \"%s\" cannot satisfy check constraint \"%s\"",
                     call->tg_trigger->tgname, check.ccname),
              errdetail("The trigger sets the column to the time in the key, in UTC, rounded to "
                        "the precision of the column."));
    }
  }
  ExecDropSingleTupleTableSlot(row);
  return !allowed[0];
}

}  // namespace

// Returns what a trigger needs to know, from its arguments and its table.
TimeTrigger read_trigger(const TriggerData *call) {
  const int arguments = call->tg_trigger->tgnargs;
  if (arguments != 2 && arguments != 3) {
    ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
            errmsg("trigger \"%s\" must have two or three arguments", call->tg_trigger->tgname),
            errdetail("They are the names of the key and of the column, and the tolerance."));
  }
  TimeTrigger trigger{named_column(call, 0), named_column(call, 1)};
  if (trigger.key.type != UUIDOID) {
    raise_wrong_type(call, trigger.key, "uuid");
  }
  if (trigger.time.type != TIMESTAMPTZOID && trigger.time.type != TIMESTAMPOID &&
      trigger.time.type != DATEOID) {
    raise_wrong_type(call, trigger.time, "timestamptz, timestamp or date");
  }
  trigger.tolerance = read_tolerance(call);
  trigger.precise = demands_precise(call, trigger);
  return trigger;
}

// Returns the text of a trigger's tolerance.
const char *tolerance_text(const TriggerData *call) {
  return call->tg_trigger->tgnargs == 3 ? call->tg_trigger->tgargs[2] : "1 hour";
}

UnixMicros time_in(Uuid id, bool precise) {
  return (precise ? precise_time_of(id) : time_of(id)).value_or(0);
}

Datum value_of(const Column &column, UnixMicros time) {
  const TimestampTz instant = DatumGetTimestampTz(make_time(time));
  if (column.type == DATEOID) {
    const int64 days = instant / USECS_PER_DAY - (instant % USECS_PER_DAY < 0 ? 1 : 0);
    return DateADTGetDatum(static_cast<DateADT>(days));
  }
  if (column.typmod < 0) {
    return TimestampTzGetDatum(instant);
  }
  return DirectFunctionCall2(timestamptz_scale, TimestampTzGetDatum(instant),
                             Int32GetDatum(column.typmod));
}

}  // namespace uuidx
