// The module itself. There is no _PG_init: nothing may be prepared at load, as a preloaded
// library's memory is copied into every backend.
#include "pg.hpp"

extern "C" {
#ifdef PG_MODULE_MAGIC_EXT  // from PostgreSQL 18 on, for pg_get_loaded_modules()
PG_MODULE_MAGIC_EXT(.name = "uuidx", .version = UUIDX_VERSION);
#else
PG_MODULE_MAGIC;
#endif
}
