#include "pg/planner/statistics/tree_probe.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "support.hpp"

namespace uuidx_test {
namespace {

constexpr int kPages = 40;  // that an estimate may read

// A tree over the numbers from 0, whose lowest pages have as many of them as `leaves` says, and
// whose other pages have `fanout` children.
class NumberTree {
 public:
  NumberTree(const std::vector<int> &leaves, std::size_t fanout) {
    for (const int rows : leaves) {
      pages_.push_back({0, rows_, rows_ + rows, {}});
      rows_ += rows;
    }
    for (std::size_t begin = 0; pages_.size() - begin > 1;) {
      begin = add_level(begin, fanout);
    }
  }

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int level() const { return pages_.back().level; }
  [[nodiscard]] int pages() const { return static_cast<int>(pages_.size()); }
  [[nodiscard]] int reads() const { return reads_; }
  // The pages that the last estimate read.
  [[nodiscard]] const std::set<PageNumber> &read_pages() const { return read_pages_; }
  void make_unreadable(PageNumber page) { unreadable_ = page; }
  // Counts only numbers for which this is true.
  void set_live(std::function<bool(int)> live) { live_ = std::move(live); }
  void set_limit(int pages) { limit_ = pages; }

  // Estimates how many numbers there are from `lowest` to `highest`, both included.
  bool estimate(int lowest, int highest, double *rows) {
    lowest_ = lowest;
    highest_ = highest;
    reads_ = 0;
    read_pages_.clear();
    return estimate_rows(*this, static_cast<PageNumber>(pages_.size() - 1), level(), limit_, rows);
  }

  double estimate(int lowest, int highest) {
    double rows = 0;
    EXPECT_TRUE(estimate(lowest, highest, &rows));
    return rows;
  }

  bool children(PageNumber number, int level, bool lower, bool upper, Children *children) {
    const NumberPage &page = pages_.at(number);
    EXPECT_EQ(page.level, level);
    note_read(number);
    const auto child = [&](int i) { return page.children[static_cast<std::size_t>(i)]; };
    int begin = 0;
    int end = static_cast<int>(page.children.size());
    if (upper) {
      end = count_children(page, highest_ + 1) - 1;
      children->last = child(end);
    }
    if (lower) {
      begin = count_children(page, lowest_);
      children->first = child(begin - 1);
    }
    children->all = static_cast<int>(page.children.size());
    set_inside(children, begin, end, child);
    return number != unreadable_;
  }

  // Returns how many numbers from `lowest` to `highest` count.
  [[nodiscard]] int count(int lowest, int highest) const {
    int found = 0;
    for (int i = lowest; i <= highest; ++i) {
      found += live_(i) ? 1 : 0;
    }
    return found;
  }

  bool rows(PageNumber number, bool lower, bool upper, double *rows) {
    const NumberPage &page = pages_.at(number);
    EXPECT_EQ(page.level, 0);
    // Pages without rows and numbers after the last one leave open which page has an end. That of
    // the lower one may end just before it.
    if (page.begin < page.end && highest_ < rows_) {
      EXPECT_EQ(lower, page.begin < lowest_ || page.begin == 0);
      EXPECT_EQ(upper, page.end > highest_);
    }
    note_read(number);
    *rows += count(std::max(page.begin, lowest_), std::min(page.end - 1, highest_));
    return number != unreadable_;
  }

 private:
  // A page, and the numbers that it and the pages below it have.
  struct NumberPage {
    int level = 0;
    int begin = 0;
    int end = 0;
    std::vector<PageNumber> children;
  };

  void note_read(PageNumber number) {
    ++reads_;
    read_pages_.insert(number);
  }

  // Adds the level above the pages from `begin`; returns where it begins.
  std::size_t add_level(std::size_t begin, std::size_t fanout) {
    const std::size_t end = pages_.size();
    for (std::size_t i = begin; i < end; i += fanout) {
      const std::size_t last = std::min(i + fanout, end) - 1;
      NumberPage page{pages_[i].level + 1, pages_[i].begin, pages_[last].end, {}};
      page.children.resize(last - i + 1);
      std::iota(page.children.begin(), page.children.end(), static_cast<PageNumber>(i));
      pages_.push_back(page);
    }
    return end;
  }

  // Returns how many children begin below a number, at least 1, as the first is below everything.
  [[nodiscard]] int count_children(const NumberPage &page, int number) const {
    const auto below = [&](PageNumber child) { return pages_[child].begin < number; };
    const auto end = std::partition_point(page.children.begin(), page.children.end(), below);
    return std::max(static_cast<int>(end - page.children.begin()), 1);
  }

