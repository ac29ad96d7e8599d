# uuidx works beside other extensions in one schema, core functions, and a user's own uuid_v7().

use Helpers;

my $has_timescaledb = -e folder_of('pkglibdir') . '/timescaledb.so';
my $node = start_node('coexist',
  $has_timescaledb ? "shared_preload_libraries = 'timescaledb'\ntimescaledb.telemetry_level = off\n" : '');

# All are created in schema public, in either order, and uuidx works. 006, 015 and 025 compare their functions.
my @neighbors;
for my $name (qw(hypopg pg_uuidv7 pgcrypto timescaledb uuid-ossp)) {
  SKIP: {
    skip "$name is not installed", 1 if !is_available($node, $name) || ($name eq 'timescaledb' && !$has_timescaledb);
    push @neighbors, $name;
  }
}
for my $case ([ 'ours_first', 'uuidx', @neighbors ], [ 'ours_last', @neighbors, 'uuidx' ]) {
  my ($database, @all) = @$case;
  $node->safe_psql('postgres', "CREATE DATABASE $database");
  is(($node->psql($database, join "\n", map { qq{CREATE EXTENSION "$_" SCHEMA public;} } @all))[0], 0,
    "extensions are created in one schema: @all");
  is($node->safe_psql($database, q{SELECT uuid_extract_time(uuid_v7_at('2024-02-29 12:00Z')) = '2024-02-29 12:00Z'}),
    't', "$database: uuidx works");
}

# No operator or type of uuidx is hidden by one of core, whose schema is searched first.
my $server = version_of($node);
is( $node->safe_psql('ours_first', qq{
    SELECT o.oid::regoperator::text FROM $members
      JOIN pg_operator AS o ON classid = 'pg_operator'::regclass AND o.oid = objid
      JOIN pg_operator AS c ON c.oprname = o.oprname
        AND c.oprleft = o.oprleft AND c.oprright = o.oprright
    WHERE c.oprnamespace = 'pg_catalog'::regnamespace
    UNION ALL
    SELECT t.typname FROM $members
      JOIN pg_type AS t ON classid = 'pg_type'::regclass AND t.oid = objid
      JOIN pg_type AS c ON c.typname = t.typname
    WHERE c.typnamespace = 'pg_catalog'::regnamespace}),
  '', 'no operator or type has the name of one of core');

# Versions and times agree with core's functions, for values of every version and variant (the first three bits of byte
# 8). Core has times of version 1 from 17 on, of version 7 from 18 on; for the rest, it returns NULL, and so does uuidx
# except for versions that core does not know yet.
SKIP: {
  skip 'PostgreSQL before 17 has no functions to compare with', 3 if $server < 170000;
  $node->safe_psql('ours_first', q{
    CREATE TABLE random_id AS
      SELECT encode(set_byte(set_byte(uuid_send(gen_random_uuid()),
          6, n % 16 * 16 + floor(random() * 16)::int),
          8, n / 16 % 8 * 32 + floor(random() * 32)::int), 'hex')::uuid AS id
      FROM generate_series(1, 100000) AS n;
    INSERT INTO random_id VALUES (nil_uuid()), (max_uuid()), (uuid_v1()), (uuid_v6()), (uuid_v7()),
      (uuid_v7_at('1970-01-01 UTC')), (uuid_v7_at('10889-08-02 05:31:50.655 UTC')),
      (uuid_v1_at('1582-10-15 UTC')), (uuid_v1_at('5236-03-31 21:21:00.684697 UTC'))});
  is( $node->safe_psql('ours_first', q{
      SELECT count(*), count(*) FILTER (
        WHERE public.uuid_extract_version(id) IS DISTINCT FROM pg_catalog.uuid_extract_version(id))
      FROM random_id}), '100009|0', 'uuid_extract_version() agrees with core');
  is( $node->safe_psql('ours_first', q{
      SELECT string_agg(DISTINCT version::text, ' ') FILTER (WHERE version <> 6),
        count(*) FILTER (WHERE version <> 6) > 1500, count(*) FILTER (WHERE core IS DISTINCT FROM ours)
      FROM (SELECT uuid_extract_timestamp(id) AS core, uuid_extract_time(id) AS ours,
          uuid_extract_version(id) AS version FROM random_id) AS s
      WHERE core IS NOT NULL}),
    ($server >= 180000 ? '1 7' : '1') . '|t|0', 'uuid_extract_time() agrees with core if core has a time');
  my $unknown = $server >= 180000 ? '6' : '6, 7';
  is( $node->safe_psql('ours_first', qq{
      SELECT count(*) > 90000, count(*) FILTER (WHERE uuid_extract_time(id) IS NOT NULL),
        count(*) FILTER (WHERE uuid_extract_time_precise(id) IS NOT NULL)
      FROM random_id WHERE uuid_extract_timestamp(id) IS NULL
        AND coalesce(uuid_extract_version(id) NOT IN ($unknown), true)}),
    't|0|0', "if core has no time, uuidx has none, except for version $unknown");
}

