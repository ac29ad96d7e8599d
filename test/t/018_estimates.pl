# Row estimates for a time range are within a factor of 2 of the rows if the id has no index.
# Some tables have keys spread evenly, others have most of them in the last tenth of the time. Times are also beyond the
# last ANALYZE. Prints the figures. unit/histogram_test.cpp has keys of version 4 among them.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('estimates');
$node->init;
# Statistics are gathered only by the test.
$node->append_conf('postgresql.conf',
  "autovacuum = off\nfsync = off\nTimeZone = UTC\nmax_parallel_workers_per_gather = 0\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION uuidx');

# 116 days, 1,000,000 rows; the newest key is of this hour.
my $days = 116;
my $rows = 1_000_000;
my $now  = $node->safe_psql('postgres', 'SELECT now()');

# Creates a table with keys at times given by an expression of i, 0 <= i < $rows.
sub make_table {
  my ($name, $time) = @_;
  $node->safe_psql('postgres', qq{
    CREATE TABLE $name (id uuid, n int);
    INSERT INTO $name SELECT uuid_v7_at($time), i FROM generate_series(0, $rows - 1) AS i;
    ANALYZE $name});
}

# Returns the time at a share of the 116 days, as an SQL expression.
sub time_at {
  my ($share) = @_;
  return "(timestamptz '$now' - interval '$days days' * (1 - ($share)::float8))";
}

# Returns the time an interval before, as an SQL expression.
sub ago {
  my ($interval) = @_;
  return "(timestamptz '$now' - interval '$interval')";
}

make_table('even', time_at("i / $rows.0"));
# 10 % of the rows in the first 90 % of the time.
make_table('skewed',
  time_at("CASE WHEN i < 0.1 * $rows THEN i / $rows.0 * 9 ELSE 0.9 + (i / $rows.0 - 0.1) / 9 END"));

# Checks that the estimated and actual rows of a scan agree within a factor of 2; the minimum estimate is 1.
sub check {
  my ($name, $table, $predicate) = @_;
  my $plan = $node->safe_psql('postgres', "EXPLAIN (ANALYZE, TIMING off) SELECT * FROM $table WHERE $predicate");
  return pass("$table, $name: nothing is read") if $plan =~ /One-Time Filter: false/;
  my ($expected, $actual) = $plan =~ /Scan.*? rows=(\d+) .*?\(actual rows=(\d+)/ or die $plan;
  my $ratio = $expected / ($actual > 1 ? $actual : 1);
  note(sprintf '%-46s expected %8d  actual %8d  ratio %5.2f', "$table, $name", $expected, $actual, $ratio);
  ok($ratio >= 0.5 && $ratio <= 2, "$table, $name: $expected expected, $actual found");
}

my @widths = ('1 minute', '1 hour', '1 day', '30 days');
for my $table ('even', 'skewed') {
  for my $width (@widths) {
    # In the skewed table, the first starts where keys are rare.
    for my $share (0.1, 0.5, 0.73) {
      # A minute of the sparse part has less than one row.
      my $start = time_at($share);
      check("$width from $share", $table, "id <@ tstzrange($start, $start + interval '$width')");
    }
    my $from = "timestamptz '$now' - interval '$width'";
    check("the last $width", $table, "id <@ tstzrange($from, timestamptz '$now')");
    # The estimate includes the time since then, which on a busy machine may be a minute.
    check("the last $width, without an end", $table, "tstzrange($from, NULL) @> id")
      if $width ne '1 minute';
  }
  check('all', $table, 'id <@ tstzrange(NULL, NULL)');
  check('none, before', $table, "id <@ tstzrange(NULL, '2001-01-01')");
  check('empty', $table, "id <@ 'empty'::tstzrange");
  my ($a, $b) = map { time_at($_) } 0.2, 0.93;
  check('two days apart', $table,
    "id <@ tstzmultirange(tstzrange($a, $a + interval '1 day'), tstzrange($b, $b + interval '1 day'))");
}

# Keys of the hour since: at the same rate, then ten times as many. The planner sees the table grow;
# the time is not in the histogram.
for my $table ('even', 'skewed') {
  my $hourly = $node->safe_psql('postgres',
    "SELECT count(*) FROM $table WHERE id <@ tstzrange(timestamptz '$now' - interval '1 hour', NULL)");
  for my $pace (1, 10) {
    my $label = "the hour beyond the last ANALYZE, at $pace times the pace";
    $node->safe_psql('postgres', qq{
      CREATE TABLE later_$table (LIKE $table INCLUDING ALL, CHECK (n IS NOT NULL));
      INSERT INTO later_$table SELECT uuid_v7_at(uuid_extract_time(id) - interval '1 hour'), n FROM $table;
      ANALYZE later_$table;
      INSERT INTO later_$table
        SELECT uuid_v7_at(timestamptz '$now' - interval '1 hour' * (1 - i / ($pace * $hourly.0))), i
        FROM generate_series(1, $pace * $hourly) AS i});
    my $since = "timestamptz '$now' - interval '1 hour'";
    check($label, "later_$table", "id <@ tstzrange($since, NULL)");
    check("$label, at run time", "later_$table",
      "id <@ tstzrange(now() - (now() - timestamptz '$now') - interval '1 hour', now())");
    check("$label, its last half", "later_$table", "id <@ tstzrange($since + interval '30 minutes', now())");
    $node->safe_psql('postgres', "DROP TABLE later_$table");
  }
}

# VACUUM counts the new rows without reading their keys: the growth is hidden, the rate is not.
$node->safe_psql('postgres', qq{
  CREATE TABLE vacuumed AS SELECT uuid_v7_at(uuid_extract_time(id) - interval '1 hour') AS id FROM even;
  ANALYZE vacuumed;
  INSERT INTO vacuumed SELECT id FROM even WHERE id <@ tstzrange(timestamptz '$now' - interval '1 hour', NULL)});
$node->safe_psql('postgres', 'VACUUM vacuumed');
check('the hour beyond the last ANALYZE', 'vacuumed',
  "id <@ tstzrange(timestamptz '$now' - interval '1 hour', NULL)");

# Keys ahead of the clock, on another machine: the histogram's last bin ends after the present, and what the table has
# grown by since is within it.
$node->safe_psql('postgres', q{
  CREATE TABLE ahead AS SELECT id FROM even WHERE n % 10 = 0;
  INSERT INTO ahead SELECT uuid_v7_at('2099-01-01') FROM generate_series(1, 100)});
$node->safe_psql('postgres', 'ANALYZE ahead');
$node->safe_psql('postgres',
  sprintf 'INSERT INTO ahead SELECT uuid_v7_at(%s + i * %s) FROM generate_series(1, 10000) AS i',
  ago('24 hours'), q{interval '8 seconds'});
check("$_ hours ago, keys ahead of the clock", 'ahead',
  sprintf 'id <@ tstzrange(%s, %s)', ago("$_ hours"), ago('3 hours'))
  for 12, 24;

# Keys that are not unique, as in a foreign key: the most common values are in a separate list.
$node->safe_psql('postgres', qq{
  CREATE TABLE detail AS
    SELECT uuid_v7_at(date_trunc('hour', timestamptz '$now' - i % 50 * i % 7 * interval '1 day')) AS id
    FROM generate_series(1, 100000) AS i;
  UPDATE detail SET id = first.id FROM (SELECT DISTINCT ON (uuid_extract_time(id)) * FROM detail) AS first
  WHERE uuid_extract_time(detail.id) = uuid_extract_time(first.id);
  INSERT INTO detail SELECT NULL FROM generate_series(1, 50000)});
$node->safe_psql('postgres', 'VACUUM (FULL, ANALYZE) detail');
check('common values', 'detail', "id <@ tstzrange(timestamptz '$now' - interval '3 days', timestamptz '$now')");
check('all that are not null', 'detail', 'id <@ tstzrange(NULL, NULL)');

# The version of common values counts by their number: here most rows have the same key.
for my $case ([ 4, 7 ], [ 7, 4 ]) {
  my ($common, $rare) = @$case;
  $node->safe_psql('postgres', qq{
    CREATE TABLE common_v$common AS
      WITH common AS MATERIALIZED (SELECT uuid_v$common() AS id)
      SELECT id FROM common, generate_series(1, 80000);
    INSERT INTO common_v$common SELECT uuid_v$rare() FROM generate_series(1, 20000);
    ANALYZE common_v$common});
  check('version 7', "common_v$common", 'uuid_is_v7(id)');
}

# Nothing is known of an expression, or of a column of another type by a function with the same support function.
check('version 7 of a new value', 'common_v4', 'uuid_is_v7(uuid_v7())');
$node->safe_psql('postgres', q{
  CREATE FUNCTION is_word(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE SUPPORT uuid_is_v7_support
    AS 'BEGIN RETURN true; END';
  CREATE TABLE word AS SELECT 'word ' || i % 100 AS word FROM generate_series(1, 10000) AS i;
  ANALYZE word});
check('another function with the support function of uuid_is_v7()', 'word', 'is_word(word)');

# Without statistics, or for an unknown time range, the estimate is that of any range type.
$node->safe_psql('postgres',
  'CREATE TABLE fresh (id uuid); INSERT INTO fresh SELECT uuid_v7() FROM generate_series(1, 10000)');
for my $case (['fresh', "tstzrange('2026-01-01', NULL)"], ['even', '$1']) {
  my ($table, $time_range) = @$case;
  my $plan = $node->safe_psql('postgres', qq{
    SET plan_cache_mode = force_generic_plan;
    PREPARE query(tstzrange) AS SELECT * FROM $table WHERE id <@ $time_range;
    EXPLAIN EXECUTE query('[2026-01-01,)')});
  my ($expected) = $plan =~ /rows=(\d+)/;
  my $tuples = $table eq 'even' ? $rows : 10000;
  ok($expected > 0.004 * $tuples && $expected < 0.006 * $tuples,
    "$table, without statistics or with an unknown range: $expected expected");
}

done_testing();
