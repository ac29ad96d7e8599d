#include "v7.hpp"

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

// A generator with the test's clock and with all random bits set, so that only the tick can order
// its values.
struct Generator {
  UnixTicks last = 0;

  Uuid next(ClockReading now) {
    Uuid id;
    EXPECT_EQ(v7_next(&last, now, ~std::uint64_t{0}, &id), Status::ok);
    return id;
  }
};

TEST(V7, RfcTestVector) {
  Uuid id;
  // The vector's rand_a is random, so it is given as part of the tick and not by the clock.
  id = v7_from_unix_ticks(ticks_at(kVectorClock) + (0xCC3 << 4) + 6, 0x0C4DC0C0C07398F);
  EXPECT_EQ(id, parse("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"));
}

// With the sequence, which is the clock's next bits.
TEST(V7, FractionIsTheFloorOfMethodThree) {
  for (int i = 0; i < 100'000; ++i) {
    const ClockReading now{random_between(0, 4'000'000'000),
                           static_cast<std::uint32_t>(random_between(0, 999'999'999))};
    const std::uint64_t nanos = now.nanoseconds % 1'000'000;
    const Uuid id = Generator{}.next(now);
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

TEST(V7, StrictlyIncreasesWhileTheClockStandsStill) {
  Generator generator;
  Uuid last = generator.next(kVectorClock);
  // For three milliseconds: the carry runs through sequence and fraction.
  for (int i = 0; i < 200'000; ++i) {
    const Uuid next = generator.next(kVectorClock);
    ASSERT_LT(last, next);
    ASSERT_EQ(unix_ticks_of(next), unix_ticks_of(last) + 1);
    last = next;
  }
}

TEST(V7, StrictlyIncreasesWhenTheClockIsSetBack) {
  for (const std::int64_t back : {std::int64_t{1}, kNanosPerSecond, kNanosPerDay}) {
    Generator generator;
    const Uuid before = generator.next(kVectorClock);
    const Uuid first = generator.next(after(kVectorClock, -back));
    EXPECT_EQ(unix_ticks_of(first), unix_ticks_of(before) + 1) << back;
    EXPECT_LT(first, generator.next(after(kVectorClock, -back)));
  }
}

TEST(V7, DoesNotGoBackOnceTheClockRecoversInPart) {
  // 10.100 s, back to 9.900, on to 10.050: the third value must still follow the first.
  Generator generator;
  const Uuid first = generator.next({10, 100'000'000});
  const Uuid second = generator.next({9, 900'000'000});
  const Uuid third = generator.next({10, 50'000'000});
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
}

TEST(V7, StrictlyIncreasesOnAnyWalkOfTheClock) {
  Generator generator;
  ClockReading now = kVectorClock;
  Uuid last = generator.next(now);
  for (int i = 0; i < 1'000'000; ++i) {
    now = after(now, random_between(-1'000'000, 1'000'100));
    const Uuid next = generator.next(now);
    ASSERT_LT(last, next);
    last = next;
  }
}

TEST(V7, ABusyLoopDoesNotRunAheadOfTheClock) {
  Generator generator;
  for (int i = 0; i < 1'000'000; ++i) {
    const ClockReading now = after(kVectorClock, i * std::int64_t{20});  // 20 ns a value
    ASSERT_EQ(unix_ticks_of(generator.next(now)), ticks_at(now));
  }
}

TEST(V7, ClockOutOfRangeIsAnErrorAndMovesNothing) {
  constexpr std::int64_t kLastSecond = kMaxUnixMillis / 1000;
  for (const std::int64_t seconds : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                     kLastSecond, std::numeric_limits<std::int64_t>::max()}) {
    UnixTicks last = 42;
    Uuid id;
    EXPECT_EQ(v7_next(&last, {seconds, 999'999'999}, 0, &id), Status::clock_out_of_range);
    EXPECT_EQ(last, 42U);
    EXPECT_EQ(id, kNil);
  }
  UnixTicks last = 0;
  Uuid id;
  EXPECT_EQ(v7_next(&last, {kLastSecond - 1, 999'999'999}, 0, &id), Status::ok);
  EXPECT_EQ(v7_next(&last, {0, 0}, 0, &id), Status::ok);
}

TEST(V7, TheLastTickIsAnErrorAndNeverWraps) {
  UnixTicks last = kMaxUnixTicks - 1;
  Uuid id;
  EXPECT_EQ(v7_next(&last, kVectorClock, 0, &id), Status::ok);
  EXPECT_EQ(unix_ticks_of(id), kMaxUnixTicks);
  EXPECT_EQ(v7_next(&last, kVectorClock, 0, &id), Status::clock_out_of_range);
  EXPECT_EQ(last, kMaxUnixTicks);
  EXPECT_EQ(last, std::numeric_limits<std::uint64_t>::max());
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
    UnixTicks here = 0;
    UnixTicks next = 0;
    ASSERT_EQ(shift_unix_ticks(ticks, shift, &here), Status::ok);
    ASSERT_EQ(shift_unix_ticks(ticks + 1, shift, &next), Status::ok);
    ASSERT_EQ(next, here + 1);
    // Two roundings down to a tick may lose a microsecond together.
    const UnixMicros expected = micros_from_unix_ticks(ticks) + shift;
    ASSERT_LE(micros_from_unix_ticks(here), expected);
    ASSERT_GE(micros_from_unix_ticks(here), expected - 1);
  }
}

TEST(V7Shift, OutOfRangeIsAnErrorAndNeverWraps) {
  UnixTicks shifted = 42;
  const UnixTicks ticks = ticks_at(kVectorClock);
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t shift :
       {-kVectorMicros - 1, kMaxV7Micros - kVectorMicros + 1, kLeast, kMost}) {
    EXPECT_EQ(shift_unix_ticks(ticks, shift, &shifted), Status::time_out_of_range) << shift;
  }
  EXPECT_EQ(shifted, 42U);
  EXPECT_EQ(shift_unix_ticks(ticks, -kVectorMicros, &shifted), Status::ok);
  EXPECT_EQ(shifted, 0U);
  EXPECT_EQ(shift_unix_ticks(ticks, kMaxV7Micros - kVectorMicros, &shifted), Status::ok);
  EXPECT_EQ(micros_from_unix_ticks(shifted) / 1000, kMaxUnixMillis);
}

