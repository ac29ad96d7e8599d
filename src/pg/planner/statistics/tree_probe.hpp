// Estimates how many rows lie in a range of a B-tree's keys by reading a few pages: on each level,
// those at both ends of the range, and some of the pages of rows between them. Other databases call
// this an index dive.
//
// Pages have unequal numbers of rows that count: a page may have lost most of its rows, or be full
// of keys of another kind. So the pages between the ends are sampled evenly at first, and then more
// closely where the samples differ or are so sparse that full pages between them would matter.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace uuidx {

using PageNumber = std::uint32_t;

// The highest level of a root.
inline constexpr int kMaxLevel = 6;

// How many children of a page are remembered to choose from.
inline constexpr int kKeptChildren = 64;

// The children of one page above the rows, which are pages of the level below.
struct Children {
  PageNumber first = 0;  // the child that has the lower end, if this page has it
  PageNumber last = 0;   // the child that has the upper end, if this page has it
  int all = 0;
  int inside = 0;                        // the number of those within the range, without these two
  int kept = 0;                          // up to kKeptChildren of them, all if there are no more
  PageNumber child[kKeptChildren] = {};  // in order

  // Returns the i-th of the children inside, or one near it.
  [[nodiscard]] constexpr PageNumber at(int i) const noexcept {
    return child[inside > 1 ? (2 * i * (kept - 1) + inside - 1) / (2 * (inside - 1)) : 0];
  }
};

// Sets the children inside of the range to those from `begin` until before `end`. `child(i)` is the
// i-th of the page's children.
template <typename Child>
constexpr void set_inside(Children *children, int begin, int end, const Child &child) {
  children->inside = std::max(end - begin, 0);
  children->kept = std::min(children->inside, kKeptChildren);
  for (int i = 0; i < children->kept; ++i) {
    // With the first and the last one, as the pages there may be the ones that differ.
    const int place = i * (children->inside - 1) / std::max(children->kept - 1, 1);
    children->child[i] = child(begin + place);
  }
}

// Children of one page that are entirely in the range.
struct PageRun {
  int level = 0;      // of the children
  double leaves = 0;  // the number of pages of rows below them, estimated
  Children children;
};

// The pages that a range of keys covers, in order: the pages of rows at its ends, and between them
// the runs of children of the pages that have an end or both, which are the lower the nearer to it.
struct PageSpan {
  static constexpr int kMiddle = kMaxLevel;

  PageNumber first = 0;
  PageNumber last = 0;  // may be the same page
  double fanout = 1;    // the most children of one of the pages above
  PageRun run[2 * kMaxLevel + 1];

  [[nodiscard]] double leaves() const noexcept {
    double sum = 0;
    for (const PageRun &each : run) {
      sum += each.leaves;
    }
    return sum;
  }
};

// Reads the children of a page with one end of the range, or both, as a run of the span; returns
// false if the page cannot be read.
template <typename Tree>
bool read_run(Tree &tree, PageNumber page, int level, bool lower, bool upper, PageSpan *span,
              PageRun *run) {
  if (!tree.children(page, level, lower, upper, &run->children)) {
    return false;
  }
  run->level = level - 1;
  span->fanout = std::max(span->fanout, static_cast<double>(run->children.all));
  return true;
}

// Sets the span below a root; returns false if a page cannot be read.
// `tree.children(page, level, has_lower, has_upper, &children)` reads a page, whose arguments say
// which ends of the range it has, and returns false if it cannot.
template <typename Tree>
bool read_span(Tree &tree, PageNumber root, int level, PageSpan *span) {
  span->first = span->last = root;
  for (; level > 0; --level) {
    const bool one = span->first == span->last;
    PageRun &left = span->run[one ? PageSpan::kMiddle : level - 1];
    PageRun &right = one ? left : span->run[2 * PageSpan::kMiddle - (level - 1)];
    if (!read_run(tree, span->first, level, true, one, span, &left) ||
        (!one && !read_run(tree, span->last, level, false, true, span, &right))) {
      return false;
    }
    span->first = left.children.first;
    span->last = right.children.last;
  }
  for (PageRun &run : span->run) {
    run.leaves = run.children.inside;
    // Not std::pow, for which the library would need libm.
    for (int above = 0; above < run.level; ++above) {
      run.leaves *= span->fanout;
    }
  }
  return true;
}

// One of the pages of rows between the ends.
struct LeafSample {
  double place = 0;  // among the pages of rows, from 0 to the span's number of these
  double rows = 0;   // on each page there, if all pages above had as many children
};

// Returns the run with a place, and sets the place to that among the run's children. One of the
// runs must have children.
inline const PageRun &run_with(const PageSpan &span, double *place) noexcept {
  const PageRun *found = &span.run[PageSpan::kMiddle];
  for (const PageRun &run : span.run) {
    if (run.leaves > 0) {
      found = &run;
      if (*place < run.leaves) {
        break;
      }
      *place -= run.leaves;
    }
  }
  *place = std::min(*place / found->leaves, 1.0) * found->children.inside;
  return *found;
}

