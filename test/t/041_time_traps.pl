# The traps of conditions on the time in a key are as documented, and the advice of the pages works.
# The millisecond of now(), default partitions, serializable transactions, readers of new rows.

use FindBin;
use lib $FindBin::RealBin;
use FaultShim;
use Helpers;

my $node = start_node('time_traps', "autovacuum = off\nTimeZone = UTC\n");
$node->safe_psql('postgres', q{
  CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), n integer NOT NULL)});

# Checks what statements print.
sub yields {
  my ($statements, $expected, $what) = @_;
  is($node->safe_psql('postgres', $statements), $expected, $what);
  return;
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
yields('SELECT bool_or(NOT exact), bool_and(cut) FROM found', 't|t',
  'a time with microseconds is after keys of its millisecond, one cut to milliseconds after none');
yields(q{
  BEGIN;
  SELECT pg_sleep(0.002);
  INSERT INTO event (n) VALUES (-2);
  SELECT count(*), count(*) FILTER (WHERE id <= now()), count(*) FILTER (WHERE id <= clock_timestamp())
    FROM event WHERE n = -2;
  ROLLBACK}, "\n1|0|1", 'rows of a transaction itself are after its now()');
$node->safe_psql('postgres', q{
  CREATE TABLE strict (id uuid DEFAULT uuid_v7() CHECK (id <= now()));
  CREATE TABLE tolerant (id uuid DEFAULT uuid_v7() CHECK (id < now() + interval '1 minute'))});
like(error_of($node, "BEGIN; SELECT pg_sleep(0.002); INSERT INTO $_->[0] $_->[1]"),
  qr/violates check constraint/, $_->[2])
  for [ 'strict', 'DEFAULT VALUES', 'CHECK (id <= now()) rejects an ordinary INSERT' ],
    [ 'tolerant', "VALUES (uuid_v7('1 hour'))", 'a CHECK with a margin rejects a key from the future' ];
yields('BEGIN; SELECT pg_sleep(0.002); INSERT INTO tolerant DEFAULT VALUES; COMMIT; SELECT count(*) FROM tolerant',
  "\n1", 'a CHECK with a margin accepts an ordinary INSERT');

# The two ways to empty a default partition: to move its rows, and to give it bounds, which a CHECK proves.
$node->safe_psql('postgres', q{
  CREATE TABLE log (id uuid PRIMARY KEY DEFAULT uuid_v7(), line text) PARTITION BY RANGE (id);
  CREATE TABLE log_2026_03 PARTITION OF log
    FOR VALUES FROM (uuid_v7_min('2026-03-01 00:00+00')) TO (uuid_v7_min('2026-04-01 00:00+00'));
  INSERT INTO log VALUES (uuid_v7_at('2026-03-05Z'), 'march')});
my $attach = q{
  ALTER TABLE log_rest ADD CONSTRAINT log_rest_bounds
    CHECK (id >= uuid_v7_min('2026-02-01 00:00+00') AND id < uuid_v7_min('2026-03-01 00:00+00'));
  ALTER TABLE log DETACH PARTITION log_rest;
  ALTER TABLE log ATTACH PARTITION log_rest
    FOR VALUES FROM (uuid_v7_min('2026-02-01 00:00+00')) TO (uuid_v7_min('2026-03-01 00:00+00'))};
for my $way ([ 'move', block_of('doc/partitions.md', 'INSERT INTO log SELECT'), 'log_2026_02' ],
  [ 'attach', $attach, 'log_rest' ]) {
  my ($name, $statements, $partition) = @$way;
  $node->safe_psql('postgres', q{
    CREATE TABLE log_rest PARTITION OF log DEFAULT;
    INSERT INTO log VALUES (uuid_v7_at('2026-02-05Z'), 'february')});
  my ($code, undef, $messages) =
    $node->psql('postgres', "SET client_min_messages = debug1;$statements", on_error_stop => 1);
  is($code, 0, "default partition, $name: no error") or diag($messages);
  like($messages, qr/partition constraint for table "log_rest" is implied by existing constraints/,
    "default partition, $name: the table is attached without a scan") if $partition eq 'log_rest';
  yields(q{SELECT line, tableoid::regclass FROM log ORDER BY id}, "february|$partition\nmarch|log_2026_03",
    "default partition, $name: no row is lost");
  $node->safe_psql('postgres', 'DROP TABLE IF EXISTS log_2026_02');
}

# Serializable transactions that look up a key and insert it, at the same time. Each index is read and written on two
# leaves that are far apart: if both sessions were on one leaf, its predicate lock would make one of them fail.
$node->safe_psql('postgres', q{
  CREATE TABLE unique_key (id uuid PRIMARY KEY, code text UNIQUE);
  INSERT INTO unique_key SELECT uuid_v7(), lpad(n::text, 5, '0') FROM generate_series(1, 10000) AS n;
  ANALYZE unique_key});
# Runs these statements in two sessions alternately, each with a new key and a code of its own; returns the errors.
sub run_both {
  my (@statements) = @_;
  my @sessions = map { FaultShim::Line->new($node, 'postgres') } 1, 2;
  $sessions[0]->say(q{\set code '00000 first'});
  $sessions[1]->say(q{\set code '10000 last'});
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
  'serializable, search for a new key, then insert it: one of two sessions fails');
is(run_both(q{INSERT INTO unique_key VALUES (:'key') ON CONFLICT (id) DO NOTHING;}), '',
  'serializable, ON CONFLICT: no session fails');
is(run_both(q{SELECT FROM unique_key WHERE code = :'code';}, q{INSERT INTO unique_key VALUES (:'key', :'code');}), '',
  'serializable, search by another column: no session fails');

# A reader that continues after the last row, by microseconds and id, loses none of a busy table.
$node->safe_psql('postgres', q{
  CREATE TABLE busy (id uuid PRIMARY KEY DEFAULT uuid_v7() CHECK (uuid_is_v7(id)));
  CREATE VIEW busy_at AS SELECT id, uuid_extract_time_precise(id) AS created_at FROM busy});
my @writers = map { $node->background_psql('postgres') } 1 .. 3;
$_->query_until(qr/begun/, q{\echo begun
  DO $$ BEGIN FOR i IN 1 .. 2000 LOOP INSERT INTO busy DEFAULT VALUES; COMMIT; END LOOP; END $$;
}) for @writers;
my ($last, %seen) = ("'-infinity', '" . '0' x 32 . "'");
my $deadline = time + 60;
while (keys %seen < 6000 && time < $deadline) {
  for (split /\n/, $node->safe_psql('postgres', qq{
    SELECT quote_literal(created_at) || ', ' || quote_literal(id) FROM busy_at
    WHERE (created_at, id) > ($last) AND created_at < now() - interval '0.5 s' ORDER BY created_at, id LIMIT 300})) {
    $seen{$_}++;
    $last = $_;
  }
}
$_->quit for @writers;
is(join(' ', scalar keys %seen, sort grep { $seen{$_} > 1 } keys %seen), 6000,
  'a reader by microseconds and id sees each row once');
like(
  $node->safe_psql('postgres', "EXPLAIN SELECT id FROM busy_at WHERE (created_at, id) > ($last) ORDER BY id LIMIT 9"),
  qr/Index Cond: \(id >= /, 'from the index of the key');

done_testing();
