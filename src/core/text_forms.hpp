// Text forms of a UUID besides the one of RFC 9562 §4.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

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

// Their names in one line, for a message.
inline constexpr char kTextFormNames[] =
    "\"ulid\", \"base32hex\", \"base58\", \"base64url\", \"hex\", \"urn\", and \"decimal\"";

// The longest of them.
inline constexpr std::size_t kMaxTextForm = 45;

// The form of this name, in any case of ASCII letters.
std::optional<TextForm> text_form_by_name(std::string_view name) noexcept;

// Writes a form; returns its length, at most kMaxTextForm.
std::size_t encode_text(Uuid id, TextForm form, char *to) noexcept;

// Why a text is not a UUID in a form.
enum class TextFault {
  none,
  length,         // too short or too long
  character,      // one that the form does not have, or not there
  overflow,       // a number of more than 128 bits
  trailing_bits,  // bits after the 128 that are not zero
  leading_zero,   // of a decimal number
};

struct DecodedText {
  TextFault fault = TextFault::none;
  std::size_t position = 0;  // of the first octet at fault, from 0
  Uuid id;
};

// Reads a form strictly: what is read can be written, with the same digits but for their case and
// the aliases that Crockford's base 32 has.
DecodedText decode_text(std::string_view text, TextForm form) noexcept;

}  // namespace uuidx
