# The primary and its standby in the chaos test: their clocks, ends and replacements.
package Servers;

use parent 'Exporter';
use Client;
use FaultShim;
use Helpers qw(kill_nodes kill_server);
use POSIX ();
use PostgreSQL::Test::Utils;
use Time::HiRes qw(time usleep);

our @EXPORT = qw($primary $standby $is_synchronous create_primary set_clock note_end rewind_clock pass_over step_forward
  wait_for take_value prepare_crash end_primary start_primary restart_primary cut_recovery restore_power advance_server
  back_up copy_of_backup start_standby set_synchronous await_synchronous remove replace_primary);

our ($primary, $standby, $is_synchronous);
my $backup;
my $copies = 0;    # backups and servers made of them
my $base   = 0;    # seconds by which the clock is ahead of real time, when it is not set back
my $ended  = 0;    # when the primary was ended

# Creates the primary with a standby.
sub create_primary {
  $primary = FaultShim->new(
    name   => 'primary',
    folder => Power::folder(),
    init   => {allows_streaming => 1, extra => ['--wal-segsize=1']},
    conf   => "restart_after_crash = on\nfsync = on\nwal_writer_delay = 10s\nwal_keep_size = 512MB\n"
      # Killed servers would leave other shared memory behind.
      . "dynamic_shared_memory_type = mmap\n"
      . "wal_sender_timeout = 0\nwal_receiver_timeout = 0\nwal_retrieve_retry_interval = 100ms\n"
      . "uuidx.max_clock_lead = '1 h'\nshared_preload_libraries = 'uuidx'\n");
  $primary->{node}->safe_psql('postgres', 'CREATE TABLE made (id uuid PRIMARY KEY)');
  return attach_standby(1);
}

# Sets a server's clock, with seconds back from the greatest time.
sub set_clock($server, $back) {
  my $offset  = $base - $back;
  my $seconds = POSIX::floor($offset);
  $server->fault(clock => 'moved', time => [ $seconds, int(($offset - $seconds) * 1e9) ]);
}

# Notes that the primary ends now.
sub note_end {
  $ended = time;
}

# Sets a server's clock to that of the primary at its end, with seconds back. Otherwise the time that a restart takes
# would make up for them.
sub rewind_clock($server, $back) {
  my $now = time;
  $base -= $now - $ended;
  $ended = $now;
  set_clock($server, $back);
}

# Lets clocks that are set from now on be ahead by further seconds.
sub pass_over($seconds) {
  $base += $seconds;
}

# Moves the primary's clock ahead: another mark is needed beyond two seconds.
sub step_forward($seconds) {
  pass_over($seconds);
  set_clock($primary, 0);
}

# Waits for a condition, for ten minutes at most, as a machine may be slow.
sub wait_for($what, $is_true) {
  return Helpers::wait_for($what, $is_true, 600);
}

# Cuts the power of all servers. They are stopped at that moment: one that saw the disk fail could tell clients.
sub cut_power { return kill_nodes(1, \&Power::off, grep { defined $_->{_pid} } map { $_->{node} } $primary, $standby) }

# Ways to end the primary.
my %ends = (
  postmaster => sub { kill_server($primary->{node}, 0) },
  all        => sub { kill_server($primary->{node}, 1) },
  immediate  => sub { $primary->{node}->stop('immediate') },
  clean      => sub { $primary->{node}->stop('fast') },
  power      => \&cut_power);

# Takes a value.
sub take_value {
  Client::call_within($primary->{node}, 600) or die 'no value is returned';
}

# Mostly, moves the clock ahead right before a crash, so that it meets a mark that is being raised, or comes after a
# value that needed a mark and that nothing followed which would flush WAL.
sub prepare_crash($event) {
  my $chance = $event->{chance};
  return if $chance < 0.3;
  Client::end_all() if $chance >= 0.7;
  step_forward(3);
  return usleep(100_000 * ($chance - 0.3)) if $chance < 0.7;
  take_value();
}

# Ends the primary and its clients, after the preparation of an event if one is given. Faults of the mark file, which
# would stop recovery, end with it.
sub end_primary($how, $event = undef) {
  prepare_crash($event) if defined $event;
  note_end();
  $ends{$how}->();
  Client::await_end();
  $primary->fault_mark;
}

# Starts the primary with the clock set back.
sub start_primary($back) {
  rewind_clock($primary, $back);
  $primary->start;
  rewind_clock($primary, $back);
}

# Ends the primary and starts it again.
sub restart_primary($how, $event) {
  end_primary($how, $event);
  return start_primary($event->{back});
}

