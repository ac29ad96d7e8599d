# uuid_v7_server() keeps its order in a failover to a standby that has just become synchronous.
# uuid_v7_server() when other standbys become synchronous: a value is returned only once those that commits wait
# for at that moment have its mark, although others had confirmed it before.

use strict;
use warnings FATAL => 'all';
use FindBin;
use lib $FindBin::RealBin;
use FaultShim;
use Helpers;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $server = FaultShim->new(
  name => 'primary',
  init => {allows_streaming => 1},
  conf => "shared_preload_libraries = 'uuidx'\nwal_sender_timeout = 0\nwal_receiver_timeout = 0\n"
    . "synchronous_standby_names = ''\n");
my $primary = $server->{node};
$primary->backup('backup');
my %standbys;
for my $name ('s1', 's2') {
  $standbys{$name} = $server->restore(name => $name, backup => 'backup', init => {has_streaming => 1},
    conf => "primary_conninfo = '" . $primary->connstr . " application_name=$name'\n");
  $standbys{$name}->start;
}
my %receivers = map { $_ => $standbys{$_}{node}->safe_psql('postgres', 'SELECT pid FROM pg_stat_wal_receiver') }
  keys %standbys;

# Waits until exactly these standbys are synchronous.
sub wait_for_synchronous {
  my ($names) = @_;
  wait_for("$names to be synchronous", sub {
    $primary->safe_psql('postgres', q{SELECT string_agg(application_name, ' ' ORDER BY application_name)
      FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')}) eq $names;
  });
  return;
}

# Sets the standbys that commits wait for, and waits until walsenders know them: those that are synchronous now.
sub set_names {
  my ($names, $now) = @_;
  $primary->adjust_conf('postgresql.conf', 'synchronous_standby_names', "'$names'");
  $primary->reload;
  wait_for_synchronous($now);
  return;
}

# Returns a value, or the SQLSTATE of the error, within a second.
sub attempt {
  my ($code, $value, $messages) = $primary->psql('postgres', q{
    \set VERBOSITY verbose
    SET client_min_messages = error;
    SET statement_timeout = '1 s';
    SELECT uuid_v7_server()});
  return $messages =~ /ERROR:  (\w+)/ ? $1 : $value;
}

# Stops a standby's receiver, or lets it go on: it stays connected and confirms nothing.
sub stop_receiver { return kill('STOP', $receivers{$_[0]}) }
sub let_go { return kill('CONT', $receivers{$_[0]}) }

# All values that were returned, in order.
my $is_value = qr/^[0-9a-f-]{36}$/;
my @made;

# Checks that a value is returned.
sub gets {
  my ($name) = @_;
  push @made, attempt();
  like($made[-1], $is_value, $name);
  return;
}

# Moves the primary's clock ahead and gets a value, with a new mark, which lasts for two seconds.
my $ahead = 0;

sub use_mark {
  $ahead += 3;
  move_clock($ahead);
  gets("a value is returned: $_[0]") for 1 .. 2;
  return;
}

# Moves the clock by seconds.
sub move_clock { return $server->fault(clock => 'moved', time => [ $_[0], 0 ]) }

set_names('s1', 's1');
use_mark('s1 is synchronous and confirms the mark');
stop_receiver('s2');
use_mark('s2 need not confirm the mark');
set_names('s2', 's2');
is(attempt(), '57014', 's2 becomes synchronous and has not confirmed the mark: no value');
is(attempt(), '57014', 's2 has still not confirmed the mark: the next call gets no value, either');
let_go('s2');
use_mark('s2 has confirmed the mark');

# The same if one takes over from the other by its priority.
set_names('FIRST 1 (s1, s2)', 's1');
use_mark('s1 has priority and confirms the mark');
stop_receiver('s2');
use_mark('s2 need not confirm the mark with lower priority');
$standbys{s1}{node}->stop;
wait_for_synchronous('s2');
is(attempt(), '57014', 's1 fails and s2 takes over, which has not confirmed the mark: no value');
let_go('s2');
use_mark('s2 has taken over and confirmed the mark');
$standbys{s1}->start;
$receivers{s1} = $standbys{s1}{node}->safe_psql('postgres', 'SELECT pid FROM pg_stat_wal_receiver');

# And if more standbys must confirm.
set_names('FIRST 1 (s1, s2)', 's1');
stop_receiver('s2');
use_mark('s1 alone confirms the mark');
set_names('FIRST 2 (s1, s2)', 's1 s2');
is(attempt(), '57014', 'two must confirm and s2 has not: no value');
set_names('ANY 1 (s1, s2)', 's1 s2');
my $before = $primary->lsn('insert');
use_mark('s1 is enough again: any one standby may confirm');
let_go('s2');

# While nothing changes, a confirmed mark lasts. Counts its WAL records since then, as PostgreSQL writes others.
set_names('ANY 2 (s1, s2)', 's1 s2');
gets('a value is returned when both standbys confirm');
$primary->safe_psql('postgres', 'SELECT count(uuid_v7_server()) FROM generate_series(1, 100000)');
my ($records) = run_command(
  [ 'pg_waldump', '-p', $primary->data_dir . '/pg_wal', '-r', 'custom178', '-s', $before ]);
my $marks = () = $records =~ /^rmgr: custom178 /mg;
ok($marks > 0 && $marks < 10, "100,000 values write few marks ($marks)");

# A parallel worker ignores the signal to reread how many standbys must confirm.
set_names('FIRST 2 (s1, s2)', 's1 s2');
my $query = $server->line;
my $parallel = $primary->safe_psql('postgres', q{
  SELECT name FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode')});
$query->say("SET $parallel = on; SET statement_timeout = '90 s'; "
    . 'SELECT count(uuid_v7_server()) FROM generate_series(1, 60) WHERE pg_sleep(0.1) IS NOT NULL;');
wait_for('a worker to generate values', sub {
  $primary->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity
    WHERE backend_type = 'parallel worker' AND wait_event = 'PgSleep'}) eq '1';
});
$standbys{s2}{node}->stop;
set_names('FIRST 1 (s1)', 's1');
is($query->hear, '60', 'a parallel worker goes on when fewer standbys must confirm');
$query->quit;

# A session may read a file that the server has not read.
my $reader = $server->line;
$primary->adjust_conf('postgresql.conf', 'synchronous_standby_names', "'FIRST 2 (s1, s2)'");
kill('HUP', $reader->pid);
is($reader->ask('SHOW synchronous_standby_names;'), 'FIRST 2 (s1, s2)', 'a session knows other names');
like($reader->ask(q{SET statement_timeout = '30 s'; SELECT uuid_v7_server();}), $is_value,
  'a session goes on that takes more standbys for synchronous than the server');
$reader->quit;
$standbys{s2}->start;
$receivers{s2} = $standbys{s2}{node}->safe_psql('postgres', 'SELECT pid FROM pg_stat_wal_receiver');

# A change during a statement, which reads the setting only at its end.
my $slow = 'SELECT count(uuid_v7_server()) FROM generate_series(1, 60) WHERE pg_sleep(0.1) IS NOT NULL';
set_names('s1', 's1');
my $running = $server->line;
$running->say("$slow;");
$primary->safe_psql('postgres', 'SELECT pg_sleep(1)');
set_names('', '');
is($running->hear, '60', 'a statement goes on when commits no longer wait');
$running->say("$slow;");
$primary->safe_psql('postgres', 'SELECT pg_sleep(1)');
stop_receiver('s1');
set_names('s1', 's1');
ok(waits_for($primary, $running->pid, 'SyncRep'), 'a statement waits when commits begin to wait');
set_names('', '');
is($running->hear, '60', 'a statement that waits goes on when commits no longer wait');
$running->quit;
let_go('s1');

# The checkpointer tells sessions whether commits wait.
my $checkpointer = $primary->safe_psql('postgres', q{
  SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'});
kill('STOP', $checkpointer);
set_names('s1', 's1');
gets('a value is returned if commits do not wait yet');
kill('CONT', $checkpointer);

# Lets s2 take over from s1 by its priority, and confirm all WAL, and fail.
sub s2_comes_and_goes {
  my ($meanwhile) = @_;
  $standbys{s2}->start;
  wait_for_synchronous('s2');
  $meanwhile->();
  $primary->wait_for_catchup('s2', 'flush');
  $standbys{s2}{node}->stop;
  wait_for_synchronous('s1');
  return;
}

# A standby that was synchronous before is so again, but another one has confirmed the mark in between.
$standbys{s2}{node}->stop;
set_names('FIRST 1 (s2, s1)', 's1');
use_mark('s1 confirms the mark');
stop_receiver('s1');
s2_comes_and_goes(sub {
  move_clock($ahead += 10);
  push @made, $primary->safe_psql('postgres', 'SET synchronous_commit = off; SELECT uuid_v7_server()');
  # Behind the values, they need no new mark as time goes by.
  move_clock(-3600);
});
is(attempt(), '57014', 's2 confirmed the mark of a session that does not wait, and s1 has not: no value');
let_go('s1');
gets('s1 has confirmed the mark');
stop_receiver('s1');
move_clock($ahead += 10);
is(attempt(), '57014', 's1 has not confirmed the mark of a canceled call');
move_clock(-3600);
s2_comes_and_goes(sub { });
is(attempt(), '57014', 's2 confirmed the mark of a canceled call, and s1 has not: no value');
let_go('s1');
gets('s1 has confirmed that mark');
move_clock($ahead += 10);
$standbys{s2}->start;
$receivers{s2} = $standbys{s2}{node}->safe_psql('postgres', 'SELECT pid FROM pg_stat_wal_receiver');

# Failover to a standby that has just become synchronous, with a clock set back.
set_names('s1', 's1');
stop_receiver('s2');
use_mark('s1 confirms the mark before the failover');
my $session = $server->line;
set_names('s2', 's2');
$session->say('SELECT uuid_v7_server();');
is($session->next_line(1), undef, 'a session waits for s2');
let_go('s2');
push @made, $session->hear;
$primary->stop('immediate');
$session->quit;
my $promoted = $standbys{s2};
$promoted->fault(clock => 'moved', time => [ -3600, 0 ]);
$promoted->{node}->promote;
push @made, $promoted->{node}->safe_psql('postgres', 'SELECT uuid_v7_server()');
is(out_of_order(@made), 0, 'the promoted standby continues above every value');

done_testing();
