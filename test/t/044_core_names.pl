# uuidx_compat has those of PostgreSQL 18's names that the server lacks, so that one schema file serves all.

use Helpers;

my $node = start_node('core_names', "timezone = 'UTC'\n");
my $major = int(version_of($node) / 10000);
my @functions = grep { $major < ($_ =~ /timestamp/ ? 17 : 18) }
  ('uuid_extract_timestamp(uuid)', 'uuidv4()', 'uuidv7()', 'uuidv7(interval)');

# Runs SQL as the owner of the database, who is no superuser; returns its output, or its messages if it fails.
sub as_tenant($database, $sql) { return outcome_of($node, $database, $sql, '--username', 'tenant') }

# Creates a database of the tenant.
sub create_database($name) {
  $node->safe_psql('postgres', "CREATE DATABASE $name OWNER tenant");
}

# The functions of uuidx_compat in a database, with their schema.
sub members($database) {
  return $node->safe_psql($database, q{
    SET search_path = '';
    SELECT format('%s.%s', p.pronamespace::regnamespace, p.oid::regprocedure::text) COLLATE "C"
    FROM pg_catalog.pg_depend AS d JOIN pg_catalog.pg_extension AS e ON d.refobjid = e.oid
      LEFT JOIN pg_catalog.pg_proc AS p ON p.oid = d.objid
    WHERE d.deptype = 'e' AND e.extname = 'uuidx_compat' ORDER BY 1}) =~ s/^(\w+)\.\1\./$1./gmr;
}

# The list that members() returns for functions in a schema.
sub in_schema($schema) {
  return join "\n", map { "$schema.$_" } @functions;
}

$node->safe_psql('postgres', 'CREATE ROLE tenant LOGIN');
create_database('origin');
like(as_tenant('origin', 'CREATE EXTENSION uuidx_compat'),
  qr/required extension "uuidx" is not installed/, 'uuidx_compat requires uuidx');
is(as_tenant('origin', 'CREATE EXTENSION uuidx_compat CASCADE'), '',
  'the owner of a database creates uuidx_compat with uuidx');
is(members('origin'), in_schema('public'), 'uuidx_compat has only the functions that core lacks');
is($node->safe_psql('origin', q{
    SELECT oid::regprocedure::text COLLATE "C" FROM pg_proc
    WHERE proname IN ('uuidv4', 'uuidv7', 'uuid_extract_timestamp') AND obj_description(oid, 'pg_proc') <> ''
      AND pronamespace <> 'pg_catalog'::regnamespace
    ORDER BY 1}), join("\n", @functions), 'the functions of uuidx_compat have comments');

is($node->safe_psql('origin', q{
    SELECT one.oid::regprocedure, other.oid::regprocedure
    FROM pg_proc AS one JOIN pg_proc AS other USING (probin, prosrc)
    WHERE one.proname IN ('uuidv4', 'uuidv7') AND other.proname LIKE 'uuid\_%' ORDER BY 1}),
  $major < 18 ? "uuidv4()|uuid_v4()\nuuidv7()|uuid_v7()\nuuidv7(interval)|uuid_v7(interval)" : '',
  'the generators are those of uuidx');
SKIP: {
  skip 'core has uuid_extract_timestamp()', 1 if $major >= 17;
  is($node->safe_psql('origin', q{
      SELECT string_agg(uuid_extract_version(id)::text, ' ') FILTER (WHERE uuid_extract_timestamp(id) IS NOT NULL),
        bool_and(uuid_extract_timestamp(id) IS NOT DISTINCT FROM
          CASE WHEN uuid_extract_version(id) <> 6 THEN uuid_extract_time(id) END)
      FROM unnest(ARRAY[nil_uuid(), uuid_v1(), uuid_v4(), uuid_v6(), uuid_v7(), uuid_v8_node(1), max_uuid()]) AS id}),
    '1 7|t', 'uuid_extract_timestamp() is uuid_extract_time() of versions 1 and 7');
}

