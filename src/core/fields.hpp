// Reading a UUID: variant, version, and the fields that each version has (RFC 9562 §4 and §5).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "timestamp.hpp"
#include "uuid.hpp"

namespace uuidx {

// The time in whole microseconds, rounded down: versions 1 and 6 of 100 ns, version 7 of its
// millisecond. None for every other UUID.
std::optional<UnixMicros> time_of(Uuid id) noexcept;

// The same, but version 7 with rand_a read as a fraction of the millisecond (§6.2 method 3); a
// maker that put random bits there yields a random microsecond of the right millisecond.
std::optional<UnixMicros> precise_time_of(Uuid id) noexcept;

// The 14-bit clock sequence of versions 1 and 6.
std::optional<std::uint32_t> clock_seq_of(Uuid id) noexcept;

// The 48-bit node of versions 1 and 6.
std::optional<std::uint64_t> node_of(Uuid id) noexcept;

// A named run of bits, counted from the most significant as the RFC does; at most 62 of them.
struct Field {
  const char *name;
  int first;
  int width;
};

// The layout of a UUID with the RFC's field names, in order and without gaps. Empty off the RFC
// variant and for versions whose layout RFC 9562 does not give.
std::span<const Field> layout_of(Uuid id) noexcept;

// The bits of one field as a number.
std::uint64_t field_value(Uuid id, const Field &field) noexcept;

// The name of the variant: ncs, rfc9562, microsoft, future.
const char *variant_name(Variant variant) noexcept;

// What kind of UUID it is, in the words of RFC 9562 table 2, for a person to read.
const char *description_of(Uuid id) noexcept;

}  // namespace uuidx
