# The extension works in a folder that only extension_control_path and dynamic_library_path name.
# The server's own folders do not have it. Create, preload, crash recovery, pg_upgrade.

use File::Path;
use Helpers;

plan skip_all => 'PostgreSQL before 18 has no extension_control_path'
  if `pg_config --version` =~ /^PostgreSQL (\d+)/ && $1 < 18;

# A server without uuidx, and a folder with it, laid out like an image for CloudNativePG.
my $folder  = PostgreSQL::Test::Utils::tempdir();
my $outside = "$folder/outside";
my %copy = copy_postgresql();
mkpath([ "$outside/lib", "$outside/share/extension" ]);
system_or_bail('cp', folder_of('pkglibdir') . '/uuidx.so', "$outside/lib");
system_or_bail('cp', glob(folder_of('sharedir') . '/extension/uuidx*'), "$outside/share/extension");

# Makes a server of the copy, with paths to the folder.
sub new_node($name) {
  my $node = PostgreSQL::Test::Cluster->new($name, install_path => $copy{install_path});
  $node->init;
  $node->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'uuidx'
extension_control_path = '\$system:$outside/share'
dynamic_library_path = '\$libdir:$outside/lib'
uuidx.max_clock_lead = '2h'
});
  return $node;
}

my $node = new_node('outside');
ok(!-e "$copy{pkglibdir}/uuidx.so", 'the server does not have the library');
$node->start;

$node->safe_psql('postgres', q{
  CREATE EXTENSION uuidx;
  CREATE TABLE ticket (id uuid PRIMARY KEY DEFAULT uuid_v7_server());
  INSERT INTO ticket SELECT FROM generate_series(1, 1000)});
is($node->safe_psql('postgres', q{
    SELECT count(*) FROM ticket WHERE id >= now() - interval '1 day';
    SELECT persistence FROM uuid_generator_state() WHERE scope = 'server';
    SELECT DISTINCT probin FROM pg_proc WHERE probin LIKE '%uuidx';
    SET debug_parallel_query = on;
    SELECT DISTINCT uuid_extract_version(id) FROM ticket}),
  "1000\nfile and WAL\nuuidx\n7", 'the extension works, preloaded and in a parallel worker');

# Values an hour ahead, and a crash. Without its file, the mark is known from the WAL alone.
my $greatest = $node->safe_psql('postgres', q{
  CHECKPOINT;
  SELECT uuid_v7_advance(uuid_v7_at(now() + interval '1 hour')) > nil_uuid();
  INSERT INTO ticket DEFAULT VALUES RETURNING id}) =~ s/^t\n//r;
kill_server($node);
unlink($node->data_dir . '/uuidx.mark') or die "uuidx.mark: $!";
$node->adjust_conf('postgresql.conf', 'dynamic_library_path', q{'$libdir'});
ok(!$node->start(fail_ok => 1), 'without dynamic_library_path the server does not start');
like(slurp_file($node->logfile), qr/FATAL:  could not access file "uuidx"/, 'the log says that the library is missing');
$node->adjust_conf('postgresql.conf', 'dynamic_library_path', "'\$libdir:$outside/lib'");
$node->start;
like(slurp_file($node->logfile), qr/redo starts at/, 'with dynamic_library_path, the server recovers');
cmp_ok($node->safe_psql('postgres', 'SELECT uuid_v7_server()'), 'gt', $greatest,
  'values after recovery are above all earlier ones');
is($node->safe_psql('postgres', 'SELECT count(*), max(id) FROM ticket'), "1001|$greatest",
  'after recovery, the table has all rows');

# pg_upgrade loads the library by the name in the catalog: with $libdir in it, only the server's folder would do.
$node->stop;
my $new = new_node('upgraded');
chdir($folder) or die "$folder: $!";
$new->command_ok([ 'pg_upgrade', '--no-sync', '--old-datadir', $node->data_dir, '--new-datadir', $new->data_dir,
    '--old-bindir', $copy{bindir}, '--new-bindir', $copy{bindir}, '--socketdir', $new->host,
    '--old-port', $node->port, '--new-port', $new->port ],
  'pg_upgrade succeeds');
$new->start;
is($new->safe_psql('postgres', 'SELECT count(*), uuid_extract_version(uuid_v7()) FROM ticket'),
  '1001|7', 'the upgraded server works');
$new->stop;

done_testing();
