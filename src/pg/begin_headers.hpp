// Begins a list of PostgreSQL's headers, which end_headers.hpp ends: they are written in C and
// cause these C++ warnings. The list comes last, after pg.hpp.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wregister"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wignored-attributes"
extern "C" {
