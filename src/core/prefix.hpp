// The first digits of a UUID's usual text format (RFC 9562 §4), as people copy them from a log.
#pragma once

#include <cstddef>
#include <string_view>

#include "decoded_text.hpp"
#include "time_range.hpp"

namespace uuidx {

// The UUIDs whose text begins with a prefix, or the first fault of the prefix.
struct DecodedPrefix {
  TextFault fault = TextFault::none;
  std::size_t position = 0;  // of the first octet at fault, from 0
  UuidRange range;
};

// Reads a prefix: up to 32 hexadecimal digits in any case, each hyphen in its place or left out.
DecodedPrefix decode_prefix(std::string_view text) noexcept;

}  // namespace uuidx
