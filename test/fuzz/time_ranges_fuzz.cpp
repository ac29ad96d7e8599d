// A libFuzzer target for time ranges: which UUIDs are in one, which are in one of several, and the
// share of a histogram's that are in one.
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

constexpr std::uint32_t kMaxRanges = 8;

// Time ranges in order that do not overlap, as PostgreSQL keeps those of a multirange.
struct TimeRanges {
  std::uint32_t count = 0;
  TimeRange all[kMaxRanges];
};

// True if a time range contains a time.
bool time_range_contains(const TimeRange &range, UnixMicros time) {
  const auto [lower, upper, empty] = range;
  const bool after = !lower.bounded || time > lower.time || (lower.inclusive && time == lower.time);
  const bool before =
      !upper.bounded || time < upper.time || (upper.inclusive && time == upper.time);
  return !empty && after && before;
}

// True if a UUID of any version lies within the bounds that the ends of a time range have.
bool bounds_contain(const TimeRange &range, Uuid id) {
  const auto [lower, upper, empty] = range;
  const bool after =
      !lower.bounded || (lower.inclusive ? id >= v7_min(lower.time) : id > v7_max(lower.time));
  const bool before =
      !upper.bounded || (upper.inclusive ? id <= v7_max(upper.time) : id < v7_min(upper.time));
  return !empty && after && before;
}

// True if a time is the one that stands for all times that are too late for the core.
bool is_saturated(UnixMicros time) {
  return time == std::numeric_limits<UnixMicros>::max();
}

// Adds a time range, unless PostgreSQL would find it empty or a part of the last one.
void add(TimeRanges *ranges, TimeRange range) {
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

// Returns time ranges whose ends are times in order, many of them near to the one before.
TimeRanges any_time_ranges(Input &input) {
  const std::uint32_t wanted = input.number<std::uint8_t>() % (kMaxRanges + 1);
  const auto flags = input.number<std::uint32_t>();
  UnixMicros times[2 * kMaxRanges];
  for (std::uint32_t i = 0; i < 2 * wanted; ++i) {
    const auto step = input.number<std::uint8_t>();
    times[i] = i == 0 || step % 4 == 0 ? any_time(input)
                                       : saturated_sum(times[i - 1], step % 4 == 1 ? 0 : step);
  }
  std::sort(times, times + 2 * wanted);
  TimeRanges ranges;
  for (std::uint32_t i = 0; i < wanted; ++i) {
    const unsigned of_this = flags >> (4 * i);
    // Only the first may have no beginning, and only the last no end.
    add(&ranges, {{times[2 * i], i > 0 || (of_this & 1) != 0, (of_this & 2) != 0},
                  {times[2 * i + 1], i + 1 < wanted || (of_this & 4) != 0, (of_this & 8) != 0},
                  false});
  }
  return ranges;
}

// Checks the UUID range of each time range: by time for version 7, by the bounds for any UUID.
void check_uuid_ranges(const TimeRanges &ranges, Uuid id) {
  for (std::uint32_t i = 0; i < ranges.count; ++i) {
    const TimeRange &range = ranges.all[i];
    const UuidRange uuids = v7_range(range);
    demand(uuids.contains(id) == bounds_contain(range, id), "a UUID range is within its bounds");
    if (is_v7(id)) {
      const bool within = time_range_contains(range, *time_of(id));
      demand(uuids.contains(id) == within, "a UUID range has the times of its time range");
    }
    demand(!uuids.contains(id) || !uuids.empty(), "nothing in an empty UUID range");
    if (i > 0) {
      const UuidRange before = v7_range(ranges.all[i - 1]);
      demand(uuids.highest >= std::min(before.highest, *predecessor(kMax)),
             "a later one ends no earlier");
    }
  }
  demand(v7_range({ranges.all[0].lower, ranges.all[0].upper, true}).empty(), "an empty time range");
}

// Checks the search among several UUID ranges, and their hull.
void check_search(const TimeRanges &ranges, Uuid id) {
  const auto uuids = [&](std::uint32_t i) {
    demand(i < ranges.count, "a UUID range that there is");
    return v7_range(ranges.all[i]);
  };
  bool expected = false;
  bool all_empty = true;
  for (std::uint32_t i = 0; i < ranges.count; ++i) {
    expected = expected || uuids(i).contains(id);
    all_empty = all_empty && uuids(i).empty();
  }
  if (is_v7(id)) {
    demand(any_range_contains(ranges.count, uuids, id) == expected, "found by a search");
  }
  const UuidRange hull = hull_of(ranges.count, uuids);
  demand(hull.empty() == all_empty, "a hull of what is not empty");
  demand(!expected || hull.contains(id), "the hull has all of them");
  valid += expected ? 1 : 0;
}

// Checks that the bins of version 7 are in order and within the histogram's own, and that shares
// are between 0 and 1 and grow with the range.
void check_histogram(Input &input, Uuid id) {
  constexpr double kRounding = 1e-9;
  Uuid bounds[6];
  V7Bin bins[5];
  const int count = 2 + input.number<std::uint8_t>() % 5;
  for (int i = 0; i < count; ++i) {
    bounds[i] = any_uuid(input);
  }
  std::sort(bounds, bounds + count);
  const auto bound = [&](int i) {
    demand(i >= 0 && i < count, "a bound that there is");
    return bounds[i];
  };
  const int found = read_v7_bins(count, bound, any_uuid(input), bins);
  demand(found >= 0 && found < count, "no more bins than the histogram has");
  Uuid last = bounds[0];
  for (int i = 0; i < found; ++i) {
    demand(last <= bins[i].from && bins[i].from <= bins[i].to, "bins in order");
    demand(bins[i].share >= 0 && bins[i].share * (count - 1) <= 1 + kRounding, "a bin's share");
    last = bins[i].to;
  }
  demand(last <= bounds[count - 1], "within the histogram");
  const Uuid other = input.number<std::uint8_t>() % 2 == 0 ? any_uuid(input) : bounds[count / 2];
  const auto share = [&](Uuid from, Uuid to) { return v7_share(bins, found, from, to); };
  const double inside = share(std::min(id, other), std::max(id, other));
  demand(inside >= 0 && inside <= share(kNil, std::max(id, other)) + kRounding, "shares in order");
  demand(share(kNil, std::max(id, other)) <= share(kNil, kMax) + kRounding, "and with the end");
  demand(share(kNil, kMax) <= 1 + kRounding, "a share of 0 to 1");
}

}  // namespace
}  // namespace uuidx_fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace uuidx_fuzz;
  ++inputs;
  Input input{data, size};
  const TimeRanges ranges = any_time_ranges(input);
  Uuid id = any_uuid(input);
  // Often a bound of one of the UUID ranges, or its neighbour.
  const auto near = input.number<std::uint8_t>();
  if (near % 8 > 0 && ranges.count > 0) {
    const TimeRange &range = ranges.all[near / 8 % ranges.count];
    const UnixMicros time = near % 2 == 0 ? range.lower.time : range.upper.time;
    const Uuid bound = near % 4 < 2 ? v7_min(time) : v7_max(time);
    id = near < 128   ? bound
         : near < 192 ? successor(bound).value_or(id)
                      : predecessor(bound).value_or(id);
  }
  check_uuid_ranges(ranges, id);
  check_search(ranges, id);
  check_histogram(input, id);
  return 0;
}
