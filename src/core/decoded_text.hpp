// The result of reading a text as a UUID: the UUID, or the fault and its position.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "uuid.hpp"

namespace uuidx {

// Why a text is not a UUID in the given format.
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
