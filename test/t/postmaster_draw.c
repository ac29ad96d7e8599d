/*
 * Generates UUIDs in the postmaster, in a preloaded library's _PG_init. Every backend then inherits a
 * generator with random words, ticks and a node, which it must not use.
 */
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	static const char *const makers[] = {"uuidx_v1", "uuidx_v4", "uuidx_v6", "uuidx_v7"};

	for (size_t i = 0; i < lengthof(makers); i++)
		(void) DirectFunctionCall1(load_external_function("$libdir/uuidx", makers[i], true, NULL), (Datum) 0);
}
