// The lead of high-water marks: durable long enough, and never more than it must be.
#include "mark_distance.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace uuidx {
namespace {

constexpr UnixTicks kSecond = UnixTicks{1'000} << kMillisShift;
constexpr UnixTicks kMargin = kSecond / 20;
constexpr UnixTicks kNow = UnixTicks{1'700'000'000'000} << kMillisShift;

// Ticks at, near and far from another one.
constexpr UnixTicks kDistances[] = {
    0,       1,         kMarkMargin - 1, kMarkMargin,    kMarkMargin + 1,
    kSecond, kMarkStep, kReplayStep,     3600 * kSecond, kNow};

TEST(HighWaterMark, LaterTicksSaturate) {
  EXPECT_EQ(later(5, 7), 12U);
  EXPECT_EQ(later(kMaxUnixTicks - 7, 7), kMaxUnixTicks);
  EXPECT_EQ(later(kMaxUnixTicks - 7, 8), kMaxUnixTicks);
  EXPECT_EQ(later(8, kMaxUnixTicks), kMaxUnixTicks);
}

TEST(HighWaterMark, IsTwoSecondsAheadOfTheClock) {
  EXPECT_EQ(mark_above(kNow, kNow, 0), kNow + 2 * kSecond);
  // Also if values are a little ahead.
  EXPECT_EQ(mark_above(kNow + kSecond, kNow, kUsualWrite), kNow + 2 * kSecond);
}

// A mark is not used up before the next one, which is written from half-way on, is durable.
TEST(HighWaterMark, LastsOnASlowDisk) {
  for (const UnixTicks write : {kSecond / 10, kSecond, kSecond * 3 / 2, kSecond * 3}) {
    const UnixTicks mark = mark_above(kNow, kNow, write);
    EXPECT_LT(std::max(raise_point(kNow, mark), kNow + write) + write, mark + kUsualWrite / 2)
        << write;
  }
  EXPECT_EQ(mark_above(kNow, kNow, 3600 * kSecond), kNow + kLongestStep);
}

TEST(HighWaterMark, ConfirmationIsOverInTimeAndIfTheClockIsSetBack) {
  EXPECT_FALSE(is_over(kNow, kNow, kSecond));
  EXPECT_FALSE(is_over(kNow, kNow + kSecond, kSecond));
  EXPECT_TRUE(is_over(kNow, kNow + kSecond + 1, kSecond));
  EXPECT_TRUE(is_over(kNow, kNow - 1, kSecond));
  EXPECT_TRUE(is_over(0, kNow, kSecond));
}

TEST(HighWaterMark, IsAMarginAheadOfTicksThatAreFarAhead) {
  EXPECT_EQ(mark_above(kNow + 5 * kSecond, kNow, 0), kNow + 5 * kSecond + kMargin);
  EXPECT_EQ(mark_above(kNow, 0, 0), kNow + kMargin);
}

TEST(HighWaterMark, IsAboveTheTickUnlessThereIsNone) {
  for (const UnixTicks ahead : kDistances) {
    EXPECT_GE(mark_above(kNow + ahead, kNow, ahead), kNow + ahead + kMarkMargin);
    EXPECT_GE(mark_above(kMaxUnixTicks - ahead, kNow, ahead), kMaxUnixTicks - ahead);
  }
  EXPECT_EQ(mark_above(kMaxUnixTicks, kMaxUnixTicks, kMaxUnixTicks), kMaxUnixTicks);
}

// Each restart continues at the mark, after at least the margin.
TEST(HighWaterMark, RestartsDoNotRunAhead) {
  UnixTicks clock = kNow;
  UnixTicks mark = clock;
  for (int restart = 0; restart < 1'000; ++restart) {
    clock += kMarkMargin;
    UnixTicks tick = 0;
    ASSERT_TRUE(next_unix_ticks(mark, clock, &tick));
    mark = mark_above(tick, clock, 0);
    ASSERT_LE(mark, clock + kMarkStep + kMarkMargin) << restart;
  }
}

TEST(HighWaterMark, RaisePointIsHalfWay) {
  EXPECT_EQ(raise_point(kNow, kNow + kMarkStep), kNow + kSecond);
  EXPECT_EQ(raise_point(kNow, kNow), kNow);
  EXPECT_EQ(raise_point(kNow, kNow - 1), kNow - 1);
  EXPECT_EQ(raise_point(0, kMaxUnixTicks), UnixTicks{1} << 63);
  for (const UnixTicks distance : kDistances) {
    const UnixTicks point = raise_point(kNow, kNow + distance);
    EXPECT_LE(point, kNow + distance);
    // The tick itself need not raise it again.
    EXPECT_TRUE(distance == 0 || point > kNow) << distance;
  }
}

TEST(HighWaterMark, ReplayIsNeverAheadOfTheClock) {
  for (const UnixTicks distance : kDistances) {
    const UnixTicks past = kNow - distance;
    const UnixTicks written = mark_for_replay(past, kNow);
    EXPECT_GE(written, past);
    EXPECT_LE(written, kNow);
    EXPECT_EQ(written, past + std::min(distance, 60 * kSecond));
    // A mark ahead of the clock is written as it is.
    EXPECT_EQ(mark_for_replay(kNow + distance, kNow), kNow + distance);
  }
  EXPECT_EQ(mark_for_replay(kMaxUnixTicks, kNow), kMaxUnixTicks);
  // An unknown clock.
  EXPECT_EQ(mark_for_replay(kNow, 0), kNow);
}

}  // namespace
}  // namespace uuidx
