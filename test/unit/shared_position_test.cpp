#include "shared_position.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "support.hpp"

namespace uuidx_test {
namespace {

// Values that one thread takes, with a clock of its own.
std::vector<Position> take_many(SharedPosition *shared, Position clock, Position step, int count) {
  std::vector<Position> taken;
  taken.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    Position last = 0;
    Position next = 0;
    EXPECT_TRUE(take_position(shared, clock, &last, &next));
    EXPECT_LT(last, next);
    taken.push_back(next);
    clock += step;
  }
  return taken;
}

TEST(SharedPosition, FollowsTheClockAndNeverFalls) {
  SharedPosition shared{0};
  Position last = 0;
  Position next = 0;
  EXPECT_TRUE(take_position(&shared, 100, &last, &next));
  EXPECT_EQ(last, 0U);
  EXPECT_EQ(next, 100U);
  EXPECT_TRUE(take_position(&shared, 100, &last, &next));
  EXPECT_EQ(next, 101U);
  EXPECT_TRUE(take_position(&shared, 50, &last, &next));
  EXPECT_EQ(last, 101U);
  EXPECT_EQ(next, 102U);
  EXPECT_TRUE(take_position(&shared, 200, &last, &next));
  EXPECT_EQ(next, 200U);
}

TEST(SharedPosition, EndsAtTheEndOfTime) {
  SharedPosition shared{kMaxPosition};
  Position last = 0;
  Position next = 0;
  EXPECT_FALSE(take_position(&shared, 100, &last, &next));
  EXPECT_EQ(shared.load(), kMaxPosition);
}

TEST(SharedPosition, IsRaisedAndNeverLowered) {
  SharedPosition shared{100};
  raise_position(&shared, 50);
  EXPECT_EQ(shared.load(), 100U);
  raise_position(&shared, 200);
  EXPECT_EQ(shared.load(), 200U);
}

TEST(SharedPosition, ThreadsTakeDifferentOnesEachInOrder) {
  constexpr int kThreads = 4;
  constexpr int kCount = 200'000;
  SharedPosition shared{0};
  std::vector<std::vector<Position>> taken(kThreads);
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
  std::vector<Position> all;
  for (const std::vector<Position> &one : taken) {
    ASSERT_TRUE(std::is_sorted(one.begin(), one.end()));
    all.insert(all.end(), one.begin(), one.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  EXPECT_EQ(all.back(), shared.load());
}

}  // namespace
}  // namespace uuidx_test
