#include "random_pool.hpp"

#include <algorithm>
#include <cstring>

namespace uuidx {

void RandomPool::drop() noexcept {
  std::memset(words_, 0, left_ * sizeof *words_);  // draw() has erased the rest
  left_ = 0;
  grown_ = 0;
}

bool RandomPool::refill(Source source) noexcept {
  const std::size_t words = std::clamp(grown_ * kGrowth, kFirstWords, kWords);
  if (!source(words_, words * sizeof *words_)) {
    // A source that failed may have written part of a batch: none of it may be issued.
    left_ = words;
    drop();
    return false;
  }
  left_ = words;
  grown_ = words;
  return true;
}

}  // namespace uuidx
