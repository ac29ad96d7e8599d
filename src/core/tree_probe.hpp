// Estimates how many rows lie in a range of a B-tree's keys by reading a few pages: on each level,
// those at both ends of the range and some of the pages between them. Other databases call this an
// index dive.
#pragma once

#include <algorithm>
#include <cstdint>

namespace uuidx {

using PageNumber = std::uint32_t;

// The most pages that are read on one level between the ends. Up to so many pages of rows are
// counted, and beyond that extrapolated.
inline constexpr int kPageSamples = 3;

// The pages of one level that a range of keys covers.
struct PageSpan {
  PageNumber first = 0;                  // has the lower end
  PageNumber last = 0;                   // has the upper end; may be the same page
  double between = 0;                    // the number of pages between these
  int samples = 0;                       // up to kPageSamples of them, all if there are no more
  PageNumber sample[kPageSamples] = {};  // in order
};

// The children of one page above the rows, which are pages of the level below.
struct Children {
  PageNumber first = 0;  // the child that has the lower end, if this page has it
  PageNumber last = 0;   // the child that has the upper end, if this page has it
  int inside = 0;        // the number of the others that are within the range
  int samples = 0;       // up to kPageSamples of them, all if there are no more
  PageNumber sample[kPageSamples] = {};
};

// Returns the place, from 0, of the i-th of `count` samples spread evenly over `size` places.
constexpr int sample_place(int i, int count, int size) noexcept {
  return static_cast<int>((2 * std::int64_t{i} + 1) * size / (2 * std::int64_t{count}));
}

// Sets the children inside of the range to those from `begin` until before `end`. `child(i)` is the
// i-th of the page's children.
template <typename Child>
constexpr void set_inside(Children *children, int begin, int end, const Child &child) {
  children->inside = std::max(end - begin, 0);
  children->samples = std::min(children->inside, kPageSamples);
  for (int i = 0; i < children->samples; ++i) {
    children->sample[i] = child(begin + sample_place(i, children->samples, children->inside));
  }
}

// The children of the pages of a span: of the first page, the samples and the last page.
struct SpanChildren {
  int pages = 0;
  Children page[kPageSamples + 2] = {};
  double weight[kPageSamples + 2] = {};  // the number of children that those inside stand for
};

// Returns the sampled child at a place, from 0 to the sum of the weights.
constexpr PageNumber child_at(const SpanChildren &children, double place) noexcept {
  PageNumber child = 0;
  for (int i = 0; i < children.pages; ++i) {
    const Children &page = children.page[i];
    if (page.samples > 0) {
      const int sample = static_cast<int>(place / children.weight[i] * page.samples);
      child = page.sample[std::min(sample, page.samples - 1)];
      if (place < children.weight[i]) {
        return child;
      }
      place -= children.weight[i];
    }
  }
  return child;
}

// Returns the span of the level below.
constexpr PageSpan span_below(const SpanChildren &children) noexcept {
  PageSpan below{children.page[0].first, children.page[children.pages - 1].last};
  for (int i = 0; i < children.pages; ++i) {
    below.between += children.weight[i];
  }
  below.samples = static_cast<int>(std::min(below.between + 0.5, double{kPageSamples}));
  for (int i = 0; i < below.samples; ++i) {
    below.sample[i] = child_at(children, below.between * (i + 0.5) / below.samples);
  }
  return below;
}

// Sets `below` to the span of the level below `level`; false if a page cannot be read.
// `tree.children(page, level, has_lower, has_upper, &children)` reads a page, whose arguments say
// which ends of the range it has, and returns false if it cannot.
template <typename Tree>
bool read_span_below(Tree &tree, const PageSpan &span, int level, PageSpan *below) {
  SpanChildren children;
  const auto read = [&](PageNumber page, bool lower, bool upper, double stands_for) {
    Children *next = &children.page[children.pages];
    if (!tree.children(page, level, lower, upper, next)) {
      return false;
    }
    children.weight[children.pages++] = next->inside * stands_for;
    return true;
  };
  const bool one = span.first == span.last;
  if (!read(span.first, true, one, 1)) {
    return false;
  }
  for (int i = 0; i < span.samples; ++i) {
    if (!read(span.sample[i], false, false, span.between / span.samples)) {
      return false;
    }
  }
  if (!one && !read(span.last, false, true, 1)) {
    return false;
  }
  *below = span_below(children);
  return true;
}

// Sets `rows` to the number of rows on the pages of the lowest level; false if a page cannot be
// read. `tree.rows(page, has_lower, has_upper, exactly, &rows)` adds the number of rows of a page
// that are in the range, counted or estimated.
template <typename Tree>
bool read_rows(Tree &tree, const PageSpan &span, double *rows) {
  const bool exactly = span.between == 0;
  double ends = 0;
  double samples = 0;
  const auto add = [&](PageNumber page, bool lower, bool upper, double *sum) {
    double found = 0;
    const bool read = tree.rows(page, lower, upper, exactly, &found);
    *sum += found;
    return read;
  };
  const bool one = span.first == span.last;
  if (!add(span.first, true, one, &ends) || (!one && !add(span.last, false, true, &ends))) {
    return false;
  }
  for (int i = 0; i < span.samples; ++i) {
    if (!add(span.sample[i], false, false, &samples)) {
      return false;
    }
  }
  *rows = ends + (span.samples > 0 ? samples / span.samples * span.between : 0);
  return true;
}

// Sets `rows` to the estimated number of rows in the tree's range; false if a page cannot be read.
// `level` is that of the root, 0 if it has rows.
template <typename Tree>
bool estimate_rows(Tree &tree, PageNumber root, int level, double *rows) {
  PageSpan span{root, root};
  for (; level > 0; --level) {
    PageSpan below;
    if (!read_span_below(tree, span, level, &below)) {
      return false;
    }
    span = below;
  }
  return read_rows(tree, span, rows);
}

}  // namespace uuidx
