# Changes the synchronous standbys while one lags, then fails over to one of them once it has confirmed a mark that was
# written after the change. Mostly, values are ahead of the clock meanwhile: then no value needs another mark, but the
# confirmation of the last one must not count for ever.
package Failover;

use Client;
use Helpers qw(children_of kill_server);
use List::Util qw(reduce);
use PostgreSQL::Test::Utils;
use Servers;
use Test::More;

# Steps with servers a and b: a setting and the servers that are then synchronous; `lag`, the last server stops to
# receive WAL while values are returned; `end`, the other one ends. Last, the server that is promoted, or those of which
# it is the one that has received most.
my %changes = (
  other   => [ [ 'a', 'a' ], 'lag', [ 'b', 'b' ], 'b' ],
  more    => [ [ 'a', 'a' ], 'lag', [ 'FIRST 2 (a, b)', 'ab' ], 'b' ],
  any     => [ [ 'a', 'a' ], 'lag', [ 'ANY 1 (a, b)', 'ab' ], 'ab' ],
  emptied => [ [ 'a', 'a' ], 'lag', [ '', '' ], [ 'b', 'b' ], 'b' ],
  failed  => [ [ 'FIRST 1 (a, b)', 'a' ], 'lag', 'end', 'b' ]);

my $ahead;    # seconds by which values are ahead of the clock in this event

# Returns the process ID of a standby's walreceiver, once it receives.
sub walreceiver_of($server) {
  my $found;
  wait_for('walreceiver', sub {
    ($found) = grep { eval { slurp_file("/proc/$_/cmdline") } =~ /walreceiver streaming/ }
      children_of($server->{node}{_pid}) });
  return $found;
}

# Puts values ahead of the clock by some seconds, until the failover: by an advance, or by a clock that is set back.
sub go_ahead($seconds) {
  return step_forward(-$seconds) if $seconds % 2;
  $primary->{node}->safe_psql('postgres',
    "SELECT uuid_v7_advance(uuid_v7_at(clock_timestamp() + interval '$seconds s'))");
}

# Does a step. Arguments: step, servers by letter, those that may be promoted. Returns the walreceiver that was stopped.
sub take($step, $server, @last) {
  if ($step eq 'lag') {
    my $lagging = walreceiver_of($last[-1]);
    kill('STOP', $lagging);
    # It lacks the mark of this value.
    step_forward(3);
    take_value();
    go_ahead($ahead) if $ahead;
    return $lagging;
  }
  if ($step eq 'end') {
    kill_server($server->{a}{node}, 1);
    await_synchronous($server->{b});
    return;
  }
  my ($names, $synchronous) = @$step;
  $names =~ s/\b([ab])\b/$server->{$1}{node}->name/eg;
  set_synchronous($names, map { $server->{$_} } split(//, $synchronous));
  return;
}

# Returns the position up to which a standby has received WAL.
sub received($server) {
  return $server->{node}->safe_psql('postgres', q{SELECT pg_last_wal_receive_lsn() - '0/0'});
}

# Does all steps of a change. Returns the server to promote.
sub change($change, $server) {
  my @steps = @{$changes{$change}};
  my @last  = map { $server->{$_} } split(//, pop @steps);
  my $lagging;
  while (@steps) {
    $lagging = take(shift @steps, $server, @last) // $lagging;
    # The marks of before the change stay confirmed.
    step_forward(3);
    next if Client::call_within($primary->{node}, @steps ? 600 : 2);
    # As expected, except for `any`.
    note("$change: no value without the standby that lags");
    kill('CONT', $lagging);
    take_value();
  }
  end_primary('all');
  return reduce { received($a) >= received($b) ? $a : $b } @last;
}

# Makes a change and fails over. Arguments: event, function that replaces the primary.
sub event($event) {
  my $change = (sort keys %changes)[ keys(%changes) * $event->{chance} ];
  my %server = (a => $standby, b => start_standby());
  $ahead = $event->{pause} % 3 ? 30 + $event->{pause} % 1_800 : 0;
  my $new = change($change, \%server);
  # What a stopped walreceiver has not read is lost, as if the network had not delivered it.
  kill_server($new->{node}, 1);
  my %back = (%$event, back => 10 + $event->{back});
  rewind_clock($new, $back{back});
  $new->start;
  $new->{node}->promote;
  remove($_->{node}) for grep { $_ != $new } values %server;
  replace_primary($new, \%back, 1);
  return pass_over($ahead);
}

1;
