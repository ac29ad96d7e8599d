#include "text_formats.hpp"

#include <algorithm>
#include <cstddef>

#include "ascii.hpp"
#include "positional.hpp"

namespace uuidx {

namespace {

// Returns the alphabet of ULID. Its specification reads I and L as 1 and O as 0, and has no U.
constexpr Alphabet crockford() noexcept {
  Alphabet alphabet{"0123456789ABCDEFGHJKMNPQRSTVWXYZ", true};
  for (const char c : {'I', 'i', 'L', 'l'}) {
    alphabet.set(c, 1);
  }
  alphabet.set('O', 0);
  alphabet.set('o', 0);
  return alphabet;
}

constexpr Alphabet kCrockford = crockford();
constexpr Alphabet kBase32hex{"0123456789ABCDEFGHIJKLMNOPQRSTUV", true};
constexpr Alphabet kBase58{"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", false};
constexpr Alphabet kBase64url{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
                              false};
constexpr Alphabet kDecimal{"0123456789", false};

constexpr BitFormat kUlidFormat{&kCrockford, 5, 26, false};
constexpr BitFormat kBase32hexFormat{&kBase32hex, 5, 26, true};
constexpr BitFormat kBase64urlFormat{&kBase64url, 6, 22, true};
constexpr BitFormat kHexFormat{&kHex, 4, 32, false};

constexpr int kBase58Digits = 22;
constexpr int kMaxDecimalDigits = 39;

constexpr std::string_view kUrnPrefix = "urn:uuid:";
constexpr std::size_t kUsualLength = 36;

// True if the usual text format has a hyphen at index `i`.
constexpr bool is_hyphen_index(std::size_t i) noexcept {
  return i == 8 || i == 13 || i == 18 || i == 23;
}

// Reads base32hex without the padding that RFC 4648 §3.2 asks for, or with all of it.
DecodedText decode_base32hex(std::string_view text) noexcept {
  constexpr std::string_view kPadding = "======";
  const bool padded = text.size() == kBase32hexFormat.digits + kPadding.size();
  if (padded && text.ends_with(kPadding)) {
    text.remove_suffix(kPadding.size());
  }
  return decode_bits(text, kBase32hexFormat);
}

// Writes the number without leading zeros.
std::size_t encode_decimal(Uuid id, char *to) noexcept {
  char digits[kMaxDecimalDigits];
  encode_digits<kDecimal>(number_of(id), kMaxDecimalDigits, digits);
  int first = 0;
  while (first < kMaxDecimalDigits - 1 && digits[first] == '0') {
    ++first;
  }
  for (int i = first; i < kMaxDecimalDigits; ++i) {
    *to++ = digits[i];
  }
  return static_cast<std::size_t>(kMaxDecimalDigits - first);
}

DecodedText decode_decimal(std::string_view text) noexcept {
  if (text.empty()) {
    return {TextFault::length, 0, {}};
  }
  if (text.size() > 1 && text[0] == '0') {
    return {TextFault::leading_zero, 0, {}};
  }
  return decode_digits<kDecimal>(text);
}

std::size_t encode_base58(Uuid id, char *to) noexcept {
  encode_digits<kBase58>(number_of(id), kBase58Digits, to);
  return kBase58Digits;
}

// Reads a number of up to 22 digits: bs58 and others do not pad it, and bs58 writes a leading 1 for
// each zero octet, which adds nothing to the number.
DecodedText decode_base58(std::string_view text) noexcept {
  const std::size_t digits = std::clamp<std::size_t>(text.size(), 1, kBase58Digits);
  const DecodedText decoded = decode_digits<kBase58>(text.substr(0, digits));
  return decoded.fault == TextFault::none ? decoded_of_length(text, digits, decoded.id) : decoded;
}

std::size_t encode_urn(Uuid id, char *to) noexcept {
  char digits[32];
  encode_bits(number_of(id), kHexFormat, digits);
  std::size_t length = kUrnPrefix.copy(to, kUrnPrefix.size());
  const char *digit = digits;
  for (std::size_t i = 0; i < kUsualLength; ++i) {
    to[length++] = is_hyphen_index(i) ? '-' : *digit++;
  }
  return length;
}

DecodedText decode_urn(std::string_view text) noexcept {
  constexpr std::size_t kLength = kUrnPrefix.size() + kUsualLength;
  Number number = 0;
  for (std::size_t i = 0; i < text.size() && i < kLength; ++i) {
    if (i < kUrnPrefix.size()) {
      if (ascii_lower(text[i]) != kUrnPrefix[i]) {
        return {TextFault::character, i, {}};
      }
    } else if (is_hyphen_index(i - kUrnPrefix.size())) {
      if (text[i] != '-') {
        return {TextFault::character, i, {}};
      }
    } else {
      const int value = kHex.value(text[i]);
      if (value < 0) {
        return {TextFault::character, i, {}};
      }
      number = number << 4 | static_cast<unsigned>(value);
    }
  }
  return decoded_of_length(text, kLength, uuid_of(number));
}

// Writes and reads a format whose digits are groups of bits.
template <const BitFormat &format>
std::size_t encode_groups(Uuid id, char *to) noexcept {
  return encode_bits(number_of(id), format, to);
}

template <const BitFormat &format>
DecodedText decode_groups(std::string_view text) noexcept {
  return decode_bits(text, format);
}

// Hints, tests and the fuzzer take the names from here.
constexpr TextFormat kFormats[] = {
    // Crockford's base 32, 26 digits; sorts like the UUID.
    {"ulid", encode_groups<kUlidFormat>, decode_groups<kUlidFormat>},
    // RFC 4648 §7 without padding, 26 digits; sorts like the UUID.
    {"base32hex", encode_groups<kBase32hexFormat>, decode_base32hex},
    // Bitcoin's alphabet, 22 digits, read without the leading ones, too; sorts like the UUID.
    {"base58", encode_base58, decode_base58},
    // RFC 4648 §5 without padding, 22 digits; does not sort.
    {"base64url", encode_groups<kBase64urlFormat>, decode_groups<kBase64urlFormat>},
    // 32 digits; sorts like the UUID.
    {"hex", encode_groups<kHexFormat>, decode_groups<kHexFormat>},
    // RFC 9562 §4, "urn:uuid:" and the usual format.
    {"urn", encode_urn, decode_urn},
    // The 128-bit number, without leading zeros.
    {"decimal", encode_decimal, decode_decimal},
};

}  // namespace

std::span<const TextFormat> text_formats() noexcept {
  return kFormats;
}

const TextFormat *text_format_by_name(std::string_view name) noexcept {
  for (const TextFormat &format : kFormats) {
    if (equal_ignoring_case(name, format.name)) {
      return &format;
    }
  }
  return nullptr;
}

}  // namespace uuidx
