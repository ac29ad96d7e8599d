// PostgreSQL's ranges of time as periods and as spans of version 7.
#pragma once

#include <span>

#include "period.hpp"

#include "pg.hpp"

#pragma GCC visibility push(hidden)

namespace uuidx {

// A tstzrange.
Period period_of(const RangeType *range);

// The i-th range of a tstzmultirange, counted from 0.
Period period_at(const MultirangeType *ranges, uint32 i);

// The spans of a tstzmultirange that are not empty, in order, in the current memory context.
std::span<const UuidSpan> spans_of(const MultirangeType *ranges);

// From the first of such spans to the last.
UuidSpan hull_of(std::span<const UuidSpan> spans) noexcept;

}  // namespace uuidx

#pragma GCC visibility pop
