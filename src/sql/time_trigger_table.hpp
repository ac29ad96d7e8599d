// What uuid_time_trigger() reads from its arguments and from its table.
#pragma once

#include "core/timestamp.hpp"
#include "core/uuid.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "commands/trigger.h"
#include "pg/end_headers.hpp"

namespace uuidx {

struct Column {
  AttrNumber number = InvalidAttrNumber;
  Oid type = InvalidOid;  // under domains
  int32 typmod = -1;
  Oid domain = InvalidOid;
  void *domain_checks = nullptr;
};

// What a trigger needs to know.
struct TimeTrigger {
  Column key;
  Column time;
  uint64 tolerance = 0;  // in microseconds
  bool precise = false;  // the time has microseconds
  // The columns of the table, with a time that is passed by reference: it can be set in place.
  TupleDesc places = nullptr;
};

// Reads that, or raises an error.
TimeTrigger read_trigger(const TriggerData *call);

// Returns the text of the tolerance.
const char *tolerance_text(const TriggerData *call);

// Returns the time in a version 7 UUID, with microseconds or without.
UnixMicros time_in(Uuid id, bool precise);

// Returns a time as a value of a column. A timestamp or a date is in UTC.
Datum value_of(const Column &column, UnixMicros time);

}  // namespace uuidx
