#include "pg/server/mark_lock.hpp"

#include "pg/compat.hpp"

#include "pg/pg.hpp"

namespace uuidx {

namespace {

// How long a session sleeps before it tries mark_lock again. It is woken when the lock is released,
// except by an error.
constexpr long kRetryMillis = 100;

constinit std::uint32_t mark_wait_event = 0;

}  // namespace

void sleep_until_released(ServerMemory *server) {
  ConditionVariableTimedSleep(&server->mark_raised, kRetryMillis,
                              wait_event(&mark_wait_event, "UuidxMark"));
}

void release_mark_lock(ServerMemory *server) {
  LWLockRelease(&server->mark_lock);
  ConditionVariableBroadcast(&server->mark_raised);
}

}  // namespace uuidx
