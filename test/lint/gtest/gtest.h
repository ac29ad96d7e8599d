// What the unit tests use of GoogleTest, declared for clang-tidy, which spends most of its time on
// the whole of it. Nothing is defined, as nothing is run.
#pragma once

#include <ostream>
#include <string>

namespace testing {

// A failed assertion, which takes a message.
struct Failure {
  template <typename T>
  Failure &operator<<(const T &value);
};

// The result of a check.
struct Result : Failure {
  explicit operator bool() const;
};

// What ends a test: nothing binds less than an assignment, and so the message comes first.
struct Return {
  void operator=(const Failure &failure) const;
};

template <typename T>
Result holds(const T &condition);
template <typename A, typename B>
Result compare(const A &a, const B &b);
template <typename A, typename B, typename C>
Result near(const A &a, const B &b, const C &distance);
template <typename T>
std::string PrintToString(const T &value);

}  // namespace testing

#define TEST(suite, name) void suite##_##name##_Test()

// clang-format off
#define UUIDX_REQUIRE(result) if (result) {} else return ::testing::Return{} = ::testing::Failure{}
// clang-format on

#define EXPECT_TRUE(condition) ::testing::holds(condition)
#define EXPECT_FALSE(condition) ::testing::holds(!(condition))
#define EXPECT_EQ(a, b) ::testing::compare(a, b)
#define EXPECT_NE(a, b) ::testing::compare(a, b)
#define EXPECT_LT(a, b) ::testing::compare(a, b)
#define EXPECT_LE(a, b) ::testing::compare(a, b)
#define EXPECT_GT(a, b) ::testing::compare(a, b)
#define EXPECT_GE(a, b) ::testing::compare(a, b)
#define EXPECT_STREQ(a, b) ::testing::compare(a, b)
#define EXPECT_STRNE(a, b) ::testing::compare(a, b)
#define ASSERT_TRUE(condition) UUIDX_REQUIRE(::testing::holds(condition))
#define ASSERT_EQ(a, b) UUIDX_REQUIRE(::testing::compare(a, b))
#define ASSERT_NE(a, b) UUIDX_REQUIRE(::testing::compare(a, b))
#define ASSERT_LT(a, b) UUIDX_REQUIRE(::testing::compare(a, b))
#define ASSERT_LE(a, b) UUIDX_REQUIRE(::testing::compare(a, b))
#define ASSERT_GT(a, b) UUIDX_REQUIRE(::testing::compare(a, b))
#define ASSERT_GE(a, b) UUIDX_REQUIRE(::testing::compare(a, b))
#define ASSERT_NEAR(a, b, distance) UUIDX_REQUIRE(::testing::near(a, b, distance))
