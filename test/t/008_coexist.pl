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

# For each neighbor, conditions with one of its functions and one of uuidx. 015 has more of TimescaleDB.
my %conditions = (
  'uuid-ossp' => [
    q{uuid_v5(uuid_ns_dns(), 'a') = uuid_generate_v5(uuid_namespace('dns'), 'a')},
    'uuid_extract_version(uuid_generate_v1()) = 1',
    'uuid_nil() = nil_uuid()' ],
  'pgcrypto' => [
    q{uuid_v8_hash('sha256', nil_uuid(), 'a')
      = uuid_v8(substr(digest(uuid_send(nil_uuid()) || 'a', 'sha256'), 1, 16))},
    'uuid_v8(gen_random_bytes(16)) <> uuid_v8(gen_random_bytes(16))' ],
  'pg_uuidv7' => [
    'uuid_extract_version(uuid_generate_v7()) = 7',
    'uuid_v7_to_timestamptz(id) = uuid_extract_time(id)',
    'uuid_extract_time(uuid_timestamptz_to_v7(time)) = time' ],
  'timescaledb' => [
    q{time_bucket('1 day', uuid_extract_time(id)) = '2024-02-29 UTC'} ]);
my @names = sort keys %conditions;
my %available = map { $_ => is_available($node, $_) } @names;
$available{timescaledb} &&= $has_timescaledb;

# All are created in schema public, in either order, and work.
for my $ours_first (1, 0) {
  my $database = $ours_first ? 'ours_first' : 'ours_last';
  my @all = grep { $available{$_} } @names;
  $ours_first ? unshift @all, 'uuidx' : push @all, 'uuidx';
  $node->safe_psql('postgres', "CREATE DATABASE $database");
  my ($code) = $node->psql($database,
    join "\n", map { qq{CREATE EXTENSION "$_" SCHEMA public;} } @all);
  is($code, 0, "extensions are created in one schema: @all");
  for my $name (@names) {
  SKIP: {
      skip "$name is not installed", 1 unless $available{$name};
      my @conditions = @{ $conditions{$name} };
      is( $node->safe_psql($database, 'SELECT ' . join(', ', @conditions) . q{ FROM
            (VALUES (timestamptz '2024-02-29 12:00:00.123 UTC')) AS t (time),
            LATERAL uuid_v7_at(time) AS id}),
        join('|', ('t') x @conditions), "$database: $name and uuidx work together");
    }
  }
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

# A database may lack plpgsql.
$node->safe_psql('postgres', 'CREATE DATABASE bare');
($code, undef, $message) = $node->psql('bare', q{
  DROP EXTENSION plpgsql;
  CREATE EXTENSION uuidx;
  CREATE EXTENSION uuidx_compat});
is($message, '', 'the extensions are created without plpgsql');

done_testing();
