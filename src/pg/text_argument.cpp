#include "pg/text_argument.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "mb/pg_wchar.h"
#include "pg/end_headers.hpp"

namespace uuidx {

namespace {

// What is wrong with a character at a position, by TextFault.
constexpr const char *kDetails[] = {
    nullptr,
    "Unexpected trailing character \"%.*s\" at position %d.",
    "Unexpected character \"%.*s\" at position %d.",
    "Character \"%.*s\" at position %d makes the value exceed 128 bits.",
    "Character \"%.*s\" at position %d sets bits beyond the first 128.",
    "Character \"%.*s\" at position %d is a leading zero.",
};

// Returns the octets of the character that a text of a length begins with, 0 for an empty one. In a
// SQL_ASCII database, where every octet is a character, most texts are UTF-8. Not by
// pg_mblen_with_len(), without which releases before 15.16 and 18.2 could not load the library.
int width_of_character(const char *at, int length) {
  const int encoding = GetDatabaseEncoding() == PG_SQL_ASCII ? PG_UTF8 : GetDatabaseEncoding();
  const int width = length > 0 ? pg_encoding_verifymbchar(encoding, at, length) : 0;
  return width < 0 ? 1 : width;
}

}  // namespace

std::string_view get_text(Datum argument) {
  const text *packed = DatumGetTextPP(argument);
  return {VARDATA_ANY(packed), static_cast<std::size_t>(VARSIZE_ANY_EXHDR(packed))};
}

Uuid get_octets(Datum argument, const char *what) {
  const std::string_view octets = get_text(argument);
  if (octets.size() != kUuidOctets) {
    ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
            errmsg("invalid input length for %s", what),
            errdetail("Expected %d bytes, got %zu.", kUuidOctets, octets.size()));
  }
  return from_octets(reinterpret_cast<const unsigned char *>(octets.data()));
}

[[noreturn]] void raise_bad_text(std::string_view text, const char *what, TextFault fault,
                                 std::size_t position) {
  const char *at = text.data() + position;
  const int width = width_of_character(at, static_cast<int>(text.size() - position));
  const int place = static_cast<int>(position) + 1;
  ereport(ERROR, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
          errmsg("invalid input syntax for %s: \"%.*s\"", what, static_cast<int>(text.size()),
                 text.data()),
          width == 0 ? errdetail("Unexpected end of text at position %d.", place)
                     : errdetail(kDetails[static_cast<int>(fault)], width, at, place));
  pg_unreachable();
}

}  // namespace uuidx
