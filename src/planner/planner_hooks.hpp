// The planner's hooks for the tables of a query.
#pragma once

namespace uuidx {

// Lets the planner rewrite conditions and order by the time of a key. Called when the library is
// loaded.
void install_rewriting();

}  // namespace uuidx
