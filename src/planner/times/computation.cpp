#include "planner/times/computation.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "planner/times/zones.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "utils/datetime.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

constexpr Unit kUnits[] = {{DTK_MICROSEC, 1},
                           {DTK_MILLISEC, 1000},
                           {DTK_SECOND, USECS_PER_SEC, 60},
                           {DTK_MINUTE, USECS_PER_MINUTE, 60},
                           {DTK_HOUR, USECS_PER_HOUR, 24},
                           {DTK_DAY, USECS_PER_DAY, 31},
                           {DTK_DOY, USECS_PER_DAY, 366, false},
                           {DTK_DOW, USECS_PER_DAY, 7, false},
                           {DTK_ISODOW, USECS_PER_DAY, 7, false},
                           {DTK_WEEK, 7 * USECS_PER_DAY, 53},
                           {DTK_MONTH, 31 * USECS_PER_DAY, 12},
                           {DTK_QUARTER, 92 * USECS_PER_DAY, 4},
                           {DTK_YEAR, 366 * USECS_PER_DAY},
                           {DTK_ISOYEAR, 366 * USECS_PER_DAY, kUnlimited, false}};

// Letters of the fields of to_char(), the finest first.
struct Field {
  const char *letters;
  int64 length;
};
constexpr Field kFields[] = {{"US", 1000},
                             {"MS", 1000},
                             {"SS", USECS_PER_SEC},
                             {"MI", USECS_PER_MINUTE},
                             {"HH", USECS_PER_HOUR},
                             {"D", USECS_PER_DAY},
                             {"W", 7 * USECS_PER_DAY},
                             {"M", 30 * USECS_PER_DAY},
                             {"Q", 91 * USECS_PER_DAY},
                             {"Y", 365 * USECS_PER_DAY}};

}  // namespace

void Computation::add(const Step &step) {
  if (count_ < kMost) {
    steps_[count_] = step;
  }
  count_ = std::min(count_ + 1, kMost + 1);
  const bool zoned = step.kind == Step::Kind::to_local || step.kind == Step::Kind::to_instant;
  in_session_ = in_session_ || (zoned && step.zone == nullptr);
  const bool in_millis = zoned || (step.kind == Step::Kind::move && step.reach.least % 1000 == 0 &&
                                   step.reach.most % 1000 == 0);
  digits_ = in_millis || keeps(kAllDigits) ? digits_ : 0;
}

int64 Computation::farthest() const {
  int64 distance = 0;
  for (const Step &step : *this) {
    distance = plus(distance, std::max(step.reach.most, -step.reach.least));
  }
  return distance;
}

bool Computation::has_bounds() const {
  // From any time of a key, 6,000 years either way are within the range of PostgreSQL's types.
  constexpr int64 kInRange = int64{6'000} * 366 * USECS_PER_DAY;
  return !is_full() && farthest() < kInRange && std::all_of(begin(), end(), [&](const Step &step) {
    return step.kind <= Step::Kind::cut || (step.kind <= Step::Kind::epoch && &step == begin());
  });
}

bool Computation::is_shift() const {
  return !is_full() && keeps(kAllDigits) && std::all_of(begin(), end(), [](const Step &step) {
    return step.kind == Step::Kind::move && step.reach.least == step.reach.most;
  });
}

bool Computation::is_time() const {
  return !is_full() && std::all_of(begin(), end(), [](const Step &step) {
    return step.kind == Step::Kind::to_local && step.zone != nullptr &&
           (pg_strcasecmp(step.zone, "UTC") == 0 || pg_strcasecmp(step.zone, "Etc/UTC") == 0);
  });
}

int64 unit_of(int64 time) {
  for (const int64 unit : {USECS_PER_DAY, USECS_PER_HOUR, USECS_PER_MINUTE}) {
    if (time % unit == 0) {
      return unit;
    }
  }
  return 1;
}

const Unit *unit_named(const char *name) {
  char *lower = lower_name(name);
  int code = 0;
  if (DecodeUnits(0, lower, &code) != UNITS && DecodeSpecial(0, lower, &code) != UNITS) {
    return nullptr;
  }
  const auto *unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                  [=](const Unit &one) { return one.code == code; });
  return unit != std::end(kUnits) ? unit : nullptr;
}

Step step_of_pattern(const char *pattern) {
  // In mixed case, one can be several patterns.
  constexpr const char *kRead[] = {"YYYY", "YYYY-MM", "YYYY-MM-DD",
                                   "yyyy", "yyyy-mm", "yyyy-mm-dd"};
  const bool is_read = std::any_of(std::begin(kRead), std::end(kRead), [&](const char *known) {
    return std::strcmp(pattern, known) == 0;
  });
  const auto *finest = std::find_if(
      std::begin(kFields), std::end(kFields),
      [&](const Field &field) { return strcasestr(pattern, field.letters) != nullptr; });
  return {is_read ? Step::Kind::text : Step::Kind::field,
          {},
          finest != std::end(kFields) ? finest->length : 0,
          1,
          kUnlimited};
}

Reach reach_of_months(int months) {
  const auto [shortest, longest] = std::minmax({28 * int64{months}, 31 * int64{months}});
  const int64 average = int64{months} * 30'436'875 / 1'000'000;  // rounded toward 0
  const int64 least = std::max(shortest, average - (months < 0 ? 1 : 0) - 8);
  const int64 most = std::min(longest, average + (months > 0 ? 1 : 0) + 8);
  return {least * USECS_PER_DAY, most * USECS_PER_DAY};
}

}  // namespace uuidx
