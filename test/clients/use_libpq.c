// libpq with binary parameters and results.
#include <endian.h>
#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

// Returns Unix time in milliseconds.
static int64_t clock_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

// True if 16 bytes are a key of version 7, generated between that reading of the clock and now.
static bool is_new(const unsigned char *id, int64_t since) {
  int64_t time = 0;
  for (int i = 0; i < 6; i++) time = time << 8 | id[i];
  return id[6] >> 4 == 7 && id[8] >> 6 == 2 && since <= time && time <= clock_ms();
}

// True if the binary ids in the first column increase.
static bool increase(PGresult *result) {
  for (int row = 1; row < PQntuples(result); row++)
    if (memcmp(PQgetvalue(result, row - 1, 0), PQgetvalue(result, row, 0), 16) >= 0) return false;
  return PQntuples(result) > 1;
}

// True if two results have the same ids, of one day.
static bool same_day(PGresult *one, PGresult *other) {
  if (PQntuples(one) != DAY || PQntuples(other) != DAY) return false;
  for (int row = 0; row < DAY; row++)
    if (memcmp(PQgetvalue(one, row, 0), PQgetvalue(other, row, 0), 16) != 0) return false;
  return true;
}

static void use_keys(void) {
  int64_t start = clock_ms();
  valid(PQexec(connection,
               "CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL)"));
  // [doc: keys]
  const char *what = "first";
  PGresult *result = PQexecParams(connection, "INSERT INTO event (what) VALUES ($1) RETURNING id",
                                  1, NULL, &what, NULL, NULL, BINARY);
  const char *id = PQgetvalue(result, 0, 0);  // 16 octets, in sort order
  // [end]
  const Oid types[] = {UUID};
  const int lengths[] = {16}, formats[] = {BINARY};
  PGresult *found = PQexecParams(connection, "SELECT what FROM event WHERE id = $1", 1, types, &id,
                                 lengths, formats, 0);
  valid(result);
  valid(found);
  check("INSERT returns a new key",
        PQgetlength(result, 0, 0) == 16 && is_new((const unsigned char *)id, start));
  check("16 octets find their row",
        PQntuples(found) == 1 && strcmp(PQgetvalue(found, 0, 0), "first") == 0);
  result = valid(PQexecParams(
      connection,
      "INSERT INTO event (what) SELECT 'row' FROM generate_series(1, 1000) RETURNING id", 0, NULL,
      NULL, NULL, NULL, BINARY));
  check("keys are in order as octets", PQntuples(result) == 1000 && increase(result) &&
                                           memcmp(id, PQgetvalue(result, 0, 0), 16) < 0);
}

static void use_time_ranges(void) {
  valid(PQexec(connection, "CALL fill('event')"));
  // [doc: time_range]
  const Oid types[] = {TIMESTAMPTZ, TIMESTAMPTZ};
  const char *time_range[] = {"2026-01-10T00:00:00Z", "2026-01-11T00:00:00Z"};
  PQprepare(connection, "by_time_range", "SELECT id FROM event WHERE id >= $1 AND id < $2 ORDER BY id",
            2, types);
  PGresult *result = PQexecPrepared(connection, "by_time_range", 2, time_range, NULL, NULL, BINARY);
  // [end]
  valid(result);
  check(
      "a time range has the rows that their times say",
      same_day(result, valid(PQexecParams(connection,
                                          "SELECT id FROM event WHERE uuid_extract_time(id) >= $1 "
                                          "AND uuid_extract_time(id) < $2 ORDER BY id",
                                          2, types, time_range, NULL, NULL, BINARY))));

  // As microseconds since 2000.
  uint64_t since = htobe64((INT64_C(1768003200) - 946684800) * 1000000);
  uint64_t until = htobe64((INT64_C(1768089600) - 946684800) * 1000000);
  const char *binary[] = {(const char *)&since, (const char *)&until};
  const int lengths[] = {8, 8}, formats[] = {BINARY, BINARY};
  check("so it has in the binary form",
        same_day(result, valid(PQexecPrepared(connection, "by_time_range", 2, binary, lengths, formats,
                                              BINARY))));

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
