#include "text_formats.hpp"

#include <string>

#include "support.hpp"

namespace uuidx_test {
namespace {

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
    expect_fault("8" + digits.substr(1), TextFault::overflow, 0);
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

}  // namespace
}  // namespace uuidx_test
