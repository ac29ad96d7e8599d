# Row estimates for a time range are within a factor of 2 of the rows if the id has an index.
# Also with old keys that came after ANALYZE, in partitions, by several kinds of indexes, and on a standby (049 has
# other histories of tables). The planner reads no index that lacks rows of version 7, or for a user who may not read
# all rows, or if that is switched off.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('index_probe');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf',
  "autovacuum = off\nfsync = off\nTimeZone = UTC\nmax_parallel_workers_per_gather = 0\nmax_wal_size = 4GB\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION uuidx');

my $rows = 120_000;
my $now  = $node->safe_psql('postgres', 'SELECT now()');

# Returns the time an interval before the start of the test, as an SQL expression.
sub ago {
  my ($interval) = @_;
  return "(timestamptz '$now' - interval '$interval')";
}

# Returns a time range before the start of the test.
sub between {
  my ($from, $to) = @_;
  return sprintf 'tstzrange(%s, %s)', ago($from), ago($to);
}

# Returns a time range until the start of the test.
sub last_of {
  my ($interval) = @_;
  return between($interval, '0');
}

# Returns the key at a share of the time from an interval ago to another.
sub even {
  my ($share, $from, $to) = @_;
  return sprintf 'uuid_v7_at(%s + (%s - %s) * (%s))', ago($from), ago($to // '0'), ago($from), $share;
}

# Returns the rows that the planner expects of a query.
sub expected {
  my ($query, %options) = @_;
  my $plan = $node->safe_psql('postgres', "EXPLAIN $query", %options);
  my ($expected) = $plan =~ /rows=(\d+)/ or die $plan;
  return $expected;
}

# Checks that expected and actual rows agree within a factor of 2; the minimum estimate is 1.
sub check {
  my ($name, $table, $predicate) = @_;
  my $expected = expected("SELECT * FROM $table WHERE $predicate");
  my $actual   = $node->safe_psql('postgres', "SELECT count(*) FROM $table WHERE $predicate");
  my $ratio    = $expected / ($actual > 1 ? $actual : 1);
  note(sprintf '%-60s expected %7d  actual %7d  ratio %5.2f', "$table, $name", $expected, $actual, $ratio);
  ok($ratio >= 0.5 && $ratio <= 2, "$table, $name: $expected expected, $actual found");
}

# Ranges that are checked on every table, whatever its history.
my @ranges = (
  ['9 minutes', last_of('9 minutes')], ['6 hours', last_of('6 hours')], ['a day', last_of('1 day')],
  ['30 days', last_of('30 days')], ['all before', sprintf 'tstzrange(NULL, %s)', ago('1 day')],
  ['all since', sprintf 'tstzrange(%s, NULL)', ago('1 day')], ['all', 'tstzrange(NULL, NULL)'],
  ['a day in the middle', between('15 days', '14 days')], ['the future', sprintf 'tstzrange(%s, NULL)', ago('-1 hour')],
  ['before all', "tstzrange(NULL, '2001-01-01')"], ['a millisecond', between('14 days', '14 days -0.001 seconds')],
  ['days apart', sprintf '(%s::tstzmultirange + %s::tstzmultirange)', between('10 days', '9 days'), last_of('1 day')],
  ['ten days and one', sprintf '(%s::tstzmultirange + %s::tstzmultirange)',
    between('20 days', '10 days'), last_of('1 day')],
);

sub check_ranges {
  my ($table) = @_;
  check($_->[0], $table, "id <@ $_->[1]") for @ranges;
}

# Old keys and NULLs that came after ANALYZE.
my ($key, $old_key) = (even("i / $rows.0", '30 days'), even('i / 100000.0', '400 days', '300 days'));
$node->safe_psql('postgres', qq{
  CREATE TABLE even (id uuid PRIMARY KEY, n int);
  CREATE TABLE filled (id uuid PRIMARY KEY, n int);
  CREATE TABLE nulls (id uuid UNIQUE, n int);
  INSERT INTO even SELECT $key, i FROM generate_series(0, $rows - 1) AS i;
  INSERT INTO filled SELECT * FROM even;
  INSERT INTO nulls SELECT * FROM even;
  VACUUM ANALYZE even, filled, nulls;
  INSERT INTO filled SELECT $old_key, i FROM generate_series(0, 99999) AS i;
  INSERT INTO nulls SELECT NULL, i FROM generate_series(1, 20000) AS i});
check_ranges($_) for 'even', 'filled', 'nulls';

# An hour of each of 30 days, by the statistics. A constant, as only that is estimated range by range.
my $hours = $node->safe_psql('postgres', sprintf q{
  SELECT range_agg(tstzrange(t, t + interval '1 hour')) FROM generate_series(%s, %s, interval '1 day') AS t},
  ago('30 days'), ago('1 day'));
check('an hour of each day', 'even', "id <@ '$hours'::tstzmultirange");

# By comparisons, which PostgreSQL estimates: the share of version 7 among the rows that they leave is not that of all.
for my $percent (10, 50, 90) {
  my $table = "mixed_$percent";
  $node->safe_psql('postgres', qq{
    CREATE TABLE $table (id uuid PRIMARY KEY, n int);
    INSERT INTO $table SELECT CASE WHEN hashint4(n) & 1023 < 10.24 * $percent THEN gen_random_uuid() ELSE id END, n
      FROM even;
    VACUUM ANALYZE $table});
  for my $width ('1 day', '15 days') {
    check("since $width, by comparison", $table, 'id >= ' . ago($width));
    check("until $width, by comparison", $table, sprintf '%s >= id', ago($width));
  }
  check('10 days, by comparisons, or another row', $table, sprintf '(id >= %s AND id < %s) OR n = 1',
    ago('20 days'), ago('10 days'));
  check('since a day, by comparison, or another row', $table, sprintf 'id >= %s OR n = 1', ago('1 day'));
  check('since a day, by comparison, tested again', $table, sprintf 'uuid_is_v7(id) AND id >= %s', ago('1 day'));
  check($_, $table, $_) for 'uuid_is_v7(id)', 'uuid_is_v7(id) AND n < 60000', 'NOT uuid_is_v7(id)';
}

# The share of version 7 in all rows is that of the statistics, however its rows are spread over the index.
$node->safe_psql('postgres', q{
  CREATE TABLE bursts (id uuid PRIMARY KEY, n int);
  INSERT INTO bursts SELECT CASE WHEN n % 24 = 0 THEN id ELSE gen_random_uuid() END, n FROM even;
  VACUUM ANALYZE bursts});
check('uuid_is_v7(id)', 'bursts', 'uuid_is_v7(id)');

# In partitions by a hash of the id, and in children, with joins. The estimate is that of each child.
$node->safe_psql('postgres', q{
  CREATE TABLE hashed (id uuid PRIMARY KEY, n int) PARTITION BY HASH (id);
  CREATE TABLE hashed_0 PARTITION OF hashed FOR VALUES WITH (MODULUS 2, REMAINDER 0);
  CREATE TABLE hashed_1 (n int, dropped int, id uuid NOT NULL);
  ALTER TABLE hashed_1 DROP dropped;
  ALTER TABLE hashed ATTACH PARTITION hashed_1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
  INSERT INTO hashed SELECT * FROM even WHERE n % 10 > 0;
  VACUUM ANALYZE hashed;
  INSERT INTO hashed SELECT * FROM filled WHERE n % 10 = 0;
  CREATE TABLE part AS SELECT id, n FROM even WHERE n % 10 = 0;
  ANALYZE part});
check_ranges('hashed');
like($node->safe_psql('postgres', 'EXPLAIN SELECT FROM hashed JOIN part USING (id) WHERE id <@ ' . last_of('1 day')),
  qr/Append .* rows=${\expected('SELECT FROM hashed WHERE id <@ ' . last_of('1 day'))} /,
  'the estimate of a partitioned table in a join is that of its time range');

# A partitioned table has indexes without pages. Its own estimate is asked for if a join cannot test the id before.
for my $table ('hashed', 'ONLY hashed') {
  for my $condition ('h.id <@ ' . last_of('1 day'), 'uuid_is_v7(h.id)') {
    cmp_ok(expected("SELECT FROM $table AS h FULL JOIN part ON h.id = part.id AND ($condition OR part.n = 1)"), '>', 0,
      "$table, $condition: a full join has an estimate");
  }
}

# Other indexes: with NULLs first, with a second column, not unique, of a domain. And one that is not used, as it is
# descending.
$node->safe_psql('postgres', q{
  CREATE TABLE nulls_first AS SELECT * FROM nulls;
  CREATE INDEX ON nulls_first (id NULLS FIRST, n);
  CREATE TABLE detail AS SELECT id, i AS n FROM even, generate_series(1, 5) AS i WHERE n % 10 = 0;
  CREATE INDEX ON detail (id);
  CREATE DOMAIN key AS uuid;
  CREATE TABLE domain AS SELECT id::key AS id, n FROM even;
  CREATE UNIQUE INDEX ON domain (id) INCLUDE (n);
  CREATE TABLE descending AS SELECT * FROM even;
  CREATE UNIQUE INDEX ON descending (id DESC);
  ANALYZE descending;
  CREATE TABLE empty (id uuid PRIMARY KEY, n int);
  CREATE TABLE few AS SELECT * FROM even ORDER BY id DESC LIMIT 30;
  CREATE UNIQUE INDEX ON few (id);
  ANALYZE few});
check_ranges($_) for 'nulls_first', 'detail', 'domain', 'descending', 'few';
cmp_ok(expected("SELECT FROM empty WHERE id <@ $_->[1]"), '<', 20,
  "empty, $_->[0]: fewer than 20 rows are expected") for @ranges;

# The histogram tells nothing of the old keys that were added to this table; the index does. Returns by which of them
# a query was estimated.
$node->safe_psql('postgres', q{
  CREATE TABLE guarded AS SELECT * FROM even;
  CREATE UNIQUE INDEX guarded_key ON guarded (id);
  VACUUM ANALYZE guarded;
  INSERT INTO guarded SELECT * FROM filled WHERE n < 100000 ON CONFLICT DO NOTHING});
my $unseen = 'id <@ ' . between('400 days', '300 days');

sub source {
  my ($query, %options) = @_;
  my $expected = expected($query, %options);
  return $expected > 50_000 && $expected < 200_000 ? 'index' : $expected <= 1 ? 'histogram' : $expected;
}

is(source("SELECT * FROM guarded WHERE $unseen"), 'index', 'the estimate uses an index that has all rows');
for my $case (
  ['an invalid index', q{UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'guarded_key'::regclass},
    q{UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'guarded_key'::regclass}],
  ['a partial index', 'DROP INDEX guarded_key; CREATE UNIQUE INDEX guarded_some ON guarded (id) WHERE n > 1000',
    'DROP INDEX guarded_some'],
  ['an index of another method', 'CREATE INDEX guarded_brin ON guarded USING brin (id)', 'DROP INDEX guarded_brin'],
  ['an index of an expression', 'CREATE INDEX guarded_other ON guarded ((id::text), id)', 'DROP INDEX guarded_other'],
  ['an index whose second column is the id', 'CREATE INDEX guarded_second ON guarded (n, id)',
    'DROP INDEX guarded_second'],
) {
  my ($name, $change, $back) = @$case;
  $node->safe_psql('postgres', $change);
  is(source("SELECT * FROM guarded WHERE $unseen"), 'histogram', "the estimate does not use $name");
  $node->safe_psql('postgres', $back);
}
for my $index ('(id) WHERE uuid_is_v7(id)', '(id, n) WHERE uuid_is_v7(id)') {
  $node->safe_psql('postgres', "CREATE INDEX guarded_v7 ON guarded $index");
  is(source("SELECT * FROM guarded WHERE $unseen"), 'index', "the estimate uses an index $index");
  $node->safe_psql('postgres', 'DROP INDEX guarded_v7');
}
for my $index ('(id) WHERE uuid_is_v7(id) AND n > 1000', '(id) WHERE NOT uuid_is_v7(id)',
  '(id) WHERE uuid_is_v7(other)', '(id) WHERE is_any(id)') {
  $node->safe_psql('postgres', q{
    ALTER TABLE guarded ADD COLUMN IF NOT EXISTS other uuid;
    CREATE OR REPLACE FUNCTION is_any(uuid) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT RETURN $1 IS NOT NULL});
  $node->safe_psql('postgres', "CREATE INDEX guarded_v7 ON guarded $index");
  is(source("SELECT * FROM guarded WHERE $unseen"), 'histogram', "the estimate does not use an index $index");
  $node->safe_psql('postgres', 'DROP INDEX guarded_v7');
}
$node->safe_psql('postgres', 'CREATE UNIQUE INDEX guarded_key ON guarded (id)');

# Any user can switch the index probe off.
is(source("SELECT * FROM guarded WHERE $unseen", extra_params => ['-q'], connstr => $node->connstr('postgres')
      . " options='-c uuidx.enable_index_probe=$_->[0]'"), $_->[1],
      "enable_index_probe = $_->[0]: the estimate uses the $_->[1]")
  for ['on', 'index'], ['off', 'histogram'];
like($node->safe_psql('postgres', "LOAD 'uuidx'; SET uuidx.enable_index_probe = off; "
      . "EXPLAIN (SETTINGS) SELECT FROM guarded WHERE $unseen"), qr/Settings:.*uuidx\.enable_index_probe = 'off'/,
  'EXPLAIN (SETTINGS) shows uuidx.enable_index_probe');

# The index is used only for users who may read all rows: the whole table or the one column, also through a view.
$node->safe_psql('postgres', q{
  CREATE ROLE owner;
  CREATE ROLE reader;
  CREATE ROLE key_reader;
  CREATE ROLE exempt BYPASSRLS;
  ALTER TABLE guarded OWNER TO owner;
  GRANT SELECT ON guarded TO reader, exempt;
  GRANT SELECT (id) ON guarded TO key_reader;
  CREATE VIEW owners AS SELECT * FROM guarded;
  CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM guarded WHERE n >= 0;
  ALTER VIEW owners OWNER TO owner;
  ALTER VIEW barrier OWNER TO owner;
  GRANT SELECT ON owners, barrier TO PUBLIC;
  CREATE TABLE parent (id uuid, n int);
  GRANT SELECT ON parent TO reader;
  ALTER TABLE guarded INHERIT parent});

sub source_for {
  my ($role, $table) = @_;
  return source("SELECT id FROM $table WHERE $unseen", extra_params => ['-q'], connstr => $node->connstr('postgres')
      . " options='-c role=$role'");
}

is(source_for($_, 'guarded'), 'index', "the estimate of $_ comes from the index")
  for 'owner', 'reader', 'key_reader', 'exempt';
is(source_for('key_reader', 'owners'), 'index',
  'the estimate through a view comes from the index that its owner may read');
is(source_for('reader', 'barrier'), 'histogram', 'the estimate below a security barrier comes from the histogram');
$node->safe_psql('postgres', q{
  ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
  CREATE POLICY even_rows ON guarded USING (n >= 0)});
is(source_for($_, 'guarded'), 'index',
  "the estimate of $_, to whom the policy does not apply, comes from the index") for 'owner', 'exempt';
is(source_for($_, 'guarded'), 'histogram',
  "the estimate of $_, to whom the policy applies, comes from the histogram") for 'reader', 'key_reader';
is(source_for('key_reader', 'owners'), 'index',
  'the estimate through a view comes from the index if the policy does not apply to its owner');
$node->safe_psql('postgres', 'ALTER TABLE guarded FORCE ROW LEVEL SECURITY');
is(source_for($_, 'owners'), 'histogram',
  "the estimate of $_ through a view comes from the histogram if the policy applies to its owner")
  for 'key_reader', 'exempt';

# Also without statistics of the table. In the statistics of the index, planning is no scan.
$node->safe_psql('postgres',
  'CREATE TABLE fresh (LIKE even); INSERT INTO fresh SELECT * FROM even; ALTER TABLE fresh ADD PRIMARY KEY (id)');
check('a day', 'fresh', 'id <@ ' . last_of('1 day'));
$node->safe_psql('postgres', 'CREATE TABLE unused (LIKE fresh INCLUDING ALL); INSERT INTO unused SELECT * FROM fresh');
expected('SELECT * FROM unused WHERE id <@ ' . last_of('1 day'));
is($node->safe_psql('postgres', q{SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE relname = 'unused'}), 0,
  'planning counts no index scan');

# While rows come and go and the index is vacuumed, any range is planned, in serializable transactions, too.
$node->safe_psql('postgres', q{
  CREATE TABLE busy (id uuid PRIMARY KEY DEFAULT uuid_v7(), n int);
  CREATE FUNCTION plan() RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    line text;
    a timestamptz := now() + interval '1 minute' * (random() - 0.5) * 10 ^ (random() * 8 - 2);
    b timestamptz := a + interval '1 minute' * 10 ^ (random() * 8 - 4);
  BEGIN
    EXECUTE format('EXPLAIN SELECT FROM busy WHERE id <@ tstzrange(%L, %L, %L)', a, b,
      (ARRAY['[]', '()', '[)', '(]'])[1 + floor(random() * 4)]) INTO line;
    EXECUTE format('EXPLAIN SELECT FROM busy WHERE id <@ tstzrange(NULL, %L)', b) INTO line;
    EXECUTE format('EXPLAIN SELECT FROM busy WHERE id <@ tstzrange(%L, NULL)', a) INTO line;
  END $$});
my %scripts = (
  'insert@5' => 'INSERT INTO busy (n) SELECT i FROM generate_series(1, 200) AS i;',
  older => "INSERT INTO busy SELECT uuid_v7(-random() * interval '1 day') FROM generate_series(1, 20);",
  delete => "DELETE FROM busy WHERE id IN (SELECT id FROM busy ORDER BY id LIMIT 200 FOR UPDATE SKIP LOCKED);",
  update => "UPDATE busy SET n = n + 1 WHERE id IN ("
    . "SELECT id FROM busy ORDER BY id DESC LIMIT 20 FOR UPDATE SKIP LOCKED);",
  vacuum => 'VACUUM (INDEX_CLEANUP on) busy;',
  'plan@5' => 'SELECT plan() FROM generate_series(1, 20);',
  serial => "BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT plan() FROM generate_series(1, 20); COMMIT;",
);
my $log_size = -s $node->logfile;
$node->pgbench('--no-vacuum --client=4 --time=8', 0, [qr/number of transactions/], [],
  'any time range is planned while rows come and go', \%scripts);
unlike(slurp_file($node->logfile, $log_size), qr/ (?:ERROR|WARNING|PANIC): /,
  'no statement fails while rows come and go');
$node->safe_psql('postgres', 'VACUUM ANALYZE busy');
check('what is left', 'busy', 'id <@ tstzrange(NULL, NULL)');
check('what is left of today', 'busy', q{id <@ tstzrange(now() - interval '1 hour', NULL)});

# On a standby.
$node->backup('copy');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'copy', has_streaming => 1);
$standby->start;
$node->safe_psql('postgres', 'INSERT INTO few SELECT * FROM even ORDER BY id LIMIT 10');
$node->wait_for_catchup($standby);
$node = $standby;
check_ranges($_) for 'filled', 'few', 'mixed_50';

done_testing();
