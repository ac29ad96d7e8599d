// SQL functions that convert UUIDs to other versions, text formats, TypeIDs, bytes, and version 4
// masks that hide the timestamp.
#include <string_view>

#include "core/convert.hpp"
#include "core/fields.hpp"
#include "core/gregorian.hpp"
#include "core/text_formats.hpp"
#include "core/v7.hpp"
#include "pg/backend.hpp"
#include "pg/libcrypto.hpp"
#include "pg/text_argument.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// Raises the error for a UUID of the wrong version, naming the one that it has.
[[noreturn]] void raise_wrong_version(Uuid id, const char *wanted) {
  if (const auto version = version_of(id)) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("UUID is of version %u, not %s", *version, wanted));
  }
  ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
          errmsg("UUID is of variant %s, not of version %s", variant_name(variant_of(id)), wanted));
  pg_unreachable();
}

// Returns the result of a conversion, or raises an error if there is none because the UUID has
// another version.
Datum make_converted(std::optional<Uuid> converted, Uuid from, const char *wanted) {
  if (!converted) {
    raise_wrong_version(from, wanted);
  }
  return make_uuid(*converted);
}

// Returns the text format of a name, or raises an error if there is none.
const TextFormat *get_text_format(Datum argument) {
  const std::string_view name = get_text(argument);
  const TextFormat *format = text_format_by_name(name);
  if (format == nullptr) {
    ereport(
        ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
        errmsg("unrecognized UUID format: \"%.*s\"", static_cast<int>(name.size()), name.data()),
        errhint(
            "Supported formats are \"ulid\", \"base32hex\", \"base58\", \"base64url\", \"hex\", "
            "\"urn\", and \"decimal\"."));
  }
  return format;
}

// Returns the key of SipHash that a secret is, of 16 octets like a UUID. Errors never show it.
SipKey get_secret(Datum argument) {
  const Uuid words = get_octets(argument, "secret");
  return {__builtin_bswap64(words.hi), __builtin_bswap64(words.lo)};
}

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

// Returns the parts of a TypeID, or raises an error if it is none. Does not check its prefix.
DecodedTypeid get_typeid(Datum argument) {
  const std::string_view text = get_text(argument);
  const DecodedTypeid decoded = decode_typeid(text);
  if (decoded.text.fault != TextFault::none) {
    raise_bad_text(text, "TypeID", decoded.text.fault, decoded.text.position);
  }
  return decoded;
}

Datum make_text(std::string_view value) {
  return PointerGetDatum(cstring_to_text_with_len(value.data(), static_cast<int>(value.size())));
}

}  // namespace

// uuid_v1_to_v6(uuid)
UUIDX_FUNCTION(uuidx_v1_to_v6) {
  const Uuid id = get_uuid(PG_GETARG_DATUM(0));
  return make_converted(v1_to_v6(id), id, "1");
}

// uuid_v6_to_v1(uuid)
UUIDX_FUNCTION(uuidx_v6_to_v1) {
  const Uuid id = get_uuid(PG_GETARG_DATUM(0));
  return make_converted(v6_to_v1(id), id, "6");
}

// uuid_to_v7(uuid)
UUIDX_FUNCTION(uuidx_to_v7) {
  const Uuid id = get_uuid(PG_GETARG_DATUM(0));
  if (!is_gregorian(id)) {
    raise_wrong_version(id, "1 or 6");
  }
  // By way of version 6, so that versions 1 and 6 of the same source give the same result.
  const Uuid v6 = v1_to_v6(id).value_or(id);
  return make_for_time(v6_to_v7(v6, sha256_of_name(v6, {}).hi), kV7);
}

// uuid_encode(uuid, format text)
UUIDX_FUNCTION(uuidx_encode) {
  char result[kMaxTextFormat];
  const std::size_t length =
      get_text_format(PG_GETARG_DATUM(1))->encode(get_uuid(PG_GETARG_DATUM(0)), result);
  return make_text({result, length});
}

// uuid_decode(text, format text)
UUIDX_FUNCTION(uuidx_decode) {
  const std::string_view data = get_text(PG_GETARG_DATUM(0));
  const DecodedText decoded = get_text_format(PG_GETARG_DATUM(1))->decode(data);
  if (decoded.fault != TextFault::none) {
    const char *format = TextDatumGetCString(PG_GETARG_DATUM(1));
    raise_bad_text(data, psprintf("UUID format \"%s\"", format), decoded.fault, decoded.position);
  }
  return make_uuid(decoded.id);
}

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
  const DecodedTypeid decoded = get_typeid(PG_GETARG_DATUM(0));
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

// uuid_swap_guid(uuid)
UUIDX_FUNCTION(uuidx_swap_guid) {
  return make_uuid(swap_guid(get_uuid(PG_GETARG_DATUM(0))));
}

// uuid_to_bytea(uuid)
UUIDX_FUNCTION(uuidx_to_bytea) {
  return make_bytea(get_uuid(PG_GETARG_DATUM(0)));
}

// uuid_from_bytea(bytea)
UUIDX_FUNCTION(uuidx_from_bytea) {
  return make_uuid(get_octets(PG_GETARG_DATUM(0), "type uuid"));
}

// uuid_v47_mask(uuid, secret bytea)
UUIDX_FUNCTION(uuidx_v47_mask) {
  const Uuid id = get_uuid(PG_GETARG_DATUM(0));
  if (!is_v7(id)) {
    raise_wrong_version(id, "7");
  }
  return make_uuid(v47_mask(id, get_secret(PG_GETARG_DATUM(1))));
}

// uuid_v47_unmask(uuid, secret bytea)
UUIDX_FUNCTION(uuidx_v47_unmask) {
  const Uuid id = get_uuid(PG_GETARG_DATUM(0));
  if (version_of(id) != kV4) {
    raise_wrong_version(id, "4");
  }
  return make_uuid(v47_unmask(id, get_secret(PG_GETARG_DATUM(1))));
}

}  // namespace uuidx
