#include "text_formats.hpp"

#include <algorithm>
#include <cstddef>

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
constexpr Alphabet kLowerCrockford{"0123456789abcdefghjkmnpqrstvwxyz", false};  // of TypeID
constexpr Alphabet kBase32hex{"0123456789ABCDEFGHIJKLMNOPQRSTUV", true};
constexpr Alphabet kBase58{"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", false};
constexpr Alphabet kBase64url{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
                              false};
constexpr Alphabet kDecimal{"0123456789", false};

constexpr int kUsualDigits = 32;

constexpr BitFormat kUlidFormat{&kCrockford, 5, 26, false};
constexpr BitFormat kBase32hexFormat{&kBase32hex, 5, 26, true};
constexpr BitFormat kBase64urlFormat{&kBase64url, 6, 22, true};
constexpr BitFormat kHexFormat{&kHex, 4, kUsualDigits, false};
constexpr BitFormat kTypeidFormat{&kLowerCrockford, 5, 26, false};

constexpr int kBase58Digits = 22;
constexpr int kMaxDecimalDigits = 39;

// Each x stands for a digit.
constexpr std::string_view kUrn = "urn:uuid:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

constexpr char kSeparator = '_';  // of a TypeID

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
  char digits[kUsualDigits];
  encode_bits(number_of(id), kHexFormat, digits);
  const char *digit = digits;
  for (const char c : kUrn) {
    *to++ = c == 'x' ? *digit++ : c;
  }
  return kUrn.size();
}

DecodedText decode_urn(std::string_view text) noexcept {
  Number number = 0;
  for (std::size_t i = 0; i < text.size() && i < kUrn.size(); ++i) {
    const bool is_digit = kUrn[i] == 'x';
    const int value = kHex.value(text[i]);
    if (is_digit ? value < 0 : ascii_lower(text[i]) != kUrn[i]) {
      return {TextFault::character, i, {}};
    }
    if (is_digit) {
      number = number << 4 | static_cast<unsigned>(value);
    }
  }
  return decoded_of_length(text, kUrn.size(), uuid_of(number));
}

// True if the usual text format has a hyphen after so many digits.
constexpr bool is_hyphen_after(int digits) noexcept {
  return digits == 8 || digits == 12 || digits == 16 || digits == 20;
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

std::optional<std::size_t> typeid_prefix_fault(std::string_view prefix) noexcept {
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    const bool letter = prefix[i] >= 'a' && prefix[i] <= 'z';
    const bool inside = i > 0 && i + 1 < prefix.size();
    if (i == kMaxTypeidPrefix || !(letter || (prefix[i] == kSeparator && inside))) {
      return i;
    }
  }
  return std::nullopt;
}

std::size_t encode_typeid(Uuid id, std::string_view prefix, char *to) noexcept {
  std::size_t length = prefix.copy(to, prefix.size());
  if (length > 0) {
    to[length++] = kSeparator;
  }
  return length + encode_bits(number_of(id), kTypeidFormat, to + length);
}

DecodedTypeid decode_typeid(std::string_view text) noexcept {
  // A prefix may have underscores, the digits have none.
  const std::size_t separator = text.rfind(kSeparator);
  const std::size_t begin = separator == std::string_view::npos ? 0 : separator + 1;
  const std::string_view prefix = text.substr(0, begin > 0 ? separator : 0);
  // Not substr(), which would need the C++ runtime for its exception.
  std::string_view digits = text;
  digits.remove_prefix(begin);
  // Without a prefix, there is no underscore.
  if (begin > 0 && prefix.empty()) {
    return {prefix, {TextFault::character, 0, {}}};
  }
  if (const auto fault = typeid_prefix_fault(prefix)) {
    return {prefix, {TextFault::character, *fault, {}}};
  }
  DecodedText decoded = decode_bits(digits, kTypeidFormat);
  decoded.position += begin;
  return {prefix, decoded};
}

DecodedText decode_prefix(std::string_view text, bool highest) noexcept {
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
      if (digits == kUsualDigits) {
        return {TextFault::length, i, {}};
      }
      number = number << 4 | static_cast<unsigned>(value);
      ++digits;
    }
  }
  for (; digits < kUsualDigits; ++digits) {
    number = number << 4 | (highest ? 0xF : 0x0);
  }
  return {TextFault::none, 0, uuid_of(number)};
}

}  // namespace uuidx
