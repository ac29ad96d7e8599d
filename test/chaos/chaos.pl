# A random schedule of crashes, power losses, clock steps, faults of the mark file, changes of the synchronous standby,
# promotions and restores, on a primary with a standby, synchronous or not, while clients call uuid_v7_server(). It
# only makes a history, which judge.pl judges. UUIDX_HISTORY is its folder; UUIDX_MINUTES, UUIDX_SEED and UUIDX_EVENTS
# are those of run.sh; UUIDX_DISK is that of Servers.pm.

use Errno qw(EIO ENOSPC);
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../t";
use Client;
use Failover;
use Helpers qw(kill_server wait_for_server);
use List::Util qw(shuffle);
use PostgreSQL::Test::Utils;
use Servers;
use Test::More;
use Time::HiRes qw(time usleep);

my $minutes = $ENV{UUIDX_MINUTES} // 1;
my $history = $ENV{UUIDX_HISTORY} // PostgreSQL::Test::Utils::tempdir();
$Client::folder = $history;
$Client::seed   = $ENV{UUIDX_SEED} // 1;

# Each round has every kind of event, in random order, so that the first one suffices to see them all.
my @kinds = qw(session postmaster all immediate clean damage standby backup promote restore failover
  forward back full_disk io_error slow_disk);
push @kinds, qw(power power_in_recovery power_after_creation) if Power::can_fail();
my %is_chosen = map { $_ => 1 } split(/ /, $ENV{UUIDX_EVENTS} // '');
@kinds = grep { $is_chosen{$_} } @kinds if %is_chosen;
my @often = (qw(session all forward back slow_disk io_error), grep { /power/ } @kinds);
my @round = (@kinds, grep { !%is_chosen || $is_chosen{$_} } @often);

# Seconds by which the clock is set back: none, within the mark's lead, around it, and beyond.
my @set_backs = (0, 0.3, 0.9, 1.9, 2.1, 3, 10, 60, 1_800);

# Draws the schedule before anything else uses random numbers. An event has a kind, a pause before it in
# microseconds, seconds by which the clock is set back, and a number from 0 to 1 for its other choices. A longer
# schedule begins as a shorter one.
sub plan_events {
  srand($Client::seed);
  my @plan;
  for (0 .. 6 * $minutes) {
    push @plan,
      map { {kind => $_, pause => int rand 1_500_000, back => $set_backs[ rand @set_backs ], chance => rand} }
      shuffle(@round);
  }
  return @plan;
}

# Kills a session.
sub crash_session($event) {
  my $node = $primary->{node};
  prepare_crash($event);
  note_end();
  wait_for('a session', sub { Client::start_all($node); kill('KILL', (session_pids())[0] // ()) });
  rewind_clock($primary, $event->{back});
  Client::await_end();
  wait_for_server($node);
  rewind_clock($primary, $event->{back});
}

# Returns the process IDs of the clients' backends.
sub session_pids {
  return split /\n/, $primary->{node}->safe_psql('postgres',
    q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()});
}

# Damages the mark file of the stopped primary, and restarts it twice before values.
sub damage_mark($event) {
  end_primary('clean', $event);
  my $file = $primary->{node}->data_dir . '/uuidx.mark';
  unlink($file);
  append_to_file($file, 'x' x ($event->{pause} % 2 ? 32 : 10));
  rewind_clock($primary, $event->{back});
  $primary->start;
  $primary->{node}->stop($event->{pause} % 3 ? 'immediate' : 'fast');
  start_primary($event->{back});
  # From there on, values are up to max_clock_lead ahead of the clock.
  pass_over(3_700);
}

# Makes calls on the mark file fail from now on, or its flushes slow, and needs a mark. Every other time, all processes
# are killed meanwhile: no value may have been returned above the mark in the file.
sub fault_mark($event, %of) {
  $primary->fault_mark(%of);
  step_forward(3);
  usleep(200_000);
  restart_primary('all', $event) if $event->{pause} % 2;
}

# Promotes the standby.
sub promote_standby($event) {
  end_primary($event->{pause} % 2 ? 'all' : 'immediate', $event);
  rewind_clock($standby, $event->{back});
  $standby->{node}->promote;
  return replace_primary($standby, $event, $is_synchronous);
}

# Restores the last backup, with all WAL of the old primary: up to its end.
sub restore_backup($event) {
  end_primary($event->{pause} % 2 ? 'all' : 'postmaster', $event);
  remove($standby->{node});
  my $wal    = $primary->{node}->data_dir . '/pg_wal';
  my $server = copy_of_backup('restored', {has_restoring => 1, standby => 0}, "restore_command = 'cp $wal/%f %p'\n");
  rewind_clock($server, $event->{back});
  $server->start;
  return replace_primary($server, $event, 1);
}

# Loses power.
sub lose_power($event) {
  end_primary('power', $event);
  restore_power($event);
  return start_primary($event->{back});
}

# Loses power, and again in recovery.
sub lose_power_in_recovery($event) {
  end_primary('power', $event);
  restore_power($event);
  cut_recovery($event);
  restore_power($event);
  return start_primary($event->{back});
}

# Removes the mark file, as if it had not been carried over; advances the server, and loses power right after the first
# value.
sub lose_power_after_creation($event) {
  end_primary('clean');
  unlink(glob $primary->{node}->data_dir . '/uuidx.mark*');
  Power::flush();
  start_primary($event->{back});
  advance_server($primary);
  take_value();
  end_primary('power');
  restore_power($event);
  return start_primary($event->{back});
}

my %events = (
  (map { my $how = $_; $how => sub { restart_primary($how, @_) } } qw(postmaster all immediate clean)),
  session              => \&crash_session,
  damage               => \&damage_mark,
  standby              => sub { kill_server($standby->{node}, 1); $standby->start },
  backup               => \&back_up,
  promote              => \&promote_standby,
  restore              => \&restore_backup,
  failover             => \&Failover::event,
  power                => \&lose_power,
  power_in_recovery    => \&lose_power_in_recovery,
  power_after_creation => \&lose_power_after_creation,
  forward              => sub { step_forward(4 * $_[0]{chance}) },
  back                 => sub { set_clock($primary, $_[0]{back}) },
  full_disk            => sub { fault_mark($_[0], calls => ['write'], error => ENOSPC) },
  io_error  => sub { fault_mark($_[0], calls => [ qw(open write flush)[ 3 * $_[0]{chance} ] ], error => EIO) },
  slow_disk => sub { fault_mark($_[0], delay => int(300 * $_[0]{chance})) });

# Events during which faults of the mark file continue; others would fail with them.
my %keeps_faults = map { $_ => 1 } qw(forward back postmaster all immediate power);

# Runs an event and records it.
sub run_event($event, $record) {
  usleep($event->{pause});
  Client::start_all($primary->{node});
  $primary->fault_mark if !$keeps_faults{$event->{kind}};
  my $begin = $record->now;
  note("event: $event->{kind}");
  $events{$event->{kind}}->($event);
  Client::start_all($primary->{node});
  $record->add('h', $begin, $event->{kind});
}

# Runs the schedule. Returns the number of events.
sub run_events {
  my @plan   = plan_events();
  my $record = Client::Record->new("$history/events");
  my $until  = time + 60 * $minutes;
  my $count  = 0;
  $record->add('p', $record->now, @kinds);
  for my $event (@plan) {
    last if $count >= @round && time >= $until;
    run_event($event, $record);
    $count++;
  }
  $primary->fault_mark;
  Client::end_all();
  $record->add('x', $record->now, Client::sessions());
  return $count;
}

# True if a power loss loses a mark that the server does not flush: the disk loses what it should.
sub is_lost_without_fsync {
  my $node = $primary->{node};
  # Its flushes would commit the journal of the file system, with the primary's lock file, still empty, in it.
  kill_server($standby->{node}, 1);
  $node->stop('fast');
  $node->append_conf('postgresql.conf', "fsync = off\nsynchronous_standby_names = ''");
  Power::flush();
  $primary->start;
  # Beyond the mark of the clean end.
  step_forward(100);
  my $before = $node->safe_psql('postgres', 'SELECT uuid_v7_server()');
  end_primary('power');
  Power::back(0);
  start_primary(10);
  return $node->safe_psql('postgres', 'SELECT uuid_v7_server()') lt $before;
}

create_primary();
my $count = run_events();
pass("$count events");
SKIP: {
  skip 'no disk that can lose power', 1 if !Power::can_fail();
  ok(is_lost_without_fsync(), 'without fsync, a power loss loses the mark');
}
$_->{node}->stop('immediate') for grep { defined $_->{node}{_pid} } $standby, $primary;
done_testing();
