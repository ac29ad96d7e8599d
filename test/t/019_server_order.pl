# uuid_v7_server() is strictly increasing across sessions, databases and workers.
# With preloading and, in PostgreSQL 17 and later, without; with a running and a frozen clock. Also tests
# uuid_v7_advance() and uuid_generator_state().

use FaultShim;
use Helpers;

# 2023-01-01 12:34:56.1234567 UTC
my @instant = (1672576496, 123_456_700);

my ($server, $node);

# Runs SQL as a superuser, by default in the first database; messages are an error.
sub sql { return $server->sql(@_) }

# Returns columns of uuid_generator_state() for a scope, as text.
sub state_columns($scope, $columns) {
  return "SELECT $columns FROM uuid_generator_state() WHERE scope = '$scope'";
}

# Values of eight concurrent sessions in two databases: no duplicates, even without the random bits, and each session's
# strictly increasing. With a frozen clock, only the shared tick orders the values.
sub check_at_once($name) {
  my ($sessions, $count) = (8, 20_000);
  my $all    = $sessions * $count;
  my %clocks = ('running clock' => [], 'frozen clock' => [clock => 'set', time => \@instant]);
  for my $clock (sort keys %clocks) {
    my $folder = PostgreSQL::Test::Utils::tempdir();
    my @lines  = map { $server->line($_ % 2 ? 'other' : 'postgres') } 1 .. $sessions;
    # All sessions wait for a lock on a shared catalog, so that they start together.
    my $gate = $server->line;
    $server->fault(@{$clocks{$clock}});
    $gate->ask('BEGIN; LOCK TABLE pg_shdescription IN SHARE MODE; SELECT 1;');
    for my $n (1 .. $sessions) {
      $lines[ $n - 1 ]->ask('SELECT uuid_v7_server();');
      $lines[ $n - 1 ]->say(qq{
        BEGIN;
        LOCK TABLE pg_shdescription IN ROW EXCLUSIVE MODE;
        COPY (SELECT $n, g, uuid_v7_server() FROM generate_series(1, $count) AS g) TO '$folder/$n';
        COMMIT;
        SELECT 'done';});
    }
    $node->poll_query_until('postgres', "SELECT count(*) = $sessions FROM pg_locks WHERE NOT granted")
      or die 'sessions do not wait';
    $gate->ask('COMMIT; SELECT 1;');
    $_->hear for @lines;
    $_->quit for $gate, @lines;
    $server->fault;

    is( sql('TRUNCATE made;' . join('', map { "COPY made FROM '$folder/$_';" } 1 .. $sessions) . q{
        SELECT count(*), count(DISTINCT id), count(DISTINCT tick(id)), count(*) FILTER (WHERE NOT later)
        FROM (SELECT id, id > lag(id) OVER (PARTITION BY session ORDER BY n) AS later FROM made) AS s}),
      "$all|$all|$all|0", "$name, $clock: 8 concurrent sessions: no duplicates, each increasing");
  }
}

