# The jobs of doc/partitions.md create and drop partitions, and block no session for long.
# By psql as cron calls it, and by pg_cron if it is installed.

use FaultShim;
use Helpers;
use IPC::Run;

my $page = 'doc/partitions.md';
# The jobs work in UTC, whatever the zone of their session.
my $server = FaultShim->new(conf => "timezone = 'Asia/Tokyo'\n");
my $node = $server->{node};
my $has_cron = -e $node->config_data('--pkglibdir') . '/pg_cron.so';
$node->append_conf('postgresql.conf', q{
  shared_preload_libraries = 'pg_cron'
  cron.database_name = 'app'
  cron.use_background_workers = on}) if $has_cron;
$server->restart_in_midmonth;
$node->safe_psql('postgres', 'CREATE DATABASE app');

# Runs statements in the database of the page.
sub app { return $node->safe_psql('app', $_[0]) }

is(app('CREATE EXTENSION uuidx; ' . block_of($page, 'CREATE TABLE log') . qq{SET search_path = public, later;
  \\set ON_ERROR_STOP 0
  \\i $tree/doc/partitions.sql
  \\echo :ON_ERROR_STOP
  \\set ON_ERROR_STOP 1
  SHOW search_path; CALL create_partitions('log')} =~ s/^ +//gmr), "0\npublic, later",
  'partitions.sql leaves settings as they were');

# Returns the partitions with their bounds as times.
my $bounds = q{
  SELECT relid AS partition, uuid_extract_time(bound[1]::uuid) AS "from", uuid_extract_time(bound[2]::uuid) AS "to"
  FROM pg_partition_tree('log') JOIN pg_class ON oid = relid,
    regexp_match(pg_get_expr(relpartbound, oid), $$\('(.+)'\) TO \('(.+)'\)$$) AS bound
  WHERE isleaf ORDER BY 2};
sub partitions { return app("SELECT partition FROM ($bounds) AS b") }

# Attaches a new partition of whole months. Arguments: name, first month and the one after the last, from now.
sub create_months($name, $from, $to) {
  my $bound = q{uuid_v7_min((date_trunc('month', now() AT TIME ZONE 'UTC') + interval '%s months') AT TIME ZONE 'UTC')};
  app(sprintf qq{DO \$\$ BEGIN CREATE TABLE $name (LIKE log INCLUDING ALL);
      EXECUTE format('ALTER TABLE log ATTACH PARTITION $name FOR VALUES FROM (%%L) TO (%%L)', $bound, $bound);
    END \$\$}, $from, $to);
}

is( app(qq{SELECT count(*), min("from") = date_trunc('month', now(), 'UTC'), max("to") > now() + interval '1 year',
      bool_and(date_trunc('month', "from", 'UTC') = "from" AND ("from" AT TIME ZONE 'UTC' + interval '1 month')
        AT TIME ZONE 'UTC' = "to"), bool_and(partition::text = to_char("from" AT TIME ZONE 'UTC', '"log_"YYYY_MM'))
      FROM ($bounds) AS b}),
  '13|t|t|t|t', 'the job creates partitions of this month in UTC and the next twelve');
is(app(q{INSERT INTO log DEFAULT VALUES;
    SELECT tableoid::regclass::text = to_char(now() AT TIME ZONE 'UTC', '"log_"YYYY_MM') FROM log}),
  't', 'a new row is in the partition of its month');
{
  my %read = map {
    my $plan = app("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT * FROM log WHERE $_->[1]");
    $_->[0] => scalar(() = $plan =~ /Scan.* on log_\d+_\d+ /g)
  } [ open => q{id >= now() - interval '1 minute'} ],
    [ closed => block_of($page, "FROM log WHERE id <\@ tstzrange(now()") =~ s/.*WHERE (.*);\n/$1/r ];
  cmp_ok($read{open}, '>=', 13, 'an open range scans all later partitions');
  cmp_ok($read{closed}, '<=', 2, 'the range of the page scans at most two partitions');
}

# Runs the lines of cron one after the other. Returns how many failed, and what they printed.
my @commands = block_of($page, 'psql -X -q -d app') =~ /^(?:\S+ ){5}(.*)$/gm;
sub run_cron {
  local $ENV{PGHOST} = $node->host;
  local $ENV{PGPORT} = $node->port;
  my ($failed, $printed) = (0, '');
  for my $command (@commands) {
    my ($output, $errors);
    ++$failed if !IPC::Run::run([ 'sh', '-c', $command ], '>', \$output, '2>', \$errors);
    $printed .= "$output$errors";
  }
  return ($failed, $printed);
}
my $months = partitions();
my ($last) = $months =~ /(\w+)\z/;
create_months('log_past', -6, -3);
create_months('log_kept', -2, -1);
create_months('log_first', -9, -7);
my ($failed, $said) = run_cron();
is("$failed $said", '0 ', 'the lines of cron run, and print nothing');
is(partitions(), "log_past\nlog_kept\n$months", 'the oldest partition that ended three months ago is dropped');
run_cron();
is(partitions(), "log_kept\n$months", 'the next run drops the next old partition, and creates none');
run_cron();
is(partitions(), "log_kept\n$months", 'partitions that ended less than three months ago stay');

create_months('log_past', -6, -3);
app(q{CREATE TABLE line (id uuid REFERENCES log);
  WITH old AS (INSERT INTO log VALUES (uuid_v7_at(now() - interval '5 months')) RETURNING id)
    INSERT INTO line TABLE old});
($failed, $said) = run_cron();
like("$failed $said", qr/^1 .*violates foreign key constraint/s, 'a partition with referenced rows is not dropped');
app('DELETE FROM line');
run_cron();
is(partitions(), "log_kept\n$months", 'a partition without referenced rows is dropped');
app('DROP TABLE line');

app("DROP TABLE $last");
my ($reader, $writer) = map { FaultShim::Line->new($node, 'app') } 1, 2;
$reader->ask('BEGIN; SELECT count(*) FROM log;');
my $insert = 'INSERT INTO log DEFAULT VALUES RETURNING 1;';
is($writer->ask("BEGIN; $insert"), 1, 'a transaction writes before the job runs');
run_cron();
is(partitions(), "log_kept\n$months", 'a missing partition is created while transactions read and write');
create_months('log_old', -6, -4);
($failed, $said) = run_cron();
is($failed, 1, 'the job that drops partitions fails while transactions read and write');
like($said, qr/canceling statement due to lock timeout/, 'the job that drops partitions fails by its lock timeout');
is($writer->ask($insert), 1, 'a transaction can write after the job has failed');
$_->say('COMMIT;')->quit for $reader, $writer;
($failed) = run_cron();
is("$failed " . partitions(), "0 log_kept\n$months", 'the run after the transactions drops the partition');

app("DROP TABLE $last; CREATE TABLE $last (id uuid)");
create_months('log_old', -6, -4);
($failed, $said) = run_cron();
is($failed, 1, 'a table with the name of a missing partition: the job fails');
like($said, qr/relation "$last" already exists/, 'the error of the job names the table');
is(partitions(), "log_kept\n$months" =~ s/\n$last\z//r, 'the job that drops partitions works if the other one fails');
app("DROP TABLE $last; CREATE SCHEMA other; CREATE TABLE other.$last (id uuid);
  ALTER DATABASE app SET search_path = public, other");
run_cron();
is(partitions(), "log_kept\n$months", 'a table with the name in another schema does not replace the partition');
app('DROP SCHEMA other CASCADE; ALTER DATABASE app RESET search_path');

# Days, in a schema that is not in the search_path.
is(app(q{CREATE SCHEMA "Other"; CREATE TABLE "Other"."Log" (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
    CALL create_partitions('"Other"."Log"', 'day', '9 days'); CALL create_partitions('"Other"."Log"', 'day', '9 days');
    INSERT INTO "Other"."Log" SELECT uuid_v7_at(now() + n * interval '1 day') FROM generate_series(0, 9) AS n;
    SELECT count(*), min(relname) = to_char(now() AT TIME ZONE 'UTC', '"Log_"YYYY_MM_DD') FROM pg_class AS c
      WHERE c.oid IN (SELECT tableoid FROM "Other"."Log")}), '10|t', 'partitions of a day are created once');
app('DROP SCHEMA "Other" CASCADE');

# A superuser does not run what the owner of a table has in it.
app('CREATE ROLE keeper; CREATE TABLE theirs (id uuid PRIMARY KEY) PARTITION BY RANGE (id); ALTER TABLE theirs OWNER TO
  keeper');
like(error_of($node, "CALL $_", 'app'), qr/ERROR:  42501: must be owner of table public\.theirs\nHINT: .* role keeper,/,
  "a superuser cannot call $_") for q{create_partitions('theirs')}, q{drop_oldest_partition('theirs', '1 day')};
like(error_of($node, "CALL create_partitions('log', ahead => 'infinity')", 'app'), qr/ERROR: .* not finite|"infinity"/,
  'no endless partitions');
app('DROP TABLE theirs; DROP ROLE keeper');

# Functions of another role that match better than PostgreSQL's.
app(q{CREATE ROLE stranger; GRANT CREATE ON SCHEMA public TO stranger; SET ROLE stranger;
  CREATE FUNCTION format(text, name, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted'; END $$;
  CREATE FUNCTION format(text, regclass, regclass) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted'; END $$});
app("DROP TABLE $last");
create_months('log_old', -6, -4);
($failed, $said) = run_cron();
is("$failed $said" . partitions(), "0 log_kept\n$months", 'the jobs run nothing that another role has planted');
app('DROP OWNED BY stranger; DROP ROLE stranger');

SKIP: {
  skip 'pg_cron is not installed', 3 if !$has_cron;
  app('CREATE EXTENSION pg_cron');
  app(block_of($page, 'cron.schedule'));
  is(app('SELECT schedule, command FROM cron.job ORDER BY jobid'),
    "17 3 * * *|CALL create_partitions('log')\n27 3 * * *|CALL drop_oldest_partition('log', '3 months')",
    'pg_cron has the jobs');
  create_months('log_old', -6, -4);
  app("DROP TABLE $last");
  app(q{UPDATE cron.job SET schedule = '* * * * *'});
  ok($node->poll_query_until('app', q{SELECT count(DISTINCT jobid) = 2 FROM cron.job_run_details
      WHERE status = 'succeeded'}), 'pg_cron runs the jobs');
  is(partitions(), "log_kept\n$months", 'the jobs of pg_cron create and drop partitions');
}

# Partitions an existing table in this month instead of that of the page.
my ($month, $end) = split /[|]/, app(q{SELECT to_char(month, 'YYYY_MM'), (month + interval '1 month')::date
  FROM date_trunc('month', now() AT TIME ZONE 'UTC') AS month});
# With what the page says of a serial column, here n, and of an identity column, here i.
my ($serial, @identity) = slurp_file("$tree/$page") =~
  /`(ALTER SEQUENCE [^`]+|ALTER TABLE \w+\s+ALTER n [^`]+)`/g;
s/\bn\b/i/g for @identity;
my $partitioning = block_of($page, 'CREATE TABLE log (LIKE') =~
  s/(?=ALTER TABLE log ATTACH)/join '', map { "$_;" } $serial, @identity/er;
$partitioning = $partitioning =~ s/2026_11/$month/gr =~ s/2026-12-01/$end/gr;
app(q{DROP TABLE log;
  CREATE TABLE log (id uuid PRIMARY KEY DEFAULT uuid_v7() CHECK (uuid_is_v7(id)), line text, n serial,
    i bigint GENERATED BY DEFAULT AS IDENTITY);
  CREATE INDEX ON log (line);
  INSERT INTO log VALUES (uuid_v7_at('2020-01-01'), 'old'), (uuid_v7(), 'new')});
app($partitioning);
is(join("\n", sort split /\n/, partitions()), $months,
  'an existing table becomes the partition of this month, and the job creates the others');
is(app("SELECT count(*) FROM log_$month"), 2, 'a table that becomes a partition keeps its rows');
is(app(q{SELECT count(DISTINCT indrelid) FROM pg_index JOIN pg_inherits ON inhrelid = indexrelid}), 13,
  'partitions have the indexes of the table');
is(app(q{INSERT INTO log (line) VALUES ('newer') RETURNING n, i}), '3|1000000',
  'sequences continue when the table becomes a partition');
app("ALTER TABLE log DETACH PARTITION log_$month; DROP TABLE log_$month");
is(app(q{INSERT INTO log (id) VALUES (uuid_v7_at(now() + interval '1 month')) RETURNING n, i}), '4|1000001',
  'sequences continue when the first partition is dropped');

done_testing();
