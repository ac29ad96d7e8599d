#include "core/adapted_histogram.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "support.hpp"

namespace uuidx_test {
namespace {

// The pieces of a column: random ones, some with gaps between them and some of equal UUIDs.
std::vector<Piece> random_pieces() {
  std::vector<Uuid> bounds(static_cast<std::size_t>(2 * random_between(1, 60)));
  for (Uuid &bound : bounds) {
    bound = {rng()() >> 8, rng()()};
  }
  std::sort(bounds.begin(), bounds.end());
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < bounds.size(); i += 2) {
    const Uuid to = random_between(0, 9) == 0 ? bounds[i] : bounds[i + 1];
    const double share = 2.0 / static_cast<double>(bounds.size());
    pieces.push_back({bounds[i], to, {share, 0}, {}});
  }
  return pieces;
}

// Constants in order: anywhere, at bounds of pieces, and if wanted with no UUID between two of
// them.
std::vector<Uuid> random_constants(const std::vector<Piece> &pieces, bool side_by_side) {
  std::vector<Uuid> constants;
  for (auto count = random_between(1, 9); count > 0; --count) {
    const auto &piece = pieces[static_cast<std::size_t>(
        random_between(0, static_cast<std::int64_t>(pieces.size()) - 1))];
    Uuid id{rng()() >> 8, rng()()};
    const auto kind = random_between(0, 5);
    id = kind == 1 ? piece.from : kind == 2 ? piece.to : id;
    id = kind == 3 && side_by_side && !constants.empty() ? successor(constants.back()).value_or(id)
                                                         : id;
    id = kind == 4 ? Uuid{0, rng()()} : kind == 5 ? Uuid{~rng()() >> 60, 1} : id;
    constants.push_back(id);
  }
  std::sort(constants.begin(), constants.end());
  constants.erase(std::unique(constants.begin(), constants.end()), constants.end());
  return constants;
}

// Statistics that were adapted, and PostgreSQL's arithmetic with them.
struct Statistics {
  std::vector<Uuid> bounds;
  std::vector<CommonValue> common;

  Statistics(const Pieces &column, const std::vector<Uuid> &constants, std::uint64_t seed) {
    Adapted adapted;
    adapt(column, constants.data(), static_cast<int>(constants.size()), seed, &adapted);
    bounds.assign(adapted.bounds, adapted.bounds + adapted.bound_count);
    common.assign(adapted.common, adapted.common + adapted.common_count);
  }

  // Returns the share of rows below a constant.
  [[nodiscard]] double below(Uuid constant) const {
    double of_common = 0;
    double all_common = 0;
    for (const CommonValue &value : common) {
      of_common += value.id < constant ? value.share : 0;
      all_common += value.share;
    }
    const auto before =
        std::count_if(bounds.begin(), bounds.end(), [&](Uuid bound) { return bound < constant; });
    EXPECT_GT(before, 0);
    EXPECT_LT(before, static_cast<std::ptrdiff_t>(bounds.size()));
    const double share =
        (static_cast<double>(before) - 0.5) / static_cast<double>(bounds.size() - 1);
    return share * (1 - all_common) + of_common;
  }
};

TEST(Adapted, SharesBelowConstantsAreExact) {
  for (int repetition = 0; repetition < 2'000; ++repetition) {
    std::vector<Piece> pieces = random_pieces();
    Pieces column{pieces.data(), static_cast<int>(pieces.size())};
    sum_up(&column);
    const std::vector<Uuid> constants = random_constants(pieces, false);
    const Statistics statistics(column, constants, 7);
    for (const Uuid constant : constants) {
      ASSERT_NEAR(statistics.below(constant), shares_below(column, constant).all, 1e-8);
    }
  }
}

TEST(Adapted, ValuesAreInOrderBetweenTheConstants) {
  for (int repetition = 0; repetition < 500; ++repetition) {
    std::vector<Piece> pieces = random_pieces();
    Pieces column{pieces.data(), static_cast<int>(pieces.size())};
    sum_up(&column);
    const std::vector<Uuid> constants = random_constants(pieces, true);
    const Statistics statistics(column, constants, 7);
    EXPECT_TRUE(std::is_sorted(statistics.bounds.begin(), statistics.bounds.end()));
    EXPECT_GE(statistics.bounds.size(), 2U);
    for (const Uuid constant : constants) {
      EXPECT_EQ(std::count(statistics.bounds.begin(), statistics.bounds.end(), constant), 0);
    }
    for (const CommonValue &value : statistics.common) {
      EXPECT_LE(value.share, 2.0 / Adapted::kBins);
      EXPECT_GE(value.share, -1.5 / Adapted::kBins - 1e-9);
    }
  }
}

// In the tables of a join with the same constants and nearly the same keys.
TEST(Adapted, CommonValuesOfTwoColumnsDiffer) {
  std::vector<Piece> pieces{{{1'000'000, 0}, {2'000'000, 0}, {1, 0}, {}}};
  Pieces column{pieces.data(), 1};
  sum_up(&column);
  const std::vector<Uuid> constants{{900'000, 0}, {1'100'000, 5}};
  const Statistics a(column, constants, mixed(16'384, 1));
  const Statistics b(column, constants, mixed(16'384, 2));
  ASSERT_EQ(a.common.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NE(a.common[i].id, b.common[i].id);
  }
}

TEST(Adapted, TheEndsStayNearTheColumn) {
  std::vector<Piece> pieces{{{1'000'000, 0}, {2'000'000, 0}, {1, 0}, {}}};
  Pieces column{pieces.data(), 1};
  sum_up(&column);
  const Statistics inside(column, {{1'500'000, 0}}, 7);
  EXPECT_EQ(inside.bounds.front(), (Uuid{1'000'000, 0}));
  EXPECT_EQ(inside.bounds.back(), (Uuid{2'000'000, 0}));
  const Statistics outside(column, {{900'000, 0}, {2'100'000, 0}}, 7);
  EXPECT_EQ(outside.bounds.front(), *predecessor({900'000, 0}));
  EXPECT_EQ(outside.bounds.back(), *successor({2'100'000, 0}));
  for (const CommonValue &value : outside.common) {
    EXPECT_GE(value.id, (Uuid{900'000 - 65'536, 0}));
    EXPECT_LE(value.id, (Uuid{2'100'000 + 65'536, 0}));
  }
}

}  // namespace
}  // namespace uuidx_test
