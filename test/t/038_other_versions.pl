# WAL records and shared memory of another version of the library are rejected.

use Helpers;

my $probe = compile('probe.c');
my $node = start_node('other_versions', "shared_preload_libraries = 'uuidx'\n", allows_streaming => 1);
$node->safe_psql('postgres', qq{
  CREATE FUNCTION log_record(int, bytea) RETURNS void LANGUAGE C AS '$probe';
  CREATE FUNCTION make_segment(int) RETURNS void LANGUAGE C AS '$probe'});

# Unknown records; 020 has known ones. A server with assertions writes no empty one.
my $asserts = $node->safe_psql('postgres', 'SHOW debug_assertions') eq 'on';
for my $case (
  [ 'another op code', 16, '\x0000000000000000', 'unknown record with op code 16 and length 8' ],
  [ 'too short',       0,  '\x00',               'unknown record with op code 0 and length 1' ],
  [ 'too long',        0,  '\x000000000000000000', 'unknown record with op code 0 and length 9' ],
  $asserts ? () : [ 'empty', 0, '\x', 'unknown record with op code 0 and length 0' ])
{
  my ($name, $info, $data, $error) = @$case;
  my $copy = PostgreSQL::Test::Cluster->new($name =~ s/ /_/gr);
  $node->backup($copy->name);
  $copy->init_from_backup($node, $copy->name);
  $copy->start;
  $copy->safe_psql('postgres', "SELECT log_record($info, '$data')");
  $copy->stop('immediate');
  my $offset = -s $copy->logfile;
  ok(!$copy->start(fail_ok => 1), "WAL record, $name: the server does not start");
  like(slurp_file($copy->logfile, $offset), qr/PANIC:  uuidx_redo: $error\n/,
    "WAL record, $name: the log has the error");
  # pg_waldump shows the kind of a known one.
  my $segments = $copy->data_dir . '/pg_wal';
  my ($first)  = sort map { s{.*/}{}r } glob("$segments/0*");
  my ($dump)   = run_command([ 'pg_waldump', '-p', $segments, '-r', 'custom178', $first ]);
  like($dump, qr/custom178/, "WAL record, $name: pg_waldump shows it");
}

SKIP: {
  skip 'PostgreSQL before 17 has no shared memory by name', 1 if $node->pg_version < 17;
  $node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
  for my $case (
    [ 'another layout', 1024, qr/ERROR:  55000: shared memory of uuidx was initialized by an incompatible version/ ],
    [ 'another size',   64,   qr/ERROR:  .*(?:segment size|size of existing)/ ])
  {
    my ($name, $size, $error) = @$case;
    $node->restart;
    my $session = $node->background_psql('postgres');
    $session->query("SELECT make_segment($size)");
    for my $call ('uuid_v7_server()', 'uuid_v7_advance(uuid_v7())', 'uuid_generator_state()') {
      like(error_of($node, "SELECT $call"), $error, "shared memory, $name: $call is an error");
    }
    is($node->safe_psql('postgres', 'SELECT uuid_extract_version(uuid_v7())'), 7,
      "shared memory, $name: uuid_v7() works");
    $session->quit;
  }
}

done_testing();
