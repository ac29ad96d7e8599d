// Helpers for the libFuzzer targets: checks of properties, counts, and numbers, times and UUIDs
// from an input.
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

// The number of inputs, and how many of them were valid.
inline unsigned long inputs, valid;

// Aborts the program unless a property holds, so that libFuzzer keeps the input.
inline void demand(bool holds, const char *property) {
  if (!holds) {
    std::fprintf(stderr, "does not hold: %s\n", property);
    std::abort();
  }
}

// Prints the counts when the program ends, in each program that includes this header.
inline const int counted_at_exit =
    std::atexit([] { std::fprintf(stderr, "valid %lu of %lu\n", valid, inputs); });

// Reads an input as numbers; after its end they are 0.
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

  // Returns an element of an array.
  template <typename T, std::size_t count>
  T one_of(const T (&choices)[count]) {
    return choices[number<std::uint8_t>() % count];
  }

 private:
  const std::uint8_t *next_;
  const std::uint8_t *end_;
};

// Returns a + b, or the limit of the type if the sum does not fit in it.
template <typename T>
T saturated_sum(T a, std::int64_t b) {
  T sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    return b < 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
  return sum;
}

// Returns a time: an arbitrary one, one with fewer bits, or one near to the end of a range.
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

// Returns a UUID: arbitrary, or of some version, with each word arbitrary, all zeros or all ones.
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
