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

TEST(TimeRange, IntersectionHasWhatBothRangesHave) {
  const Uuid a{0, 1};
  const Uuid b{1, 0};
  const UuidRange shared = intersection({kNil, b}, {a, kMax});
  EXPECT_EQ(shared.lowest, a);
  EXPECT_EQ(shared.highest, b);
  EXPECT_TRUE(intersection({kNil, a}, {b, kMax}).empty());
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
