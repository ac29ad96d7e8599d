// TypeID 0.3: a UUID as text with the type of what it identifies, such as
// user_01h455vb4pex5vsknk084sn02q. The digits are those of ULID in lower case, so TypeIDs with one
// prefix sort like their UUIDs.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "decoded_text.hpp"
#include "uuid.hpp"

namespace uuidx {

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

}  // namespace uuidx
