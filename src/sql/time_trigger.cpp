// uuid_time_trigger(): a trigger that keeps an ordinary column equal to the time in a key, as a
// CHECK of both demands.
#include "core/fields.hpp"
#include "core/v7.hpp"
#include "pg/backend.hpp"
#include "planner/functions.hpp"
#include "planner/nodes.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/snapmgr.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

struct Column {
  AttrNumber number = InvalidAttrNumber;
  Oid type = InvalidOid;
  int32 typmod = -1;
};

// What a trigger needs to know.
struct TimeTrigger {
  Column key;
  Column time;
  uint64 tolerance = 0;  // in microseconds
  bool precise = false;  // the time has microseconds
};

// Returns the call of a trigger, or raises an error if it is another call.
const TriggerData *trigger_call(FunctionCallInfo fcinfo) {
  if (!CALLED_AS_TRIGGER(fcinfo)) {
    ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
            errmsg("function \"uuid_time_trigger\" was not called by trigger manager"));
  }
  const auto *call = reinterpret_cast<const TriggerData *>(fcinfo->context);
  if (!TRIGGER_FIRED_BEFORE(call->tg_event) || !TRIGGER_FIRED_FOR_ROW(call->tg_event) ||
      TRIGGER_FIRED_BY_DELETE(call->tg_event)) {
    ereport(
        ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
        errmsg(
            "function \"uuid_time_trigger\" must be fired BEFORE INSERT OR UPDATE FOR EACH ROW"));
  }
  const int arguments = call->tg_trigger->tgnargs;
  if (arguments != 2 && arguments != 3) {
    ereport(ERROR, errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
            errmsg("trigger \"%s\" must have two or three arguments", call->tg_trigger->tgname),
            errdetail("They are the names of the key and of the column, and the tolerance."));
  }
  return call;
}

// Returns the column that an argument of a trigger names; raises an error if there is none of these
// types that a trigger can set.
Column read_column(const TriggerData *call, int argument, std::initializer_list<Oid> types,
                   const char *type_names) {
  TupleDesc columns = RelationGetDescr(call->tg_relation);
  const char *name = call->tg_trigger->tgargs[argument];
  const int number = SPI_fnumber(columns, name);
  if (number <= 0) {
    ereport(ERROR, errcode(ERRCODE_UNDEFINED_COLUMN),
            errmsg("column \"%s\" of relation \"%s\" does not exist", name,
                   RelationGetRelationName(call->tg_relation)));
  }
  const FormData_pg_attribute *attribute = TupleDescAttr(columns, number - 1);
  if (attribute->attgenerated != '\0') {
    ereport(ERROR, errcode(ERRCODE_GENERATED_ALWAYS),
            errmsg("column \"%s\" is a generated column", name),
            errtablecol(call->tg_relation, number));
  }
  // No domain: its constraints would have to be checked again, and the planner uses no such column.
  if (std::find(types.begin(), types.end(), attribute->atttypid) == types.end()) {
    ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
            errmsg("column \"%s\" is of type %s, not %s", name, format_type_be(attribute->atttypid),
                   type_names),
            errtablecol(call->tg_relation, number));
  }
  return {attribute->attnum, attribute->atttypid, attribute->atttypmod};
}

