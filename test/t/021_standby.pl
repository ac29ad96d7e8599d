# uuid_v7_server() keeps its order on promoted standbys and restored backups.
# WAL carries the high-water mark, so that values stay in order even if the clock is set back. UUIDX_PROMOTIONS is the
# number of promotions.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use FaultShim;
use Helpers;
use List::Util qw(maxstr);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::RecursiveCopy;
use PostgreSQL::Test::Utils;
use Test::More;

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
sub set_clock {
  my ($node, $seconds) = @_;
  $faults{$node->name}->fault(clock => 'moved', time => [ $seconds, 0 ]);
  return;
}

# Starts a server with this offset of its clock.
sub start {
  my ($node, $seconds, %params) = @_;
  set_clock($node, $seconds);
  return $faults{$node->name}->start(%params);
}

# Starts a new server with the extension. Further arguments are those of FaultShim->new().
sub new_server {
  my ($name, %options) = @_;
  $faults{$name} = FaultShim->new(name => $name, conf => $settings, %options);
  my $node = $faults{$name}{node};
  $node->safe_psql('postgres', 'CREATE TABLE made (id uuid)');
  return $node;
}

# Returns a server from a backup of another, not started. Further arguments are those of restore().
sub restored {
  my ($origin, $name, %options) = @_;
  $faults{$name} = $faults{$origin->name}->restore(name => $name, %options);
  return $faults{$name}{node};
}

# Starts a standby that streams from a server and has its clock.
sub standby_of {
  my ($primary, $name, $seconds) = @_;
  $primary->backup($name);
  my $standby = restored($primary, $name, backup => $name, conf => '', init => {has_streaming => 1});
  start($standby, $seconds);
  return $standby;
}

# Returns a server's mark.
sub state_of {
  my ($node) = @_;
  return $node->safe_psql('postgres',
    q{SELECT high_water_mark, persistence FROM uuid_generator_state() WHERE scope = 'server'});
}

# True if the last value of a server is ahead of its clock by the hour that this was set back.
sub is_ahead {
  my ($node) = @_;
  return $node->safe_psql('postgres', q{
    SELECT clock_lead > interval '59 minutes' FROM uuid_generator_state() WHERE scope = 'server'}) eq 't';
}

# Returns values of a session: of a committed transaction, and of one rolled back.
sub values_of {
  my ($node) = @_;
  return split /\n/, $node->safe_psql('postgres', q{
    INSERT INTO made SELECT uuid_v7_server() FROM generate_series(1, 100) RETURNING id;
    BEGIN;
    INSERT INTO made SELECT uuid_v7_server() FROM generate_series(1, 100) RETURNING id;
    ROLLBACK});
}

# Checks that a call fails on a standby as PostgreSQL's writing functions do.
sub is_refused {
  my ($node, $call) = @_;
  my $name = $call =~ s/\(.*/()/r;
  like(error_of($node, "SELECT $call"), qr/ERROR:  25006: cannot execute \Q$name\E during recovery/,
    "$call is rejected in recovery");
  return;
}

my $primary = new_server('server0', init => {allows_streaming => 1});
my @handed_out = values_of($primary);
my $standby    = standby_of($primary, 'server1', 0);

# Repeatedly, a server fails and its standby is promoted, with a clock an hour behind.
my $promotions = $ENV{UUIDX_PROMOTIONS} // 5;
for my $cycle (1 .. $promotions) {
  my $in_backup = mark_of($primary->backup_dir . "/server$cycle");

  # Time advances, so that values exceed the mark in the standby's base backup. In one cycle, the
  # application advances them.
  if ($cycle == 3) {
    my $far = $primary->safe_psql('postgres',
      q{SELECT uuid_v7_advance(uuid_v7_at(clock_timestamp() + interval '10 s'))});
    push @handed_out, $far;
  }
  else {
    set_clock($primary, 10 * $cycle - 5);
  }
  push @handed_out, values_of($primary);

  # The last values are of a transaction that never ends, and above the mark again.
  my $open = $primary->background_psql('postgres');
  set_clock($primary, 10 * $cycle);
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
  ok(is_ahead($standby), "cycle $cycle: the first value is ahead of the clock");
  push @handed_out, $first, values_of($standby);
  is($standby->safe_psql('postgres', 'SELECT count(*) FROM made'),
    100 * (2 * $cycle + 1), "cycle $cycle: the standby has the committed rows");

  # Its clock is corrected, and it gets a standby.
  $primary = $standby;
  set_clock($primary, 10 * $cycle);
  $standby = standby_of($primary, 'server' . ($cycle + 1), 10 * $cycle);
}
is(out_of_order(@handed_out), 0, 'values are strictly increasing across all promoted servers');

# A standby generates no values and does not advance, but shows its state.
is_refused($standby, 'uuid_v7_server()');
is_refused($standby, "uuid_v7_advance('$handed_out[-1]')");
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
  push @handed_out, values_of($standby);
  is(out_of_order(@handed_out), 0, 'a standby promoted after a crash continues above the mark');
}

