#include "uuid_ranges.hpp"

#include <vector>

#include "support.hpp"

namespace uuidx_test {
namespace {

// Ranges of whole numbers, with what UuidRanges refers to.
class NumberRanges {
 public:
  explicit NumberRanges(const std::vector<std::pair<int, int>> &ranges) {
    for (const auto &[lowest, highest] : ranges) {
      range_.push_back({number(lowest), number(highest)});
      before_.push_back(before_.back() + highest - lowest);
    }
  }

  static Uuid number(int i) { return {static_cast<std::uint64_t>(i), 0}; }
  [[nodiscard]] UuidRanges get() const {
    return {range_.data(), before_.data(), static_cast<std::uint32_t>(range_.size())};
  }

 private:
  std::vector<UuidRange> range_;
  std::vector<double> before_{0};
};

UuidRange numbers(int lowest, int highest) {
  return {NumberRanges::number(lowest), NumberRanges::number(highest)};
}

TEST(UuidRanges, ShareIsThatOfTheUnitsWithin) {
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::pair<int, int>> list;
    std::vector<bool> covered(200);  // the units from each number to the next one
    for (int i = static_cast<int>(random_between(0, 30)); i < 180;) {
      const auto end = i + static_cast<int>(random_between(0, 12));
      list.emplace_back(i, end);
      std::fill(covered.begin() + i, covered.begin() + end, true);
      i = end + 1 + static_cast<int>(random_between(0, 40));
    }
    const NumberRanges ranges{list};
    const auto from = static_cast<int>(random_between(0, 198));
    const auto to = static_cast<int>(random_between(from + 1, 199));
    const auto inside = std::count(covered.begin() + from, covered.begin() + to, true);
    ASSERT_NEAR(ranges.get().share_of(numbers(from, to)), static_cast<double>(inside) / (to - from),
                1e-12);
    const bool overlaps = std::any_of(list.begin(), list.end(), [&](const auto &each) {
      return each.first <= to && each.second >= from;
    });
    ASSERT_EQ(ranges.get().overlaps(numbers(from, to)), overlaps);
    const auto i = static_cast<int>(random_between(0, 199));
    ASSERT_EQ(ranges.get().contains(NumberRanges::number(i)), ranges.get().overlaps(numbers(i, i)));
  }
}

TEST(UuidRanges, NoneCoverNothing) {
  const NumberRanges none{{}};
  EXPECT_EQ(none.get().share_of({}), 0);
  EXPECT_FALSE(none.get().overlaps({}));
  EXPECT_FALSE(none.get().contains(kNil));
}

TEST(UuidRanges, SingleKeyIsCoveredOrNot) {
  const NumberRanges ranges{{{10, 20}, {30, 30}}};
  EXPECT_EQ(ranges.get().share_of(numbers(20, 20)), 1);
  EXPECT_EQ(ranges.get().share_of(numbers(30, 30)), 1);
  EXPECT_EQ(ranges.get().share_of(numbers(25, 25)), 0);
  EXPECT_EQ(ranges.get().share_of(kEmptyRange), 0);
}

TEST(UuidRanges, UnboundedRangesCoverAllThere) {
  const UuidRange range[] = {{kNil, {100, 0}}, {{1'000, 0}, kMax}};
  const double before[] = {0, 100, 100 + distance({1'000, 0}, kMax)};
  const UuidRanges ranges{range, before, 2};
  EXPECT_EQ(ranges.share_of(numbers(0, 100)), 1);
  EXPECT_EQ(ranges.share_of({{5'000, 0}, kMax}), 1);
  EXPECT_EQ(ranges.share_of(numbers(50, 150)), 0.5);
}

}  // namespace
}  // namespace uuidx_test
