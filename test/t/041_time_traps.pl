# Conditions on the time in a key that go wrong easily, and the forms that the pages recommend instead: each is tried
# on a server, so that the pages stay true.

use strict;
use warnings FATAL => 'all';

use Cwd qw(realpath);
use FindBin;
use lib $FindBin::RealBin;
use FaultShim;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $tree = realpath("$FindBin::RealBin/../..");
my $node = PostgreSQL::Test::Cluster->new('time_traps');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nTimeZone = UTC\n");
$node->start;
$node->safe_psql('postgres', q{
  CREATE EXTENSION uuidx;
  CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), n integer NOT NULL);
  INSERT INTO event SELECT uuid_v7_at('2026-01-01Z'::timestamptz + n * interval '1 minute'), n
    FROM generate_series(0, 99999) AS n;
  VACUUM ANALYZE event});

# Checks what statements print.
sub yields {
  my ($statements, $expected, $what) = @_;
  is($node->safe_psql('postgres', $statements), $expected, $what);
  return;
}

# Checks that the last of some statements fails with this message.
sub refused {
  my ($statements, $message, $what) = @_;
  my ($code, undef, $errors) = $node->psql('postgres', $statements, on_error_stop => 1);
  ok($code != 0, "$what: fails");
  like($errors, $message, "$what: as the page says");
  return;
}

