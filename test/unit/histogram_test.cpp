#include "histogram.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "support.hpp"
#include "v4.hpp"

namespace uuidx_test {
namespace {

constexpr UnixMicros kNow = 1'767'225'600'000'000;
constexpr UnixMicros kDay = 86'400'000'000;
constexpr UnixMicros kAge = 116 * kDay;
constexpr int kIds = 30'000;  // the rows that ANALYZE reads

Uuid v7_of(UnixMicros time) {
  Uuid id;
  EXPECT_EQ(v7_at(time, rng()(), &id), Status::ok);
  return id;
}

// A sorted column and its version 7 bins.
struct Column {
  std::vector<Uuid> ids;
  std::vector<V7Bin> bins;

  void analyze() {
    constexpr std::size_t kBins = 100;
    std::sort(ids.begin(), ids.end());
    const auto bound = [&](int i) {
      return ids[static_cast<std::size_t>(i) * (ids.size() - 1) / kBins];
    };
    bins.resize(kBins);
    const int found = read_v7_bins(kBins + 1, bound, v7_max(kNow), bins.data());
    bins.resize(static_cast<std::size_t>(found));
  }

  [[nodiscard]] double estimate(UnixMicros from, UnixMicros to) const {
    return v7_share(bins.data(), static_cast<int>(bins.size()), v7_min(from), v7_max(to)) *
           static_cast<double>(ids.size());
  }

  [[nodiscard]] double truth(UnixMicros from, UnixMicros to) const {
    return static_cast<double>(std::count_if(ids.begin(), ids.end(), [&](Uuid id) {
      return is_v7(id) && id >= v7_min(from) && id <= v7_max(to);
    }));
  }
};

// Returns a column with a share of version 4, and an even stream of version 7 until `end`.
Column mixed(double v4_share, UnixMicros end = kNow) {
  Column column;
  for (int i = 0; i < kIds; ++i) {
    const bool v4 = std::bernoulli_distribution{v4_share}(rng());
    column.ids.push_back(v4 ? stamp({rng()(), rng()()}, 4) : v7_of(end - random_between(0, kAge)));
  }
  column.analyze();
  return column;
}

TEST(Histogram, DistanceIsExactAcrossBothHalves) {
  EXPECT_EQ(distance({5, 7}, {5, 7}), 0);
  EXPECT_EQ(distance({5, ~std::uint64_t{0}}, {6, 0}), 1 / 18446744073709551616.0);
  EXPECT_EQ(distance({5, 0}, {6, 0}), 1);
  EXPECT_EQ(distance({5, std::uint64_t{1} << 63}, {7, 0}), 1.5);
  EXPECT_EQ(distance(kNil, kMax), 18446744073709551616.0);
  // Two UUIDs of this millisecond are the same number as doubles.
  EXPECT_EQ(distance({0x019B7C0104007000, 0}, {0x019B7C0104007001, 0}), 1);
}

TEST(Histogram, ShareOfOneBinGrowsFromNoneToAll) {
  const Uuid from{100, 5};
  const Uuid to{200, 5};
  EXPECT_EQ(share_below(from, to, kNil), 0);
  EXPECT_EQ(share_below(from, to, from), 0);
  EXPECT_EQ(share_below(from, to, {125, 5}), 0.25);
  EXPECT_EQ(share_below(from, to, to), 1);
  EXPECT_EQ(share_below(from, to, kMax), 1);
  EXPECT_EQ(share_below(from, from, from), 0);
  EXPECT_EQ(share_below(from, from, {100, 6}), 1);
}

TEST(Histogram, SteadyStreamAmongRandomKeysIsEstimatedWithinAFactorOfTwo) {
  for (const double v4_share : {0.0, 0.0001, 0.01, 0.1, 0.3, 0.5, 0.9, 0.95}) {
    for (int repetition = 0; repetition < 5; ++repetition) {
      const Column column = mixed(v4_share);
      const double v7_count = kIds * (1 - v4_share);
      for (const UnixMicros width : {kDay, 10 * kDay, 50 * kDay, kAge}) {
        for (int i = 0; i < 10; ++i) {
          const UnixMicros from = kNow - width - random_between(0, kAge - width);
          const double expected = v7_count * static_cast<double>(width) / kAge;
          const double estimate = column.estimate(from, from + width);
          ASSERT_GE(estimate, expected / 2) << v4_share << " " << (kNow - from) / kDay;
          ASSERT_LE(estimate, expected * 2) << v4_share << " " << (kNow - from) / kDay;
        }
      }
      ASSERT_LE(column.estimate(kNow, kNow + 10'000 * kDay), 0.01 * kIds);
      ASSERT_LE(column.estimate(0, kNow - 2 * kAge), 0.01 * kIds);
    }
  }
}

TEST(Histogram, StreamThatHasEndedDoesNotGoOnUntilNow) {
  for (const double v4_share : {0.0, 0.1, 0.5, 0.9}) {
    const Column column = mixed(v4_share, kNow - 365 * kDay);
    EXPECT_LE(column.estimate(kNow - 300 * kDay, kNow), 0.001 * kIds);
    ASSERT_NEAR(column.estimate(kNow - 500 * kDay, kNow), kIds * (1 - v4_share), 0.02 * kIds);
  }
}

TEST(Histogram, FewKeysAheadOfTheClockDoNotStretchTheLastBin) {
  Column column = mixed(0);
  for (int i = 0; i < 20; ++i) {
    column.ids.push_back(v7_of(kNow + 20'000 * kDay + i * kDay));
  }
  column.analyze();
  for (const UnixMicros width : {kDay / 4, kDay, 30 * kDay}) {
    const double truth = column.truth(kNow - width, kNow);
    EXPECT_GE(column.estimate(kNow - width, kNow), truth / 2);
    EXPECT_LE(column.estimate(kNow - width, kNow), truth * 2);
  }
}

TEST(Histogram, TimesAfterNowAreEstimatedAsOthers) {
  Column column = mixed(0, kNow + kAge / 2);
  for (int i = 0; i < 1'000; ++i) {
    const UnixMicros from = kNow + random_between(-kAge, kAge);
    const UnixMicros to = from + random_between(0, kAge);
    ASSERT_NEAR(column.estimate(from, to), column.truth(from, to), 0.015 * kIds);
  }
}

TEST(Histogram, NeverWrongByMoreThanABin) {
  // In bursts, with many equal bounds.
  Column column;
  for (int i = 0; i < kIds; ++i) {
    column.ids.push_back(v7_of(kNow - random_between(1, 30) * random_between(0, kDay)));
  }
  std::fill(column.ids.begin() + 2'000, column.ids.begin() + 3'600, column.ids[2'000]);
  column.analyze();
  for (int i = 0; i < 1'000; ++i) {
    const UnixMicros from = kNow - random_between(0, 30 * kDay);
    const UnixMicros to = from + random_between(0, 30 * kDay);
    ASSERT_NEAR(column.estimate(from, to), column.truth(from, to), 0.025 * kIds);
  }
  ASSERT_NEAR(column.estimate(0, 2 * kNow), kIds, 1);
  EXPECT_EQ(column.estimate(2 * kNow, 3 * kNow), 0);
}

TEST(Histogram, OtherVersionsAloneHaveNone) {
  EXPECT_TRUE(mixed(1).bins.empty());
}

}  // namespace
}  // namespace uuidx_test
