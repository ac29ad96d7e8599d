# sql/portable/uuidx.sql has the names, properties, results and plans of the extension.
# The owner of a database installs it. The statements of sql/ are run with both.

use Helpers;
use Portable;
use Traps;

# Functions that only a library can provide, and those that only aggregates or the planner call.
my $absent_functions = qr/\b(?:uuid_v1\(\)|uuid_v5|uuid_v6\(\)|uuid_v7_(?:server|advance)|uuid_generator_state
  |uuid_v8_node\(|uuid_v47_\w+|uuid_\w+_(?:support|sel)|uuid_(?:min|max|minmax)_(?:trans|final)fn
  |uuid_(?:min|max)_combine|uuid_minmax_(?:de)?serialize|uuid_in_time_range
  |uuid_condition|uuid_beyond_bound|uuid_check_zone|uuid_v7_bound|uuid_time_(?:of|bound))/x;

my $node = start_node('portable');

# Settings of pg_regress, for which sql/ is written.
$ENV{PGTZ} = 'America/Los_Angeles';
$ENV{PGDATESTYLE} = 'Postgres, MDY';
$ENV{PGOPTIONS} = '-c intervalstyle=postgres_verbose';

$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');
Portable::make_database($node, $_, $_) for 'extension', 'script';

# Names, arguments and properties are the extension's, except that only a superuser can declare a function leakproof.
my $catalog = q{
  SELECT format('%s(%s) %s %s %s', proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid),
      provolatile, proparallel)
    FROM pg_proc AS p WHERE pronamespace = 'uuidx'::regnamespace
      AND (proname NOT LIKE 'uuidx\_%' OR proname = 'uuidx_version') AND prorettype <> 'trigger'::regtype ORDER BY 1;
  SELECT format('%s %s %s %s', o.oid::regoperator, o.oprcode, c.oprname, o.oprjoin)
    FROM pg_operator AS o LEFT JOIN pg_operator AS c ON c.oid = o.oprcom
    WHERE o.oprnamespace = 'uuidx'::regnamespace ORDER BY 1;
  SELECT format('%s %s', typname, format_type(typbasetype, NULL)) FROM pg_type
    WHERE typnamespace = 'uuidx'::regnamespace AND typtype = 'd' ORDER BY 1};
is(Portable::as_owner($node, 'script', $catalog),
  join("\n", grep { !/^$absent_functions/ } split /\n/, $node->safe_psql('extension', $catalog)),
  'names and properties are those of the extension');

# The statements of a file of sql/, without comments. Numbers of rows are a hundredth, as many functions take
# microseconds, and given times take the place of the clock in versions 1 and 6, which the script has not. The trigger
# waits for longer than what it takes for now.
sub statements_of($file) {
  my (@statements, $statement);
  for (split /^/, slurp_file("$tree/sql/$file.sql")) {
    next if !defined $statement && /^\s*(?:--.*)?$/;
    s/(generate_series\(\d, [1-9]0{2,4})00\)/$1)/g;
    s/(generate_series\(-2000, 2999)\)/$1, 100)/g;
    s/\buuid_v([16])\(\)/uuid_v$1_at(clock_timestamp())/g;
    s/pg_sleep\(0\.01\)/pg_sleep(1.5)/;
    s/datestyle = 'ISO'/datestyle = 'SQL, DMY'/;
    $statement .= $_;
    next if !/^\\/ && (!/;\s*(?:--.*)?$/ || (() = $statement =~ /\$\$/g) % 2);
    push @statements, $statement;
    undef $statement;
  }
  return @statements;
}

