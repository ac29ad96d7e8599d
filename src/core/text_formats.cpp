#include "text_formats.hpp"

#include <algorithm>
#include <bit>
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
constexpr int kTypeidDigits = 26;
constexpr int kMaxDecimalDigits = 39;

// Each x stands for a digit.
constexpr std::string_view kUrn = "urn:uuid:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

constexpr char kSeparator = '_';  // of a TypeID

// Writes the number in so many digits.
template <const Alphabet &alphabet, int digits>
std::size_t encode_number(Uuid id, char *to) noexcept {
  encode_digits<alphabet>(number_of(id), digits, to);
  return digits;
}

// Reads a number of so many digits, or of fewer if there are at least `least`.
template <const Alphabet &alphabet, int digits, int least = digits>
DecodedText decode_number(std::string_view text) noexcept {
  const std::size_t length = std::clamp<std::size_t>(text.size(), least, digits);
  const DecodedText decoded = decode_digits<alphabet>(text.substr(0, length));
  return decoded.fault == TextFault::none ? decoded_of_length(text, length, decoded.id) : decoded;
}

// A format of RFC 4648: digits are groups of bits from the first bit on, so the spare bits, which
// are zero, are in the last digit.
template <const Alphabet &alphabet>
struct BitFormat {
  static constexpr int kWidth = std::bit_width(alphabet.digits.size()) - 1;
  static constexpr int kDigits = (128 + kWidth - 1) / kWidth;
  static constexpr int kSpare = kWidth * kDigits - 128;

  // Writes the format; returns its length.
  static std::size_t encode(Uuid id, char *to) noexcept {
    encode_digits<alphabet>(number_of(id) >> (kWidth - kSpare), kDigits - 1, to);
    to[kDigits - 1] = alphabet.digits[id.lo << kSpare & low_bits(kWidth)];
    return kDigits;
  }

  // Reads the format; nonzero spare bits are a fault.
  static DecodedText decode(std::string_view text) noexcept {
    constexpr std::size_t kLast = kDigits - 1;
    const DecodedText head = decode_digits<alphabet>(text.substr(0, kLast));
    if (head.fault != TextFault::none) {
      return head;
    }
    const int value = text.size() > kLast ? alphabet.value(text[kLast]) : 0;
    if (value < 0) {
      return {TextFault::character, kLast, {}};
    }
    const auto last = static_cast<unsigned>(value);
    if ((last & low_bits(kSpare)) != 0) {
      return {TextFault::trailing_bits, kLast, {}};
    }
    const Number number = number_of(head.id) << (kWidth - kSpare) | last >> kSpare;
    return decoded_of_length(text, kDigits, uuid_of(number));
  }
};

// Reads base32hex without the padding that RFC 4648 §3.2 asks for, or with all of it.
DecodedText decode_base32hex(std::string_view text) noexcept {
  using Format = BitFormat<kBase32hex>;
  constexpr std::string_view kPadding = "======";
  if (text.size() == Format::kDigits + kPadding.size() && text.ends_with(kPadding)) {
    text.remove_suffix(kPadding.size());
  }
  return Format::decode(text);
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
  if (text.size() > 1 && text[0] == '0') {
    return {TextFault::leading_zero, 0, {}};
  }
  return decode_number<kDecimal, kMaxDecimalDigits, 1>(text);
}

std::size_t encode_urn(Uuid id, char *to) noexcept {
  char digits[kUsualDigits];
  encode_digits<kHex>(number_of(id), kUsualDigits, digits);
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

// Hints, tests and the fuzzer take the names from here.
constexpr TextFormat kFormats[] = {
    // Crockford's base 32, 26 digits; sorts like the UUID.
    {"ulid", encode_number<kCrockford, 26>, decode_number<kCrockford, 26>},
    // RFC 4648 §7 without padding, 26 digits; sorts like the UUID.
    {"base32hex", BitFormat<kBase32hex>::encode, decode_base32hex},
    // Bitcoin's alphabet, 22 digits; sorts like the UUID. Read without the leading ones, too: bs58
    // and others do not pad the number, and bs58 writes a 1 for each zero octet.
    {"base58", encode_number<kBase58, 22>, decode_number<kBase58, 22, 1>},
    // RFC 4648 §5 without padding, 22 digits; does not sort.
    {"base64url", BitFormat<kBase64url>::encode, BitFormat<kBase64url>::decode},
    // 32 digits; sorts like the UUID.
    {"hex", encode_number<kHex, kUsualDigits>, decode_number<kHex, kUsualDigits>},
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
  return length + encode_number<kLowerCrockford, kTypeidDigits>(id, to + length);
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
  DecodedText decoded = decode_number<kLowerCrockford, kTypeidDigits>(digits);
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
