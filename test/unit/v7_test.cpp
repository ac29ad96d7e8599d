#include "v7.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "fields.hpp"
#include "support.hpp"

namespace uuidx_test {
namespace {

// Returns the tick of a clock reading, which must be in range.
UnixTicks ticks_at(ClockReading now) {
  UnixTicks ticks = 0;
  EXPECT_TRUE(unix_ticks_from_clock(now, &ticks));
  return ticks;
}

TEST(V7, RfcTestVector) {
  // The vector's rand_a is random, so it is given as part of the tick and not by the clock.
  const Uuid id = v7_from_unix_ticks(ticks_at(kVectorClock) + (0xCC3 << 4) + 6, 0x0C4DC0C0C07398F);
  EXPECT_EQ(id, parse("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"));
}

// With the sequence, which is the clock's next bits.
TEST(V7, FractionIsTheFloorOfMethodThree) {
  for (int i = 0; i < 100'000; ++i) {
    const ClockReading now{random_between(0, 4'000'000'000),
                           static_cast<std::uint32_t>(random_between(0, 999'999'999))};
    const std::uint64_t nanos = now.nanoseconds % 1'000'000;
    const Uuid id = v7_from_unix_ticks(ticks_at(now), 0);
    ASSERT_EQ(id.hi >> 16,
              static_cast<std::uint64_t>(now.seconds) * 1000 + now.nanoseconds / 1'000'000);
    ASSERT_EQ(version_of(id), kV7);
    ASSERT_EQ(id.hi & low_bits(12), nanos * 4096 / 1'000'000);
    ASSERT_EQ(id.lo >> 58 & 0xF, nanos * 65'536 / 1'000'000 % 16);
    ASSERT_EQ(unix_ticks_of(id), ticks_at(now));
  }
}

TEST(V7, EveryRandomBitReachesTheValue) {
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t random = rng()();
    EXPECT_EQ(v7_from_unix_ticks(rng()(), random).lo & low_bits(58), random & low_bits(58));
  }
}

// At first the clock stands still for three milliseconds of ticks: the carry runs through sequence
// and fraction. The random bits decrease from value to value, so that only the ticks can order
// them.
TEST(V7, StrictlyIncreasesOnAnyWalkOfTheClock) {
  ClockReading now = kVectorClock;
  UnixTicks last = 0;
  Uuid before;
  for (int i = 0; i < 1'000'000; ++i) {
    const UnixTicks expected = std::max(ticks_at(now), last + 1);
    ASSERT_TRUE(next_unix_ticks(last, ticks_at(now), &last));
    ASSERT_EQ(last, expected);
    const Uuid id = v7_from_unix_ticks(last, ~static_cast<std::uint64_t>(i));
    ASSERT_EQ(unix_ticks_of(id), expected);
    ASSERT_LT(before, id);
    before = id;
    now = after(now, i < 200'000 ? 0 : random_between(-1'000'000, 1'000'100));
  }
}

TEST(V7, ClockOutOfRangeIsAnErrorAndMovesNothing) {
  constexpr std::int64_t kLastSecond = kMaxUnixMillis / 1000;
  for (const std::int64_t seconds : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                     kLastSecond, std::numeric_limits<std::int64_t>::max()}) {
    UnixTicks ticks = 42;
    EXPECT_FALSE(unix_ticks_from_clock({seconds, 999'999'999}, &ticks));
    EXPECT_EQ(ticks, 42U);
  }
  EXPECT_EQ(ticks_at({kLastSecond - 1, 999'999'999}) >> kMillisShift,
            static_cast<UnixTicks>(kLastSecond * 1000 - 1));
  EXPECT_EQ(ticks_at({0, 0}), 0U);
}

TEST(V7, TheLastTickIsAnErrorAndNeverWraps) {
  const UnixTicks clock = ticks_at(kVectorClock);
  UnixTicks last = kMaxUnixTicks - 1;
  EXPECT_TRUE(next_unix_ticks(last, clock, &last));
  EXPECT_EQ(last, kMaxUnixTicks);
  EXPECT_EQ(unix_ticks_of(v7_from_unix_ticks(last, 0)), kMaxUnixTicks);
  EXPECT_FALSE(next_unix_ticks(last, clock, &last));
  EXPECT_EQ(last, kMaxUnixTicks);
  EXPECT_EQ(kMaxUnixTicks, std::numeric_limits<std::uint64_t>::max());
}

TEST(V7, MicrosFromTicksIsTheFloorOfTheTime) {
  EXPECT_EQ(micros_from_unix_ticks(ticks_at({kVectorSeconds, 123'456'789})),
            kVectorMicros + 123'456);
  EXPECT_EQ(micros_from_unix_ticks(kMaxUnixTicks), kMaxV7Micros);
}

TEST(V7Shift, KeepsOrderAndLandsOnTheShiftedTime) {
  for (int i = 0; i < 100'000; ++i) {
    const UnixTicks ticks = ticks_at(after(kVectorClock, random_between(0, kNanosPerDay)));
    const std::int64_t shift = random_between(-kVectorMicros, kVectorMicros);
    const UnixTicks here = shift_unix_ticks(ticks, shift).value();
    ASSERT_EQ(shift_unix_ticks(ticks + 1, shift), here + 1);
    // Two roundings down to a tick may lose a microsecond together.
    const UnixMicros expected = micros_from_unix_ticks(ticks) + shift;
    ASSERT_LE(micros_from_unix_ticks(here), expected);
    ASSERT_GE(micros_from_unix_ticks(here), expected - 1);
  }
}

TEST(V7Shift, OutOfRangeIsAnErrorAndNeverWraps) {
  const UnixTicks ticks = ticks_at(kVectorClock);
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t shift :
       {-kVectorMicros - 1, kMaxV7Micros - kVectorMicros + 1, kLeast, kMost}) {
    EXPECT_FALSE(shift_unix_ticks(ticks, shift)) << shift;
  }
  EXPECT_EQ(shift_unix_ticks(ticks, -kVectorMicros), 0U);
  const UnixTicks shifted = shift_unix_ticks(ticks, kMaxV7Micros - kVectorMicros).value();
  EXPECT_EQ(micros_from_unix_ticks(shifted) / 1000, kMaxUnixMillis);
}

TEST(V7At, EveryMicrosecondRoundTripsInOrder) {
  Uuid last = kNil;
  std::uint64_t random = ~std::uint64_t{0};
  for (const UnixMicros millisecond : {UnixMicros{0}, kVectorMicros, kMaxUnixMillis * 1000}) {
    for (UnixMicros micros = 0; micros < 1000; ++micros) {
      const Uuid id = v7_at(millisecond + micros, --random).value();
      ASSERT_EQ(time_of(id), millisecond);
      ASSERT_EQ(precise_time_of(id), millisecond + micros);
      ASSERT_EQ(id.hi & low_bits(12), static_cast<std::uint64_t>(micros) * 4096 / 1000);
      ASSERT_EQ(id.lo & low_bits(62), random & low_bits(62));
      ASSERT_LT(last, id);
      last = id;
    }
  }
}

// Returns the microsecond that is read from a step of a millisecond.
UnixMicros read_step(std::uint64_t rand_a) {
  const Uuid id = stamp({std::uint64_t{0x017F22E279B0} << kMillisShift | rand_a, rng()()}, kV7);
  return *precise_time_of(id) - *time_of(id);
}

TEST(V7Precise, ReadsTheMicrosecondsOfMakersThatRoundDownUpOrToTheNearest) {
  for (std::uint64_t micros = 0; micros < 1000; ++micros) {
    for (const std::uint64_t rounding : {0U, 500U, 999U}) {
      ASSERT_EQ(read_step((micros * 4096 + rounding) / 1000), static_cast<UnixMicros>(micros));
    }
  }
}

TEST(V7Precise, AGeneratedKeyHasTheMicrosecondOfTheClockOrTheNextOfTheSameStep) {
  for (std::uint32_t nanos = 0; nanos < 1'000'000; ++nanos) {
    const UnixMicros read =
        read_step(ticks_at({kVectorSeconds, nanos}) >> kSequenceWidth & low_bits(12));
    const UnixMicros clock = nanos / 1000;
    ASSERT_LT(read, kMicrosPerMilli);
    // The next one begins less than a step, 244.14 ns, after the clock.
    ASSERT_TRUE(read == clock || (read == clock + 1 && read * 1000 - nanos < 245)) << nanos;
  }
}

TEST(V7At, OrdinalsOrderTheRowsOfATime) {
  constexpr std::uint32_t kMostOrdinal = 0x7FFFFFFF;
  Uuid last = kNil;
  for (const std::uint32_t ordinal : {0U, 1U, 2U, 1'000U, kMostOrdinal - 1, kMostOrdinal}) {
    const std::uint64_t random = rng()();
    const Uuid id = v7_at_ordinal(kVectorMicros, ordinal, random).value();
    EXPECT_EQ(id.hi, v7_at(kVectorMicros, 0)->hi);
    EXPECT_EQ(id.lo & low_bits(31), random & low_bits(31));
    EXPECT_EQ(id.lo >> 31 & low_bits(31), ordinal);
    EXPECT_LT(last, id);
    last = id;
  }
  EXPECT_FALSE(v7_at_ordinal(-1, 0, 0));
}

TEST(V7Bounds, CompareAsTheTimesDo) {
  const Uuid smallest = parse("00000000-0000-7000-8000-000000000000");
  const Uuid largest = parse("ffffffff-ffff-7fff-bfff-ffffffffffff");
  std::vector<Uuid> ids{smallest, largest};
  // As of any generator: all bits are random.
  std::generate_n(std::back_inserter(ids), 10'000, [] { return stamp({rng()(), rng()()}, kV7); });
  for (const Uuid id : ids) {
    const std::vector<UnixMicros> times{0, kMaxUnixMillis * 1000, kMaxV7Micros,
                                        random_between(-kMaxV7Micros, 2 * kMaxV7Micros)};
    expect_bounds_hold<v7_min, v7_max>(id, times);
    expect_bounds_hold<v7_precise_min, v7_precise_max, precise_time_of>(id, times);
  }
  EXPECT_EQ(v7_min(0), smallest);
  EXPECT_EQ(v7_max(kMaxV7Micros), largest);
}

TEST(V7Bounds, OfEachMicrosecondSplitTheStepsOfAMillisecond) {
  for (std::uint64_t step = 0; step < 4096; ++step) {
    const Uuid id = stamp({std::uint64_t{0x017F22E279B0} << kMillisShift | step, rng()()}, kV7);
    const UnixMicros own = *precise_time_of(id);
    int wrong = 0;
    for (UnixMicros time = *time_of(id); time < *time_of(id) + 1000; ++time) {
      wrong += (id >= v7_precise_min(time)) != (own >= time) ? 1 : 0;
      wrong += (id <= v7_precise_max(time)) != (own <= time) ? 1 : 0;
    }
    ASSERT_EQ(wrong, 0) << step;
  }
}

}  // namespace
}  // namespace uuidx_test
