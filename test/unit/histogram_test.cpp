#include "pg/planner/statistics/histogram.hpp"

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
    const Uuid lowest = v7_min(from);
    const Uuid highest = v7_max(to);
    return static_cast<double>(std::count_if(ids.begin(), ids.end(), [&](Uuid id) {
      return id >= lowest && id <= highest && is_v7(id);
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

// Returns UUIDs that are ordered by a number, of version 7 and of another one.
Uuid v7_number(std::uint64_t number) {
  return stamp({number << 16, 0}, kV7);
}
Uuid other_number(std::uint64_t number) {
  return stamp({number << 16, 0}, kV4);
}

// The distance of two UUIDs of one version whose numbers differ by 1.
constexpr double kUnit = 65'536;

void expect_bin(const V7Bin &bin, Uuid from, Uuid to, double share) {
  EXPECT_EQ(bin.from, from);
  EXPECT_EQ(bin.to, to);
  EXPECT_EQ(bin.share, share);
}

TEST(Histogram, MovingEndsAtNilAndMax) {
  constexpr double kHalf = 9223372036854775808.0;
  const Uuid id{100, 5};
  EXPECT_EQ(moved(id, 25), (Uuid{125, 5}));
  EXPECT_EQ(moved(id, -25), (Uuid{75, 5}));
  EXPECT_EQ(moved(id, -100), (Uuid{0, 5}));
  EXPECT_EQ(moved(id, -101), kNil);
  EXPECT_EQ(moved({std::uint64_t{1} << 63, 5}, kHalf), kMax);
  EXPECT_EQ(moved({std::uint64_t{1} << 63, 5}, kHalf / 2), (Uuid{std::uint64_t{3} << 62, 5}));
}

TEST(Histogram, OtherVersionsAreAsDenseAsBetweenTwoOfTheirBounds) {
  const Uuid bounds[] = {other_number(0), other_number(2),  v7_number(5),
                         v7_number(6),    other_number(10), other_number(14)};
  const auto bound = [&](int i) { return bounds[i]; };
  EXPECT_EQ(density_of_others(6, bound), 2 / (6 * kUnit));
  EXPECT_EQ(density_of_others(5, bound), 1 / (2 * kUnit));
  const auto v7_only = [&](int i) { return bounds[i + 2]; };
  EXPECT_EQ(density_of_others(2, v7_only), 0);
  EXPECT_EQ(density_of_others(3, v7_only), 0);
  const auto narrow = [](int i) { return stamp({i == 0 ? 0U : 1U, 0}, kV4); };
  EXPECT_EQ(density_of_others(2, narrow), 1);
  EXPECT_EQ(others_between({100, 0}, {200, 0}, 0.005), 0.5);
  EXPECT_EQ(others_between({100, 0}, {200, 0}, 0.0025), 0.25);
  EXPECT_EQ(others_between({100, 0}, {200, 0}, 0.02), 1);
  EXPECT_EQ(others_between({100, 0}, {200, 0}, 0), 0.5);
}

TEST(Histogram, LastBinEndsNowOrWhereItsUuidsEnd) {
  const Uuid from = v7_number(1'000);
  const Uuid to = other_number(2'000);
  const auto last = [&](Uuid before, Uuid now) {
    return last_v7_bin(from, before, now, 100 * kUnit, 0);  // half of it, 50 units
  };
  expect_bin(last(to, v7_number(1'001)), from, v7_number(1'001), 0.5);
  expect_bin(last(to, v7_number(1'100)), from, v7_number(1'100), 0.5);
  expect_bin(last(to, v7_number(1'101)), from, v7_number(1'050), 0.5);
  expect_bin(last(to, from), from, v7_number(1'050), 0.5);
  expect_bin(last(to, v7_number(900)), from, v7_number(1'050), 0.5);
  expect_bin(last(other_number(1'040), v7_number(1'060)), from, other_number(1'040), 0.5);
  expect_bin(last(other_number(1'040), v7_number(9'000)), from, other_number(1'040), 0.5);
  // Dense others leave less.
  const double density = 0.75 / distance(from, to);
  expect_bin(last_v7_bin(from, to, kMax, 100 * kUnit, density), from, v7_number(1'025), 0.25);
}

TEST(Histogram, FirstBinBeginsWhereItsUuidsBegin) {
  const Uuid to = v7_number(2'000);
  expect_bin(first_v7_bin(other_number(1'000), to, 100 * kUnit, 0), v7_number(1'950), to, 0.5);
  expect_bin(first_v7_bin(other_number(1'980), to, 100 * kUnit, 0), other_number(1'980), to, 0.5);
  const double density = 0.75 / distance(other_number(1'000), to);
  expect_bin(first_v7_bin(other_number(1'000), to, 100 * kUnit, density), v7_number(1'975), to,
             0.25);
}

TEST(Histogram, WideBinThatContainsNowEndsNow) {
  const Uuid from = v7_number(1'000);
  const Uuid to = v7_number(2'000);
  const Uuid now = v7_number(1'100);
  expect_bin(whole_v7_bin(from, to, now, 499 * kUnit), from, now, 1);
  expect_bin(whole_v7_bin(from, to, now, 500 * kUnit), from, to, 1);
  expect_bin(whole_v7_bin(from, to, from, 1), from, to, 1);
  expect_bin(whole_v7_bin(from, to, v7_number(2'001), 1), from, to, 1);
}

void expect_same(const V7Bin &bin, const V7Bin &expected, int bins) {
  expect_bin(bin, expected.from, expected.to, expected.share / bins);
}

TEST(Histogram, EachBinIsReadFromItsBoundsAndItsNeighbors) {
  const Uuid now = v7_number(1'250);
  const Uuid bounds[] = {other_number(0),    other_number(100), v7_number(1'000),
                         v7_number(1'100),   v7_number(1'200),  other_number(9'000),
                         other_number(9'500)};
  const auto bound = [&](int i) { return bounds[i]; };
  const double density = 2 / (600 * kUnit);
  V7Bin bins[6];
  ASSERT_EQ(read_v7_bins(7, bound, now, bins), 4);
  expect_same(bins[0], first_v7_bin(bounds[1], bounds[2], 100 * kUnit, density), 6);
  expect_same(bins[1], {bounds[2], bounds[3], 1}, 6);
  expect_same(bins[2], {bounds[3], bounds[4], 1}, 6);
  expect_same(bins[3], last_v7_bin(bounds[4], bounds[5], now, 100 * kUnit, density), 6);
  EXPECT_EQ(read_v7_bins(1, bound, now, bins), 0);
}

// Without a bin of version 7 beside it, a bin is as wide as the time until now.
TEST(Histogram, ABinAloneGoesOnUntilNow) {
  const Uuid v7 = v7_number(1'000);
  for (const Uuid now : {v7_number(1'080), v7, v7_number(900)}) {
    const double until_now = v7 < now ? distance(v7, now) : 0;
    const Uuid bounds[] = {other_number(0), v7, other_number(9'000)};
    const auto bound = [&](int i) { return bounds[i]; };
    V7Bin bins[2];
    ASSERT_EQ(read_v7_bins(3, bound, now, bins), 2);
    expect_same(bins[0], first_v7_bin(bounds[0], v7, until_now, 0), 2);
    expect_same(bins[1], last_v7_bin(v7, bounds[2], now, until_now, 0), 2);
    ASSERT_EQ(read_v7_bins(2, bound, now, bins), 1);
    expect_same(bins[0], first_v7_bin(bounds[0], v7, until_now, 0), 1);
  }
}

// Also if it is the last bin: no missing bound is read.
TEST(Histogram, AFirstBinIsAsDenseAsTheBinAfterIt) {
  const Uuid bounds[] = {other_number(0), v7_number(1'000), v7_number(1'100), v7_number(1'300)};
  for (const int count : {2, 3, 4}) {
    const auto bound = [&](int i) {
      EXPECT_LT(i, count);
      return bounds[i];
    };
    V7Bin bins[3];
    ASSERT_EQ(read_v7_bins(count, bound, v7_number(9'000), bins), count - 1);
    const double width = (count == 2 ? 8'000 : 100) * kUnit;
    expect_same(bins[0], first_v7_bin(bounds[0], bounds[1], width, 0), count - 1);
  }
}

// Before it, there is a bin of the least width.
TEST(Histogram, ALastBinIsAsDenseAsTheBinBeforeIt) {
  const Uuid bounds[] = {{0x7000, 0}, {0x7001, 0}, other_number(9'000)};
  const auto bound = [&](int i) { return i < 2 ? stamp(bounds[i], kV7) : bounds[i]; };
  V7Bin bins[2];
  ASSERT_EQ(read_v7_bins(3, bound, v7_number(5'000), bins), 2);
  expect_same(bins[1], last_v7_bin(bound(1), bounds[2], v7_number(5'000), 1, 0), 2);
}

// Others that are far apart leave it all to version 7.
TEST(Histogram, ABinAloneThatBeginsAfterNowHasNoWidth) {
  const Uuid bounds[] = {stamp({0x7FFF, 0}, kV7), stamp({0x8000, 0}, 8),
                         stamp({std::uint64_t{1} << 63, 0}, kV4)};
  const auto bound = [&](int i) { return bounds[i]; };
  V7Bin bins[2];
  ASSERT_EQ(read_v7_bins(3, bound, bounds[0], bins), 1);
  expect_same(bins[0], {bounds[0], bounds[0], 1}, 2);
}

TEST(Histogram, ShareOfARangeIsThatOfThePartsOfItsBins) {
  const V7Bin bins[] = {{{100, 0}, {200, 0}, 0.25},
                        {{200, 0}, {300, 0}, 0.25},
                        {{300, 0}, {300, 0}, 0.125},  // of equal UUIDs
                        {{400, 0}, {500, 0}, 0.25}};
  const auto share = [&](std::uint64_t lowest, std::uint64_t highest) {
    return v7_share(bins, 4, {lowest, 0}, {highest, 0});
  };
  EXPECT_EQ(v7_share(bins, 4, kNil, kMax), 0.875);
  EXPECT_EQ(share(0, 100), 0);
  EXPECT_EQ(share(0, 150), 0.125);
  EXPECT_EQ(share(150, 250), 0.25);
  EXPECT_EQ(share(300, 350), 0.125);
  EXPECT_EQ(share(310, 390), 0);
  EXPECT_EQ(share(450, 600), 0.125);
  EXPECT_EQ(share(500, 600), 0);
  EXPECT_EQ(v7_share(bins, 0, kNil, kMax), 0);
}

// Except for a few parts of a bin at an end of the stream, where it has only a guess.
TEST(Histogram, SteadyStreamAmongRandomKeysIsEstimatedWithinAFactorOfTwo) {
  int wrong = 0;
  for (const double v4_share : {0.0, 0.0001, 0.01, 0.1, 0.3, 0.5, 0.9, 0.95}) {
    for (int repetition = 0; repetition < 5; ++repetition) {
      const Column column = mixed(v4_share);
      const double v7_count = kIds * (1 - v4_share);
      for (const UnixMicros width : {kDay, 10 * kDay, 50 * kDay, kAge}) {
        for (int i = 0; i < 10; ++i) {
          const UnixMicros from = kNow - width - random_between(0, kAge - width);
          const double expected = v7_count * static_cast<double>(width) / kAge;
          const double estimate = column.estimate(from, from + width);
          wrong += estimate < expected / 2 || estimate > expected * 2 ? 1 : 0;
        }
      }
      ASSERT_LE(column.estimate(kNow, kNow + 10'000 * kDay), 0.01 * kIds);
      ASSERT_LE(column.estimate(0, kNow - 2 * kAge), 0.01 * kIds);
    }
  }
  EXPECT_LE(wrong, 4);  // of 1,600; with 150 seeds, at most 2
}

TEST(Histogram, StreamThatHasEndedDoesNotGoOnUntilNow) {
  for (const double v4_share : {0.0, 0.1, 0.5, 0.9}) {
    const Column column = mixed(v4_share, kNow - 365 * kDay);
    EXPECT_LE(column.estimate(kNow - 300 * kDay, kNow), 0.001 * kIds);
    ASSERT_NEAR(column.estimate(kNow - 500 * kDay, kNow), kIds * (1 - v4_share), 0.02 * kIds);
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

TEST(Histogram, OtherVersionsAloneHaveNoBins) {
  EXPECT_TRUE(mixed(1).bins.empty());
}

}  // namespace
}  // namespace uuidx_test