// Reads the sample at a place, by a page of each level below its run; returns false if one cannot
// be read. `tree.rows(page, has_lower, has_upper, &rows)` adds the number of rows of a page that
// are in the range.
template <typename Tree>
bool read_sample(Tree &tree, const PageSpan &span, LeafSample *sample) {
  double place = sample->place;
  const PageRun &run = run_with(span, &place);
  Children below;
  const Children *children = &run.children;
  double weight = 1;
  for (int level = run.level;; --level) {
    const int i = std::min(static_cast<int>(place), children->inside - 1);
    const PageNumber page = children->at(i);
    if (level == 0) {
      const bool read = tree.rows(page, false, false, &sample->rows);
      sample->rows *= weight;
      return read;
    }
    if (!tree.children(page, level, false, false, &below)) {
      return false;
    }
    place = std::min(place - i, 1.0) * below.inside;
    weight *= below.inside / span.fanout;
    children = &below;
  }
}

// What is known of the pages of rows between the ends.
struct LeafSamples {
  static constexpr int kFirst = 5;
  static constexpr int kMost = 40;

  int count = 0;
  LeafSample sample[kMost];
};

// Returns how far the numbers of rows of the samples are apart.
inline double spread_of(const LeafSamples &samples) noexcept {
  const auto by_rows = [](const LeafSample &a, const LeafSample &b) { return a.rows < b.rows; };
  const auto [least, most] =
      std::minmax_element(samples.sample, samples.sample + samples.count, by_rows);
  return most->rows - least->rows;
}

// Returns how many rows the estimate may be wrong by between two samples: somewhere between, they
// change, and there may be pages that are full or differ as much as others do, the more of them the
// wider the gap is.
inline double possible_error(const LeafSample &from, const LeafSample &to, double spread,
                             double leaves) noexcept {
  constexpr double kFullPage = 200;
  const double width = to.place - from.place;
  const double hidden = std::max(kFullPage - std::max(from.rows, to.rows), spread);
  return std::max(std::abs(to.rows - from.rows), hidden * width / leaves) * width / 2;
}

// Sets `rows` to the estimated number of rows between the ends. Returns the number of the sample
// before the gap with the largest possible error; -1 if the estimate is good enough.
inline int find_worst_gap(const LeafSamples &samples, double leaves, double *rows) noexcept {
  constexpr double kTolerance = 0.4;
  const LeafSample *sample = samples.sample;
  const int last = samples.count - 1;
  const double spread = spread_of(samples);
  *rows = sample[0].rows * sample[0].place + sample[last].rows * (leaves - sample[last].place);
  double error = 0;
  double worst = 0;
  int found = -1;
  for (int i = 0; i < last; ++i) {
    const double width = sample[i + 1].place - sample[i].place;
    *rows += (sample[i].rows + sample[i + 1].rows) / 2 * width;
    // Else there is no page between.
    if (width > 1.5) {
      const double here = possible_error(sample[i], sample[i + 1], spread, leaves);
      error += here;
      found = here > worst ? i : found;
      worst = std::max(worst, here);
    }
  }
  return error > kTolerance * *rows ? found : -1;
}

// Returns how many pages read_sample reads at a place.
inline int cost_at(const PageSpan &span, double place) noexcept {
  return run_with(span, &place).level + 1;
}

// Reads the sample at a place and inserts it as the i-th; returns false if a page cannot be read.
template <typename Tree>
bool insert_sample(Tree &tree, const PageSpan &span, double place, int i, LeafSamples *samples) {
  LeafSample sample{place};
  if (!read_sample(tree, span, &sample)) {
    return false;
  }
  LeafSample *end = samples->sample + samples->count++;
  std::copy_backward(samples->sample + i, end, end + 1);
  samples->sample[i] = sample;
  return true;
}

// Estimates the number of rows between the ends by reading at most `pages` pages, but at least one
// page of rows; returns false if a page cannot be read.
template <typename Tree>
bool read_between(Tree &tree, const PageSpan &span, int level, int pages, double *rows) {
  const double leaves = span.leaves();
  const double affordable = std::max(pages / std::max(level, 1), 1);
  const auto first = static_cast<int>(std::min({leaves, double{LeafSamples::kFirst}, affordable}));
  LeafSamples samples;
  for (int i = 0; i < first; ++i) {
    const double place = first > 1 ? 0.5 + i * (leaves - 1) / (first - 1) : leaves / 2;
    pages -= cost_at(span, place);
    if (!insert_sample(tree, span, place, i, &samples)) {
      return false;
    }
  }
  for (;;) {
    const int i = find_worst_gap(samples, leaves, rows);
    if (i < 0 || samples.count == LeafSamples::kMost) {
      return true;
    }
    const double place = (samples.sample[i].place + samples.sample[i + 1].place) / 2;
    pages -= cost_at(span, place);
    if (pages < 0) {
      return true;
    }
    if (!insert_sample(tree, span, place, i + 1, &samples)) {
      return false;
    }
  }
}

// Sets `rows` to the estimated number of rows in the tree's range; returns false if a page cannot
// be read. `level` is that of the root, 0 if it has rows. Reads at most `pages` pages, or those at
// the ends of the range and one between if they are more.
template <typename Tree>
bool estimate_rows(Tree &tree, PageNumber root, int level, int pages, double *rows) {
  PageSpan span;
  *rows = 0;
  if (level > kMaxLevel || !read_span(tree, root, level, &span)) {
    return false;
  }
  const bool one = span.first == span.last;
  double ends = 0;
  if (!tree.rows(span.first, true, one, &ends) ||
      (!one && !tree.rows(span.last, false, true, &ends))) {
    return false;
  }
  if (span.leaves() > 0 &&
      !read_between(tree, span, level, pages - (one ? level : 2 * level) - 1, rows)) {
    return false;
  }
  *rows += ends;
  return true;
}

}  // namespace uuidx