// Returns the text of a trigger's tolerance.
const char *tolerance_text(const TriggerData *call) {
  return call->tg_trigger->tgnargs == 3 ? call->tg_trigger->tgargs[2] : "1 hour";
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

// True if a CHECK names the column beside the time of the key with microseconds.
bool is_precise(const TriggerData *call, const TimeTrigger &trigger) {
  for (const auto *time : each<FuncExpr>(
           times_beside(RelationGetDescr(call->tg_relation), trigger.time.number, true))) {
    const Var *key = column_of(only_argument(as_node(time)));
    if (key != nullptr && key->varattno == trigger.key.number &&
        kind_of(time->funcid) == FunctionKind::precise_time) {
      return true;
    }
  }
  return false;
}

// Returns the trigger of a call. It is read at the first row of a statement: PostgreSQL has a
// FmgrInfo for each trigger of a table, or partition, in a statement, which locks the table against
// changes of its columns and constraints.
TimeTrigger *find_trigger(FmgrInfo *function, const TriggerData *call) {
  if (function->fn_extra == nullptr) {
    TimeTrigger trigger;
    trigger.key = read_column(call, 0, {UUIDOID}, "uuid");
    trigger.time = read_column(call, 1, {TIMESTAMPTZOID, TIMESTAMPOID, DATEOID},
                               "timestamptz, timestamp or date");
    trigger.tolerance = read_tolerance(call);
    trigger.precise = is_precise(call, trigger);
    function->fn_extra = MemoryContextAlloc(function->fn_mcxt, sizeof trigger);
    *static_cast<TimeTrigger *>(function->fn_extra) = trigger;
  }
  return static_cast<TimeTrigger *>(function->fn_extra);
}

// The times that a value of a column stands for: one, or those of a day; infinite if there are
// none.
struct Span {
  TimestampTz first;
  TimestampTz last;
};

Span span_of(const Column &column, Datum value) {
  if (column.type != DATEOID) {
    return {DatumGetTimestampTz(value), DatumGetTimestampTz(value)};
  }
  const int64 first = converted_or_infinite<kDateToTimestamp>(DatumGetDateADT(value));
  return {first, TIMESTAMP_NOT_FINITE(first) ? first : first + USECS_PER_DAY - 1};
}

// True if a time is at most so far from a span.
bool is_near(const Span &span, TimestampTz time, uint64 distance) {
  // Unsigned, as the difference of any two times then fits.
  const auto from = [](TimestampTz a, TimestampTz b) {
    return static_cast<uint64>(b) - static_cast<uint64>(a);
  };
  return !TIMESTAMP_NOT_FINITE(span.first) &&
         (time >= span.first || from(time, span.first) <= distance) &&
         (time <= span.last || from(span.last, time) <= distance);
}

// Returns the time in a version 7 UUID, with microseconds or without.
TimestampTz time_in(Uuid id, bool precise) {
  return DatumGetTimestampTz(make_time((precise ? precise_time_of(id) : time_of(id)).value_or(0)));
}

// Returns a time as a value of a column. A timestamp or a date is in UTC.
Datum value_of(const Column &column, TimestampTz time) {
  if (column.type == DATEOID) {
    return DirectFunctionCall1(timestamp_date, TimestampGetDatum(time));
  }
  return DirectFunctionCall2(timestamptz_scale, TimestampTzGetDatum(time),
                             Int32GetDatum(column.typmod));
}

// Returns a key for the time that is given. If that is now, or missing, the key is the session's
// next. Now is when the row is made, or when the statement began, as by DEFAULT now().
Uuid make_key(const TimeTrigger &trigger, Datum given, bool is_missing) {
  const Span span = is_missing ? Span{} : span_of(trigger.time, given);
  if (is_missing || is_near(span, GetCurrentStatementStartTimestamp(), USECS_PER_SEC) ||
      is_near(span, GetCurrentTimestamp(), USECS_PER_SEC)) {
    return next_v7();
  }
  const auto id = v7_at(get_time(TimestampTzGetDatum(span.first)), draw_random(backend_state()));
  if (!id) {
    raise_time_error(kV7);
  }
  return *id;
}

// True if a time is of the current transaction. DEFAULT now() is its start, however long it takes.
bool is_of_transaction(const Span &span) {
  return span.last >= GetCurrentTransactionStartTimestamp() - USECS_PER_SEC &&
         span.first <= GetCurrentTimestamp() + USECS_PER_SEC;
}

// True if a unique index of a table has a key. An INSERT of this key adds no row: it fails, or does
// what its ON CONFLICT says.
bool has_key(Relation table, AttrNumber column, Datum key) {
  bool found = false;
  List *indexes = RelationGetIndexList(table);
  for (int i = 0; i < list_length(indexes) && !found; ++i) {
    Relation index = index_open(list_nth_oid(indexes, i), AccessShareLock);
    const FormData_pg_index *form = index->rd_index;
    if (form->indisunique && form->indimmediate && form->indisvalid && form->indnkeyatts == 1 &&
        form->indkey.values[0] == column && index->rd_opfamily[0] == family_of(UUIDOID) &&
        RelationGetIndexPredicate(index) == NIL) {
      ScanKeyData equal;
      ScanKeyInit(&equal, column, BTEqualStrategyNumber, F_UUID_EQ, key);
      SysScanDesc scan =
          systable_beginscan(table, RelationGetRelid(index), true, SnapshotSelf, 1, &equal);
      found = HeapTupleIsValid(systable_getnext(scan));
      systable_endscan(scan);
    }
    index_close(index, AccessShareLock);
  }
  return found;
}

// True if times may differ by more than the tolerance: both are of the current transaction, or the
// row is that of an upsert that says now() for a key of old.
bool may_differ(const TriggerData *call, const TimeTrigger &trigger, const Span &span,
                TimestampTz time, Uuid key) {
  return (is_of_transaction(span) && is_of_transaction({time, time})) ||
         (TRIGGER_FIRED_BY_INSERT(call->tg_event) &&
          (is_of_transaction(span) || is_near(span, GetCurrentTimestamp(), trigger.tolerance)) &&
          has_key(call->tg_relation, trigger.key.number, make_uuid(key)));
}

// Raises an error if the time that is given is too far from the one that is wanted.
void check_distance(const TriggerData *call, const TimeTrigger &trigger, Datum given, Datum wanted,
                    Uuid key) {
  const Span span = span_of(trigger.time, given);
  const TimestampTz time =
      trigger.time.type == DATEOID ? time_in(key, false) : DatumGetTimestampTz(wanted);
  if (is_near(span, time, trigger.tolerance) || may_differ(call, trigger, span, time, key)) {
    return;
  }
  Oid output = InvalidOid;
  bool varies = false;
  getTypeOutputInfo(trigger.time.type, &output, &varies);
  ereport(ERROR, errcode(ERRCODE_CHECK_VIOLATION),
          errmsg("time in column \"%s\" differs from the time in column \"%s\" by more than %s",
                 call->tg_trigger->tgargs[1], call->tg_trigger->tgargs[0], tolerance_text(call)),
          // The current role may not be allowed to read those of a row that is there, or that an
          // UPDATE moves to a partition.
          TRIGGER_FIRED_BY_INSERT(call->tg_event) && !call->tg_relation->rd_rel->relispartition
              ? errdetail("They are %s and %s.", OidOutputFunctionCall(output, given),
                          OidOutputFunctionCall(output, wanted))
              : errdetail("The times are not shown, as the row may have been there before."),
          errhint("Generate the key of a row with a given time by uuid_v7_at()."),
          errtablecol(call->tg_relation, trigger.time.number));
}

// Returns a row with another value in a column.
HeapTuple with_value(TupleDesc columns, HeapTuple row, const Column &column, Datum value) {
  int number = column.number;
  bool null = false;
  return heap_modify_tuple_by_cols(row, columns, 1, &number, &value, &null);
}

}  // namespace

