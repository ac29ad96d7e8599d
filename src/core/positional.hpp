// Positional number systems: a UUID as the digits of one 128-bit number. Inline, so that base and
// width are constants where a format is written or read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text.hpp"
#include "uuid.hpp"

namespace uuidx {

__extension__ using Number = unsigned __int128;

// Returns a UUID as a number.
constexpr Number number_of(Uuid id) noexcept {
  return Number{id.hi} << 64 | id.lo;
}

// Returns a number as a UUID.
constexpr Uuid uuid_of(Number number) noexcept {
  return {static_cast<std::uint64_t>(number >> 64), static_cast<std::uint64_t>(number)};
}

// The digits of a format, and the value of each octet as a digit, -1 if it is none.
struct Alphabet {
  std::string_view digits;
  std::array<std::int8_t, 256> values{};

  constexpr Alphabet(std::string_view of, bool any_case) noexcept : digits(of) {
    values.fill(-1);
    for (std::size_t i = 0; i < of.size(); ++i) {
      set(of[i], static_cast<std::int8_t>(i));
      if (any_case) {
        set(ascii_lower(of[i]), static_cast<std::int8_t>(i));
        set(ascii_upper(of[i]), static_cast<std::int8_t>(i));
      }
    }
  }

  constexpr void set(char c, std::int8_t value) noexcept {
    values[static_cast<unsigned char>(c)] = value;
  }

  [[nodiscard]] constexpr int value(char c) const noexcept {
    return values[static_cast<unsigned char>(c)];
  }
};

inline constexpr Alphabet kHex{"0123456789abcdef", true};

// The largest power of a base below 2^32, and its exponent.
struct Chunk {
  std::uint32_t power = 1;
  int digits = 0;

  explicit constexpr Chunk(std::uint32_t base) noexcept {
    for (std::uint64_t next = base; next >> 32 == 0; next *= base) {
      power = static_cast<std::uint32_t>(next);
      ++digits;
    }
  }
};

// Divides a number by a constant of 32 bits and returns the remainder. In steps that compile to
// multiplications: 128-bit division is a function of the compiler's runtime, which the library
// would need where it runs.
template <std::uint32_t divisor>
constexpr std::uint32_t divide(Number *number) noexcept {
  if (*number >> 64 == 0) {
    const auto low = static_cast<std::uint64_t>(*number);
    *number = low / divisor;
    return static_cast<std::uint32_t>(low % divisor);
  }
  Number quotient = 0;
  std::uint64_t rest = 0;
  for (int shift = 96; shift >= 0; shift -= 32) {
    rest = rest << 32 | static_cast<std::uint32_t>(*number >> shift);
    quotient |= Number{rest / divisor} << shift;
    rest %= divisor;
  }
  *number = quotient;
  return static_cast<std::uint32_t>(rest);
}

// Writes a number in the base of an alphabet, filling `digits` places from the end. A template, so
// that all divisors are constants.
template <const Alphabet &alphabet>
void encode_digits(Number number, int digits, char *to) noexcept {
  constexpr std::uint32_t kBase = alphabet.digits.size();
  constexpr Chunk kChunk{kBase};
  while (digits > 0) {
    std::uint32_t chunk = divide<kChunk.power>(&number);
    for (int i = 0; i < kChunk.digits && digits > 0; ++i) {
      to[--digits] = alphabet.digits[chunk % kBase];
      chunk /= kBase;
    }
  }
}

// Reads a number of any length in the base of an alphabet; more than 128 bits are a fault.
template <const Alphabet &alphabet>
DecodedText decode_digits(std::string_view text) noexcept {
  constexpr std::uint64_t kBase = alphabet.digits.size();
  constexpr Number kMaxNumber = ~Number{0};
  constexpr Number kMost = kMaxNumber / kBase;  // the largest to which a digit may be added
  Number number = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int value = alphabet.value(text[i]);
    if (value < 0) {
      return {TextFault::character, i, {}};
    }
    const auto digit = static_cast<std::uint64_t>(value);
    if (number > kMost || (number == kMost && digit > kMaxNumber % kBase)) {
      return {TextFault::overflow, i, {}};
    }
    number = number * kBase + digit;
  }
  return {TextFault::none, 0, uuid_of(number)};
}

}  // namespace uuidx
