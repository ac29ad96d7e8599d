// Random words for the generators: bought in blocks, because one call to a CSPRNG costs as much as
// a hundred words of it (RFC 9562 §6.9), and erased as they are used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "status.hpp"

namespace uuidx {

class RandomPool {
 public:
  // Fills `size` bytes from a CSPRNG; false when it could not, whatever it wrote.
  using Source = bool (*)(void *to, std::size_t size);

  // Blocks grow from the first to the largest: a statement that makes one value buys little, one
  // that makes many buys them cheaply.
  static constexpr std::size_t kFirstWords = 4;
  static constexpr std::size_t kGrowth = 8;
  static constexpr std::size_t kWords = 1024;

  // Hands out a word that nobody gets again, erased here; refills from `source` when empty.
  Status draw(Source source, std::uint64_t *word) noexcept {
    if (left_ == 0) [[unlikely]] {
      if (!refill(source)) {
        return Status::entropy_failed;
      }
    }
    --left_;
    *word = words_[left_];
    words_[left_] = 0;
    return Status::ok;
  }

  // Forgets the words that are left: they may belong to another process, or to a copy of this
  // machine, too.
  void drop() noexcept;

 private:
  bool refill(Source source) noexcept;

  std::size_t left_ = 0;
  std::size_t grown_ = 0;  // size of the last block; 0 before the first
  std::uint64_t words_[kWords] = {};
};

}  // namespace uuidx