// uuid_time_trigger('key', 'column' [, 'tolerance'])
UUIDX_FUNCTION(uuidx_time_trigger) {
  const TriggerData *call = trigger_call(fcinfo);
  const TimeTrigger *trigger = find_trigger(fcinfo->flinfo, call);
  HeapTuple row = TRIGGER_FIRED_BY_UPDATE(call->tg_event) ? call->tg_newtuple : call->tg_trigtuple;
  TupleDesc columns = RelationGetDescr(call->tg_relation);
  bool no_key = false;
  bool no_time = false;
  // Not by heap_getattr(), which calls a function that early minor releases lack.
  const Datum key = SPI_getbinval(row, columns, trigger->key.number, &no_key);
  const Datum given = SPI_getbinval(row, columns, trigger->time.number, &no_time);
  const Uuid id = no_key ? make_key(*trigger, given, no_time) : get_uuid(key);
  if (!is_v7(id)) {
    ereport(ERROR, errcode(ERRCODE_CHECK_VIOLATION),
            errmsg("UUID in column \"%s\" is not of version 7", call->tg_trigger->tgargs[0]),
            errtablecol(call->tg_relation, trigger->key.number));
  }
  const Datum wanted = value_of(trigger->time, time_in(id, trigger->precise));
  if (no_key) {
    row = with_value(columns, row, trigger->key, make_uuid(id));
  } else if (!no_time) {
    if (given == wanted) {
      return PointerGetDatum(row);
    }
    check_distance(call, *trigger, given, wanted, id);
  }
  return PointerGetDatum(with_value(columns, row, trigger->time, wanted));
}

}  // namespace uuidx
