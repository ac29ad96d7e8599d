#include "text_forms.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "ascii.hpp"
#include "number128.hpp"

namespace uuidx {

namespace {

constexpr Number number_of(Uuid id) noexcept {
  return Number{id.hi} << 64 | id.lo;
}

constexpr Uuid uuid_of(Number number) noexcept {
  return {static_cast<std::uint64_t>(number >> 64), static_cast<std::uint64_t>(number)};
}

// The digits of a form, and the value of each octet as a digit, -1 if it is none.
struct Alphabet {
  std::string_view digits;
  std::array<std::int8_t, 256> values{};

  constexpr Alphabet(std::string_view of, bool any_case) noexcept : digits(of) {
    values.fill(-1);
    for (std::size_t i = 0; i < of.size(); ++i) {
      set(of[i], static_cast<std::int8_t>(i));
      if (any_case) {
        set(ascii_lower(of[i]), static_cast<std::int8_t>(i));
        set(ascii_upper(of[i]), static_cast<std::int8_t>(i));
      }
    }
  }

  constexpr void set(char c, std::int8_t value) noexcept {
    values[static_cast<unsigned char>(c)] = value;
  }

  [[nodiscard]] constexpr int value(char c) const noexcept {
    return values[static_cast<unsigned char>(c)];
  }
};

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
constexpr Alphabet kHex{"0123456789abcdef", true};
constexpr Alphabet kDecimal{"0123456789", false};

// A form whose digits are groups of bits. The spare bits, which are zero, lie before the number or
// after it.
struct BitForm {
  const Alphabet *alphabet;
  int width;
  int digits;
  bool spare_at_end;

