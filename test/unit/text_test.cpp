#include "text.hpp"

#include <string>

#include "support.hpp"

namespace uuidx_test {
namespace {

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
