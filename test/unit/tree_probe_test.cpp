#include "tree_probe.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "support.hpp"

namespace uuidx_test {
namespace {

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
  // The pages that the last estimate read, and whether it asked for exact numbers of rows.
  [[nodiscard]] const std::set<PageNumber> &read_pages() const { return read_pages_; }
  [[nodiscard]] bool exactly() const { return exactly_; }
  void make_unreadable(PageNumber page) { unreadable_ = page; }

  // Estimates how many numbers from `lowest` to `highest`, both included, there are.
  bool estimate(int lowest, int highest, double *rows) {
    lowest_ = lowest;
    highest_ = highest;
    reads_ = 0;
    read_pages_.clear();
    return estimate_rows(*this, static_cast<PageNumber>(pages_.size() - 1), level(), rows);
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
    set_inside(children, begin, end, child);
    return number != unreadable_;
  }

  bool rows(PageNumber number, bool lower, bool upper, bool exactly, double *rows) {
    const NumberPage &page = pages_.at(number);
    EXPECT_EQ(page.level, 0);
    // Pages without rows and numbers after the last one leave open which page has an end. That of
    // the lower one may end just before it.
    if (page.begin < page.end && highest_ < rows_) {
      EXPECT_EQ(lower, page.begin < lowest_ || page.begin == 0);
      EXPECT_EQ(upper, page.end > highest_);
    }
    exactly_ = exactly;
    note_read(number);
    *rows += std::max(std::min(page.end, highest_ + 1) - std::max(page.begin, lowest_), 0);
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
  bool exactly_ = false;
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

TEST(TreeProbe, SamplesAreSpreadEvenly) {
  for (int size = 1; size < 300; ++size) {
    for (int count = 1; count <= std::min(size, 20); ++count) {
      int last = -1;
      for (int i = 0; i < count; ++i) {
        const int place = sample_place(i, count, size);
        ASSERT_GT(place, last);
        // The middle of the i-th of `count` equal parts, rounded down.
        ASSERT_LE(place * 2 * count, (2 * i + 1) * size);
        ASSERT_GT((place + 1) * 2 * count, (2 * i + 1) * size);
        last = place;
      }
    }
  }
  EXPECT_EQ(sample_place(1, 2, 4), 3);
  EXPECT_EQ(sample_place(0, 1, 3), 1);
}

TEST(TreeProbe, CountsAllPagesBetweenTheEndsIfTheyAreFew) {
  NumberTree tree{random_pages(400, 20, 40), 7};
  for (int lowest = 0; lowest < tree.rows(); ++lowest) {
    const int highest = lowest + 20 * kPageSamples;
    ASSERT_EQ(tree.estimate(lowest, highest), std::min(highest + 1, tree.rows()) - lowest);
  }
}

TEST(TreeProbe, EstimatesManyPagesWithinAFactorOfTwo) {
  for (const std::size_t fanout : {3, 10, 200}) {
    // Random inserts fill pages by half or more.
    NumberTree tree{random_pages(20'000, 100, 200), fanout};
    for (int i = 0; i < 20'000; ++i) {
      const auto rows = static_cast<int>(random_between(1, random_between(1, tree.rows())));
      const auto lowest = static_cast<int>(random_between(0, tree.rows() - rows));
      const double estimate = tree.estimate(lowest, lowest + rows - 1);
      ASSERT_GE(estimate, rows / 2.0);
      ASSERT_LE(estimate, rows * 2.0);
    }
  }
}

TEST(TreeProbe, PagesWithEqualNumbersAreEstimatedExactly) {
  for (const std::size_t fanout : {2, 4, 10}) {
    NumberTree tree{std::vector<int>(fanout * fanout * fanout * fanout, 10), fanout};
    for (int i = 0; i < 1'000; ++i) {
      const auto lowest = static_cast<int>(random_between(0, tree.rows() - 1));
      const auto highest = static_cast<int>(random_between(lowest, tree.rows() - 1));
      ASSERT_NEAR(tree.estimate(lowest, highest), highest - lowest + 1, 1e-6);
      // Pages between the ends are a sample, so these need not be counted.
      ASSERT_EQ(tree.exactly(), highest / 10 - std::max(lowest - 1, 0) / 10 < 2);
    }
  }
}

TEST(TreeProbe, SampledChildrenAreThoseOfThePlace) {
  SpanChildren children;
  children.pages = 3;
  children.page[0].samples = 2;
  children.page[0].sample[0] = 10;
  children.page[0].sample[1] = 11;
  children.weight[0] = 8;
  // A page without samples has no place.
  children.page[2].samples = 3;
  children.page[2].sample[0] = 20;
  children.page[2].sample[1] = 21;
  children.page[2].sample[2] = 22;
  children.weight[2] = 6;
  const PageNumber expected[] = {10, 10, 10, 10, 11, 11, 11, 11, 20, 20, 21, 21, 22, 22};
  for (int i = 0; i < 14; ++i) {
    EXPECT_EQ(child_at(children, i), expected[i]);
    EXPECT_EQ(child_at(children, i + 0.5), expected[i]);
  }
  EXPECT_EQ(child_at(children, 14), 22U);
  children.page[0].first = 5;
  children.page[2].last = 50;
  const PageSpan below = span_below(children);
  EXPECT_EQ(below.first, 5U);
  EXPECT_EQ(below.last, 50U);
  EXPECT_EQ(below.between, 14);
  ASSERT_EQ(below.samples, 3);
  EXPECT_EQ(below.sample[0], 10U);
  EXPECT_EQ(below.sample[1], 11U);
  EXPECT_EQ(below.sample[2], 21U);
  EXPECT_EQ(child_at({}, 0), 0U);
}

// The compiler rejects accesses out of bounds in constant expressions.
TEST(TreeProbe, SpanWithAllSamplesStaysInBounds) {
  constexpr SpanChildren kChildren{kPageSamples + 2,
                                   {{1, 0, 1, 1, {2}},
                                    {0, 0, 1, 1, {3}},
                                    {0, 0, 1, 1, {4}},
                                    {0, 0, 1, 1, {5}},
                                    {0, 7, 1, 1, {6}}},
                                   {1, 1, 1, 1, 1}};
  constexpr PageSpan kBelow = span_below(kChildren);
  constexpr PageNumber kLast = child_at(kChildren, kPageSamples + 2);
  EXPECT_EQ(kBelow.first, 1U);
  EXPECT_EQ(kBelow.last, 7U);
  EXPECT_EQ(kBelow.between, kPageSamples + 2);
  EXPECT_EQ(kBelow.samples, kPageSamples);
  EXPECT_EQ(kBelow.sample[0], 2U);
  EXPECT_EQ(kBelow.sample[kPageSamples - 1], 6U);
  EXPECT_EQ(kLast, 6U);
}

TEST(TreeProbe, EmptyPagesHaveNoRows) {
  std::vector<int> pages(1'000, 0);
  pages.front() = pages.back() = 100;
  NumberTree tree{pages, 10};
  EXPECT_EQ(tree.estimate(0, 199), 200);
  EXPECT_EQ(tree.estimate(50, 149), 100);
}

TEST(TreeProbe, ReadsFewPagesOfALevel) {
  NumberTree tree{random_pages(20'000, 100, 200), 50};
  for (int i = 0; i < 1'000; ++i) {
    const auto lowest = static_cast<int>(random_between(0, tree.rows()));
    tree.estimate(lowest, static_cast<int>(random_between(lowest, tree.rows())));
    ASSERT_LE(tree.reads(), 1 + tree.level() * (kPageSamples + 2));
  }
}

TEST(TreeProbe, PageThatCannotBeReadEndsIt) {
  NumberTree tree{random_pages(100, 10, 20), 10};
  double rows = 0;
  tree.make_unreadable(0);
  EXPECT_FALSE(tree.estimate(0, tree.rows(), &rows));
  EXPECT_TRUE(tree.estimate(tree.rows() / 2, tree.rows(), &rows));
  tree.make_unreadable(100);  // the first page above those
  EXPECT_FALSE(tree.estimate(0, 0, &rows));
  // Whichever page it is.
  NumberTree large{std::vector<int>(1'000, 3), 10};
  large.estimate(1'000, 2'500);
  const std::set<PageNumber> read = large.read_pages();
  EXPECT_GE(read.size(), 1U + 2 + 2 * (kPageSamples + 2));
  for (PageNumber page = 0; page < static_cast<PageNumber>(large.pages()); ++page) {
    large.make_unreadable(page);
    EXPECT_EQ(large.estimate(1'000, 2'500, &rows), !read.contains(page)) << page;
  }
}

}  // namespace
}  // namespace uuidx_test