# Workers of a parallel query and of logical replication, in two databases: their values lie between
# earlier and later ones, and no tick is used twice.
sub check_workers($name) {
  sql('CREATE DATABASE publisher');
  sql('CREATE TABLE event (n int PRIMARY KEY); CREATE PUBLICATION events FOR TABLE event;
    SELECT pg_create_logical_replication_slot(\'events\', \'pgoutput\')', 'publisher');
  my $publisher = $node->connstr . ' dbname=publisher application_name=events';
  sql(qq{
    CREATE TABLE event (n int PRIMARY KEY, id uuid DEFAULT uuid_v7_server(), own uuid DEFAULT uuid_v7(),
      pid int DEFAULT pg_backend_pid());
    CREATE SUBSCRIPTION events CONNECTION '$publisher' PUBLICATION events
      WITH (create_slot = false)}, 'other');
  $node->wait_for_subscription_sync($node, 'events', 'other');

  my $before = sql('SELECT uuid_v7_server()', 'other');
  sql('INSERT INTO event SELECT generate_series(1, 5000)', 'publisher');
  sql(parallel_settings() . q{
    CREATE TABLE parallel AS
    SELECT uuid_v7_server() AS id, uuid_extract_node(uuid_v1()) AS worker FROM source WHERE n % 50 > 0 OR meet()});
  $node->wait_for_catchup('events');
  my $after = sql('SELECT uuid_v7_server()', 'other');
  is(sql('SELECT count(DISTINCT worker) FROM parallel'), 4, "$name: four parallel workers generate values");
  is( sql(q{SELECT count(*), count(*) FILTER (WHERE NOT later), count(*) FILTER (WHERE NOT own_later),
      count(*) FILTER (WHERE pid IN (SELECT pid FROM pg_stat_subscription)) > 0
    FROM (SELECT *, id > lag(id) OVER by_n AS later, own > lag(own) OVER by_n AS own_later
      FROM event WINDOW by_n AS (ORDER BY n)) AS s}, 'other'),
    '5000|0|0|t', "$name: an apply worker of logical replication has increasing values");

  my $file = PostgreSQL::Test::Utils::tempdir() . '/events';
  sql("COPY event (id) TO '$file'", 'other');
  is( sql(qq{
      COPY parallel (id) FROM '$file';
      SELECT count(*), count(DISTINCT tick(id)), min(id) > '$before', max(id) < '$after'
      FROM parallel}),
    '105000|105000|t|t', "$name: parallel and apply workers use no tick twice, between earlier and later values");
  sql('DROP SUBSCRIPTION events', 'other');
}

# Each generator has a row, which also a clock out of range does not affect.
sub check_state($name, $kept) {
  my $session = $server->session;
  $session->make('uuid_v7()', 10);
  $session->make('uuid_v7_server()', 10);
  $server->fault(clock => 'set', time => [-1, 0]);
  like($session->error("SELECT $_"), qr/^ERROR:  22008/, "$name: $_ fails before 1970")
    for 'uuid_v7()', 'uuid_v7_server()';
  $server->fault;
  is( $session->value(q{
      SELECT string_agg(concat_ws('|', scope, high_water_mark > last_time, persistence), E'\n')
      FROM uuid_generator_state()}),
    "session|session memory\nserver|t|$kept",
    "$name: uuid_generator_state() has a row of the session and one of the server");

  # With a frozen clock, the exact microsecond and the next tick are known.
  $session = $server->session;
  $server->fault(clock => 'set', time => \@instant);
  $session->make('uuid_v7()', 2);
  is( $session->value(state_columns('session', 'last_time, clock_lead')),
    '2023-01-01 12:34:56.123456+00|00:00:00', "$name: a session shows its last_time and clock_lead");
  $server->fault;
}

# The mark is never below the last value, nor more than 2 s above it, or 7 s on a slow machine; checks other times, too.
sub check_times($name) {
  is( sql(state_columns('server', q{
      last_time - clock_lead BETWEEN clock_timestamp() - interval '1 min' AND clock_timestamp(),
      high_water_mark >= last_time, high_water_mark <= last_time + interval '7.000001 s'})),
    't|t|t', "$name: the times of the server's state are consistent");
}

# Lets a session generate 1,000 values and returns the warnings, one per line.
sub warnings_of($session, $call) {
  my $messages = $session->error("INSERT INTO made (id) SELECT $call FROM generate_series(1, 1000)");
  return join '', $messages =~ /^(?:WARNING|ERROR):.*\n?/mg;
}

# A clock set back is reported once, and again if set back again.
sub check_set_back($name, $call) {
  $name = "$name, $call";
  my $session = $server->session;
  is(warnings_of($session, $call), '', "$name: no warning before the clock is set back");
  for my $time (1, 2) {
    $server->fault(clock => 'moved', time => [-30, 0]);
    like(warnings_of($session, $call),
      # Less the time since the last value.
      qr/\AWARNING:  01000: system clock is (2\d|30)\.\d+ s behind the last UUID\s*\z/,
      "$name: one warning about 30 s back, time $time");
    is(warnings_of($session, $call), '', "$name: no further warnings, time $time");
    $server->fault;
    is(warnings_of($session, $call), '', "$name: no warning when the clock is correct again, time $time");
  }
  is($session->out_of_order, 0, "$name: strictly increasing throughout");
}

# A session that waits for a processor after reading the clock has an old reading, which is not a clock
# set back. With more sessions than processors this is frequent.
sub check_busy($name) {
  my $many = 'count(uuid_v7()), count(uuid_v7_server()) FROM generate_series(1, 100000)';
  for my $case (['a clock that is right', 0], ['a clock set back', -30]) {
    my ($clock, $moved) = @$case;
    my @lines = map { $server->line } 1 .. 8;
    $_->ask('SELECT uuid_v7(), uuid_v7_server();') for @lines;
    $server->fault(clock => 'moved', time => [$moved, 0]);
    my $offset = -s $node->logfile;
    $_->say("SELECT $many;") for @lines;
    $_->hear for @lines;
    my $log   = slurp_file($node->logfile, $offset);
    my $times = $moved < 0 ? 1 : 0;
    is(scalar(() = $log =~ /uuid_v7\(\) in this session continues/g), 8 * $times,
      "$name, $clock: each busy session reports $times set-backs");
    is(scalar(() = $log =~ /uuid_v7_server\(\) continues/g), $times,
      "$name, $clock: a busy server reports $times set-backs");
    $server->fault;
    $_->quit for @lines;
  }
}

# Later values of any session are greater than the argument of uuid_v7_advance().
sub check_advance($name) {
  my @lines = map { $server->line($_ % 2 ? 'other' : 'postgres') } 1 .. 4;
  my $last  = $lines[0]->ask('SELECT uuid_v7_server();');

  # A rejected argument has no effect, nor do NULL and an argument in the past.
  for my $argument (
    'nil_uuid()', 'max_uuid()', 'uuid_v1()', 'uuid_v4()', 'uuid_v6()',
    # Version 7 of another variant, too far ahead, and at the end of time.
    q{'01856d53-f1fb-774e-cfff-ffffffffffff'}, q{uuid_v7_at(clock_timestamp() + interval '61 s')},
    q{'ffffffff-ffff-7fff-bfff-ffffffffffff'})
  {
    like(error_of($node, "SELECT uuid_v7_advance($argument)"), qr/^ERROR:  22023: /,
      "$name: uuid_v7_advance() rejects $argument");
  }
  is(sql('SELECT uuid_v7_advance(NULL) IS NULL'), 't', "$name: uuid_v7_advance(NULL) is NULL");
  my $past = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
  is(sql("SELECT uuid_v7_advance('$past')"), $past, "$name: uuid_v7_advance() returns its argument");
  is(sql(state_columns('server', q{clock_lead < interval '10 s'})),
    't', "$name: rejected and past arguments do not advance the server");
  cmp_ok($lines[1]->ask('SELECT uuid_v7_server();'), 'gt', $last,
    "$name: after a past argument of uuid_v7_advance(), values continue in order");

  # With all random bits 1, so that only a greater tick is greater.
  for my $seconds (20, 59) {
    my $to = sql("SELECT uuid_v7_advance(
      uuid_v7_max(clock_timestamp() + interval '$seconds s'))");
    my @ids = map { $_->ask('SELECT uuid_v7_server();') } @lines;
    is(scalar(grep { $_ le $to } @ids), 0,
      "$name: after uuid_v7_advance() by $seconds s, values of all sessions are greater");
    check_times("$name, advanced by $seconds s");
  }
  is( sql(q{SELECT uuid_v7() > id FROM (SELECT uuid_v7_advance(
      uuid_v7_max(clock_timestamp() + interval '59 s')) AS id OFFSET 0) AS s}),
    't', "$name: after uuid_v7_advance(), uuid_v7() of the same session is greater, too");

  # The setting allows more.
  my $to = sql(q{
    SET uuidx.max_clock_lead = '2h';
    SELECT uuid_v7_advance(uuid_v7_max(clock_timestamp() + interval '1 h'))});
  my @ids = map { $_->ask('SELECT uuid_v7_server();') } @lines;
  is(scalar(grep { $_ le $to } @ids), 0, "$name: a superuser can allow uuid_v7_advance() by an hour");
  is(sql("SELECT uuid_v7_advance('$ids[-1]')"), $ids[-1],
    "$name: uuid_v7_advance() accepts the server's own last value, however far ahead");
  $_->quit for @lines;
}

# Starts a server and creates its databases for the checks.
sub start($name, $conf) {
  $server = FaultShim->new(
    name => $name, init => {allows_streaming => 'logical'}, conf => "max_worker_processes = 16\n$conf");
  $node   = $server->{node};
  sql('CREATE DATABASE other');
  sql('CREATE EXTENSION uuidx', 'other');
  # The tick of a value: time, fraction and sequence, all bits except the random ones.
  sql(q{
    CREATE FUNCTION tick(id uuid) RETURNS text LANGUAGE sql IMMUTABLE
      RETURN left(id::text, 19) || (get_byte(uuid_send(id), 8) >> 2);
    CREATE UNLOGGED TABLE made (session int, n int, id uuid);
    CREATE TABLE source AS SELECT n FROM generate_series(1, 100000) AS n;
    ANALYZE source});
}

# Runs all checks on one server.
sub check($name, $kept, $conf) {
  start($name, $conf);
  check_state($name, $kept);
  check_times($name);
  check_set_back($name, $_) for 'uuid_v7()', 'uuid_v7_server()';
  check_busy($name);
  check_at_once($name);
  check_workers($name);

  my $last = sql('SELECT uuid_v7_server()');
  $node->stop;
  $server->start;
  cmp_ok(sql('SELECT uuid_v7_server()'), 'gt', $last, "$name: values continue in order after a restart");
  check_times("$name after a restart");
  check_advance($name);
  $node->stop;
}

check('preloaded', 'file and WAL', "shared_preload_libraries = 'uuidx'\n");
if ($node->pg_version >= 17) {
  check('loaded', 'file', '');
}
else {
  # Without shared memory, only what needs it is unavailable.
  start('loaded', '');
  for my $call ('uuid_v7_server()', 'uuid_v7_advance(uuid_v7_at(now()))') {
    my $session = $server->session;
    like($session->error("SELECT $call"),
      qr/\AERROR:  55000: .*\nDETAIL: .*\nHINT:  .*shared_preload_libraries/,
      "not preloaded: $call is an error");
    is($session->value('SELECT uuid_extract_version(uuid_v7())'),
      7, "not preloaded, after $call: uuid_v7() works");
    is( $session->value(q{SELECT scope, last_time IS NULL, persistence FROM uuid_generator_state()}),
      "session|f|session memory\nserver|t|", 'not preloaded: uuid_generator_state() has no values of the server');
  }
  $node->stop;
}

done_testing();
