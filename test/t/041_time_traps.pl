# The traps of conditions on the time in a key are as documented, and the advice of the pages works.
# The millisecond of now(), readers of new rows.

use Helpers;

my $node = start_node('time_traps', "autovacuum = off\nTimeZone = UTC\n");
$node->safe_psql('postgres', q{
  CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), n integer NOT NULL)});

# Checks what statements print.
sub yields($statements, $expected, $what) {
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
