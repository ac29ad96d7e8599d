# A call of uuid_v7_server() waits for a synchronous standby if and only if a commit would.
# For each synchronous_commit, and when synchronous_standby_names changes. It waits for no old record, and a confirmed
# mark stays confirmed.

use FaultShim;
use Helpers;

my $server = FaultShim->new(
  name => 'primary',
  init => {allows_streaming => 1},
  conf => "shared_preload_libraries = 'uuidx'\nwal_sender_timeout = 0\nwal_receiver_timeout = 0\n"
    . "synchronous_standby_names = ''\n");
my $primary = $server->{node};
$primary->backup('backup');
my %standbys;
for my $name ('s1', 's2') {
  # They reply only to new WAL, so that a session that waits for old WAL gets no reply.
  $standbys{$name} = $server->restore(name => $name, backup => 'backup', init => {has_streaming => 1},
    conf => "primary_conninfo = '" . $primary->connstr . " application_name=$name'\n"
      . "wal_receiver_status_interval = 1d\n");
  $standbys{$name}->start;
}
my %receivers;

# Notes the process IDs of the standbys' receivers.
sub find_receivers {
  for my $name (keys %standbys) {
    my $standby = $standbys{$name}{node};
    $standby->poll_query_until('postgres', 'SELECT count(*) = 1 FROM pg_stat_wal_receiver') or die 'no receiver';
    $receivers{$name} = $standby->safe_psql('postgres', 'SELECT pid FROM pg_stat_wal_receiver');
  }
}
find_receivers();

