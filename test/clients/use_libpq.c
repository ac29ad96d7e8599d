// libpq with binary parameters and results.
#include <endian.h>
#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMESTAMPTZ = 1184, UUID = 2950, BINARY = 1, DAY = 288 };

static PGconn *connection;
static bool failed;

// Prints a result.
static void check(const char *what, bool is_so) {
  failed = failed || !is_so;
  printf(is_so ? "ok - %s\n" : "not ok - %s\n", what);
}

// Returns a result; ends the program if the statement failed.
static PGresult *valid(PGresult *result) {
  if (PQresultStatus(result) != PGRES_TUPLES_OK && PQresultStatus(result) != PGRES_COMMAND_OK) {
    fprintf(stderr, "%s", PQerrorMessage(connection));
    exit(1);
  }
  return result;
}

static void use_keys(void) {
  const char *what = "first";
  PGresult *result = PQexecParams(connection, "INSERT INTO event (what) VALUES ($1) RETURNING id",
                                  1, NULL, &what, NULL, NULL, BINARY);
  const char *id = PQgetvalue(result, 0, 0);  // 16 octets, in sort order
  const Oid types[] = {UUID};
  const int lengths[] = {16}, formats[] = {BINARY};
  PGresult *found = PQexecParams(connection, "SELECT what FROM event WHERE id = $1", 1, types, &id,
                                 lengths, formats, 0);
  valid(result);
  valid(found);
  check("a new key has 16 octets", PQgetlength(result, 0, 0) == 16 && (id[6] & 0xf0) == 0x70);
  check("16 octets find their row",
        PQntuples(found) == 1 && strcmp(PQgetvalue(found, 0, 0), "first") == 0);
}

static void use_time_ranges(void) {
  const Oid types[] = {TIMESTAMPTZ, TIMESTAMPTZ};
  const char *time_range[] = {"2026-01-10T00:00:00Z", "2026-01-11T00:00:00Z"};
  PQprepare(connection, "by_time_range", "SELECT id FROM event WHERE id >= $1 AND id < $2 ORDER BY id",
            2, types);
  PGresult *result = PQexecPrepared(connection, "by_time_range", 2, time_range, NULL, NULL, BINARY);
  check("a time range has its rows", PQntuples(valid(result)) == DAY);

  // As microseconds since 2000.
  uint64_t since = htobe64((INT64_C(1768003200) - 946684800) * 1000000);
  uint64_t until = htobe64((INT64_C(1768089600) - 946684800) * 1000000);
  const char *binary[] = {(const char *)&since, (const char *)&until};
  const int lengths[] = {8, 8}, formats[] = {BINARY, BINARY};
  result = valid(PQexecPrepared(connection, "by_time_range", 2, binary, lengths, formats, BINARY));
  check("so it has in the binary form", PQntuples(result) == DAY);

  const char *plan =
      PQgetvalue(valid(PQexec(connection, "SELECT generic_plan('SELECT id FROM event%')")), 0, 0);
  check("the prepared statement asks the index for any time range",
        strstr(plan, "Index Cond: ((id >= uuid_v7_min($1)) AND (id < uuid_v7_min($2)))") != NULL);

  result =
      PQexecParams(connection, "SELECT FROM event WHERE id >= $1", 1, NULL, time_range, NULL, NULL, 0);
  check("a parameter without a type is taken for a UUID",
        strcmp(PQresultErrorField(result, PG_DIAG_SQLSTATE), "22P02") == 0);
}

int main(void) {
  connection = PQconnectdb("");
  if (PQstatus(connection) != CONNECTION_OK) {
    fprintf(stderr, "%s", PQerrorMessage(connection));
    return 1;
  }
  use_keys();
  use_time_ranges();
  PQfinish(connection);
  return failed;
}
