#include "planner/times/computation.hpp"

#include <algorithm>

#include "planner/times/zones.hpp"

#include "pg/pg.hpp"

namespace uuidx {

void Computation::add(const Step &step) {
  if (count_ < kMost) {
    steps_[count_] = step;
  }
  count_ = std::min(count_ + 1, kMost + 1);
  const bool zoned = step.kind == Step::Kind::to_local || step.kind == Step::Kind::to_instant;
  in_session_ = in_session_ || (zoned && step.zone == nullptr);
}

int64 Computation::farthest() const {
  int64 distance = 0;
  for (const Step &step : *this) {
    distance = plus(distance, std::max(step.reach.most, -step.reach.least));
  }
  return distance;
}

bool Computation::has_bounds() const {
  return !is_full() && std::all_of(begin(), end(), [&](const Step &step) {
    return step.kind <= Step::Kind::cut || (step.kind <= Step::Kind::epoch && &step == begin());
  });
}

bool Computation::is_shift() const {
  return !is_full() && std::all_of(begin(), end(), [](const Step &step) {
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

}  // namespace uuidx
