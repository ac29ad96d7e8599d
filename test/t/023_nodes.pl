# Each session gets the node ID of its server, which only a role with the privilege can change.
# With two servers.

use Helpers;

my $node_of_new = 'SELECT uuid_extract_v8_node(uuid_v8_node())';

# Runs SQL as a role; returns output, and messages with SQLSTATE.
sub run_as($server, $role, $sql) {
  my (undef, $output, $messages) = $server->psql('postgres', "\\set VERBOSITY verbose\n$sql",
    extra_params => [ '--username', $role ], on_error_stop => 0);
  return ($output, $messages =~ s/^psql:<stdin>:\d+: //gmr);
}

# Checks that a role without the privilege does not get the node 9.
sub is_denied($server, $way, $sql) {
  my ($output, $messages) = run_as($server, 'guest', "$sql\n$node_of_new");
  # Statements after an error in a block are not run.
  unlike($output, qr/^9$/m, $server->name . ": a role without the privilege cannot set the node ID by $way");
  like($messages, qr/(?:ERROR|WARNING):  42501: permission denied to set parameter "uuidx\.node_id"/,
    $server->name . ": setting the node ID by $way is an error for a role without the privilege");
}

# West preloads the library, east loads it in each session that needs it.
my %node_of = (west => 1, east => 2);
for my $name (sort keys %node_of) {
  my $is_preloaded = $name eq 'west';
  my $server = start_node($name,
    "uuidx.node_id = $node_of{$name}\n" . ($is_preloaded ? "shared_preload_libraries = 'uuidx'\n" : ''));
  $server->safe_psql('postgres', 'CREATE ROLE guest LOGIN; CREATE ROLE peer LOGIN');

  is_denied($server, 'ALTER ROLE', q{ALTER ROLE guest SET uuidx.node_id = 9; \c});
  is_denied($server, 'SET before a call', 'SET uuidx.node_id = 9;');
  is_denied($server, 'the setting of a function', q{
    CREATE FUNCTION pg_temp.nine() RETURNS int LANGUAGE plpgsql
      SET uuidx.node_id = 9 AS 'BEGIN RETURN uuid_extract_v8_node(uuid_v8_node()); END';
    SELECT pg_temp.nine();});
  if ($is_preloaded) {
    # Without a statement, as psql would exit before it has read one.
    $server->connect_fails(q{dbname=postgres user=guest options='-c uuidx.node_id=9'},
      "$name: a role without the privilege cannot set the node ID by connection options",
      expected_stderr => qr/permission denied to set parameter "uuidx\.node_id"/);
  } else {
    local $ENV{PGOPTIONS} = '-c uuidx.node_id=9';
    is_denied($server, 'connection options', '');
  }
  is((run_as($server, 'guest', $node_of_new))[0], $node_of{$name},
    "$name: a role without the privilege uses the node ID of the server");
  $server->safe_psql('postgres', 'GRANT SET ON PARAMETER uuidx.node_id TO guest');
  is((run_as($server, 'guest', "SET uuidx.node_id = 9; $node_of_new"))[0], '9',
    "$name: a role with the privilege can set the node ID");

  # The workers of a parallel query have the setting of their session, also for a role that may not set it.
  my $force = 'SET ' . ($server->pg_version < 16 ? 'force_parallel_mode' : 'debug_parallel_query') . ' = on;';
  my $in_worker = "SET uuidx.node_id = 77; $force";
  like($server->safe_psql('postgres', "$in_worker EXPLAIN $node_of_new"), qr/Single Copy: true/,
    "$name: a query runs in a parallel worker");
  is($server->safe_psql('postgres', "$in_worker $node_of_new"), '77',
    "$name: a parallel worker has the node ID of its session");
  is((run_as($server, 'peer', "$force $node_of_new"))[0], $node_of{$name},
    "$name: a parallel worker of a role without the privilege has the node ID of the server");

  my $session = $server->background_psql('postgres');
  my $before = $session->query('SELECT uuid_v8_node()');
  $server->safe_psql('postgres', 'ALTER SYSTEM SET uuidx.node_id = 300');
  $server->reload;
  wait_for('a reload', sub { $session->query('SHOW uuidx.node_id') eq '300' });
  is($session->query("SELECT uuid_extract_v8_node(id), id > '$before' FROM uuid_v8_node() AS id"), '300|t',
    "$name: after a reload, values have the new node ID and keep their order");
  $session->quit;
  $server->stop;
}

done_testing();
