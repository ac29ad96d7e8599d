// Random words for the generators: bought in blocks, because one call to a CSPRNG costs as much as
// a hundred words of it (RFC 9562 §6.9), and erased as they are used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "status.hpp"

namespace uuidx {

class RandomPool {
 public:
  // Fills `size` bytes from a CSPRNG; false when it could not, whatever it wrote.
  using Source = bool (*)(void *to, std::size_t size);

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

  // Forgets the words that are left: they may belong to another process, too.
  void drop() noexcept;

 private:
  bool refill(Source source) noexcept;

  std::size_t left_ = 0;
  std::uint64_t words_[kWords] = {};
};

}  // namespace uuidx
