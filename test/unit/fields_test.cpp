#include "fields.hpp"

#include <string>

#include "gregorian.hpp"
#include "support.hpp"
#include "v7.hpp"
#include "v8.hpp"

namespace uuidx_test {
namespace {

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
      const Uuid id = stamp({v6_time_fields(ticks), 0}, kV6);
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
