#include "text_formats.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "positional.hpp"
#include "support.hpp"

namespace uuidx_test {
namespace {

const TextFormat &named(std::string_view name) {
  return *text_format_by_name(name);
}

std::string encode(Uuid id, const TextFormat &format) {
  std::string text(kMaxTextFormat + 2, '|');
  const std::size_t length = format.encode(id, &text[1]);
  EXPECT_LE(length, kMaxTextFormat);
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

TEST(TextFormats, WhatIsWrittenIsReadBack) {
  for (const Uuid &id : many_ids()) {
    for (const TextFormat &format : text_formats()) {
      const std::string text = encode(id, format);
      const DecodedText decoded = format.decode(text);
      ASSERT_EQ(decoded.fault, TextFault::none) << text;
      ASSERT_EQ(decoded.position, 0U) << text;
      ASSERT_EQ(decoded.id, id) << text;
    }
  }
}

TEST(TextFormats, AllButTwoFormatsSortLikeTheUuid) {
  std::vector<Uuid> ids = many_ids();
  std::sort(ids.begin(), ids.end());
  for (const char *name : {"ulid", "base32hex", "base58", "hex"}) {
    std::string last;
    for (const Uuid &id : ids) {
      const std::string text = encode(id, named(name));
      ASSERT_LE(last, text);
      last = text;
    }
  }
}

// Other libraries write no padding, or a 1 for each zero octet.
TEST(TextFormats, Base58IsReadWithoutItsLeadingOnes) {
  for (int zeros = 0; zeros < 128; ++zeros) {
    const Number number = number_of({rng()() | std::uint64_t{1} << 63, rng()()}) >> zeros;
    std::string text = encode(uuid_of(number), named("base58"));
    for (; text.starts_with('1'); text.erase(0, 1)) {
      ASSERT_EQ(named("base58").decode(text).id, uuid_of(number)) << text;
    }
    ASSERT_EQ(named("base58").decode(text).id, uuid_of(number)) << text;
  }
  for (const char *text : {"1", "1111111111111111"}) {
    EXPECT_EQ(named("base58").decode(text).fault, TextFault::none);
    EXPECT_EQ(named("base58").decode(text).id, kNil);
  }
}

struct BadText {
  std::string_view format;
  std::string text;
  TextFault fault;
  std::size_t position;
};

TEST(TextFormats, FaultsAreNamedWithTheirPosition) {
  const std::string zeros(25, '0');
  const BadText bad[] = {
      {"ulid", zeros + "U", TextFault::character, 25},
      {"ulid", "8" + zeros, TextFault::overflow, 0},
      {"ulid", zeros, TextFault::length, 25},
      {"ulid", zeros + "00", TextFault::length, 26},
      {"ulid", "", TextFault::length, 0},
      {"base32hex", zeros + "W", TextFault::character, 25},
      {"base32hex", zeros + "1", TextFault::trailing_bits, 25},
      {"base32hex", zeros + "4=", TextFault::length, 26},
      {"base32hex", zeros + "0=====0", TextFault::length, 26},
      {"base32hex", "00======", TextFault::character, 2},
      {"base58", std::string(21, '1') + "0", TextFault::character, 21},
      {"base58", "", TextFault::length, 0},
      {"base58", "l", TextFault::character, 0},
      {"base58", std::string(23, '1'), TextFault::length, 22},
      {"base58", "YcVfxkQb6JRzqk5kF2tNLw", TextFault::overflow, 21},
      {"base58", std::string(22, 'z'), TextFault::overflow, 21},
      {"base64url", std::string(21, 'A') + "+", TextFault::character, 21},
      {"base64url", std::string(21, 'A') + "B", TextFault::trailing_bits, 21},
      {"base64url", std::string(22, 'A') + "==", TextFault::length, 22},
      {"hex", std::string(31, '0'), TextFault::length, 31},
      {"hex", std::string(31, '0') + "g", TextFault::character, 31},
      {"urn", "urn:uuid:f81d4fae-7dec-11d0-a765+00a0c91e6bf6", TextFault::character, 32},
      {"urn", "vrn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", TextFault::character, 0},
      {"urn", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bfg", TextFault::character, 44},
      {"urn", "urn:guid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", TextFault::character, 4},
      {"urn", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6-", TextFault::length, 45},
      {"urn", "urn:uuid:", TextFault::length, 9},
      {"decimal", "", TextFault::length, 0},
      {"decimal", "00", TextFault::leading_zero, 0},
      {"decimal", "-1", TextFault::character, 0},
      {"decimal", "340282366920938463463374607431768211456", TextFault::overflow, 38},
      {"decimal", std::string(60, '9'), TextFault::overflow, 38},
  };
  for (const BadText &one : bad) {
    const DecodedText decoded = named(one.format).decode(one.text);
    EXPECT_EQ(decoded.fault, one.fault) << one.text;
    EXPECT_EQ(decoded.position, one.position) << one.text;
  }
  for (const TextFormat &format : text_formats()) {
    EXPECT_TRUE(std::any_of(std::begin(bad), std::end(bad), [&](const BadText &one) {
      return one.format == format.name;
    })) << format.name;
  }
}

}  // namespace
}  // namespace uuidx_test
