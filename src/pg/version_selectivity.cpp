#include "pg/version_selectivity.hpp"

#include <algorithm>

#include "core/v7.hpp"

namespace uuidx {

namespace {

// Returns the share of version 7 UUIDs among `count` values of a column; 1 if there are none.
double share_of_v7(const Datum *values, int count) {
  const auto found =
      std::count_if(values, values + count, [](Datum v) { return is_v7(get_uuid(v)); });
  return count > 0 ? static_cast<double>(found) / count : 1;
}

// Returns the share of a column's rows that are of version 7, by its statistics: those of the
// common values, and as many of the others as among the histogram's bounds, which are evenly spread
// over the rows.
double share_of_column(const VariableStatData &variable) {
  const auto *form = reinterpret_cast<Form_pg_statistic>(GETSTRUCT(variable.statsTuple));
  double others = 1 - form->stanullfrac;
  double share = 0;
  AttStatsSlot slot;
  if (get_attstatsslot(&slot, variable.statsTuple, STATISTIC_KIND_MCV, InvalidOid,
                       ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS)) {
    for (int i = 0; i < std::min(slot.nvalues, slot.nnumbers); ++i) {
      others -= slot.numbers[i];
      share += is_v7(get_uuid(slot.values[i])) ? slot.numbers[i] : 0;
    }
    free_attstatsslot(&slot);
  }
  get_attstatsslot(&slot, variable.statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid,
                   ATTSTATSSLOT_VALUES);
  share += std::max(others, 0.0) * share_of_v7(slot.values, slot.nvalues);
  free_attstatsslot(&slot);
  return std::clamp(share, 0.0, 1.0);
}

}  // namespace

// The type is checked, as a superuser may attach the support function to another function.
void estimate_version(SupportRequestSelectivity *request) {
  VariableStatData variable;
  request->selectivity = 1;
  if (list_length(request->args) != 1) {
    return;
  }
  examine_variable(request->root, static_cast<Node *>(linitial(request->args)), request->varRelid,
                   &variable);
  if (HeapTupleIsValid(variable.statsTuple) && getBaseType(variable.vartype) == UUIDOID &&
      statistic_proc_security_check(&variable, request->funcid)) {
    request->selectivity = share_of_column(variable);
  }
  ReleaseVariableStats(variable);
}

}  // namespace uuidx
