#include "gregorian.hpp"

#include <set>

#include "fields.hpp"
#include "support.hpp"

namespace uuidx_test {
namespace {

// The last second that the clock may read: the timestamp holds all of its Gregorian ticks.
constexpr std::int64_t kLastSecond = kMaxGregorianMicros / kMicrosPerSecond - 1;
constexpr std::int64_t kFirstSecond = kMinGregorianMicros / kMicrosPerSecond;

// Random bits for the clock sequence and node of the RFC's test vectors, with and without the
// multicast bit of the node 9F6BDECED846: the least significant bit of its first octet.
constexpr std::uint64_t kVectorRandom = std::uint64_t{0x33C8} << 48 | 0x9F6BDECED846;
constexpr std::uint64_t kVectorWithoutMulticast = std::uint64_t{0x33C8} << 48 | 0x9E6BDECED846;
constexpr std::uint64_t kVectorLo = 0xB3C89F6BDECED846;

// Returns the octets 8 to 15 that a random number gives: variant, clock sequence, and node with the
// multicast bit.
std::uint64_t lo_of(std::uint64_t random) {
  return std::uint64_t{0b10} << 62 | (random & 0x3FFF'FFFF'FFFF'FFFF) | 0x0100'0000'0000;
}

struct V1Generator {
  V1State state;

  explicit V1Generator(std::uint64_t random = 0) { v1_seed(&state, random); }

  Uuid next(ClockReading now) {
    Uuid id;
    EXPECT_EQ(v1_next(&state, now, &id), Status::ok);
    EXPECT_EQ(version_of(id), kV1);
    return id;
  }
};

struct V6Generator {
  GregorianTicks last = 0;

  // The random bits decrease from value to value, so that only the time can order them.
  std::uint64_t random = ~std::uint64_t{0};

  Uuid next(ClockReading now) {
    Uuid id;
    EXPECT_EQ(v6_next(&last, now, random--, &id), Status::ok);
    EXPECT_EQ(version_of(id), kV6);
    return id;
  }
};

GregorianTicks ticks_at(ClockReading now) {
  GregorianTicks ticks = 0;
  EXPECT_TRUE(gregorian_ticks_from_clock(now, &ticks));
  return ticks;
}

// Expects that two states are the same, as before and after an error.
void expect_same(const V1State &state, const V1State &before) {
  EXPECT_EQ(state.seeded, before.seeded);
  EXPECT_EQ(state.clock_seq, before.clock_seq);
  EXPECT_EQ(state.node, before.node);
  EXPECT_EQ(state.set_backs, before.set_backs);
  EXPECT_EQ(state.last_clock, before.last_clock);
  EXPECT_EQ(state.last_ticks, before.last_ticks);
}

TEST(V1, RfcTestVector) {
  V1Generator generator{kVectorRandom};
  EXPECT_EQ(generator.next(kVectorClock), parse("C232AB00-9414-11EC-B3C8-9F6BDECED846"));
}

TEST(V6, RfcTestVector) {
  GregorianTicks last = 0;
  Uuid id;
  ASSERT_EQ(v6_next(&last, kVectorClock, kVectorRandom, &id), Status::ok);
  EXPECT_EQ(id, parse("1EC9414C-232A-6B00-B3C8-9F6BDECED846"));
}

TEST(V1, TimeFieldsRoundTrip) {
  for (int i = 0; i < 100'000; ++i) {
    const GregorianTicks ticks = rng()() & kMaxGregorianTicks;
    ASSERT_EQ(v1_ticks(stamp({v1_time_fields(ticks), 0}, kV1).hi), ticks);
    ASSERT_EQ(v6_ticks(stamp({v6_time_fields(ticks), 0}, kV6).hi), ticks);
  }
}

TEST(V1, TimeFieldsLeaveTheVersionOut) {
  EXPECT_EQ(v1_time_fields(kMaxGregorianTicks), ~kVersionMask);
  EXPECT_EQ(v6_time_fields(kMaxGregorianTicks), ~kVersionMask);
}

TEST(V1, UnseededStateIsAllZeros) {
  expect_same(V1State{}, V1State{false, 0, 0, 0, 0, 0});
}

TEST(V1, NodeAlwaysHasTheMulticastBit) {
  EXPECT_EQ(random_clock_seq_and_node(~std::uint64_t{0}), low_bits(62));
  EXPECT_EQ(V1Generator{kVectorWithoutMulticast}.next(kVectorClock).lo, kVectorLo);
  for (const std::uint64_t random : {std::uint64_t{0}, ~std::uint64_t{0}, rng()(), rng()()}) {
    EXPECT_EQ(V1Generator{random}.next(kVectorClock).lo, lo_of(random));
  }
}

TEST(V1, ClockSequenceAndNodeComeFromDifferentBits) {
  // Flipping any bit of the seed changes one of the two, never both.
  const V1Generator base{0};
  int changed = 0;
  for (int bit = 0; bit < 62; ++bit) {
    const V1Generator other{std::uint64_t{1} << bit};
    const bool node = other.state.node != base.state.node;
    const bool clock_seq = other.state.clock_seq != base.state.clock_seq;
    EXPECT_FALSE(node && clock_seq);
    changed += node || clock_seq ? 1 : 0;
  }
  EXPECT_EQ(changed, 61);  // all except the multicast bit
}

TEST(V1, FollowsTheClock) {
  V1Generator generator{0};
  generator.next(kVectorClock);
  const Uuid before = generator.next(kVectorClock);
  for (const std::int64_t ahead : {std::int64_t{200}, kNanosPerSecond, 365 * kNanosPerDay}) {
    const ClockReading later = after(kVectorClock, ahead);
    const Uuid id = generator.next(later);
    EXPECT_EQ(v1_ticks(id.hi), ticks_at(later));
    EXPECT_EQ(id.lo, before.lo);
  }
}

TEST(V1, ClockSequenceRisesWhenTheClockIsSetBack) {
  for (const std::int64_t back : {std::int64_t{100}, kNanosPerSecond, kNanosPerDay}) {
    V1Generator generator{0};
    const Uuid before = generator.next(kVectorClock);
    const Uuid first = generator.next(after(kVectorClock, -back));
    EXPECT_EQ(*clock_seq_of(first), *clock_seq_of(before) + 1);
    EXPECT_EQ(v1_ticks(first.hi) + static_cast<GregorianTicks>(back / 100), v1_ticks(before.hi));
    EXPECT_EQ(node_of(first), node_of(before));
  }
}

TEST(V1, ClockSequenceWrapsAfterItsLastValue) {
  V1Generator generator{~std::uint64_t{0}};
  EXPECT_EQ(clock_seq_of(generator.next(kVectorClock)), low_bits(14));
  EXPECT_EQ(clock_seq_of(generator.next(after(kVectorClock, -1000))), 0U);
}

TEST(V1, AStillClockTakesTheNextTick) {
  V1Generator generator{0};
  const Uuid first = generator.next(kVectorClock);
  for (GregorianTicks i = 1; i < 1000; ++i) {
    const Uuid next = generator.next(kVectorClock);
    EXPECT_EQ(v1_ticks(next.hi), v1_ticks(first.hi) + i);
    EXPECT_EQ(next.lo, first.lo);  // not a clock set back
  }
}

TEST(V1, CatchingUpWithABurstIsNotAClockSetBack) {
  V1Generator generator{0};
  Uuid last;
  for (int i = 0; i < 100; ++i) {
    last = generator.next(kVectorClock);
  }
  // The clock advanced by one Gregorian tick, which the burst has used: the timestamp counts on.
  const Uuid next = generator.next(after(kVectorClock, 100));
  EXPECT_EQ(next.lo, last.lo);
  EXPECT_EQ(v1_ticks(next.hi), v1_ticks(last.hi) + 1);
}

TEST(V1, ANewNodeIsDueOnceEveryClockSequenceWasUsed) {
  V1Generator generator{rng()()};
  generator.next(kVectorClock);
  std::set<std::uint32_t> used{static_cast<std::uint32_t>(generator.state.clock_seq)};
  for (int i = 1; i < 16'384; ++i) {
    ASSERT_TRUE(generator.state.seeded) << i;
    used.insert(*clock_seq_of(generator.next(after(kVectorClock, -1000 * std::int64_t{i}))));
  }
  EXPECT_EQ(used.size(), 16'384U);
  EXPECT_FALSE(generator.state.seeded);
}

TEST(V1, UniqueOnAnyWalkOfTheClock) {
  V1Generator generator{rng()()};
  std::set<Uuid> seen;
  ClockReading now = kVectorClock;
  for (int i = 0; i < 100'000; ++i) {
    if (!generator.state.seeded) {
      v1_seed(&generator.state, rng()());
    }
    now = after(now, random_between(-1000, 1000));
    ASSERT_TRUE(seen.insert(generator.next(now)).second);
  }
}

TEST(V6, StrictlyIncreasesOnAnyWalkOfTheClock) {
  V6Generator generator;
  ClockReading now = kVectorClock;
  Uuid last = generator.next(now);
  for (int i = 0; i < 1'000'000; ++i) {
    now = after(now, random_between(-10'000, 10'010));
    const Uuid next = generator.next(now);
    ASSERT_LT(last, next);
    last = next;
  }
}

TEST(V6, StrictlyIncreasesWhileTheClockStandsStillOrIsSetBack) {
  V6Generator generator;
  const Uuid first = generator.next(kVectorClock);
  const Uuid still = generator.next(kVectorClock);
  const Uuid back = generator.next(after(kVectorClock, -kNanosPerDay));
  EXPECT_EQ(v6_ticks(still.hi), v6_ticks(first.hi) + 1);
  EXPECT_EQ(v6_ticks(back.hi), v6_ticks(first.hi) + 2);
}

TEST(V6, FollowsTheClock) {
  V6Generator generator;
  generator.next(kVectorClock);
  generator.next(after(kVectorClock, -kNanosPerDay));
  for (const std::int64_t ahead : {std::int64_t{200}, kNanosPerSecond, 365 * kNanosPerDay}) {
    const ClockReading later = after(kVectorClock, ahead);
    EXPECT_EQ(v6_ticks(generator.next(later).hi), ticks_at(later));
  }
}

TEST(V6, ClockSequenceAndNodeAreTheRandomBitsOfEachValue) {
  GregorianTicks last = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t random = rng()();
    Uuid id;
    ASSERT_EQ(v6_next(&last, kVectorClock, random, &id), Status::ok);
    EXPECT_EQ(id.lo, lo_of(random));
  }
  Uuid id;
  ASSERT_EQ(v6_next(&last, kVectorClock, kVectorWithoutMulticast, &id), Status::ok);
  EXPECT_EQ(id.lo, kVectorLo);
}

TEST(Gregorian, ClockOutOfRangeIsAnErrorAndMovesNothing) {
  for (const std::int64_t seconds :
       {kFirstSecond - 1, kLastSecond + 1, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    V1Generator generator{rng()()};
    generator.next(kVectorClock);
    generator.next(after(kVectorClock, -kNanosPerSecond));
    const V1State before = generator.state;
    GregorianTicks last = 42;
    Uuid id;
    EXPECT_EQ(v1_next(&generator.state, {seconds, 0}, &id), Status::clock_out_of_range);
    EXPECT_EQ(v6_next(&last, {seconds, 0}, 0, &id), Status::clock_out_of_range);
    expect_same(generator.state, before);
    EXPECT_EQ(last, 42U);
  }
}

TEST(Gregorian, ClockReadsTheWholeRange) {
  EXPECT_EQ(ticks_at({kFirstSecond, 0}), 0U);
  EXPECT_EQ(ticks_at({kFirstSecond, 199}), 1U);
  EXPECT_EQ(ticks_at({0, 0}), static_cast<GregorianTicks>(kGregorianTicksAtUnixEpoch));
  EXPECT_LE(ticks_at({kLastSecond, 999'999'999}), kMaxGregorianTicks);
}

TEST(Gregorian, TheLastTickIsAnErrorAndNeverWraps) {
  GregorianTicks last = kMaxGregorianTicks - 1;
  V1State state = V1Generator{rng()()}.state;
  state.last_ticks = kMaxGregorianTicks - 1;
  Uuid id;
  EXPECT_EQ(v6_next(&last, kVectorClock, 0, &id), Status::ok);
  EXPECT_EQ(v6_ticks(id.hi), kMaxGregorianTicks);
  EXPECT_EQ(v1_next(&state, kVectorClock, &id), Status::ok);
  EXPECT_EQ(v1_ticks(id.hi), kMaxGregorianTicks);
  const V1State before = state;
  EXPECT_EQ(v6_next(&last, kVectorClock, 0, &id), Status::clock_out_of_range);
  EXPECT_EQ(v1_next(&state, kVectorClock, &id), Status::clock_out_of_range);
  EXPECT_EQ(last, kMaxGregorianTicks);
  expect_same(state, before);
}

TEST(GregorianAt, HoldsTheMicrosecond) {
  for (int i = 0; i < 100'000; ++i) {
    const UnixMicros time = random_between(kMinGregorianMicros, kMaxGregorianMicros);
    const std::uint64_t random = rng()();
    Uuid v1;
    Uuid v6;
    ASSERT_EQ(v1_at(time, random, &v1), Status::ok);
    ASSERT_EQ(v6_at(time, random, &v6), Status::ok);
    ASSERT_EQ(time_of(v1), time);
    ASSERT_EQ(time_of(v6), time);
    ASSERT_EQ(v1.lo, lo_of(random));
    ASSERT_EQ(v6.lo, v1.lo);
  }
}

TEST(GregorianAt, EndsOfTheRange) {
  Uuid id;
  EXPECT_EQ(v6_at(kMinGregorianMicros, 0, &id), Status::ok);
  EXPECT_EQ(id.hi, 0x6000U);
  EXPECT_EQ(v1_at(kMaxGregorianMicros, 0, &id), Status::ok);
  constexpr UnixMicros kInfinity = std::numeric_limits<UnixMicros>::max();
  for (const UnixMicros time :
       {kMinGregorianMicros - 1, kMaxGregorianMicros + 1, -kInfinity - 1, kInfinity}) {
    EXPECT_EQ(v1_at(time, 0, &id), Status::time_out_of_range);
    EXPECT_EQ(v6_at(time, 0, &id), Status::time_out_of_range);
  }
}

TEST(V6Bounds, InvariantHoldsForRandomPairs) {
  for (int i = 0; i < 100'000; ++i) {
    const GregorianTicks ticks = rng()() & kMaxGregorianTicks;
    const Uuid id = stamp({v6_time_fields(ticks), rng()()}, kV6);
    expect_bounds_hold<v6_min, v6_max>(id,
                                       micros_from_gregorian_ticks(ticks) + random_between(-3, 3));
    expect_bounds_hold<v6_min, v6_max>(
        id, random_between(2 * kMinGregorianMicros, 2 * kMaxGregorianMicros));
  }
}

TEST(V6Bounds, InvariantHoldsAtTheEnds) {
  constexpr auto kMinusInfinity = std::numeric_limits<UnixMicros>::min();
  constexpr auto kInfinity = std::numeric_limits<UnixMicros>::max();
  for (const GregorianTicks ticks :
       {GregorianTicks{0}, GregorianTicks{9}, GregorianTicks{10}, kMaxGregorianTicks - 6,
        kMaxGregorianTicks - 5, kMaxGregorianTicks}) {
    for (const std::uint64_t low : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      const Uuid id = stamp({v6_time_fields(ticks), low}, kV6);
      for (const UnixMicros edge : {kMinGregorianMicros, kMaxGregorianMicros}) {
        for (const int step : {-2, -1, 0, 1, 2}) {
          expect_bounds_hold<v6_min, v6_max>(id, edge + step);
        }
      }
      expect_bounds_hold<v6_min, v6_max>(id, kMinusInfinity);
      expect_bounds_hold<v6_min, v6_max>(id, kInfinity);
    }
  }
  EXPECT_EQ(v6_min(kMinusInfinity), kNil);
  EXPECT_EQ(v6_max(kMinusInfinity), kNil);
  EXPECT_EQ(v6_min(kInfinity), kMax);
  EXPECT_EQ(v6_max(kInfinity), kMax);
}

}  // namespace
}  // namespace uuidx_test
