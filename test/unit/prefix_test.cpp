#include "prefix.hpp"

#include <string>

#include "text_formats.hpp"

#include "support.hpp"

namespace uuidx_test {
namespace {

// Returns the usual text format of a UUID.
std::string usual(Uuid id) {
  char urn[kMaxTextFormat];
  const std::size_t length = text_format_by_name("urn")->encode(id, urn);
  return std::string{urn, length}.substr(9);
}

std::string without_hyphens(std::string text) {
  std::erase(text, '-');
  return text;
}

TEST(Prefix, ContainsTheUuidsThatBeginWithIt) {
  for (int i = 0; i < 2'000; ++i) {
    const Uuid id{rng()(), rng()()};
    const std::string text = usual(id);
    for (std::size_t length = 0; length <= text.size(); ++length) {
      const std::string prefix = text.substr(0, length);
      for (const std::string &form : {prefix, without_hyphens(prefix)}) {
        const DecodedPrefix decoded = decode_prefix(form);
        ASSERT_EQ(decoded.fault, TextFault::none) << form;
        ASSERT_EQ(decoded.position, 0U) << form;
        ASSERT_TRUE(decoded.range.contains(id)) << form;
        ASSERT_EQ(usual(decoded.range.lowest), prefix + usual(kNil).substr(length)) << form;
        ASSERT_EQ(usual(decoded.range.highest), prefix + usual(kMax).substr(length)) << form;
      }
    }
  }
}

TEST(Prefix, FaultIsAtTheFirstWrongCharacter) {
  for (int i = 0; i < 2'000; ++i) {
    const std::string text = usual({rng()(), rng()()});
    const auto at = static_cast<std::size_t>(random_between(0, 36));
    for (const char wrong : {'g', '-', ' ', '\0', '\xE9'}) {
      const DecodedPrefix decoded = decode_prefix(text.substr(0, at) + wrong + "0");
      const bool is_hyphen_place = at == 8 || at == 13 || at == 18 || at == 23;
      if (wrong == '-' && is_hyphen_place) {
        ASSERT_EQ(decoded.fault, TextFault::none) << text << at;
      } else {
        ASSERT_EQ(decoded.fault, TextFault::character) << text << at << wrong;
        ASSERT_EQ(decoded.position, at);
      }
    }
    ASSERT_EQ(decode_prefix(text + "0").fault, TextFault::length);
    ASSERT_EQ(decode_prefix(text + "0").position, 36U);
  }
}

}  // namespace
}  // namespace uuidx_test
