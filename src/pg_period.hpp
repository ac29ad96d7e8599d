// PostgreSQL's ranges of time as spans of version 7.
#pragma once

#include <span>

#include "period.hpp"

#include "pg.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// The span of a tstzrange.
UuidSpan span_of(const RangeType *period);

// The spans of a tstzmultirange that are not empty, in order, in the current memory context.
std::span<const UuidSpan> spans_of(const MultirangeType *periods);

// From the first of such spans to the last.
UuidSpan hull_of(std::span<const UuidSpan> spans) noexcept;

}  // namespace uuidx

#pragma GCC visibility pop
