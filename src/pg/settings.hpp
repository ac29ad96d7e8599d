// The extension's configuration parameters, and PostgreSQL's.
#pragma once

namespace uuidx {

// uuidx.max_clock_lead, in milliseconds: how far a time may be ahead of the clock.
inline constexpr int kDefaultClockLead = 60'000;
extern int max_clock_lead;

// uuidx.node_id: 0 to 65535, or kNoNode if it is not set.
inline constexpr int kNoNode = -1;
extern int node_id;

// uuidx.enable_statistics: whether the planner gets statistics of uuid columns that are adapted to
// a query.
extern bool enable_statistics;

// uuidx.enable_time_columns: whether the planner rewrites conditions and order by the time of a
// key.
extern bool enable_time_columns;

// Defines the parameters and reserves their prefix.
void define_settings();

// Sets a parameter until the end of the current subtransaction or nest level.
void set_locally(const char *name, const char *value);

// True if the server or this session loaded the library before the first query.
bool is_preloaded();

}  // namespace uuidx
