#include "text_forms.hpp"

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

// Returns a text in base 32 without the padding that RFC 4648 §3.2 asks for, if it has all of it.
constexpr std::string_view without_padding(std::string_view text) noexcept {
  constexpr std::string_view kPadding = "======";
  const bool padded = text.size() == kBase32hexForm.digits + kPadding.size();
  return padded && text.ends_with(kPadding) ? text.substr(0, text.size() - kPadding.size()) : text;
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
      return decode_bits(without_padding(text), kBase32hexForm);
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
