# Two servers generate keys for the same tables, which are replicated: with uuid_v7(), and with uuid_v8_node(), whose
# values have a node ID. Who can set it, and how sessions get it. The order of uuid_v8_node() with a wrong clock.

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
ok($_->quit, 'replication: a session inserts rows on each server') for $west_maker, $east_maker;
# Checked before waiting for rows that would not arrive.
unlike(slurp_file($east->logfile, $since), qr/ERROR:|conflict detected/,
  'replication: the log of the subscriber has no error or conflict');
$west->wait_for_catchup('made');
is($east->safe_psql('postgres', 'SELECT apply_error_count FROM pg_stat_subscription_stats'),
  '0', 'replication: the subscription counts no errors');
for my $table ('plain', 'numbered') {
  my $digest = "SELECT count(*), md5(string_agg(id::text || n, ' ' ORDER BY id)) FROM $table WHERE maker = 1";
  my $sent = $west->safe_psql('postgres', $digest);
  like($sent, qr/^$rows\|/, "replication: $table: the publisher has all rows");
  is($east->safe_psql('postgres', $digest), $sent, "replication: $table: all rows of the publisher arrive unchanged");
  cmp_ok($east->safe_psql('postgres', "SELECT count(*) FROM $table WHERE maker = 2"),
    '>', $first, "replication: $table: the subscriber inserts rows, too");

  # Both insert rows concurrently: sorted by id, they alternate.
  cmp_ok(
    $east->safe_psql('postgres', qq{
      SELECT count(*) FILTER (WHERE turn)
      FROM (SELECT maker <> lag(maker) OVER (ORDER BY id) AS turn FROM $table) AS s}),
    '>', 100, "replication: $table: the keys of both servers interleave");
  is( $east->safe_psql('postgres', qq{
      SELECT count(*) FROM (
        SELECT n <> lag(n, 1, 0) OVER (PARTITION BY maker ORDER BY id) + 1 AS wrong FROM $table) AS s
      WHERE wrong}),
    '0', "replication: $table: sorted by key, the rows of each server are in the order of insertion");
}
is($east->safe_psql('postgres', 'SELECT DISTINCT maker, uuid_extract_v8_node(id) FROM numbered ORDER BY 1'),
  "1|1\n2|2", 'replication: each key of uuid_v8_node() has the node ID of its server');
$east->safe_psql('postgres', 'DROP SUBSCRIPTION made');

my $node_of_new = 'SELECT uuid_extract_v8_node(uuid_v8_node())';

# A rejected setting has no effect. East loads the library first, as settings are unchecked placeholders until then.
for my $server ($west, $east) {
  my $name = $server->name;
  like(error_of($server, "LOAD 'uuidx';\nALTER SYSTEM SET uuidx.node_id = 65536"),
    qr/^ERROR:  22023: .*uuidx\.node_id/m, "$name: ALTER SYSTEM rejects a node ID out of range");
  my ($output) = run_sql($server, "LOAD 'uuidx'; SET uuidx.node_id = 65536; $node_of_new",
    on_error_stop => 0);
  is($output, $server == $west ? '1' : '2', "$name: after SET of a node ID out of range, the old one is used");
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
    unlike($output, qr/^9$/m, "$name: a role without the privilege cannot set the node ID by $way");
    like($messages, $denied, "$name: setting the node ID by $way is an error for such a role");
  }
  {
    local $ENV{PGOPTIONS} = '-c uuidx.node_id=9';
    my ($output, $messages) = run_sql($server, $node_of_new, @as_guest);
    unlike($output, qr/^9$/m, "$name: a role without the privilege cannot set the node ID by connection options");
    like($messages, qr/permission denied to set parameter "uuidx\.node_id"/,
      "$name: setting the node ID by connection options is an error for such a role");
  }
  is((run_sql($server, $node_of_new, @as_guest))[0], $server == $west ? '1' : '2',
    "$name: a role without the privilege uses the node ID of the server");
  $server->safe_psql('postgres', 'GRANT SET ON PARAMETER uuidx.node_id TO guest');
  is((run_sql($server, "SET uuidx.node_id = 9; $node_of_new", @as_guest))[0], '9',
    "$name: a role with the privilege can set the node ID");
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
  is($value, '300', "$name: a reload changes the node ID of a session");
  $session->query('INSERT INTO made (id) VALUES (uuid_v8_node())');
  is($session->query(q{
      SELECT string_agg(uuid_extract_v8_node(id)::text, ' ' ORDER BY n),
        bool_and(id > least) FROM made, (SELECT id AS least FROM made WHERE n = 1) AS s WHERE n > 1}),
    '300|t', "$name: after a reload, values have the new node ID and keep their order");
  $session->quit;

  # An invalid number in the file: with the library loaded, a server keeps the old one; otherwise it counts
  # as not set.
  $server->append_conf('postgresql.auto.conf', "uuidx.node_id = 65536\n");
  my $offset = -s $server->logfile;
  $server->reload;
  if ($server == $west) {
    $server->wait_for_log(qr/65536 is outside the valid range for parameter "uuidx\.node_id"/, $offset);
    is($server->safe_psql('postgres', $node_of_new), '300',
      "$name: a node ID out of range in postgresql.auto.conf: the old one is kept");
  } else {
    $server->poll_query_until('postgres', q{SELECT current_setting('uuidx.node_id') = '65536'})
      or die 'the file is not read';
    like(error_of($server, $node_of_new),
      qr/^WARNING: .*65536 is outside the valid range.*^ERROR:  55000: /ms,
      "$name: a node ID out of range in postgresql.auto.conf: a warning, and none is set");
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
    $server->name . ': a query runs in a parallel worker');
  is($server->safe_psql('postgres', "$in_worker $node_of_new"), '77',
    $server->name . ': a parallel worker has the node ID of its session');
  # Also for a role that may not set it.
  is( (run_sql($server, "SET $force = on; $node_of_new", extra_params => [ '--username', 'peer' ]))[0],
    '300', $server->name . ': a parallel worker of a role without the privilege has the node ID of the server');
}
$_->stop for $west, $east;

# A server with a clock set by the test.
my $faulty = FaultShim->new;

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
  is($session->out_of_order, 0, "uuid_v8_node(): a clock that $clock: strictly increasing");
  is($session->counted, '100000|100000', "uuid_v8_node(): a clock that $clock: no duplicates");
  is( $session->value(q{
      SELECT min(uuid_extract_v8_time(id)), max(uuid_extract_v8_time(id)) <= '2023-01-01 12:34:56.126' FROM made}),
    '2023-01-01 12:34:56.123456+00|t', 'uuid_v8_node(): a clock that stands still: at most 3 ms ahead of it')
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
  like($id, qr/^01856d53-f1fb-874e-aaaf-3[4-7]/,
    'uuid_v8_node(): time, version, variant and node ID are at their bits');
  is($read, '43981', 'uuid_extract_v8_node() returns the node ID');
  $faulty->fault(clock => 'set', time => [ -1, 0 ]);
  like($session->error('SELECT uuid_v8_node(1)'),
    qr/^ERROR:  22008: .*\nDETAIL:  .*1970-01-01 00:00:00 to 10889-08-02 05:31:50\.655999 UTC/,
    'uuid_v8_node(): a clock before 1970 is an error that shows the range');
  $faulty->fault(clock => 'set', time => \@instant);
  is($session->value("SELECT uuid_v8_node(1) > '$id'"), 't',
    'uuid_v8_node(): after a clock before 1970, the order continues');
  $faulty->fault;
  $session->quit;
}

done_testing();
