# A random schedule of crashes, clock steps, faults of the mark file, promotions and restores, on a primary with a
# standby, synchronous or not, while clients call uuid_v7_cluster(). It only makes a history, which judge.pl judges.
# UUIDX_HISTORY is its folder; UUIDX_MINUTES, UUIDX_SEED and UUIDX_PRELOADED are those of run.sh.

use strict;
use warnings FATAL => 'all';
use Errno qw(EIO ENOSPC);
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../t";
use Client;
use FaultShim;
use List::Util qw(shuffle);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

my $minutes   = $ENV{UUIDX_MINUTES}   // 1;
my $seed      = $ENV{UUIDX_SEED}      // 1;
my $preloaded = $ENV{UUIDX_PRELOADED} // 1;
my $history   = $ENV{UUIDX_HISTORY}   // PostgreSQL::Test::Utils::tempdir();

my ($primary, $standby, $backup, $is_synchronous);
my %clients;        # process ID => 1
my $sessions = 0;   # all that were started
my $copies   = 0;   # backups and servers made of them
my $base     = 0;   # seconds by which the clock is ahead of real time, when it is not set back
my $ended    = 0;   # when the primary was ended
my $greatest = '';  # of all returned values

# Each round has every kind of event, in random order, so that the first one suffices to see them all.
my @kinds = qw(session postmaster all immediate clean damage standby backup promote restore
  forward back full_disk io_error slow_disk);
my @round = (@kinds, qw(session all immediate forward forward back slow_disk io_error));

# Seconds by which the clock is set back: none, within the mark's lead, around it, and beyond.
my @set_backs = (0, 0.3, 0.9, 1.9, 2.1, 3, 10, 60, 1_800);

# Draws the schedule before anything else uses random numbers. An event has a kind, a pause before it in
# microseconds, seconds by which the clock is set back, and a number from 0 to 1 for its other choices. A longer
# schedule begins as a shorter one.
sub plan_events {
  srand($seed);
  my @plan;
  for (0 .. 6 * $minutes) {
    push @plan,
      map { {kind => $_, pause => int rand 1_500_000, back => $set_backs[ rand @set_backs ], chance => rand} }
      shuffle(@round);
  }
  return @plan;
}

# Sets a server's clock, with seconds back from the greatest time.
sub set_clock {
  my ($server, $back) = @_;
  my $offset  = $base - $back;
  my $seconds = POSIX::floor($offset);
  $server->fault(clock => 'moved', time => [ $seconds, int(($offset - $seconds) * 1e9) ]);
  return;
}

# Sets a server's clock to that of the primary at its end, with seconds back. Otherwise the time that a restart takes
# would make up for them.
sub rewind_clock {
  my ($server, $back) = @_;
  my $now = time;
  $base -= $now - $ended;
  $ended = $now;
  set_clock($server, $back);
  return;
}

# Moves the clock ahead: another mark is needed beyond two seconds.
sub step_forward {
  my ($seconds) = @_;
  $base += $seconds;
  set_clock($primary, 0);
  return;
}

# Waits for a condition, for ten minutes at most, as a machine may be slow.
sub wait_for {
  my ($what, $is_true) = @_;
  return FaultShim::wait_for($what, $is_true, 600);
}

# Counts the clients that have not ended.
sub count_clients {
  delete @clients{grep { waitpid($_, POSIX::WNOHANG()) != 0 } keys %clients};
  return scalar keys %clients;
}

# Returns the path of a session's record.
sub new_file { return sprintf('%s/session.%06d', $history, $sessions++) }

# Starts clients until there are four.
sub start_clients {
  while (count_clients() < 4) {
    $clients{Client::start($primary->{node}, new_file(), $seed + $sessions)} = 1;
  }
  return;
}

# Asks the clients to end, and waits until they have.
sub end_clients {
  kill('TERM', keys %clients);
  wait_for('clients end', sub { count_clients() == 0 });
  return;
}

