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

TEST(Fields, RfcTestVectors) {
  const Uuid v1 = parse("C232AB00-9414-11EC-B3C8-9F6BDECED846");
  const Uuid v6 = parse("1EC9414C-232A-6B00-B3C8-9F6BDECED846");
  const Uuid v7 = parse("017F22E2-79B0-7CC3-98C4-DC0C0C07398F");
  for (const Uuid id : {v1, v6, v7}) {
    EXPECT_EQ(time_of(id), kVectorMicros);
  }
  for (const Uuid id : {v1, v6}) {
    EXPECT_EQ(clock_seq_of(id), 0x33C8U);
    EXPECT_EQ(node_of(id), 0x9F6BDECED846U);
  }
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

TEST(Fields, PreciseTimeStaysWithinItsMillisecond) {
  for (std::uint64_t rand_a = 0; rand_a < 4096; ++rand_a) {
    const Uuid id = stamp({std::uint64_t{0x017F22E279B0} << 16 | rand_a, 0}, kV7);
    const UnixMicros micros = *precise_time_of(id) - *time_of(id);
    EXPECT_EQ(micros, static_cast<UnixMicros>((rand_a * 1000 + 999) / 4096));
    EXPECT_LT(micros, kMicrosPerMilli);
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

TEST(Fields, AnyBitMayBeAField) {
  const Uuid id{rng()(), rng()()};
  for (int bit = 0; bit < 128; ++bit) {
    const std::uint64_t half = bit < 64 ? id.hi : id.lo;
    EXPECT_EQ(field_value(id, {"bit", bit, 1}), half >> (63 - bit % 64) & 1);
  }
}

TEST(Fields, OtherVariantsAndUnknownVersionsHaveNoLayout) {
  EXPECT_TRUE(layout_of(kNil).empty());
  EXPECT_TRUE(layout_of(kMax).empty());
  EXPECT_TRUE(layout_of(with(7, 6)).empty());
  for (const unsigned version : {0U, 2U, 9U, 15U}) {
    EXPECT_TRUE(layout_of(stamp({rng()(), rng()()}, version)).empty());
  }
}

TEST(Fields, EveryVersionHasItsOwnDescription) {
  EXPECT_STREQ(description_of(kNil), "nil");
  EXPECT_STREQ(description_of(kMax), "max");
  EXPECT_STREQ(description_of(with(7, 6)), "variant outside RFC 9562");
  EXPECT_STREQ(description_of(with(1, 0)), "variant outside RFC 9562");
  EXPECT_STREQ(description_of(stamp({1, 1}, 7)), "Unix Epoch time-based");
  EXPECT_STREQ(description_of(stamp({1, 1}, 9)), description_of(stamp({1, 1}, 15)));
  for (unsigned version = 0; version < kV8; ++version) {
    EXPECT_STRNE(description_of(stamp({1, 1}, version)),
                 description_of(stamp({1, 1}, version + 1)));
  }
}

TEST(Fields, TimesAreThoseOfVersionsWithATime) {
  for (unsigned version = 0; version < 20; ++version) {
    const std::string first = std::string{times_of(version)}.substr(0, 4);
    const bool gregorian = version == kV1 || version == kV6;
    const bool unix_time = version == kV7 || version == kV8;
    EXPECT_EQ(first, gregorian ? "1582" : unix_time ? "1970" : "") << version;
  }
}

}  // namespace
}  // namespace uuidx_test
