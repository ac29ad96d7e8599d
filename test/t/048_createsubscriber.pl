# A standby that pg_createsubscriber turns into a subscriber keeps its mark.
# Its system identifier changes. Values of uuid_v7_server() continue above those of the primary, close to the clock.

use Helpers;

my $primary = PostgreSQL::Test::Cluster->new('primary');
plan skip_all => 'PostgreSQL before 17 has no pg_createsubscriber' if $primary->pg_version < 17;
$primary->init(allows_streaming => 'logical');
$primary->append_conf('postgresql.conf', "shared_preload_libraries = 'uuidx'\n");
$primary->start;
$primary->safe_psql('postgres', q{
  CREATE EXTENSION uuidx;
  CREATE TABLE ticket (id uuid PRIMARY KEY DEFAULT uuid_v7_server());
  -- Ahead of the clock, so that the clock alone would bring values back.
  SELECT uuid_v7_advance(uuid_v7('30 s'));
  INSERT INTO ticket DEFAULT VALUES});
my $last = $primary->safe_psql('postgres', 'SELECT max(id) FROM ticket');

$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->set_standby_mode;
$standby->start;
$primary->wait_for_replay_catchup($standby);
$standby->stop;
command_ok([ 'pg_createsubscriber', '-D', $standby->data_dir, '-P', $primary->connstr . ' dbname=postgres',
  '-d', 'postgres', '-s', $standby->host, '-p', $standby->port ], 'pg_createsubscriber succeeds');

my $offset = -s $standby->logfile // 0;
$standby->start;
my $first = $standby->safe_psql('postgres', 'SELECT uuid_v7_server()');
cmp_ok($first, 'gt', $last, 'values continue above those of the primary');
cmp_ok(tick_of($first), '<', tick_of($last) + (2_500 << 16), 'values continue close to those of the primary');
unlike(slurp_file($standby->logfile, $offset), qr/WARNING: .*uuidx/, 'the new server starts without a warning');
ok(!-e $standby->data_dir . '/uuidx.mark.rejected', 'the mark file is not set aside');
$standby->restart;
cmp_ok($standby->safe_psql('postgres', 'SELECT uuid_v7_server()'), 'gt', $first,
  'values continue in order after a restart');

done_testing();
