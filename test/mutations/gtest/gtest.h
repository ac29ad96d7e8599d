// What the unit tests use of GoogleTest, in a form that compiles, links and runs faster, for the
// mutants: the first failed assertion ends the program. clang-tidy reads it, too.
#pragma once

#include <unistd.h>

#include <cmath>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

namespace testing {

// What a message of an assertion is sent to.
struct Ignored {
  template <typename T>
  Ignored &operator<<(const T &) {
    return *this;
  }
};

inline Ignored expect(bool holds) {
  if (!holds) {
    _exit(1);
  }
  return {};
}

template <typename T>
std::string PrintToString(const T &) {
  return {};
}

// A test and the mutant that it tests.
struct Test {
  int mutant;
  void (*run)();
};

inline std::vector<Test> tests;

// Adds a test before main().
struct Added {
  Added(int mutant, void (*run)()) { tests.push_back({mutant, run}); }
};

}  // namespace testing

// Runs the tests of the mutant whose number is the argument.
int main(int /*count*/, char **arguments) {
  for (const testing::Test &test : testing::tests) {
    if (test.mutant == std::stoi(arguments[1])) {
      test.run();
    }
  }
}

// kMutant is in the namespace of the mutant.
#define TEST(suite, name)                                                     \
  static void suite##_##name##_Test();                                        \
  static const testing::Added suite##_##name(kMutant, suite##_##name##_Test); \
  static void suite##_##name##_Test()

#define EXPECT_TRUE(condition) testing::expect(static_cast<bool>(condition))
#define EXPECT_FALSE(condition) testing::expect(!(condition))
#define EXPECT_EQ(a, b) testing::expect((a) == (b))
#define EXPECT_NE(a, b) testing::expect((a) != (b))
#define EXPECT_LT(a, b) testing::expect((a) < (b))
#define EXPECT_LE(a, b) testing::expect((a) <= (b))
#define EXPECT_GT(a, b) testing::expect((a) > (b))
#define EXPECT_GE(a, b) testing::expect((a) >= (b))
#define EXPECT_STREQ(a, b) testing::expect(std::strcmp(a, b) == 0)
#define EXPECT_STRNE(a, b) testing::expect(std::strcmp(a, b) != 0)
#define ASSERT_TRUE EXPECT_TRUE
#define ASSERT_EQ EXPECT_EQ
#define ASSERT_NE EXPECT_NE
#define ASSERT_LT EXPECT_LT
#define ASSERT_LE EXPECT_LE
#define ASSERT_GT EXPECT_GT
#define ASSERT_GE EXPECT_GE
#define ASSERT_NEAR(a, b, distance) testing::expect(std::abs((a) - (b)) <= (distance))
