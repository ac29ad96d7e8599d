// Readers of a UUID: variant, version, and the fields of each version (RFC 9562 §4 and §5).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "timestamp.hpp"
#include "uuid.hpp"

namespace uuidx {

// Returns the time in whole microseconds, rounded down from 100 ns for versions 1 and 6, and that
// of unix_ts_ms alone for version 7. Returns none for any other UUID.
std::optional<UnixMicros> time_of(Uuid id) noexcept;

// Returns the same, except that rand_a of version 7 is read as a fraction of the millisecond (§6.2
// method 3); if a generator put random bits there, the microsecond within the millisecond is
// random.
std::optional<UnixMicros> precise_time_of(Uuid id) noexcept;

// Returns the 14-bit clock sequence of versions 1 and 6, none for any other UUID.
std::optional<std::uint32_t> clock_seq_of(Uuid id) noexcept;

// Returns the 48-bit node of versions 1 and 6, none for any other UUID.
std::optional<std::uint64_t> node_of(Uuid id) noexcept;

// A named run of at most 62 bits, numbered as in the RFC: bit 0 is the most significant. It does
// not cross from bit 63 to 64.
struct Field {
  const char *name;
  int first;
  int width;
};

// Returns the fields of a UUID with the RFC's names, in order and without gaps. Returns none
// outside the RFC variant and for versions whose layout RFC 9562 does not define.
std::span<const Field> layout_of(Uuid id) noexcept;

// Returns the bits of one field as a number.
std::uint64_t field_value(Uuid id, const Field &field) noexcept;

// Returns the name of the variant: ncs, rfc9562, microsoft, future.
const char *variant_name(Variant variant) noexcept;

// Returns the kind of UUID in the words of RFC 9562 table 2, for display. Never null.
const char *description_of(Uuid id) noexcept;

}  // namespace uuidx
