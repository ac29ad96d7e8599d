// A libFuzzer target for the generators: random sequences of clock readings, which advance, stand
// still, go back, jump, and leave the range of a version.
#include <algorithm>
#include <cstdint>

#include "clock_watch.hpp"
#include "fields.hpp"
#include "gregorian.hpp"
#include "shared_ticks.hpp"
#include "v7.hpp"
#include "v8_node.hpp"

#include "support.hpp"

namespace uuidx_fuzz {
namespace {

// Returns a reading moved by a time that is far from the ends of its type.
ClockReading moved(ClockReading from, std::int64_t seconds, std::int64_t nanoseconds) {
  seconds += nanoseconds / kNanosPerSecond;
  std::int64_t rest = from.nanoseconds + nanoseconds % kNanosPerSecond;
  if (rest < 0 || rest >= kNanosPerSecond) {
    seconds += rest < 0 ? -1 : 1;
    rest += rest < 0 ? kNanosPerSecond : -kNanosPerSecond;
  }
  return {saturated_sum(from.seconds, seconds), static_cast<std::uint32_t>(rest)};
}

// Checks a step of a generator of ticks: it returns the clock's tick if that is later, or else the
// one after the last, and never a smaller one.
void check_step(Status status, ClockReading now, UnixTicks last, UnixTicks kept, UnixTicks next) {
  UnixTicks clock = 0;
  const bool has_clock = unix_ticks_from_clock(now, &clock);
  if (has_clock && (clock > last || last != kMaxUnixTicks)) {
    demand(status == Status::ok, "a tick in range");
    demand(next > last && next == kept, "greater than the last, and kept");
    demand(next == std::max(clock, last + 1), "the clock's, or the next");
  } else {
    demand(status == Status::clock_out_of_range, "no tick out of range");
    demand(kept == last, "which changes nothing");
  }
}

// The generators of one backend and of the server, with the last value of each.
class Generators {
 public:
  explicit Generators(Input &input) {
    const auto left = input.number<std::uint8_t>();
    const auto random = input.number<std::uint64_t>();
    if (left % 2 == 0) {
      v1_seed(&v1_, random);
      first_seq_ = v1_.clock_seq;
    }
    // Starts near to the end of each range, or of a node's clock sequences.
    if (left < 64) {
      v7_ = v8_ = kMaxUnixTicks - left;
      v6_ = kMaxGregorianTicks - left;
      v1_.last_ticks = v1_.last_clock = kMaxGregorianTicks - left;
    } else if (left < 128 && v1_.seeded) {
      v1_.set_backs = static_cast<std::uint32_t>(low_bits(kClockSeqWidth)) - (left - 63);
      v1_.clock_seq = (first_seq_ + v1_.set_backs) & low_bits(kClockSeqWidth);
    }
    shared_ = v7_;
  }

  // Takes one value of each.
  void step(ClockReading now, std::uint64_t random) {
    step_v7(now, random);
    step_v8(now, random);
    step_v6(now, random);
    step_v1(now, random);
    step_shared(now);
  }

  void raise(UnixTicks to) {
    const UnixTicks last = shared_;
    raise_unix_ticks(&shared_, to);
    demand(shared_ == std::max(last, to), "raised, and never lowered");
  }

  bool made_one() const { return v7_id_ != kNil; }

 private:
  void step_v7(ClockReading now, std::uint64_t random) {
    const UnixTicks last = v7_;
    Uuid id;
    const Status status = v7_next(&v7_, now, random, &id);
    check_step(status, now, last, v7_, status == Status::ok ? unix_ticks_of(id) : 0);
    if (status == Status::ok) {
      demand(id > v7_id_ && version_of(id) == kV7, "version 7 is strictly increasing");
      demand((id.lo ^ random) << (64 - kV7RandomWidth) == 0, "with its random bits");
      v7_id_ = id;
    } else {
      demand(id == kNil, "no value of version 7");
    }
  }

  void step_v8(ClockReading now, std::uint64_t random) {
    const UnixTicks last = v8_;
    UnixTicks next = 0;
    const Status status = v7_step(&v8_, now, &next);
    check_step(status, now, last, v8_, next);
    if (status == Status::ok) {
      const auto node = static_cast<std::uint32_t>(random >> 48);
      const Uuid id = v8_node_from_unix_ticks(next, node, random);
      demand(id > v8_id_ && v8_node_of(id) == node, "version 8 is strictly increasing");
      demand(v8_node_time_of(id) == micros_from_unix_ticks(next), "at its time");
      v8_id_ = id;
    }
  }

  void step_v6(ClockReading now, std::uint64_t random) {
    const GregorianTicks last = v6_;
    GregorianTicks clock = 0;
    const bool has_clock = gregorian_ticks_from_clock(now, &clock);
    Uuid id;
    const Status status = v6_next(&v6_, now, random, &id);
    demand((status == Status::ok) == (has_clock && (clock > last || last < kMaxGregorianTicks)),
           "range of version 6");
    demand(status == Status::ok || (v6_ == last && id == kNil), "out of range nothing moves");
    if (status == Status::ok) {
      demand(id > v6_id_ && version_of(id) == kV6, "version 6 is strictly increasing");
      demand(v6_ticks(id.hi) == v6_ && v6_ == std::max(clock, last + 1),
             "the clock's, or the next");
      v6_id_ = id;
    }
  }