# WAL with marks needs the library to read them: only after a crash.
{
  my $node = $standby;
  $node->safe_psql('postgres', 'CHECKPOINT');
  set_clock($node, 10 * $promotions + 150);
  push @handed_out, values_of($node);
  $node->stop('immediate');
  $node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
  my $offset = -s $node->logfile;
  ok(!start($node, -$hour, fail_ok => 1), 'after a crash, the server does not start without preloading')
    or $node->stop;
  like(
    slurp_file($node->logfile, $offset),
    qr/FATAL: +resource manager with ID 178 not registered\n.*HINT: .*shared_preload_libraries/,
    'the log says that the library must be preloaded');

  $node->append_conf('postgresql.conf', "shared_preload_libraries = 'uuidx'");
  ok(start($node, -$hour, fail_ok => 1), 'the server starts when the library is preloaded again');
  push @handed_out, values_of($node);
  is(out_of_order(@handed_out), 0, 'with the library preloaded again, values continue above the mark in WAL');

  $node->stop;
  $node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
  ok(start($node, -2 * $hour, fail_ok => 1), 'after a clean shutdown, the server starts without preloading');
  if ($node->pg_version >= 17) {
    push @handed_out, values_of($node);
  }
  else {
    like(error_of($node, 'SELECT uuid_v7_server()'),
      qr/ERROR:  55000: .*requires uuidx to be loaded via "shared_preload_libraries"/,
      'without preloading before 17, uuid_v7_server() is an error');
  }

  $node->stop;
  $node->append_conf('postgresql.conf', "shared_preload_libraries = 'uuidx'");
  start($node, -3 * $hour);
  push @handed_out, values_of($node);
  is(out_of_order(@handed_out), 0, 'values continue above the mark in the file');
  $node->stop;
}

# A base backup by hand, during which time advances: the file is copied before more values. Those of the restored
# server are above all before the end of the backup.
my $origin = new_server('origin', init => {has_archiving => 1, allows_streaming => 1});
@handed_out = values_of($origin);
my $session = $origin->background_psql('postgres');
$session->query(q{SELECT pg_backup_start('by hand', true)});
my $copy = $origin->backup_dir . '/by_hand';
PostgreSQL::Test::RecursiveCopy::copypath($origin->data_dir, $copy,
  filterfn => sub { $_[0] !~ m{^(pg_wal/.*|postmaster\..*)$} });
set_clock($origin, 10);
push @handed_out, values_of($origin);
cmp_ok(tick_of($handed_out[-1]), '>', mark_of($copy), 'values are above the mark in the copied data directory');
append_to_file("$copy/backup_label", $session->query('SELECT labelfile FROM pg_backup_stop()'));
$session->quit;

my $restored = restored($origin, 'restored', backup => 'by_hand', init => {has_restoring => 1, standby => 0},
  conf => "archive_mode = off\nrecovery_target = 'immediate'\nrecovery_target_action = 'promote'\n");
start($restored, -$hour);
$restored->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'still in recovery';
is(out_of_order(@handed_out, values_of($restored)), 0, 'a restored server continues above the end of the backup');
ok(is_ahead($restored), 'values of the restored server are ahead of the clock');

done_testing();
