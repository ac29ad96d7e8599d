#include "histogram.hpp"

#include <algorithm>
#include <vector>

#include "support.hpp"
#include "v7.hpp"

namespace uuidx_test {
namespace {

// Returns the bounds of a histogram of `bins` bins over sorted ids, as ANALYZE computes it from all
// rows.
std::vector<Uuid> bounds_of(const std::vector<Uuid> &ids, std::size_t bins) {
  std::vector<Uuid> bounds;
  for (std::size_t i = 0; i <= bins; ++i) {
    bounds.push_back(ids[i * (ids.size() - 1) / bins]);
  }
  return bounds;
}

double estimate(const std::vector<Uuid> &bounds, Uuid id) {
  const auto bound = [&](int i) { return bounds[static_cast<std::size_t>(i)]; };
  return histogram_share_below(static_cast<int>(bounds.size()), bound, id);
}

double truth(const std::vector<Uuid> &ids, Uuid id) {
  return static_cast<double>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin()) /
         static_cast<double>(ids.size());
}

Uuid id_at(UnixMicros time) {
  Uuid id;
  EXPECT_EQ(v7_at(time, rng()(), &id), Status::ok);
  return id;
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

TEST(Histogram, SteadyStreamIsEstimatedToThePartOfABin) {
  constexpr UnixMicros kStart = 1'767'225'600'000'000;
  constexpr UnixMicros kStep = 10'000'000;
  constexpr int kIds = 100'000;
  std::vector<Uuid> ids(kIds);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = id_at(kStart + static_cast<UnixMicros>(i) * kStep);
  }
  const std::vector<Uuid> bounds = bounds_of(ids, 100);
  for (int i = 0; i < 10'000; ++i) {
    const Uuid id = v7_min(kStart + random_between(-kStep * kIds, 2 * kStep * kIds));
    // A bin has 1,000 ids, a hundredth of all; the error is that of about one id.
    ASSERT_NEAR(estimate(bounds, id), truth(ids, id), 2.0 / kIds);
  }
}

TEST(Histogram, NeverWrongByMoreThanABinAndNeverFalling) {
  // In bursts, with many equal bounds.
  std::vector<Uuid> ids(10'000);
  std::generate(ids.begin(), ids.end(), [] {
    return id_at(1'767'225'600'000'000 + random_between(0, 30) * random_between(0, 999'999));
  });
  std::sort(ids.begin(), ids.end());
  std::fill(ids.begin() + 2'000, ids.begin() + 2'600, ids[2'000]);
  const std::vector<Uuid> bounds = bounds_of(ids, 100);
  double last = 0;
  for (const Uuid &id : ids) {
    const double share = estimate(bounds, id);
    ASSERT_GE(share, last);
    last = share;
    if (id != ids[2'000]) {
      ASSERT_NEAR(share, truth(ids, id), 0.011);
    }
  }
  EXPECT_EQ(estimate(bounds, kNil), 0);
  EXPECT_EQ(estimate(bounds, kMax), 1);
}

TEST(Histogram, HasAtLeastOneBin) {
  const std::vector<Uuid> bounds{{100, 0}, {200, 0}};
  EXPECT_EQ(estimate(bounds, {50, 0}), 0);
  EXPECT_EQ(estimate(bounds, {150, 0}), 0.5);
  EXPECT_EQ(estimate(bounds, {250, 0}), 1);
}

}  // namespace
}  // namespace uuidx_test
