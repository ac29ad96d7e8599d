# Conditions and order by a time column use the index of the key, from the first query of a session.
# Virtual columns of core's function, a snapshot from before a constraint was validated, foreign tables.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('time_columns');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nTimeZone = UTC\n");
$node->start;
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');
my $has_extensions = $node->safe_psql('postgres',
  q{SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'});

$node->safe_psql('postgres', q{
  CREATE EXTENSION uuidx;
  CREATE TABLE event (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int);
  INSERT INTO event SELECT uuid_v7_at('2026-01-01'::timestamptz + i * interval '1 minute'), i
    FROM generate_series(0, 9999) AS i;
  ANALYZE event;
  CREATE VIEW by_v7 AS SELECT *, uuid_extract_v7_time(id) AS created_at FROM event;
  CREATE VIEW by_any AS SELECT *, uuid_extract_time(id) AS created_at FROM event});

my $day = q{created_at >= '2026-01-02' AND created_at < '2026-01-03'};

# Returns the plan of the first query of a session, with further settings of the session.
sub first_plan {
  my ($query, $options) = @_;
  local $ENV{PGOPTIONS} = $options // '';
  return $node->safe_psql('postgres', "EXPLAIN (COSTS OFF) $query");
}

for my $view (qw(by_v7 by_any)) {
  like(first_plan("SELECT * FROM $view WHERE $day"), qr/Index Cond: \(\(id >= /,
    "$view: the first query of a session uses the index");
  like(first_plan("SELECT * FROM $view ORDER BY created_at DESC LIMIT 3"), qr/Index Scan Backward/,
    "$view: ORDER BY in the first query of a session uses the index");
}

SKIP: {
  skip 'PostgreSQL before 18 has no virtual columns', 5 if $version < 180000;
  $node->safe_psql('postgres', q{
    CREATE TABLE payment (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int,
      created_at timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(id)) VIRTUAL);
    INSERT INTO payment SELECT id, n FROM event;
    ANALYZE payment});
  my $query = "SELECT * FROM payment WHERE $day";
  like(first_plan($query), qr/Seq Scan/, "core's function alone does not load the library");
  like(first_plan($query, '-c session_preload_libraries=uuidx'), qr/Index Cond/,
    'session_preload_libraries loads the library');
  $node->safe_psql('postgres', 'CREATE STATISTICS payment_v7 ON (uuid_is_v7(id)) FROM payment');
  like(first_plan($query), qr/Index Cond/, 'a statistics object of the table loads the library');
  like(first_plan('SELECT * FROM payment ORDER BY created_at DESC LIMIT 3'), qr/Index Scan Backward/,
    'the virtual column orders by the index');
  is( $node->safe_psql('postgres', qq{
      SELECT count(*), min(n), max(n) FROM payment WHERE $day;
      SET uuidx.enable_time_columns = off;
      SELECT count(*), min(n), max(n) FROM payment WHERE $day}),
    "1440|1440|2879\n1440|1440|2879", 'the rows are the same with and without enable_time_columns');
}

SKIP: {
  skip 'postgres_fdw is not installed', 3 if !$has_extensions;
  my ($host, $port) = ($node->host, $node->port);
  $node->safe_psql('postgres', qq{
    CREATE EXTENSION postgres_fdw;
    CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw
      OPTIONS (host '$host', port '$port', dbname 'postgres', extensions 'uuidx');
    CREATE USER MAPPING FOR CURRENT_USER SERVER there;
    CREATE FOREIGN TABLE event_there (id uuid, n int) SERVER there OPTIONS (table_name 'event');
    CREATE VIEW from_there AS SELECT *, uuid_extract_v7_time(id) AS created_at FROM event_there});
  like($node->safe_psql('postgres', "EXPLAIN (VERBOSE, COSTS OFF) SELECT n FROM from_there WHERE $day"),
    qr/Remote SQL: .*id >= '019b7c01-0400-7000-8000-000000000000'/,
    'for a time column, a foreign server gets comparisons of the key');
  is($node->safe_psql('postgres', "SELECT count(*), min(n) FROM from_there WHERE $day"), '1440|1440',
    'a foreign server returns the rows of a time column');

  # A generated column of a foreign table is computed when it is written there, not when it is read.
  $node->safe_psql('postgres', qq{
    CREATE TABLE elsewhere (id uuid, at timestamptz);
    INSERT INTO elsewhere SELECT id, '2026-01-01' FROM event WHERE n = 1440;
    CREATE FOREIGN TABLE at_there (id uuid CHECK (uuid_is_v7(id)),
      at timestamptz GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED)
      SERVER there OPTIONS (table_name 'elsewhere')});
  my $first_minute = "LOAD 'uuidx'; SELECT count(*) FROM at_there WHERE at < '2026-01-01 00:01'";
  is($node->safe_psql('postgres', $first_minute), '1',
    'a generated column of a foreign table has the values of its server');
}

done_testing();
