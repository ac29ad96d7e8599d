// The loadable module. Loading it creates no random bits, ticks or node IDs: the memory of a
// preloaded library is copied into every backend.
#include "planner/planner_hooks.hpp"
#include "planner/near_sort/near_sort.hpp"
#include "server/server_clock.hpp"
#include "pg/settings.hpp"

#include "pg/pg.hpp"

extern "C" {
#ifdef PG_MODULE_MAGIC_EXT  // from PostgreSQL 18 on, for pg_get_loaded_modules()
PG_MODULE_MAGIC_EXT(.name = "uuidx", .version = UUIDX_VERSION);
#else
PG_MODULE_MAGIC;
#endif

// NOLINTNEXTLINE: PostgreSQL requires this name.
PGDLLEXPORT void _PG_init();
}

// Initializes the library. The server calls it once in each process that loads the library, and in
// the postmaster alone if it is preloaded.
// NOLINTNEXTLINE: as above.
void _PG_init() {
  uuidx::define_settings();
  uuidx::register_near_sort();
  if (uuidx::is_preloaded()) {
    uuidx::install_planner_hooks();
  }
  if (process_shared_preload_libraries_in_progress) {
    uuidx::prepare_server_clock();
  }
}
