# Concurrent sessions generate no duplicates, each keeps its order, and a reader of new rows loses none.
# UUIDX_VALUES is the number of values.

use Helpers;

# Each session generates ten such parts of version 7, and two of each other version.
my $part = int(($ENV{UUIDX_VALUES} // 640_000) / 128);

my $node = start_node('sessions', "work_mem = '64MB'");
$node->safe_psql('postgres', q{
  CREATE UNLOGGED TABLE made (version int, session int, n int, id uuid);
  -- Waits until all sessions have made half of their values of version 7, so that they make the other half at once.
  CREATE TABLE ready (session int);
  CREATE FUNCTION wait_for_all() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    WHILE (SELECT count(*) FROM ready) < 8 LOOP PERFORM pg_sleep(0.01); END LOOP;
  END $$});

# generate_series numbers the values in the order of generation.
my $script = qq{
  INSERT INTO made SELECT 7, :client_id, n, uuid_v7() FROM generate_series(1, 5 * $part) AS n;
  INSERT INTO ready VALUES (:client_id);
  SELECT wait_for_all();
  INSERT INTO made SELECT 7, :client_id, n, uuid_v7() FROM generate_series(5 * $part + 1, 10 * $part) AS n;
  INSERT INTO made SELECT 1, :client_id, n, uuid_v1() FROM generate_series(1, 2 * $part) AS n;
  INSERT INTO made SELECT 4, :client_id, n, uuid_v4() FROM generate_series(1, 2 * $part) AS n;
  INSERT INTO made SELECT 6, :client_id, n, uuid_v6() FROM generate_series(1, 2 * $part) AS n;
};
$node->pgbench(
  '--no-vacuum --client=8 --jobs=2 --transactions=1',
  0, [qr{actually processed: 8/8}], [],
  'eight sessions generate values at once',
  { '001_sessions' => $script });

is( $node->safe_psql('postgres', q{
    SELECT version, count(*), count(*) - count(DISTINCT id) AS duplicates,
      count(*) FILTER (WHERE uuid_extract_version(id) IS DISTINCT FROM version) AS of_other_version
    FROM made GROUP BY version ORDER BY version}),
  join("\n", (map { join '|', $_, 16 * $part, 0, 0 } 1, 4, 6), '7|' . 80 * $part . '|0|0'),
  'no duplicates among ' . 80 * $part . ' values of version 7 and ' . 16 * $part . ' of versions 1, 4 and 6');

is( $node->safe_psql('postgres', q{
    SELECT version, count(*) FILTER (WHERE NOT later), count(*) FILTER (WHERE later IS NULL)
    FROM (
      SELECT version, id > lag(id) OVER (PARTITION BY version, session ORDER BY n) AS later
      FROM made WHERE version IN (6, 7)) AS s
    GROUP BY version ORDER BY version}),
  "6|0|8\n7|0|8",
  'versions 6 and 7 are strictly increasing in each of the eight sessions');

is( $node->safe_psql('postgres', q{
    SELECT count(DISTINCT session), count(DISTINCT node), count(DISTINCT (session, node))
    FROM (SELECT session, uuid_extract_node(id) AS node FROM made WHERE version = 1) AS s}),
  '8|8|8', 'each backend has its own version 1 node');

# A reader that continues after the last row, by microseconds and id, as doc/time-queries.md says.
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
