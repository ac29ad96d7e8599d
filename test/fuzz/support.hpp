// What the libFuzzer targets share: properties, counts, and numbers, times and UUIDs out of an
// input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "timestamp.hpp"
#include "uuid.hpp"

// libFuzzer's names.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming)
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size, std::size_t max_size,
                                    unsigned seed);
std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t max_size);
// NOLINTEND(readability-identifier-naming)
}

namespace uuidx_fuzz {

using namespace uuidx;

// Inputs, and those among them that were valid.
inline unsigned long inputs, valid;

// Ends the program, for libFuzzer to keep the input, unless a property holds.
inline void demand(bool holds, const char *property) {
  if (!holds) {
    std::fprintf(stderr, "does not hold: %s\n", property);
    std::abort();
  }
}

// Says the counts at the end of the program: of each one that includes this.
inline const int counted_at_exit =
    std::atexit([] { std::fprintf(stderr, "valid %lu of %lu\n", valid, inputs); });

// An input as numbers; zeros behind its end.
class Input {
 public:
  Input(const std::uint8_t *data, std::size_t size) : next_(data), end_(data + size) {}

  bool ended() const { return next_ == end_; }

  template <typename T>
  T number() {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T) && !ended(); ++i) {
      bits |= std::uint64_t{*next_++} << (8 * i);
    }
    return static_cast<T>(bits);
  }

  // One of an array.
  template <typename T, std::size_t count>
  T one_of(const T (&choices)[count]) {
    return choices[number<std::uint8_t>() % count];
  }

 private:
  const std::uint8_t *next_;
  const std::uint8_t *end_;
};

// A number, or the end of its type where the sum has no place in it.
template <typename T>
T saturated_sum(T a, std::int64_t b) {
  T sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    return b < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
  return sum;
}

// A time: any, a shorter number, or one near to where something begins or ends.
inline UnixMicros any_time(Input &input) {
  static constexpr UnixMicros kEdges[] = {0,
                                          kMaxV7Micros,
                                          kMaxV7Micros - kMicrosPerMilli,
                                          kMinGregorianMicros,
                                          kMaxGregorianMicros,
                                          1'645'557'742'000'000,  // 2022-02-22
                                          std::numeric_limits<UnixMicros>::min(),
                                          std::numeric_limits<UnixMicros>::max()};
  switch (input.number<std::uint8_t>() % 4) {
    case 0:
      return input.number<UnixMicros>();
    case 1: {
      const int shift = input.number<std::uint8_t>() % 64;
      return input.number<UnixMicros>() >> shift;
    }
    default: {
      const UnixMicros edge = input.one_of(kEdges);
      return saturated_sum(edge, input.number<std::int16_t>());
    }
  }
}

// A UUID: any, or of a version, with its words as they are, empty or full.
inline Uuid any_uuid(Input &input) {
  const auto kind = input.number<std::uint8_t>();
  const auto version = input.number<std::uint8_t>();
  const auto word = [&](unsigned what) {
    const auto bits = input.number<std::uint64_t>();
    return what == 0 ? 0 : what == 1 ? ~std::uint64_t{0} : bits;
  };
  const std::uint64_t hi = word(kind % 4);
  const std::uint64_t lo = word(kind / 4 % 4);
  const Uuid id{hi, lo};
  return kind / 16 % 4 == 0 ? id : stamp(id, version % 16);
}

}  // namespace uuidx_fuzz
