// Text forms of a UUID other than the usual one of RFC 9562 §4.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "decoded_text.hpp"
#include "uuid.hpp"

namespace uuidx {

enum class TextForm {
  ulid,       // Crockford's base 32, 26 digits; sorts like the UUID
  base32hex,  // RFC 4648 §7 without padding, 26 digits; sorts like the UUID
  base58,     // Bitcoin's alphabet, 22 digits; sorts like the UUID
  base64url,  // RFC 4648 §5 without padding, 22 digits; does not sort
  hex,        // 32 digits; sorts like the UUID
  urn,        // RFC 9562 §4, "urn:uuid:" and the usual form
  decimal,    // the 128-bit number, without leading zeros
};

// Their names as a list, for a message.
inline constexpr char kTextFormNames[] =
    "\"ulid\", \"base32hex\", \"base58\", \"base64url\", \"hex\", \"urn\", and \"decimal\"";

// The length of the longest, that of urn.
inline constexpr std::size_t kMaxTextForm = 45;

// Returns the form of a name, ignoring the case of ASCII letters; none if there is no such form.
std::optional<TextForm> text_form_by_name(std::string_view name) noexcept;

// Writes a form to `to`, which has room for kMaxTextForm characters, without a terminating zero,
// and returns its length.
std::size_t encode_text(Uuid id, TextForm form, char *to) noexcept;

// Reads a form strictly: encode_text() of the result gives the same text, except for letter case,
// the aliases in Crockford's base 32, and the padding of base32hex.
DecodedText decode_text(std::string_view text, TextForm form) noexcept;

}  // namespace uuidx