SKIP: {
  skip 'PostgreSQL before 18 has no pg_get_loaded_modules()', 1 if $server < 180000;
  is( $node->safe_psql('ours_first', q{
      SELECT count(uuid_v4()) FILTER (WHERE false), version = uuidx_version() FROM pg_get_loaded_modules()
      WHERE module_name = 'uuidx' GROUP BY 2}), '0|t', 'the version of the module is that of uuidx_version()');
}

# CREATE EXTENSION fails, with a short error, if a user's function or aggregate has the name of one of its own. From 20
# on, it has no aggregates.
for my $case ([ 'uuid_v7', 'CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql RETURN gen_random_uuid()' ],
  [ 'max', 'CREATE FUNCTION larger(a uuid, b uuid) RETURNS uuid LANGUAGE sql RETURN greatest(a, b);
    CREATE AGGREGATE max(uuid) (SFUNC = larger, STYPE = uuid)' ])
{
  my ($name, $home_made) = @$case;
  $node->safe_psql('postgres', "CREATE DATABASE home_made_$name");
  $node->safe_psql("home_made_$name", $home_made);
  my (undef, undef, $message) = $node->psql("home_made_$name", 'CREATE EXTENSION uuidx');
  my $error = qr/ERROR:  function "$name" already exists with same argument types/;
  like($message, $name eq 'max' && $server >= 200000 ? qr/^$/ : $error, "CREATE EXTENSION beside a home-made $name()");
  cmp_ok(length $message, '<', 500, "the error for $name() does not print the script") or diag($message);
}

# Extensions that plan by hints look up the names of indexes, and make paths anew, before uuidx or after it.
my $hints = compile('hints.c');
$node->safe_psql('ours_first', q{
  CREATE TABLE event (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int);
  INSERT INTO event SELECT uuid_v7_at('2009-10-31Z'::timestamptz + n * interval '7 min'), n
    FROM generate_series(1, 1000) AS n;
  ANALYZE event});
for my $libraries ("$hints,uuidx", "uuidx,$hints") {
  local $ENV{PGOPTIONS} = "-c session_preload_libraries=$libraries";
  my ($with, $without) = map { $node->safe_psql('ours_first', qq{
      SET uuidx.enable_time_columns = $_; SET enable_seqscan = off; SET enable_hashjoin = off;
      SET enable_mergejoin = off;
      SELECT uuid_extract_v7_time(id)::date AS day, count(*) FROM event GROUP BY 1 ORDER BY 1;
      SELECT count(*) FROM event AS a JOIN event AS b ON uuid_extract_v7_time(a.id) = uuid_extract_v7_time(b.id)
        WHERE a.n < 100;
      SELECT n FROM event ORDER BY uuid_extract_v7_time(id)::date DESC, n LIMIT 3}) } 'on', 'off';
  is($with, $without, 'the same rows with hooks that are loaded '
      . ($libraries =~ /uuidx$/ ? 'before' : 'after'));
}

# An extension that plans with hypothetical indexes asks support functions with a PlannerInfo of its own.
SKIP: {
  skip 'hypopg is not installed', 1 if !grep { $_ eq 'hypopg' } @neighbors;
  my @indexes = ('(n, id)', '(id) WHERE uuid_is_v7(id)', q{(id) WHERE id >= timestamptz '2009-11-01Z'},
    q{(id) WHERE id <@ tstzrange('2009-11-01Z', '2009-11-02Z')}, '(uuid_extract_time(id))',
    q{(n) WHERE uuid_is_v7(id) AND uuid_extract_v7_time(id) > '2009-11-01Z'});
  my @plans = map { $node->safe_psql('ours_first', "SELECT FROM hypopg_create_index(\$\$CREATE INDEX ON event $_\$\$);
      EXPLAIN SELECT * FROM event WHERE n = 3 AND uuid_extract_v7_time(id) > '2009-11-01Z'") } @indexes;
  like($plans[0], qr/<\d+>btree_event_n_id/, 'queries are planned with hypothetical indexes');
}

$node->safe_psql('postgres', 'CREATE DATABASE bare');
my (undef, undef, $message) = $node->psql('bare', q{
  DROP EXTENSION plpgsql;
  CREATE EXTENSION uuidx;
  CREATE EXTENSION uuidx_compat});
is($message, '', 'the extensions are created without plpgsql');

done_testing();
