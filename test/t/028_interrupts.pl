# Interrupted statements break no order, repeat no value and leak nothing.
# Generating statements are canceled or lose their session. Statements of an application leak nothing either.
# UUIDX_ROUNDS is the number of their rounds.

use FaultShim;
use Helpers;
use Time::HiRes qw(time usleep);

my ($server, $node, $control);
my $folder  = PostgreSQL::Test::Utils::tempdir();
my $session = 0;  # number of the last generating one
my $greatest;     # value of uuid_v7_server() checked so far

# All generators with a clock or state, by the column for their values.
my %calls = (
  v1 => 'uuid_v1()', v4 => 'uuid_v4()', v6 => 'uuid_v6()', v7 => 'uuid_v7()',
  server => 'uuid_v7_server()', node => 'uuid_v8_node()');
my @columns = sort keys %calls;
my $columns = join(', ', @columns);
my $calls   = join(', ', @calls{@columns});

# 2023-01-01 12:34:56.1234567 UTC
my @instant = (1672576496, 123_456_700);

# The same numbers each time; the moment within a statement is random enough.
srand(28);

# Makes the clock advance a millisecond more at each reading, so that the mark is raised repeatedly within
# a statement. Starts at the correct time: each call sets it back.
sub hurry { return $server->fault(clock => 'moved', time => [0, 0], step => 1_000_000) }

# Cancels the session's statement.
sub cancel($writer) {
  return $control->ask("SELECT pg_cancel_backend(@{[$writer->pid]});");
}

# Runs numbered statements in a session. Each returns many values, with their place in the order, to a file.
sub tell_script($writer, $first, $last) {
  my $path = "$folder/script";
  unlink($path);
  append_to_file($path, join '', map {
    "COPY (SELECT $session, $_, g, $calls FROM generate_series(1, 500) AS g) TO STDOUT;\n" } $first .. $last);
  return $writer->say("\\o $folder/told.$session\n\\i $path\n\\o\n\\echo end");
}

# Adds the values that a session has returned to the table.
sub keep_told {
  my $told = "$folder/told.$session";
  $server->sql("COPY made (session, statement, n, $columns) FROM '$told'");
  unlink($told);
}

# Checks that there are no duplicates and that values increase: in each session, and for uuid_v7_server()
# across all. The next check starts after these.
sub check_made($name, $least) {
  my $rows = $server->sql('SELECT count(*) FROM made');
  cmp_ok($rows, '>=', $least, "$name: there are enough values to check");
  is( $server->sql(qq{
      SELECT count(*) FILTER (WHERE v6 <= v6_before) AS v6,
        count(*) FILTER (WHERE v7 <= v7_before) AS v7,
        count(*) FILTER (WHERE node <= node_before) AS node,
        count(*) FILTER (WHERE server <= server_before) AS server
      FROM (SELECT *, lag(v6) OVER own AS v6_before, lag(v7) OVER own AS v7_before,
          lag(node) OVER own AS node_before, lag(server) OVER every AS server_before
        FROM made WINDOW own AS (PARTITION BY session ORDER BY statement, n),
          every AS (ORDER BY session, statement, n)) AS made}),
    '0|0|0|0', "$name: values are strictly increasing in each session");
  is( $server->sql("SELECT count(*) - count(DISTINCT id) FROM made, unnest(ARRAY[$columns]) AS id"), 0,
    "$name: no duplicates");
  my ($least_of_all, $last) = split(/\|/, $server->sql('SELECT min(server), max(server) FROM made'));
  cmp_ok($least_of_all, 'gt', $greatest, "$name: uuid_v7_server(): all values are above earlier ones");
  cmp_ok($server->sql('SELECT uuid_v7_server()'), 'gt', $last,
    "$name: uuid_v7_server(): a new value is above all values");
  $greatest = $last;
  $server->sql('TRUNCATE made');
}

# Returns a session's resources: memory contexts, their bytes, open files.
my $held = q{SELECT count(*), sum(total_bytes), (SELECT count(*) FROM pg_ls_dir('/proc/self/fd'))
  FROM pg_backend_memory_contexts;};

