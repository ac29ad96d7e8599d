#!/usr/bin/env perl
# Shows that judge.pl accepts a history with all that is allowed, and finds each planted violation. Prints TAP.

use strict;
use warnings FATAL => 'all';
use experimental qw(signatures);
use File::Temp;
use FindBin;
use Test::More;

# Two sessions with the same time unit, and an event. Statements that overlap may have values in any order.
my %history = (
  'events' => [ 'p 0 0 kill back', 'h 1 2 kill', 'h 5 6 back', 'x 9 9 2' ],
  'one'    => [ 'v 1 2 a10 a11',   'v 3 5 a40 a41', 'e 6 7 57P01', 'x 8 8' ],
  'two'    => [ 'v 2 3 a05 a50', 'a 4 5 a45', 'v 6 7 a51', 'x 8 8' ]);

# Returns a line of a history.
sub line($number, $kind, $begin, $end, @words) {
  return sprintf("%d $kind %017.6f %017.6f @words\n", $number, $begin, $end);
}

# Judges the history after a change, a function of it, which may return the places of lines to cut, by file. Returns
# the exit status and the output.
sub judge($change) {
  my %changed = map { $_ => [ @{$history{$_}} ] } keys %history;
  my $folder = File::Temp->newdir;
  my %cut    = %{$change->(\%changed) // {}};
  for my $name (keys %changed) {
    open(my $file, '>', "$folder/$name") or die "$name: $!";
    my $n     = 0;
    my @lines = map { line($n++, split) } @{$changed{$name}};
    splice(@lines, $cut{$name}, 1) if defined $cut{$name};
    print {$file} @lines;
    close($file) or die "$name: $!";
  }
  my $output = qx($^X $FindBin::RealBin/judge.pl $folder 2>&1);
  return ($? >> 8, $output);
}

# Checks that the judge finds one violation, of this name, and nothing else.
sub finds($what, $name, $change) {
  my ($status, $output) = judge($change);
  my @failed = $output =~ /^not ok \d+ - (.*)$/mg;
  is_deeply([ $status, @failed ], [ 1, "$name: 1 violations" ], "found: $what") or diag($output);
}

my ($status, $output) = judge(sub { return });
is($status, 0, 'a correct history is accepted') or diag($output);
like($output, qr/^# events: 1 back, 1 kill\n# errors: 1 57P01\n# 1 advances, 2 sessions, 4 statements, 7 values$/m,
  'events, errors and values of a history are counted');

finds('a value repeated in another session', 'unique', sub { $_[0]{two}[0] = 'v 2 3 a10 a50'; return });
finds('a value below one returned before', 'order across sessions',
  sub { $_[0]{one}[1] = 'v 4 5 a48 a49'; return });
finds('a statement with one value below', 'order across sessions',
  sub { $_[0]{one}[2] = 'v 6 7 a44 a62'; return });
finds('a value below what was advanced to', 'order across sessions',
  sub { $_[0]{two}[1] = 'a 4 5 a52'; return });
finds('decreasing values in a statement', 'order in a session',
  sub { $_[0]{one}[0] = 'v 1 2 a11 a10'; return });
finds('a lost statement', 'complete', sub { return {one => 1} });
finds('a lost event', 'complete',
  sub { $_[0]{events} = [ 'p 0 0 kill', 'h 1 2 kill', 'h 5 6 kill', 'x 9 9 2' ]; return {events => 1} });
finds('a lost file', 'complete', sub { delete $_[0]{one}; return });
finds('a file without end', 'complete', sub { return {two => 3} });
finds('a kind of event that did not happen', 'events', sub { $_[0]{events}[2] = 'h 5 6 kill'; return });
finds('no plan', 'events', sub { shift @{$_[0]{events}}; return });
finds('no values', 'complete', sub { $_[0]{$_} = [ 'a 4 5 a45', 'x 8 8' ] for qw(one two); return });
finds('times that go back', 'complete', sub { $_[0]{one}[2] = 'e 4 7 57P01'; return });
finds('an unexpected error', 'errors', sub { $_[0]{one}[2] = 'e 6 7 23505'; return });

done_testing();
