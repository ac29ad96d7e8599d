# Fixed bits are fixed, and random ones are even and independent of other bits and of the next value.
# In long and small transactions and in new sessions.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Maximum deviation of a count of even bits, in standard deviations. Among some 130,000 counts, good bits exceed
# it in one run of 3 million.
my $limit = 7;

# Maximum number of values for pairs of bits. Two bits equal in a tenth more values than by chance are 8
# deviations off.
my $pair_values = 6_000;

my $node = PostgreSQL::Test::Cluster->new('bits');
$node->init;
# Preloaded, so that every session inherits the memory of the first process.
$node->append_conf('postgresql.conf', q{
shared_preload_libraries = 'uuidx'
synchronous_commit = off
work_mem = '64MB'
});
$node->start;

# Counts differences in each of the 128 bits between the bytes of two columns.
$node->safe_psql('postgres', q{
  CREATE EXTENSION uuidx;
  CREATE UNLOGGED TABLE made (source text, n bigint, place int, id uuid);
  CREATE SEQUENCE made_order;
  CREATE FUNCTION differences(pairs text) RETURNS SETOF text LANGUAGE plpgsql AS $$
  BEGIN
    RETURN QUERY EXECUTE format($q$
      WITH octets AS MATERIALIZED (
        SELECT k, get_byte(a, k) # get_byte(b, k) AS value, count(*)
        FROM (%s) AS p (a, b), generate_series(0, 15) AS k
        WHERE b IS NOT NULL
        GROUP BY k, value)
      SELECT concat_ws(' ', (SELECT sum(count) FROM octets WHERE k = 0), string_agg(ones::text, ' ' ORDER BY bit))
      FROM (
        SELECT k * 8 + bit AS bit, coalesce(sum(count) FILTER (WHERE value >> (7 - bit) & 1 = 1), 0) AS ones
        FROM octets, generate_series(0, 7) AS bit
        GROUP BY k, bit) AS s
      $q$, pairs);
  END $$});

# Returns the number of pairs and of each bit's differences.
sub differences {
  my ($pairs) = @_;
  return split(' ', $node->safe_psql('postgres', "SELECT * FROM differences(\$d\$$pairs\$d\$)"));
}

# Returns those of some bits that are not even, with the deviation of each.
sub uneven {
  my ($counts, @bits) = @_;
  my $total = $counts->[0];
  my @found;
  for my $bit (@bits) {
    my $z = (2 * $counts->[1 + $bit] - $total) / sqrt($total);
    push @found, sprintf('%d: %.1f', $bit, $z) if abs($z) > $limit;
  }
  return "@found";
}

# Returns the fixed bits of a version, by number: version, variant, and others given.
sub fixed {
  my ($version, %more) = @_;
  return ((map { 48 + $_ => $version >> (3 - $_) & 1 } 0 .. 3), 64 => 1, 65 => 0, %more);
}

# Checks the number of a source's values, all or those that meet a condition, and their fixed and random bits.
sub check_bits {
  my ($name, $condition, $number, $fixed, @random) = @_;
  my $from = "FROM made WHERE $condition";
  my @ones = differences(
    "SELECT uuid_send(id), decode(repeat('00', 16), 'hex') $from");
  is($ones[0], $number, "$name: there are $number values");
  my @wrong = grep { $ones[1 + $_] != $fixed->{$_} * $ones[0] } sort { $a <=> $b } keys %$fixed;
  is("@wrong", '', "$name: fixed bits are right");
  is(uneven(\@ones, @random), '', "$name: random bits are even");
  my @changes =
    differences("SELECT uuid_send(id), lag(uuid_send(id)) OVER (ORDER BY n) $from");
  is($changes[0], $number - 1, "$name: all values but the first follow another");
  is(uneven(\@changes, @random), '', "$name: random bits of successive values are independent");
  check_pairs($name, $condition, @random);
  return;
}

