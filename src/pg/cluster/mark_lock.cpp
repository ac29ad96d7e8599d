#include "pg/cluster/mark_lock.hpp"

#include "pg/compat.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// How long a session sleeps before it tries mark_lock again. It is woken when the lock is released,
// except by an error.
constexpr long kRetryMillis = 100;

constinit std::uint32_t mark_wait_event = 0;

}  // namespace

void sleep_until_released(ClusterState *cluster) {
  ConditionVariableTimedSleep(&cluster->mark_raised, kRetryMillis,
                              wait_event(&mark_wait_event, "UuidxMark"));
}

void release_mark_lock(ClusterState *cluster) {
  LWLockRelease(&cluster->mark_lock);
  ConditionVariableBroadcast(&cluster->mark_raised);
}

}  // namespace uuidx
