// Random words for the generators, fetched in batches, because one call of a CSPRNG costs as much
// as a hundred of its words (RFC 9562 §6.9), and erased as they are used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace uuidx {

class RandomPool {
 public:
  // Fills `size` bytes from a CSPRNG. Returns false on failure, after which the bytes may hold
  // anything.
  using Source = bool (*)(void *to, std::size_t size);

  // Batches grow from kFirstWords by kGrowth up to kWords, so that a statement that needs one value
  // fetches little, and one that needs many makes few calls.
  static constexpr std::size_t kFirstWords = 4;
  static constexpr std::size_t kGrowth = 8;
  static constexpr std::size_t kWords = 1024;

  // Sets `word` to a word that is never returned again, and erases it from the pool; fetches a
  // batch from `source` if the pool is empty. Returns false, and leaves `word` alone, if that
  // fails.
  bool draw(Source source, std::uint64_t *word) noexcept {
    if (left_ == 0 && !refill(source)) [[unlikely]] {
      return false;
    }
    --left_;
    *word = words_[left_];
    words_[left_] = 0;
    return true;
  }

  // Erases the words that are left, and starts again with a small batch: another process, or a copy
  // of this machine, may hold the same words.
  void drop() noexcept {
    std::memset(words_, 0, left_ * sizeof *words_);  // draw() has erased the rest
    left_ = 0;
    grown_ = 0;
  }

 private:
  // Fetches the next batch; false, with an empty pool, if `source` fails. Not inline, as few draws
  // need it.
  [[gnu::noinline]] bool refill(Source source) noexcept {
    const std::size_t words = std::clamp(grown_ * kGrowth, kFirstWords, kWords);
    const bool filled = source(words_, words * sizeof *words_);
    left_ = words;
    grown_ = words;
    if (!filled) {
      drop();  // a source that failed may have written part of a batch: none of it may be issued
    }
    return filled;
  }

  std::size_t left_ = 0;
  std::size_t grown_ = 0;  // size of the last batch in words; 0 before the first
  std::uint64_t words_[kWords] = {};
};

}  // namespace uuidx
