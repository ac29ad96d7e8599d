#include "shared_ticks.hpp"

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

}  // namespace
}  // namespace uuidx_test
