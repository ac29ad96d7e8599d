# Planning a query by a time range touches no partition that the query does not read.
# It takes no locks on them, and tolerates dropped ones.

use Helpers;

my $node = start_node('planner_locks', "autovacuum = off\nTimeZone = UTC\n");

# Tables by tenant, and each tenant by time or by customer.
$node->safe_psql('postgres', q{
  CREATE TABLE log (tenant int, id uuid, n int) PARTITION BY LIST (tenant);
  CREATE TABLE hashed (tenant int, id uuid, customer int) PARTITION BY LIST (tenant);
  DO $$
  BEGIN
    FOR i IN 1..40 LOOP
      EXECUTE format('CREATE TABLE log_%s PARTITION OF log FOR VALUES IN (%s) PARTITION BY RANGE (id)', i, i);
      EXECUTE format('CREATE TABLE log_%s_old PARTITION OF log_%s FOR VALUES FROM (MINVALUE) TO (%L)',
        i, i, uuid_v7_min('2026-01-01'));
      EXECUTE format('CREATE TABLE log_%s_new PARTITION OF log_%s FOR VALUES FROM (%L) TO (MAXVALUE)',
        i, i, uuid_v7_min('2026-01-01'));
      EXECUTE format('CREATE TABLE hashed_%s PARTITION OF hashed FOR VALUES IN (%s) PARTITION BY HASH (customer)',
        i, i);
      EXECUTE format('CREATE TABLE hashed_%s_0 PARTITION OF hashed_%s FOR VALUES WITH (MODULUS 1, REMAINDER 0)',
        i, i);
    END LOOP;
  END $$;
  INSERT INTO log SELECT t, uuid_v7_at('2025-12-30'::timestamptz + i * interval '1 hour'), i
    FROM generate_series(1, 40) AS t, generate_series(0, 95) AS i;
  INSERT INTO hashed SELECT tenant, id, n FROM log;
  ANALYZE});

my $day         = q{tstzrange('2026-01-01', '2026-01-02')};
my $operator    = "id <@ $day";
my $comparisons = q{id >= timestamptz '2026-01-01' AND id < timestamptz '2026-01-02'};

# Starts a session that is killed if it hangs.
sub session {
  return $node->background_psql('postgres', on_error_stop => 0, timeout => $PostgreSQL::Test::Utils::timeout_default);
}

# Returns the tables that a statement locks, with the modes.
sub locks_of {
  my ($statement) = @_;
  my $answer = $node->safe_psql('postgres', qq{
    BEGIN;
    $statement;
    \\echo locks
    SELECT relation::regclass, mode FROM pg_locks
    WHERE pid = pg_backend_pid() AND (relation::regclass::text LIKE 'log%' OR relation::regclass::text LIKE 'hashed%')
    ORDER BY 1, 2});
  return $answer =~ s/.*^locks\n//msr;
}

# The locks are those of comparisons of UUIDs: only on the tenant's tables that are read.
for my $table ('log', 'hashed') {
  for my $statement ("SELECT n FROM (SELECT tenant, id, 0 AS n FROM $table) AS rows", "DELETE FROM $table") {
    my ($by_operator, $by_comparisons) =
      map { locks_of("EXPLAIN $statement WHERE tenant = 7 AND $_") } $operator, $comparisons;
    is($by_operator, $by_comparisons, "$table: $statement takes the locks that comparisons take");
    unlike($by_operator, qr/(?:log|hashed)_(?!7[_|])/,
      "$table: no partition of another tenant is locked by $statement");
  }
}
is(locks_of("EXPLAIN SELECT FROM log WHERE tenant = 7 AND $operator"),
  "log|AccessShareLock\nlog_7|AccessShareLock\nlog_7_new|AccessShareLock", 'partitions of other tenants are pruned');

# A partition is detached and dropped while a query is planned whose older snapshot still has it. So that DETACH does
# not wait for the query, it starts before, and waits for another session; a lock on another partition gives it time.
my ($other, $locker, $holder, $reader) = map { session() } 1 .. 4;
$locker->query_safe('BEGIN; LOCK TABLE hashed_1 IN ACCESS EXCLUSIVE MODE');
$holder->query_safe('BEGIN; LOCK TABLE ONLY hashed IN ACCESS SHARE MODE');
$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
$other->query_until(qr/^detaching/m, qq{
  \\echo detaching
  ALTER TABLE hashed DETACH PARTITION hashed_3 CONCURRENTLY;
  \\echo detached
});
$node->poll_query_until('postgres',
  q{SELECT count(*) = 1 FROM pg_inherits WHERE inhrelid = 'hashed_3'::regclass AND inhdetachpending})
  or die 'nothing is detached';
$reader->query_until(qr/^reading/m, qq{
  \\echo reading
  SELECT count(*) AS rows FROM hashed WHERE tenant = 7 AND $operator \\gset
});
$node->poll_query_until('postgres', q{
  SELECT count(*) = 1 FROM pg_stat_activity
  WHERE query LIKE '%count(*) AS rows%' AND pid <> pg_backend_pid()
    AND (state = 'idle in transaction' OR wait_event_type = 'Lock')})
  or die 'no session reads';
$holder->query_safe('COMMIT');
$other->query_until(qr/^detached/m, '');
$other->query_safe('DROP TABLE hashed_3');
$locker->query_safe('COMMIT');
is($reader->query('SELECT :rows'), 24, 'a query returns its rows if a partition is dropped while it is planned');
is($reader->{stderr}, '', 'a query is planned without an error while a partition is dropped');
$_->quit for $reader, $holder, $locker, $other;

done_testing();
