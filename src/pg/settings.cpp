#include "pg/settings.hpp"

#include "core/v8_node.hpp"

#include "pg/pg.hpp"

namespace uuidx {

constinit int max_clock_lead = 60'000;
constinit int node_id = kNoNode;

void define_settings() {
  DefineCustomIntVariable("uuidx.max_clock_lead", "How far a time may lie ahead of the clock.",
                          "uuid_v7_advance() refuses a UUID that lies further ahead, and a clock "
                          "that jumps further is reported.",
                          &max_clock_lead, 60'000, 0, PG_INT32_MAX, PGC_SUSET, GUC_UNIT_MS, nullptr,
                          nullptr, nullptr);
  DefineCustomIntVariable("uuidx.node_id", "The node that uuid_v8_node() puts into its UUIDs.",
                          "0 to 65535, different on each server; -1 if not set.", &node_id, kNoNode,
                          kNoNode, static_cast<int>(kMaxNode), PGC_SUSET, 0, nullptr, nullptr,
                          nullptr);
  MarkGUCPrefixReserved("uuidx");
}

}  // namespace uuidx
