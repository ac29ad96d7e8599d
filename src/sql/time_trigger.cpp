// uuid_time_trigger(): a trigger that keeps an ordinary column equal to the time in a key, as a
// CHECK of both demands.
#include "core/v7.hpp"
#include "pg/backend.hpp"
#include "pg/compat.hpp"
#include "planner/functions.hpp"
#include "planner/nodes.hpp"
#include "sql/time_trigger_table.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "access/xact.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// The times that a value of a column stands for: one, or those of a day; infinite if there are
// none.
struct Span {
  TimestampTz first = DT_NOEND;
  TimestampTz last = DT_NOEND;
};

Span span_of(const Column &column, Datum value) {
  if (column.type != DATEOID) {
    return {DatumGetTimestampTz(value), DatumGetTimestampTz(value)};
  }
  const DateADT date = DatumGetDateADT(value);
  int64 first = 0;
  int64 last = 0;
  // Infinite ones overflow, too.
  if (__builtin_mul_overflow(int64{date}, USECS_PER_DAY, &first) ||
      __builtin_add_overflow(first, USECS_PER_DAY - 1, &last)) {
    return {};
  }
  return {first, last};
}

// True if a time is at most so far from a span.
bool is_near(const Span &span, TimestampTz time, uint64 distance) {
  if (TIMESTAMP_NOT_FINITE(span.first)) {
    return false;
  }
  // Unsigned, as the difference of any two times then fits.
  const auto from = [](TimestampTz a, TimestampTz b) {
    return static_cast<uint64>(b) - static_cast<uint64>(a);
  };
  return time < span.first  ? from(time, span.first) <= distance
         : time > span.last ? from(span.last, time) <= distance
                            : true;
}

// Returns a column of a row. heap_getattr() calls a function that early minor releases lack.
Datum attribute_of(HeapTuple row, int number, TupleDesc columns, bool *missing) {
  return number > static_cast<int>(HeapTupleHeaderGetNatts(row->t_data))
             ? getmissingattr(columns, number, missing)
             : fastgetattr(row, number, columns, missing);
}

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
  return call;
}

// Returns the trigger of a call. It is read at the first row of a statement: PostgreSQL has a
// FmgrInfo for each trigger of a table, or partition, in a statement, which locks the table against
// changes of its columns and constraints.
TimeTrigger *find_trigger(FmgrInfo *function, const TriggerData *call) {
  auto *known = static_cast<TimeTrigger *>(function->fn_extra);
  if (known == nullptr) {
    const TimeTrigger trigger = read_trigger(call);
    MemoryContext previous = MemoryContextSwitchTo(function->fn_mcxt);
    known = allocated(trigger);
    known->places = CreateTupleDescCopy(RelationGetDescr(call->tg_relation));
    pass_by_reference(known->places, trigger.time.number);
    MemoryContextSwitchTo(previous);
    function->fn_extra = known;
  }
  return known;
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
        heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, nullptr)) {
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
                TimestampTz time, Datum key) {
  return (is_of_transaction(span) && is_of_transaction({time, time})) ||
         (TRIGGER_FIRED_BY_INSERT(call->tg_event) &&
          (is_of_transaction(span) || is_near(span, GetCurrentTimestamp(), trigger.tolerance)) &&
          has_key(call->tg_relation, trigger.key.number, key));
}

// True if the current role may read both columns of a row. Those of an INSERT are its own.
bool may_read(const TriggerData *call, const TimeTrigger &trigger) {
  const Oid role = GetUserId();
  const Oid table = RelationGetRelid(call->tg_relation);
  const auto may_select = [&](const Column &column) {
    return pg_attribute_aclcheck(table, column.number, role, ACL_SELECT) == ACLCHECK_OK;
  };
  return TRIGGER_FIRED_BY_INSERT(call->tg_event) ||
         ((pg_class_aclcheck(table, role, ACL_SELECT) == ACLCHECK_OK ||
           (may_select(trigger.key) && may_select(trigger.time))) &&
          check_enable_rls(table, role, true) != RLS_ENABLED);
}

