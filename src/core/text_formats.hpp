// Text formats of a UUID other than the usual one of RFC 9562 §4, and prefixes of that one.
//
// A TypeID (version 0.3) is a UUID as text with the type of what it identifies, such as
// user_01h455vb4pex5vsknk084sn02q. The digits are those of ULID in lower case, so TypeIDs with one
// prefix sort like their UUIDs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "text.hpp"
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

inline constexpr std::size_t kMaxTypeidPrefix = 63;
inline constexpr std::size_t kMaxTypeid = kMaxTypeidPrefix + 1 + 26;

// A TypeID: its prefix, which may be empty, and its UUID, or the first fault.
struct DecodedTypeid {
  std::string_view prefix;
  DecodedText text;
};

// Returns the place of the first octet, from 0, at which a text is not a prefix: up to 63 of a to
// z, and between these underscores. Returns none if it is one.
std::optional<std::size_t> typeid_prefix_fault(std::string_view prefix) noexcept;

// Writes a TypeID to `to`, which has room for kMaxTypeid characters, without a terminating zero,
// and returns its length. The prefix must have no fault.
std::size_t encode_typeid(Uuid id, std::string_view prefix, char *to) noexcept;

// Reads a TypeID strictly: encode_typeid() of the result gives the same text.
DecodedTypeid decode_typeid(std::string_view text) noexcept;

// Reads the first digits of the usual text format, as people copy them from a log: up to 32
// hexadecimal digits in any case, each hyphen in its place or left out. Returns the lowest or the
// highest UUID that begins with them.
DecodedText decode_prefix(std::string_view text, bool highest) noexcept;

}  // namespace uuidx
