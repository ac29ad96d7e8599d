// The settings of the extension.
#pragma once

#pragma GCC visibility push(hidden)

namespace uuidx {

// uuidx.max_clock_lead in milliseconds: how far a time may lie ahead of the clock.
extern int max_clock_lead;

// uuidx.node_id: 0 to 65535, or kNoNode where it is not set.
inline constexpr int kNoNode = -1;
extern int node_id;

// Makes them known to the server.
void define_settings();

}  // namespace uuidx

#pragma GCC visibility pop
