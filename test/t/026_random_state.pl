# A session's random bits are wiped after use, and in no fork or core dump.

use Helpers;
no warnings 'portable';    # addresses of 64 bits

plan skip_all => 'the memory of a process is read by way of /proc' unless -r "/proc/$$/smaps";

my $node = start_node('random_state');
my $session = $node->background_psql('postgres', on_error_stop => 0);
my $pid     = $session->query('SELECT pg_backend_pid()');

# Returns the mappings that are wiped on fork (wf) and excluded from core dumps (dd). Not those that the
# kernel may drop (dp): the C library has one.
sub mappings {
  my ($range, @found);
  open(my $maps, '<', "/proc/$pid/smaps") or die "smaps: $!";
  while (<$maps>) {
    $range = [hex $1, hex $2] if /^([0-9a-f]+)-([0-9a-f]+) rw/;
    push @found, $range if /^VmFlags:.* wf\b/ && / dd\b/ && !/ dp\b/;
  }
  close($maps);
  return @found;
}

# Returns the session's memory in a range of addresses.
sub memory {
  my ($from, $to) = @{$_[0]};
  open(my $mem, '<:raw', "/proc/$pid/mem") or die "mem: $!";
  sysseek($mem, $from, 0) or die "mem: $!";
  sysread($mem, my $bytes, $to - $from) == $to - $from or die "mem: $!";
  close($mem);
  return $bytes;
}

sub not_zero { return $_[0] =~ tr/\0//c }

# Counts the UUIDs whose last eight bytes are in memory as in the pool: a machine word, of which version 4 keeps all but
# two bits. Those are masked by searching for seven bytes.
sub found_in($memory, @ids) {
  return scalar grep { index($memory, substr(reverse(pack('H*', substr(s/-//gr, 16))), 0, 7)) >= 0 } @ids;
}

is(scalar mappings(), 0, 'the session has no memory for random bits before the first value');

$session->query('BEGIN');
my @ids = split /\n/, $session->query('SELECT uuid_v4() FROM generate_series(1, 1000)');
my @maps = mappings();
is(scalar @maps, 1, 'the memory is excluded from forks and core dumps');
my $during = memory($maps[0]);
cmp_ok(not_zero($during), '>', 200, 'within the transaction the memory has random bits for later values');
is(found_in($during, @ids), 0, 'within the transaction the memory has no bits of issued values');
my @coming = split /\n/, $session->query('SELECT uuid_v4() FROM generate_series(1, 20)');
is(found_in($during, @coming), 20, 'the bits of later values are found in the memory');

$session->query('COMMIT');
my $after = memory($maps[0]);
cmp_ok(not_zero($after), '<', 120, 'after the transaction the memory has only the clock and the counts');
is(found_in($after, @ids), 0, 'after the transaction the memory has no issued bits');

$session->query('SELECT uuid_v4(), 1 / (g - 50) FROM generate_series(1, 100) AS g');
cmp_ok(not_zero(memory($maps[0])), '<', 120, 'after an error the memory has only the clock and the counts');

my @next = split /\n/, $session->query('SELECT uuid_v4() FROM generate_series(1, 1000)');
is(found_in($during, @next), 0, 'the pool of an earlier transaction is not used by a later one');

$session->quit;
done_testing();
