// The module itself. There is no _PG_init: nothing may be prepared at load, as a preloaded
// library's memory is copied into every backend.
#include "pg.hpp"

extern "C" {
PG_MODULE_MAGIC;
}
