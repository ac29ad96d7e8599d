# Two servers generate ids for the same tables, with logical replication and postgres_fdw, with and
# without a node in the id; and the setting of the node.

use strict;
use warnings FATAL => 'all';
use FindBin;
use lib $FindBin::RealBin;

use FaultShim;
use Helpers;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# West preloads the library, east loads it in each session that needs it.
my %server;
for my $name ('west', 'east') {
  $server{$name} = PostgreSQL::Test::Cluster->new($name);
  $server{$name}->init(allows_streaming => 'logical');
}
$server{west}->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'uuidx'
uuidx.node_id = 1
timezone = 'Asia/Kathmandu'
});
$server{east}->append_conf('postgresql.conf', qq{
uuidx.node_id = 2
timezone = 'America/New_York'
});
my ($west, $east) = @server{ 'west', 'east' };
for my $server ($west, $east) {
  $server->start;
  $server->safe_psql('postgres', 'CREATE EXTENSION uuidx');
}

# Runs SQL; returns output, and messages with SQLSTATE. Further arguments are options of psql.
sub run_sql {
  my ($server, $sql, @options) = @_;
  my ($code, $output, $messages) =
    $server->psql('postgres', "\\set VERBOSITY verbose\n$sql", @options);
  return ($output, $messages =~ s/^psql:<stdin>:\d+: //gmr);
}

# Existing rows are copied when the subscription starts; later ones are replicated.
my ($first, $rows) = (100, 2000);
for my $server ($west, $east) {
  my $maker = $server == $west ? 1 : 2;
  for my $table ('plain', 'numbered') {
    my $default = $table eq 'plain' ? 'uuid_v7()' : 'uuid_v8_node()';
    $server->safe_psql('postgres', qq{
      CREATE TABLE $table (id uuid PRIMARY KEY DEFAULT $default, maker int, n int, UNIQUE (maker, n));
      INSERT INTO $table (maker, n) SELECT $maker, n FROM generate_series(1, $first) AS n});
  }
}
my $since = -s $east->logfile;
$west->safe_psql('postgres', 'CREATE PUBLICATION made FOR TABLE plain, numbered');
my $address = $west->connstr . ' dbname=postgres';
$east->safe_psql('postgres', "CREATE SUBSCRIPTION made CONNECTION '$address' PUBLICATION made");
$east->wait_for_subscription_sync($west, 'made');

# Starts a session that inserts rows, each in a transaction, until a PL/pgSQL condition on i, the row, and
# late, the timeout, is true.
my $patience = $PostgreSQL::Test::Utils::timeout_default / 2;
sub start_maker {
  my ($server, $maker, $done) = @_;
  my $session = $server->background_psql('postgres');
  $session->query_until(qr/started/, qq{\\echo started
    DO \$\$
    DECLARE
      i int := $first;
      late timestamptz := clock_timestamp() + interval '$patience s';
    BEGIN
      LOOP
        i := i + 1;
        INSERT INTO plain (maker, n) VALUES ($maker, i);
        INSERT INTO numbered (maker, n) VALUES ($maker, i);
        COMMIT;
        EXIT WHEN $done;
        PERFORM pg_sleep(0.0005);
      END LOOP;
    END \$\$;
  });
  return $session;
}

# East continues until all rows of west have arrived, so that both are concurrent.
my $last_came = "EXISTS (SELECT FROM numbered WHERE maker = 1 AND n = $rows)";
my $east_maker = start_maker($east, 2, "$last_came OR clock_timestamp() > late");
my $west_maker = start_maker($west, 1, "i = $rows");
ok($_->quit, 'replication: a session makes rows') for $west_maker, $east_maker;
# Checked before waiting for rows that would not arrive.
unlike(slurp_file($east->logfile, $since), qr/ERROR:|conflict detected/, 'replication: no conflict');
$west->wait_for_catchup('made');
is($east->safe_psql('postgres', 'SELECT apply_error_count FROM pg_stat_subscription_stats'),
  '0', 'replication: no error was counted');
for my $table ('plain', 'numbered') {
  my $digest = "SELECT count(*), md5(string_agg(id::text || n, ' ' ORDER BY id)) FROM $table WHERE maker = 1";
  my $sent = $west->safe_psql('postgres', $digest);
  like($sent, qr/^$rows\|/, "$table: all rows are inserted");
  is($east->safe_psql('postgres', $digest), $sent, "$table: all rows arrive unchanged");
  cmp_ok($east->safe_psql('postgres', "SELECT count(*) FROM $table WHERE maker = 2"),
    '>', $first, "$table: the subscriber inserts rows, too");

  # Both insert rows concurrently: sorted by id, they alternate.
  cmp_ok(
    $east->safe_psql('postgres', qq{
      SELECT count(*) FILTER (WHERE turn)
      FROM (SELECT maker <> lag(maker) OVER (ORDER BY id) AS turn FROM $table) AS s}),
    '>', 100, "$table: the ids of both servers interleave");
  is( $east->safe_psql('postgres', qq{
      SELECT count(*) FROM (
        SELECT n <> lag(n, 1, 0) OVER (PARTITION BY maker ORDER BY id) + 1 AS wrong FROM $table) AS s
      WHERE wrong}),
    '0', "$table: sorted by id, the rows of each server are in the order of insertion");
}
is($east->safe_psql('postgres', 'SELECT DISTINCT maker, uuid_extract_v8_node(id) FROM numbered ORDER BY 1'),
  "1|1\n2|2", 'each id has the node of its server');
$east->safe_psql('postgres', 'DROP SUBSCRIPTION made');

# Each server has one part, with the primary key, and reads the other's by postgres_fdw.
my $has_fdw = $west->safe_psql('postgres',
  q{SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'});
SKIP: {
  skip 'postgres_fdw is not installed', 1 if $has_fdw == 0;

  for my $here ('west', 'east') {
    my $there = $here eq 'west' ? 'east' : 'west';
    $server{$here}->safe_psql('postgres', sprintf qq{
      CREATE EXTENSION postgres_fdw;
      CREATE SERVER $there FOREIGN DATA WRAPPER postgres_fdw
        OPTIONS (host '%s', port '%s', dbname 'postgres', extensions 'uuidx');
      CREATE USER MAPPING FOR CURRENT_USER SERVER $there;
      CREATE TABLE event (id uuid NOT NULL DEFAULT uuid_v7(), region text NOT NULL, maker text)
        PARTITION BY LIST (region);
      CREATE TABLE event_$here PARTITION OF event (PRIMARY KEY (id)) FOR VALUES IN ('$here');
      CREATE FOREIGN TABLE event_$there PARTITION OF event FOR VALUES IN ('$there') SERVER $there},
      $server{$there}->host, $server{$there}->port);
  }

  # Hourly rows of March, inserted through one of the servers; then current rows: in the local part, and
  # through the parent in both.
  $west->safe_psql('postgres', q{
    INSERT INTO event SELECT uuid_v7_at(t), region, 'past'
      FROM generate_series(timestamptz '2024-03-01 UTC', '2024-03-31 23:00 UTC', '1 hour') AS t,
      (VALUES ('west'), ('east')) AS r (region)});
  # Times in UUIDs are in whole milliseconds.
  my $before = $west->safe_psql('postgres', q{SELECT date_trunc('milliseconds', clock_timestamp())});
  for my $here ('west', 'east') {
    $server{$here}->safe_psql('postgres', qq{
      INSERT INTO event_$here (region, maker) SELECT '$here', '$here' FROM generate_series(1, 300);
      INSERT INTO event (region, maker)
        SELECT region, '$here' FROM generate_series(1, 200), (VALUES ('west'), ('east')) AS r (region)});
  }
  my $after = $west->safe_psql('postgres', 'SELECT clock_timestamp()');
  is($_->safe_psql('postgres', q{
      SELECT region, maker, count(*), count(DISTINCT id) FROM event GROUP BY 1, 2 ORDER BY 1, 2}),
    "east|east|500|500\neast|past|744|744\neast|west|200|200\n"
      . "west|east|200|200\nwest|past|744|744\nwest|west|500|500",
    $_->name . ': all rows are there')
    for $west, $east;
  is($_->safe_psql('postgres', 'SELECT count(*) = count(DISTINCT id) FROM event'),
    't', $_->name . ': no id twice in the two parts')
    for $west, $east;

  my $uuid = q{'[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'(?:::uuid)?};
  my $day = q{tstzrange '[2024-03-10 UTC,2024-03-11 UTC)'};
  my $and = qr/\)+ AND (?:\(public\.uuid_is_v7\(id\)\) AND )?\(+/;
  my $pair = qr/id >= $uuid${and}id < $uuid/;
  my $closed_pair = qr/id >= $uuid${and}id <= $uuid/;
  my @conditions = (
    [ 'from a day on', q{id >= timestamptz '2024-03-10 UTC'}, qr/id >= $uuid/, 2 * (22 * 24 + 700) ],
    [ 'before a day', q{id < timestamptz '2024-03-10 UTC'}, qr/id < $uuid/, 2 * 9 * 24 ],
    [ 'a day', "id <@ $day", $pair, 2 * 24 ],
    [ 'a day and more', "id <@ $day AND maker = 'past'", qr/$pair.*maker = 'past'/, 2 * 24 ],
    [ 'the rows of now by two times', "id >= timestamptz '$before' AND id <= timestamptz '$after'",
      $closed_pair, 1400 ],
    [ 'the rows of now by a range', "id <@ tstzrange '[$before,$after]'", $closed_pair, 1400 ]);
  for my $condition (@conditions) {
    my ($name, $where, $sent, $count) = @$condition;
    # In the same order in any locale of the server and this test.
    my @parts = sort map {
      split /\n/, $server{$_}->safe_psql('postgres', "SELECT id FROM event_$_ WHERE $where")
    } 'west', 'east';
    is(scalar @parts, $count, "$name: $count rows in the parts");
    for my $here ('west', 'east') {
      my $there = $here eq 'west' ? 'east' : 'west';
      my $query = "SELECT id FROM event WHERE $where";
      my $plan = $server{$here}->safe_psql('postgres', "EXPLAIN (VERBOSE, COSTS OFF) $query");
      my ($foreign) = $plan =~ /(Foreign Scan on public\.event_$there.*?Remote SQL: [^\n]*)/s;
      like($foreign, qr/Remote SQL: .* WHERE .*$sent/, "$name: sent from $here to $there");
      unlike($foreign, qr/Filter:/, "$name: no local filter in $here");
      is_deeply([ sort split /\n/, $server{$here}->safe_psql('postgres', $query) ], \@parts,
        "$name: in $here, a query returns the rows of both parts");
    }
  }

  # With a region, only one part is read.
  my $plan = $west->safe_psql('postgres',
    "EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM event WHERE region = 'east' AND id <@ $day");
  like($plan, qr/Remote SQL: .*$pair/, 'a region and a time range: sent');
  unlike($plan, qr/event_west/, 'a region and a time range: the other part is not read');
}

my $node_of_new = 'SELECT uuid_extract_v8_node(uuid_v8_node())';
my $refused = qr/^ERROR:  22023: .*uuidx\.node_id/m;
for my $server ($west, $east) {
  my $name = $server->name;

  # Loaded first, as its settings are unchecked placeholders until then.
  for my $value ('-2', '65536', '2147483648', q{'one'}) {
    like(error_of($server, "LOAD 'uuidx'; SET uuidx.node_id = $value"), $refused,
      "$name: $value is rejected");
    like(error_of($server, "LOAD 'uuidx';\nALTER SYSTEM SET uuidx.node_id = $value"), $refused,
      "$name: $value is rejected in ALTER SYSTEM");
  }
  my ($output) = run_sql($server, "LOAD 'uuidx'; SET uuidx.node_id = 65536; $node_of_new",
    on_error_stop => 0);
  is($output, $server == $west ? '1' : '2', "$name: a rejected setting has no effect");
  for my $value (0, 65535) {
    is((run_sql($server, "SET uuidx.node_id = $value; $node_of_new"))[0], $value, "$name: $value is used");
  }
  like(error_of($server, "LOAD 'uuidx';\nSET uuidx.unknown = 1"),
    qr/^ERROR:  42602: invalid configuration parameter name "uuidx\.unknown"/m,
    "$name: an unknown setting is rejected");
}
like(error_of($west, 'SET uuidx.node = 1'), qr/^ERROR:  42602: /m,
  'preloaded: an unknown setting is rejected at once');
like(error_of($east, "SET uuidx.unknown = 1; LOAD 'uuidx'; SHOW uuidx.unknown"),
  qr/^WARNING: .*"uuidx\.unknown", removing it.*^ERROR:  42704: /ms,
  'not preloaded: an unknown setting is removed when the library is loaded');

# A role without superuser cannot use the node of another server in any way.
for my $server ($west, $east) {
  my $name = $server->name;
  my $denied = qr/(?:ERROR|WARNING):  42501: permission denied to set parameter "uuidx\.node_id"/;
  $server->safe_psql('postgres', 'CREATE ROLE guest LOGIN; CREATE ROLE peer LOGIN');
  my @as_guest = (extra_params => [ '--username', 'guest' ], on_error_stop => 0);
  my %ways = (
    'SET' => "LOAD 'uuidx'; SET uuidx.node_id = 9;",
    'SET before a call' => 'SET uuidx.node_id = 9;',
    'SET LOCAL' => 'BEGIN; SET LOCAL uuidx.node_id = 9;',
    'set_config' => q{DO $$ BEGIN PERFORM set_config('uuidx.node_id', '9', false);
      EXCEPTION WHEN insufficient_privilege THEN RAISE WARNING USING
        MESSAGE = SQLERRM, ERRCODE = SQLSTATE; END $$;},
    'the setting of a function' => q{
      CREATE FUNCTION pg_temp.nine() RETURNS int LANGUAGE plpgsql
        SET uuidx.node_id = 9 AS 'BEGIN RETURN uuid_extract_v8_node(uuid_v8_node()); END';
      SELECT pg_temp.nine();},
    'ALTER ROLE' => q{ALTER ROLE guest SET uuidx.node_id = 9; \c});
  for my $way (sort keys %ways) {
    # LOAD is for superusers; a call does the same.
    (my $sql = $ways{$way}) =~ s/LOAD 'uuidx'/SELECT 1 WHERE uuid_v8_node() IS NULL/;
    my ($output, $messages) = run_sql($server, "$sql\n$node_of_new", @as_guest);
    # Statements after an error in a block are not run.
    unlike($output, qr/^9$/m, "$name: a guest cannot set the node by $way");
    like($messages, $denied, "$name: setting by $way is an error for a guest");
  }
  {
    local $ENV{PGOPTIONS} = '-c uuidx.node_id=9';
    my ($output, $messages) = run_sql($server, $node_of_new, @as_guest);
    unlike($output, qr/^9$/m, "$name: a guest cannot set the node by connection options");
    like($messages, qr/permission denied to set parameter "uuidx\.node_id"/,
      "$name: setting by connection options is an error for a guest");
  }
  is((run_sql($server, $node_of_new, @as_guest))[0], $server == $west ? '1' : '2',
    "$name: a guest generates ids of the server");
  $server->safe_psql('postgres', 'GRANT SET ON PARAMETER uuidx.node_id TO guest');
  is((run_sql($server, "SET uuidx.node_id = 9; $node_of_new", @as_guest))[0], '9',
    "$name: a guest with the privilege can set the node");
}

# Sessions that have used the old value use a new one.
for my $server ($west, $east) {
  my $name = $server->name;
  my $session = $server->background_psql('postgres');
  $session->query('CREATE TEMP TABLE made (n serial, id uuid)');
  $session->query('INSERT INTO made (id) VALUES (uuid_v8_node())');
  $server->safe_psql('postgres', 'ALTER SYSTEM SET uuidx.node_id = 300');
  $server->reload;
  my $value = '';
  for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default) {
    $value = $session->query('SHOW uuidx.node_id');
    last if $value eq '300';
    select undef, undef, undef, 0.1;
  }
  is($value, '300', "$name: a reload reaches a session");
  $session->query('INSERT INTO made (id) VALUES (uuid_v8_node())');
  is($session->query(q{
      SELECT string_agg(uuid_extract_v8_node(id)::text, ' ' ORDER BY n),
        bool_and(id > least) FROM made, (SELECT id AS least FROM made WHERE n = 1) AS s WHERE n > 1}),
    '300|t', "$name: after a reload, a session uses the new node and keeps its order");
  $session->quit;

  # An invalid number in the file: with the library loaded, a server keeps the old one; otherwise it counts
  # as not set.
  $server->append_conf('postgresql.auto.conf', "uuidx.node_id = 65536\n");
  my $offset = -s $server->logfile;
  $server->reload;
  if ($server == $west) {
    $server->wait_for_log(qr/65536 is outside the valid range for parameter "uuidx\.node_id"/, $offset);
    is($server->safe_psql('postgres', $node_of_new), '300', "$name: out of range in the file: the old node is kept");
  } else {
    $server->poll_query_until('postgres', q{SELECT current_setting('uuidx.node_id') = '65536'})
      or die 'the file is not read';
    like(error_of($server, $node_of_new),
      qr/^WARNING: .*65536 is outside the valid range.*^ERROR:  55000: /ms,
      "$name: out of range in the file: a warning, and the node is not set");
  }
}
$east->safe_psql('postgres', 'ALTER SYSTEM SET uuidx.node_id = 300');
$east->reload;
$east->poll_query_until('postgres', q{SELECT current_setting('uuidx.node_id') = '300'})
  or die 'the file is not read';

# The workers of a parallel query have the setting of their session.
for my $server ($west, $east) {
  my $force = $server->safe_psql('postgres', q{
    SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')});
  my $in_worker = "SET uuidx.node_id = 77; SET $force = on;";
  like($server->safe_psql('postgres', "$in_worker EXPLAIN $node_of_new"), qr/Single Copy: true/,
    $server->name . ': the query runs in a worker');
  is($server->safe_psql('postgres', "$in_worker $node_of_new"), '77',
    $server->name . ': a worker has the node of its session');
  # Also for a role that may not set it.
  is( (run_sql($server, "SET $force = on; $node_of_new", extra_params => [ '--username', 'peer' ]))[0],
    '300', $server->name . ': a worker has the node of the server');
}
$_->stop for $west, $east;

# A server without a node, with a clock set by the test.
my $faulty = FaultShim->new;
my $node = $faulty->{node};

is($node->safe_psql('postgres', "LOAD 'uuidx'; SHOW uuidx.node_id"), '-1', 'uuidx.node_id has no default');
like(error_of($node, 'SELECT uuid_v8_node()'),
  qr/^ERROR:  55000: parameter "uuidx\.node_id" is not set\n(?:.*\n)*?HINT:  Set it in postgresql\.conf/m,
  'no node: uuid_v8_node() is an error with a hint');
is($node->safe_psql('postgres', 'SELECT uuid_extract_v8_node(uuid_v8_node(5))'), '5',
  'no node: uuid_v8_node(node) works');
is($node->safe_psql('postgres', 'SELECT uuid_v8_node(NULL) IS NULL'), 't', 'NULL in, NULL out');

for my $number (-1, 65536, 2147483647, -2147483648) {
  like(error_of($node, "SELECT uuid_v8_node($number)"),
    qr/^ERROR:  22003: node ID $number is out of range\nDETAIL:  .*0 to 65535\./m,
    "node $number: out of range");
}

# Every node once: by the extraction function, and from the documented bits. The 42 bits after it differ;
# two of 65,536 are equal once in 2,000 runs, five never.
is( $node->safe_psql('postgres', q{
    CREATE TABLE every AS SELECT n, id, uuid_send(id) AS octets
      FROM generate_series(0, 65535) AS n, LATERAL (SELECT uuid_v8_node(n) AS id) AS s;
    SELECT count(*) FILTER (WHERE uuid_extract_v8_node(id) = n),
      count(*) FILTER (WHERE
        ((get_byte(octets, 8) & 3) << 14) | (get_byte(octets, 9) << 6) | (get_byte(octets, 10) >> 2) = n),
      count(*) FILTER (WHERE get_byte(octets, 6) >> 4 = 8 AND get_byte(octets, 8) >> 6 = 2),
      count(*) FILTER (WHERE uuid_extract_version(id) = 8 AND uuid_extract_variant(id) = 'rfc9562'),
      count(DISTINCT id),
      count(DISTINCT (get_byte(octets, 10) & 3)::text || substr(octets, 12)::text) > 65530
    FROM every}),
  '65536|65536|65536|65536|65536|t', 'every node: round trip, its bits, version, variant, random bits');
is( $node->safe_psql('postgres', q{
    SELECT count(*) FROM (SELECT id > lag(id) OVER (ORDER BY n) AS later FROM every) AS s WHERE NOT later}),
  '0', 'every node: strictly increasing');

# Other versions and variants have neither node nor time.
is( $node->safe_psql('postgres', q{
    SELECT count(*), count(uuid_extract_v8_node(id)), count(uuid_extract_v8_time(id))
    FROM (VALUES (uuid_v1()), (uuid_v4()), (uuid_v6()), (uuid_v7()), (nil_uuid()), (max_uuid()),
      ('01856d53-f1fb-874e-6aaf-340000000000'), ('01856d53-f1fb-874e-caaf-340000000000')) AS v (id)}),
  '8|0|0', 'other versions and variants: no node or time');

# The time lies between clock readings around it. Rounded down to microseconds from 16 bits of fraction,
# it can be a microsecond before the reading.
is( $node->safe_psql('postgres', q{
    CREATE TABLE timed (before timestamptz, id uuid, after timestamptz);
    DO $$
    BEGIN
      FOR n IN 1 .. 1000 LOOP
        INSERT INTO timed VALUES (clock_timestamp(), uuid_v8_node(n), clock_timestamp());
      END LOOP;
    END $$;
    SELECT count(*) FILTER (WHERE
      uuid_extract_v8_time(id) BETWEEN before - interval '1 us' AND after) FROM timed}),
  '1000', 'the time lies between the readings around it');

# A running clock, a frozen one, and one that goes back by 1 ms at each reading.
my @instant = (1672576496, 123_456_700);    # 2023-01-01 12:34:56.1234567 UTC
my %clocks = (
  'runs' => [],
  'stands still' => [ clock => 'set', time => \@instant ],
  'goes back' => [ clock => 'moved', time => [ 2 * 86_400, 0 ], step => -1_000_000 ]);
for my $clock (sort keys %clocks) {
  my $session = $faulty->session;
  $faulty->fault(@{ $clocks{$clock} });
  $session->make('uuid_v8_node((random() * 65535)::int)', 100_000);
  is($session->out_of_order, 0, "a clock that $clock: strictly increasing");
  is($session->counted, '100000|100000', "a clock that $clock: all distinct");
  is( $session->value(q{
      SELECT min(uuid_extract_v8_time(id)), max(uuid_extract_v8_time(id)) <= '2023-01-01 12:34:56.126' FROM made}),
    '2023-01-01 12:34:56.123456+00|t', 'frozen clock: at most 3 ms ahead of it')
    if $clock eq 'stands still';
  $faulty->fault;
  $session->quit;
}

# The bits of a value: the millisecond; the version and 12 bits of fraction; the variant, the next 4 bits
# of the fraction, 16 bits of node, and the first 2 random ones. Then a clock out of range.
{
  my $session = $faulty->session;
  $faulty->fault(clock => 'set', time => \@instant);
  my ($id, $read) = split /\|/, $session->value(
    'SELECT id, uuid_extract_v8_node(id) FROM (SELECT uuid_v8_node(43981) AS id OFFSET 0) AS s');
  # 10 1010 10 | 10101111 | 001101 ..: the node is x'ABCD'.
  like($id, qr/^01856d53-f1fb-874e-aaaf-3[4-7]/, 'the bits of a value');
  is($read, '43981', 'the node of a value is extracted');
  $faulty->fault(clock => 'set', time => [ -1, 0 ]);
  like($session->error('SELECT uuid_v8_node(1)'),
    qr/^ERROR:  22008: .*\nDETAIL:  .*1970-01-01 00:00:00 to 10889-08-02 05:31:50\.655999 UTC/,
    'a clock before 1970: an error that names the range');
  $faulty->fault(clock => 'set', time => \@instant);
  is($session->value("SELECT uuid_v8_node(1) > '$id'"), 't', 'the order continues afterwards');
  $faulty->fault;
  $session->quit;
}

done_testing();
