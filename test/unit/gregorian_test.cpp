#include "gregorian.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "fields.hpp"
#include "support.hpp"

namespace uuidx_test {
namespace {

// The last second that the clock may read: the timestamp holds all of its Gregorian ticks.
constexpr std::int64_t kLastSecond = kMaxGregorianMicros / kMicrosPerSecond - 1;
constexpr std::int64_t kFirstSecond = kMinGregorianMicros / kMicrosPerSecond;

// Random bits for the clock sequence and node of the RFC's test vectors.
constexpr std::uint64_t kVectorRandom = std::uint64_t{0x33C8} << 48 | 0x9F6BDECED846;

// Returns the octets 8 to 15 that a random number gives: variant, clock sequence, and node with the
// multicast bit.
std::uint64_t lo_of(std::uint64_t random) {
  return std::uint64_t{0b10} << 62 | (random & 0x3FFF'FFFF'FFFF'FFFF) | 0x0100'0000'0000;
}

struct V1Generator {
  V1State state;

  explicit V1Generator(std::uint64_t random = 0) { v1_seed(&state, random); }

  Uuid next(ClockReading now) {
    const Uuid id = v1_next(&state, now).value();
    EXPECT_EQ(version_of(id), kV1);
    return id;
  }
};

GregorianTicks ticks_at(ClockReading now) {
  return gregorian_ticks_from_clock(now).value();
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
  EXPECT_EQ(v6_next(&last, kVectorClock, kVectorRandom),
            parse("1EC9414C-232A-6B00-B3C8-9F6BDECED846"));
}

TEST(V1, NodeAlwaysHasTheMulticastBit) {
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

// A generator whose clock sequence is the last one, so that it wraps when it rises.
TEST(V1, TicksFollowTheClockAndSetBacksRaiseTheClockSequence) {
  constexpr std::int64_t kYear = 365 * kNanosPerDay;
  const struct {
    std::int64_t clock;    // nanoseconds since the first reading
    std::int64_t ticks;    // since its tick
    std::uint32_t raised;  // how often the clock sequence has risen
  } steps[] = {
      {0, 0, 0},
      {0, 1, 0},  // a still clock takes the next tick
      {0, 2, 0},
      {100, 3, 0},  // a clock that catches up with a burst was not set back
      {kYear, kYear / 100, 0},
      {kYear - 100, kYear / 100 - 1, 1},
      {kYear, kYear / 100, 1},
      {-kNanosPerDay, -kNanosPerDay / 100, 2},
      {-kNanosPerDay, 1 - kNanosPerDay / 100, 2},
  };
  V1Generator generator{~std::uint64_t{0}};
  const std::uint64_t node = generator.state.node;
  for (const auto &step : steps) {
    const Uuid id = generator.next(after(kVectorClock, step.clock));
    EXPECT_EQ(v1_ticks(id.hi), ticks_at(kVectorClock) + static_cast<GregorianTicks>(step.ticks));
    EXPECT_EQ(clock_seq_of(id), (low_bits(14) + step.raised) & low_bits(14));
    EXPECT_EQ(node_of(id), node);
  }
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

// The random bits decrease from value to value, so that only the ticks can order them.
TEST(V6, StrictlyIncreasesOnAnyWalkOfTheClock) {
  ClockReading now = kVectorClock;
  GregorianTicks last = 0;
  Uuid before;
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t random = ~static_cast<std::uint64_t>(i);
    const GregorianTicks expected = std::max(ticks_at(now), last + 1);
    const Uuid id = v6_next(&last, now, random).value();
    ASSERT_EQ(last, expected);
    ASSERT_EQ(v6_ticks(id.hi), expected);
    ASSERT_EQ(version_of(id), kV6);
    ASSERT_EQ(id.lo, lo_of(random));
    ASSERT_LT(before, id);
    before = id;
    now = after(now, random_between(-10'000, 10'010));
  }
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
    EXPECT_FALSE(v1_next(&generator.state, {seconds, 0}));
    EXPECT_FALSE(v6_next(&last, {seconds, 0}, 0));
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
  EXPECT_EQ(v6_ticks(v6_next(&last, kVectorClock, 0)->hi), kMaxGregorianTicks);
  EXPECT_EQ(v1_ticks(v1_next(&state, kVectorClock)->hi), kMaxGregorianTicks);
  const V1State before = state;
  EXPECT_FALSE(v6_next(&last, kVectorClock, 0));
  EXPECT_FALSE(v1_next(&state, kVectorClock));
  EXPECT_EQ(last, kMaxGregorianTicks);
  expect_same(state, before);
}

TEST(GregorianAt, HoldsTheMicrosecond) {
  for (int i = 0; i < 100'000; ++i) {
    const UnixMicros time = random_between(kMinGregorianMicros, kMaxGregorianMicros);
    const std::uint64_t random = rng()();
    const Uuid v1 = v1_at(time, random).value();
    const Uuid v6 = v6_at(time, random).value();
    ASSERT_EQ(time_of(v1), time);
    ASSERT_EQ(time_of(v6), time);
    ASSERT_EQ(v1.lo, lo_of(random));
    ASSERT_EQ(v6.lo, v1.lo);
  }
}

TEST(V6Bounds, CompareAsTheTimesDo) {
  std::vector<GregorianTicks> ticks{
      0, 9, 10, kMaxGregorianTicks - 6, kMaxGregorianTicks - 5, kMaxGregorianTicks};
  std::generate_n(std::back_inserter(ticks), 10'000, [] { return rng()() & kMaxGregorianTicks; });
  for (const GregorianTicks time : ticks) {
    for (const std::uint64_t low : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      expect_bounds_hold<v6_min, v6_max>(
          v6_from_fields(time, low),
          {kMinGregorianMicros, kMaxGregorianMicros,
           random_between(2 * kMinGregorianMicros, 2 * kMaxGregorianMicros)});
    }
  }
}

}  // namespace
}  // namespace uuidx_test
