# Functions agree with those of core.

use FindBin;
use lib $FindBin::RealBin;
use Helpers;

my $node = start_node('core_functions');
my $server = version_of($node);
plan skip_all => 'PostgreSQL before 17 has no uuid_extract_timestamp() to compare with'
  if $server < 170000;

# 100,000 random values: every version, and every variant (the first three bits of byte 8) equally often.
$node->safe_psql('postgres', q{
  CREATE TABLE random_id AS
    SELECT encode(set_byte(set_byte(uuid_send(gen_random_uuid()),
        6, n % 16 * 16 + floor(random() * 16)::int),
        8, n / 16 % 8 * 32 + floor(random() * 32)::int), 'hex')::uuid AS id
    FROM generate_series(1, 100000) AS n;
  INSERT INTO random_id VALUES (nil_uuid()), (max_uuid()), (uuid_v1()), (uuid_v6()), (uuid_v7()),
    (uuid_v7_at('1970-01-01 UTC')), (uuid_v7_at('10889-08-02 05:31:50.655 UTC')),
    (uuid_v1_at('1582-10-15 UTC')), (uuid_v1_at('5236-03-31 21:21:00.684697 UTC'))});
is( $node->safe_psql('postgres', q{
    SELECT count(DISTINCT (get_byte(uuid_send(id), 6) / 16, get_byte(uuid_send(id), 8) / 32))
    FROM random_id}),
  16 * 8, 'there are values of every version and variant');

# The version equals core's for every value, including NULL for other variants.
is( $node->safe_psql('postgres', q{
    SELECT count(*), count(*) FILTER (
      WHERE public.uuid_extract_version(id) IS DISTINCT FROM pg_catalog.uuid_extract_version(id))
    FROM random_id}),
  '100009|0', 'uuid_extract_version() agrees with core');

# The time equals core's if core has one: from 17 on for version 1, from 18 on for 7, too.
is( $node->safe_psql('postgres', q{
    SELECT string_agg(DISTINCT version::text, ' ') FILTER (WHERE version <> 6),
      count(*) FILTER (WHERE version <> 6) > 1500, count(*) FILTER (WHERE core IS DISTINCT FROM ours)
    FROM (SELECT uuid_extract_timestamp(id) AS core, uuid_extract_time(id) AS ours,
        uuid_extract_version(id) AS version FROM random_id) AS s
    WHERE core IS NOT NULL}),
  ($server >= 180000 ? '1 7' : '1') . '|t|0',
  'uuid_extract_time() agrees with core\'s uuid_extract_timestamp()');

# If core returns NULL, so does uuidx, except for versions that core does not know yet: other
# versions and variants, nil and max.
my $unknown = $server >= 180000 ? '6' : '6, 7';
is( $node->safe_psql('postgres', qq{
    SELECT count(*) > 90000, count(*) FILTER (WHERE uuid_extract_time(id) IS NOT NULL),
      count(*) FILTER (WHERE uuid_extract_time_precise(id) IS NOT NULL)
    FROM random_id WHERE uuid_extract_timestamp(id) IS NULL
      AND coalesce(uuid_extract_version(id) NOT IN ($unknown), true)}),
  't|0|0', "if core has no time, uuidx has none, except for version $unknown");

# The server shows the library's version, which is the release.
SKIP: {
  skip 'PostgreSQL before 18 has no pg_get_loaded_modules()', 1 if $server < 180000;
  is( $node->safe_psql('postgres', q{
      SELECT count(uuid_v4()) FILTER (WHERE false), version = uuidx_version() FROM pg_get_loaded_modules()
      WHERE module_name = 'uuidx' GROUP BY 2}), '0|t', 'the version of the module is that of uuidx_version()');
}

done_testing();
