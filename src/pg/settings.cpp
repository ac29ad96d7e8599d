#include "pg/settings.hpp"

#include <cstring>

#include "core/v8_node.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "utils/guc.h"
#include "pg/end_headers.hpp"

namespace uuidx {

constinit int max_clock_lead = kDefaultClockLead;
constinit int node_id = kNoNode;
constinit bool enable_statistics = true;
constinit bool enable_time_columns = true;

void define_settings() {
  // An earlier call may have lacked memory for some, which then keep their defaults: the library
  // stays mapped, and a setting cannot be defined twice.
  static constinit bool begun = false;
  if (begun) {
    return;
  }
  begun = true;
  DefineCustomIntVariable(
      "uuidx.max_clock_lead", "Sets how far uuid_v7_server() may be moved ahead of the clock.",
      "uuid_v7_advance() rejects a UUID that is further ahead.", &max_clock_lead, kDefaultClockLead,
      0, PG_INT32_MAX, PGC_SUSET, GUC_UNIT_MS, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("uuidx.node_id", "Sets the node ID in UUIDs of uuid_v8_node().",
                          "0 to 65535, different on each server; -1 if not set.", &node_id, kNoNode,
                          kNoNode, static_cast<int>(kMaxNode), PGC_SUSET, 0, nullptr, nullptr,
                          nullptr);
  DefineCustomBoolVariable(
      "uuidx.enable_statistics", "Enables statistics of uuid columns for comparisons in a query.",
      "If off, the planner does not interpolate in histograms of these columns.",
      &enable_statistics, true, PGC_USERSET, GUC_EXPLAIN, nullptr, nullptr, nullptr);
  DefineCustomBoolVariable("uuidx.enable_time_columns",
                           "Enables the planner's use of a key for conditions on its time.",
                           "Also for ORDER BY this time.", &enable_time_columns, true, PGC_USERSET,
                           GUC_EXPLAIN, nullptr, nullptr, nullptr);
  MarkGUCPrefixReserved("uuidx");
}

void set_locally(const char *name, const char *value) {
  set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

bool is_preloaded() {
  for (const char *name :
       {"shared_preload_libraries", "session_preload_libraries", "local_preload_libraries"}) {
    const char *libraries = GetConfigOption(name, true, false);
    if (libraries != nullptr && std::strstr(libraries, "uuidx") != nullptr) {
      return true;
    }
  }
  return false;
}

}  // namespace uuidx