# What psql has printed, alike for both flavours: without the position of a statement in its file and the functions in
# which an error was raised. In plans, without filters and keys of groups, which show inlined functions; both ends of a
# range as the extension writes them, which leaves out an end that nothing is beyond.
sub normal($printed) {
  $printed =~ s/^psql:\S+: //mg;
  $printed =~ s{^CONTEXT:.*\n(?:(?:SQL|PL/pgSQL) .*\n)*}{}mg;
  $printed =~ s/^ *(?:Filter|Recheck Cond|Group Key): .*\n//mg;
  $printed =~ s/<= ('[0-9a-f-]{18})-7f{3}-f{12}'/< $1-8000-000000000000'/g;
  $printed =~ s/>= ('[0-9a-f-]{18})-c000-0{12}'/> $1-bfff-ffffffffffff'/g;
  $printed =~ s/uuidx_prefix\((\S+), '0'::text\)/uuid_prefix_min($1)/g;
  $printed =~ s/uuidx_prefix\((\S+), 'f'::text\)/uuid_prefix_max($1)/g;
  $printed =~ s/Index Cond: \((\(.*\)) AND \(id <= 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid\)\)/Index Cond: $1/g;
  return $printed;
}

# Runs statements in both databases, those that use no absent function and match no other pattern; what they print must
# be the same.
sub same_results($file, $left_out = undef) {
  my @statements = grep { !/$absent_functions/ && !($left_out && /$left_out/) } statements_of($file);
  my $input = PostgreSQL::Test::Utils::tempdir . "/$file.sql";
  append_to_file($input, join '', @statements);
  my (%printed, $differences);
  for my $database ('extension', 'script') {
    $node->run_log([ 'psql', '-X', '-a', '-q', '-A', '-P', 'footer=off', '-d', $database, '-f', $input ],
      '>', \$printed{$database}, '2>&1');
    $printed{$database} = normal($printed{$database});
    append_to_file("$input.$database", $printed{$database});
  }
  $node->run_log([ 'diff', '-U2', "$input.extension", "$input.script" ], '>', \$differences);
  is($differences, '', "$file: " . @statements . ' statements have the same results');
  unlike($printed{script}, qr/^ERROR:  (?!column ).* does not exist/m, "$file: no function is missing");
}

# Left out are digests that OpenSSL alone has and the messages that list them, settings, and just-in-time compilation,
# which compiles each function anew in each call.
same_results($_) for qw(vectors extract inspect at convert typeid prefix time_ranges aggregates time_contexts);
same_results('generate', qr/jit/);
same_results('name_based', qr/sha3|sha255|'null'|uuid_v8_hash\(''/);
same_results('node', qr/uuidx\.|ROLE/);

# Plans: left out are the extension's support functions, schema and statistics, time ranges that are expensive or too
# many to be inlined, time columns, and plans in the order of a time.
same_results('time_plans',
  qr/\bown\(|words\b|answers|EXTENSION|hidden|\brecent\b|slow_|\bcalls\b|event_at|conditions[(;]|\brate|large|estimat/);
same_results('time_partitions', qr/EXPLAIN.* ORDER BY 1|'fails'\) >/);

# The trigger: left out are CHECKs that read microseconds, as the script reads no CHECK, and a call as a function.
same_results('time_trigger', qr/(?:try|CHECK)\b.*precise|SELECT uuid_time_trigger/);

# Beside the extension, each immutable function gives the same results and errors for samples of its arguments: UUIDs of
# all versions and variants, times and ranges around the ends of what versions hold, texts of all formats.
my $result_of = q{
  CREATE FUNCTION result_of(call text) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
      result text;
      message text;
      detail text;
  BEGIN
      EXECUTE pg_catalog.format('SELECT CAST(%s AS text)', call) INTO result;
      RETURN result;
  EXCEPTION WHEN others THEN
      GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
      RETURN concat_ws(' ', sqlstate, message, detail);
  END
  $$};
$node->safe_psql('extension', Portable::installation('plain'));
$node->safe_psql('extension', "$result_of;" . q{
  SET timezone = 'UTC';
  CREATE TABLE sample AS
    SELECT 'uuid' AS type, overlay(overlay(digits PLACING version FROM 13) PLACING variant FROM 17) AS value
      FROM unnest(ARRAY[repeat('0', 32), repeat('f', 32), '017f22e279b07cc398c4dc0c0c07398f', md5(random()::text),
          '000000000001700000000000000000ff']) AS digits,
        unnest('{0,1,3,6,7,8,f}'::text[]) AS version, unnest('{0,8,b,c,e}'::text[]) AS variant
    UNION ALL SELECT 'timestamp with time zone', unnest(ARRAY['-infinity', 'infinity', '4714-11-24 00:00:00 BC',
      '1582-10-14 23:59:59.999999', '1582-10-15', '1969-12-31 23:59:59.999999', '1970-01-01',
      '1970-01-01 00:00:00.000001', '2022-02-22 19:22:22.000999', '2022-02-22 19:22:22.001',
      '5236-03-31 21:21:00.684697', '5236-03-31 21:21:00.684698', '10889-08-02 05:31:50.655',
      '10889-08-02 05:31:50.655999', '10889-08-02 05:31:50.656', '294276-12-31 23:59:59.999999'])
    UNION ALL SELECT 'bytea', unnest(ARRAY['\x', '\x00', '\x00112233445566778899aabbccddeeff',
      '\xffffffffffffffffffffffffffffffff', '\x00112233445566778899aabbccddeeff00'])
    UNION ALL SELECT 'text', unnest(ARRAY['', 'dns', 'X500', 'ftp', 'ü', 'md5', 'SHA512', 'sha2--256', 'SHA-224',
      'sha2-224', 'Sha2-256', 'sha-384', 'SHA2-512', 'ULID', 'hex',
      'urn', 'Base58', 'base64url', 'base32hex', 'DECIMAL', repeat('7', 26), repeat('z', 22), repeat('z', 26),
      repeat('8', 26), 'olarz3ndektsv4rrffq69g5fav', repeat('V', 25) || 'S', repeat('v', 25) || 't', '0', '00', '-1',
      '1_0', '_', '340282366920938463463374607431768211455', '340282366920938463463374607431768211456',
      'YcVfxkQb6JRzqk5kF2tNLv', 'YcVfxkQb6JRzqk5kF2tNLw', repeat('_', 21) || 'w', repeat('_', 21) || 'x',
      repeat('f', 31), repeat('f', 32), repeat('f', 33), repeat('f', 31) || '日',
      'URN:UUID:F81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf',
      'urn:uuid:f81d4fae_7dec-11d0-a765-00a0c91e6bf6']);
  INSERT INTO sample SELECT 'tstzrange', tstzrange(a, b, form)
    FROM (SELECT value::timestamptz AS a FROM sample WHERE type LIKE 'time%') AS a,
      (SELECT value::timestamptz AS b FROM sample WHERE type LIKE 'time%' UNION ALL SELECT NULL) AS b,
      unnest('{[],[),(],()}'::text[]) AS form WHERE (a > b) IS NOT TRUE;
  INSERT INTO sample SELECT DISTINCT type, NULL FROM sample;
  CREATE VIEW argument AS SELECT type, format('CAST(%L AS %s)', value, type) AS text FROM sample});
# Bounds of a range without a UUID may differ, but the lower one is above the upper one.
my $calls = q{
  SET timezone = 'UTC';
  SET search_path = public, plain;
  CREATE TABLE twin AS
    SELECT proname AS name,
        array_agg(format_type(coalesce(nullif(typbasetype, 0), type.oid), NULL) ORDER BY place) AS types
      FROM pg_proc AS p, unnest(proargtypes) WITH ORDINALITY AS argument (type, place),
        LATERAL (SELECT oid, typbasetype FROM pg_type WHERE oid = argument.type) AS type
      WHERE pronamespace = 'plain'::regnamespace AND proname NOT LIKE 'uuidx\_%' AND provolatile = 'i' AND prokind = 'f'
      GROUP BY p.oid, proname;
  CREATE TABLE call AS
    SELECT name, arguments, result_of(format('uuidx.%s(%s)', name, arguments)) AS extension,
        result_of(format('plain.%s(%s)', name, arguments)) AS script
      FROM twin, LATERAL (
        SELECT concat_ws(', ', a.text, b.text, c.text) AS arguments
          FROM argument AS a LEFT JOIN argument AS b ON b.type = types[2] LEFT JOIN argument AS c ON c.type = types[3]
          WHERE a.type = types[1] ORDER BY random() LIMIT 700) AS samples;
  SELECT count(DISTINCT name) > 35, count(*) > 10000 FROM call;
  SELECT name, arguments, extension, script FROM call
    WHERE extension IS DISTINCT FROM script AND (name NOT IN ('uuid_v7_lower', 'uuid_v7_upper')
      OR result_of(format('plain.uuid_v7_lower(%1$s) > plain.uuid_v7_upper(%1$s)', arguments)) <> 'true'
      OR result_of(format('uuidx.uuid_v7_lower(%1$s) > uuidx.uuid_v7_upper(%1$s)', arguments)) <> 'true') LIMIT 20};
is($node->safe_psql('extension', $calls), 't|t', 'for samples of arguments, extension and script return the same');

# Settings change neither what is installed nor what it returns, except for how a time or bytes are printed.
my $settings = q{
  SET DateStyle = 'SQL, DMY';
  SET IntervalStyle = 'sql_standard';
  SET bytea_output = 'escape';
  SET extra_float_digits = -15;
  SET TimeZone = 'Asia/Kathmandu'};
# From PostgreSQL 19 on, a backslash is always itself.
$settings .= '; SET escape_string_warning = off; SET standard_conforming_strings = off'
  if version_of($node) < 190000;
$node->safe_psql('extension', "$settings;" . Portable::installation('odd'));
is($node->safe_psql('extension', q{
  WITH definition AS (
    SELECT pronamespace AS schema, regexp_replace(pg_get_functiondef(oid), '\m(plain|odd)\M\.?', '', 'g') AS text
      FROM pg_proc WHERE pronamespace IN ('plain'::regnamespace, 'odd'::regnamespace) AND prokind = 'f')
  SELECT count(*) > 80, bool_and(copies = 2) FROM (
    SELECT count(DISTINCT schema) AS copies FROM definition GROUP BY text) AS counted}), 't|t',
  'a session with other settings installs the same functions');
my $again = q{
  SET TimeZone = 'UTC';
  SET search_path = public, plain;
  SELECT count(*), count(*) FILTER (WHERE is_different) FROM (
    SELECT CASE WHEN name ~ 'time|bytea|inspect' THEN extension_now IS DISTINCT FROM script_now
          ELSE extension_now IS DISTINCT FROM extension OR script_now IS DISTINCT FROM script END AS is_different
      FROM (SELECT * FROM call ORDER BY random() LIMIT 2000) AS chosen,
        result_of(format('uuidx.%s(%s)', name, arguments)) AS extension_now,
        result_of(format('plain.%s(%s)', name, arguments)) AS script_now) AS compared};
is($node->safe_psql('extension', "$settings; $again"), '2000|0', 'functions return the same with other settings');

# The locale of the database changes nothing either: in Turkish, the lower-case letter of I is not i.
SKIP: {
  skip 'no ICU', 1 if !$node->safe_psql('postgres', q{SELECT count(*) FROM pg_collation WHERE collprovider = 'i'});
  $node->safe_psql('postgres', q{CREATE DATABASE turkish TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'
    LOCALE_PROVIDER icu ICU_LOCALE 'tr'});
  $node->safe_psql('turkish', "$result_of; CREATE SCHEMA uuidx; CREATE EXTENSION uuidx SCHEMA uuidx");
  $node->safe_psql('turkish', Portable::installation('plain'));
  my $file = PostgreSQL::Test::Utils::tempdir . '/calls';
  $node->safe_psql('extension', qq{COPY (SELECT * FROM call WHERE arguments ~ '^[ -~]*AS text[ -~]*\$'
    ORDER BY arguments !~ 'I', random() LIMIT 1000) TO '$file'});
  is($node->safe_psql('turkish', qq{
    SET TimeZone = 'UTC';
    CREATE TABLE call (name text, arguments text, extension text, script text);
    COPY call FROM '$file';
    SELECT lower('I') <> 'i', count(*), count(*) FILTER (
        WHERE result_of(format('uuidx.%s(%s)', name, arguments)) IS DISTINCT FROM extension
          OR result_of(format('plain.%s(%s)', name, arguments)) IS DISTINCT FROM script)
      FROM call}), 't|1000|0', 'functions return the same in another locale');
}

# No function or operator of another schema is used: not one that fits better, while the file is installed, and no
# operator that the session's search_path has before those of pg_catalog.
my $superuser = $node->safe_psql('extension', 'SELECT current_user');
$node->safe_psql('extension', 'CREATE SCHEMA better; CREATE SCHEMA before');
Traps::plant_operators($node, 'extension', 'better', 'false');
Traps::plant_operators($node, 'extension', 'before', 'true');
Traps::plant_functions($node, 'extension', 'better', $superuser);
my (undef, undef, $errors) = $node->psql('extension',
  "CREATE SCHEMA trapped; SET search_path = trapped, better; \\i $Portable::script", on_error_stop => 0);
is($errors, '', 'the script can be installed beside functions and operators that fit every call');
is(Traps::outside($node, 'extension', 'trapped'), '', 'names resolve within pg_catalog and the file');
$node->safe_psql('extension', q{
  SET timezone = 'UTC';
  CREATE TABLE sampled AS SELECT * FROM call ORDER BY random() LIMIT 1500;
  SET search_path = before, better, pg_catalog, public, plain;
  CREATE TABLE public.hijacked AS
    SELECT sampled.*, result_of(pg_catalog.format('plain.%s(%s)', name, arguments)) AS now FROM sampled});
is($node->safe_psql('extension', 'SELECT count(*), count(*) FILTER (WHERE now IS DISTINCT FROM script) FROM hijacked'),
  '1500|0', 'functions return the same with other operators first in search_path');

# PL/pgSQL resolves names when it runs, so functions set the search_path or name the schema of what they call. Only
# extract() is SQL's own syntax.
is($node->safe_psql('extension', q{
  SELECT DISTINCT call[1] FROM pg_proc, regexp_matches(prosrc, '(?<![.\w])([a-z]\w*)\(', 'g') AS call
    WHERE pronamespace = 'plain'::regnamespace AND proconfig IS NULL
      AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'plpgsql')}), 'extract',
  'functions without a search_path of their own call by schema');

# The owner can install it in any schema, also as one message of a driver.
$node->command_ok([ 'psql', '-X', '-U', 'owner', '-d', 'script', '-c',
  'CREATE SCHEMA "Other schema"; SET search_path = "Other schema"; ' . slurp_file($Portable::script) ],
  'the script can be sent as one message');
is(Portable::as_owner($node, 'script', q{SELECT "Other schema".uuid_is_v7("Other schema".uuid_v7())}), 't',
  'functions work in another schema');
my ($release) = slurp_file("$tree/META.json") =~ /^ {3}"version": "(.*)",$/m;
is($node->safe_psql($_, 'SELECT uuidx.uuidx_version()'), $release, "$_: uuidx_version() returns the release")
  for 'extension', 'script';

# It is refused in a schema in which names could mean others, and if names could mean others while it checks that: those
# of functions with the types of its calls, and of a type and a view in the temporary schema of the session.
my @schemas = qw(open functions operator domain composite casts);
$node->safe_psql('script', 'CREATE ROLE thief LOGIN');
Portable::as_owner($node, 'script', join '', 'CREATE SCHEMA own; CREATE SCHEMA everyone;',
  'GRANT CREATE ON SCHEMA everyone TO PUBLIC;',
  map { "CREATE SCHEMA $_; GRANT CREATE, USAGE ON SCHEMA $_ TO thief;" } @schemas);
Traps::plant_functions($node, 'script', 'functions', 'thief');
$node->safe_psql('script', q{
  CREATE OPERATOR operator.<-> (LEFTARG = integer, RIGHTARG = bigint, FUNCTION = pg_catalog.int48ne);
  CREATE DOMAIN domain.uuid AS uuid;
  CREATE TYPE composite.uuid_time_range AS (r tstzrange);
  CREATE TYPE casts.pair AS (r tstzrange);
  CREATE FUNCTION functions.pair(tstzrange) RETURNS casts.pair LANGUAGE sql AS 'SELECT ROW($1)::casts.pair';
  CREATE CAST (tstzrange AS casts.pair) WITH FUNCTION functions.pair(tstzrange) AS IMPLICIT;
  CREATE FUNCTION functions.hijacked() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$;
  CREATE DOMAIN functions.record AS name CHECK (functions.hijacked() > 0);
  CREATE FUNCTION functions.fill() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
      CREATE DOMAIN pg_temp.uuid AS uuid CHECK (functions.hijacked() > 0);
      CREATE VIEW pg_temp.pg_namespace AS SELECT *, functions.hijacked() FROM pg_catalog.pg_namespace;
      GRANT SELECT ON pg_temp.pg_namespace TO PUBLIC;
  END
  $$}, extra_params => [ '-U', 'thief' ]);
Portable::as_owner($node, 'script', join '', map { "REVOKE CREATE ON SCHEMA $_ FROM thief;" } @schemas[1 .. 5]);
$node->safe_psql('script', 'ALTER TYPE casts.pair OWNER TO owner');
for my $case (
  [ 'absent', 'no schema has been selected' ],
  [ 'pg_temp', 'uuidx cannot be installed in a temporary schema' ],
  (map { [ "$_, pg_catalog", 'pg_catalog must be first in search_path' ] } 'own', 'functions'),
  [ 'everyone', 'role "public" can create objects in schema everyone, or has done so' ],
  (map { [ $_, "role \"thief\" can create objects in schema $_, or has done so" ] } @schemas),
  [ 'own, functions', 'role "thief" can create objects in schema functions, or has done so' ],
  [ 'own; SELECT functions.fill()',
    'role "thief" can create objects in schema pg_temp_.*\nHINT:  Install uuidx in a new' ])
{
  my ($path, $error) = @$case;
  my (undef, undef, $messages) = $node->psql('script', "BEGIN; SET search_path = $path; \\i $Portable::script\nCOMMIT",
    on_error_stop => 0, extra_params => [ '-U', 'owner' ]);
  like($messages, qr/ERROR:  $error/, "installation refused with search_path = $path");
}
is($node->safe_psql('script', q{
  SELECT count(*) FROM pg_proc WHERE pronamespace IN ('own'::regnamespace, 'everyone'::regnamespace)}), 0,
  'refused installations leave nothing behind');

done_testing();
