#include "text_forms.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "positional.hpp"
#include "support.hpp"

namespace uuidx_test {
namespace {

constexpr TextForm kForms[] = {TextForm::ulid,      TextForm::base32hex, TextForm::base58,
                               TextForm::base64url, TextForm::hex,       TextForm::urn,
                               TextForm::decimal};

std::string encode(Uuid id, TextForm form) {
  std::string text(kMaxTextForm + 2, '|');
  const std::size_t length = encode_text(id, form, &text[1]);
  EXPECT_LE(length, kMaxTextForm);
  // Nothing is written around it.
  EXPECT_EQ(text[0], '|');
  EXPECT_EQ(text.find('|', 1), length + 1);
  return text.substr(1, length);
}

// Returns nil, max, every single bit, 2^n - 1, and random values.
std::vector<Uuid> many_ids() {
  std::vector<Uuid> ids{kNil, kMax};
  for (int bit = 0; bit < 128; ++bit) {
    const std::uint64_t word = std::uint64_t{1} << (bit % 64);
    ids.push_back(bit < 64 ? Uuid{0, word} : Uuid{word, 0});
    ids.push_back(bit < 64 ? Uuid{0, word - 1} : Uuid{word - 1, ~std::uint64_t{0}});
  }
  for (int i = 0; i < 100'000; ++i) {
    ids.push_back({rng()() >> random_between(0, 63), rng()()});
  }
  return ids;
}

TEST(TextForms, WhatIsWrittenIsReadBack) {
  for (const Uuid &id : many_ids()) {
    for (const TextForm form : kForms) {
      const std::string text = encode(id, form);
      const DecodedText decoded = decode_text(text, form);
      ASSERT_EQ(decoded.fault, TextFault::none) << text;
      ASSERT_EQ(decoded.position, 0U) << text;
      ASSERT_EQ(decoded.id, id) << text;
    }
  }
}

TEST(TextForms, AllButTwoSortLikeTheUuid) {
  std::vector<Uuid> ids = many_ids();
  std::sort(ids.begin(), ids.end());
  for (const TextForm form :
       {TextForm::ulid, TextForm::base32hex, TextForm::base58, TextForm::hex}) {
    std::string last;
    for (const Uuid &id : ids) {
      const std::string text = encode(id, form);
      ASSERT_LE(last, text);
      last = text;
    }
  }
}

TEST(TextForms, KnownValues) {
  const Uuid rfc = parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
  EXPECT_EQ(encode(rfc, TextForm::urn), "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
  EXPECT_EQ(encode(rfc, TextForm::urn).size(), kMaxTextForm);
  EXPECT_EQ(encode(rfc, TextForm::hex), "f81d4fae7dec11d0a76500a0c91e6bf6");
  // The number of RFC 9562 figure 3.
  EXPECT_EQ(encode(rfc, TextForm::decimal), "329800735698586629295641978511506172918");
  EXPECT_EQ(encode(kNil, TextForm::ulid), "00000000000000000000000000");
  EXPECT_EQ(encode(kMax, TextForm::ulid), "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
  EXPECT_EQ(encode(kMax, TextForm::base32hex), "VVVVVVVVVVVVVVVVVVVVVVVVVS");
  EXPECT_EQ(encode(kNil, TextForm::base58), "1111111111111111111111");
  EXPECT_EQ(encode(kMax, TextForm::base58), "YcVfxkQb6JRzqk5kF2tNLv");
  EXPECT_EQ(encode(kMax, TextForm::base64url), "_____________________w");
  EXPECT_EQ(encode(kNil, TextForm::decimal), "0");
  EXPECT_EQ(encode(kMax, TextForm::decimal), "340282366920938463463374607431768211455");
}

TEST(TextForms, CaseAndAliasesAreRead) {
  const Uuid id{rng()(), rng()()};
  for (const TextForm form : {TextForm::ulid, TextForm::base32hex, TextForm::hex, TextForm::urn}) {
    std::string text = encode(id, form);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    EXPECT_EQ(decode_text(text, form).id, id) << text;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    EXPECT_EQ(decode_text(text, form).id, id) << text;
  }
  for (const char *zero : {"1O", "1o", "10"}) {
    EXPECT_EQ(decode_text("000000000000000000000000" + std::string{zero}, TextForm::ulid).id,
              (Uuid{0, 32}));
  }
  for (const char *one : {"I", "i", "L", "l", "1"}) {
    EXPECT_EQ(decode_text("0000000000000000000000000" + std::string{one}, TextForm::ulid).id,
              (Uuid{0, 1}));
  }
}

TEST(TextForms, PaddingOfBase32hexIsRead) {
  const Uuid id{rng()(), rng()()};
  EXPECT_EQ(decode_text(encode(id, TextForm::base32hex) + "======", TextForm::base32hex).id, id);
}

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): ordered for reading.
struct BadText {
  TextForm form;
  std::string text;
  TextFault fault;
  std::size_t position;
};

TEST(TextForms, FaultsAreNamedWithTheirPosition) {
  const std::string zeros(25, '0');
  const BadText bad[] = {
      {TextForm::ulid, zeros + "U", TextFault::character, 25},
      {TextForm::ulid, "8" + zeros, TextFault::overflow, 0},
      {TextForm::ulid, zeros, TextFault::length, 25},
      {TextForm::ulid, zeros + "00", TextFault::length, 26},
      {TextForm::ulid, "", TextFault::length, 0},
      {TextForm::base32hex, zeros + "W", TextFault::character, 25},
      {TextForm::base32hex, zeros + "1", TextFault::trailing_bits, 25},
      {TextForm::base32hex, zeros + "4=", TextFault::length, 26},
      {TextForm::base32hex, zeros + "0=====0", TextFault::length, 26},
      {TextForm::base32hex, "00======", TextFault::character, 2},
      {TextForm::base58, std::string(21, '1') + "0", TextFault::character, 21},
      {TextForm::base58, std::string(21, '1'), TextFault::length, 21},
      {TextForm::base58, std::string(23, '1'), TextFault::length, 22},
      {TextForm::base58, "YcVfxkQb6JRzqk5kF2tNLw", TextFault::overflow, 21},
      {TextForm::base58, std::string(22, 'z'), TextFault::overflow, 21},
      {TextForm::base64url, std::string(21, 'A') + "+", TextFault::character, 21},
      {TextForm::base64url, std::string(21, 'A') + "B", TextFault::trailing_bits, 21},
      {TextForm::base64url, std::string(22, 'A') + "==", TextFault::length, 22},
      {TextForm::hex, std::string(31, '0'), TextFault::length, 31},
      {TextForm::hex, std::string(31, '0') + "g", TextFault::character, 31},
      {TextForm::urn, "urn:uuid:f81d4fae-7dec-11d0-a765+00a0c91e6bf6", TextFault::character, 32},
      {TextForm::urn, "urn:guid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", TextFault::character, 4},
      {TextForm::urn, "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6-", TextFault::length, 45},
      {TextForm::urn, "urn:uuid:", TextFault::length, 9},
      {TextForm::decimal, "", TextFault::length, 0},
      {TextForm::decimal, "00", TextFault::leading_zero, 0},
      {TextForm::decimal, "-1", TextFault::character, 0},
      {TextForm::decimal, "340282366920938463463374607431768211456", TextFault::overflow, 38},
      {TextForm::decimal, std::string(60, '9'), TextFault::overflow, 38},
  };
  for (const BadText &one : bad) {
    const DecodedText decoded = decode_text(one.text, one.form);
    EXPECT_EQ(decoded.fault, one.fault) << one.text;
    EXPECT_EQ(decoded.position, one.position) << one.text;
  }
}

// Returns a text with letter case and Crockford's aliases removed, which may differ.
std::string fold(std::string text, TextForm form) {
  if (form != TextForm::base58 && form != TextForm::base64url) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return std::toupper(c); });
  }
  if (form == TextForm::ulid) {
    std::replace(text.begin(), text.end(), 'I', '1');
    std::replace(text.begin(), text.end(), 'L', '1');
    std::replace(text.begin(), text.end(), 'O', '0');
  }
  return text;
}

