/* Functions that do nothing: the baselines of the benchmark. */
#include "postgres.h"

#include "fmgr.h"
#include "utils/uuid.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(bench_empty);
PG_FUNCTION_INFO_V1(bench_int8);

static pg_uuid_t constant = {{1, 2, 3}};

/* Returns a constant without copying it. */
Datum
bench_empty(PG_FUNCTION_ARGS)
{
	return UUIDPGetDatum(&constant);
}

/* Returns a constant by value: for functions that return a time. */
Datum
bench_int8(PG_FUNCTION_ARGS)
{
	return Int64GetDatum(42);
}
