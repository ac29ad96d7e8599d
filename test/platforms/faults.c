/*
 * Functions with faults that an instrumented server must report; otherwise, that it reports nothing of uuidx
 * would prove nothing. Each occurs if the argument is 8.
 */
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(heap_overflow);
PG_FUNCTION_INFO_V1(stack_overflow);
PG_FUNCTION_INFO_V1(signed_overflow);
PG_FUNCTION_INFO_V1(not_initialized);
PG_FUNCTION_INFO_V1(palloc_overflow);

/* Writes the byte after 8 of the heap. */
PGDLLEXPORT Datum
heap_overflow(PG_FUNCTION_ARGS)
{
	volatile char *volatile bytes = malloc(8);

	bytes[PG_GETARG_INT32(0)] = 1;
	free((void *) bytes);
	PG_RETURN_INT32(0);
}

/* Writes the byte after 8 of the stack. */
PGDLLEXPORT Datum
stack_overflow(PG_FUNCTION_ARGS)
{
	char		bytes[8] = {0};
	volatile char *volatile start = bytes;

	start[PG_GETARG_INT32(0)] = 1;
	PG_RETURN_INT32(bytes[0]);
}

/* Adds 1 to the greatest integer. */
PGDLLEXPORT Datum
signed_overflow(PG_FUNCTION_ARGS)
{
	volatile int32 number = PG_INT32_MAX - 7;

	number += PG_GETARG_INT32(0);
	PG_RETURN_INT32(number);
}

/* Branches on an uninitialized byte. */
PGDLLEXPORT Datum
not_initialized(PG_FUNCTION_ARGS)
{
	volatile char *volatile bytes = malloc(PG_GETARG_INT32(0));

	if (bytes[7] == 1)
		elog(ERROR, "the byte is 1");
	free((void *) bytes);
	PG_RETURN_INT32(0);
}

/*
 * Writes the byte after 7 of a palloc chunk. Many chunks share a block of the heap, so AddressSanitizer sees
 * nothing; PostgreSQL's check has no room after 8 bytes.
 */
PGDLLEXPORT Datum
palloc_overflow(PG_FUNCTION_ARGS)
{
	int32		size = PG_GETARG_INT32(0) - 1;
	volatile char *volatile bytes = palloc(size);

	bytes[size] = 1;
	PG_RETURN_INT32(0);
}