# Starts the primary, and cuts the power off while it recovers.
sub cut_recovery($event) {
  my $node   = $primary->{node};
  my $offset = -s $node->logfile;
  rewind_clock($primary, $event->{back});
  my $pid = fork // die "fork: $!";
  if (!$pid) {
    # With the server's whole log when it fails.
    open(STDOUT, '>', '/dev/null') or POSIX::_exit(1);
    POSIX::_exit($primary->start(fail_ok => 1) ? 0 : 1);
  }
  wait_for('redo', sub { slurp_file($node->logfile, $offset) =~ /redo starts|ready to accept connections/ });
  usleep(60_000 * $event->{chance});
  $node->_update_pid(-1);
  cut_power();
  waitpid($pid, 0);
}

# Turns the power on again, and starts the standby. In one of five cases, the next loss is of all that was not flushed.
sub restore_power($event) {
  Power::back((0, 10, 50, 90, 99)[ $event->{pause} % 5 ]);
  $standby->start;
}

# Advances a server that may lack marks, as doc/order.md says.
sub advance_server($server) {
  my $greatest = Client::greatest();
  $server->{node}->safe_psql('postgres', "SET uuidx.max_clock_lead = '20 d'; SELECT uuid_v7_advance('$greatest')");
}

# Backs the primary up; the last backup suffices. The node does not flush it.
sub back_up {
  $backup = 'backup' . ++$copies;
  $primary->{node}->backup($backup);
  return Power::flush();
}

# Makes a server of the last backup. Arguments: name, options of the node, configuration.
sub copy_of_backup($name, $init, $conf) {
  my $server = $primary->restore(name => $name . ++$copies, backup => $backup, init => $init,
    conf => "synchronous_standby_names = ''\n$conf");
  # Nor does it flush the copy.
  Power::flush();
  return $server;
}

# Starts a standby, made of the last backup.
sub start_standby {
  my $server = copy_of_backup('standby', {has_streaming => 1}, '');
  set_clock($server, 0);
  $server->start;
  return $server;
}

# Sets the primary's synchronous standbys, and waits until they are those servers, for it and all calls.
sub set_synchronous($names, @servers) {
  my $node = $primary->{node};
  $node->append_conf('postgresql.conf', "synchronous_standby_names = '$names'");
  Power::flush();
  $node->reload;
  return await_synchronous(@servers);
}

# Waits until the primary has those synchronous standbys, and until calls that began before have ended.
sub await_synchronous {
  my $expected = join(' ', sort map { $_->{node}->name } @_);
  wait_for("synchronous standbys '$expected'", sub {
    $expected eq $primary->{node}->safe_psql('postgres', q{SELECT string_agg(application_name, ' ' ORDER BY
      application_name COLLATE "C") FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')}) });
  usleep(500_000);
}

# Gives the primary a standby, synchronous or not.
sub attach_standby {
  ($is_synchronous) = @_;
  back_up();
  $standby = start_standby();
  return if !$is_synchronous;
  set_synchronous($standby->{node}->name, $standby);
  # The marks of sessions that did not know the setting are there, too.
  $primary->{node}->wait_for_catchup($standby->{node});
}

# Removes a server.
sub remove($node) {
  kill_server($node, 1) if defined $node->{_pid};
  $node->clean_node;
}

# Replaces the primary, which has ended, by a server that has its marks or not.
sub replace_primary($server, $event, $has_marks) {
  $server->{node}->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'still in recovery';
  advance_server($server) if !$has_marks;
  rewind_clock($server, $event->{back});
  my $old = $primary;
  $primary = $server;
  Client::start_all($primary->{node});
  remove($old->{node});
  return attach_standby($event->{pause} % 4 < 2);
}

# The disk of the servers that can lose power: disk.sh serves its commands in the folder UUIDX_DISK. Without it, there
# is no such disk.
package Power;

use PostgreSQL::Test::Utils;

sub can_fail { return defined $ENV{UUIDX_DISK} }

# Returns the disk's folder for servers, or nothing.
sub folder { return can_fail() ? "$ENV{UUIDX_DISK}/data" : undef }

# Flushes what the test itself has written, unlike a server.
sub flush {
  system_or_bail('sync', '--file-system', folder()) if can_fail();
}

# Cuts the power off: what was not flushed is lost.
sub off { return command('off') }

# Turns the power on again; some percent of the blocks written from then on last without a flush.
sub back { return command("back $_[0]") }

sub command($command) {
  local $SIG{ALRM} = sub { die "the disk does not obey: $command\n" };
  alarm(120);
  append_to_file("$ENV{UUIDX_DISK}/command", "$command\n");
  my $answer = slurp_file("$ENV{UUIDX_DISK}/answer");
  alarm(0);
  die "the disk failed: $command\n" if $answer ne "done\n";
}

1;
