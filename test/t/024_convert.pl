# Text formats agree with independent implementations, and errors name the first wrong character.
# These are Python's, others written in Python from the specifications, and core's. In every encoding.

use FindBin;
use lib $FindBin::RealBin;
use Helpers;
use IPC::Run;

# Options of psql.
$ENV{PGCLIENTENCODING} = 'UTF8';

my $node = start_node('convert', '', extra => [ '--encoding=UTF8', '--locale=C' ]);
# As the hint lists them. The Python script has its own list.
my @forms = ($node->psql('postgres', q{SELECT uuid_encode(nil_uuid(), '')}))[2] =~ /"(\w+)"/g;

SKIP: {
  my ($file, $errors) = PostgreSQL::Test::Utils::tempdir() . '/forms';
  IPC::Run::run [ 'python3', "$FindBin::RealBin/uuidx_convert.py" ], '>', $file, '2>', \$errors
    or skip "python3 of 3.10 or later is not installed: $errors", 4;
  $node->safe_psql('postgres', qq{
    CREATE TABLE form (id uuid, name text, written text, spelled text);
    COPY form FROM '$file'});
  my $count = $node->safe_psql('postgres', 'SELECT count(DISTINCT id) FROM form');
  cmp_ok($count, '>', 2000, 'there are over 2,000 values to convert');

  is( $node->safe_psql('postgres', q{
      SELECT name, count(*) FROM form
      WHERE name NOT IN ('bytes', 'guid') AND uuid_encode(id, name) = written AND uuid_decode(spelled, name) = id
      GROUP BY name ORDER BY name}),
    join("\n", map { "$_|$count" } sort @forms), 'each format is written and read as in Python');
  is( $node->safe_psql('postgres', q{
      SELECT count(*) FILTER (WHERE encode(uuid_to_bytea(id), 'hex') = written
          AND uuid_from_bytea(decode(written, 'hex')) = id),
        count(*) FILTER (WHERE uuid_swap_guid(id)::text = written AND uuid_swap_guid(written::uuid) = id)
      FROM form WHERE name IN ('bytes', 'guid')}) =~ tr/|/ /r,
    "$count $count", 'bytes and GUIDs are those of Python');

  # Core has base32hex since 19, with padding. By the number, as a beta of 19 is before 19 for pg_version.
  skip 'core has no base32hex before 19', 1
    if version_of($node) < 190000;
  is( $node->safe_psql('postgres', q{
      SELECT count(*) FILTER (WHERE written = rtrim(encode(id::bytea, 'base32hex'), '=')
        AND uuid_to_bytea(id) = id::bytea AND uuid_from_bytea(id::bytea) = id)
      FROM form WHERE name = 'base32hex'}),
    $count, 'base32hex and bytes are those of core');
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
      "$name: the error for $form shows the wrong character");
  }
}

done_testing();
