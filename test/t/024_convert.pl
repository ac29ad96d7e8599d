# Conversions agree with independent implementations: Python's, others written in Python from the
# specifications, and core's. Decoding any text gives its UUID or an error with the first fault.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Helpers;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Options of psql.
$ENV{PGCLIENTENCODING} = 'UTF8';

my $node = PostgreSQL::Test::Cluster->new('convert');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->start;

my @python = ('python3', "$FindBin::RealBin/uuidx_convert.py");
my $has_python = IPC::Run::run [ 'python3', '-c', 'import base64; base64.b32hexencode' ], '>', \my $output,
  '2>&1';
my $folder = PostgreSQL::Test::Utils::tempdir();

# Writes the Python script's output to a file.
sub made {
  my ($what) = @_;
  my $file = "$folder/$what";
  IPC::Run::run [ @python, $what ], '>', $file or die "uuidx_convert.py $what failed";
  return $file;
}

# Returns what the Python script finds wrong in the rows of a query.
sub judge {
  my ($what, $query) = @_;
  my ($rows, $verdict) = ($node->safe_psql('postgres', $query) . "\n", '');
  IPC::Run::run [ @python, $what ], '<', \$rows, '>', \$verdict, '2>&1';
  # If all rows differ, one is enough.
  return length $verdict > 3000 ? substr($verdict, 0, 3000) . '...' : $verdict;
}

$node->safe_psql('postgres', q{
  CREATE EXTENSION uuidx;
  -- The value of an expression with two parameters, or the SQLSTATE of its error.
  CREATE FUNCTION tried(expression text, id uuid, key bytea) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE
      result text;
    BEGIN
      EXECUTE 'SELECT ' || expression INTO result USING id, key;
      RETURN result;
    EXCEPTION WHEN OTHERS THEN
      RETURN SQLSTATE;
    END $$;
  -- What was decoded of a text, or its error, and that encoded.
  CREATE FUNCTION decoded(form text, data text) RETURNS json LANGUAGE plpgsql AS $$
    DECLARE
      id uuid;
      message text;
      detail text;
    BEGIN
      id := uuid_decode(data, form);
      RETURN json_build_array(form, data, '00000', id, uuid_encode(id, form), '', '');
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
      RETURN json_build_array(form, data, SQLSTATE, NULL, NULL, message, detail);
    END $$});
# As the hint lists them. The Python script has its own list.
my @forms = ($node->psql('postgres', q{SELECT uuid_encode(nil_uuid(), '')}))[2] =~ /"(\w+)"/g;

