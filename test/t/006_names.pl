# Name-based UUIDs agree with uuid-ossp and with core's digests, and errors show characters, in every encoding.

use Helpers;

my $node = start_node('names', '', extra => [ '--encoding=UTF8', '--locale=C' ]);

# Names of all lengths up to two blocks of the longest digest and one of 1 MB, ASCII or not, in the
# four namespaces and another; and bytes that are not text.
$node->safe_psql('postgres', q{
  CREATE TABLE namespace AS SELECT uuid_namespace(name) AS ns
    FROM unnest(ARRAY['dns', 'url', 'oid', 'x500']) AS name;
  INSERT INTO namespace VALUES ('c0ffee1e-0f5d-4d3b-9d2e-3f6a7b8c9d0e');
  CREATE TABLE name (ns uuid, octets bytea, name text);
  SELECT setseed(0.9562);
  INSERT INTO name (ns, name)
    SELECT ns, left(repeat('The quick brown fox. ', 1 + size / 21), size) FROM namespace,
      (SELECT generate_series(0, 260) UNION ALL VALUES (1048576)) AS s (size)
    UNION ALL
    SELECT ns, name FROM namespace, unnest(ARRAY[E'\u00e9', E'Zo\u00eb', E'e\u0301', E'\u65e5\u672c',
      E'\U0001F600', 'a|b', repeat(E'\u00df', 28), repeat(E'\u20ac', 21), repeat(E'\u00e9', 524288)])
      AS name
    UNION ALL
    SELECT ns, (SELECT string_agg(chr((ARRAY[33, 161, 2048, 65536])[1 + floor(random() * 4)::int]
      + floor(random() * 90)::int), '') FROM generate_series(1, size)) FROM namespace,
      generate_series(1, 40) AS size;
  UPDATE name SET octets = convert_to(name, 'UTF8');
  INSERT INTO name (ns, octets)
    SELECT ns, sha512(int8send(size)) || decode(repeat('ff00', size), 'hex') FROM namespace,
      generate_series(0, 20) AS size});
my $texts = 5 * (262 + 9 + 40);
my $names = $texts + 5 * 21;

SKIP: {
  skip 'uuid-ossp is not installed', 2 if !is_available($node, 'uuid-ossp');
  is( $node->safe_psql('postgres', q{
      CREATE EXTENSION "uuid-ossp";
      SELECT count(*), count(*) FILTER (WHERE uuid_v3(ns, name) = uuid_generate_v3(ns, name)),
        count(*) FILTER (WHERE uuid_v5(ns, name) = uuid_generate_v5(ns, name))
      FROM name WHERE name IS NOT NULL}),
    "$texts|$texts|$texts", 'versions 3 and 5 equal those of uuid-ossp');
  is( $node->safe_psql('postgres', q{
      SELECT uuid_nil() = nil_uuid(), uuid_ns_dns() = uuid_namespace('dns'), uuid_ns_url() = uuid_namespace('url'),
        uuid_ns_oid() = uuid_namespace('oid'), uuid_ns_x500() = uuid_namespace('x500')}),
    't|t|t|t|t', 'nil and the namespaces equal the constants of uuid-ossp');
}

my @digests = ('sha224', 'sha256', 'sha384', 'sha512');
my $as_core = join ' AND ',
  map { "uuid_v8_hash('$_', ns, octets) = uuid_v8(substr($_(uuid_send(ns) || octets), 1, 16))" } @digests;
is($node->safe_psql('postgres', "SELECT count(*), count(*) FILTER (WHERE $as_core) FROM name"), "$names|$names",
  "version 8 has the first 16 bytes of core's digests: @digests");

for my $encoding ('latin1', 'euc_jp', 'sql_ascii') {
  $node->safe_psql('postgres', "CREATE DATABASE $encoding ENCODING '$encoding' TEMPLATE template0 LOCALE 'C'");
  $node->safe_psql($encoding, 'CREATE EXTENSION uuidx');
}

my $latin1 = q{
  SELECT uuid_v3(ns, name), uuid_v5(ns, name), uuid_v8_hash('sha512', ns, name)
  FROM uuid_namespace('url') AS ns, (
    SELECT chr(n) FROM generate_series(32, 255) AS n WHERE n NOT BETWEEN 127 AND 159
    UNION ALL
    SELECT repeat(E'na\u00efve caf\u00e9 ', n) FROM unnest(ARRAY[1, 7, 100000]) AS n) AS t (name)};
my $in_utf8 = $node->safe_psql('postgres', $latin1);
is(scalar(split /\n/, $in_utf8), 194, 'there are 194 names in LATIN1');
is($node->safe_psql('latin1', $latin1), $in_utf8, 'a LATIN1 database gives the UUIDs of UTF-8');
is( $node->safe_psql('latin1', q{
    SELECT uuid_v5(ns, name) = uuid_v5(ns, '\x636166c3a9'::bytea),
      uuid_v5(ns, name) = uuid_v5(ns, '\x636166e9'::bytea), octet_length(name)
    FROM uuid_namespace('url') AS ns, CAST(E'caf\u00e9' AS text) AS name}),
  't|f|4', 'a LATIN1 database hashes UTF-8, not LATIN1');

for my $call ('uuid_v3(', 'uuid_v5(', q{uuid_v8_hash('sha256', }) {
  like(error_of($node, "SELECT ${call}uuid_namespace('dns'), E'\\xff\\x41')", 'sql_ascii'),
    qr/ERROR:  22021: invalid byte sequence for encoding "UTF8": 0xff/,
    "$call...): bytes that are not valid UTF-8 are an error as text");
}
my $octets = q{
  SELECT uuid_v3(ns, '\xff41'::bytea), uuid_v5(ns, '\xff41'::bytea),
    uuid_v8_hash('sha256', ns, '\xff41'::bytea) FROM uuid_namespace('dns') AS ns};
is($node->safe_psql('sql_ascii', $octets), $node->safe_psql('postgres', $octets),
  'bytes that are not valid UTF-8 are hashed as bytea');
is( $node->safe_psql('sql_ascii',
    q{SELECT uuid_v5(ns, E'caf\xc3\xa9') = uuid_v5(ns, '\x636166c3a9'::bytea)
      FROM uuid_namespace('dns') AS ns}),
  't', 'a SQL_ASCII database takes valid UTF-8 as text');

# The error of a text format shows a whole character in the database's encoding, and no byte of it passes for a digit.
# In a SQL_ASCII database, it shows one of UTF-8.
$ENV{PGCLIENTENCODING} = 'UTF8';
my @formats = ($node->psql('postgres', q{SELECT uuid_encode(nil_uuid(), '')}))[2] =~ /"(\w+)"/g;
cmp_ok(scalar @formats, '>', 5, "the hint lists the text formats: @formats");
for my $case ([ 'latin1', "\xc3\xa9" ], [ 'euc_jp', "\xe3\x81\x82" ], [ 'sql_ascii', "\xc3\xa9" ]) {
  my ($database, $character) = @$case;
  for my $format (@formats) {
    # The 1 is a digit of each format, or the start of its prefix.
    my $start = $format eq 'urn' ? 'u' : '1';
    my $text = quotemeta "$start$character";
    like(error_of($node, "SELECT uuid_decode('$start$character', '$format')", $database),
      qr/ERROR:  22P02: invalid input syntax for UUID format "$format": "$text"\n.*"\Q$character\E" at position 2\./s,
      "$database: the error of $format shows the wrong character");
  }
}

done_testing();
