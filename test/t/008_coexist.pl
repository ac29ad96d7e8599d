# uuidx works beside other extensions in one schema, core functions, and a user's own uuid_v7().

use FindBin;
use lib $FindBin::RealBin;
use Helpers;

my $node = PostgreSQL::Test::Cluster->new('coexist');
my $has_timescaledb = -e $node->config_data('--pkglibdir') . '/timescaledb.so';
$node->init;
$node->append_conf('postgresql.conf',
  "shared_preload_libraries = 'timescaledb'\ntimescaledb.telemetry_level = off\n")
  if $has_timescaledb;
$node->start;

# All are created in schema public, in either order, and uuidx works. 006, 015 and 025 compare their functions.
my @neighbors;
for my $name (qw(pg_uuidv7 pgcrypto timescaledb uuid-ossp)) {
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
is( $node->safe_psql('ours_first', q{
    WITH member AS (
      SELECT d.classid, d.objid FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
      WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass AND e.extname = 'uuidx')
    SELECT o.oid::regoperator::text FROM member
      JOIN pg_operator AS o ON classid = 'pg_operator'::regclass AND o.oid = objid
      JOIN pg_operator AS c ON c.oprname = o.oprname
        AND c.oprleft = o.oprleft AND c.oprright = o.oprright
    WHERE c.oprnamespace = 'pg_catalog'::regnamespace
    UNION ALL
    SELECT t.typname FROM member
      JOIN pg_type AS t ON classid = 'pg_type'::regclass AND t.oid = objid
      JOIN pg_type AS c ON c.typname = t.typname
    WHERE c.typnamespace = 'pg_catalog'::regnamespace}),
  '', 'no operator or type has the name of one of core');

# CREATE EXTENSION fails if there is a user's own uuid_v7(), with a clear error, and leaves nothing.
$node->safe_psql('postgres', 'CREATE DATABASE home_made');
$node->safe_psql('home_made', q{
  CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE
    RETURN 'deadbeef-0000-4000-8000-000000000000'::uuid});
my ($code, undef, $message) = $node->psql('home_made', 'CREATE EXTENSION uuidx');
is($code, 3, 'CREATE EXTENSION fails beside a home-made uuid_v7()');
like($message, qr/ERROR:  function "uuid_v7" already exists with same argument types/,
  'the error names the conflicting function');
is( $node->safe_psql('home_made', q{
    SELECT (SELECT count(*) FROM pg_extension WHERE extname = 'uuidx'),
      (SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace),
      (SELECT count(*) FROM pg_type WHERE typnamespace = 'public'::regnamespace),
      (SELECT count(*) FROM pg_operator WHERE oprnamespace = 'public'::regnamespace),
      uuid_v7()}),
  '0|1|0|0|deadbeef-0000-4000-8000-000000000000', 'a failed CREATE EXTENSION leaves nothing behind');

# An aggregate conflicts, too, with an error as short; from 20 on, the extension has none.
$node->safe_psql('postgres', 'CREATE DATABASE home_made_max');
$node->safe_psql('home_made_max', q{
  CREATE FUNCTION larger(a uuid, b uuid) RETURNS uuid LANGUAGE sql RETURN greatest(a, b);
  CREATE AGGREGATE max(uuid) (SFUNC = larger, STYPE = uuid)});
($code, undef, $message) = $node->psql('home_made_max', 'CREATE EXTENSION uuidx');
like($message, $server < 200000 ? qr/ERROR:  function "max" already exists with same argument types/ : qr/^$/,
  'CREATE EXTENSION beside a home-made max(uuid) fails only if it creates one');
cmp_ok(length $message, '<', 500, 'the error for max(uuid) does not print the script') or diag($message);

# Extensions that plan by hints look up the names of indexes, and make paths anew, before uuidx or after it.
my $hints = compile('hints.c');
$node->safe_psql('ours_first', q{
  CREATE TABLE event (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int);
  INSERT INTO event SELECT uuid_v7_at('2009-10-31Z'::timestamptz + n * interval '7 min'), n
    FROM generate_series(1, 1000) AS n;
  ANALYZE event});
for my $libraries ("'$hints', 'uuidx'", "'uuidx', '$hints'") {
  my $load = join ';', map { "LOAD $_" } split /, /, $libraries;
  my ($with, $without) = map { $node->safe_psql('ours_first', qq{
      $load; SET uuidx.enable_time_columns = $_; SET enable_seqscan = off; SET enable_hashjoin = off;
      SET enable_mergejoin = off;
      SELECT uuid_extract_v7_time(id)::date AS day, count(*) FROM event GROUP BY 1 ORDER BY 1;
      SELECT count(*) FROM event AS a JOIN event AS b ON uuid_extract_v7_time(a.id) = uuid_extract_v7_time(b.id)
        WHERE a.n < 100;
      SELECT n FROM event ORDER BY uuid_extract_v7_time(id)::date DESC, n LIMIT 3}) } 'on', 'off';
  is($with, $without, 'the same rows with hooks that are loaded '
      . ($libraries =~ /uuidx'$/ ? 'before' : 'after'));
}

# A database may lack plpgsql.
$node->safe_psql('postgres', 'CREATE DATABASE bare');
($code, undef, $message) = $node->psql('bare', q{
  DROP EXTENSION plpgsql;
  CREATE EXTENSION uuidx;
  CREATE EXTENSION uuidx_compat});
is($message, '', 'the extensions are created without plpgsql');

done_testing();
