#include "typeid.hpp"

#include <algorithm>
#include <string>

#include "ascii.hpp"
#include "text_forms.hpp"

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

TEST(Typeid, DigitsAreThoseOfUlid) {
  for (int i = 0; i < 20'000; ++i) {
    const Uuid id{rng()(), rng()()};
    char ulid[kMaxTextForm];
    const std::size_t length = encode_text(id, TextForm::ulid, ulid);
    std::string expected{ulid, length};
    std::transform(expected.begin(), expected.end(), expected.begin(), ascii_lower);
    ASSERT_EQ(encode(id, ""), expected);
  }
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