# Checks that each random bit is independent of every other bit in its value: their exclusive or is even.
sub check_pairs {
  my ($name, $condition, @random) = @_;
  my @values = map { unpack('B*', pack('H*', $_)) } split(/\n/, $node->safe_psql('postgres', qq{
    SELECT encode(uuid_send(id), 'hex') FROM made WHERE $condition ORDER BY n LIMIT $pair_values}));
  my @column;
  for my $bit (0 .. 127) {
    $column[$bit] = pack('b*', join('', map { substr($_, $bit, 1) } @values));
  }
  my %is_random = map { $_ => 1 } @random;
  my @found;
  for my $one (@random) {
    for my $other (grep { !$is_random{$_} || $_ > $one } 0 .. 127) {
      my $differ = unpack('%32b*', $column[$one] ^ $column[$other]);
      my $z      = (2 * $differ - @values) / sqrt(@values);
      push @found, sprintf('%d and %d: %.1f', $one, $other, $z) if abs($z) > $limit;
    }
  }
  is("@found[0 .. ($#found < 9 ? $#found : 9)]", '', "$name: random bits are independent of all others");
  return;
}

my %multicast = (87 => 1);
my @v4        = (0 .. 47, 52 .. 63, 66 .. 127);
my @v6        = (66 .. 86, 88 .. 127);
my @v7        = (70 .. 127);
my $time      = q{timestamptz '2024-02-29 12:00+00'};

# Generators with their fixed and random bits.
my @generators = (
  ['uuid_v4()',                     {fixed(4)},             @v4],
  ['uuid_v6()',                     {fixed(6, %multicast)}, @v6],
  ['uuid_v7()',                     {fixed(7)},             @v7],
  [q{uuid_v7(interval '1 hour')},   {fixed(7)},             @v7],
  ['uuid_v7_server()',             {fixed(7)},             @v7],
  # 21,845 has every other of its 16 bits set.
  ['uuid_v8_node(21845)', {fixed(8, map { 70 + $_ => $_ % 2 } 0 .. 15)}, 86 .. 127],
  ["uuid_v1_at($time)",             {fixed(1, %multicast)}, @v6],
  ["uuid_v6_at($time)",             {fixed(6, %multicast)}, @v6],
  ["uuid_v7_at($time)",             {fixed(7)},             66 .. 127]);

# Many values of each in one transaction.
for my $generator (@generators) {
  my ($call, $fixed, @random) = @$generator;
  my $number = 30_000;
  $node->safe_psql('postgres', qq{
    TRUNCATE made;
    INSERT INTO made SELECT 'long', n, n, $call FROM generate_series(1, $number) AS n});
  check_bits($call, 'true', $number, $fixed, @random);
}

# In transactions of one to ten values, each of which starts a pool with a small batch; and the first values of batches
# separately.
for my $generator (@generators[0 .. 2], $generators[5]) {
  my ($call, $fixed, @random) = @$generator;
  my $transactions = 10_000;
  $node->safe_psql('postgres', qq{
    TRUNCATE made;
    DO \$\$
    BEGIN
      FOR i IN 1..$transactions LOOP
        INSERT INTO made SELECT 'small', i * 16 + place, place, $call FROM generate_series(1, i % 10 + 1) AS place;
        COMMIT;
      END LOOP;
    END \$\$});
  check_bits("$call, small transactions", 'true', $transactions * 5.5, $fixed, @random);
  check_bits("$call, first of small transactions", 'place = 1', $transactions, $fixed, @random);
}

# The first value of a session, with which version 1 draws its node and clock sequence.
{
  my $sessions = 400;
  $node->safe_psql('postgres', 'TRUNCATE made');
  my @first = (['uuid_v1()', {fixed(1, %multicast)}, @v6], @generators[0, 2]);
  for my $generator (@first) {
    my ($call) = @$generator;
    my $each = $sessions / 4;
    $node->pgbench(
      "--no-vacuum --connect --client=4 --jobs=2 --transactions=$each",
      0, [qr{actually processed: $sessions/$sessions}], [], "$sessions sessions generate one value each: $call",
      {'033_first_' . $call =~ s/\W//gr => "INSERT INTO made SELECT '$call', nextval('made_order'), 1, $call;"});
  }
  for my $generator (@first) {
    my ($call, $fixed, @random) = @$generator;
    check_bits("$call, first of sessions", "source = '$call'", $sessions, $fixed, @random);
  }
}

done_testing();
