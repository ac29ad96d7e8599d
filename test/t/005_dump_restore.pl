# A database that uses the extension everywhere survives a dump and a restore.

use Helpers;

my $node = start_node('dump_restore');
$node->safe_psql('postgres', 'CREATE DATABASE origin');
$node->safe_psql('origin', q{
  CREATE EXTENSION uuidx;

  -- Default, generated column, CHECK, expression index.
  CREATE TABLE event (
    id uuid PRIMARY KEY DEFAULT uuid_v7() CHECK (uuid_extract_version(id) = 7),
    made timestamptz GENERATED ALWAYS AS (uuid_extract_time(id)) STORED,
    body text NOT NULL);
  CREATE TABLE mixed (id uuid NOT NULL, body text);
  CREATE INDEX mixed_version ON mixed (uuid_extract_version(id));
  INSERT INTO event (body) SELECT 'event ' || n FROM generate_series(1, 1000) AS n;
  INSERT INTO mixed SELECT f.id, 'mixed ' || n FROM generate_series(1, 200) AS n,
    LATERAL (VALUES (uuid_v1()), (uuid_v4()), (uuid_v5(uuid_namespace('dns'), n::text)),
      (uuid_v6()), (uuid_v7())) AS f (id);

  -- Partitions by time.
  CREATE TABLE reading (id uuid PRIMARY KEY DEFAULT uuid_v7(), value int) PARTITION BY RANGE (id);
  CREATE TABLE reading_2024 PARTITION OF reading
    FOR VALUES FROM (uuid_v7_min('2024-01-01 UTC')) TO (uuid_v7_min('2025-01-01 UTC'));
  CREATE TABLE reading_later PARTITION OF reading
    FOR VALUES FROM (uuid_v7_min('2025-01-01 UTC')) TO (MAXVALUE);
  INSERT INTO reading SELECT uuid_v7_at('2024-07-01 UTC'::timestamptz + n * interval '1 day'), n
    FROM generate_series(1, 365) AS n;

  -- Views by time: PostgreSQL shows and dumps the range with the domain that it is cast to.
  CREATE VIEW january AS SELECT id, value FROM reading
    WHERE id <@ tstzrange('2025-01-01 UTC', '2025-02-01 UTC') AND id < now();
  CREATE MATERIALIZED VIEW months AS
    SELECT date_trunc('month', uuid_extract_time(id), 'UTC') AS month, count(*) FROM reading
    WHERE id >= timestamptz '2025-01-01 UTC' GROUP BY 1;

  -- A view with the aggregates, and a user-defined function.
  CREATE VIEW ends AS SELECT min(id) AS first, max(id) AS last, count(*) AS n FROM event;
  CREATE FUNCTION age_of(id uuid) RETURNS interval LANGUAGE sql STABLE
    RETURN now() - uuid_extract_time(id);
});

# All rows of a database as text.
sub rows($database) {
  return $node->safe_psql($database, q{
    SET timezone = 'UTC';
    SELECT 'event', event FROM event ORDER BY id;
    SELECT 'mixed', mixed FROM mixed ORDER BY id;
    SELECT tableoid::regclass, reading FROM reading ORDER BY id;
    SELECT 'ends', ends FROM ends;
    SELECT 'january', january FROM january ORDER BY id;
    SELECT regexp_replace(pg_get_viewdef('january'), '\s+', ' ', 'g');
    SELECT 'months', months FROM months ORDER BY month});
}

# Prints the members of the extension, and the number of functions of its library.
sub members($database) {
  return $node->safe_psql($database, qq{
    SELECT pg_describe_object(classid, objid, 0) FROM $members ORDER BY 1;
    SELECT count(*) FROM pg_proc WHERE probin LIKE '%uuidx'});
}

my $rows = rows('origin');
is(scalar(split /\n/, $rows), 1000 + 1000 + 365 + 1 + 31 + 1 + 7, 'the database has its rows before the dump');

my $dump = PostgreSQL::Test::Utils::tempdir . '/dump';
$node->safe_psql('postgres', 'CREATE DATABASE plain');
$node->command_ok([ 'pg_dump', '--file', "$dump.sql", 'origin' ], 'pg_dump succeeds');
$node->command_ok(
  [ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', 'plain', '-f', "$dump.sql" ],
  'the dump is restored');
# The functions were restored with the extension, not one by one.
is(rows('plain'), $rows, 'the restored rows and the view with a time range are the same');
is(members('plain'), members('origin'), 'the restored extension has the same members');

like($rows, qr/ <@ \(?tstzrange\(.*\)::uuid_time_range/, 'the view shows the domain of the range');
like($node->safe_psql('plain', 'SET enable_seqscan = off; EXPLAIN (COSTS OFF) TABLE january'),
  qr/Index Cond: .*uuid/, 'the restored view uses the index');

is( $node->safe_psql('plain', q{
    SELECT last AS former FROM ends \gset
    INSERT INTO event (body) VALUES ('new') RETURNING id \gset
    INSERT INTO reading (value) VALUES (0) RETURNING tableoid::regclass;
    SELECT :'id'::uuid > :'former'::uuid, last = :'id'::uuid, n,
      age_of(last) >= interval '0' FROM ends}),
  "reading_later\nt|t|1001|t", 'the restored defaults, view and function work');

# A dump of one table has no CREATE EXTENSION: the commands of doc/operate.md create it first, in the schema ids; and
# in public, if they are changed as the page says.
for my $schema ('ids', 'public') {
  my ($section) = slurp_file("$tree/doc/operate.md") =~ /^## Back up and restore\n(.*?)^## /ms;
  my ($commands) = $section =~ /^```sh\n(.*?)^```$/ms;
  like($commands, qr/pg_dump -t event /, "$schema: the commands of the page dump one table");
  $commands =~ s/^psql [^\n]*CREATE SCHEMA ids(?:[^\n]*\\\n)*[^\n]*\n|(?<=uuidx) SCHEMA ids//gm if $schema eq 'public';
  $node->safe_psql('postgres', "DROP DATABASE IF EXISTS $_") for 'mydb', 'newdb';
  $node->safe_psql('postgres', 'CREATE DATABASE mydb');
  $node->safe_psql('mydb', qq{
    CREATE SCHEMA IF NOT EXISTS $schema;
    CREATE EXTENSION uuidx SCHEMA $schema;
    CREATE TABLE event (id uuid PRIMARY KEY DEFAULT $schema.uuid_v7(), body text);
    INSERT INTO event (body) SELECT 'event' FROM generate_series(1, 1000)});
  my $folder = PostgreSQL::Test::Utils::tempdir;
  $node->command_ok([ 'bash', '-ec', "cd '$folder'\n$commands" ],
    "$schema: the commands of the page restore one table");
  is($node->safe_psql('newdb', 'SELECT count(*) FROM event'), 1000, "$schema: the restored table has its rows");
  is($node->safe_psql('newdb', q{INSERT INTO event (body) VALUES ('new') RETURNING uuid_is_v7(id)}), 't',
    "$schema: the restored table has its default, and functions need no schema");
}

done_testing();
