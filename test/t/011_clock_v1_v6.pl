# uuid_v1() and uuid_v6() repeat no value while the clock is set back or out of range.

use strict;
use warnings FATAL => 'all';
use FindBin;
use lib $FindBin::RealBin;
use FaultShim;
use Test::More;

my $server  = FaultShim->new;
my $day     = 24 * 60 * 60;
my @instant = (1672576496, 123_456_700);

# Distinct steps of the clock sequence from each value of `made` to the next.
my $sequence_steps = q{SELECT string_agg(DISTINCT step::text, ' ') FROM
  (SELECT mod(uuid_extract_clock_seq(id) - lag(uuid_extract_clock_seq(id)) OVER (ORDER BY n)
        + 16384, 16384) AS step FROM made) AS steps};
my $nodes = 'SELECT count(DISTINCT uuid_extract_node(id)) FROM made';

# v1, clock set back, however little: the clock sequence increases by 1, the node stays the same.
{
  my $session = $server->session;
  my @time    = @instant;
  $server->fault(clock => 'set', time => \@time);
  $session->make('uuid_v1()', 1);
  for my $back ([0, 100], [1, 0], [$day, 0]) {
    @time = ($time[0] - $back->[0], $time[1] - $back->[1]);
    $server->fault(clock => 'set', time => \@time);
    $session->make('uuid_v1()', 1);
  }
  is($session->value($sequence_steps), '1', 'v1, clock set back: the clock sequence increases by 1');
  is($session->value($nodes), '1', 'v1, clock set back: same node');
  is( $session->value('SELECT uuid_extract_time(id) FROM made ORDER BY n DESC LIMIT 1'),
    '2022-12-31 12:34:55.123456+00',
    'v1, clock set back: the time is the clock\'s');
  $server->fault;
  $session->quit;
}

# v1, a clock set back at each of 20,000 readings: after the 16,384 clock sequences of a node, there is
# a new node, as a value could repeat with the old one.
{
  my $session = $server->session;
  $server->fault(clock => 'set', time => \@instant, step => -100);
  $session->make('uuid_v1()', 20_000);
  is( $session->value(
      q{SELECT string_agg(sequences || ' of ' || n, ', ' ORDER BY first) FROM
        (SELECT min(n) AS first, count(*) AS n, count(DISTINCT uuid_extract_clock_seq(id)) AS sequences
         FROM made GROUP BY uuid_extract_node(id)) AS nodes}),
    '16384 of 16384, 3616 of 3616',
    'v1, clock always set back: a node has each clock sequence once');
  is($session->counted, '20000|20000', 'v1, clock always set back: all distinct');
  $server->fault;
  $session->quit;
}

# A clock outside 1582 to 5236 gives an error that names the range, and has no other effect.
for my $version (1, 6) {
  my $session = $server->session;
  $server->fault(clock => 'set', time => \@instant);
  $session->make("uuid_v$version()", 10);
  my $backend = $session->value('SELECT pg_backend_pid()');
  my $range   = qr/1582-10-15 00:00:00 to 5236-03-31 21:21:00\.684697 UTC/;

  for my $case (['before 1582', -12_219_292_801], ['past the year 5236', 103_072_857_661]) {
    my ($name, $seconds) = @$case;
    $server->fault(clock => 'set', time => [$seconds, 999_999_999]);
    my $error = $session->error("SELECT uuid_v$version()");
    $server->fault(clock => 'set', time => \@instant);
    like($error, qr/^ERROR:  22008: .*version $version\nDETAIL:.*$range/,
      "v$version, clock $name: the call is an error");
    # Values continue afterwards.
    $session->make("uuid_v$version()", 10);
  }
  is($session->value('SELECT pg_backend_pid()'), $backend, "v$version: the backend survives a clock out of range");
  is($session->counted, '30|30', "v$version, after a clock out of range: all distinct");
  if ($version == 1) {
    is($session->value($sequence_steps), '0', 'v1, after a clock out of range: no new sequence');
  }
  else {
    is($session->out_of_order, 0, 'v6, after a clock out of range: strictly increasing');
  }
  $server->fault;
  $session->quit;
}

done_testing();