SKIP: {
  skip 'python3 of 3.10 or later is not installed', 6 + @forms unless $has_python;

  my ($values, $spellings, $broken) = map { made($_) } qw(values spellings broken);
  $node->safe_psql('postgres', qq{
    CREATE TABLE value (id uuid, key bytea);
    CREATE TABLE spelling (id uuid, form text, data text);
    CREATE TABLE broken (form text, data text);
    COPY value FROM '$values';
    COPY spelling FROM '$spellings';
    COPY broken FROM '$broken'});
  my $count = $node->safe_psql('postgres', 'SELECT count(*) FROM value');
  cmp_ok($count, '>', 10000, 'values to convert');

  # Every form, the bytes and Microsoft's order equal those of Python.
  my $encoded = join ', ', map { "uuid_encode(id, '$_')" } @forms;
  is( judge('forms', qq{
      SELECT id, $encoded, encode(uuid_to_bytea(id), 'hex'), uuid_swap_guid(id) FROM value}),
    "compared $count\n", 'text forms, bytes and order of a GUID equal those of Python');

  # Bytes and Microsoft's order convert back.
  is( $node->safe_psql('postgres', q{
      SELECT count(*) FILTER (WHERE uuid_from_bytea(uuid_send(id)) = id),
        count(*) FILTER (WHERE uuid_swap_guid(uuid_swap_guid(id)) = id) FROM value}),
    "$count|$count", 'bytes and the order of a GUID convert back');

  # Python's text forms are read in any case, with Crockford's aliases.
  my $spelled = @forms * $count;
  is( $node->safe_psql('postgres', q{
      SELECT count(*), count(*) FILTER (WHERE decoded(form, data) ->> 3 = id::text) FROM spelling}),
    "$spelled|$spelled", 'text forms of Python are read');

  # Every conversion between versions, or its error.
  is( judge('versions', q{
      SELECT id, encode(key, 'hex'), tried('uuid_v1_to_v6($1)', id, key),
        tried('uuid_v6_to_v1($1)', id, key), tried('uuid_to_v7($1)', id, key),
        tried('uuid_v47_mask($1, $2)', id, key), tried('uuid_v47_unmask($1, $2)', id, key)
      FROM value}),
    "compared $count\n", 'versions 1, 6, 7 and UUIDv47 equal those of Python');

  # Versions convert back, and version 7 keeps the time. A version is never NULL here, as NULL AND x evaluates x.
  is( $node->safe_psql('postgres', q{
      SELECT count(*) FILTER (WHERE v = 1 AND uuid_v6_to_v1(uuid_v1_to_v6(id)) <> id),
        count(*) FILTER (WHERE v = 6 AND uuid_v1_to_v6(uuid_v6_to_v1(id)) <> id),
        count(*) FILTER (WHERE v = 7 AND uuid_v47_unmask(uuid_v47_mask(id, key), key) <> id),
        count(*) FILTER (WHERE v = 4 AND uuid_v47_mask(uuid_v47_unmask(id, key), key) <> id),
        count(*) FILTER (WHERE v IN (1, 6) AND date_trunc('milliseconds', uuid_extract_time(id))
          <> CASE WHEN uuid_extract_time(id) >= '1970-01-01 UTC'
            THEN uuid_extract_time(uuid_to_v7(id)) END),
        count(*) FILTER (WHERE v IN (1, 4, 6, 7)) > 4000
      FROM value, coalesce(uuid_extract_version(id), -1) AS v}),
    '0|0|0|0|0|t', 'versions convert back, and 7 keeps the time of 1 and 6');

  # The error of a text that is not in the form, with the place.
  for my $form (@forms) {
    my $texts = $node->safe_psql('postgres', "SELECT count(*) FROM broken WHERE form = '$form'");
    is(judge('decoded', "SELECT decoded(form, data) FROM broken WHERE form = '$form'"),
      "compared $texts\n", "$form: mutated texts are read, or the error shows the first fault");
  }

  # Core has base32hex since 19, with padding. By the number, as a beta of 19 is before 19 for pg_version.
  if ($node->safe_psql('postgres', 'SHOW server_version_num') >= 190000) {
    is( $node->safe_psql('postgres', q{
        SELECT count(*),
          count(*) FILTER (WHERE uuid_encode(id, 'base32hex') = rtrim(encode(id::bytea, 'base32hex'), '=')),
          count(*) FILTER (WHERE uuid_decode(rtrim(encode(id::bytea, 'base32hex'), '='), 'base32hex') = id),
          count(*) FILTER (WHERE uuid_to_bytea(id) = id::bytea AND uuid_from_bytea(id::bytea) = id)
        FROM value}),
      "$count|$count|$count|$count", 'base32hex and bytes equal those of core');
  }
}

# The error shows a whole character in the database's encoding, and no byte of it passes for a digit. In a SQL_ASCII
# database, it shows one of UTF-8.
for my $encoding ([ 'LATIN1', "\xc3\xa9" ], [ 'EUC_JP', "\xe3\x81\x82" ], [ 'SQL_ASCII', "\xc3\xa9" ]) {
  my ($name, $character) = @$encoding;
  $node->safe_psql('postgres', qq{
    CREATE DATABASE "$name" ENCODING '$name' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'});
  $node->safe_psql($name, 'CREATE EXTENSION uuidx');
  for my $form (@forms) {
    # The 1 is a digit of each form, or the start of its prefix.
    my $start = $form eq 'urn' ? 'u' : '1';
    my $message = error_of($node, "SELECT uuid_decode('$start$character', '$form')", $name);
    my $text = quotemeta "$start$character";
    like($message,
      qr/ERROR:  22P02: invalid input syntax for UUID format "$form": "$text"\n.*"\Q$character\E" at position 2\./s,
      "$name: $form shows the character at fault");
  }
}

# In a SQL_ASCII database, every byte is a character.
$node->safe_psql('postgres', q{
  CREATE DATABASE sql_ascii ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'});
$node->safe_psql('sql_ascii', q{
  CREATE EXTENSION uuidx;
  CREATE FUNCTION place(data text, form text) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE
      detail text;
    BEGIN
      RETURN uuid_decode(data, form);
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
      RETURN SQLSTATE || substring(detail FROM ' at position \d+');
    END $$});
my $tries = 21 * @forms;
is( $node->safe_psql('sql_ascii', q{
    SELECT place(left(start, at) || octet || rest, form), count(*)
    FROM unnest(string_to_array('FORMS', ' ')) AS form,
      unnest(ARRAY[0, 1]) AS at,
      LATERAL (SELECT uuid_encode('10000000-0000-4000-8000-000000000000', form)) AS s (start),
      unnest(ARRAY[E'\x80', E'\xb1', E'\xc3', E'\xe3', E'\xf0', E'\xff', E'\xe3\x81']) AS octet,
      unnest(ARRAY['', '1', substr(start, at + 2)]) AS rest
    GROUP BY 1 ORDER BY 1} =~ s/FORMS/@forms/r),
  "22P02 at position 1|$tries\n22P02 at position 2|$tries", 'SQL_ASCII: octets that are no digits');

done_testing();
