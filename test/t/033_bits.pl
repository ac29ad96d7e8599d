# Fixed bits are fixed, and random ones are even and independent of other bits and of the next value.
# In long and small transactions.

use Helpers;

# Maximum deviation of a count of even bits, in standard deviations. Among some 130,000 counts, good bits exceed
# it in one run of 3 million.
my $limit = 7;

# Preloaded, so that every session inherits the memory of the first process.
my $node = start_node('bits', q{
shared_preload_libraries = 'uuidx'
synchronous_commit = off
work_mem = '64MB'
});

$node->safe_psql('postgres', q{
  CREATE UNLOGGED TABLE made (n bigint, place int, id uuid)});

# Returns those of some vectors, given by name, in which not about half of the bits are 1, with the deviation of each.
sub uneven($size, %vector) {
  my @found;
  for my $name (sort keys %vector) {
    my $z = (2 * unpack('%32b*', $vector{$name}) - $size) / sqrt($size);
    push @found, sprintf('%s: %.1f', $name, $z) if abs($z) > $limit;
  }
  return join(', ', splice(@found, 0, 10));
}

# Returns the fixed bits of a version, by number: version, variant, and others given.
sub fixed($version, %more) {
  return ((map { 48 + $_ => $version >> (3 - $_) & 1 } 0 .. 3), 64 => 1, 65 => 0, %more);
}

# Checks the number of a source's values, all or those that meet a condition, and their fixed and random bits.
sub check_bits($name, $condition, $number, $fixed, @random) {
  my $values = unpack('B*', pack('H*', $node->safe_psql('postgres',
    "SELECT string_agg(encode(uuid_send(id), 'hex'), '' ORDER BY n) FROM made WHERE $condition")));
  is(length($values) / 128, $number, "$name: there are $number values");

  # Each bit of all values, as digits and as a vector.
  my @digits = map { join('', unpack("(x${_}ax@{[127 - $_]})*", $values)) } 0 .. 127;
  my @vector = map { pack('b*', $_) } @digits;
  is(join(' ', grep { $digits[$_] =~ /[^$fixed->{$_}]/ } sort { $a <=> $b } keys %$fixed), '',
    "$name: fixed bits are right");
  is(uneven($number, map { $_ => $vector[$_] } @random), '', "$name: random bits are even");
  # Two bits are independent if their exclusive or is even.
  is(uneven($number - 1, map { $_ => pack('b*', substr($digits[$_], 1)) ^ pack('b*', substr($digits[$_], 0, -1)) }
      @random), '', "$name: random bits of successive values are independent");
  my %is_random = map { $_ => 1 } @random;
  my %pairs;
  for my $one (@random) {
    $pairs{"$one and $_"} = $vector[$one] ^ $vector[$_] for grep { !$is_random{$_} || $_ > $one } 0 .. 127;
  }
  is(uneven($number, %pairs), '', "$name: random bits are independent of all others");
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
  my $number = 20_000;
  $node->safe_psql('postgres', qq{
    TRUNCATE made;
    INSERT INTO made SELECT n, n, $call FROM generate_series(1, $number) AS n});
  check_bits($call, 'true', $number, $fixed, @random);
}

# In transactions of one to ten values, each of which starts a pool with a small batch; and the first values of batches
# separately.
for my $generator (@generators[0 .. 2], $generators[5]) {
  my ($call, $fixed, @random) = @$generator;
  my $transactions = 4_000;
  $node->safe_psql('postgres', qq{
    TRUNCATE made;
    DO \$\$
    BEGIN
      FOR i IN 1..$transactions LOOP
        INSERT INTO made SELECT i * 16 + place, place, $call FROM generate_series(1, i % 10 + 1) AS place;
        COMMIT;
      END LOOP;
    END \$\$});
  check_bits("$call, small transactions", 'true', $transactions * 5.5, $fixed, @random);
  check_bits("$call, first of small transactions", 'place = 1', $transactions, $fixed, @random);
}

done_testing();