TEST(V7At, EveryMicrosecondRoundTripsInOrder) {
  Uuid last = kNil;
  for (const UnixMicros millisecond : {UnixMicros{0}, kVectorMicros, kMaxUnixMillis * 1000}) {
    for (UnixMicros micros = 0; micros < 1000; ++micros) {
      Uuid id;
      ASSERT_EQ(v7_at(millisecond + micros, 0, &id), Status::ok);
      ASSERT_EQ(time_of(id), millisecond);
      ASSERT_EQ(precise_time_of(id), millisecond + micros);
      ASSERT_EQ(id.hi & low_bits(12), static_cast<std::uint64_t>(micros) * 4096 / 1000);
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
    for (const std::uint64_t rounding : {0, 500, 999}) {
      ASSERT_EQ(read_step((micros * 4096 + rounding) / 1000), static_cast<UnixMicros>(micros));
    }
  }
}

TEST(V7Precise, AGeneratedKeyHasTheMicrosecondOfTheClockOrTheNextOfTheSameStep) {
  for (std::uint32_t nanos = 0; nanos < 1'000'000; ++nanos) {
    const UnixMicros read =
        read_step(ticks_at({kVectorSeconds, nanos}) >> kSequenceWidth & low_bits(12));
    const UnixMicros clock = nanos / 1000;
    // The next one begins less than a step, 244.14 ns, after the clock.
    ASSERT_TRUE(read == clock || (read == clock + 1 && read * 1000 - nanos < 245)) << nanos;
  }
}

TEST(V7At, RandomBitsFillRandB) {
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t random = rng()();
    Uuid id;
    ASSERT_EQ(v7_at(kVectorMicros, random, &id), Status::ok);
    EXPECT_EQ(id.lo & low_bits(62), random & low_bits(62));
  }
}

