// What readers of texts share: ASCII letters in any locale, as the meaning of a name or a digit
// must not depend on it, and the result of reading a UUID.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "uuid.hpp"

namespace uuidx {

// Returns an ASCII letter in lower case, any other character unchanged.
constexpr char ascii_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Returns an ASCII letter in upper case, any other character unchanged.
constexpr char ascii_upper(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

// True if two strings differ at most in the case of ASCII letters.
constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  // Not std::ranges::equal(), which libc++ before 15 lacks.
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

// Why a text is not a UUID in the given format. In the order of their messages in
// pg/text_argument.cpp.
enum class TextFault {
  none,
  length,         // too short or too long
  character,      // one that the format does not allow, or not in this place
  overflow,       // a number of more than 128 bits
  trailing_bits,  // nonzero bits after the 128
  leading_zero,   // of a decimal number
};

// A UUID, or the first fault of its text; the UUID is nil if there is a fault.
struct DecodedText {
  TextFault fault = TextFault::none;
  std::size_t position = 0;  // of the first octet at fault, from 0; the end if one is missing
  Uuid id;
};

// Returns the result for a text whose octets, up to `length`, have no fault: a fault if the text is
// longer or shorter.
constexpr DecodedText decoded_of_length(std::string_view text, std::size_t length,
                                        Uuid id) noexcept {
  if (text.size() != length) {
    return {TextFault::length, std::min(text.size(), length), {}};
  }
  return {TextFault::none, 0, id};
}

}  // namespace uuidx