  // Checks that no value of version 1 repeats: it has a later Gregorian tick or the next clock
  // sequence, until all of them have been used with a node.
  void step_v1(ClockReading now, std::uint64_t random) {
    if (!v1_.seeded) {
      v1_seed(&v1_, random);
      demand((v1_.node & kMulticastBit) != 0 && v1_.node <= low_bits(kNodeWidth), "a random node");
      demand(v1_.clock_seq <= low_bits(kClockSeqWidth), "a clock sequence within its width");
      first_seq_ = v1_.clock_seq;
    }
    const V1State last = v1_;
    Uuid id;
    if (v1_next(&v1_, now, &id) != Status::ok) {
      demand(v1_.last_ticks == last.last_ticks && v1_.last_clock == last.last_clock &&
                 v1_.clock_seq == last.clock_seq && v1_.seeded && id == kNil,
             "out of range nothing moves");
      return;
    }
    demand(version_of(id) == kV1 && node_of(id) == last.node, "version 1 has its node");
    demand(clock_seq_of(id) == ((first_seq_ + v1_.set_backs) & low_bits(kClockSeqWidth)),
           "a clock sequence for each time that the clock was set back");
    demand(v1_.set_backs <= low_bits(kClockSeqWidth), "each used once");
    demand(v1_.set_backs > last.set_backs || v1_ticks(id.hi) > last.last_ticks,
           "and ticks in order with it");
    demand(v1_ticks(id.hi) == v1_.last_ticks, "the last ticks are kept");
    demand(v1_.seeded || v1_.set_backs == low_bits(kClockSeqWidth), "seeded until all were used");
  }

  void step_shared(ClockReading now) {
    const UnixTicks before = shared_;
    UnixTicks clock = 0;
    UnixTicks last = 0;
    UnixTicks next = 0;
    if (unix_ticks_from_clock(now, &clock)) {
      const bool taken = take_unix_ticks(&shared_, clock, &last, &next);
      demand(last == before, "the one before");
      check_step(taken ? Status::ok : Status::clock_out_of_range, now, last, shared_, next);
    }
  }

  UnixTicks v7_ = 0;
  UnixTicks v8_ = 0;
  GregorianTicks v6_ = 0;
  V1State v1_;
  std::uint64_t first_seq_ = 0;
  SharedTicks shared_{0};
  Uuid v7_id_;
  Uuid v8_id_;
  Uuid v6_id_;
};

// Checks that a change of the clock is consistent, is counted, and is reported once.
void check_watch(ClockWatch *watch, ClockReading clock, ClockReading steady) {
  const ClockWatch last = *watch;
  const ClockChange change = observe(watch, clock, steady);
  demand(change.set_back >= 0 && change.jumped >= 0, "no negative change");
  demand(change.set_back == 0 || change.jumped == 0, "back or forward, not both");
  demand(last.started || (change.set_back == 0 && change.jumped == 0),
         "no change at the first check");
  demand(watch->set_backs == last.set_backs + (change.set_back > 0 ? 1 : 0),
         "each time is counted");
  demand(watch->max_set_back == std::max(last.max_set_back, change.set_back),
         "the largest is kept");
  const ClockChange again = observe(watch, clock, steady);
  demand(again.set_back == 0 && again.jumped == 0, "a change is reported once");
}

// Returns the next reading of the clock after this one.
ClockReading next_reading(Input &input, ClockReading now) {
  static constexpr std::int64_t kSeconds[] = {0,
                                              -1,
                                              1'645'557'742,
                                              kMaxUnixMillis / 1000,
                                              kMaxUnixMillis / 1000 - 1,
                                              kMinGregorianMicros / kMicrosPerSecond,
                                              kMinGregorianMicros / kMicrosPerSecond - 1,
                                              kMaxGregorianMicros / kMicrosPerSecond,
                                              kMaxGregorianMicros / kMicrosPerSecond - 1};
  switch (input.number<std::uint8_t>() % 6) {
    case 0:
      return moved(now, 0, input.number<std::int16_t>());
    case 1:
      return moved(now, 0, input.number<std::int32_t>());
    case 2:
      return moved(now, input.number<std::int32_t>(), 0);
    case 3:
      return {input.one_of(kSeconds), input.number<std::uint32_t>() % 1'000'000'000};
    case 4:
      return {input.number<std::int64_t>(), now.nanoseconds};
    default:
      return now;
  }
}

}  // namespace
}  // namespace uuidx_fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace uuidx_fuzz;
  ++inputs;
  Input input{data, size};
  Generators generators{input};
  ClockWatch watch;
  ClockReading now{1'645'557'742, 0};
  ClockReading steady{1'000, 0};
  int steps = 1000;
  while (!input.ended() && steps > 0) {
    const ClockReading before = now;
    now = next_reading(input, now);
    steady = moved(steady, 0, input.number<std::uint16_t>());
    check_watch(&watch, now, steady);
    const auto how = input.number<std::uint8_t>();
    int times = how % 4 == 0 ? input.number<std::uint8_t>() : 1;
    for (; times > 0 && steps > 0; --times, --steps) {
      // Alternates between two readings, or stays at one.
      const bool back = how >= 128 && times % 2 == 0;
      generators.step(back ? before : now, input.number<std::uint64_t>());
    }
    if (how % 16 == 1) {
      generators.raise(input.number<UnixTicks>());
    }
  }
  valid += generators.made_one() ? 1 : 0;
  return 0;
}
