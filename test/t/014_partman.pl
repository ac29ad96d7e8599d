# pg_partman maintains partitions by the time of a uuid key.
# With the encoder uuid_v7_min() and the decoder uuid_time_decoder(). sql/time_partitions.sql has queries, also of the
# bounds of pg_partman's own encoder.

use FaultShim;
use Helpers;

# pg_partman cuts days in the session's time zone, UTC.
my $server = FaultShim->new;
my $node = $server->{node};

# Before 5.2 it does not support uuid; before 5.3 it does not move rows by a uuid.
my $version = $node->safe_psql('postgres',
  q{SELECT default_version FROM pg_available_extensions WHERE name = 'pg_partman'});
my ($major, $minor) = "$version.0.0" =~ /^(\d+)\.(\d+)/ ? ($1, $2) : (0, 0);
plan skip_all => 'pg_partman 5.2 or later is not installed'
  if $major < 5 || $major == 5 && $minor < 2;
my $moves_rows = $major > 5 || $minor >= 3;

# The partitions are days around today.
$server->restart_in_midmonth;

# The start of each day by its distance from today, and the name of its partition.
my (%day, %name);
for (split /\n/, $node->safe_psql('postgres', q{
    SELECT n, start, to_char(start, '"log_p"YYYYMMDD') FROM generate_series(-9, 9) AS n,
      LATERAL (SELECT current_date::timestamptz + n * interval '1 day') AS s (start)}))
{
  my ($n, $start, $name) = split /\|/;
  $day{$n} = "timestamptz '$start'";
  $name{$n} = $name;
}
$name{default} = 'log_default';

# Returns the names of the partitions of some days, in order.
sub names {
  return join ' ', sort map { $name{$_} } @_;
}

# Runs SQL in the database of the tests.
sub run_sql { return $node->safe_psql('partitioned', $_[0]) }

# Returns the partitions by name, marked if the bounds are not exactly those of the day.
sub partitions {
  return run_sql(q{
    SELECT string_agg(relname || CASE WHEN pg_get_expr(relpartbound, oid) =
        format('FOR VALUES FROM (%L) TO (%L)', uuid_v7_min(day), uuid_v7_min(day + '1 day'))
      THEN '' ELSE ' with wrong bounds' END, ' ' ORDER BY relname)
    FROM pg_class, LATERAL (SELECT to_timestamp(substr(relname, 6), 'YYYYMMDD')) AS s (day)
    WHERE relispartition AND relname ~ '^log_p[0-9]+$'});
}

# Returns the partitions with rows: name and number, marked if a row is of another day.
sub rows {
  return run_sql(q{
    SELECT string_agg(relname || ' ' || n || mark, ', ' ORDER BY relname) FROM (
      SELECT relname, count(*) AS n, CASE WHEN relname = 'log_default'
          OR bool_and(to_char(uuid_extract_time(id), '"log_p"YYYYMMDD') = relname)
        THEN '' ELSE ' wrong' END AS mark
      FROM log JOIN pg_class AS c ON c.oid = log.tableoid GROUP BY 1) AS s});
}

$node->safe_psql('postgres', 'CREATE DATABASE partitioned');
run_sql(q{
  CREATE EXTENSION uuidx;
  CREATE SCHEMA partman;
  CREATE EXTENSION pg_partman SCHEMA partman;
  CREATE TABLE log (id uuid PRIMARY KEY DEFAULT uuid_v7(), line text) PARTITION BY RANGE (id);
  SELECT partman.create_parent('public.log', 'id', '1 day', p_premake := 2,
    p_time_encoder := 'public.uuid_v7_min', p_time_decoder := 'public.uuid_time_decoder')});
is(partitions(), names(-2 .. 2), "partitions are whole days");

# Four rows a day from 4 days ago, one a microsecond before today, one of now.
run_sql(qq{
  INSERT INTO log SELECT uuid_v7_at($day{0} + n * interval '6 hours'), n
    FROM generate_series(-16, 11) AS n;
  INSERT INTO log VALUES (uuid_v7_at($day{0} - interval '1 us'), 'before midnight');
  INSERT INTO log (line) VALUES ('now')});
is( rows(),
  "log_default 8, $name{-2} 4, $name{-1} 5, $name{0} 5, $name{1} 4, $name{2} 4",
  "rows are in the partition of their time");

SKIP: {
  skip "pg_partman $version does not move rows by uuid; 5.3 does", 2 if !$moves_rows;

  # Rows are moved from the default partition to new ones of their days. A UUID without a time stays.
  run_sql("INSERT INTO log VALUES ('f47ac10b-58cc-4372-a567-0e02b2c3d479')");
  is(run_sql(q{SELECT partman.partition_data_time('public.log', p_batch_count := 10)}), '8',
    'rows are moved out of the default partition');
  is( rows(),
    "log_default 1, $name{-4} 4, $name{-3} 4, $name{-2} 4, $name{-1} 5, $name{0} 5, $name{1} 4, $name{2} 4",
    "rows of the default partition are moved to the partitions of their time");
}

# The newest row is of the day after tomorrow, and two more partitions are to be created.
my @old = $moves_rows ? (-4, -3) : ();
run_sql(q{SELECT partman.run_maintenance('public.log')});
is(partitions(), names(@old, -2 .. 4), "maintenance creates partitions ahead");

# Retention drops partitions that ended more than a day ago, and then those before today.
for my $step (['1 day', 'true', -1, -2], ['0 days', 'false', 0, -1]) {
  my ($retention, $keep, $first, $gone) = @$step;
  run_sql(qq{
    UPDATE partman.part_config SET retention = '$retention', retention_keep_table = $keep;
    SELECT partman.run_maintenance('public.log')});
  is(partitions(), names($first .. 4),
    "a retention of $retention keeps newer partitions");
  is(run_sql("SELECT to_regclass('$name{$gone}') IS NOT NULL"),
    substr($keep, 0, 1), "a retention of $retention keeps the older table: $keep");
}

done_testing();
