# uuid_v7_server() keeps its order on promoted standbys.
# WAL carries the high-water mark, so that values stay in order even if the clock is set back. test/chaos/ promotes and
# restores many times.

use FaultShim;
use Helpers;
use List::Util qw(maxstr);

my $hour = 60 * 60;

# Settings of all servers. Their clocks differ by hours, so no timeout may end a connection. Values
# continue far ahead of a clock set back, within the reach of uuid_v7_advance().
my $settings = q{
shared_preload_libraries = 'uuidx'
uuidx.max_clock_lead = '10 d'
wal_sender_timeout = 0
wal_receiver_timeout = 0
};

# The faults of each server, by its node's name.
my %faults;

# Sets the offset of a server's clock, in seconds, from its next reading on.
sub set_clock($node, $seconds) {
  $faults{$node->name}->fault(clock => 'moved', time => [ $seconds, 0 ]);
}

# Starts a server with this offset of its clock.
sub start($node, $seconds, %params) {
  set_clock($node, $seconds);
  return $faults{$node->name}->start(%params);
}

# Starts a standby that streams from a server and has its clock.
sub standby_of($primary, $name, $seconds) {
  $primary->backup($name);
  $faults{$name} = $faults{$primary->name}->restore(name => $name, backup => $name, conf => '',
    init => {has_streaming => 1});
  start($faults{$name}{node}, $seconds);
  return $faults{$name}{node};
}

# Returns a server's mark, and where it is kept.
sub state_of($node) {
  return $node->safe_psql('postgres',
    q{SELECT high_water_mark, persistence FROM uuid_generator_state() WHERE scope = 'server'});
}

# Returns values of a session: of a committed transaction, and of one rolled back.
sub values_of($node) {
  return split /\n/, $node->safe_psql('postgres', q{
    INSERT INTO made SELECT uuid_v7_server() FROM generate_series(1, 100) RETURNING id;
    BEGIN;
    INSERT INTO made SELECT uuid_v7_server() FROM generate_series(1, 100) RETURNING id;
    ROLLBACK});
}

$faults{server0} = FaultShim->new(name => 'server0', conf => $settings, init => {allows_streaming => 1});
my $primary = $faults{server0}{node};
$primary->safe_psql('postgres', 'CREATE TABLE made (id uuid)');
my @handed_out = values_of($primary);

# Checks that the values of a server are above all earlier ones.
sub continues($node, $what) {
  push @handed_out, values_of($node);
  is(out_of_order(@handed_out), 0, $what);
}

my $standby    = standby_of($primary, 'server1', 0);

# Twice, a server fails and its standby is promoted, with a clock an hour behind.
my $promotions = 2;
for my $cycle (1 .. $promotions) {
  my $in_backup = mark_of($primary->backup_dir . "/server$cycle");

  # The last values are of a transaction that never ends, and above the mark in the standby's base backup. In the second
  # cycle, the application advances them there.
  my $open = $primary->background_psql('postgres');
  if ($cycle == 2) {
    push @handed_out, scalar $primary->safe_psql('postgres',
      q{SELECT uuid_v7_advance(uuid_v7_at(clock_timestamp() + interval '10 s'))});
  }
  else {
    set_clock($primary, 10 * $cycle);
  }
  push @handed_out, values_of($primary);
  $open->query('BEGIN');
  push @handed_out, split /\n/,
    $open->query('INSERT INTO made SELECT uuid_v7_server() FROM generate_series(1, 5) RETURNING id');
  cmp_ok(tick_of($handed_out[-1]), '>', $in_backup,
    "cycle $cycle: values are above the mark in the base backup");

  $primary->wait_for_catchup($standby);
  is(state_of($standby), state_of($primary), "cycle $cycle: the standby has the primary's mark");
  is(mark_of($standby->data_dir), mark_of($primary->data_dir),
    "cycle $cycle: the standby has the primary's mark in its file");

  $primary->stop('immediate');
  $open->quit;
  set_clock($standby, -$hour * $cycle);
  $standby->promote;
  my $first = $standby->safe_psql('postgres', 'SELECT uuid_v7_server()');
  cmp_ok($first, 'gt', maxstr(@handed_out),
    "cycle $cycle: the first value of the promoted server is greater than all earlier ones");
  is( $standby->safe_psql('postgres',
      q{SELECT clock_lead > interval '59 minutes' FROM uuid_generator_state() WHERE scope = 'server'}),
    't', "cycle $cycle: the first value is ahead of the clock");
  push @handed_out, $first, values_of($standby);

  # Its clock is corrected, and it gets a standby.
  $primary = $standby;
  set_clock($primary, 10 * $cycle);
  $standby = standby_of($primary, 'server' . ($cycle + 1), 10 * $cycle);
}
is(out_of_order(@handed_out), 0, 'values are strictly increasing across all promoted servers');

# A standby generates no values and does not advance, with the error of PostgreSQL's writing functions, but shows its
# state.
like(error_of($standby, "SELECT $_"), qr/ERROR:  25006: cannot execute \w+\(\) during recovery/,
  "$_ is rejected in recovery") for 'uuid_v7_server()', "uuid_v7_advance('$handed_out[-1]')";
like(state_of($standby), qr/^\d{4}-\S+ \S+\|file and WAL$/, 'uuid_generator_state() works on a standby');

# A standby that crashes keeps the mark, even if WAL before its last restart point is not read again.
# It is started without the primary, so that it receives nothing.
{
  set_clock($primary, 10 * $promotions + 50);
  push @handed_out, values_of($primary);
  my $end = $primary->lsn('flush');
  $primary->safe_psql('postgres', 'CHECKPOINT');
  $primary->wait_for_catchup($standby);
  $standby->safe_psql('postgres', 'CHECKPOINT');
  is($standby->safe_psql('postgres', "SELECT redo_lsn >= '$end' FROM pg_control_checkpoint()"),
    't', 'the restart point of the standby is after the last mark');
  my $state = state_of($primary);
  $primary->stop('immediate');
  $standby->stop('immediate');
  start($standby, -$hour);
  is(state_of($standby), $state, 'a standby keeps the mark after a crash');
  $standby->promote;
  continues($standby, 'a standby promoted after a crash continues above the mark');
}

# WAL with marks needs the library to read them: only after a crash.
{
  my $node = $standby;
  # Starts the server with or without preloading; false if it does not start.
  my $start = sub ($library, $seconds) {
    $node->append_conf('postgresql.conf', "shared_preload_libraries = '$library'");
    return start($node, $seconds, fail_ok => 1);
  };
  $node->safe_psql('postgres', 'CHECKPOINT');
  set_clock($node, 10 * $promotions + 150);
  push @handed_out, values_of($node);
  $node->stop('immediate');
  my $offset = -s $node->logfile;
  ok(!$start->('', -$hour), 'after a crash, the server does not start without preloading') or $node->stop;
  like(slurp_file($node->logfile, $offset),
    qr/FATAL: +resource manager with ID 178 not registered\n.*HINT: .*shared_preload_libraries/,
    'the log says that the library must be preloaded');
  ok($start->('uuidx', -$hour), 'the server starts when the library is preloaded again');
  continues($node, 'with the library preloaded again, values continue above the mark in WAL');

  $node->stop;
  ok($start->('', -2 * $hour), 'after a clean shutdown, the server starts without preloading');
  push @handed_out, values_of($node) if $node->pg_version >= 17;
  $node->stop;
  $start->('uuidx', -3 * $hour);
  continues($node, 'values continue above the mark in the file');
  $node->stop;
}

done_testing();
