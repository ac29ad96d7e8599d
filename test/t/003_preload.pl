# Backends forked from a postmaster with the library share no state, nor do parallel workers.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Helpers;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Another preloaded library generates UUIDs in the postmaster, so that there is state to inherit.
my $drawer = PostgreSQL::Test::Utils::tempdir() . '/postmaster_draw.so';
chomp(my $headers = `pg_config --includedir-server`);
system_or_bail(split(' ', $ENV{CC} // 'cc'), qw(-shared -fPIC -O2), "-I$headers", '-o', $drawer,
  "$FindBin::RealBin/postmaster_draw.c");

# Counts distinct strings.
sub distinct { my %seen = map { $_ => 1 } @_; return scalar keys %seen }

# Starts a server whose postmaster has generated UUIDs.
sub start_server {
  my ($name) = @_;
  my $server = PostgreSQL::Test::Cluster->new($name);
  $server->init;
  $server->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'uuidx, $drawer'
max_worker_processes = 16
max_parallel_workers = 8
timezone = 'UTC'
});
  $server->start;
  $server->safe_psql('postgres', 'CREATE EXTENSION uuidx');
  return $server;
}

# Twenty successive connections have nothing in common: no value, random bits or node. Inherited state
# would be the same for all.
sub check_connections {
  my ($server, $guard) = @_;
  my (@v4, @v7, @v1);
  for (1 .. 20) {
    my $row = $server->safe_psql('postgres', 'SELECT uuid_v4(), uuid_v7(), uuid_v1()');
    my ($v4, $v7, $v1) = split /\|/, $row;
    push @v4, $v4;
    push @v7, $v7;
    push @v1, $v1;
  }
  is(distinct(@v4, @v7, @v1), 60, "$guard: no duplicates among twenty connections");
  is(distinct(map { substr $_, 0, 13 } @v4), 20, "$guard: no two version 4 values have the same first half");
  is(distinct(map { substr $_, 20 } @v4, @v7), 40,
    "$guard: no two values of versions 4 and 7 have the same random tail");
  is(distinct(map { substr $_, 24 } @v1), 20, "$guard: no two connections have the same version 1 node");
  return;
}

my $node = start_server('preload');
check_connections($node, 'all fork guards');

# If the kernel cannot wipe pages on fork, only the process ID tells backends apart.
{
  my $old_kernel = PostgreSQL::Test::Utils::tempdir() . '/old_kernel.so';
  system_or_bail(split(' ', $ENV{CC} // 'cc'), qw(-shared -fPIC -O2),
    '-o', $old_kernel, "$FindBin::RealBin/old_kernel.c");
  local %ENV = (%ENV, LD_PRELOAD => join(' ', grep { $_ } $ENV{LD_PRELOAD}, $old_kernel));
  my $server = start_server('old_kernel');
  check_connections($server, 'process ID as the only guard');
  $server->stop;
}

# A parallel query generates values in several workers, as its plan and the nodes of version 1 show,
# without duplicates.
$node->safe_psql('postgres', q{
  CREATE TABLE source AS SELECT n FROM generate_series(1, 200000) AS n;
  ANALYZE source});
my $plan = $node->safe_psql('postgres', parallel_settings() . q{
  EXPLAIN (ANALYZE, VERBOSE, COSTS OFF)
  CREATE TABLE made AS
  SELECT uuid_v1() AS v1, uuid_v4() AS v4, uuid_v6() AS v6, uuid_v7() AS v7 FROM source WHERE n % 50 > 0 OR meet()});
is($node->safe_psql('postgres', 'SELECT count(DISTINCT uuid_extract_node(v1)) FROM made'), 4,
  'four parallel workers take part');
like($plan, qr/Workers Launched: 4\n.*Output: uuid_v1\(\), uuid_v4\(\), uuid_v6\(\), uuid_v7\(\)/s,
  'the workers of a parallel query generate the values');
is( $node->safe_psql('postgres', q{
    SELECT count(DISTINCT v1), count(DISTINCT v4), count(DISTINCT v6), count(DISTINCT v7) FROM made}),
  '200000|200000|200000|200000', 'no duplicates among parallel workers');

done_testing();
