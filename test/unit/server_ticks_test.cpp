// The server clock's ticks, and the lead of high-water marks: durable long enough, and never more
// than it must be.
#include "server_ticks.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "support.hpp"

namespace uuidx_test {
namespace {

// Takes ticks as one thread, with a clock of its own; returns them.
std::vector<UnixTicks> take_many(SharedTicks *shared, UnixTicks clock, UnixTicks step, int count) {
  std::vector<UnixTicks> taken;
  taken.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    UnixTicks next = 0;
    EXPECT_TRUE(take_unix_ticks(shared, clock, &next));
    taken.push_back(next);
    clock += step;
  }
  return taken;
}

TEST(SharedTicks, ThreadsTakeDifferentTicksEachInOrder) {
  constexpr int kThreads = 4;
  constexpr int kCount = 200'000;
  SharedTicks shared{0};
  std::vector<std::vector<UnixTicks>> taken(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (std::size_t i = 0; i < kThreads; ++i) {
    // Clocks that differ, stand still or run.
    threads.emplace_back(
        [&, i] { taken[i] = take_many(&shared, 1'000'000 * (i + 1), i % 2, kCount); });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  std::vector<UnixTicks> all;
  for (const std::vector<UnixTicks> &one : taken) {
    ASSERT_TRUE(std::is_sorted(one.begin(), one.end()));
    all.insert(all.end(), one.begin(), one.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  EXPECT_EQ(all.back(), shared.load());
}

TEST(SharedTicks, IsRaisedByConcurrentThreads) {
  SharedTicks shared{0};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (UnixTicks by = 1; by <= 4; ++by) {
    threads.emplace_back([&shared, by] {
      bool raised = true;
      for (int i = 0; i < 1'000'000; ++i) {
        const UnixTicks to = shared.load() + by;
        increase_unix_ticks(&shared, to);
        raised = raised && shared.load() >= to;
      }
      EXPECT_TRUE(raised);
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

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

TEST(HighWaterMark, IsTwoSecondsAheadOfTheClockOrAMarginAheadOfTheTicks) {
  EXPECT_EQ(mark_above(kNow, kNow), kNow + 2 * kSecond);
  // Also if values are a little ahead.
  EXPECT_EQ(mark_above(kNow + kSecond, kNow), kNow + 2 * kSecond);
  EXPECT_EQ(mark_above(kNow + 5 * kSecond, kNow), kNow + 5 * kSecond + kMargin);
  EXPECT_EQ(mark_above(kNow, 0), kNow + kMargin);
}

TEST(HighWaterMark, ConfirmationIsOverInTimeAndIfTheClockIsSetBack) {
  EXPECT_FALSE(is_over(kNow, kNow, kSecond));
  EXPECT_FALSE(is_over(kNow, kNow + kSecond, kSecond));
  EXPECT_TRUE(is_over(kNow, kNow + kSecond + 1, kSecond));
  EXPECT_TRUE(is_over(kNow, kNow - 1, kSecond));
  EXPECT_TRUE(is_over(0, kNow, kSecond));
}

TEST(HighWaterMark, IsAboveTheTickUnlessThereIsNone) {
  for (const UnixTicks ahead : kDistances) {
    EXPECT_GE(mark_above(kNow + ahead, kNow), kNow + ahead + kMarkMargin);
    EXPECT_GE(mark_above(kMaxUnixTicks - ahead, kNow), kMaxUnixTicks - ahead);
  }
  EXPECT_EQ(mark_above(kMaxUnixTicks, kMaxUnixTicks), kMaxUnixTicks);
}

// Each restart continues at the mark, after at least the margin.
TEST(HighWaterMark, RestartsDoNotRunAhead) {
  UnixTicks clock = kNow;
  UnixTicks mark = clock;
  for (int restart = 0; restart < 1'000; ++restart) {
    clock += kMarkMargin;
    UnixTicks tick = 0;
    ASSERT_TRUE(next_unix_ticks(mark, clock, &tick));
    mark = mark_above(tick, clock);
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
}  // namespace uuidx_test
