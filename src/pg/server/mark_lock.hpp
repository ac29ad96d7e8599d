// The lock of the high-water mark, held while the mark is read from the file or raised.
#pragma once

#include "pg/server/server_memory.hpp"

#include "pg/pg.hpp"
#include "pg/begin_headers.hpp"
#include "storage/condition_variable.h"
#include "storage/lwlock.h"
#include "pg/end_headers.hpp"

namespace uuidx {

// Sleeps until the lock is released, or for a tenth of a second. Raises an error if the session is
// canceled.
void sleep_until_released(ServerMemory *server);

// Acquires mark_lock; returns false if `is_done()` turns true first. Not by LWLockAcquire: the lock
// is held while a mark is flushed, a wait for an LWLock cannot be canceled, and so a slow disk
// would suspend statement_timeout. The sleep on the condition variable can be. Its first call
// returns at once, after the session has entered the wait list, so no wakeup is lost between test
// and sleep: the spinlock of the list orders a failed test before the broadcast that follows the
// release, on weakly ordered machines, too.
template <typename Done>
bool acquire_mark_lock(ServerMemory *server, const Done &is_done) {
  bool acquired = LWLockConditionalAcquire(&server->mark_lock, LW_EXCLUSIVE);
  while (!acquired && !is_done()) {
    sleep_until_released(server);
    acquired = LWLockConditionalAcquire(&server->mark_lock, LW_EXCLUSIVE);
  }
  ConditionVariableCancelSleep();
  return acquired;
}

// Releases the lock and wakes the others.
void release_mark_lock(ServerMemory *server);

}  // namespace uuidx
