# Generators keep order and repeat no value while the clock is frozen, always set back or out of range.
# Those of one session; 019 also looks at the warning.

use strict;
use warnings FATAL => 'all';
use FindBin;
use lib $FindBin::RealBin;
use FaultShim;
use Test::More;

my $server = FaultShim->new;

# 2023-01-01 12:34:56.1234567 UTC, from RFC 9562's example of method 3.
my @instant = (1672576496, 123_456_700);

# A new session's first value is the clock's reading: the millisecond, then x'74E', then the
# reading's next 4 bits, x'A', after the variant.
{
  my $session = $server->session;
  $server->fault(clock => 'set', time => \@instant);
  my $id = $session->value('SELECT uuid_v7()');
  is(substr($id, 0, 13), '01856d53-f1fb', 'first value: the milliseconds are the clock\'s');
  is(substr($id, 14, 4), '774e', 'first value: version 7, rand_a by method 3');
  like(substr($id, 19, 2), qr/^a[89ab]$/, 'first value: the sequence has the clock\'s next bits');
  $server->fault;
  $session->quit;
}

# At the same instant, the first value of a session has the time bits of core's uuidv7(), to the last
# bit of method 3.
SKIP: {
  skip 'PostgreSQL before 18 has no uuidv7()', 1 if $server->{node}->pg_version < 18;
  my @differ;
  for my $nanoseconds (0, 1, 243, 244, 245, 999_999, 1_000_000, 123_456_700, 999_755_859, 999_999_999) {
    my $session = $server->session;
    $server->fault(clock => 'set', time => [$instant[0], $nanoseconds]);
    my ($core, $ours) = split /\|/, $session->value('SELECT uuidv7(), uuid_v7()');
    push @differ, $nanoseconds if substr($core, 0, 18) ne substr($ours, 0, 18);
    $server->fault;
    $session->quit;
  }
  is("@differ", '', 'the 60 bits of time are those of core\'s uuidv7()');
}

# With a frozen clock, 100,000 values take less than 3 ms of time and do not wait.
{
  my $session = $server->session;
  $server->fault(clock => 'set', time => \@instant);
  $session->make('uuid_v7()', 100_000);
  is($session->out_of_order, 0, 'frozen clock: strictly increasing');
  is($session->counted, '100000|100000', 'frozen clock: all distinct');
  is( $session->value(
      q{SELECT min(uuid_extract_time(id)), max(uuid_extract_time(id)) <= '2023-01-01 12:34:56.126'
        FROM made}
    ),
    '2023-01-01 12:34:56.123+00|t',
    'frozen clock: values are at most 3 ms ahead of it');

  # As soon as the clock has passed the last value, values follow it again.
  $server->fault(clock => 'set', time => [$instant[0], 200_000_000]);
  is( $session->value('SELECT uuid_extract_time(uuid_v7())'),
    '2023-01-01 12:34:56.2+00',
    'values follow the clock when it runs again');
  $server->fault;
  $session->quit;
}

# Version 1 at a clock that is set back at each of 20,000 readings: after the 16,384 clock sequences of a node, there is
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

# A clock outside of a version's range gives an error that names the range, and has no other effect.
my $gregorian = qr/1582-10-15 00:00:00 to 5236-03-31 21:21:00\.684697 UTC/;
my @beyond = (-12_219_292_801, 103_072_857_661);
for my $case (
  [ 'uuid_v1()', $gregorian, @beyond ], [ 'uuid_v6()', $gregorian, @beyond ],
  map { [ $_, qr/1970-01-01 00:00:00 to 10889-08-02 05:31:50\.655999 UTC/, -1, -20_000_000_000, 281_474_976_711 ] }
    'uuid_v7()', q{uuid_v7(interval '1 day')})
{
  my ($call, $range, @seconds) = @$case;
  my ($version) = $call =~ /v(\d)/;
  my $session = $server->session;
  $server->fault(clock => 'set', time => \@instant);
  $session->make($call, 10);
  my $backend = $session->value('SELECT pg_backend_pid()');
  for my $seconds (@seconds) {
    $server->fault(clock => 'set', time => [$seconds, 999_999_999]);
    my $error = $session->error("SELECT $call");
    $server->fault(clock => 'set', time => \@instant);
    like($error, qr/^ERROR:  22008: .*version $version\nDETAIL:.*$range/, "$call at $seconds s: an error");
    $session->make($call, 10);
  }
  is($session->value('SELECT pg_backend_pid()'), $backend, "$call: the backend survives a clock out of range");
  my $count = 10 + 10 * @seconds;
  is($session->counted, "$count|$count", "$call: all values are distinct");
  is($session->out_of_order, 0, "$call: values are strictly increasing") if $version > 1;
  is($session->value('SELECT count(DISTINCT uuid_extract_clock_seq(id)) FROM made'), 1,
    "$call: the clock sequence stays the same") if $version == 1;
  is($session->value("SELECT max(uuid_extract_time(id)) <= '2023-01-01 12:34:56.124+00' FROM made"), 't',
    "$call: a clock out of range does not affect later values") if $call !~ /day/;
  $server->fault;
  $session->quit;
}

done_testing();
