// Text formats of a UUID other than the usual one of RFC 9562 §4.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "decoded_text.hpp"
#include "uuid.hpp"

namespace uuidx {

// The length of the longest, that of urn.
inline constexpr std::size_t kMaxTextFormat = 45;

struct TextFormat {
  std::string_view name;
  // Writes the format to `to`, which has room for kMaxTextFormat characters, without a terminating
  // zero, and returns its length.
  std::size_t (*encode)(Uuid id, char *to) noexcept;
  // Reads the format strictly: encode() of the result gives the same text, except for letter case,
  // the aliases in Crockford's base 32, and the padding of base32hex and base58.
  DecodedText (*decode)(std::string_view text) noexcept;
};

// Returns all formats.
std::span<const TextFormat> text_formats() noexcept;

// Returns the format of a name, ignoring the case of ASCII letters; null if there is no such
// format.
const TextFormat *text_format_by_name(std::string_view name) noexcept;

}  // namespace uuidx
