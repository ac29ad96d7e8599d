// The planner's hooks.
#pragma once

namespace uuidx {

// Lets the planner rewrite conditions and order by the time of a key, and estimate rows by it. Does
// so once in a session: when the library is preloaded, or when the planner, or what computes bounds
// for it, first calls the library. A session that only generates keys has no hooks.
void install_planner_hooks();

}  // namespace uuidx