# One schema file for every server, which can be run again.
my $file = q{
  CREATE EXTENSION IF NOT EXISTS uuidx;
  CREATE EXTENSION IF NOT EXISTS uuidx_compat;
  CREATE TABLE IF NOT EXISTS invoice (id uuid PRIMARY KEY DEFAULT uuidv7(), token uuid DEFAULT uuidv4(),
    due uuid DEFAULT uuidv7('1 day'));
  INSERT INTO invoice DEFAULT VALUES};
create_database('by_file');
is(as_tenant('by_file', "SET client_min_messages = warning; $file; $file") . members('by_file'),
  in_schema('public'), 'a schema file runs twice');
is($node->safe_psql('by_file', q{
    SELECT count(*), string_agg(DISTINCT concat_ws(' ', public.uuid_extract_version(id),
      public.uuid_extract_version(token), public.uuid_extract_version(due)), ', ') FROM invoice}),
  '2|7 4 7', 'the defaults of a schema file generate keys');

# A dump names the schema of the extension, except pg_catalog, where newer servers have the functions.
my $dump = PostgreSQL::Test::Utils::tempdir . '/dump.sql';

# Dumps a database, and returns the default of the key.
sub dumped_default($database) {
  $node->command_ok([ 'pg_dump', '--file', $dump, $database ], "dump of $database: pg_dump succeeds");
  my $text = slurp_file($dump);
  unlike($text, qr/CREATE FUNCTION/, "dump of $database: no function is dumped by itself");
  return $text =~ /CREATE TABLE public\.invoice \(\n\s+id uuid DEFAULT (\S+\(\))/ ? $1 : $text;
}

is(dumped_default('by_file'), $major < 18 ? 'public.uuidv7()' : 'uuidv7()', 'a dump names the schema of the function');
SKIP: {
  skip 'core has them all', 1 if !@functions;
  like(as_tenant('by_file', 'ALTER EXTENSION uuidx_compat SET SCHEMA pg_catalog'),
    qr/permission denied for schema pg_catalog/, 'the owner of the database cannot move uuidx_compat');
}
is(outcome_of($node, 'by_file', 'ALTER EXTENSION uuidx_compat SET SCHEMA pg_catalog') . members('by_file'),
  in_schema('pg_catalog'), 'a superuser moves uuidx_compat to pg_catalog');
is(dumped_default('by_file'), 'uuidv7()', 'after the move, a dump has no schema');
create_database('copy');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', 'copy', '-f', $dump ], 'a dump is restored');
is(members('copy'), in_schema('pg_catalog'), 'uuidx_compat is restored into pg_catalog');
is($node->safe_psql('copy', 'INSERT INTO invoice DEFAULT VALUES; SELECT count(DISTINCT id) FROM invoice'), 3,
  'restored defaults generate keys');

create_database('elsewhere');
is(as_tenant('elsewhere', 'CREATE EXTENSION uuidx; CREATE EXTENSION uuidx_compat SCHEMA pg_catalog')
    . members('elsewhere'),
  in_schema('pg_catalog'), 'the owner of a database creates uuidx_compat in pg_catalog');
is(as_tenant('elsewhere', q{
    DROP EXTENSION uuidx_compat;
    SELECT count(*) FROM pg_proc WHERE proname ~ '^uuid(v[47]|_extract_timestamp)$' AND probin ~ 'uuidx'}),
  0, 'the owner of a database drops uuidx_compat');

create_database('home_made');
$node->safe_psql('home_made', q{
  CREATE EXTENSION uuidx;
  CREATE FUNCTION public.uuidv7() RETURNS uuid LANGUAGE sql RETURN 'deadbeef-0000-4000-8000-000000000000'::uuid});
my $message = outcome_of($node, 'home_made', 'CREATE EXTENSION uuidx_compat');
like($message, $major < 18 ? qr/ERROR:  function "?uuidv7"?(\(\))? already exists/ : qr/^$/,
  'a home-made uuidv7() conflicts, unless core has one');
is(members('home_made'), '', 'a failed CREATE EXTENSION creates nothing');
is($node->safe_psql('home_made', q{
    SELECT count(*) FROM pg_proc WHERE proname ~ '^uuid(v[47]|_extract_timestamp)$' AND probin ~ 'uuidx';
    SELECT public.uuidv7()}),
  "0\ndeadbeef-0000-4000-8000-000000000000", 'a home-made uuidv7() remains');

done_testing();
