// Planner support for uuid_is_v7(): its estimate, and its form on foreign tables.
#include "core/v7.hpp"
#include "pg/planner/columns.hpp"
#include "pg/planner/version_selectivity.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// True if a foreign table's server is said to have the extension of a function: by the option that
// postgres_fdw has for that.
bool server_has_function(Oid table, Oid function) {
  const Oid extension = getExtensionOfObject(ProcedureRelationId, function);
  const char *name = OidIsValid(extension) ? get_extension_name(extension) : nullptr;
  const List *options = GetForeignServer(GetForeignTable(table)->serverid)->options;
  for (int i = 0; name != nullptr && i < list_length(options); ++i) {
    auto *option = static_cast<DefElem *>(list_nth(options, i));
    List *names = NIL;
    if (strcmp(option->defname, "extensions") == 0 &&
        SplitIdentifierString(pstrdup(defGetString(option)), ',', &names)) {
      for (int k = 0; k < list_length(names); ++k) {
        if (strcmp(static_cast<const char *>(list_nth(names, k)), name) == 0) {
          return true;
        }
      }
    }
  }
  return false;
}

// Returns a call of one of PostgreSQL's own functions.
Expr *call(Oid function, Oid result, List *args) {
  return reinterpret_cast<Expr *>(
      makeFuncExpr(function, result, args, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
}

// Returns an integer as a constant.
Expr *constant(int32 value) {
  return reinterpret_cast<Expr *>(
      makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(value), false, true));
}

// Returns the high bits of a UUID's octet: `get_byte(uuid_send(id), octet) >> shift`.
Expr *high_bits(Node *id, int octet, int shift) {
  Expr *octets = call(F_UUID_SEND, BYTEAOID, list_make1(copyObjectImpl(id)));
  Expr *byte = call(F_GET_BYTE, INT4OID, list_make2(octets, constant(octet)));
  return call(F_INT4SHR, INT4OID, list_make2(byte, constant(shift)));
}

// Returns the test of the version in terms of PostgreSQL's own functions, which any server knows:
// `(version * 4 + variant = 30)::integer <> 0`. The last operator is there for its estimate:
// PostgreSQL expects nearly all rows of it, but few of a boolean or an equality.
Node *built_in_test(Node *id) {
  constexpr int kVariantBits = 64 - kVariantShift;
  constexpr int kWanted = (kV7 << kVariantBits) + (kRfcVariant >> kVariantShift);
  Expr *version = call(F_INT4SHL, INT4OID, list_make2(high_bits(id, 6, 4), constant(kVariantBits)));
  Expr *fields =
      call(F_INT4OR, INT4OID, list_make2(version, high_bits(id, 8, BITS_PER_BYTE - kVariantBits)));
  Expr *equal = call(F_INT4EQ, BOOLOID, list_make2(fields, constant(kWanted)));
  Expr *number = call(F_INT4_BOOL, INT4OID, list_make1(equal));
  return reinterpret_cast<Node *>(make_opclause(get_negator(Int4EqualOperator), BOOLOID, false,
                                                number, constant(0), InvalidOid, InvalidOid));
}

// Returns a test that a foreign server knows, for a column of a foreign table whose server may not
// have the extension; null to keep the call. The whole condition can then be sent there.
Node *simplify(const SupportRequestSimplify *request) {
  List *args = request->fcall->args;
  if (list_length(args) != 1 || request->fcall->funcresulttype != BOOLOID) {
    return nullptr;
  }
  auto *id = static_cast<Node *>(linitial(args));
  const RangeTblEntry *table = table_of(request->root, column_of(id));
  if (!is_foreign(table) || getBaseType(exprType(id)) != UUIDOID ||
      server_has_function(table->relid, request->fcall->funcid)) {
    return nullptr;
  }
  return built_in_test(id);
}

}  // namespace

// uuid_is_v7_support(internal), the support function of uuid_is_v7(): returns null, as the planner
// expects, if it cannot serve the request.
UUIDX_FUNCTION(uuidx_is_v7_support) {
  auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));
  void *result = nullptr;
  if (IsA(request, SupportRequestSimplify)) {
    result = simplify(reinterpret_cast<SupportRequestSimplify *>(request));
  } else if (IsA(request, SupportRequestSelectivity)) {
    estimate_version(reinterpret_cast<SupportRequestSelectivity *>(request));
    result = request;
  }
  PG_RETURN_POINTER(result);
}

}  // namespace uuidx
