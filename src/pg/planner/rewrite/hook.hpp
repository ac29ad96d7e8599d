// Time columns: conditions and order by the time of a key use the index of the key.
#pragma once

namespace uuidx {

// Lets the planner rewrite conditions and order by the extracted time of a key. Called when the
// library is loaded.
void install_time_columns();

}  // namespace uuidx
