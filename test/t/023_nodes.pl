# Each session gets the node ID of its server, and uuid_v8_node() keeps its order with a wrong clock.
# With two servers. Also tests who can set the node ID.

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
my %node_of = (west => 1, east => 2);
my ($west, $east) = map { PostgreSQL::Test::Cluster->new($_) } 'west', 'east';
for my $server ($west, $east) {
  $server->init;
  $server->append_conf('postgresql.conf', "uuidx.node_id = $node_of{$server->name}\n");
  $server->append_conf('postgresql.conf', "shared_preload_libraries = 'uuidx'\n") if $server == $west;
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

my $node_of_new = 'SELECT uuid_extract_v8_node(uuid_v8_node())';

# A role without superuser cannot use the node of another server in any way.
for my $server ($west, $east) {
  my $name = $server->name;
  my $denied = qr/(?:ERROR|WARNING):  42501: permission denied to set parameter "uuidx\.node_id"/;
  $server->safe_psql('postgres', 'CREATE ROLE guest LOGIN; CREATE ROLE peer LOGIN');
  my @as_guest = (extra_params => [ '--username', 'guest' ], on_error_stop => 0);
  my %ways = (
    'ALTER ROLE' => q{ALTER ROLE guest SET uuidx.node_id = 9; \c},
    'SET before a call' => 'SET uuidx.node_id = 9;',
    'the setting of a function' => q{
      CREATE FUNCTION pg_temp.nine() RETURNS int LANGUAGE plpgsql
        SET uuidx.node_id = 9 AS 'BEGIN RETURN uuid_extract_v8_node(uuid_v8_node()); END';
      SELECT pg_temp.nine();});
  for my $way (sort keys %ways) {
    my ($output, $messages) = run_sql($server, "$ways{$way}\n$node_of_new", @as_guest);
    # Statements after an error in a block are not run.
    unlike($output, qr/^9$/m, "$name: a role without the privilege cannot set the node ID by $way");
    like($messages, $denied, "$name: setting the node ID by $way is an error for a role without the privilege");
  }
  # Without a statement, as psql would exit before it has read one.
  if ($server == $west) {
    $server->connect_fails(q{dbname=postgres user=guest options='-c uuidx.node_id=9'},
      "$name: a role without the privilege cannot set the node ID by connection options",
      expected_stderr => qr/permission denied to set parameter "uuidx\.node_id"/);
  } else {
    local $ENV{PGOPTIONS} = '-c uuidx.node_id=9';
    my ($output, $messages) = run_sql($server, $node_of_new, @as_guest);
    unlike($output, qr/^9$/m, "$name: a role without the privilege cannot set the node ID by connection options");
    like($messages, $denied,
      "$name: setting the node ID by connection options is an error for a role without the privilege");
  }
  is((run_sql($server, $node_of_new, @as_guest))[0], $node_of{$name},
    "$name: a role without the privilege uses the node ID of the server");
  $server->safe_psql('postgres', 'GRANT SET ON PARAMETER uuidx.node_id TO guest');
  is((run_sql($server, "SET uuidx.node_id = 9; $node_of_new", @as_guest))[0], '9',
    "$name: a role with the privilege can set the node ID");
}

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
    $node_of{$server->name},
    $server->name . ': a parallel worker of a role without the privilege has the node ID of the server');
}
# Sessions that have used the old value use a new one.
for my $server ($west, $east) {
  my $name = $server->name;
  my $session = $server->background_psql('postgres');
  $session->query('CREATE TEMP TABLE made (n serial, id uuid)');
  $session->query('INSERT INTO made (id) VALUES (uuid_v8_node())');
  $server->safe_psql('postgres', 'ALTER SYSTEM SET uuidx.node_id = 300');
  $server->reload;
  wait_for('a reload', sub { $session->query('SHOW uuidx.node_id') eq '300' });
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
$_->stop for $west, $east;

# A server with a clock set by the test.
my $faulty = FaultShim->new;

# A frozen clock, and one that goes back by 1 ms at each reading.
my @instant = (1672576496, 123_456_700);    # 2023-01-01 12:34:56.1234567 UTC
my %clocks = (
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

# A clock out of range is an error without another effect.
{
  my $session = $faulty->session;
  $faulty->fault(clock => 'set', time => \@instant);
  my $id = $session->value('SELECT uuid_v8_node(1)');
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