// Raises an error if the time that is given is too far from the one that is wanted.
void check_distance(const TriggerData *call, const TimeTrigger &trigger, Datum given, Datum wanted,
                    Uuid key) {
  const Span span = span_of(trigger.time, given);
  const Datum time = trigger.time.type == DATEOID ? make_time(time_in(key, false)) : wanted;
  if (is_near(span, DatumGetTimestampTz(time), trigger.tolerance) ||
      may_differ(call, trigger, span, DatumGetTimestampTz(time), make_uuid(key))) {
    return;
  }
  Oid output = InvalidOid;
  bool varies = false;
  const bool readable = may_read(call, trigger);
  getTypeOutputInfo(trigger.time.type, &output, &varies);
  ereport(ERROR, errcode(ERRCODE_CHECK_VIOLATION),
          errmsg("time in column \"%s\" differs from the time in column \"%s\" by more than %s",
                 call->tg_trigger->tgargs[1], call->tg_trigger->tgargs[0], tolerance_text(call)),
          readable ? errdetail("They are %s and %s.", OidOutputFunctionCall(output, given),
                               OidOutputFunctionCall(output, wanted))
                   : errdetail("You may not read them."),
          errhint("Generate the key of a row with a given time by uuid_v7_at()."),
          errtablecol(call->tg_relation, trigger.time.number));
}

// Returns a row with another value in a column. Raises an error if its domain does not allow it.
HeapTuple with_value(TupleDesc columns, HeapTuple row, Column *column, Datum value,
                     MemoryContext context) {
  if (OidIsValid(column->domain)) {
    domain_check(value, false, column->domain, &column->domain_checks, context);
  }
  int number = column->number;
  bool null = false;
  return heap_modify_tuple_by_cols(row, columns, 1, &number, &value, &null);
}

// Returns a copy of a row with another time, written over that of the row: a fourth of the cost of
// making a row of 30 columns anew. Null if the row has none, or its domain is to be checked.
HeapTuple overwritten(HeapTuple row, const TimeTrigger &trigger, Datum time) {
  if (OidIsValid(trigger.time.domain)) {
    return nullptr;
  }
  HeapTuple copy = heap_copytuple(row);
  bool missing = false;
  const Datum place = attribute_of(copy, trigger.time.number, trigger.places, &missing);
  if (missing) {
    return nullptr;
  }
  store_att_byval(DatumGetPointer(place), time, trigger.time.type == DATEOID ? 4 : 8);
  return copy;
}

}  // namespace

// uuid_time_trigger('key', 'column' [, 'tolerance'])
UUIDX_FUNCTION(uuidx_time_trigger) {
  const TriggerData *call = trigger_call(fcinfo);
  TimeTrigger *trigger = find_trigger(fcinfo->flinfo, call);
  HeapTuple row = TRIGGER_FIRED_BY_UPDATE(call->tg_event) ? call->tg_newtuple : call->tg_trigtuple;
  TupleDesc columns = RelationGetDescr(call->tg_relation);
  bool no_key = false;
  bool no_time = false;
  const Datum key = attribute_of(row, trigger->key.number, columns, &no_key);
  const Datum given = attribute_of(row, trigger->time.number, columns, &no_time);
  const Uuid id = no_key ? make_key(*trigger, given, no_time) : get_uuid(key);
  if (!is_v7(id)) {
    ereport(ERROR, errcode(ERRCODE_CHECK_VIOLATION),
            errmsg("UUID in column \"%s\" is not of version 7", call->tg_trigger->tgargs[0]),
            errtablecol(call->tg_relation, trigger->key.number));
  }
  const Datum wanted = value_of(trigger->time, time_in(id, trigger->precise));
  if (no_key) {
    row = with_value(columns, row, &trigger->key, make_uuid(id), fcinfo->flinfo->fn_mcxt);
  } else if (!no_time) {
    if (given == wanted) {
      return PointerGetDatum(row);
    }
    check_distance(call, *trigger, given, wanted, id);
    if (HeapTuple changed = overwritten(row, *trigger, wanted)) {
      return PointerGetDatum(changed);
    }
  }
  return PointerGetDatum(with_value(columns, row, &trigger->time, wanted, fcinfo->flinfo->fn_mcxt));
}

}  // namespace uuidx
