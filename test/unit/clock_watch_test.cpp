#include "clock_watch.hpp"

#include "support.hpp"

namespace uuidx_test {
namespace {

constexpr std::int64_t kSecond = kNanosPerSecond;

// Returns the reading this many nanoseconds after 1970.
ClockReading at(std::int64_t nanoseconds) {
  return {nanoseconds / kSecond, static_cast<std::uint32_t>(nanoseconds % kSecond)};
}

// A watch and the two clocks that it compares, which the test sets.
struct Clocks {
  std::int64_t clock = 1'700'000'000 * kSecond;
  std::int64_t steady = 5'000 * kSecond;
  ClockWatch watch;

  ClockChange look() { return observe(&watch, at(clock), at(steady)); }
  ClockChange look_after(std::int64_t time, std::int64_t set = 0) {
    clock += time + set;
    steady += time;
    return look();
  }
};

TEST(ClockWatch, IdleTimeIsNoChange) {
  Clocks clocks;
  // The first time, there is nothing to compare with.
  for (const std::int64_t idle :
       {std::int64_t{0}, std::int64_t{1}, kSecond, 86'400 * kSecond, 10'000'000 * kSecond}) {
    const ClockChange change = clocks.look_after(idle);
    EXPECT_EQ(change.set_back, 0);
    EXPECT_EQ(change.jumped, 0);
  }
  EXPECT_EQ(clocks.watch.set_backs, 0U);
}

TEST(ClockWatch, SetBacksAreCountedWithTheLargest) {
  Clocks clocks;
  clocks.look();
  const ClockChange change = clocks.look_after(kSecond, -3 * kSecond);
  EXPECT_EQ(change.set_back, 3 * kSecond);
  EXPECT_EQ(change.jumped, 0);
  EXPECT_EQ(clocks.look_after(kSecond, -3'600 * kSecond).set_back, 3'600 * kSecond);
  EXPECT_EQ(clocks.look_after(kSecond, -2'000'000).set_back, 2'000'000);
  EXPECT_EQ(clocks.look_after(kSecond).set_back, 0);
  EXPECT_EQ(clocks.watch.set_backs, 3U);
  EXPECT_EQ(clocks.watch.max_set_back, 3'600 * kSecond);
}

TEST(ClockWatch, JumpsForwardAreSeenAndNotCounted) {
  Clocks clocks;
  clocks.look();
  const ClockChange change = clocks.look_after(kSecond, 3'600 * kSecond);
  EXPECT_EQ(change.jumped, 3'600 * kSecond);
  EXPECT_EQ(change.set_back, 0);
  EXPECT_EQ(clocks.look_after(kSecond).jumped, 0);
  EXPECT_EQ(clocks.watch.set_backs, 0U);
}

TEST(ClockWatch, ChangesOfCenturiesSaturate) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr ClockReading kSteady{5'000, 0};
  ClockWatch watch;
  observe(&watch, {0, 0}, kSteady);
  EXPECT_EQ(observe(&watch, {kMaxUnixMillis / 1000, 0}, kSteady).jumped, kMost);
  EXPECT_EQ(observe(&watch, {-kMaxUnixMillis / 1000, 0}, kSteady).set_back, kMost);
  EXPECT_EQ(observe(&watch, {std::numeric_limits<std::int64_t>::max(), 0}, kSteady).jumped, kMost);
  EXPECT_EQ(watch.max_set_back, kMost);
}

TEST(ClockWatch, ANewWatchHasCountedNothing) {
  const ClockWatch watch;
  EXPECT_EQ(watch.distance, 0);
  EXPECT_FALSE(watch.started || watch.behind_at != 0 || watch.warned_behind);
  EXPECT_EQ(watch.set_backs, 0U);
  EXPECT_EQ(watch.max_set_back, 0);
}

TEST(ClockWatch, NanosecondsAreExactUntilTheySaturate) {
  for (int i = 0; i < 10'000; ++i) {
    const ClockReading from = after(kVectorClock, random_between(-kSecond, kSecond));
    const std::int64_t time = random_between(-10 * kSecond, 10 * kSecond);
    ASSERT_EQ(nanos_between(from, after(from, time)), time);
  }
  constexpr std::int64_t kMost = 9'223'372'035;  // seconds
  for (const std::int64_t seconds : {kMost, kMost + 1, std::int64_t{1} << 60}) {
    EXPECT_EQ(nanos_between({0, 0}, {seconds, 999'999'999}), kMost * kSecond + 999'999'999);
    EXPECT_EQ(nanos_between({seconds, 999'999'999}, {0, 0}), -kMost * kSecond - 999'999'999);
  }
}

TEST(ClockWatch, AMillisecondIsNoise) {
  for (const std::int64_t more : {0, 1}) {
    Clocks clocks;
    clocks.look();
    const std::int64_t change = 1'000'000 + more;
    EXPECT_EQ(clocks.look_after(kSecond, change).jumped, more * change);
    EXPECT_EQ(clocks.look_after(kSecond, -change).set_back, more * change);
  }
}

}  // namespace
}  // namespace uuidx_test
