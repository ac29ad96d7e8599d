# Queries by time return the right rows while other sessions change functions, privileges, constraints, partitions.
# Plans that another role has made, from the cache. A look-up of functions that was canceled. Snapshots that are older
# than a constraint.

use Helpers;
use IPC::Run qw(start finish);
use List::Util qw(all sum0);

my $node = start_node('planning_races', "autovacuum = off\nTimeZone = UTC\nsession_preload_libraries = uuidx\n");
my $seconds = 4;

# Two in three keys are of other versions, except in the table with a CHECK. A day has 144 rows of version 7.
$node->safe_psql('postgres', q{
  CREATE ROLE guest LOGIN;
  CREATE TABLE mixed (id uuid PRIMARY KEY, n int);
  INSERT INTO mixed
    SELECT CASE v WHEN 0 THEN uuid_v4() WHEN 1 THEN uuid_v6_at(t) ELSE uuid_v7_at(t) END, i
    FROM generate_series(0, 1439) AS i, generate_series(0, 2) AS v,
      LATERAL (SELECT '2026-01-01'::timestamptz + i * interval '10 minutes') AS at (t);
  CREATE TABLE checked (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int);
  INSERT INTO checked SELECT id, n FROM mixed WHERE uuid_is_v7(id);
  CREATE TABLE log (id uuid, n int) PARTITION BY RANGE (id);
  CREATE TABLE log_1 PARTITION OF log FOR VALUES FROM (MINVALUE) TO (uuid_v7_min('2026-01-03'));
  CREATE TABLE log_2 PARTITION OF log FOR VALUES FROM (uuid_v7_min('2026-01-03')) TO (MAXVALUE);
  INSERT INTO log TABLE mixed;
  CREATE INDEX ON log (id);
  ANALYZE;
  GRANT SELECT ON mixed, checked, log TO PUBLIC;

  CREATE TABLE outcome (what text, times int);
  GRANT INSERT ON outcome TO PUBLIC;
  -- Repeats statements until a time, each planned anew, and counts how they end: rows, or errors that are not of a
  -- function that is missing or forbidden.
  CREATE PROCEDURE repeat(statements text[], until timestamptz, expected bigint) LANGUAGE plpgsql AS $$
  DECLARE
    found bigint;
    what text;
    counts jsonb = '{}';
  BEGIN
    WHILE clock_timestamp() < until LOOP
      FOR i IN 1..cardinality(statements) LOOP
        BEGIN
          IF expected IS NULL THEN
            EXECUTE statements[i];
          ELSE
            EXECUTE statements[i] INTO found;
          END IF;
          what := CASE WHEN found IS DISTINCT FROM expected THEN format('%s rows: %s', found, statements[i])
            ELSE 'right' END;
        EXCEPTION
          WHEN undefined_function OR insufficient_privilege THEN
            what := CASE WHEN SQLERRM ~ 'uuid_extract|operator' THEN 'refused' ELSE SQLERRM END;
          WHEN OTHERS THEN
            what := regexp_replace(SQLERRM, '[1-9]\d+', 'N', 'g');
        END;
        counts := counts || jsonb_build_object(what, coalesce((counts ->> what)::int, 0) + 1);
        COMMIT;
        PERFORM pg_sleep(0.003) WHERE expected IS NULL;
      END LOOP;
    END LOOP;
    INSERT INTO outcome SELECT CASE WHEN expected IS NULL THEN 'changed' ELSE key END, sum(value::int)
      FROM jsonb_each_text(counts) GROUP BY 1;
  END $$});

my $server = version_of($node);
# Each finds a day.
my @queries = map { "SELECT count(*) FROM $_" } (
  "mixed WHERE uuid_extract_v7_time(id) >= '2026-01-02' AND uuid_extract_v7_time(id) < '2026-01-03'",
  "log WHERE uuid_extract_v7_time(id) >= '2026-01-02' AND uuid_extract_v7_time(id) < '2026-01-03'",
  "mixed WHERE uuid_extract_v7_time(id)::date = '2026-01-02'",
  "checked WHERE uuid_extract_time(id) >= '2026-01-02' AND uuid_extract_time(id) < '2026-01-03'",
  "(SELECT * FROM checked WHERE uuid_extract_time(id) < '2026-01-03' ORDER BY uuid_extract_time(id) DESC LIMIT 144) "
    . "AS newest WHERE uuid_extract_time(id) >= '2026-01-02'",
  'mixed WHERE id <@ tstzrange(\'2026-01-02\', \'2026-01-03\')');
