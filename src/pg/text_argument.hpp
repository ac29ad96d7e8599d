// Text arguments, and the error for one that cannot be read.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/text.hpp"

#include "pg/pg.hpp"

namespace uuidx {

// Returns the octets of a text or bytea argument.
std::string_view get_text(Datum argument);

// Returns a bytea argument of 16 octets as a UUID, or raises the error for another length. SQLSTATE
// 22P03.
Uuid get_octets(Datum argument, const char *what);

// Raises the error for a text that cannot be read as `what`, with the character at fault and its
// position. SQLSTATE 22P02.
[[noreturn]] void raise_bad_text(std::string_view text, const char *what, TextFault fault,
                                 std::size_t position);

}  // namespace uuidx
