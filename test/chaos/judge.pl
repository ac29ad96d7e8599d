#!/usr/bin/env perl
# Judges a history of uuid_v7_server(): judge.pl FOLDER
# The folder has a file for each session, and `events`. A line of them is
#   NUMBER KIND BEGIN END WORDS, with times of one monotonic clock in 17 characters.
# Kinds: v, values of a statement; a, what uuid_v7_advance() returned; e, an error's SQLSTATE; x, the end of
# the file. In `events`: p, the planned kinds of events; h, an event; x, the end and the number of sessions.
# Checks that the history is complete, that no value is repeated, that values of a session increase, and that
# each value is greater than all that were returned before its call began. Prints TAP.

use strict;
use warnings FATAL => 'all';
use experimental qw(signatures);
use File::Temp;

# Errors that faults and stops may cause: a server that starts or stops, a wait for the standby that this ends,
# the full disk, EIO, and statements after them in a transaction.
my %is_expected = map { $_ => 1 } qw(25P02 53100 57014 57P01 57P02 57P03 58030);

my ($folder) = @ARGV;
my $scratch = File::Temp->newdir(DIR => $folder);
my (%count, %events, %errors, @planned, @lost, @session);
my $sessions = 0;
open(my $values, '>', "$scratch/values") or die "$scratch/values: $!";
open(my $calls,  '>', "$scratch/calls")  or die "$scratch/calls: $!";

# Returns lines of a file in order.
sub sorted($path) {
  local $ENV{LC_ALL} = 'C';
  open(my $lines, '-|', 'sort', '-S', '200M', '-T', $scratch, $path) or die "sort: $!";
  return $lines;
}

# Takes the values of a statement, of a session whose last value is given. Returns its new last value. The
# statement's greatest value counts from its end on, its least is to be above those that count at its begin.
sub take_values($place, $last, $begin, $end, @ids) {
  for my $id (@ids) {
    push @session, "$place: $id after $last" if $id le $last;
    $last = $id;
    print {$values} "$id $place\n";
  }
  my @order = sort @ids;
  print {$calls} "$begin B $order[0] $place\n$end E $order[-1] $place\n";
  $count{values} += @ids;
  $count{statements}++;
  return $last;
}

# Reads a file and finds lost lines.
sub read_file($name) {
  my ($expected, $time, $last, $kind) = (0, '', '', '');
  open(my $lines, '<', "$folder/$name") or die "$name: $!";
  while (my $line = <$lines>) {
    (my $number, $kind, my ($begin, $end, @words)) = split ' ', $line;
    my $place = "$name:$number";
    push @lost, "$place: expected $expected" if $number ne $expected;
    push @lost, "$place: wrong times" if $begin lt $time || $end lt $begin || $line !~ /\n\z/;
    ($expected, $time) = ($number + 1, $end);
    $last = take_values($place, $last, $begin, $end, @words) if $kind eq 'v';
    print {$calls} "$end E $words[0] $place\n" and $count{advances}++ if $kind eq 'a';
    $errors{$words[0]}++ if $kind eq 'e';
    $events{$words[0]}++ if $kind eq 'h';
    @planned  = @words    if $kind eq 'p';
    $sessions = $words[0] if $kind eq 'x' && @words;
  }
  push @lost, "$name: no end" if $kind ne 'x';
  $count{sessions}++ if $name ne 'events';
}

# Returns repeated values.
sub repeated {
  my ($lines, $last, $first, @found) = (sorted("$scratch/values"), '', '');
  while (my $line = <$lines>) {
    my ($id, $place) = split ' ', $line;
    push @found, "$id at $first and $place" if $id eq $last;
    ($last, $first) = ($id, $place);
  }
  return @found;
}

# Returns statements with a value that is not above all that were returned before it began. At one time, a
# begin (B) sorts before an end (E): they overlap.
sub inverted {
  my ($lines, $greatest, $where, @found) = (sorted("$scratch/calls"), '', '');
  while (my $line = <$lines>) {
    my (undef, $what, $id, $place) = split ' ', $line;
    push @found, "$id at $place after $greatest at $where" if $what eq 'B' && $id le $greatest;
    ($greatest, $where) = ($id, $place) if $what eq 'E' && $id gt $greatest;
  }
  return @found;
}

# Prints a result with up to ten of its violations.
my $tests = 0;

sub result($name, @violations) {
  printf "%s %d - %s: %d violations\n", @violations ? 'not ok' : 'ok', ++$tests, $name, scalar @violations;
  print map { "# $_\n" } @violations[ 0 .. ($#violations < 9 ? $#violations : 9) ];
  return scalar @violations;
}

# Returns counts by name.
sub listed($of) {
  return join(', ', map { "$of->{$_} $_" } sort keys %$of) || 'none';
}

opendir(my $entries, $folder) or die "$folder: $!";
read_file($_) for grep { -f "$folder/$_" } readdir $entries;
close($_) or die $! for $values, $calls;

print "# events: @{[listed(\%events)]}\n# errors: @{[listed(\%errors)]}\n# @{[listed(\%count)]}\n";
push @lost, "files: expected $sessions" if $sessions != ($count{sessions} // 0);
my $violations = result('complete', @lost, map { "no $_" } grep { !$count{$_} } qw(values advances));
$violations += result('events', (map { "no $_" } grep { !$events{$_} } @planned), @planned ? () : 'no plan');
$violations += result('errors', grep { !$is_expected{$_} } sort keys %errors);
$violations += result('unique', repeated());
$violations += result('order in a session', @session);
$violations += result('order across sessions', inverted());
exit($violations > 0);
