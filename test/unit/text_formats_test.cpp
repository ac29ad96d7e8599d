#include "text_formats.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "positional.hpp"
#include "support.hpp"
#include "text.hpp"

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
      {"ulid", "8" + zeros, TextFault::overflow, 25},
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

std::string encode(Uuid id, std::string_view prefix) {
  char text[kMaxTypeid];
  const std::size_t length = encode_typeid(id, prefix, text);
  EXPECT_LE(length, kMaxTypeid);
  return {text, length};
}

// Returns a prefix of up to 63 characters.
std::string any_prefix() {
  const auto size = static_cast<std::size_t>(random_between(0, 63));
  std::string prefix(size, 'a');
  for (std::size_t i = 0; i < size; ++i) {
    const bool inside = i > 0 && i + 1 < size;
    prefix[i] = "_abcdefghijklmnopqrstuvwxyz"[random_between(inside ? 0 : 1, 26)];
  }
  return prefix;
}

TEST(Typeid, WhatIsWrittenIsReadBack) {
  for (int i = 0; i < 20'000; ++i) {
    const Uuid id{rng()() >> random_between(0, 63), rng()()};
    const std::string prefix = any_prefix();
    const std::string text = encode(id, prefix);
    const DecodedTypeid decoded = decode_typeid(text);
    ASSERT_EQ(decoded.text.fault, TextFault::none) << text;
    ASSERT_EQ(decoded.text.id, id) << text;
    ASSERT_EQ(decoded.prefix, prefix) << text;
  }
}

TEST(Typeid, LongestPrefixGivesTheLongestTypeid) {
  EXPECT_EQ(encode(kMax, std::string(kMaxTypeidPrefix, 'z')).size(), kMaxTypeid);
}

TEST(Typeid, FaultOfAPrefixIsAtTheFirstWrongCharacter) {
  for (int i = 0; i < 20'000; ++i) {
    std::string prefix = any_prefix();
    ASSERT_EQ(typeid_prefix_fault(prefix), std::nullopt);
    if (prefix.empty()) {
      continue;
    }
    const auto last = static_cast<std::int64_t>(prefix.size()) - 1;
    const auto at = static_cast<std::size_t>(random_between(0, last));
    prefix[at] = "`{AZ09- "[random_between(0, 7)];
    ASSERT_EQ(typeid_prefix_fault(prefix), at) << prefix;
    const DecodedTypeid decoded = decode_typeid(prefix + "_01h455vb4pex5vsknk084sn02q");
    ASSERT_EQ(decoded.text.fault, TextFault::character) << prefix;
    ASSERT_EQ(decoded.text.position, at) << prefix;
  }
  EXPECT_EQ(typeid_prefix_fault("_a"), 0U);
  EXPECT_EQ(typeid_prefix_fault("a_"), 1U);
  EXPECT_EQ(typeid_prefix_fault("_"), 0U);
  EXPECT_FALSE(typeid_prefix_fault("a_z"));
  EXPECT_FALSE(typeid_prefix_fault(std::string(63, 'a')));
  EXPECT_EQ(typeid_prefix_fault(std::string(64, 'a')), 63U);
}

TEST(Typeid, FaultOfTheDigitsIsAtTheFirstWrongCharacter) {
  const std::string digits = "01h455vb4pex5vsknk084sn02q";
  for (const std::string prefix : {"", "a_", "user_", "a_b_"}) {
    const auto expect_fault = [&](const std::string &text, TextFault fault, std::size_t position) {
      const DecodedTypeid decoded = decode_typeid(prefix + text);
      EXPECT_EQ(decoded.text.fault, fault) << prefix + text;
      EXPECT_EQ(decoded.text.position, prefix.size() + position) << prefix + text;
    };
    for (std::size_t at = 0; at < digits.size(); ++at) {
      for (const char wrong : {'!', 'u', 'i', 'l', 'o', 'A'}) {
        std::string text = digits;
        text[at] = wrong;
        expect_fault(text, TextFault::character, at);
      }
      expect_fault(digits.substr(0, at), TextFault::length, at);
    }
    expect_fault(digits + "0", TextFault::length, digits.size());
    expect_fault("8" + digits.substr(1), TextFault::overflow, 25);
    expect_fault("x", TextFault::length, 1);
    expect_fault("8" + digits.substr(2), TextFault::length, digits.size() - 1);
  }
  EXPECT_EQ(decode_typeid("_" + digits).text.fault, TextFault::character);
  EXPECT_EQ(decode_typeid("_" + digits).text.position, 0U);
}

// Whatever is changed, what is read is written the same.
TEST(Typeid, NoTwoTextsAreOneTypeid) {
  int read = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string text = encode({rng()(), rng()()}, any_prefix());
    const auto at =
        static_cast<std::size_t>(random_between(0, static_cast<std::int64_t>(text.size()) - 1));
    switch (random_between(0, 2)) {
      case 0:
        text[at] = static_cast<char>(random_between(-128, 127));
        break;
      case 1:
        text.erase(at, 1);
        break;
      default:
        text.insert(at, 1, static_cast<char>(random_between(' ', '~')));
    }
    const DecodedTypeid decoded = decode_typeid(text);
    if (decoded.text.fault == TextFault::none) {
      ++read;
      ASSERT_EQ(encode(decoded.text.id, decoded.prefix), text);
    } else {
      ASSERT_LE(decoded.text.position, text.size());
    }
  }
  EXPECT_GT(read, 1'000);
}

TEST(Text, OnlyAsciiLettersHaveACase) {
  const std::string lower = "abcdefghijklmnopqrstuvwxyz";
  const std::string upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (int octet = -128; octet < 128; ++octet) {
    const char c = static_cast<char>(octet);
    const auto in_lower = lower.find(c);
    const auto in_upper = upper.find(c);
    EXPECT_EQ(ascii_lower(c), in_upper == std::string::npos ? c : lower[in_upper]);
    EXPECT_EQ(ascii_upper(c), in_lower == std::string::npos ? c : upper[in_lower]);
  }
}

TEST(Text, StringsThatDifferInCaseAreEqual) {
  EXPECT_TRUE(equal_ignoring_case("", ""));
  EXPECT_TRUE(equal_ignoring_case("x500", "X500"));
  EXPECT_FALSE(equal_ignoring_case("x500", "x50"));
  EXPECT_FALSE(equal_ignoring_case("x50", "x500"));
  EXPECT_FALSE(equal_ignoring_case("[", "{"));
}

}  // namespace
}  // namespace uuidx_test
