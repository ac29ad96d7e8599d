#include "tree_sample.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "support.hpp"

namespace uuidx_test {
namespace {

Uuid number(double i) {
  return {static_cast<std::uint64_t>(i), 0};
}

// A tree over ascending numbers: its lowest pages have `per_page` of them, the others `fanout`
// children.
class SortedTree {
 public:
  static constexpr int kMaxChildren = 400;

  SortedTree(std::vector<double> numbers, std::size_t per_page, std::size_t fanout)
      : numbers_(std::move(numbers)) {
    for (std::size_t i = 0; i < numbers_.size(); i += per_page) {
      pages_.push_back({0, i, std::min(i + per_page, numbers_.size()), {}});
    }
    for (std::size_t begin = 0; pages_.size() - begin > 1;) {
      const std::size_t end = pages_.size();
      for (std::size_t i = begin; i < end; i += fanout) {
        const std::size_t last = std::min(i + fanout, end) - 1;
        SortedPage page{pages_[i].level + 1, pages_[i].begin, pages_[last].end, {}};
        for (std::size_t child = i; child <= last; ++child) {
          page.children.push_back(static_cast<PageNumber>(child));
        }
        pages_.push_back(page);
      }
      begin = end;
    }
  }

  [[nodiscard]] int level() const { return pages_.back().level; }
  [[nodiscard]] int reads() const { return reads_; }
  [[nodiscard]] PageNumber root() const { return static_cast<PageNumber>(pages_.size() - 1); }
  void make_unreadable(PageNumber page) { unreadable_ = page; }

  // Sets the ranges, in order, each with both bounds.
  void set_ranges(const std::vector<std::pair<double, double>> &list) {
    range_.clear();
    before_ = {0};
    for (const auto &[lowest, highest] : list) {
      range_.push_back({number(lowest), number(highest)});
      before_.push_back(before_.back() + distance(number(lowest), number(highest)));
    }
    ranges_ = {range_.data(), before_.data(), static_cast<std::uint32_t>(range_.size())};
  }

  [[nodiscard]] double actual() const {
    return static_cast<double>(std::count_if(
        numbers_.begin(), numbers_.end(), [&](double i) { return ranges_.contains(number(i)); }));
  }

  bool estimate(int samples, double *rows) {
    reads_ = 0;
    *rows = 0;
    return sample_rows(*this, ranges_, {root(), level(), {}}, samples, rows);
  }

  double estimate(int samples) {
    double rows = 0;
    EXPECT_TRUE(estimate(samples, &rows));
    return rows;
  }

  int sampled_children(PageNumber page, int level, SampledChild *child) {
    EXPECT_EQ(pages_.at(page).level, level);
    ++reads_;
    int count = 0;
    for (const PageNumber each : pages_.at(page).children) {
      child[count] = {each, count == 0 ? kNil : number(numbers_[pages_[each].begin])};
      ++count;
    }
    return page == unreadable_ ? 0 : count;
  }

  bool sampled_rows(PageNumber page, double *rows) {
    EXPECT_EQ(pages_.at(page).level, 0);
    ++reads_;
    for (std::size_t i = pages_[page].begin; i < pages_[page].end; ++i) {
      *rows += ranges_.contains(number(numbers_[i])) ? 1 : 0;
    }
    return page != unreadable_;
  }

 private:
  struct SortedPage {
    int level = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<PageNumber> children;
  };

  std::vector<double> numbers_;
  std::vector<SortedPage> pages_;
  std::vector<UuidRange> range_;
  std::vector<double> before_;
  UuidRanges ranges_;
  int reads_ = 0;
  PageNumber unreadable_ = ~PageNumber{0};
};

// Returns numbers from 1,000,000 to 2,000,000, in order: evenly, or the denser the larger they are.
std::vector<double> some_numbers(std::size_t count, bool skewed) {
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count);
    numbers[i] = 1e6 + 1e6 * (skewed ? std::sqrt(share) : share);
  }
  return numbers;
}

// Returns ranges in order and apart, of random or equal widths, up to an end.
std::vector<std::pair<double, double>> some_ranges(double from, double to, int count, bool equal) {
  const double step = (to - from) / count;
  std::vector<std::pair<double, double>> ranges;
  for (int i = 0; i < count; ++i) {
    const double share = equal ? 0.3 : static_cast<double>(random_between(1, 99)) / 100;
    ranges.emplace_back(from + i * step, from + (i + share) * step);
  }
  return ranges;
}

