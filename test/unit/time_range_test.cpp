#include "time_range.hpp"

#include <algorithm>
#include <vector>

#include "support.hpp"
#include "v7.hpp"

namespace uuidx_test {
namespace {

constexpr UnixMicros kEndOfTime = std::numeric_limits<UnixMicros>::max();
constexpr UnixMicros kBeginOfTime = std::numeric_limits<UnixMicros>::min();

// Returns a time at or near to `near`, a random one, or one at an end of the range.
UnixMicros some_time(UnixMicros near) {
  const UnixMicros times[] = {near,
                              near + random_between(-2'000, 2'000),
                              near + random_between(-3, 3) * kMicrosPerMilli,
                              random_between(-kMaxV7Micros, 2 * kMaxV7Micros),
                              kBeginOfTime,
                              kEndOfTime,
                              0,
                              -1,
                              kMaxV7Micros,
                              kMaxV7Micros + 1};
  return times[random_between(0, 9)];
}

// Returns a version 7 UUID with a random or an extreme time, and random or extreme bits.
Uuid some_id() {
  const std::uint64_t millis[] = {0, kMaxUnixMillis,
                                  static_cast<std::uint64_t>(random_between(0, kMaxUnixMillis))};
  const std::uint64_t bits[] = {0, ~std::uint64_t{0}, rng()()};
  const Uuid random{millis[random_between(0, 2)] << 16 | (bits[random_between(0, 2)] & 0xFFFF),
                    bits[random_between(0, 2)]};
  return stamp(random, kV7);
}

RangeEnd some_end(UnixMicros time) {
  return {time, random_between(0, 4) > 0, random_between(0, 1) > 0};
}

// True if a time range that is not empty contains a time.
bool time_range_contains(RangeEnd lower, RangeEnd upper, UnixMicros time) {
  const bool after = !lower.bounded || time > lower.time || (lower.inclusive && time == lower.time);
  const bool before =
      !upper.bounded || time < upper.time || (upper.inclusive && time == upper.time);
  return after && before;
}

TEST(TimeRange, UuidRangeContainsExactlyTheIdsOfItsTimes) {
  int inside = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const Uuid id = some_id();
    const UnixMicros time = *time_of(id);
    const UnixMicros a = some_time(time);
    const UnixMicros b = some_time(time);
    const RangeEnd lower = some_end(std::min(a, b));
    const RangeEnd upper = some_end(std::max(a, b));
    const bool expected = time_range_contains(lower, upper, time);
    ASSERT_EQ(v7_range({lower, upper}).contains(id), expected)
        << testing::PrintToString(id) << ' ' << a << ' ' << b;
    inside += expected ? 1 : 0;
  }
  EXPECT_GT(inside, 100'000);
  EXPECT_LT(inside, 900'000);
}

// Returns the UUID ranges of time ranges that are in order, apart and not empty, as those of a
// multirange are, close together around a time or at the ends of time.
std::vector<UuidRange> some_uuid_ranges(UnixMicros near) {
  std::vector<UuidRange> uuid_ranges;
  std::vector<UnixMicros> times(static_cast<std::size_t>(random_between(0, 6)) * 2);
  std::generate(times.begin(), times.end(), [&] { return some_time(near); });
  std::sort(times.begin(), times.end());
  for (std::size_t i = 0; i < times.size(); i += 2) {
    RangeEnd lower{times[i], true, i == 0 || times[i - 1] < times[i]};
    RangeEnd upper{times[i + 1], true, random_between(0, 1) > 0};
    if (times[i] < times[i + 1]) {
      lower.bounded = i > 0 || random_between(0, 1) > 0;
      upper.bounded = i + 2 < times.size() || random_between(0, 1) > 0;
      uuid_ranges.push_back(v7_range({lower, upper}));
    }
  }
  return uuid_ranges;
}

// Returns the smallest UUID range that contains some others.
UuidRange expected_hull(const std::vector<UuidRange> &uuid_ranges) {
  UuidRange hull = kEmptyRange;
  for (const UuidRange &one : uuid_ranges) {
    if (!one.empty()) {
      hull = {std::min(hull.lowest, one.lowest), std::max(hull.highest, one.highest)};
    }
  }
  return hull;
}

TEST(TimeRange, IntersectionHasWhatBothRangesHave) {
  const Uuid a{0, 1};
  const Uuid b{1, 0};
  const UuidRange shared = intersection({kNil, b}, {a, kMax});
  EXPECT_EQ(shared.lowest, a);
  EXPECT_EQ(shared.highest, b);
  EXPECT_TRUE(intersection({kNil, a}, {b, kMax}).empty());
}

TEST(TimeRange, AmongSeveralUuidRangesTheRightOneIsFound) {
  int inside = 0;
  for (int i = 0; i < 200'000; ++i) {
    const Uuid near = some_id();
    const std::vector<UuidRange> uuid_ranges = some_uuid_ranges(*time_of(near));
    const auto range = [&](std::uint32_t k) { return uuid_ranges[k]; };
    const auto count = static_cast<std::uint32_t>(uuid_ranges.size());
    const UuidRange hull = hull_of(count, range);
    ASSERT_EQ(hull.lowest, expected_hull(uuid_ranges).lowest);
    ASSERT_EQ(hull.highest, expected_hull(uuid_ranges).highest);
    const UnixMicros time = some_time(*time_of(near));
    // The hull also contains UUIDs of other versions: nil and max, neighbors of bounds, random
    // bits.
    for (const Uuid &id : {near, kNil, kMax, v7_min(time), v7_max(time), Uuid{near.hi | 0xFFFF, 7},
                           successor(v7_max(time)).value_or(kMax), Uuid{rng()(), rng()()}}) {
      const bool expected = std::any_of(uuid_ranges.begin(), uuid_ranges.end(),
                                        [&](const UuidRange &one) { return one.contains(id); });
      if (is_v7(id)) {
        ASSERT_EQ(any_range_contains(count, range, id), expected) << testing::PrintToString(id);
      }
      ASSERT_TRUE(!expected || hull.contains(id)) << testing::PrintToString(id);
      inside += expected ? 1 : 0;
    }
  }
  EXPECT_GT(inside, 100'000);
}

// The UUID range of a time range within a millisecond ends no earlier than one that ends before it,
// also if that contains UUIDs of other versions.
TEST(TimeRange, WithinAMillisecondTheHighestUuidNeverDecreases) {
  const RangeEnd some[] = {{5'400, true, true}, {5'400, true, false}};
  const RangeEnd later[] = {{5'600, true, true}, {5'600, true, false}};
  const Uuid v8 = stamp(v7_max(5'000), 8);
  for (const RangeEnd lower : some) {
    for (const RangeEnd upper : later) {
      const UuidRange uuid_ranges[] = {v7_range({{0, true, true}, {5'300, true, false}}),
                                       v7_range({lower, upper})};
      EXPECT_TRUE(uuid_ranges[0].contains(v8));
      EXPECT_LE(uuid_ranges[0].highest, uuid_ranges[1].highest);
    }
  }
}

TEST(TimeRange, WithoutEndsContainsEverything) {
  const UuidRange all = v7_range({});
  EXPECT_TRUE(all.contains(kNil));
  EXPECT_TRUE(all.contains(kMax));
}

// Nil and max are bounds themselves.
TEST(TimeRange, BeyondTheTimesOfVersion7IsNilOrMax) {
  const UuidRange before = v7_range({{}, {-1, true, true}});
  EXPECT_EQ(before.lowest, kNil);
  EXPECT_EQ(before.highest, kNil);
  const UuidRange after = v7_range({{kMaxV7Micros + 1, true, true}, {}});
  EXPECT_EQ(after.lowest, kMax);
  EXPECT_EQ(after.highest, kMax);
}

TEST(TimeRange, BeyondInfinityIsEmpty) {
  EXPECT_TRUE(v7_range({{}, {kBeginOfTime, true, false}}).empty());
  EXPECT_TRUE(v7_range({{kEndOfTime, true, false}, {}}).empty());
  EXPECT_TRUE(v7_range({{}, {}, true}).empty());
}

}  // namespace
}  // namespace uuidx_test
