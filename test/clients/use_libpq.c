// libpq: keys in the binary form, and times as parameters with and without a type, as other drivers send them.
#include <libpq-fe.h>
#include <stdbool.h>
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

// Queries the rows of a day.
static PGresult *rows(const char *condition, const Oid *types) {
  const char *const day[] = {"2026-01-10T00:00:00Z", "2026-01-11T00:00:00Z"};
  char query[200];
  snprintf(query, sizeof query, "SELECT FROM event WHERE %s", condition);
  return PQexecParams(connection, query, 2, types, day, NULL, NULL, 0);
}

static void use_times(void) {
  const char *by_id = "id >= $1 AND id < $2";
  const Oid types[] = {TIMESTAMPTZ, TIMESTAMPTZ};
  check("a time range has its rows", PQntuples(valid(rows(by_id, types))) == DAY);
  check("a parameter without a type is taken for a UUID",
        strcmp(PQresultErrorField(rows(by_id, NULL), PG_DIAG_SQLSTATE), "22P02") == 0);

  valid(PQexec(connection, "CALL add_time_column()"));
  const char *const conditions[] = {
      "created_at >= $1 AND created_at < $2",
      "uuid_extract_v7_time(id) >= $1 AND uuid_extract_v7_time(id) < $2",
      "id >= uuid_v7_min($1) AND id < uuid_v7_min($2)",
      "id <@ tstzrange($1, $2)",
      "id >= $1::timestamptz AND id < $2::timestamptz"};
  for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
    check(conditions[i], PQntuples(valid(rows(conditions[i], NULL))) == DAY);
}

int main(void) {
  connection = PQconnectdb("");
  if (PQstatus(connection) != CONNECTION_OK) {
    fprintf(stderr, "%s", PQerrorMessage(connection));
    return 1;
  }
  use_keys();
  use_times();
  PQfinish(connection);
  return failed;
}
