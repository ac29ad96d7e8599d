#include "core/histogram.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "support.hpp"

namespace uuidx_test {
namespace {

constexpr UnixMicros kNow = 1'767'225'600'000'000;
constexpr UnixMicros kDay = 86'400'000'000;
constexpr UnixMicros kAge = 116 * kDay;
constexpr int kIds = 30'000;  // the rows that ANALYZE reads

Uuid v7_of(UnixMicros time) {
  return v7_at(time, rng()()).value();
}

// A sorted column and its statistics, of this many rows.
struct Column {
  std::vector<Uuid> ids;
  std::vector<Piece> place;
  Pieces pieces;

  void analyze() {
    constexpr int kBins = 100;
    std::sort(ids.begin(), ids.end());
    std::vector<Uuid> bounds;
    for (std::size_t i = 0; i <= kBins; ++i) {
      bounds.push_back(ids[i * (ids.size() - 1) / kBins]);
    }
    place.resize(static_cast<std::size_t>(max_pieces(kBins + 1)));
    pieces = {place.data(), 0};
    read_histogram(kBins + 1, bounds.data(), v7_max(kNow), &pieces);
  }

  [[nodiscard]] double estimate(UnixMicros from, UnixMicros to) const {
    return (shares_below(pieces, v7_max(to)).v7 - shares_below(pieces, v7_min(from)).v7) *
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

// Returns UUIDs that are ordered by a number, of version 7 and of another one.
Uuid v7_number(std::uint64_t number) {
  return stamp({number << 16, 0}, kV7);
}
Uuid other_number(std::uint64_t number) {
  return stamp({number << 16, 0}, kV4);
}

// Reads a histogram, and checks that its pieces are in order, do not overlap and are the whole.
template <typename Bounds>
std::vector<Piece> read(const Bounds &bounds, int count, Uuid now) {
  std::vector<Piece> pieces(static_cast<std::size_t>(max_pieces(count)));
  Pieces column{pieces.data(), 0};
  read_histogram(count, std::data(bounds), now, &column);
  pieces.resize(static_cast<std::size_t>(column.count));
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_LE(pieces[i].from, pieces[i].to);
    EXPECT_TRUE(i == 0 || pieces[i - 1].to <= pieces[i].from);
    EXPECT_LE(pieces[i].share.v7, pieces[i].share.all);
  }
  EXPECT_NEAR(shares_below(column, kMax).all, 1, 1e-9);
  return pieces;
}

// Returns the rows that are newer than a histogram from 1,000 to 2,000, of 100 rows, in a table
// that has another number of rows now.
double newer_rows(double rows, std::uint64_t now) {
  const Uuid bounds[] = {v7_number(1'000), v7_number(1'500), v7_number(2'000)};
  std::vector<Piece> pieces = read(bounds, 3, v7_number(now));
  const Pieces column{pieces.data(), static_cast<int>(pieces.size())};
  const Piece *newest = newest_piece(column, v7_number(now));
  return newest == nullptr
             ? 0
             : rows * newer_share(share_at_pace(column, *newest, v7_number(now)), 100, rows);
}

TEST(Histogram, GrowthIsNewerAsFarAsThePaceExplainsIt) {
  EXPECT_NEAR(newer_rows(150, 2'500), 50, 1e-9);
  EXPECT_NEAR(newer_rows(150, 2'250), 37.5, 1e-9);
  EXPECT_NEAR(newer_rows(150, 2'100), 15, 1e-9);
  // Without growth, by the pace.
  EXPECT_NEAR(newer_rows(100, 2'050), 5, 1e-9);
  EXPECT_NEAR(newer_rows(100, 9'000), 10, 1e-9);
  EXPECT_NEAR(newer_rows(80, 9'000), 8, 1e-9);
  // The column does not end with the present.
  EXPECT_EQ(newer_rows(150, 1'999), 0);
  EXPECT_EQ(newer_rows(150, 500), 0);
}

TEST(Histogram, NewerRowsLieBetweenTheNewestPieceAndNow) {
  const Uuid now = v7_number(1'600);
  const std::vector<std::vector<Uuid>> ends = {{v7_number(1'300)},
                                               {other_number(9'000)},
                                               // So dense that all of the last bin are others.
                                               {other_number(9'000), other_number(9'010)}};
  for (const std::vector<Uuid> &end_bounds : ends) {
    std::vector<Uuid> bounds = {v7_number(1'000), v7_number(1'100), v7_number(1'200)};
    bounds.insert(bounds.end(), end_bounds.begin(), end_bounds.end());
    std::vector<Piece> pieces = read(bounds, static_cast<int>(bounds.size()), now);
    pieces.resize(pieces.size() + 1);
    Pieces column{pieces.data(), static_cast<int>(pieces.size()) - 1};
    const Piece *newest = newest_piece(column, now);
    ASSERT_NE(newest, nullptr);
    const Uuid end = newest->to;
    EXPECT_LT(end, now);
    const double v7 = shares_below(column, kMax).v7;
    add_newer(&column, newest, now, 0.5);
    EXPECT_NEAR(shares_below(column, kMax).all, 1, 1e-9);
    EXPECT_NEAR(shares_below(column, end).v7, v7 / 2, 1e-9);
    EXPECT_NEAR(shares_below(column, now).v7, v7 / 2 + 0.5, 1e-9);
    EXPECT_NEAR(shares_below(column, moved(end, distance(end, now) / 2)).v7, v7 / 2 + 0.25, 1e-3);
  }
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

TEST(Histogram, OtherVersionsAloneHaveNoVersion7) {
  const Column column = mixed(1);
  EXPECT_NEAR(shares_below(column.pieces, kMax).all, 1, 1e-9);
  EXPECT_EQ(shares_below(column.pieces, kMax).v7, 0);
}

}  // namespace
}  // namespace uuidx_test