# Without uuidx, too.
push @queries, "SELECT count(*) FROM checked WHERE uuid_extract_timestamp(id) >= '2026-01-02' "
  . "AND uuid_extract_timestamp(id) < '2026-01-03'" if $server >= 180000;

# What the other sessions repeat.
my $called = join ', ', split /\n/, $node->safe_psql('postgres', q{
  SELECT proc.oid::regprocedure FROM pg_proc AS proc WHERE proname IN ('uuid_is_v7', 'uuid_v7_min', 'uuid_v7_max',
    'uuid_condition')});
my @changes = (
  [ "REVOKE EXECUTE ON FUNCTION $called FROM PUBLIC", "GRANT EXECUTE ON FUNCTION $called TO PUBLIC" ],
  [ 'DROP EXTENSION IF EXISTS uuidx CASCADE', 'SELECT pg_sleep(0.05)',
    'CREATE EXTENSION IF NOT EXISTS uuidx',     'SELECT pg_sleep(0.1)' ],
  [ 'ALTER TABLE checked DROP CONSTRAINT IF EXISTS checked_id_check',
    'ALTER TABLE checked ADD CHECK (uuid_is_v7(id))' ]);

# Starts a session that repeats statements.
sub begin($role, $expected, @statements) {
  my $list = join ', ', map { "\$q\$$_\$q\$" } @statements;
  my $call = "CALL repeat(ARRAY[$list], clock_timestamp() + interval '$seconds s', $expected)";
  return start([ 'psql', '-XAtq', '-U', $role, '-d', $node->connstr('postgres'), '-c', $call ]);
}

