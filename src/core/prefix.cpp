#include "prefix.hpp"

#include "positional.hpp"

namespace uuidx {

namespace {

constexpr int kDigits = 32;

// True if the usual text format has a hyphen after so many digits.
constexpr bool is_hyphen_after(int digits) noexcept {
  return digits == 8 || digits == 12 || digits == 16 || digits == 20;
}

// Returns the UUIDs with the given first digits.
constexpr UuidRange range_of(Number number, int digits) noexcept {
  if (digits == 0) {
    return {};
  }
  const int rest = 4 * (kDigits - digits);
  const Number lowest = number << rest;
  const Number highest = rest > 0 ? lowest | ~Number{0} >> (128 - rest) : lowest;
  return {uuid_of(lowest), uuid_of(highest)};
}

}  // namespace

DecodedPrefix decode_prefix(std::string_view text) noexcept {
  Number number = 0;
  int digits = 0;
  bool after_hyphen = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int value = kHex.value(text[i]);
    if (value < 0 && (text[i] != '-' || after_hyphen || !is_hyphen_after(digits))) {
      return {TextFault::character, i, {}};
    }
    after_hyphen = value < 0;
    if (value >= 0) {
      if (digits == kDigits) {
        return {TextFault::length, i, {}};
      }
      number = number << 4 | static_cast<unsigned>(value);
      ++digits;
    }
  }
  return {TextFault::none, 0, range_of(number, digits)};
}

}  // namespace uuidx