  [[nodiscard]] constexpr int spare() const noexcept { return width * digits - 128; }
};

constexpr BitForm kUlidForm{&kCrockford, 5, 26, false};
constexpr BitForm kBase32hexForm{&kBase32hex, 5, 26, true};
constexpr BitForm kBase64urlForm{&kBase64url, 6, 22, true};
constexpr BitForm kHexForm{&kHex, 4, 32, false};

constexpr int kBase58Digits = 22;
constexpr int kMaxDecimalDigits = 39;

constexpr std::string_view kUrnPrefix = "urn:uuid:";
constexpr std::size_t kUsualLength = 36;

// True if the usual text form has a hyphen at index `i`.
constexpr bool is_hyphen_place(std::size_t i) noexcept {
  return i == 8 || i == 13 || i == 18 || i == 23;
}

// Returns the result for a text whose octets, up to `length`, have no fault: a fault if the text is
// longer or shorter.
DecodedText decoded_of_length(std::string_view text, std::size_t length, Uuid id) noexcept {
  if (text.size() != length) {
    return {TextFault::length, std::min(text.size(), length), {}};
  }
  return {TextFault::none, 0, id};
}

// Writes a number in groups of bits; returns the length.
std::size_t encode_bits(Number number, const BitForm &form, char *to) noexcept {
  // Copied, because the compiler must assume that a write through `to` changes them.
  const char *alphabet = form.alphabet->digits.data();
  const int width = form.width;
  int i = form.digits;
  if (form.spare_at_end) {
    const int taken = width - form.spare();
    to[--i] = alphabet[(number & low_bits(taken)) << form.spare()];
    number >>= taken;
  }
  while (i > 0) {
    to[--i] = alphabet[number & low_bits(width)];
    number >>= width;
  }
  return static_cast<std::size_t>(form.digits);
}

// Reads a number in groups of bits.
DecodedText decode_bits(std::string_view text, const BitForm &form) noexcept {
  Number number = 0;
  const auto digits = static_cast<std::size_t>(form.digits);
  for (std::size_t i = 0; i < text.size() && i < digits; ++i) {
    const int value = form.alphabet->value(text[i]);
    if (value < 0) {
      return {TextFault::character, i, {}};
    }
    const auto digit = static_cast<unsigned>(value);
    if (i == 0 && !form.spare_at_end && digit >> (form.width - form.spare()) != 0) {
      return {TextFault::overflow, i, {}};
    }
    if (i == digits - 1 && form.spare_at_end) {
      if ((digit & low_bits(form.spare())) != 0) {
        return {TextFault::trailing_bits, i, {}};
      }
      number = number << (form.width - form.spare()) | digit >> form.spare();
    } else {
      number = number << form.width | digit;
    }
  }
  return decoded_of_length(text, digits, uuid_of(number));
}

// Writes a number in a base that is not a power of 2, filling `digits` places from the end. Ten
// digits at a time fit in 64 bits, which divide faster than 128, and division by a constant
// compiles to a multiplication: hence the template.
template <const Alphabet &alphabet>
void encode_digits(Number number, int digits, char *to) noexcept {
  constexpr std::uint64_t kBase = alphabet.digits.size();
  constexpr std::uint64_t kFive = kBase * kBase * kBase * kBase * kBase;
  constexpr std::uint64_t kTen = kFive * kFive;
  while (digits > 0) {
    const Number rest = number / kTen;
    auto chunk = static_cast<std::uint64_t>(number - rest * kTen);
    number = rest;
    for (int i = 0; i < 10 && digits > 0; ++i) {
      to[--digits] = alphabet.digits[static_cast<std::size_t>(chunk % kBase)];
      chunk /= kBase;
    }
  }
}

// Reads a number in a base that is not a power of 2.
template <const Alphabet &alphabet>
DecodedText decode_digits(std::string_view text) noexcept {
  constexpr std::uint64_t kBase = alphabet.digits.size();
  constexpr Number kMaxNumber = ~Number{0};
  constexpr Number kMost = kMaxNumber / kBase;  // the largest to which a digit may be added
  Number number = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int value = alphabet.value(text[i]);
    if (value < 0) {
      return {TextFault::character, i, {}};
    }
    const auto digit = static_cast<std::uint64_t>(value);
    if (number > kMost || (number == kMost && digit > kMaxNumber % kBase)) {
      return {TextFault::overflow, i, {}};
    }
    number = number * kBase + digit;
  }
  return {TextFault::none, 0, uuid_of(number)};
}

// Writes a number without leading zeros; returns the length.
std::size_t encode_decimal(Number number, char *to) noexcept {
  char digits[kMaxDecimalDigits];
  encode_digits<kDecimal>(number, kMaxDecimalDigits, digits);
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

DecodedText decode_base58(std::string_view text) noexcept {
  constexpr std::size_t kDigits = kBase58Digits;
  const DecodedText decoded = decode_digits<kBase58>(text.substr(0, kDigits));
  return decoded.fault == TextFault::none ? decoded_of_length(text, kDigits, decoded.id) : decoded;
}

std::size_t encode_urn(Number number, char *to) noexcept {
  char digits[32];
  encode_bits(number, kHexForm, digits);
  std::size_t length = kUrnPrefix.copy(to, kUrnPrefix.size());
  const char *digit = digits;
  for (std::size_t i = 0; i < kUsualLength; ++i) {
    to[length++] = is_hyphen_place(i) ? '-' : *digit++;
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
    } else if (is_hyphen_place(i - kUrnPrefix.size())) {
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

// A form and its name.
struct NamedForm {
  std::string_view name;
  TextForm form;
};

constexpr NamedForm kForms[] = {
    {"ulid", TextForm::ulid},       {"base32hex", TextForm::base32hex},
    {"base58", TextForm::base58},   {"base64url", TextForm::base64url},
    {"hex", TextForm::hex},         {"urn", TextForm::urn},
    {"decimal", TextForm::decimal},
};

}  // namespace

std::optional<TextForm> text_form_by_name(std::string_view name) noexcept {
  for (const NamedForm &form : kForms) {
    if (equal_ignoring_case(name, form.name)) {
      return form.form;
    }
  }
  return std::nullopt;
}

std::size_t encode_text(Uuid id, TextForm form, char *to) noexcept {
  const Number number = number_of(id);
  switch (form) {
    case TextForm::ulid:
      return encode_bits(number, kUlidForm, to);
    case TextForm::base32hex:
      return encode_bits(number, kBase32hexForm, to);
    case TextForm::base58:
      encode_digits<kBase58>(number, kBase58Digits, to);
      return kBase58Digits;
    case TextForm::base64url:
      return encode_bits(number, kBase64urlForm, to);
    case TextForm::hex:
      return encode_bits(number, kHexForm, to);
    case TextForm::urn:
      return encode_urn(number, to);
    case TextForm::decimal:
      return encode_decimal(number, to);
  }
  return 0;
}

DecodedText decode_text(std::string_view text, TextForm form) noexcept {
  switch (form) {
    case TextForm::ulid:
      return decode_bits(text, kUlidForm);
    case TextForm::base32hex:
      return decode_bits(text, kBase32hexForm);
    case TextForm::base58:
      return decode_base58(text);
    case TextForm::base64url:
      return decode_bits(text, kBase64urlForm);
    case TextForm::hex:
      return decode_bits(text, kHexForm);
    case TextForm::urn:
      return decode_urn(text);
    case TextForm::decimal:
      return decode_decimal(text);
  }
  return {TextFault::length, 0, {}};
}

}  // namespace uuidx