// Returns a text in a form with up to three characters replaced.
std::string mutated(TextForm form) {
  constexpr std::string_view kCharacters =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_+/=: \xc3\xa9";
  constexpr auto kLast = static_cast<std::int64_t>(kCharacters.size()) - 1;
  std::string text = encode({rng()(), rng()()}, form);
  const auto last = static_cast<std::int64_t>(text.size()) - 1;
  for (std::int64_t k = random_between(0, 2); k >= 0; --k) {
    text[static_cast<std::size_t>(random_between(0, last))] =
        kCharacters[static_cast<std::size_t>(random_between(0, kLast))];
  }
  return text;
}

TEST(TextForms, NothingIsReadThatIsNotWritten) {
  for (int i = 0; i < 200'000; ++i) {
    const TextForm form = kForms[random_between(0, 6)];
    const std::string text = mutated(form);
    const DecodedText decoded = decode_text(text, form);
    if (decoded.fault == TextFault::none) {
      ASSERT_EQ(fold(encode(decoded.id, form), form), fold(text, form));
    }
  }
}

constexpr Alphabet kDigits{"0123456789", false};

TEST(Positional, WritesTheGivenNumberOfDigitsAndNothingAroundThem) {
  for (int digits = 1; digits <= 40; ++digits) {
    const auto size = static_cast<std::size_t>(digits);
    std::string text(size + 2, '|');
    encode_digits<kDigits>(7, digits, &text[1]);
    EXPECT_EQ(text, "|" + std::string(size - 1, '0') + "7|");
  }
}

TEST(Positional, OtherCharactersAreNoDigit) {
  for (int c = -128; c < 128; ++c) {
    const bool digit = c >= '0' && c <= '9';
    EXPECT_EQ(kDigits.value(static_cast<char>(c)), digit ? c - '0' : -1);
  }
}

TEST(Positional, SpareBitsAreThoseBeyond128) {
  EXPECT_EQ((BitForm{&kHex, 4, 32, false}.spare()), 0);
  EXPECT_EQ((BitForm{&kDigits, 5, 26, true}.spare()), 2);
}

TEST(TextForms, NamesAreFoundInAnyCase) {
  EXPECT_EQ(text_form_by_name("ulid"), TextForm::ulid);
  EXPECT_EQ(text_form_by_name("Base64URL"), TextForm::base64url);
  EXPECT_EQ(text_form_by_name("base64"), std::nullopt);
  EXPECT_EQ(text_form_by_name(""), std::nullopt);
}

}  // namespace
}  // namespace uuidx_test
