// What the unit tests use of GoogleTest, for clang-tidy only: the whole of it takes five times as
// long.
#pragma once

#include <cmath>
#include <ostream>
#include <string>

namespace testing {

// What a message of an assertion is sent to.
struct Assertion {
  explicit Assertion(bool /*holds*/) {}

  template <typename T>
  Assertion &operator<<(const T & /*message*/) {
    return *this;
  }
};

template <typename T>
std::string PrintToString(const T &);

}  // namespace testing

#define TEST(suite, name) void suite##_##name##_Test()

#define EXPECT_TRUE(condition) testing::Assertion(static_cast<bool>(condition))
#define EXPECT_FALSE(condition) testing::Assertion(!(condition))
#define EXPECT_EQ(a, b) testing::Assertion((a) == (b))
#define EXPECT_NE(a, b) testing::Assertion((a) != (b))
#define EXPECT_LT(a, b) testing::Assertion((a) < (b))
#define EXPECT_LE(a, b) testing::Assertion((a) <= (b))
#define EXPECT_GT(a, b) testing::Assertion((a) > (b))
#define EXPECT_GE(a, b) testing::Assertion((a) >= (b))
#define ASSERT_TRUE EXPECT_TRUE
#define ASSERT_EQ EXPECT_EQ
#define ASSERT_NE EXPECT_NE
#define ASSERT_LT EXPECT_LT
#define ASSERT_LE EXPECT_LE
#define ASSERT_GT EXPECT_GT
#define ASSERT_GE EXPECT_GE
#define EXPECT_NEAR(a, b, distance) testing::Assertion(std::abs((a) - (b)) <= (distance))
#define ASSERT_NEAR EXPECT_NEAR
