// The share of a column's rows that are version 7 UUIDs.
#pragma once

#include "pg/pg.hpp"

namespace uuidx {

// Estimates uuid_is_v7(argument) by the statistics of a column; without statistics, all its UUIDs
// are taken for version 7.
void estimate_version(SupportRequestSelectivity *request);

}  // namespace uuidx
