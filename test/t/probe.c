/*
 * Functions by which a test writes what another version of uuidx may have written: a WAL record, and
 * the header of the shared memory.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "access/xloginsert.h"
#include "fmgr.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#endif

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(log_record);
PG_FUNCTION_INFO_V1(make_segment);

/* log_record(info int, data bytea): writes and flushes a record of uuidx's resource manager. */
Datum
log_record(PG_FUNCTION_ARGS)
{
	bytea	   *data = PG_GETARG_BYTEA_PP(1);

	XLogBeginInsert();
	if (VARSIZE_ANY_EXHDR(data) > 0)
		XLogRegisterData(VARDATA_ANY(data), VARSIZE_ANY_EXHDR(data));
	XLogFlush(XLogInsert(178, (uint8) PG_GETARG_INT32(0)));
	PG_RETURN_VOID();
}

#if PG_VERSION_NUM >= 190000
static void
clear(void *segment, void *size)
{
	memset(segment, 0x7F, *(int32 *) size);
}
#elif PG_VERSION_NUM >= 170000
static int32 segment_size;

static void
clear(void *segment)
{
	memset(segment, 0x7F, segment_size);
}
#endif

/* make_segment(size int): creates the named shared memory of uuidx with another content. */
Datum
make_segment(PG_FUNCTION_ARGS)
{
#if PG_VERSION_NUM >= 170000
	bool		found;
	int32		size = PG_GETARG_INT32(0);

#if PG_VERSION_NUM >= 190000
	(void) GetNamedDSMSegment("uuidx", size, clear, &found, &size);
#else
	segment_size = size;
	(void) GetNamedDSMSegment("uuidx", size, clear, &found);
#endif
#endif
	PG_RETURN_VOID();
}
