#include "planner/conditions/bound_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "pg/range_types.hpp"
#include "planner/planner_compat.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// Returns the time of seconds since 1970; infinite if it is out of range. As in comparisons, NaN is
// above all numbers.
int64 time_of_epoch(double seconds) {
  const double time = seconds * USECS_PER_SEC - static_cast<double>(kPostgresEpoch);
  if (!(time < 9.2e18)) {
    return DT_NOEND;
  }
  return time > -9.2e18 ? static_cast<int64>(time) : DT_NOBEGIN;
}

// Returns the beginning of the year, month or day of a text of to_char(), or of the one after it;
// infinite for other texts.
int64 time_of_text(const char *text, bool next) {
  int fields[] = {0, 1, 1};
  // NOLINTNEXTLINE(cert-err34-c): at most six digits.
  const int count = std::sscanf(text, "%6d-%2d-%2d", &fields[0], &fields[1], &fields[2]);
  if (count < 1 || fields[0] < 1 || fields[0] > 100'000) {
    return next ? DT_NOEND : DT_NOBEGIN;
  }
  fields[count - 1] += next ? 1 : 0;
  return (date2j(fields[0], fields[1], fields[2]) - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY;
}

// Returns an end of a range; infinite if it has none. No time is between those of an empty one.
int64 end_of(const RangeType *range, bool upper) {
  RangeBound ends[2];
  bool empty = false;
  range_deserialize(range_type(), range, &ends[0], &ends[1], &empty);
  const RangeBound &end = ends[upper ? 1 : 0];
  if (empty || end.infinite) {
    return upper != empty ? DT_NOEND : DT_NOBEGIN;
  }
  return DatumGetTimestampTz(end.val);
}

// Returns the least or the greatest element of an array; the infinity that no time reaches if it
// has none.
// NOLINTNEXTLINE(misc-no-recursion): an array has no arrays.
int64 outermost_of(ArrayType *times, bool cast, bool upper) {
  int64 bound = upper ? DT_NOBEGIN : DT_NOEND;
  ArrayIterator iterator = array_create_iterator(times, 0, nullptr);
  Datum value = 0;
  bool missing = false;
  while (array_iterate(iterator, &value, &missing)) {
    CHECK_FOR_INTERRUPTS();
    if (!missing) {
      const int64 time = microseconds_of(value, ARR_ELEMTYPE(times), cast, upper);
      bound = upper ? std::max(bound, time) : std::min(bound, time);
    }
  }
  return bound;
}

// A unit of date_trunc(), by the longest that it may be.
struct CutUnit {
  int64 length;
  const char *name;
};
constexpr CutUnit kCutUnits[] = {
    {USECS_PER_HOUR, "hour"},      {USECS_PER_DAY, "day"},          {7 * USECS_PER_DAY, "week"},
    {31 * USECS_PER_DAY, "month"}, {92 * USECS_PER_DAY, "quarter"}, {366 * USECS_PER_DAY, "year"},
};

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): an array has no arrays.
int64 microseconds_of(Datum value, Oid type, bool cast, bool upper) {
  switch (type) {
    case DATEOID: {
      const DateADT date = DatumGetDateADT(value);
      return cast ? converted_or_infinite<kDateToTimestamptz>(date)
                  : converted_or_infinite<kDateToTimestamp>(date);
    }
    case TIMESTAMPOID: {
      const Timestamp timestamp = DatumGetTimestamp(value);
      return cast ? converted_or_infinite<kTimestampToTimestamptz>(timestamp) : timestamp;
    }
    case TIMESTAMPTZOID:
      return DatumGetTimestampTz(value);
    case DATEARRAYOID:
    case TIMESTAMPARRAYOID:
    case TIMESTAMPTZARRAYOID:
      return outermost_of(DatumGetArrayTypeP(value), cast, upper);
    case TEXTOID:
      return time_of_text(TextDatumGetCString(value), upper);
    case TSTZRANGEOID:
      return end_of(DatumGetRangeTypeP(value), upper);
    case FLOAT8OID:
      return time_of_epoch(DatumGetFloat8(value));
    case NUMERICOID:
      return time_of_epoch(DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value)));
    default:
      ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
              errmsg("uuid_time_bound() does not support type %s", format_type_be(type)));
  }
}

int64 start_of_year(int64 number, bool next) {
  const double year =
      (static_cast<double>(number) + static_cast<double>(kPostgresEpoch)) / USECS_PER_SEC;
  if (std::abs(year) > 100'000) {
    return year > 0 ? DT_NOEND : DT_NOBEGIN;
  }
  const double whole = next ? std::floor(year) + 1 : std::ceil(year);
  const int day = date2j(std::max(static_cast<int>(whole), -4000), 1, 1) - POSTGRES_EPOCH_JDATE;
  return day * USECS_PER_DAY;
}

int64 end_of_text(const char *text, std::size_t length, bool upper) {
  const int64 none = upper ? DT_NOEND : DT_NOBEGIN;
  const int64 start = time_of_text(text, false);
  if (TIMESTAMP_NOT_FINITE(start)) {
    return none;
  }
  int year = 0;
  int month = 0;
  int day = 0;
  j2date(static_cast<int>(start / USECS_PER_DAY) + POSTGRES_EPOCH_JDATE, &year, &month, &day);
  const char *day_of_start = psprintf("%04d-%02d-%02d", year, month, day);
  // Other numbers than those of a calendar begin in another month or year.
  if (std::strlen(text) != length || std::strncmp(text, day_of_start, length) != 0) {
    return none;
  }
  return upper ? start : time_of_text(text, true);
}

int64 end_of_cut(const int64 (&local)[2], int64 length, bool upper) {
  const int64 none = upper ? DT_NOEND : DT_NOBEGIN;
  const auto *unit = std::find_if(std::begin(kCutUnits), std::end(kCutUnits),
                                  [=](const CutUnit &one) { return one.length == length; });
  // Within the times of keys, and more.
  constexpr int64 kFarthest = int64{10'000} * 366 * USECS_PER_DAY;
  const int64 start = local[0];
  if (unit == std::end(kCutUnits) || start != local[1] || start < -kFarthest || start > kFarthest) {
    return none;
  }
  const auto cut = [&](int64 time) {
    return DatumGetTimestamp(DirectFunctionCall2(timestamp_trunc, CStringGetTextDatum(unit->name),
                                                 TimestampGetDatum(time)));
  };
  return cut(start) != start ? none : upper ? start : cut(start + length);
}

}  // namespace uuidx