# On a slow machine, some seconds may be too few for all that is to be seen.
my $owner = $node->safe_psql('postgres', 'SELECT current_user');
my @wanted = ('right', 'refused', 'changed');
my %outcome;
for (1 .. 10) {
  my @running = map { begin(@$_) } [ $owner, 144, @queries ], [ 'guest', 144, @queries ],
    map { [ $owner, 'NULL', @$_ ] } @changes;
  finish($_) for @running;
  %outcome = map { split /\|/ } split /\n/,
    $node->safe_psql('postgres', 'SELECT what, sum(times) FROM outcome GROUP BY 1');
  last if all { $outcome{$_} } @wanted;
}
my %count = map { $_ => delete $outcome{$_} // 0 } @wanted;
cmp_ok($count{right}, '>', 0, "$count{right} queries returned the right rows");
cmp_ok($count{refused}, '>', 0, "$count{refused} queries were refused, as a function that they name was missing");
cmp_ok($count{changed}, '>', 0, "$count{changed} changes were made meanwhile");
# PostgreSQL does not lock a function that it plans to call, and names it if it is gone or forbidden at that moment.
my @raced = grep { /^(?:cache lookup failed for function N|permission denied for function uuid_|deadlock detected)/ }
  keys %outcome;
my $raced = sum0(delete @outcome{@raced});
cmp_ok($raced, '<=', ($count{right} + $count{refused}) / 50, "$raced queries met a change at the wrong moment");
is_deeply(\%outcome, {}, 'no query returned other rows, or an error of a function that it does not name');

# A plan from the cache is made for the role that executes it.
$node->safe_psql('postgres', q{
  DROP EXTENSION uuidx CASCADE;
  CREATE EXTENSION uuidx;
  REVOKE EXECUTE ON FUNCTION uuid_is_v7(uuid) FROM PUBLIC});
for my $query (@queries[0 .. 2]) {
  is($node->safe_psql('postgres', qq{
      SET plan_cache_mode = force_generic_plan;
      PREPARE q AS $query;
      EXECUTE q;
      SET ROLE guest;
      EXECUTE q;
      RESET ROLE;
      EXECUTE q}), "144\n144\n144", "$query: a plan of one role serves another");
}

# A look-up of uuidx's functions that is canceled, here while it waits for a lock, leaves nothing behind. The library
# looks them up when it plans the statement, which has been parsed before.
my ($locker, $session) = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 2;
$session->query_safe(qq{GRANT EXECUTE ON FUNCTION uuid_is_v7(uuid) TO PUBLIC; PREPARE q AS $queries[0]});
$locker->query_safe('BEGIN; LOCK pg_proc IN ACCESS EXCLUSIVE MODE');
$session->query(q{SET statement_timeout = '1s'; EXECUTE q});
like($session->{stderr}, qr/canceling statement due to statement timeout/, 'the look-up is canceled');
$session->{stderr} = '';
$locker->query_safe('ROLLBACK');
is($session->query_safe('SET statement_timeout = 0; EXECUTE q'), 144, 'the next query finds the functions');
$_->quit for $locker, $session;

# A snapshot from before a constraint sees rows that the constraint forbids: one of the first day has a key of the last.
my $v7    = 'CHECK (uuid_is_v7(id))';
my $equal = 'CHECK (created_at = uuid_extract_v7_time(id))';
my $near  = q{CHECK (created_at BETWEEN uuid_extract_v7_time(id) - interval '1 h' AND uuid_extract_v7_time(id))};
my $table = "CREATE TABLE t (id uuid PRIMARY KEY, created_at timestamptz NOT NULL, $v7)";
my $rows  = q{
  INSERT INTO t SELECT uuid_v7_at(at), at
    FROM generate_series(timestamptz '2026-01-01', '2026-01-05', interval '10 minutes') AS at;
  INSERT INTO t VALUES (uuid_v7_at('2026-01-04'), '2026-01-01 12:00')};
my $mend = q{UPDATE t SET created_at = uuid_extract_v7_time(id) WHERE created_at <> uuid_extract_v7_time(id)};
my $day = q{SELECT count(*) FROM t WHERE created_at < '2026-01-02'};
my %late = (
  'a CHECK, equal' => [ "$table; $rows", "$mend; ALTER TABLE t ADD $equal", $day, 145 ],
  'a CHECK, near'  => [ "$table; $rows", "$mend; ALTER TABLE t ADD $near",  $day, 145 ],
  'VALIDATE' => [ "$table; $rows; ALTER TABLE t ADD CONSTRAINT c $equal NOT VALID",
    "$mend; ALTER TABLE t VALIDATE CONSTRAINT c", $day, 145 ],
  'NOT NULL' => [
    "$table; ALTER TABLE t ALTER created_at DROP NOT NULL, ADD $equal; ${\($rows =~ s/'2026-01-01 12:00'/NULL/r)}",
    "$mend; DELETE FROM t WHERE created_at IS NULL; ALTER TABLE t ALTER created_at SET NOT NULL",
    q{SELECT count(*) FROM t WHERE created_at >= '2026-01-04'}, 145, 145 ],
  'version 7' => [
    "${\($table =~ s/, CHECK.*/)/r)}; $rows; INSERT INTO t VALUES (uuid_v6_at('2026-01-03'), '2026-01-03')",
    "DELETE FROM t WHERE NOT uuid_is_v7(id); ALTER TABLE t ADD $v7",
    q{SELECT count(*) FROM t WHERE uuid_extract_time(id) BETWEEN '2026-01-03' AND '2026-01-03 12:00'}, 74 ],
  'a partition' => [
    "$table; $rows; CREATE TABLE p (LIKE t INCLUDING CONSTRAINTS, CONSTRAINT c $equal) PARTITION BY RANGE (id);
      CREATE TABLE nested PARTITION OF p FOR VALUES FROM (MINVALUE) TO (MAXVALUE) PARTITION BY RANGE (id)",
    "$mend; ALTER TABLE t ADD CONSTRAINT c $equal;
      ALTER TABLE nested ATTACH PARTITION t FOR VALUES FROM (MINVALUE) TO (MAXVALUE)",
    $day =~ s/ t / p /r, 145 ],
  'version 7, a child' => [
    "${\($table =~ s/, CHECK.*/)/r)}; $rows; INSERT INTO t VALUES (uuid_v6_at('2026-01-03'), '2026-01-03');
      CREATE TABLE p (LIKE t, CONSTRAINT v7 $v7)",
    "DELETE FROM t WHERE NOT uuid_is_v7(id); ALTER TABLE t ADD CONSTRAINT v7 $v7; ALTER TABLE t INHERIT p",
    q{SELECT count(*) FROM p WHERE uuid_extract_time(id) BETWEEN '2026-01-03' AND '2026-01-03 12:00'}, 74 ]);
if ($server >= 180000) {
  my ($before, @rest) = @{ $late{'NOT NULL'} };
  $late{'VALIDATE of NOT NULL'} = [ "$before; ALTER TABLE t ADD CONSTRAINT c NOT NULL created_at NOT VALID",
    $rest[0] =~ s/ALTER created_at SET NOT NULL/VALIDATE CONSTRAINT c/r, @rest[1 .. 3] ];
}
my ($old, $new) = map { $node->background_psql('postgres') } 1 .. 2;
$new->query_safe('SET client_min_messages = warning');
for my $change (sort keys %late) {
  my ($before, $migration, $count, $wanted, $after) = @{ $late{$change} };
  $new->query_safe("DROP TABLE IF EXISTS t, p CASCADE; $before");
  $old->query_safe("$count; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM mixed");
  $new->query_safe($migration);
  is($old->query_safe("PREPARE late AS $count; EXECUTE late"), $wanted, "a snapshot from before $change");
  is($old->query_safe('COMMIT; EXECUTE late'), $after // $wanted - 1, 'and a new one');
  like($old->query_safe('SET enable_seqscan = off; EXPLAIN EXECUTE late'), qr/\(id [<>]/,
    'for which a statement is planned anew') if $change !~ /^version 7/;
  $old->query_safe('RESET enable_seqscan; DEALLOCATE late');
}
# So does that of a query that calls a STABLE function, and that of the transaction which adds the constraint.
$new->query_safe("DROP TABLE IF EXISTS t, p CASCADE; $table; $rows; CREATE FUNCTION late() RETURNS bigint STABLE
  LANGUAGE plpgsql AS \$\$ BEGIN PERFORM pg_advisory_lock(1); RETURN ($day); END \$\$; SELECT pg_advisory_lock(1)");
my $found;
my $stable = start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', 'SELECT late()' ], '>', \$found);
$node->poll_query_until('postgres', q{SELECT true FROM pg_locks WHERE locktype = 'advisory' AND NOT granted});
$new->query_safe("$mend; ALTER TABLE t ADD $equal; SELECT pg_advisory_unlock(1)");
finish($stable);
is($found, "145\n", 'a STABLE function that began before a CHECK');
$new->query_safe("DROP TABLE t; $table; $rows");
$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM mixed');
$new->query_safe($mend);
is($old->query_safe("ALTER TABLE t ADD $equal; $day"), 145, 'a CHECK of the own transaction');
# A statement that was planned before an older snapshot is imported.
$old->query_safe('COMMIT');
$new->query_safe("DROP TABLE t; $table; $rows");
my $snapshot = $old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_export_snapshot()');
is($new->query_safe("$mend; ALTER TABLE t ADD $equal; PREPARE late AS $day; EXECUTE late;
    BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '$snapshot'; DISCARD PLANS; EXECUTE late; COMMIT"),
  "144\n145", 'an imported snapshot, after DISCARD PLANS');
$_->quit for $old, $new;

# Planning touches no partition that the query does not read: it takes no locks on them, and tolerates dropped ones.
{
  # Tables by tenant, and each tenant by time or by customer.
  $node->safe_psql('postgres', q{
    DROP TABLE log;
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

  # Returns the tables that a statement locks, with the modes.
  my $locks_of = sub ($statement) {
    my $answer = $node->safe_psql('postgres', qq{
      BEGIN;
      $statement;
      \\echo locks
      SELECT relation::regclass, mode FROM pg_locks
      WHERE pid = pg_backend_pid() AND (relation::regclass::text LIKE 'log%' OR relation::regclass::text LIKE 'hashed%')
      ORDER BY 1, 2});
    return $answer =~ s/.*^locks\n//msr;
  };

  # The locks are those of comparisons of UUIDs: only on the tenant's tables that are read.
  for my $table ('log', 'hashed') {
    for my $statement ("SELECT n FROM (SELECT tenant, id, 0 AS n FROM $table) AS rows", "DELETE FROM $table") {
      my ($by_operator, $by_comparisons) =
        map { $locks_of->("EXPLAIN $statement WHERE tenant = 7 AND $_") } $operator, $comparisons;
      is($by_operator, $by_comparisons, "$table: $statement takes the locks that comparisons take");
      unlike($by_operator, qr/(?:log|hashed)_(?!7[_|])/,
        "$table: no partition of another tenant is locked by $statement");
    }
  }
  is($locks_of->("EXPLAIN SELECT FROM log WHERE tenant = 7 AND $operator"),
    "log|AccessShareLock\nlog_7|AccessShareLock\nlog_7_new|AccessShareLock", 'partitions of other tenants are pruned');

  # A partition is detached and dropped while a query is planned whose older snapshot still has it. So that DETACH does
  # not wait for the query, it starts before, and waits for another session; a lock on another partition gives it time.
  # A session that hangs is killed.
  my ($other, $locker, $holder, $reader) = map { $node->background_psql('postgres', on_error_stop => 0,
    timeout => $PostgreSQL::Test::Utils::timeout_default) } 1 .. 4;
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
}

done_testing();