TEST(TreeSample, FewPagesAreCounted) {
  SortedTree tree{some_numbers(20'000, false), 50, 40};
  for (int i = 0; i < 500; ++i) {
    // Each on at most two pages, some on none.
    std::vector<std::pair<double, double>> ranges;
    for (int k = 0; k < 5; ++k) {
      const double from = 9e5 + 2.4e5 * k + static_cast<double>(random_between(0, 100'000));
      ranges.emplace_back(from, from + static_cast<double>(random_between(0, 2'400)));
    }
    tree.set_ranges(ranges);
    ASSERT_NEAR(tree.estimate(19), tree.actual(), 1e-6);
  }
}

TEST(TreeSample, ManyRangesAreEstimatedWithinAFactorOfTwo) {
  for (const bool skewed : {false, true}) {
    for (const std::size_t fanout : {10U, 40U, 300U}) {
      SortedTree tree{some_numbers(100'000, skewed), 100, fanout};
      for (int i = 0; i < 40; ++i) {
        const double from = 1e6 * static_cast<double>(random_between(0, 190)) / 100;
        const double to = from + 1e6 * static_cast<double>(random_between(10, 300)) / 100;
        const auto count = static_cast<int>(random_between(2, 3'000));
        tree.set_ranges(some_ranges(from, to, count, i % 2 == 0));
        const double actual = std::max(tree.actual(), 20.0);
        ASSERT_GE(tree.estimate(13), actual / 2 - 20) << from << ' ' << to << ' ' << count;
        ASSERT_LE(tree.estimate(13), actual * 2) << from << ' ' << to << ' ' << count;
      }
    }
  }
}

TEST(TreeSample, OneWideRangeAmongNarrowOnesIsFound) {
  for (const bool skewed : {false, true}) {
    SortedTree tree{some_numbers(100'000, skewed), 100, 40};
    // At least 20 pages wide.
    for (int wide = skewed ? 20 : 0; wide < 40; ++wide) {
      std::vector<std::pair<double, double>> ranges;
      for (int i = 0; i < 40; ++i) {
        const double from = 1e6 + 2.5e4 * i;
        ranges.emplace_back(from, from + (i == wide ? 2e4 : 10));
      }
      tree.set_ranges(ranges);
      // The narrow ones may be taken for a few pages more.
      ASSERT_GE(tree.estimate(19), tree.actual() / 2) << wide;
      ASSERT_LE(tree.estimate(19), tree.actual() * 2 + 300) << wide;
    }
  }
}

TEST(TreeSample, PagesThatNoRangeCoversAreNotRead) {
  SortedTree tree{some_numbers(100'000, false), 100, 40};
  tree.set_ranges({{1'500'100, 1'500'200}, {1'500'300, 1'500'400}});
  EXPECT_EQ(tree.estimate(19), tree.actual());
  EXPECT_LE(tree.reads(), tree.level() + 2);
  tree.set_ranges({});
  EXPECT_EQ(tree.estimate(19), 0);
  EXPECT_EQ(tree.reads(), 1);
}

TEST(TreeSample, ReadsNoMorePagesThanItsSamplesNeed) {
  SortedTree tree{some_numbers(100'000, false), 50, 30};
  for (const int samples : {1, 2, 5, 12, 19}) {
    for (int i = 0; i < 200; ++i) {
      tree.set_ranges(some_ranges(5e5, 2.5e6, static_cast<int>(random_between(2, 500)), false));
      tree.estimate(samples);
      ASSERT_LE(tree.reads(), 1 + samples * tree.level());
    }
  }
}

TEST(TreeSample, EachRowCountsTheSameOnAverage) {
  // The keys of a page tell nothing of these: on every hundredth page, all lie in a small part.
  std::vector<double> numbers;
  for (int page = 0; page < 2'000; ++page) {
    for (int i = 0; i < 50; ++i) {
      numbers.push_back(1e6 + 1e3 * page + (page % 100 == 0 ? 10 + 0.5 * i : 20.0 * i));
    }
  }
  SortedTree tree{numbers, 50, 40};
  double estimated = 0;
  double actual = 0;
  for (int i = 0; i < 200; ++i) {
    std::vector<std::pair<double, double>> ranges;
    const auto shift = static_cast<double>(random_between(0, 900));
    for (int k = 0; k < 2'000; k += static_cast<int>(random_between(1, 7))) {
      ranges.emplace_back(1e6 + 1e3 * k + shift, 1e6 + 1e3 * k + shift + 90);
    }
    tree.set_ranges(ranges);
    estimated += tree.estimate(12);
    actual += tree.actual();
  }
  ASSERT_NEAR(estimated / actual, 1, 0.1);
}

TEST(TreeSample, PageThatCannotBeReadEndsIt) {
  SortedTree tree{some_numbers(1'000, false), 100, 4};
  tree.set_ranges({{1'100'000, 1'200'000}, {1'300'000, 1'300'010}});
  double rows = 0;
  EXPECT_TRUE(tree.estimate(19, &rows));
  tree.make_unreadable(tree.root());
  EXPECT_FALSE(tree.estimate(19, &rows));
  tree.make_unreadable(1);
  EXPECT_FALSE(tree.estimate(19, &rows));
}

}  // namespace
}  // namespace uuidx_test
