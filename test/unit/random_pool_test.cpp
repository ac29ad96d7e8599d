#include "random_pool.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "support.hpp"

namespace uuidx_test {
namespace {

std::vector<std::size_t> asked;  // words asked for in each call

// A working source, of numbers that never repeat.
bool counting_source(void *to, std::size_t size) {
  asked.push_back(size / sizeof(std::uint64_t));
  static std::uint64_t next = 0x1122334455667788;
  for (std::size_t at = 0; at < size; at += sizeof next) {
    ++next;
    std::memcpy(static_cast<char *>(to) + at, &next, sizeof next);
  }
  return true;
}

// A source that fails after it has written half of the batch.
bool short_source(void *to, std::size_t size) {
  std::memset(to, 0x55, size / 2);
  return false;
}

// True if a number is anywhere in the pool's memory.
bool holds(const RandomPool &pool, std::uint64_t word) {
  unsigned char bytes[sizeof pool];
  std::memcpy(bytes, &pool, sizeof pool);
  const auto *wanted = reinterpret_cast<const unsigned char *>(&word);
  return std::search(bytes, bytes + sizeof bytes, wanted, wanted + sizeof word) !=
         bytes + sizeof bytes;
}

TEST(RandomPool, HandsOutEveryWordOnce) {
  RandomPool pool;
  std::set<std::uint64_t> seen;
  for (std::size_t i = 0; i < 3 * RandomPool::kWords; ++i) {
    std::uint64_t word = 0;
    ASSERT_TRUE(pool.draw(counting_source, &word));
    ASSERT_TRUE(seen.insert(word).second);
  }
}

TEST(RandomPool, FetchesFewWordsAtFirstAndMoreEachTime) {
  RandomPool pool;
  asked.clear();
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 4 + 32 + 256 + 1024 + 1; ++i) {
    ASSERT_TRUE(pool.draw(counting_source, &word));
  }
  const std::vector<std::size_t> growing = {4, 32, 256, 1024, 1024};
  EXPECT_EQ(asked, growing);
  pool.drop();
  ASSERT_TRUE(pool.draw(counting_source, &word));
  EXPECT_EQ(asked.back(), 4U);
}

TEST(RandomPool, AFailingSourceIsAnErrorEveryTimeAndRecovers) {
  RandomPool pool;
  std::uint64_t word = 42;
  EXPECT_FALSE(pool.draw(short_source, &word));
  EXPECT_FALSE(holds(pool, 0x5555555555555555));
  EXPECT_FALSE(pool.draw(short_source, &word));
  EXPECT_EQ(word, 42U);
  EXPECT_TRUE(pool.draw(counting_source, &word));
  EXPECT_NE(word, 0x5555555555555555U);
  while (asked.back() < RandomPool::kWords) {
    ASSERT_TRUE(pool.draw(counting_source, &word));
  }
  while (pool.draw(short_source, &word)) {
  }
  ASSERT_TRUE(pool.draw(counting_source, &word));
  EXPECT_EQ(asked.back(), RandomPool::kFirstWords);
}

}  // namespace
}  // namespace uuidx_test
