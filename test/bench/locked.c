/*
 * A peer for the benchmark: UUIDs of version 7 in one order for all sessions, from a 64-bit tick in shared
 * memory that is read and raised under a lock for each value.
 */
#include "postgres.h"

#include <time.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/uuid.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(bench_locked);

void		_PG_init(void);

#define LOCK_NAME "bench_locked"
#define WORDS 1024

static uint64 *position;
static LWLock *lock;
static shmem_request_hook_type previous_request_hook;
static shmem_startup_hook_type previous_startup_hook;

static void
request(void)
{
	if (previous_request_hook)
		previous_request_hook();
	/* A cache line of its own. */
	RequestAddinShmemSpace(PG_CACHE_LINE_SIZE);
	RequestNamedLWLockTranche(LOCK_NAME, 1);
}

static void
start(void)
{
	bool		found;

	if (previous_startup_hook)
		previous_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	position = ShmemInitStruct(LOCK_NAME, PG_CACHE_LINE_SIZE, &found);
	if (!found)
		*position = 0;
	LWLockRelease(AddinShmemInitLock);
	lock = &GetNamedLWLockTranche(LOCK_NAME)->lock;
}

/* Requests the shared memory; the server must preload the library. */
void
_PG_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		ereport(ERROR, errmsg("the library must be preloaded"));
	previous_request_hook = shmem_request_hook;
	shmem_request_hook = request;
	previous_startup_hook = shmem_startup_hook;
	shmem_startup_hook = start;
}

/* Fetches random bits in batches, as the order is compared, not the random source. */
static uint64
draw_random(void)
{
	static uint64 words[WORDS];
	static int	left = 0;
	uint64		word;

	if (left == 0)
	{
		if (!pg_strong_random(words, sizeof(words)))
			ereport(ERROR, errmsg("no random bits"));
		left = WORDS;
	}
	word = words[--left];
	words[left] = 0;
	return word;
}

/* Writes a number in network order. */
static void
put(unsigned char *to, uint64 number)
{
	number = __builtin_bswap64(number);
	memcpy(to, &number, sizeof(number));
}

/*
 * Generates the next value: 48 bits of milliseconds, 12 and 4 of their fraction, 58 random ones. The clock
 * is read before the lock is taken, so that the lock is held as briefly as possible.
 */
Datum
bench_locked(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *result = palloc(sizeof(pg_uuid_t));
	uint64		random = draw_random();
	struct timespec now;
	uint64		next;

	clock_gettime(CLOCK_REALTIME, &now);
	next = (uint64) now.tv_sec * (UINT64CONST(1000) << 16) + ((uint64) now.tv_nsec << 16) / 1000000;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	if (next <= *position)
		next = *position + 1;
	*position = next;
	LWLockRelease(lock);

	put(result->data, (next & ~UINT64CONST(0xFFFF)) | 0x7000 | (next >> 4 & 0xFFF));
	put(result->data + 8, UINT64CONST(2) << 62 | (next & 0xF) << 58 | (random & ((UINT64CONST(1) << 58) - 1)));
	return UUIDPGetDatum(result);
}