# Sets the standbys that commits wait for, and waits until exactly the given ones are synchronous.
sub set_names($names, $now) {
  $primary->adjust_conf('postgresql.conf', 'synchronous_standby_names', "'$names'");
  $primary->reload;
  wait_for("$now to be synchronous", sub {
    $primary->safe_psql('postgres', q{SELECT string_agg(application_name, ' ' ORDER BY application_name)
      FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')}) eq $now;
  });
}

# Returns a value, or the SQLSTATE of the error, within some seconds (0.4), with a synchronous_commit (on), of a call
# (uuid_v7_server()).
sub attempt($seconds = undef, $commit = undef, $call = undef) {
  ($seconds, $commit, $call) = ($seconds // 0.4, $commit // 'on', $call // 'uuid_v7_server()');
  my ($code, $value, $messages) = $primary->psql('postgres', qq{
    \\set VERBOSITY verbose
    SET client_min_messages = error;
    SET statement_timeout = '$seconds s';
    SET synchronous_commit = $commit;
    SELECT $call}, timeout => 120);
  return $messages =~ /ERROR:  (\w+)/ ? $1 : $value;
}

# Stops a standby's receiver, or lets it go on: it stays connected and confirms nothing.
sub stop_receiver { return kill('STOP', $receivers{$_[0]}) }
sub let_go { return kill('CONT', $receivers{$_[0]}) }

# All values that were returned, in order.
my $is_value = qr/^[0-9a-f-]{36}$/;
my @made;

# Checks that a value is returned.
sub gets($name) {
  my $value = attempt(30);
  push @made, $value if like($value, $is_value, $name);
}

# Moves the primary's clock ahead, beyond the mark.
my $ahead = 0;
sub pass_mark { return $server->fault(clock => 'moved', time => [ $ahead += 10, 0 ]) }

# Counts the marks written to the WAL since a position.
sub marks_since($start) {
  my ($records) = run_command(
    [ 'pg_waldump', '-p', $primary->data_dir . '/pg_wal', '-r', 'custom178', '-s', $start ]);
  return scalar(() = $records =~ /^rmgr: custom178 /mg);
}

# An old mark, which no standby need have confirmed, is not waited for.
set_names('', '');
pass_mark();
gets('a value is returned while commits do not wait');
$primary->wait_for_catchup($_, 'flush') for 's1', 's2';
set_names('s1', 's1');
my $before = $primary->lsn('insert');
gets('the first call after commits begin to wait is confirmed');
is(marks_since($before), 1, 'the first call after commits begin to wait writes a mark');

# A confirmed mark stays confirmed, and the next one needs the standbys of that time. The clock stands still, as a
# second later the next mark is due.
$server->fault(clock => 'set', time => [ time + ($ahead += 10), 0 ]);
gets('s1 confirms a mark');
stop_receiver('s2');
$before = $primary->lsn('insert');
set_names('s2', 's2');
gets('the mark stays confirmed when s2 becomes synchronous');
is(marks_since($before), 0, 'no mark is written when s2 becomes synchronous');
pass_mark();
is(attempt(), '57014', 'a new mark needs s2');
is(attempt(), '57014', 'a second call above the mark needs s2, too');
set_names('s1', 's1');
pass_mark();
gets('s1 confirms the next mark');
let_go('s2');

# While standbys confirm, marks are few, whatever number of them must do so.
set_names('ANY 2 (s1, s2)', 's1 s2');
pass_mark();
$before = $primary->lsn('insert');
$primary->safe_psql('postgres', 'SELECT count(uuid_v7_server()) FROM generate_series(1, 100000)');
my $marks = marks_since($before);
ok($marks > 0 && $marks < 10, "100,000 values write few marks ($marks)");

# A change during a statement, which reads the setting only at its end.
my $slow = 'SELECT count(uuid_v7_server()) FROM generate_series(1, 150) WHERE pg_sleep(0.02) IS NOT NULL';
my $running = $server->line;
for my $change (
  [ 'fewer standbys must confirm', 's1 s2', 'ANY 2 (s1, s2)' => 's1 s2', 'ANY 1 (s1, s2)' ],
  [ 'commits no longer wait',      's1',    's1'             => '',      '' ])
{
  my ($when, $now, $names, $later, $later_names) = @$change;
  let_go('s2');
  set_names($names, $now);
  $running->say("$slow;");
  $primary->safe_psql('postgres', 'SELECT pg_sleep(0.5)');
  $before = $primary->lsn('insert');
  stop_receiver('s2');
  set_names($later_names, $later);
  is($running->hear, '150', "a statement goes on when $when");
  # At most two a second, and not one for each value, also if the machine is slow.
  cmp_ok(marks_since($before), '<', 50, "the statement writes few marks when $when");
}
let_go('s2');
$running->say("$slow;");
$primary->safe_psql('postgres', 'SELECT pg_sleep(0.5)');
stop_receiver('s1');
set_names('s1', 's1');
ok(waits_for($primary, $running->pid, 'SyncRep'), 'a statement waits when commits begin to wait');
# It is released, not canceled, even if it has other interrupts to process.
$primary->safe_psql('postgres', 'SELECT pg_log_backend_memory_contexts(' . $running->pid . ')');
set_names('', '');
is($running->hear, '150', 'a waiting statement goes on when commits no longer wait');
$running->quit;
set_names('s1', 's1');
is(attempt(), '57014', 'a mark for which commits did not wait is not confirmed');
let_go('s1');

# The checkpointer tells sessions whether commits wait.
set_names('', '');
my $checkpointer = $primary->safe_psql('postgres', q{
  SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'});
kill('STOP', $checkpointer);
set_names('s1', 's1');
gets('a value is returned if commits do not wait yet');
kill('CONT', $checkpointer);

stop_receiver('s1');
pass_mark();
my $doomed = $server->line;
$doomed->say('SELECT uuid_v7_server();');
ok(waits_for($primary, $doomed->pid, 'SyncRep'), 'a session waits for s1');
$primary->safe_psql('postgres', 'SELECT pg_terminate_backend(' . $doomed->pid . ')');
unlike($doomed->hear, $is_value, 'a waiting session returns no value when it is terminated');
$doomed->quit;
let_go('s1');

# Sessions that do not wait for the standby get values while it is down; the others only up to the confirmed mark.
my @asks = qw(remote_write on remote_apply);
like(attempt(30, $_), $is_value, "$_: a value is returned while the standby confirms") for @asks, 'local', 'off';
my $early = attempt(30);
$standbys{s1}{node}->stop;
for my $commit (@asks) {
  pass_mark();
  is(attempt(undef, $commit), '57014', "$commit: a call is canceled, as no standby confirms the mark");
  is(attempt(undef, $commit, 'uuid_v7_advance(uuid_v7_at(clock_timestamp()))'), '57014',
    "$commit: uuid_v7_advance() is canceled, too");
  is( $primary->safe_psql('postgres',
      q{SELECT high_water_mark > clock_timestamp() FROM uuid_generator_state() WHERE scope = 'server'}),
    't', "$commit: the server has a mark nevertheless");
  like(attempt(30, $_), $is_value, "$_, after $commit: a value is returned") for 'local', 'off';
  is(attempt(undef, $commit), '57014', "$commit: a call is canceled even after other sessions got values");
}

# A mark read from the file may not be on a standby.
$primary->stop;
$server->start;
is(attempt(undef, 'on', "uuid_v7_advance('$early')"),
  '57014', 'after a restart, uuid_v7_advance() waits for the standby');

# A waiting session holds no lock, and continues when the standby is back.
pass_mark();
my $waiting = $server->line;
$waiting->say('SELECT uuid_v7_server();');
ok(waits_for($primary, $waiting->pid, 'SyncRep'), 'a session waits for the standby, with a wait event');
like(attempt(30, 'local'), $is_value, 'other sessions do not wait for the standby');
is($waiting->next_line(0), undef, 'the session still waits for the standby');
$standbys{s1}->start;
like($waiting->hear, $is_value, 'the session gets its value when the standby is back');
$waiting->quit;
find_receivers();

# While values are ahead of the clock, a mark is above millions of them. It nevertheless counts as confirmed for two
# seconds only; then the standbys of that time must confirm it.
for my $case (
  [ 'after uuid_v7_advance()', sub { attempt(30, 'on', q{uuid_v7_advance(uuid_v7_at(now() + interval '50 s'))}) },
    's2 is named', sub { set_names('s2', 's2') } ],
  [ 'with the clock set back', sub { $ahead -= 3_600; pass_mark() },
    's1 ends', sub { $standbys{s1}{node}->stop; set_names('FIRST 1 (s1, s2)', 's2') } ])
{
  my ($when, $put_ahead, $change, $make) = @$case;
  set_names('FIRST 1 (s1, s2)', 's1');
  gets("$when: a value is returned");
  stop_receiver('s2');
  $put_ahead->();
  gets("$when: s1 confirms the mark");
  $make->();
  pass_mark();
  is(attempt(), '57014', "$when, $change: s2 must confirm the mark");
  let_go('s2');
  gets("$when, $change: s2 confirms the mark");
}
is(out_of_order(@made), 0, 'values are in order');

done_testing();
