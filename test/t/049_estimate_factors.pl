# Row estimates are within a factor of 2 of the rows on tables where they were once far off.
# Nearly always, they are so on generated tables, too: keys of several versions, bursts and gaps, rows deleted, marked
# dead, updated and inserted later. test/planner/estimates.py makes and judges them; test/planner/run.sh runs more.

use strict;
use warnings FATAL => 'all';

use FindBin;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('estimate_factors');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nfsync = off\n");
$node->start;

local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
local $ENV{PSQL} = $node->config_data('--bindir') . '/psql';
my ($output, $error) = ('', '');
IPC::Run::run [ 'python3', '-B', "$FindBin::RealBin/../planner/estimates.py" ], '>', \$output, '2>', \$error;
my $status = $?;
for my $line (split /\n/, $output) {
  if ($line =~ /^(not )?ok - (.*)/) { ok(!$1, $2) } else { note($line =~ s/^# //r) }
}
is("$status $error", '0 ', 'estimates.py succeeds');

done_testing();
