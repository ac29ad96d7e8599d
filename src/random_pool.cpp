#include "random_pool.hpp"

#include <cstring>

namespace uuidx {

void RandomPool::drop() noexcept {
  std::memset(words_, 0, sizeof words_);
  left_ = 0;
}

bool RandomPool::refill(Source source) noexcept {
  if (!source(words_, sizeof words_)) {
    drop();  // a source that failed may have written part of a block: none of it may be issued
    return false;
  }
  left_ = kWords;
  return true;
}

}  // namespace uuidx
