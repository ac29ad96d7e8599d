// Estimates how many rows of a B-tree lie in many ranges of its keys by reading a few pages of
// rows.
//
// The keys in the pages above tell which part of a page's keys the ranges cover. A page is read
// with a probability in proportion to that, and its rows count the more, the less likely it was to
// be read. So the sum is right on average even where the keys tell nothing of the rows, as where
// most of them are of another version, and pages that no range covers are not read.
#pragma once

#include <algorithm>
#include <cmath>

#include "time_range.hpp"
#include "tree_probe.hpp"
#include "uuid_ranges.hpp"

namespace uuidx {

// A page, and the keys that it and the pages below it may have.
struct Subtree {
  PageNumber page = 0;
  int level = 0;  // 0 if it has rows
  UuidRange keys;
};

// A child of a page. Its keys end where those of the next one begin.
struct SampledChild {
  PageNumber page = 0;
  Uuid lowest;
  double weight = 0;
};

// Returns how likely a page is read, in proportion: at least a tenth of a page that is covered as a
// whole, because a page's keys may lie close together in a part of those that it may have.
constexpr double sample_weight(const UuidRanges &ranges, UuidRange keys) noexcept {
  constexpr double kLeast = 0.1;
  return ranges.overlaps(keys) ? kLeast + (1 - kLeast) * ranges.share_of(keys) : 0;
}

// Returns the keys of the i-th child of a page.
constexpr UuidRange keys_of(const SampledChild *child, int i, int count, UuidRange all) noexcept {
  return intersection({child[i].lowest, i + 1 < count ? child[i + 1].lowest : kMax}, all);
}

// How the samples of a page are spread over its children, which are visited in order. Each is at
// another place of its step, by the golden ratio, because ranges may recur as regularly as pages.
struct SampleSpread {
  PageNumber page = 0;
  int samples = 0;
  int children = 0;   // that have a weight
  double weight = 0;  // of all children
  double passed = 0;  // weight of the children that were visited
  int taken = 0;

  // Returns the weight for which a sample is taken; 0 if there are enough for all children.
  [[nodiscard]] constexpr double step() const noexcept {
    return children > samples ? weight / samples : 0;
  }

  // Returns how many of the samples a child gets.
  int take(double of_child) noexcept {
    if (of_child <= 0) {
      return 0;
    }
    if (children <= samples) {
      return 1 + static_cast<int>((samples - children) * (of_child / weight));
    }
    passed += of_child;
    const int before = taken;
    while (taken < samples && place_of(taken) * step() < passed) {
      ++taken;
    }
    return taken - before;
  }

  // Returns the place of a sample, in steps.
  [[nodiscard]] double place_of(int sample) const noexcept {
    constexpr double kGoldenRatio = 0.6180339887498949;
    const double shift = (static_cast<double>(page) + sample) * kGoldenRatio;
    return sample + (shift - std::floor(shift));
  }
};

// Adds to `rows` the estimated number of rows of a subtree that are in the ranges, by reading
// `samples` pages of rows, at least 1; returns false if a page cannot be read.
// `tree.sampled_children(page, level, child)` reads a page, sets up to Tree::kMaxChildren children
// without their weights, and returns their number, 0 if it cannot. `tree.sampled_rows(page, &rows)`
// adds the number of a page's rows that are in the ranges.
template <typename Tree>
// NOLINTNEXTLINE(misc-no-recursion): from level to level.
bool sample_rows(Tree &tree, const UuidRanges &ranges, const Subtree &parent, int samples,
                 double *rows) {
  if (parent.level == 0) {
    return tree.sampled_rows(parent.page, rows);
  }
  SampledChild child[Tree::kMaxChildren];
  const int count = tree.sampled_children(parent.page, parent.level, child);
  SampleSpread spread{parent.page, samples};
  for (int i = 0; i < count; ++i) {
    child[i].weight = sample_weight(ranges, keys_of(child, i, count, parent.keys));
    spread.weight += child[i].weight;
    spread.children += child[i].weight > 0 ? 1 : 0;
  }
  for (int i = 0; i < count; ++i) {
    const int taken = spread.take(child[i].weight);
    double found = 0;
    if (taken > 0 &&
        !sample_rows(tree, ranges,
                     {child[i].page, parent.level - 1, keys_of(child, i, count, parent.keys)},
                     taken, &found)) {
      return false;
    }
    *rows += taken > 0 ? found * std::max(spread.step() / child[i].weight, 1.0) : 0;
  }
  return count > 0;
}

}  // namespace uuidx