# Checks the plan of a query; settings come before it.
sub planned {
  my ($query, $pattern, $what, $settings) = @_;
  like($node->safe_psql('postgres', ($settings // '') . "EXPLAIN (COSTS OFF) $query"), $pattern, $what);
  return;
}

# Returns the number of rows that the planner expects.
sub expected_rows {
  my ($condition) = @_;
  my ($rows) = $node->safe_psql('postgres', "EXPLAIN SELECT * FROM event WHERE $condition") =~ /rows=(\d+)/;
  return $rows;
}

# Returns the block of SQL with this text on a page.
sub block_of {
  my ($page, $text) = @_;
  my ($block) = grep { index($_, $text) >= 0 } slurp_file("$tree/$page") =~ /^```sql\n(.*?)^```$/gms;
  return $block // die "no block with $text in $page\n";
}

# The millisecond, and the start of the transaction.
$node->safe_psql('postgres', q{
  CREATE TABLE found (exact boolean, cut boolean);
  DO $$
  DECLARE
    t timestamptz;
    key uuid;
  BEGIN
    FOR i IN 1..200 LOOP
      t := clock_timestamp();
      INSERT INTO event (n) VALUES (-1) RETURNING id INTO key;
      INSERT INTO found SELECT key >= t, key >= date_trunc('milliseconds', t);
    END LOOP;
  END $$});
yields('SELECT count(*) FILTER (WHERE NOT exact) > 100, bool_and(cut) FROM found', 't|t',
  'a time with microseconds is after most keys of its millisecond, one in milliseconds after none');
yields(q{
  BEGIN;
  SELECT pg_sleep(0.002);
  INSERT INTO event (n) VALUES (-2);
  SELECT count(*), count(*) FILTER (WHERE id <= now()), count(*) FILTER (WHERE id <= clock_timestamp())
    FROM event WHERE n = -2;
  ROLLBACK}, "\n1|0|1", 'rows of the transaction itself are after now()');
$node->safe_psql('postgres', q{
  CREATE TABLE strict (id uuid DEFAULT uuid_v7() CHECK (id <= now()));
  CREATE TABLE tolerant (id uuid DEFAULT uuid_v7() CHECK (id < now() + interval '1 minute'))});
refused("BEGIN; SELECT pg_sleep(0.002); INSERT INTO $_->[0] $_->[1]", qr/violates check constraint/, $_->[2])
  for [ 'strict', 'DEFAULT VALUES', 'CHECK (id <= now())' ],
    [ 'tolerant', "VALUES (uuid_v7('1 hour'))", 'a key from the future' ];
yields('BEGIN; SELECT pg_sleep(0.002); INSERT INTO tolerant DEFAULT VALUES; COMMIT; SELECT count(*) FROM tolerant',
  "\n1", 'a CHECK with a margin accepts an ordinary INSERT');

# Types.
my $day = 1440;
for (
  [ q{id >= '2026-03-01'}, qr/invalid input syntax for type uuid/,
    q{id >= timestamptz '2026-03-01' AND n < 86400} ],
  [ q{id <@ '[2026-03-01,2026-03-02)'}, qr/operator is not unique: uuid <@ unknown/,
    q{id <@ '[2026-03-01,2026-03-02)'::tstzrange} ],
  [ q{id <@ daterange('2026-03-01', '2026-03-02')}, qr/operator does not exist: uuid <@ daterange/,
    q{id <@ tstzrange('2026-03-01', '2026-03-02')} ],
  [ q{id <@ tsrange('2026-03-01', '2026-03-02')}, qr/operator does not exist: uuid <@ tsrange/,
    q{id <@ tstzrange('2026-03-01', '2026-03-02')} ],
  [ q{id::date = '2026-03-01'}, qr/cannot cast type uuid to date/, q{uuid_extract_time(id)::date = '2026-03-01'} ],
  [ q{date_trunc('day', id) = '2026-03-01'}, qr/function date_trunc\(unknown, uuid\) does not exist/,
    q{date_trunc('day', uuid_extract_time(id)) = '2026-03-01'} ],
  [ q{(id, n) > (timestamptz '2026-03-01', 5)}, qr/could not determine interpretation of row comparison/,
    q{(id, n) > (uuid_v7_min('2026-03-01'), 5) AND n < 86400} ],
  ) {
  my ($wrong, $message, $right) = @$_;
  refused("SELECT count(*) FROM event WHERE $wrong", $message, $wrong);
  yields("SELECT count(*) FROM event WHERE n >= 0 AND $right", $day, $right);
}
refused(q{PREPARE q AS SELECT FROM event WHERE id >= $1; EXECUTE q('2026-03-01')},
  qr/invalid input syntax for type uuid/, 'an untyped parameter');
refused(q{PREPARE q AS SELECT FROM event WHERE id >= now() - $1}, qr/operator does not exist: uuid >= interval/,
  'an untyped interval');
yields(q{
  PREPARE q AS SELECT count(*) FROM event WHERE n BETWEEN 0 AND 86399 AND id >= $1::timestamptz;
  PREPARE r AS SELECT count(*) FROM event WHERE n = 99999 AND id >= now() - $1::interval;
  PREPARE s AS SELECT count(*) FROM event WHERE id <@ $1::tstzrange;
  EXECUTE q('2026-03-01'); EXECUTE r('1000 years'); EXECUTE s('[2026-03-01,2026-03-02)')},
  "1440\n1\n1440", 'parameters with a cast');

# A schema that is not in the search_path.
$node->safe_psql('postgres', 'CREATE SCHEMA ids; ALTER EXTENSION uuidx SET SCHEMA ids');
for my $path ("''", 'public') {
  refused("SET search_path = $path; SELECT FROM public.event WHERE id >= now()",
    qr/operator does not exist: uuid >= timestamp with time zone/, "search_path = $path");
  planned(q{SELECT * FROM public.event WHERE id OPERATOR(ids.>=) now() - interval '1 day'},
    qr/event_pkey.*Index Cond: \(id >= ids.uuid_v7_min\(\(now\(\) - '1 day'::interval\)\)\)/s,
    "search_path = $path: OPERATOR(ids.>=) uses the index", "SET search_path = $path; SET enable_seqscan = off;");
}
yields(q{
  SET search_path = public, ids;
  CREATE FUNCTION march() RETURNS bigint LANGUAGE sql STABLE
    RETURN (SELECT count(*) FROM event WHERE id <@ tstzrange('2026-03-01', '2026-03-02'));
  SET search_path = '';
  SELECT public.march()}, $day, 'a standard body keeps its operators');
$node->safe_psql('postgres', 'DROP FUNCTION march(); ALTER EXTENSION uuidx SET SCHEMA public; DROP SCHEMA ids');

# Indexes on part of the rows, on the day, and for a view that shows the time.
refused("CREATE INDEX ON event (n) WHERE id >= $_", qr/functions in index predicate must be marked IMMUTABLE/,
  "an index WHERE id >= $_") for q{date '2026-03-01'}, q{timestamp '2026-03-01'}, 'now()';
refused("CREATE INDEX ON event ($_)", qr/functions in index expression must be marked IMMUTABLE/, "an index on $_")
  for 'date(uuid_extract_time(id))';
$node->safe_psql('postgres', q{
  CREATE INDEX event_literal ON event (n) WHERE id >= timestamptz '2026-03-01 00:00+00';
  CREATE INDEX event_bound ON event (n) WHERE id < uuid_v7_min('2026-03-01 00:00+00');
  CREATE INDEX event_day ON event (date(uuid_extract_time(id) AT TIME ZONE 'UTC'));
  CREATE INDEX event_time ON event USING brin (uuid_extract_time(id));
  CREATE VIEW event_at AS SELECT *, uuid_extract_time(id) AS created_at FROM event;
  ANALYZE event});
planned("SELECT * FROM event WHERE $_->[0]", qr/$_->[1]/, "$_->[1]: $_->[0]")
  for [ q{n = 90000 AND id >= timestamptz '2026-03-02'},                                 'event_literal' ],
    [ q{n = 500 AND id < timestamptz '2026-02-01'},                                      'event_bound' ],
    [ q{date(uuid_extract_time(id) AT TIME ZONE 'UTC') = '2026-03-02'},                  'event_day' ];
planned(q{SELECT * FROM event_at WHERE created_at >= '2026-03-01' AND created_at < '2026-03-02'}, qr/event_time/,
  'a view filtered by its time');
planned(q{SELECT * FROM event_at WHERE id <@ tstzrange('2026-03-01', '2026-03-02')}, qr/event_pkey/,
  'a view filtered by its id');

# The newest time, moving windows, two conditions on one id.
planned('SELECT uuid_extract_time(max(id)) FROM event', qr/Index Only Scan Backward/, 'the time of the newest row');
yields('SELECT uuid_extract_time(max(id)) = max(uuid_extract_time(id)) FROM event', 't',
  'the time of the newest row is the newest time');
refused('SELECT count(*) OVER (ORDER BY id RANGE 5 PRECEDING) FROM event',
  qr/RANGE.*not supported for column type uuid/, 'a window over the id');
yields(q{SELECT DISTINCT count(*) OVER (ORDER BY uuid_extract_time(id) RANGE interval '1 hour' PRECEDING) AS n
    FROM event WHERE id <@ tstzrange('2026-03-01', '2026-03-02') ORDER BY n DESC LIMIT 1},
  '61', 'a window over its time');
{
  my $range = q{tstzrange('2026-03-01', '2026-03-02')};
  my ($one, $and, $intersected) = map { expected_rows($_) } "id <@ $range", "id <@ $range AND id <@ $range",
    "id <@ $range * $range";
  cmp_ok($and, '<', $one / 10, 'estimates of two conditions are multiplied');
  is($intersected, $one, 'the estimate of an intersection is that of one condition');
}

# Times without a zone, and rows without a time.
yields(q{
  SET TimeZone = 'America/New_York';
  SELECT uuid_extract_time(uuid_v7_at(t)) = '2026-03-01Z',
      uuid_extract_time(uuid_v7_at(t AT TIME ZONE 'UTC')) = '2026-03-01Z'
    FROM (VALUES (timestamp '2026-03-01')) AS v (t)},
  'f|t', 'a timestamp is in the zone of the session, unless it is named');
yields(q{
  SELECT count(*) FILTER (WHERE key <= last), max(uuid_extract_time(key)) < '2020-01-02' FROM (
    SELECT key, lag(key) OVER (ORDER BY id) AS last FROM generate_series(1, 10000) AS id,
      uuid_v7_at(timestamptz '2020-01-01Z' + id * interval '1 microsecond') AS key) AS pairs},
  '0|t', 'numbers keep their order');

# A default partition takes what has no month.
$node->safe_psql('postgres', q{
  CREATE TABLE log (id uuid PRIMARY KEY DEFAULT uuid_v7(), line text) PARTITION BY RANGE (id);
  CREATE TABLE log_2026_03 PARTITION OF log
    FOR VALUES FROM (uuid_v7_min('2026-03-01 00:00+00')) TO (uuid_v7_min('2026-04-01 00:00+00'));
  CREATE TABLE log_2026_04 PARTITION OF log
    FOR VALUES FROM (uuid_v7_min('2026-04-01 00:00+00')) TO (uuid_v7_min('2026-05-01 00:00+00'));
  INSERT INTO log VALUES (uuid_v7_at('2026-03-05Z'), 'march')});
my $newest   = 'SELECT * FROM log ORDER BY id DESC LIMIT 10';
my $february = q{INSERT INTO log VALUES (uuid_v7_at('2026-02-05Z'), 'february')};
planned($newest, qr/^ *->  Append$/m, 'partitions are read one after the other');
refused($february, qr/no partition of relation "log" found for row/,
  'a row outside all partitions, without a default partition');
# The ways out: that of the page, which moves the rows, and bounds around all of them, with a CHECK that proves them.
my %ways = (
  moved    => block_of('doc/partitions.md', 'INSERT INTO log SELECT'),
  attached => 'SET client_min_messages = debug1; ' . block_of('doc/partitions.md', 'ATTACH PARTITION log_rest'));
for my $way ('moved', 'attached') {
  $node->safe_psql('postgres', "CREATE TABLE log_rest PARTITION OF log DEFAULT; $february");
  planned($newest, qr/Merge Append/, 'with a default partition, all partitions are read at once');
  refused(q{CREATE TABLE log_2026_02 PARTITION OF log
      FOR VALUES FROM (uuid_v7_min('2026-02-01Z')) TO (uuid_v7_min('2026-03-01Z'))},
    qr/updated partition constraint for default partition "log_rest" would be violated by some row/,
    'the month of a row in the default partition');
  my ($code, undef, $messages) = $node->psql('postgres', $ways{$way}, on_error_stop => 1);
  is($code, 0, "rows are $way") or diag($messages);
  like($messages, qr/partition constraint for table "log_rest" is implied by existing constraints/,
    'the table is attached without a scan') if $way eq 'attached';
  planned($newest, qr/^ *->  Append$/m, "$way: partitions are read one after the other again");
  yields(q{SELECT line, tableoid::regclass FROM log ORDER BY id},
    ($way eq 'moved' ? 'february|log_2026_02' : 'february|log_rest') . "\nmarch|log_2026_03", "$way: no row is lost");
  $node->safe_psql('postgres', 'DROP TABLE IF EXISTS log_2026_02');
}

# Serializable transactions that look up a key and insert it, at the same time.
$node->safe_psql('postgres', q{
  CREATE TABLE unique_key (id uuid PRIMARY KEY, code text UNIQUE);
  INSERT INTO unique_key SELECT uuid_v7(), md5(n::text) FROM generate_series(1, 10000) AS n;
  ANALYZE unique_key});
# Runs these statements in two sessions by turns, each with a new key; returns the errors.
sub run_both {
  my (@statements) = @_;
  my @sessions = map { FaultShim::Line->new($node, 'postgres') } 1, 2;
  my @errors;
  for my $statement ('SELECT uuid_v7() AS key \gset', 'BEGIN ISOLATION LEVEL SERIALIZABLE;',
    'SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off;', @statements, 'COMMIT;') {
    for my $session (@sessions) {
      $session->say($statement)->say('\echo next');
      while ((my $line = $session->hear) ne 'next') {
        push @errors, $line if $line =~ /ERROR/;
      }
    }
  }
  $_->quit for @sessions;
  return join ', ', @errors;
}
is(run_both(q{SELECT FROM unique_key WHERE id = :'key';}, q{INSERT INTO unique_key VALUES (:'key');}), 'ERROR:  40001',
  'search for a new key, then insert it: one of two sessions fails');
is(run_both(q{INSERT INTO unique_key VALUES (:'key') ON CONFLICT (id) DO NOTHING;}), '',
  'ON CONFLICT: no session fails');
is(run_both(q{SELECT FROM unique_key WHERE code = md5(:'key');},
    q{INSERT INTO unique_key VALUES (:'key', md5(:'key'));}), '', 'search by another column: no session fails');

done_testing();
