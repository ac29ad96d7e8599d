// A libFuzzer target for time ranges: which UUIDs lie in one, in one of several, and how large a
// share of a histogram.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "fields.hpp"
#include "histogram.hpp"
#include "time_range.hpp"
#include "v7.hpp"

#include "support.hpp"

namespace uuidx_fuzz {
namespace {

constexpr std::uint32_t kMaxPeriods = 8;

// Time ranges in order that do not overlap, as PostgreSQL keeps those of a multirange.
struct Periods {
  std::uint32_t count = 0;
  TimeRange all[kMaxPeriods];
};

bool period_contains(const TimeRange &range, UnixMicros time) {
  const auto [lower, upper, empty] = range;
  const bool after = !lower.bounded || time > lower.time || (lower.inclusive && time == lower.time);
  const bool before =
      !upper.bounded || time < upper.time || (upper.inclusive && time == upper.time);
  return !empty && after && before;
}

// What an operator says of a UUID of any version.
bool bounds_contain(const TimeRange &range, Uuid id) {
  const auto [lower, upper, empty] = range;
  const bool after =
      !lower.bounded || (lower.inclusive ? id >= v7_min(lower.time) : id > v7_max(lower.time));
  const bool before =
      !upper.bounded || (upper.inclusive ? id <= v7_max(upper.time) : id < v7_min(upper.time));
  return !empty && after && before;
}

// True of the time that stands for all those too late for the core.
bool is_saturated(UnixMicros time) {
  return time == std::numeric_limits<UnixMicros>::max();
}

// Adds a time range, unless PostgreSQL would take it for empty or for a part of the last one.
void add(Periods *ranges, TimeRange range) {
  if (ranges->count > 0) {
    RangeEnd *end = &ranges->all[ranges->count - 1].upper;
    if (end->time == range.lower.time && !is_saturated(end->time)) {
      if (end->inclusive) {
        return;
      }
      range.lower.inclusive = false;
    }
  }
  const bool has_inside = range.lower.time < range.upper.time || !range.lower.bounded ||
                          !range.upper.bounded || is_saturated(range.lower.time) ||
                          (range.lower.inclusive && range.upper.inclusive);
  if (has_inside) {
    ranges->all[ranges->count++] = range;
  }
}

// Several times in order, many of them near to the one before, as ends of time ranges.
Periods any_periods(Input &input) {
  const std::uint32_t wanted = input.number<std::uint8_t>() % (kMaxPeriods + 1);
  const auto flags = input.number<std::uint32_t>();
  UnixMicros times[2 * kMaxPeriods];
  for (std::uint32_t i = 0; i < 2 * wanted; ++i) {
    const auto step = input.number<std::uint8_t>();
    times[i] = i == 0 || step % 4 == 0 ? any_time(input)
                                       : saturated_sum(times[i - 1], step % 4 == 1 ? 0 : step);
  }
  std::sort(times, times + 2 * wanted);
  Periods ranges;
  for (std::uint32_t i = 0; i < wanted; ++i) {
    const unsigned of_this = flags >> (4 * i);
    // Only the first may have no beginning, and only the last no end.
    add(&ranges, {{times[2 * i], i > 0 || (of_this & 1) != 0, (of_this & 2) != 0},
                  {times[2 * i + 1], i + 1 < wanted || (of_this & 4) != 0, (of_this & 8) != 0},
                  false});
  }
  return ranges;
}

// The bounds of each of them, by the times of version 7 and by the bounds for all others.
void check_spans(const Periods &ranges, Uuid id) {
  for (std::uint32_t i = 0; i < ranges.count; ++i) {
    const TimeRange &range = ranges.all[i];
    const UuidRange bounds = v7_range(range);
    demand(bounds.contains(id) == bounds_contain(period, id), "a bounds is what its bounds say");
    if (version_of(id) == kV7) {
      const bool within = period_contains(range, *time_of(id));
      demand(bounds.contains(id) == within, "a bounds has the times of its period");
    }
    demand(!bounds.contains(id) || !bounds.empty(), "nothing in an empty bounds");
    if (i > 0) {
      const UuidRange before = v7_range(ranges.all[i - 1]);
      demand(bounds.highest >= std::min(before.highest, *predecessor(kMax)),
             "a later one ends no earlier");
    }
  }
  demand(v7_range({periods.all[0].lower, periods.all[0].upper, true}).empty(), "an empty period");
}

// The one that is found by a search, and what lies between the first and the last.
void check_search(const Periods &ranges, Uuid id) {
  const auto bounds = [&](std::uint32_t i) {
    demand(i < periods.count, "a bounds that there is");
    return v7_range(ranges.all[i]);
  };
  bool expected = false;
  bool all_empty = true;
  for (std::uint32_t i = 0; i < ranges.count; ++i) {
    expected = expected || bounds(i).contains(id);
    all_empty = all_empty && bounds(i).empty();
  }
  demand(any_range_contains(periods.count, bounds, id) == expected, "found by a search");
  const UuidRange hull = hull_of(ranges.count, bounds);
  demand(hull.empty() == all_empty, "a hull of what is not empty");
  demand(!expected || hull.contains(id), "the hull has all of them");
  valid += expected ? 1 : 0;
}

// Shares between 0 and 1 that grow with the UUID.
void check_histogram(Input &input, Uuid id) {
  Uuid bounds[6];
  const int count = 2 + input.number<std::uint8_t>() % 5;
  for (int i = 0; i < count; ++i) {
    bounds[i] = any_uuid(input);
  }
  std::sort(bounds, bounds + count);
  const auto bound = [&](int i) {
    demand(i >= 0 && i < count, "a bound that there is");
    return bounds[i];
  };
  const double share = histogram_share_below(count, bound, id);
  demand(share >= 0 && share <= 1, "a share of 0 to 1");
  demand(id >= bounds[0] || share == 0, "nothing is below what is below the first");
  demand(id <= bounds[count - 1] || share == 1, "all is below what is above the last");
  const Uuid more = successor(id).value_or(id);
  demand(histogram_share_below(count, bound, more) >= share, "and no less below the next");
  const Uuid other = input.number<std::uint8_t>() % 2 == 0 ? any_uuid(input) : bounds[count / 2];
  const double share_of_other = histogram_share_below(count, bound, other);
  demand(id <= other ? share <= share_of_other : share >= share_of_other, "shares in order");
}

}  // namespace
}  // namespace uuidx_fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace uuidx_fuzz;
  ++inputs;
  Input input{data, size};
  const Periods ranges = any_periods(input);
  Uuid id = any_uuid(input);
  // Often a bound of one of the time ranges, or its neighbour.
  const auto near = input.number<std::uint8_t>();
  if (near % 8 > 0 && ranges.count > 0) {
    const TimeRange &range = ranges.all[near / 8 % ranges.count];
    const UnixMicros time = near % 2 == 0 ? range.lower.time : range.upper.time;
    const Uuid bound = near % 4 < 2 ? v7_min(time) : v7_max(time);
    id = near < 128   ? bound
         : near < 192 ? successor(bound).value_or(id)
                      : predecessor(bound).value_or(id);
  }
  check_spans(ranges, id);
  check_search(ranges, id);
  check_histogram(input, id);
  return 0;
}
