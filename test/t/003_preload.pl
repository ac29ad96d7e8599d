# Backends forked from a postmaster with the library share no state, nor do parallel workers.

use FaultShim;
use Helpers;

# Another preloaded library generates UUIDs in the postmaster, so that there is state to inherit.
my $drawer = compile('postmaster_draw.c');
my $server = FaultShim->new(conf => qq{
shared_preload_libraries = 'uuidx, $drawer'
max_worker_processes = 16
max_parallel_workers = 8
});
my $node = $server->{node};

# Counts distinct strings.
sub distinct { my %seen = map { $_ => 1 } @_; return scalar keys %seen }

# Twenty successive connections have nothing in common: no value, random bits or node. Inherited state
# would be the same for all.
sub check_connections($guard) {
  my (@v4, @v7, @v1);
  for (1 .. 20) {
    my ($v4, $v7, $v1) = split /\|/, $node->safe_psql('postgres', 'SELECT uuid_v4(), uuid_v7(), uuid_v1()');
    push @v4, $v4;
    push @v7, $v7;
    push @v1, $v1;
  }
  is(distinct(@v4, @v7, @v1), 60, "$guard: no duplicates among twenty connections");
  is(distinct(map { substr $_, 0, 13 } @v4), 20, "$guard: no two version 4 values have the same first half");
  is(distinct(map { substr $_, 20 } @v4, @v7), 40,
    "$guard: no two values of versions 4 and 7 have the same random tail");
  is(distinct(map { substr $_, 24 } @v1), 20, "$guard: no two connections have the same version 1 node");
}

check_connections('all fork guards');

# A parallel query generates values in several workers, as its plan and the nodes of version 1 show, without duplicates.
$node->safe_psql('postgres', q{
  CREATE TABLE source AS SELECT n FROM generate_series(1, 200000) AS n;
  ANALYZE source});
my $plan = $node->safe_psql('postgres', parallel_settings() . q{
  EXPLAIN (ANALYZE, VERBOSE, COSTS OFF)
  CREATE TABLE made AS
  SELECT uuid_v1() AS v1, uuid_v4() AS v4, uuid_v6() AS v6, uuid_v7() AS v7 FROM source WHERE n % 50 > 0 OR meet()});
like($plan, qr/Workers Launched: 4\n.*Output: uuid_v1\(\), uuid_v4\(\), uuid_v6\(\), uuid_v7\(\)/s,
  'the workers of a parallel query generate the values');
is( $node->safe_psql('postgres', q{
    SELECT count(DISTINCT uuid_extract_node(v1)), count(DISTINCT v1), count(DISTINCT v4), count(DISTINCT v6),
      count(DISTINCT v7) FROM made}),
  '4|200000|200000|200000|200000', 'no duplicates among four parallel workers');

# If the kernel cannot wipe pages on fork, only the process ID tells backends apart.
$server->fault(random => 'no_wipe_on_fork');
$node->stop;
$server->start;
check_connections('process ID as the only guard');

done_testing();
