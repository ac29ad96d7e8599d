#include "number128.hpp"

#include "support.hpp"

namespace uuidx_test {
namespace {

// Returns a random number of 1 to 64 bits.
std::uint64_t any_word() {
  return rng()() >> random_between(0, 63);
}

TEST(PairNumber, DivisionAndMultiplicationUndoEachOther) {
  for (int i = 0; i < 100'000; ++i) {
    const PairNumber number{any_word(), any_word()};
    const std::uint64_t by = (any_word() >> 1) + 1;
    const PairNumber quotient = number / by;
    const std::uint64_t rest = number % by;
    EXPECT_LT(rest, by);
    EXPECT_TRUE(quotient * by + rest == number) << i;
    EXPECT_TRUE(number - rest == quotient * by) << i;
  }
}

TEST(PairNumber, ShiftsByTwoSteps) {
  for (int by = 2; by < 128; ++by) {
    const PairNumber number{rng()(), rng()()};
    EXPECT_TRUE((number << by) == (number << 1 << (by - 1))) << by;
    EXPECT_TRUE((number >> by) == (number >> 1 >> (by - 1))) << by;
  }
}

#ifdef __SIZEOF_INT128__
__extension__ using Wide = unsigned __int128;

TEST(PairNumber, CalculatesAsTheCompilerDoes) {
  const auto same = [](PairNumber ours, Wide theirs) {
    return static_cast<std::uint64_t>(ours >> 64) == static_cast<std::uint64_t>(theirs >> 64) &&
           static_cast<std::uint64_t>(ours) == static_cast<std::uint64_t>(theirs);
  };
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t words[] = {any_word(), any_word(), any_word(), any_word()};
    const PairNumber a{words[0], words[1]};
    const PairNumber b{words[2], words[3]};
    const Wide wide_a = Wide{words[0]} << 64 | words[1];
    const Wide wide_b = Wide{words[2]} << 64 | words[3];
    const std::uint64_t by = (any_word() >> 1) + 1;
    const int shift = static_cast<int>(random_between(1, 127));
    EXPECT_TRUE(same(a + b, wide_a + wide_b));
    EXPECT_TRUE(same(a - b, wide_a - wide_b));
    EXPECT_TRUE(same(a * by, wide_a * by));
    EXPECT_TRUE(same(a / by, wide_a / by));
    EXPECT_TRUE(same(a % by, wide_a % by));
    EXPECT_TRUE(same(a << shift, wide_a << shift));
    EXPECT_TRUE(same(a >> shift, wide_a >> shift));
    EXPECT_TRUE(same(~a, ~wide_a));
    EXPECT_TRUE(same(a | by, wide_a | by));
    EXPECT_EQ(a & by, static_cast<std::uint64_t>(wide_a & by));
    EXPECT_EQ(a < b, wide_a < wide_b);
    EXPECT_EQ(a == b, wide_a == wide_b);
  }
}
#endif

}  // namespace
}  // namespace uuidx_test
