// A libFuzzer target for arbitrary UUIDs: their fields, times and conversions.
#include <cstring>
#include <optional>

#include "convert.hpp"
#include "fields.hpp"
#include "gregorian.hpp"
#include "v4.hpp"
#include "v7.hpp"
#include "v8_node.hpp"

#include "support.hpp"

namespace uuidx_fuzz {
namespace {

// Checks that the fields have every bit once, or that there are none.
void check_layout(Uuid id) {
  int next = 0;
  Uuid joined;
  for (const Field &field : layout_of(id)) {
    demand(field.first == next && field.width > 0 && field.width <= 62, "fields without gaps");
    next += field.width;
    const std::uint64_t value = field_value(id, field);
    demand(value >> field.width == 0, "a field within its width");
    for (int bit = 0; bit < field.width; ++bit) {
      const int place = 127 - (field.first + field.width - 1 - bit);
      std::uint64_t &word = place < 64 ? joined.lo : joined.hi;
      // Bits of a word are numbered from the least significant.
      word |= (value >> bit & 1) << (place % 64);
    }
  }
  demand(next == 0 || next == 128, "fields of all bits, or none");
  demand(next == 0 || joined == id, "the fields are the bits");
}

// Checks which fields a UUID of any version and variant has.
void check_any(Uuid id) {
  const auto version = version_of(id);
  demand(version.has_value() == (variant_of(id) == Variant::rfc9562), "a version by the variant");
  const bool gregorian = version == kV1 || version == kV6;
  demand(time_of(id).has_value() == (gregorian || version == kV7), "has a time");
  demand(precise_time_of(id).has_value() == time_of(id).has_value(), "has a precise time");
  demand(clock_seq_of(id).has_value() == gregorian, "clock sequence");
  demand(node_of(id).has_value() == gregorian, "node");
  demand(v8_node_of(id).has_value() == (version == kV8), "node of version 8");
  demand(v8_node_time_of(id).has_value() == (version == kV8), "time of version 8");
  demand(v1_to_v6(id).has_value() == (version == kV1), "version 6 of version 1 only");
  demand(v6_to_v1(id).has_value() == (version == kV6), "version 1 of version 6 only");
  demand(description_of(id) != nullptr && variant_name(variant_of(id)) != nullptr, "description");
  demand(swap_guid(swap_guid(id)) == id, "the order of a GUID undone");
  if (version) {
    demand(stamp(id, *version) == id, "stamped with what it has");
  }
}

// Checks that octets have the same order, and that no UUID lies between neighbours.
void check_order(Uuid id, Uuid other) {
  unsigned char octets[kUuidOctets];
  unsigned char others[kUuidOctets];
  to_octets(id, octets);
  to_octets(other, others);
  demand(from_octets(octets) == id, "octets and back");
  demand((id < other) == (std::memcmp(octets, others, sizeof octets) < 0), "the order of octets");
  const auto next = successor(id);
  demand(next.has_value() == (id != kMax), "a successor of all but max");
  demand(!next || (*next > id && predecessor(*next) == id), "the successor's predecessor");
  demand(!next || other <= id || other >= *next, "the successor is the next");
  demand(predecessor(id).has_value() == (id != kNil), "a predecessor of all but nil");
}

// Checks a version 1 or 6 UUID: a value for its time, its bounds, and its conversions agree with
// it.
void check_gregorian(Uuid id, Uuid other) {
  const UnixMicros time = *time_of(id);
  demand(precise_time_of(id) == time, "precise already");
  demand(in_gregorian_range(time), "a time in range");
  Uuid made;
  demand((version_of(id) == kV1 ? v1_at : v6_at)(time, id.lo, &made) == Status::ok, "made again");
  demand(time_of(made) == time && version_of(made) == version_of(id), "at the same time");
  demand(made.lo == (id.lo | kMulticastBit), "with clock sequence and node");
  const Uuid v6 = v1_to_v6(id).value_or(id);
  const Uuid v1 = *v6_to_v1(v6);
  demand(version_of(id) == kV6 || v1 == id, "version 1 as 6 and back");
  demand(v1_to_v6(v1) == v6, "version 6 as 1 and back");
  demand(time_of(v6) == time && time_of(v1) == time, "of the same time");
  demand(v6.lo == id.lo && v1.lo == id.lo, "and node");
  demand(v6_min(time) <= v6 && v6 <= v6_max(time), "within the bounds of its time");
  if (version_of(other) == version_of(id)) {
    const auto ticks = [](Uuid of) {
      return version_of(of) == kV1 ? v1_ticks(of.hi) : v6_ticks(of.hi);
    };
    const Uuid other_v6 = v1_to_v6(other).value_or(other);
    demand(ticks(id) == ticks(other) || (ticks(id) < ticks(other)) == (v6 < other_v6),
           "version 6 is in the order of time");
  }
}

// Checks the conversion of a version 1 or 6 UUID to version 7.
void check_to_v7(Uuid id, Uuid other) {
  const UnixMicros time = *time_of(id);
  const Uuid v6 = v1_to_v6(id).value_or(id);
  Uuid v7;
  const Status status = v6_to_v7(v6, other.lo, &v7);
  demand((status == Status::ok) == (time >= 0), "version 7 from 1970 on");
  if (status == Status::ok) {
    demand(version_of(v7) == kV7, "is a version 7");
    demand(*time_of(v7) == time - time % kMicrosPerMilli, "of the same millisecond");
    demand(*precise_time_of(v7) == time, "and microsecond");
    demand((v7.lo ^ other.lo) << 2 == 0, "with the digest");
  }
}

// Checks a version 7 UUID: its time, bounds, tick and UUIDv47 agree with it.
void check_v7(Uuid id, Uuid other) {
  const UnixMicros time = *time_of(id);
  const UnixMicros precise = *precise_time_of(id);
  demand(in_v7_range(time) && time % kMicrosPerMilli == 0, "a millisecond in range");
  demand(precise >= time && precise < time + kMicrosPerMilli, "within the millisecond");
  demand(v7_min(time) <= id && id <= v7_max(time), "within the bounds of its time");
  demand(v7_min(time + 1) > id, "below the next bound");
  Uuid made;
  demand(v7_at(precise, id.lo, &made) == Status::ok, "made again");
  demand(time_of(made) == time && made.lo == id.lo, "at the same time");
  demand(precise_time_of(made) == precise, "and microsecond");
  const UnixTicks ticks = unix_ticks_of(id);
  demand(v7_from_unix_ticks(ticks, id.lo) == id, "made of its tick");
  const UnixMicros by_ticks = micros_from_unix_ticks(ticks);
  demand(by_ticks == precise || by_ticks == precise + 1, "the time of its tick");
  demand(by_ticks < time + kMicrosPerMilli, "in the same millisecond");
  const SipKey key{other.hi, other.lo};
  const Uuid mask = v47_mask(id, key);
  demand(version_of(mask) == kV4 && mask.lo == id.lo, "masked as version 4");
  demand((mask.hi & low_bits(12)) == (id.hi & low_bits(12)), "except for its time");
  demand(v47_unmask(mask, key) == id, "and unmasked");
  if (version_of(other) == kV7) {
    demand(ticks >= unix_ticks_of(other) || id < other, "in the order of ticks");
  }
}

// Checks a version 4 UUID as a masked version 7 UUID.
void check_v4(Uuid id, Uuid other) {
  const SipKey key{other.hi, other.lo};
  const Uuid v7 = v47_unmask(id, key);
  demand(version_of(v7) == kV7 && v47_mask(v7, key) == id, "unmasked and masked");
}

// Checks a version 8 UUID as one with a node.
void check_v8(Uuid id) {
  const UnixTicks ticks = unix_ticks_of(id);
  demand(*v8_node_of(id) <= kMaxNode, "a node within its width");
  demand(v8_node_from_unix_ticks(ticks, *v8_node_of(id), id.lo) == id, "made of its node");
  demand(*v8_node_time_of(id) == micros_from_unix_ticks(ticks), "the time of its tick");
  demand(in_v7_range(*v8_node_time_of(id)), "a time in range");
}

}  // namespace
}  // namespace uuidx_fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace uuidx_fuzz;
  ++inputs;
  Input input{data, size};
  const Uuid id = any_uuid(input);
  const Uuid other = any_uuid(input);
  check_layout(id);
  check_any(id);
  check_order(id, other);
  switch (version_of(id).value_or(0)) {
    case kV1:
    case kV6:
      check_gregorian(id, other);
      check_to_v7(id, other);
      break;
    case kV7:
      check_v7(id, other);
      break;
    case kV4:
      check_v4(id, other);
      break;
    case kV8:
      check_v8(id);
      break;
    default:
      return 0;
  }
  ++valid;
  return 0;
}
