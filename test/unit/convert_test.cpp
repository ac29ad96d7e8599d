#include "convert.hpp"

#include "fields.hpp"
#include "gregorian.hpp"
#include "support.hpp"
#include "v7.hpp"

namespace uuidx_test {
namespace {

// Returns a UUID of a version with random bits.
Uuid random_of(unsigned version) {
  return stamp({rng()(), rng()()}, version);
}

TEST(Convert, Versions1And6AreConvertedBothWays) {
  for (int i = 0; i < 100'000; ++i) {
    const Uuid id = random_of(kV1);
    const Uuid other = *v1_to_v6(id);
    ASSERT_EQ(v6_to_v1(other), id);
    ASSERT_EQ(time_of(other), time_of(id));
    ASSERT_EQ(node_of(other), node_of(id));
    ASSERT_EQ(clock_seq_of(other), clock_seq_of(id));
  }
}

TEST(Convert, OtherVersionsAreNotConverted) {
  for (unsigned version = 0; version < 16; ++version) {
    EXPECT_EQ(v1_to_v6(random_of(version)).has_value(), version == kV1);
    EXPECT_EQ(v6_to_v1(random_of(version)).has_value(), version == kV6);
  }
}

TEST(Convert, Version7KeepsTheTimeAndTheOrder) {
  Uuid last = kNil;
  auto ticks = static_cast<GregorianTicks>(kGregorianTicksAtUnixEpoch);
  for (int i = 0; i < 100'000; ++i) {
    ticks += static_cast<GregorianTicks>(random_between(3, 1'000'000'000'000));
    const Uuid v6 = v6_from_fields(ticks, rng()());
    const Uuid v7 = v6_to_v7(v6, rng()()).value();
    ASSERT_EQ(version_of(v7), kV7);
    const UnixMicros time = *time_of(v6);
    ASSERT_EQ(*time_of(v7), time - time % kMicrosPerMilli);
    ASSERT_EQ(*precise_time_of(v7), time);
    ASSERT_GE(v7.hi, last.hi);
    last = v7;
  }
}

TEST(Convert, EveryTickKeepsItsMicrosecondAndItsOrder) {
  constexpr auto kEpoch = static_cast<GregorianTicks>(kGregorianTicksAtUnixEpoch);
  for (const GregorianTicks millisecond :
       {kEpoch, kEpoch + kVectorMicros * kGregorianTicksPerMicro}) {
    std::uint64_t last = 0;
    std::uint64_t four_before[4] = {};  // the last four, at index part % 4
    for (GregorianTicks part = 0; part < 10'000; ++part) {
      const Uuid v6 = v6_from_fields(millisecond + part, 0);
      const Uuid v7 = v6_to_v7(v6, 0).value();
      ASSERT_EQ(*time_of(v7), micros_from_gregorian_ticks(millisecond));
      ASSERT_EQ(*precise_time_of(v7), *time_of(v6));
      // Rounded down by method 3, unless the next microsecond begins in that step.
      const std::uint64_t rand_a = v7.hi & low_bits(12);
      ASSERT_LE(rand_a, part * 4096 / 10'000);
      ASSERT_GE(rand_a + 1, part * 4096 / 10'000);
      ASSERT_GE(rand_a, last);
      ASSERT_TRUE(part < 4 || rand_a > four_before[part % 4]);
      last = rand_a;
      four_before[part % 4] = rand_a;
    }
  }
}

TEST(Convert, Version7HasNoTimeBefore1970) {
  const auto epoch = static_cast<GregorianTicks>(kGregorianTicksAtUnixEpoch);
  EXPECT_FALSE(v6_to_v7(v6_from_fields(epoch - 1, 0), 0));
  EXPECT_EQ(v6_to_v7(v6_from_fields(epoch, 0), 0), parse("00000000-0000-7000-8000-000000000000"));
  EXPECT_TRUE(v6_to_v7(v6_from_fields(kMaxGregorianTicks, 0), 0));
}

TEST(V47, ExampleOfItsAuthor) {
  const Uuid id = parse("018f2d9f-9a2a-7def-8c3f-7b1a2c4d5e6f");
  EXPECT_EQ(v47_mask(id, {0x0123456789abcdef, 0xfedcba9876543210}),
            parse("2463c780-7fca-4def-8c3f-7b1a2c4d5e6f"));
}

TEST(V47, MaskKeepsTheRandomBitsAndIsReversible) {
  for (int i = 0; i < 100'000; ++i) {
    const SipKey key{rng()(), rng()()};
    const Uuid id = random_of(kV7);
    const Uuid masked = v47_mask(id, key);
    ASSERT_EQ(version_of(masked), 4U);
    ASSERT_EQ(masked.lo, id.lo);
    ASSERT_EQ(masked.hi & 0xFFF, id.hi & 0xFFF);
    ASSERT_EQ(v47_unmask(masked, key), id);
    ASSERT_NE(v47_unmask(masked, {key.k0 ^ 1, key.k1}), id);
  }
}

}  // namespace
}  // namespace uuidx_test
