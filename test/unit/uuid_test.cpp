#include "uuid.hpp"

#include <cstring>
#include <string>

#include "fields.hpp"
#include "gregorian.hpp"
#include "support.hpp"

namespace uuidx_test {
namespace {

TEST(Uuid, OctetsAreInNetworkOrder) {
  const unsigned char octets[] = {0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0,
                                  0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b, 0xf6};
  const Uuid id = from_octets(octets);
  EXPECT_EQ(id, parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"));
  unsigned char back[16];
  to_octets(id, back);
  EXPECT_EQ(std::memcmp(octets, back, sizeof back), 0);
}

TEST(Uuid, OrderIsTheOrderOfTheOctets) {
  for (int i = 0; i < 100'000; ++i) {
    const Uuid a{rng()() >> random_between(0, 63), rng()()};
    const Uuid b{i % 2 == 0 ? a.hi : rng()(), rng()()};
    unsigned char octets_a[16];
    unsigned char octets_b[16];
    to_octets(a, octets_a);
    to_octets(b, octets_b);
    ASSERT_EQ(a < b, std::memcmp(octets_a, octets_b, 16) < 0);
  }
}

TEST(Uuid, SuccessorAndPredecessorAreNeighbours) {
  EXPECT_EQ(successor(Uuid{1, ~std::uint64_t{0}}), (Uuid{2, 0}));
  EXPECT_EQ(predecessor(Uuid{2, 0}), (Uuid{1, ~std::uint64_t{0}}));
  EXPECT_EQ(successor(kMax), std::nullopt);
  EXPECT_EQ(predecessor(kNil), std::nullopt);
  for (int i = 0; i < 10'000; ++i) {
    const Uuid id{rng()(), rng()()};
    ASSERT_GT(*successor(id), id);
    ASSERT_EQ(predecessor(*successor(id)), id);
    ASSERT_EQ(successor(*predecessor(id)), id);
  }
}

TEST(Uuid, StampChangesSixBitsAndNoOther) {
  constexpr std::uint64_t kOtherHi = ~std::uint64_t{0xF000};
  for (unsigned version = 0; version < 16; ++version) {
    const Uuid id{rng()(), rng()()};
    const Uuid stamped = stamp(id, version);
    EXPECT_EQ(version_of(stamped), version);
    EXPECT_EQ(stamped.hi & kOtherHi, id.hi & kOtherHi);
    EXPECT_EQ(stamped.lo & low_bits(62), id.lo & low_bits(62));
  }
}

TEST(Uuid, VariantIsInTheFirstBitsOfOctet8) {
  constexpr Variant kExpected[] = {Variant::ncs,       Variant::ncs,     Variant::ncs,
                                   Variant::ncs,       Variant::rfc9562, Variant::rfc9562,
                                   Variant::microsoft, Variant::future};
  for (const std::uint64_t rest : {std::uint64_t{0}, low_bits(61)}) {
    for (std::uint64_t bits = 0; bits < 8; ++bits) {
      const Uuid id{0x7000, bits << 61 | rest};
      EXPECT_EQ(variant_of(id), kExpected[bits]);
      EXPECT_EQ(version_of(id).has_value(), kExpected[bits] == Variant::rfc9562);
    }
  }
}

TEST(V4, RfcTestVector) {
  EXPECT_EQ(stamp({0x919108F752D13320, 0x5BACF847DB4148A8}, kV4),
            parse("919108f7-52d1-4320-9bac-f847db4148a8"));
}

// Returns a random UUID with the given version and the given three highest bits of octet 8.
Uuid with(unsigned version, unsigned variant_bits) {
  Uuid id{rng()(), rng()()};
  id.hi = (id.hi & ~kVersionMask) | std::uint64_t{version} << 12;
  id.lo = (id.lo & low_bits(61)) | std::uint64_t{variant_bits} << 61;
  return id;
}

TEST(Fields, OnlyVersionsWithATimeGiveOne) {
  for (unsigned version = 0; version < 16; ++version) {
    for (unsigned bits = 0; bits < 8; ++bits) {
      const bool rfc = bits == 4 || bits == 5;
      const bool gregorian = rfc && (version == 1 || version == 6);
      const Uuid id = with(version, bits);
      EXPECT_EQ(time_of(id).has_value(), gregorian || (rfc && version == 7));
      EXPECT_EQ(precise_time_of(id).has_value(), time_of(id).has_value());
      EXPECT_EQ(clock_seq_of(id).has_value(), gregorian);
      EXPECT_EQ(node_of(id).has_value(), gregorian);
    }
  }
  EXPECT_FALSE(time_of(kNil) || time_of(kMax) || precise_time_of(kNil) || precise_time_of(kMax));
}

TEST(Fields, GregorianTimeIsTheFloorOfItsTicks) {
  // Around 1970, when the microseconds change their sign, and at both ends.
  for (const GregorianTicks base : {GregorianTicks{100}, GregorianTicks{kGregorianTicksAtUnixEpoch},
                                    kMaxGregorianTicks - 100}) {
    for (GregorianTicks ticks = base - 100; ticks <= base + 100; ++ticks) {
      const Uuid id = v6_from_fields(ticks, 0);
      const auto since_1970 = static_cast<std::int64_t>(ticks) - kGregorianTicksAtUnixEpoch;
      const std::int64_t floored = (since_1970 - ((since_1970 % 10) + 10) % 10) / 10;
      EXPECT_EQ(time_of(id), floored);
      EXPECT_EQ(precise_time_of(id), floored);
    }
  }
}

TEST(Fields, LayoutCoversEveryBitOnceInOrder) {
  for (unsigned version = 1; version <= kV8; ++version) {
    const Uuid id = stamp({rng()(), rng()()}, version);
    if (version == 2) {
      continue;  // outside RFC 9562
    }
    int next = 0;
    Uuid again;
    for (const Field &field : layout_of(id)) {
      EXPECT_EQ(field.first, next) << field.name;
      next = field.first + field.width;
      std::uint64_t &half = field.first < 64 ? again.hi : again.lo;
      half = half << field.width | field_value(id, field);
      if (std::string(field.name) == "ver") {
        EXPECT_EQ(field_value(id, field), version);
      }
      if (std::string(field.name) == "var") {
        EXPECT_EQ(field_value(id, field), 0b10U);
      }
    }
    EXPECT_EQ(next, 128);
    EXPECT_EQ(again, id);  // the fields hold the whole value
  }
}

}  // namespace
}  // namespace uuidx_test
