#include "fields.hpp"

#include <iterator>

#include "gregorian.hpp"
#include "v7.hpp"

namespace uuidx {

namespace {

constexpr Field kVer{"ver", 48, 4};
constexpr Field kVar{"var", 64, 2};
constexpr Field kClockSeq{"clock_seq", 66, 14};
constexpr Field kNode{"node", 80, 48};

constexpr Field kV1Layout[] = {
    {"time_low", 0, 32}, {"time_mid", 32, 16}, kVer, {"time_high", 52, 12}, kVar, kClockSeq, kNode};
constexpr Field kV3Layout[] = {
    {"md5_high", 0, 48}, kVer, {"md5_mid", 52, 12}, kVar, {"md5_low", 66, 62}};
constexpr Field kV4Layout[] = {
    {"random_a", 0, 48}, kVer, {"random_b", 52, 12}, kVar, {"random_c", 66, 62}};
constexpr Field kV5Layout[] = {
    {"sha1_high", 0, 48}, kVer, {"sha1_mid", 52, 12}, kVar, {"sha1_low", 66, 62}};
constexpr Field kV6Layout[] = {
    {"time_high", 0, 32}, {"time_mid", 32, 16}, kVer, {"time_low", 52, 12}, kVar, kClockSeq, kNode};
constexpr Field kV7Layout[] = {
    {"unix_ts_ms", 0, 48}, kVer, {"rand_a", 52, 12}, kVar, {"rand_b", 66, 62}};
constexpr Field kV8Layout[] = {
    {"custom_a", 0, 48}, kVer, {"custom_b", 52, 12}, kVar, {"custom_c", 66, 62}};

// What RFC 9562 defines of a version: its name in table 2, and its layout in §5 if it has one.
struct VersionInfo {
  const char *description;
  std::span<const Field> layout;
};

constexpr VersionInfo kVersions[] = {
    {"unused version", {}},
    {"Gregorian time-based", kV1Layout},
    {"DCE Security, layout outside RFC 9562", {}},
    {"name-based, MD5", kV3Layout},
    {"random", kV4Layout},
    {"name-based, SHA-1", kV5Layout},
    {"reordered Gregorian time-based", kV6Layout},
    {"Unix Epoch time-based", kV7Layout},
    {"custom", kV8Layout},
};

constexpr unsigned kKnownVersions = std::size(kVersions);

}  // namespace

std::optional<UnixMicros> time_of(Uuid id) noexcept {
  switch (version_of(id).value_or(0)) {
    case kV1:
      return micros_from_gregorian_ticks(v1_ticks(id.hi));
    case kV6:
      return micros_from_gregorian_ticks(v6_ticks(id.hi));
    case kV7:
      return static_cast<UnixMicros>(id.hi >> kMillisShift) * kMicrosPerMilli;
    default:
      return std::nullopt;
  }
}

std::optional<UnixMicros> precise_time_of(Uuid id) noexcept {
  std::optional<UnixMicros> time = time_of(id);
  if (is_v7(id)) {
    *time += micros_from_rand_a(id.hi & low_bits(12));
  }
  return time;
}

std::optional<std::uint32_t> clock_seq_of(Uuid id) noexcept {
  if (!is_gregorian(id)) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(field_value(id, kClockSeq));
}

std::optional<std::uint64_t> node_of(Uuid id) noexcept {
  return is_gregorian(id) ? std::optional{field_value(id, kNode)} : std::nullopt;
}

std::span<const Field> layout_of(Uuid id) noexcept {
  const unsigned version = version_of(id).value_or(0);
  return version < kKnownVersions ? kVersions[version].layout : std::span<const Field>{};
}

std::uint64_t field_value(Uuid id, const Field &field) noexcept {
  const std::uint64_t half = field.first < 64 ? id.hi : id.lo;
  return half >> (64 - field.first % 64 - field.width) & low_bits(field.width);
}

const char *variant_name(Variant variant) noexcept {
  constexpr const char *kNames[] = {"ncs", "rfc9562", "microsoft", "future"};
  return kNames[static_cast<int>(variant)];
}

const char *description_of(Uuid id) noexcept {
  if (id == kNil) {
    return "nil";
  }
  if (id == kMax) {
    return "max";
  }
  const std::optional<unsigned> version = version_of(id);
  if (!version) {
    return "variant outside RFC 9562";
  }
  return *version < kKnownVersions ? kVersions[*version].description
                                   : "version reserved for future use";
}

}  // namespace uuidx
