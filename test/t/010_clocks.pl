# Generators keep order and repeat no value while the clock is frozen, always set back or out of range.
# Those of one session; 019 also looks at the warning.

use FaultShim;
use Helpers;

my $server = FaultShim->new;

# 2023-01-01 12:34:56 UTC, from RFC 9562's example of method 3, as are the nanoseconds.
my $second = 1672576496;
my $nanoseconds = 123_456_700;

# Sets the clock to nanoseconds within that second.
sub set_clock($at, $step = 0) {
  return $server->fault(clock => 'set', time => [ $second, $at ], step => $step);
}

# A new session's first value has the clock's milliseconds and the next 16 bits of its reading. From PostgreSQL 18 on,
# its time bits are those of core's uuidv7() at the same instant, to the last bit of method 3.
my $has_core = $server->{node}->pg_version >= 18;
my (@wrong, @differ);
for my $at (0, 1, 243, 244, 245, 999_999, 1_000_000, $nanoseconds, 999_755_859, 999_999_999) {
  my $session = $server->session;
  set_clock($at);
  my ($ours, $core) = split /\|/, $session->value('SELECT uuid_v7()' . ($has_core ? ', uuidv7()' : ''));
  push @wrong, $at
    if tick_of($ours) != (($second * 1000 + int($at / 1_000_000)) << 16 | int($at % 1_000_000 * 65_536 / 1_000_000));
  push @differ, $at if $has_core && substr($core, 0, 18) ne substr($ours, 0, 18);
}
is("@wrong", '', 'the first value has the reading of the clock');
is("@differ", '', 'the 60 bits of time are those of core\'s uuidv7()') if $has_core;

# While the clock is frozen or goes back by 1 ms at each reading, 100,000 values take less than 3 ms of time and do not
# wait. As soon as the clock has passed the last value, values follow it again.
for my $of ([ 'uuid_v7()', 'uuid_extract_time' ], [ 'uuid_v8_node((random() * 65535)::int)', 'uuid_extract_v8_time' ]) {
  my ($call, $time) = @$of;
  for my $step (0, -1_000_000) {
    my $name = "$call, a clock that " . ($step ? 'goes back' : 'stands still');
    my $session = $server->session;
    set_clock($nanoseconds, $step);
    $session->make($call, 100_000);
    is($session->out_of_order, 0, "$name: strictly increasing");
    is($session->value("SELECT max($time(id)) <= '2023-01-01 12:34:56.126' FROM made"), 't',
      "$name: values are at most 3 ms ahead of it");
    set_clock(200_000_000);
    is($session->value("SELECT $time($call)"), '2023-01-01 12:34:56.2+00', "$name: values follow it when it runs on");
  }
}

# Version 1 at a clock that is set back at each of 20,000 readings: after the 16,384 clock sequences of a node, there is
# a new node, as a value could repeat with the old one.
{
  my $session = $server->session;
  set_clock($nanoseconds, -100);
  $session->make('uuid_v1()', 20_000);
  is( $session->value(
      q{SELECT string_agg(sequences || ' of ' || n, ', ' ORDER BY first) FROM
        (SELECT min(n) AS first, count(*) AS n, count(DISTINCT uuid_extract_clock_seq(id)) AS sequences
         FROM made GROUP BY uuid_extract_node(id)) AS nodes}),
    '16384 of 16384, 3616 of 3616',
    'v1, clock always set back: a node has each clock sequence once');
}

# A clock outside of a version's range gives an error that names the range, and has no other effect.
my @gregorian = (qr/1582-10-15 00:00:00 to 5236-03-31 21:21:00\.684697 UTC/, -12_219_292_801, 103_072_857_661);
my @unix = (qr/1970-01-01 00:00:00 to 10889-08-02 05:31:50\.655999 UTC/, -1, -20_000_000_000, 281_474_976_711);
for my $case (
  [ 'uuid_v1()', @gregorian ], [ 'uuid_v6()', @gregorian ], [ 'uuid_v7()', @unix ],
  [ q{uuid_v7(interval '0')}, @unix ], [ 'uuid_v8_node(1)', @unix ])
{
  my ($call, $range, @seconds) = @$case;
  my ($version) = $call =~ /v(\d)/;
  my $session = $server->session;
  set_clock($nanoseconds);
  $session->make($call, 10);
  for my $seconds (@seconds) {
    $server->fault(clock => 'set', time => [ $seconds, 999_999_999 ]);
    my $error = $session->error("SELECT $call");
    set_clock($nanoseconds);
    like($error, qr/^ERROR:  22008: .*version $version\nDETAIL:.*$range/, "$call at $seconds s: an error");
    $session->make($call, 10);
  }
  is( $session->value(q{SELECT count(DISTINCT id),
        max(coalesce(uuid_extract_time(id), uuid_extract_v8_time(id))) <= '2023-01-01 12:34:56.124' FROM made}),
    10 + 10 * @seconds . '|t', "$call: later values are distinct and have the time of the clock");
  is($session->out_of_order, 0, "$call: values are strictly increasing") if $version > 1;
  is($session->value('SELECT count(DISTINCT uuid_extract_clock_seq(id)) FROM made'), 1,
    "$call: the clock sequence stays the same") if $version == 1;
}

done_testing();
