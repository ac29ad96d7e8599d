// SQL functions of TypeID.
#include <string_view>

#include "core/text_formats.hpp"
#include "pg/text_argument.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Returns a prefix, or raises an error if it is none.
std::string_view get_prefix(Datum argument) {
  const std::string_view prefix = get_text(argument);
  if (typeid_prefix_fault(prefix)) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("invalid TypeID prefix: \"%s\"", TextDatumGetCString(argument)),
            errdetail("A prefix has at most %zu characters, lower-case letters a to z and, between "
                      "them, underscores.",
                      kMaxTypeidPrefix));
  }
  return prefix;
}

// Returns the parts of a TypeID, or raises an error if it is none. Does not check its prefix, but
// an error says if there is none although one is wanted.
DecodedTypeid get_typeid(Datum argument, std::string_view wanted = {}) {
  const std::string_view text = get_text(argument);
  const DecodedTypeid decoded = decode_typeid(text);
  if (decoded.text.fault != TextFault::none) {
    if (!wanted.empty() && text.find('_') == std::string_view::npos) {
      raise_missing_prefix(text, "TypeID", wanted);
    }
    raise_bad_text(text, "TypeID", decoded.text.fault, decoded.text.position);
  }
  return decoded;
}

Datum make_text(std::string_view value) {
  return PointerGetDatum(cstring_to_text_with_len(value.data(), static_cast<int>(value.size())));
}

}  // namespace

// uuid_to_typeid(uuid, prefix text)
UUIDX_FUNCTION(uuidx_to_typeid) {
  char result[kMaxTypeid];
  const std::size_t length =
      encode_typeid(get_uuid(PG_GETARG_DATUM(0)), get_prefix(PG_GETARG_DATUM(1)), result);
  return make_text({result, length});
}

// uuid_from_typeid(text)
UUIDX_FUNCTION(uuidx_from_typeid) {
  return make_uuid(get_typeid(PG_GETARG_DATUM(0)).text.id);
}

// uuid_from_typeid(text, prefix text)
UUIDX_FUNCTION(uuidx_from_typeid_text) {
  const std::string_view wanted = get_prefix(PG_GETARG_DATUM(1));
  const DecodedTypeid decoded = get_typeid(PG_GETARG_DATUM(0), wanted);
  if (decoded.prefix != wanted) {
    ereport(
        ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
        errmsg("TypeID has prefix \"%.*s\", not \"%.*s\"", static_cast<int>(decoded.prefix.size()),
               decoded.prefix.data(), static_cast<int>(wanted.size()), wanted.data()));
  }
  return make_uuid(decoded.text.id);
}

// typeid_prefix(text)
UUIDX_FUNCTION(uuidx_typeid_prefix) {
  return make_text(get_typeid(PG_GETARG_DATUM(0)).prefix);
}

}  // namespace uuidx