TEST(V7At, OrdinalsOrderTheRowsOfATime) {
  constexpr std::uint32_t kMostOrdinal = 0x7FFFFFFF;
  Uuid last = kNil;
  for (const std::uint32_t ordinal : {0U, 1U, 2U, 1'000U, kMostOrdinal - 1, kMostOrdinal}) {
    const std::uint64_t random = rng()();
    Uuid id;
    Uuid first;
    ASSERT_EQ(v7_at_ordinal(kVectorMicros, ordinal, random, &id), Status::ok);
    ASSERT_EQ(v7_at(kVectorMicros, 0, &first), Status::ok);
    EXPECT_EQ(id.hi, first.hi);
    EXPECT_EQ(id.lo & low_bits(31), random & low_bits(31));
    EXPECT_EQ(id.lo >> 31 & low_bits(31), ordinal);
    EXPECT_LT(last, id);
    last = id;
  }
  EXPECT_EQ(v7_at_ordinal(-1, 0, 0, &last), Status::time_out_of_range);
}

TEST(V7At, EndsOfTheRange) {
  Uuid id;
  EXPECT_EQ(v7_at(0, 0, &id), Status::ok);
  EXPECT_EQ(id, parse("00000000-0000-7000-8000-000000000000"));
  EXPECT_EQ(v7_at(kMaxV7Micros, ~std::uint64_t{0}, &id), Status::ok);
  EXPECT_EQ(id, parse("ffffffff-ffff-7ffb-bfff-ffffffffffff"));
  EXPECT_EQ(v7_at(-1, 0, &id), Status::time_out_of_range);
  EXPECT_EQ(v7_at(kMaxV7Micros + 1, 0, &id), Status::time_out_of_range);
  EXPECT_EQ(v7_at(std::numeric_limits<UnixMicros>::min(), 0, &id), Status::time_out_of_range);
  EXPECT_EQ(v7_at(std::numeric_limits<UnixMicros>::max(), 0, &id), Status::time_out_of_range);
}

// Returns a version 7 UUID as of any generator: all bits after the millisecond are random.
Uuid any_v7(std::int64_t millis) {
  return stamp({static_cast<std::uint64_t>(millis) << 16 | (rng()() & 0xFFF), rng()()}, kV7);
}

TEST(V7Bounds, InvariantHoldsForRandomPairs) {
  for (int i = 0; i < 100'000; ++i) {
    const std::int64_t millis = random_between(0, kMaxUnixMillis);
    const Uuid id = any_v7(millis);
    expect_bounds_hold<v7_min, v7_max>(id, millis * 1000 + random_between(-3000, 3000));
    expect_bounds_hold<v7_min, v7_max>(id, random_between(-kMaxV7Micros, 2 * kMaxV7Micros));
  }
}

TEST(V7Bounds, InvariantHoldsAtTheEnds) {
  const Uuid smallest = parse("00000000-0000-7000-8000-000000000000");
  const Uuid largest = parse("ffffffff-ffff-7fff-bfff-ffffffffffff");
  constexpr auto kMinusInfinity = std::numeric_limits<UnixMicros>::min();
  constexpr auto kInfinity = std::numeric_limits<UnixMicros>::max();
  for (const Uuid id : {smallest, largest, any_v7(0), any_v7(kMaxUnixMillis)}) {
    for (const UnixMicros edge : {UnixMicros{0}, kMaxV7Micros, kMaxUnixMillis * 1000}) {
      for (const int step : {-1000, -999, -1, 0, 1, 999, 1000}) {
        expect_bounds_hold<v7_min, v7_max>(id, edge + step);
      }
    }
    expect_bounds_hold<v7_min, v7_max>(id, kMinusInfinity);
    expect_bounds_hold<v7_min, v7_max>(id, kInfinity);
  }
  EXPECT_EQ(v7_min(kMinusInfinity), kNil);
  EXPECT_EQ(v7_max(kMinusInfinity), kNil);
  EXPECT_EQ(v7_min(kInfinity), kMax);
  EXPECT_EQ(v7_max(kInfinity), kMax);
  EXPECT_EQ(v7_min(0), smallest);
  EXPECT_EQ(v7_max(kMaxV7Micros), largest);
}

}  // namespace
}  // namespace uuidx_test
