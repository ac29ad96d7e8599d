# DBD::Pg.

use strict;
use warnings FATAL => 'all';

use DBD::Pg ':pg_types';
use DBI;
use Time::HiRes 'clock_gettime';

my $failed = 0;

# Prints a result, with what was seen if it is not as expected.
sub check {
  my ($what, $seen, $expected) = @_;
  my $is_so = $seen eq $expected;
  $failed = 1 unless $is_so;
  print $is_so ? "ok - $what\n" : "not ok - $what: $seen\n";
  return;
}

# Returns a key of version 7 with random bits after the millisecond.
sub make_key {
  my $time = sprintf '%012x', int(clock_gettime(0) * 1000);
  open my $random, '<:raw', '/dev/urandom' or die $!;
  read $random, my $bits, 10;
  vec($bits, 0, 8) = 0x70 | vec($bits, 0, 8) & 0x0F;
  vec($bits, 2, 8) = 0x80 | vec($bits, 2, 8) & 0x3F;
  return join '-', unpack 'A8A4A4A4A12', $time . unpack 'H*', $bits;
}

my $db = DBI->connect('dbi:Pg:', undef, undef, { RaiseError => 1, PrintError => 0 });
my ($id) = $db->selectrow_array('INSERT INTO event (what) VALUES (?) RETURNING id', undef, 'first');
check('a new key is a string', substr($id, 14, 1), '7');
my $insert = $db->prepare('INSERT INTO event (what) VALUES (?)');
$insert->execute_array(undef, [ ('many') x 1000 ]);
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

for (1 .. 100) {
  $db->do(q{INSERT INTO event (id, what) VALUES (?, 'client')}, undef, make_key());
  $db->do(q{INSERT INTO event (what) VALUES ('server')});
}
my ($after, $rows) = ('00000000-0000-0000-0000-000000000000', 0);
my $next = 'SELECT id FROM event WHERE id > ? ORDER BY id LIMIT 1000';
while (my @page = @{ $db->selectcol_arrayref($next, undef, $after) }) {
  $rows += @page;
  $after = $page[-1];
}
check('pages have every row once', $rows, $db->selectrow_array('SELECT count(*) FROM event'));
exit $failed;
