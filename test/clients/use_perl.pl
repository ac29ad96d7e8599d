# DBD::Pg.

use strict;
use warnings FATAL => 'all';

use DBD::Pg ':pg_types';
use DBI;

my $failed = 0;

# Prints a result, with what was seen if it is not as expected.
sub check {
  my ($what, $seen, $expected) = @_;
  my $is_so = $seen eq $expected;
  $failed = 1 unless $is_so;
  print $is_so ? "ok - $what\n" : "not ok - $what: $seen\n";
  return;
}

my $db = DBI->connect('dbi:Pg:', undef, undef, { RaiseError => 1, PrintError => 0 });
my ($id) = $db->selectrow_array('INSERT INTO event (what) VALUES (?) RETURNING id', undef, 'first');
check('a new key is a string', substr($id, 14, 1), '7');
my $key_time = 'extract(epoch FROM uuid_extract_time(?))';
my ($time) = $db->selectrow_array("SELECT $key_time", undef, $id);
check('the time of a key', sprintf('%012x', sprintf '%.0f', $time * 1000), substr $id =~ tr/-//dr, 0, 12);

my @time_range = ('2026-01-10T00:00:00Z', '2026-01-11T00:00:00Z');
my $count = 'SELECT count(*) FROM event WHERE id >= ? AND id < ?';
check('a time is taken for a UUID',
  (eval { $db->selectrow_array($count, undef, @time_range) }, $db->state)[-1], '22P02');
my $typed = $db->prepare($count);
$typed->bind_param($_, $time_range[$_ - 1], { pg_type => PG_TIMESTAMPTZ }) for 1, 2;
$typed->execute;
check('except if bound as timestamptz', $typed->fetch->[0], 288);
check('with a cast it is a time', ($db->selectrow_array($count =~ s/\?/?::timestamptz/gr, undef, @time_range))[0], 288);
exit $failed;