  std::vector<NumberPage> pages_;
  int rows_ = 0;
  int lowest_ = 0;
  int highest_ = 0;
  int reads_ = 0;
  int limit_ = kPages;
  std::function<bool(int)> live_ = [](int) { return true; };
  std::set<PageNumber> read_pages_;
  PageNumber unreadable_ = ~PageNumber{0};
};

// Returns the numbers of rows of `pages` pages, random within bounds.
std::vector<int> random_pages(int pages, int fewest, int most) {
  std::vector<int> rows(static_cast<std::size_t>(pages));
  std::generate(rows.begin(), rows.end(),
                [&] { return static_cast<int>(random_between(fewest, most)); });
  return rows;
}

TEST(TreeProbe, CountsAllPagesBetweenTheEndsIfTheyAreFew) {
  NumberTree tree{random_pages(400, 20, 40), 7};
  for (int lowest = 0; lowest < tree.rows(); ++lowest) {
    // The most pages that these many numbers can be on are the two at the ends and five.
    const int highest = lowest + 20 * LeafSamples::kFirst;
    ASSERT_NEAR(tree.estimate(lowest, highest), std::min(highest + 1, tree.rows()) - lowest, 1e-6);
  }
}

TEST(TreeProbe, EstimatesManyPagesWithinAFactorOfTwo) {
  for (const std::size_t fanout : {10U, 50U, 200U}) {
    // Random inserts fill pages by half or more.
    NumberTree tree{random_pages(20'000, 100, 200), fanout};
    for (int i = 0; i < 5'000; ++i) {
      const auto rows = static_cast<int>(random_between(1, random_between(1, tree.rows())));
      const auto lowest = static_cast<int>(random_between(0, tree.rows() - rows));
      const double estimate = tree.estimate(lowest, lowest + rows - 1);
      ASSERT_GE(estimate, rows / 2.0);
      ASSERT_LE(estimate, rows * 2.0);
    }
  }
}

TEST(TreeProbe, PagesWithEqualNumbersAreEstimatedExactly) {
  for (const std::size_t fanout : {2U, 4U, 10U}) {
    NumberTree tree{std::vector<int>(fanout * fanout * fanout * fanout, 10), fanout};
    for (int i = 0; i < 1'000; ++i) {
      const auto lowest = static_cast<int>(random_between(0, tree.rows() - 1));
      const auto highest = static_cast<int>(random_between(lowest, tree.rows() - 1));
      ASSERT_NEAR(tree.estimate(lowest, highest), highest - lowest + 1, 1e-6);
    }
  }
}

TEST(TreeProbe, FindsWhereRowsBegin) {
  for (const std::size_t fanout : {50, 200}) {
    NumberTree tree{random_pages(2'000, 150, 200), fanout};
    for (int i = 0; i < 500; ++i) {
      // The newest or the oldest count, down to some pages, and of the others one in a hundred.
      const auto rows = static_cast<int>(random_between(3'000, random_between(3'000, tree.rows())));
      const bool newest = random_between(0, 1) == 1;
      const int border = newest ? tree.rows() - rows : rows;
      tree.set_live([&](int n) { return (n >= border) == newest || n % 100 == 0; });
      const int found = tree.count(0, tree.rows());
      const double estimate = tree.estimate(0, tree.rows());
      ASSERT_GE(estimate, found / 2.0) << rows << newest;
      ASSERT_LE(estimate, found * 2.0) << rows << newest;
    }
  }
}

TEST(TreeProbe, FindsAFewPagesAmongEmptyOnes) {
  NumberTree tree{std::vector<int>(200, 200), 200};
  for (int i = 0; i < 1'000; ++i) {
    const auto begin = static_cast<int>(random_between(0, tree.rows() - 2'000));
    tree.set_live([&](int n) { return n >= begin && n < begin + 2'000; });
    const double estimate = tree.estimate(0, tree.rows());
    ASSERT_GE(estimate, 1'000) << begin;
    ASSERT_LE(estimate, 4'000) << begin;
  }
}

TEST(TreeProbe, CountsAllRowsOfASampledPage) {
  NumberTree tree{std::vector<int>(1'000, 200), 100};
  tree.set_live([&](int n) { return n % 20 == 0; });
  ASSERT_NEAR(tree.estimate(0, tree.rows() - 1), 10'000, 1e-6);
}

TEST(TreeProbe, RemembersChildrenInOrderWithTheFirstAndTheLast) {
  const auto child = [](int i) { return static_cast<PageNumber>(i); };
  for (int size = 1; size <= 500; ++size) {
    Children children;
    set_inside(&children, 1'000, 1'000 + size, child);
    ASSERT_EQ(children.inside, size);
    for (int i = 0; i < size; ++i) {
      const int kept = static_cast<int>(children.at(i)) - 1'000;
      ASSERT_LE(std::abs(kept - i), size / kKeptChildren) << size;
      ASSERT_TRUE(kept == i || (size > kKeptChildren && i > 0 && i < size - 1)) << size;
    }
  }
  Children none;
  set_inside(&none, 5, 4, child);
  EXPECT_EQ(none.inside, 0);
}

TEST(TreeProbe, PossibleErrorGrowsWithDifferenceWidthAndSparsity) {
  const LeafSample full{10, 250};
  EXPECT_EQ(possible_error(full, {20, 250}, 0, 100), 0);
  EXPECT_EQ(possible_error(full, {20, 150}, 0, 100), 500);
  EXPECT_EQ(possible_error(full, {20, 250}, 250, 100), 125);
  EXPECT_EQ(possible_error({10, 0}, {20, 0}, 0, 100), 100);
  EXPECT_EQ(possible_error({10, 0}, {30, 0}, 0, 100), 400);
}

TEST(TreeProbe, EmptyPagesHaveNoRows) {
  std::vector<int> pages(1'000, 0);
  pages.front() = pages.back() = 100;
  NumberTree tree{pages, 10};
  EXPECT_EQ(tree.estimate(0, 199), 200);
  EXPECT_EQ(tree.estimate(50, 149), 100);
}

TEST(TreeProbe, ReadsNoMorePagesThanAllowed) {
  NumberTree tree{random_pages(20'000, 0, 200), 30};
  const int ends = 1 + 2 * tree.level();
  for (const int limit : {0, ends, 2 * ends, kPages, 100}) {
    tree.set_limit(limit);
    for (int i = 0; i < 1'000; ++i) {
      const auto lowest = static_cast<int>(random_between(0, tree.rows()));
      tree.estimate(lowest, static_cast<int>(random_between(lowest, tree.rows())));
      ASSERT_LE(tree.reads(), std::max(limit, ends + tree.level()));
    }
  }
}

TEST(TreeProbe, UnreadablePageEndsTheEstimate) {
  NumberTree tree{std::vector<int>(1'000, 3), 10};
  tree.estimate(1'000, 2'500);
  const std::set<PageNumber> read = tree.read_pages();
  EXPECT_GE(read.size(), 15U);
  for (PageNumber page = 0; page < static_cast<PageNumber>(tree.pages()); ++page) {
    double rows = 0;
    tree.make_unreadable(page);
    EXPECT_EQ(tree.estimate(1'000, 2'500, &rows), !read.contains(page)) << page;
  }
}

// A tree whose pages have 400 children, or 2 rows.
struct LargeTree {
  static bool children(PageNumber /*page*/, int /*level*/, bool lower, bool upper,
                       Children *children) {
    children->all = 400;
    children->first = 0;
    children->last = 399;
    set_inside(children, lower ? 1 : 0, upper ? 399 : 400,
               [](int i) { return static_cast<PageNumber>(i); });
    return true;
  }
  static bool rows(PageNumber /*page*/, bool /*lower*/, bool /*upper*/, double *rows) {
    *rows += 2;
    return true;
  }
};

TEST(TreeProbe, RowsMayBeMoreThanAnIntHolds) {
  LargeTree tree;
  double rows = 0;
  EXPECT_TRUE(estimate_rows(tree, 1'000, 4, kPages, &rows));
  ASSERT_NEAR(rows / (2.0 * 400 * 400 * 400 * 400), 1, 1e-6);
}

TEST(TreeProbe, TreeThatIsTooHighIsNotRead) {
  NumberTree tree{std::vector<int>(std::size_t{1} << (kMaxLevel + 1), 1), 2};
  double rows = 0;
  EXPECT_EQ(tree.level(), kMaxLevel + 1);
  EXPECT_FALSE(tree.estimate(0, tree.rows(), &rows));
  NumberTree lower{std::vector<int>(std::size_t{1} << kMaxLevel, 1), 2};
  EXPECT_TRUE(lower.estimate(0, lower.rows(), &rows));
}

}  // namespace
}  // namespace uuidx_test
