# uuid_v7() keeps its order while the clock is frozen or leaves the version's range.
# 019 sets it back and lets it jump.

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

# A clock outside 1970 to 10889 gives an error that names the range, and has no other effect.
{
  my $session = $server->session;
  $server->fault(clock => 'set', time => \@instant);
  $session->make('uuid_v7()', 10);
  my $backend = $session->value('SELECT pg_backend_pid()');
  my $range   = qr/1970-01-01 00:00:00 to 10889-08-02 05:31:50\.655999 UTC/;

  for my $case (['before 1970', -1], ['before 1582', -20_000_000_000],
    ['past the year 10889', 281_474_976_711])
  {
    my ($name, $seconds) = @$case;
    for my $call ('uuid_v7()', q{uuid_v7(interval '1 day')}) {
      $server->fault(clock => 'set', time => [$seconds, 999_999_999]);
      my $error = $session->error("SELECT $call");
      $server->fault(clock => 'set', time => \@instant);
      like($error, qr/^ERROR:  22008: .*version 7\nDETAIL:.*$range/, "clock $name: $call is an error");
    }
    $session->make('uuid_v7()', 10);
    is($session->out_of_order, 0, "after a clock $name: strictly increasing");
  }
  is($session->value('SELECT pg_backend_pid()'), $backend, 'the backend survives a clock out of range');
  is( $session->value('SELECT DISTINCT uuid_extract_time(id) FROM made'),
    '2023-01-01 12:34:56.123+00',
    'a clock out of range does not affect later values');
  $server->fault;
  $session->quit;
}

done_testing();
