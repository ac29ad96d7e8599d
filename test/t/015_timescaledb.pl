# TimescaleDB keeps chunks by the time of a uuid key, and queries by that time read only its chunks.
# They return the rows of a plain table.

use FaultShim;
use Helpers;

my $server = FaultShim->new;
my $node = $server->{node};
plan skip_all => 'TimescaleDB is not installed'
  if !-e $node->config_data('--pkglibdir') . '/timescaledb.so';
# TimescaleDB's days are in UTC, and so are the server's. Debian's package has the Apache licence.
$node->append_conf('postgresql.conf', q{
  shared_preload_libraries = 'timescaledb'
  timescaledb.telemetry_level = off
  timescaledb.license = 'apache'});
# The chunks are days around today.
$server->restart_in_midmonth;
my ($version, $old) = split /\|/, $node->safe_psql('postgres', q{
  SELECT default_version,
    string_to_array(substring(default_version, '^[0-9.]+'), '.')::int[] < '{2,23}'
  FROM pg_available_extensions WHERE name = 'timescaledb'});
plan skip_all => "TimescaleDB $version cannot partition by uuid and drop chunks of it; 2.23 can"
  if $old eq 't';

# The noon of each day by its distance from today, as a constant.
my %noon = map { split /\|/ } split /\n/, $node->safe_psql('postgres', q{
  SELECT n, format('timestamptz %L',
    current_date::timestamptz + n * interval '1 day' + interval '12 hours')
  FROM generate_series(-9, 9) AS n});

# The same rows in a plain table: every six hours of eight days, one a microsecond before today and one of now.
$node->safe_psql('postgres', q{
  CREATE EXTENSION timescaledb;
  CREATE TABLE plain (id uuid PRIMARY KEY DEFAULT uuid_v7(), n int);
  INSERT INTO plain SELECT uuid_v7_at(current_date::timestamptz + n * interval '6 hours'), n
    FROM generate_series(-16, 15) AS n;
  INSERT INTO plain VALUES (uuid_v7_at(current_date::timestamptz - interval '1 us'), 100);
  INSERT INTO plain (n) VALUES (101)});

is( $node->safe_psql('postgres', q{
    SELECT count(*), count(*) FILTER (WHERE uuid_extract_time_precise(to_uuidv7(t)) <> t),
      count(*) FILTER (WHERE uuid_timestamp_micros(uuid_v7_at(t)) <> uuid_timestamp_micros(to_uuidv7(t)))
    FROM generate_series(0, 999) AS us,
      LATERAL (SELECT timestamptz '2025-10-31 19:34:54.176Z' + us * interval '1 us') AS times (t)}),
  '1000|0|0', 'every microsecond is read from keys of TimescaleDB, and by it from keys of uuidx');

# Returns the chunks: their names, and the days of their rows from today.
sub chunks {
  return map { split /\|/ } split /\n/, $node->safe_psql('postgres', q{
    SELECT relname, string_agg(DISTINCT (uuid_extract_time(id)::date - current_date)::text, ',')
    FROM event JOIN pg_class AS c ON c.oid = event.tableoid GROUP BY 1});
}

# Returns the days of some chunks, in order.
sub days($day_of, @chunks) {
  # A chunk with rows of two days fails the comparison, not the script.
  no warnings 'numeric';
  return join ' ', sort { $a <=> $b } map { $day_of->{$_} // "unknown $_" } @chunks;
}

# Runs a statement with two parameters unknown to the planner: yesterday's noon, tomorrow's.
sub run($statement, $explain) {
  return $node->safe_psql('postgres', qq{
    SET plan_cache_mode = force_generic_plan;
    PREPARE question (timestamptz, timestamptz) AS $statement;
    $explain EXECUTE question ($noon{-1}, $noon{1})});
}

# Checks the days that a condition reads, when the others are pruned, and the rows.
sub check($day_of, $condition, $days, $when) {
  my $plan = run("SELECT FROM event WHERE $condition", 'EXPLAIN (COSTS OFF)');
  is(days($day_of, $plan =~ / on (_hyper_\w+_chunk)\b/g), $days,
    "only chunks in the time range are read, $condition");
  is($plan =~ /Chunks excluded during startup: [1-9]/ ? 'run time' : 'plan time', $when,
    "other chunks are pruned at $when, $condition");
  is( run(qq{
      SELECT (SELECT array_agg(n ORDER BY id) FROM event WHERE $condition)
          IS NOT DISTINCT FROM (SELECT array_agg(n ORDER BY id) FROM plain WHERE $condition),
        EXISTS (SELECT FROM plain WHERE NOT ($condition))}, ''),
    't|t', "the rows are those of the plain table, $condition");
}

# Conditions, the days of the chunks read, and when the others are pruned: each kind of comparison of the key, with
# values known at either time. sql/time_partitions.sql has more conditions that become these.
my @questions = (
  ["id >= $noon{1}", '1 2 3', 'plan time'],
  ["id <= uuid_v7_max($noon{-2})", '-4 -3 -2', 'plan time'],
  ["id <@ tstzrange($noon{-1}, $noon{1})", '-1 0 1', 'plan time'],
  ["id >= now() - interval '1 day'", '-1 0 1 2 3', 'run time'],
  ["id <@ tstzrange(now() - interval '1 day', now())", '-1 0', 'run time'],
  ['id <@ tstzrange($1, $2)', '-1 0 1', 'run time'],
  ["uuid_extract_v7_time(id) BETWEEN $noon{-1} AND $noon{1}", '-1 0 1', 'plan time'],
  # Times beyond the range of version 7, which TimescaleDB rejects as bounds.
  ["id >= timestamptz '1960-01-03' AND id < $noon{-2}", '-4 -3 -2', 'plan time'],
  ["id <@ tstzrange('-infinity', $noon{-3})", '-4 -3', 'plan time'],
  ["id <@ 'empty'::tstzrange", '', 'plan time']);

$node->safe_psql('postgres', q{
  CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), n int);
  SELECT create_hypertable('event', by_range('id', interval '1 day'));
  INSERT INTO event SELECT * FROM plain WHERE n < 101});
# The default's value is of today, too.
$node->safe_psql('postgres', q{
  INSERT INTO event (n) VALUES (101);
  UPDATE plain SET id = (SELECT id FROM event WHERE n = 101) WHERE n = 101});
my %day_of = chunks();
is(days(\%day_of, keys %day_of), '-4 -3 -2 -1 0 1 2 3', 'a chunk is a day');
check(\%day_of, @$_) for @questions;
my @dropped = split /\n/, $node->safe_psql('postgres',
  q{SELECT drop_chunks('event', older_than => now() - interval '2 days')});
is(days(\%day_of, map { /(\w+)$/ } @dropped), '-4 -3', 'old chunks are dropped');
my %left = chunks();
is(days(\%left, keys %left), '-2 -1 0 1 2 3', 'newer chunks are kept');

done_testing();
