/*
 * Faults for what watches the server to report: where it does not, that it reported nothing of uuidx
 * says nothing. Each is made when the argument is 8.
 */
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(heap_overflow);
PG_FUNCTION_INFO_V1(stack_overflow);
PG_FUNCTION_INFO_V1(signed_overflow);
PG_FUNCTION_INFO_V1(not_initialized);
PG_FUNCTION_INFO_V1(palloc_overflow);

/* Writes the octet behind 8 of the heap. */
PGDLLEXPORT Datum
heap_overflow(PG_FUNCTION_ARGS)
{
	volatile char *volatile octets = malloc(8);

	octets[PG_GETARG_INT32(0)] = 1;
	free((void *) octets);
	PG_RETURN_INT32(0);
}

/* Writes the octet behind 8 of the stack. */
PGDLLEXPORT Datum
stack_overflow(PG_FUNCTION_ARGS)
{
	char		octets[8] = {0};
	volatile char *volatile start = octets;

	start[PG_GETARG_INT32(0)] = 1;
	PG_RETURN_INT32(octets[0]);
}

/* Adds one too many to a number. */
PGDLLEXPORT Datum
signed_overflow(PG_FUNCTION_ARGS)
{
	volatile int32 number = PG_INT32_MAX - 7;

	number += PG_GETARG_INT32(0);
	PG_RETURN_INT32(number);
}

/* Decides by an octet that nobody has written. */
PGDLLEXPORT Datum
not_initialized(PG_FUNCTION_ARGS)
{
	volatile char *volatile octets = malloc(PG_GETARG_INT32(0));

	if (octets[7] == 1)
		elog(ERROR, "the octet is 1");
	free((void *) octets);
	PG_RETURN_INT32(0);
}

/*
 * Writes the octet behind 7 of a chunk of PostgreSQL's, of which many share a block of the heap. Behind 8
 * there is room for a check only from 16 on.
 */
PGDLLEXPORT Datum
palloc_overflow(PG_FUNCTION_ARGS)
{
	int32		size = PG_GETARG_INT32(0) - 1;
	volatile char *volatile octets = palloc(size);

	octets[size] = 1;
	PG_RETURN_INT32(0);
}