# Runs statements in a session while it is canceled repeatedly. A hundred and more of them fail; some do not.
sub disturb($name) {
  ++$session;
  hurry();
  my $writer = $server->line;
  # Plans and open files of the tables are cached after some statements.
  tell_script($writer, -19, 0);
  is($writer->hear, 'end', "$name: the first statements succeed");
  keep_told();
  my @before = split(/\|/, $writer->ask($held));

  my ($statements, $failed, %heard, $line) = (0, 0);
  while ($statements < 200 || $failed < 100 && $statements < 8_000) {
    tell_script($writer, $statements + 1, $statements + 100);
    $statements += 100;
    my $deadline = time() + 60;
    until (($line = $writer->next_line(0) // '') eq 'end') {
      if    ($line eq 'ERROR:  57014') { ++$failed }
      elsif ($line ne '')              { ++$heard{$line} }
      else                             { usleep(1_000 * any_pace()); cancel($writer) }
      die "timed out: $name" if time() > $deadline;
    }
    keep_told();
  }
  is(join(' ', %heard), '', "$name: statements fail with the expected error only");
  note("$failed of $statements statements failed");
  ok($failed >= 100 && $failed < $statements, "$name: many statements fail, some do not");

  # A disturbance may still arrive, at either statement.
  my @lines;
  do {
    $writer->say("$held\n\\echo end");
    @lines = ();
    push @lines, $line while ($line = $writer->hear) ne 'end';
  } while grep { /^ERROR/ } @lines;
  my @after = split(/\|/, $lines[-1]);
  note("resources: @before, then @after");
  cmp_ok($after[0] - $before[0], '<', 20,      "$name: no memory context is leaked");
  cmp_ok($after[1] - $before[1], '<', 262_144, "$name: no memory is leaked");
  cmp_ok($after[2] - $before[2], '<', 20,      "$name: no file is left open");
  is($writer->ask('SELECT pg_backend_pid();'), $writer->pid, "$name: the session survives");
  # Again undisturbed: its values belong to the order of the same session.
  tell_script($writer, $statements + 1, $statements + 2);
  is($writer->hear, 'end', "$name: the session generates values again");
  keep_told();
  $writer->quit;
}

# Statements of an application, an error that is handled included.
my $round = q{
  INSERT INTO event SELECT unnest(ARRAY[uuid_v1(), uuid_v4(), uuid_v6(), uuid_v7(), uuid_v7_server()]), 1
    FROM generate_series(1, 100);
  INSERT INTO event SELECT uuid_v7_at(now() - n * interval '1 hour'), 9 FROM generate_series(1, 100) AS n;
  SELECT count(*), min(id), max(id) FROM event WHERE id >= now() - interval '1 second';
  SELECT count(*) FROM event WHERE id <@ tstzrange(now() - interval '10 hours', now());
  SELECT count(*), max(uuid_extract_v7_time(id)) FROM event
    WHERE uuid_extract_v7_time(id) >= now() - interval '1 second';
  SELECT id FROM event ORDER BY uuid_extract_v7_time(id) DESC LIMIT 10;
  SELECT count(uuid_decode(uuid_encode(id, form), form)), count(uuid_v5(id, form)),
      count(uuid_v8_hash('sha256', id, form))
    FROM event, unnest('{ulid,base58,base64url,decimal,urn}'::text[]) AS form;
  SELECT count(i.*) FROM event, uuid_inspect(id) AS i;
  DO $$
  BEGIN
    PERFORM uuid_decode('?', 'ulid');
  EXCEPTION WHEN invalid_text_representation THEN
    INSERT INTO event VALUES (uuid_v7(), 7);
  END $$;
  DELETE FROM event;
  VACUUM event;
};

# Runs rounds in a session. Returns the bytes in memory contexts, and the kB of private memory, which has libcrypto's.
sub memory_after($line, $rounds) {
  for (1 .. $rounds) {
    $line->say("\\o /dev/null\n$round\n\\o\n\\echo end");
    my $said = $line->hear;
    die "a round has said: $said" if $said ne 'end';
  }
  my ($private) = slurp_file('/proc/' . $line->pid . '/status') =~ /^RssAnon:\s+(\d+)/m;
  return ($line->ask('SELECT sum(used_bytes) FROM pg_backend_memory_contexts;'), $private);
}

# Memory does not grow by a few bytes in each round.
sub check_memory {
  my $rounds = $ENV{UUIDX_ROUNDS} // 200;
  $server->sql('CREATE TABLE event (id uuid PRIMARY KEY, kind int)');
  my $line = $server->line;
  memory_after($line, 50);
  my @before = memory_after($line, 20);
  my @after  = memory_after($line, $rounds);
  note("memory: @before, then @after");
  cmp_ok($after[0] - $before[0], '<', 8 * $rounds, 'rounds of an application leak no memory of PostgreSQL');
  cmp_ok($after[1] - $before[1], '<', 512, 'rounds of an application leak no memory of libraries');
  $line->quit;
}

# Terminates sessions in the middle of a statement, one after the other.
sub end_sessions($name, $count) {
  for my $n (1 .. $count) {
    ++$session;
    hurry();
    my $writer = $server->line;
    tell_script($writer, 1, 600);
    usleep(50_000 + rand 100_000);
    $control->ask("SELECT pg_terminate_backend(@{[$writer->pid]});");
    eval { $writer->hear while 1 };
    like($@, qr/psql has ended/, "$name: session $n ends");
    $writer->quit;
    keep_told();
  }
}

# With a frozen clock nothing waits for it: an endless generating statement is canceled at once. PostgreSQL's
# timeouts are frozen, too, and fire as soon as the clock runs.
sub check_standing_clock($name) {
  for my $call ((map { $calls{$_} } @columns), q{uuid_v7(interval '1 day')}, 'uuid_v7_at(now())') {
    my $forever = "SELECT count($call) FROM (SELECT generate_series(1, 2000000000)) AS s;";
    my $writer  = $server->line;
    $server->fault(clock => 'set', time => \@instant);
    $writer->say($forever);
    my $heard;
    # The first attempt may be too early, before the statement.
    for (1 .. 600) {
      last if defined($heard = $writer->next_line(0.05));
      cancel($writer);
    }
    is($heard, 'ERROR:  57014', "$name: $call is canceled");

    $writer->say("SET statement_timeout = '10 ms'; $forever");
    usleep(50_000);
    $server->fault;
    is($writer->hear, 'ERROR:  57014', "$name: $call times out when the clock runs again");
    $writer->quit;
  }
}

# Starts a server with a table for values.
sub start($name, $conf) {
  ($session, $greatest) = (0, '');
  $server = FaultShim->new(name => $name, conf => "
    uuidx.node_id = 17
    client_min_messages = error
    work_mem = '128MB'
    # The clock runs fast, and with it checkpoints.
    checkpoint_timeout = '1 d'
    $conf");
  $node = $server->{node};
  $server->sql("CREATE TABLE made (session int, statement int, n int, @{[join(', ', map { qq{$_ uuid} } @columns)]})");
}

# Milliseconds from 1 to 50, evenly on a logarithmic scale, for machines of any speed.
sub any_pace { return 50**rand }

start('preloaded', "shared_preload_libraries = 'uuidx'\n");
$control = $server->line;
disturb('pg_cancel_backend');
check_made('pg_cancel_backend', 25_000);
end_sessions('pg_terminate_backend', 8);
check_made('pg_terminate_backend', 4_000);
check_standing_clock('clock stands still');
check_memory();
$control->quit;
$node->stop;

SKIP: {
  skip 'before PostgreSQL 17 uuidx must be preloaded', 1 if $node->pg_version < 17;
  start('loaded', '');
  $control = $server->line;
  disturb('not preloaded, pg_cancel_backend');
  $control->quit;
  check_made('not preloaded', 10_000);
  $node->stop;
}

done_testing();