# Returns the children of a process.
sub children_of {
  my ($pid) = @_;
  my @children;
  for my $path (glob '/proc/[0-9]*/stat') {
    open(my $file, '<', $path) or next;
    my ($child, $parent) = (<$file> // '') =~ /^(\d+) \(.*\) \S (\d+)/;
    push @children, $child if ($parent // 0) == $pid;
  }
  return @children;
}

# Kills a server's postmaster, with all its processes or without. Stopped first, it starts no others.
sub kill_server {
  my ($node, $with_all) = @_;
  my $postmaster = $node->{_pid};
  kill('STOP', $postmaster);
  my @children = children_of($postmaster);
  $node->kill9;
  kill('KILL', @children) if $with_all;
  wait_for('killed processes go', sub { !grep { kill(0, $_) } $postmaster, @children });
  return;
}

# Returns the process IDs of the clients' backends.
sub session_pids {
  return split /\n/, $primary->{node}->safe_psql('postgres',
    q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()});
}

# Ways to end the primary.
my %ends = (
  postmaster => sub { kill_server($primary->{node}, 0) },
  all        => sub { kill_server($primary->{node}, 1) },
  immediate  => sub { $primary->{node}->stop('immediate') },
  clean      => sub { $primary->{node}->stop('fast') });

# Mostly, moves the clock ahead right before a crash, so that it meets a mark that is being raised, or comes after a
# value that needed a mark and that nothing followed which would flush WAL.
sub prepare_crash {
  my ($event) = @_;
  my $chance = $event->{chance};
  return if $chance < 0.3;
  end_clients() if $chance >= 0.7;
  step_forward(3);
  return usleep(100_000 * ($chance - 0.3)) if $chance < 0.7;
  Client::call_once($primary->{node}, new_file());
  return;
}

# Ends the primary and its clients. Faults of the mark file, which would stop recovery, end with it.
sub end_primary {
  my ($how, $event) = @_;
  prepare_crash($event);
  $ended = time;
  $ends{$how}->();
  wait_for('clients end', sub { count_clients() == 0 });
  $primary->fault_mark;
  return;
}

# Ends the primary and starts it again with the clock set back.
sub restart_primary {
  my ($how, $event) = @_;
  end_primary($how, $event);
  rewind_clock($primary, $event->{back});
  $primary->start;
  rewind_clock($primary, $event->{back});
  return;
}

# Waits until a server has been recovered. If it may lack marks, it is advanced, as doc/operate.md says.
sub open_server {
  my ($server, $has_marks) = @_;
  $server->{node}->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'still in recovery';
  return if $has_marks;
  my @ids = map { slurp_file($_) =~ /([0-9a-f-]{36})/g } glob "$history/session.*";
  for my $id (@ids) { $greatest = $id if $id gt $greatest }
  $server->{node}->safe_psql('postgres', "SET uuidx.max_clock_lead = '20 d'; SELECT uuid_v7_advance('$greatest')");
  return;
}

# Backs the primary up; the last backup suffices.
sub back_up {
  $backup = 'backup' . ++$copies;
  $primary->{node}->backup($backup);
  return;
}

# Makes a server of the last backup. Arguments: name, options of the node, configuration.
sub copy_of_backup {
  my ($name, $init, $conf) = @_;
  return $primary->restore(name => $name . ++$copies, backup => $backup, init => $init,
    conf => "synchronous_standby_names = ''\n$conf");
}

# Gives the primary a standby, synchronous or not.
sub attach_standby {
  ($is_synchronous) = @_;
  back_up();
  $standby = copy_of_backup('standby', {has_streaming => 1}, '');
  my ($node, $name) = ($primary->{node}, $standby->{node}->name);
  set_clock($standby, 0);
  $standby->start;
  return if !$is_synchronous;
  $node->append_conf('postgresql.conf', "synchronous_standby_names = '$name'\n");
  $node->reload;
  $node->poll_query_until('postgres', q{SELECT sync_state = 'sync' FROM pg_stat_replication WHERE state = 'streaming'})
    or die 'the standby is not synchronous';
  # Marks of sessions that have not seen the setting are there, too.
  usleep(500_000);
  $node->wait_for_catchup($standby->{node});
  return;
}

# Replaces the primary, which has ended, by a server that has its marks or not.
sub replace_primary {
  my ($server, $event, $has_marks) = @_;
  open_server($server, $has_marks && $preloaded);
  rewind_clock($server, $event->{back});
  my $old = $primary;
  $primary = $server;
  start_clients();
  $old->{node}->clean_node;
  attach_standby($event->{pause} % 4 < 2);
  return;
}

# Makes a server that is not preloaded read its mark, with the present clock.
sub read_mark {
  $primary->{node}->safe_psql('postgres', 'SELECT count(*) FROM uuid_generator_state()');
  return;
}

# Damages the mark file of the stopped primary, and restarts it twice before values.
sub damage_mark {
  my ($event) = @_;
  end_primary('clean', $event);
  my $file = $primary->{node}->data_dir . '/uuidx.mark';
  unlink($file);
  append_to_file($file, 'x' x ($event->{pause} % 2 ? 32 : 10));
  rewind_clock($primary, $event->{back});
  $primary->start;
  read_mark();
  $primary->{node}->stop($event->{pause} % 3 ? 'immediate' : 'fast');
  rewind_clock($primary, $event->{back});
  $primary->start;
  rewind_clock($primary, $event->{back});
  read_mark();
  # From there on, values are up to max_clock_lead ahead of the clock.
  $base += 3_700;
  return;
}

# Makes calls on the mark file fail from now on, or its flushes slow, and needs a mark. Every other time, all processes
# are killed meanwhile: no value may have been returned above the mark in the file.
sub fault_mark {
  my ($event, %of) = @_;
  $primary->fault_mark(%of);
  step_forward(3);
  usleep(200_000);
  restart_primary('all', $event) if $event->{pause} % 2;
  return;
}

my %events = (
  (map { my $how = $_; $how => sub { restart_primary($how, @_) } } keys %ends),
  session => sub {
    my ($event) = @_;
    prepare_crash($event);
    $ended = time;
    wait_for('a session', sub { start_clients(); kill('KILL', (session_pids())[0] // ()) });
    rewind_clock($primary, $event->{back});
    wait_for('clients end', sub { count_clients() == 0 });
    wait_for('connections', sub { $primary->{node}->psql('postgres', 'SELECT 1', stderr => \my $ignored) == 0 });
    rewind_clock($primary, $event->{back});
  },
  damage  => \&damage_mark,
  standby => sub { kill_server($standby->{node}, 1); $standby->start },
  backup  => \&back_up,
  promote => sub {
    my ($event) = @_;
    end_primary($event->{pause} % 2 ? 'all' : 'immediate', $event);
    rewind_clock($standby, $event->{back});
    $standby->{node}->promote;
    replace_primary($standby, $event, $is_synchronous);
  },
  # With all WAL of the old primary: up to its end.
  restore => sub {
    my ($event) = @_;
    end_primary($event->{pause} % 2 ? 'all' : 'postmaster', $event);
    $standby->{node}->stop('immediate');
    $standby->{node}->clean_node;
    my $wal    = $primary->{node}->data_dir . '/pg_wal';
    my $server = copy_of_backup('restored', {has_restoring => 1, standby => 0}, "restore_command = 'cp $wal/%f %p'\n");
    rewind_clock($server, $event->{back});
    $server->start;
    replace_primary($server, $event, 1);
  },
  forward   => sub { step_forward(4 * $_[0]{chance}) },
  back      => sub { set_clock($primary, $_[0]{back}) },
  full_disk => sub { fault_mark($_[0], calls => ['write'], error => ENOSPC) },
  io_error  => sub { fault_mark($_[0], calls => [ qw(open write flush)[ 3 * $_[0]{chance} ] ], error => EIO) },
  slow_disk => sub { fault_mark($_[0], delay => int(300 * $_[0]{chance})) });

# Events during which faults of the mark file continue; others would fail with them.
my %keeps_faults = map { $_ => 1 } qw(forward back postmaster all immediate);

# Runs an event and records it.
sub run_event {
  my ($event, $record) = @_;
  usleep($event->{pause});
  start_clients();
  $primary->fault_mark if !$keeps_faults{$event->{kind}};
  my $begin = $record->now;
  note("event: $event->{kind}");
  $events{$event->{kind}}->($event);
  start_clients();
  $record->add('h', $begin, $event->{kind});
  return;
}

my @plan   = plan_events();
my $record = Client::Record->new("$history/events");
$record->add('p', $record->now, @kinds);
$primary = FaultShim->new(
  name => 'primary',
  init => {allows_streaming => 1},
  conf => "restart_after_crash = on\nfsync = on\nwal_writer_delay = 10s\nwal_keep_size = 512MB\n"
    # Killed servers would leave other shared memory behind.
    . "dynamic_shared_memory_type = mmap\n"
    . "wal_sender_timeout = 0\nwal_receiver_timeout = 0\nwal_retrieve_retry_interval = 100ms\n"
    . "uuidx.max_clock_lead = '1 h'\n" . ($preloaded ? "shared_preload_libraries = 'uuidx'\n" : ''));
$primary->{node}->safe_psql('postgres', 'CREATE TABLE made (id uuid PRIMARY KEY)');
attach_standby(1);

my $until = time + 60 * $minutes;
my $count = 0;
for my $event (@plan) {
  last if $count >= @round && time >= $until;
  run_event($event, $record);
  $count++;
}
$primary->fault_mark;
end_clients();
$record->add('x', $record->now, $sessions);
$_->{node}->stop('immediate') for $standby, $primary;
pass("$count events");
done_testing();
