# Raising the mark of uuid_v7_server() costs two flushes, and a slow disk delays no statement_timeout.
# The flushes are of the file and of WAL; replay needs fewer.

use FaultShim;
use Helpers;

my $marks = 2_000;

# Starts a server with fsync on, and without flushes of background processes.
sub start($name, $conf) {
  return FaultShim->new(name => $name,
    conf => "fsync = on\nwal_writer_delay = '10 s'\ncheckpoint_timeout = '1 d'\nlog_checkpoints = on\n"
      . "bgwriter_lru_maxpages = 0\n$conf");
}

# Counts the flushes for many marks, one per value, as the clock jumps 3 s at every reading.
sub check_flushes($name, $server, $most) {
  my $session = $server->session;
  $session->error('CREATE TEMP TABLE made_now AS SELECT uuid_v7_server() AS id');
  my $before = $server->flushes;
  $server->fault(clock => 'moved', step => 3_000_000_000);
  # In parts, each within the session's timeout.
  $session->error('INSERT INTO made_now SELECT uuid_v7_server() FROM (SELECT generate_series(1, 1000)) AS s')
    for 1 .. $marks / 1_000;
  my $flushes = $server->flushes - $before;
  is( $session->value(q{SELECT count(*) FILTER (WHERE uuid_extract_time(id) - before < interval '2 s')
      FROM (SELECT id, uuid_extract_time(lag(id) OVER (ORDER BY id)) AS before FROM made_now) AS s}),
    0, "$name: $marks values need a mark each");
  # The rest of the server flushes a few more.
  cmp_ok($flushes, '>=', $marks, "$name: marks are flushed");
  cmp_ok($flushes, '<', $most * $marks + 100, "$name: $most flushes a mark ($flushes of $marks)");
}

# While one session waits for the disk, others that need the mark can be canceled, with wait events for all.
sub check_wait($name, $server) {
  my $node = $server->{node};
  my ($slow, $second, $third) = map { $server->line } 1 .. 3;
  $_->ask('SELECT uuid_v7_server();') for $slow, $second, $third;
  $server->fault_mark(delay => 50_000);
  $server->fault(clock => 'moved', time => [ 100_000_000, 0 ]);
  $slow->say('SELECT uuid_v7_server();');
  my ($flush, $wait) = $node->pg_version < 17 ? ('Extension') x 2 : ('UuidxMarkSync', 'UuidxMark');
  ok(waits_for($node, $slow->pid, $flush), "$name: the session that flushes the mark shows a wait event");
  $third->say('SELECT uuid_v7_server();');
  ok(waits_for($node, $third->pid, $wait), "$name: a session that waits for another one's flush shows a wait event");
  is($second->ask("SET statement_timeout = '300ms'; SELECT uuid_v7_server();"), 'ERROR:  57014',
    "$name: a session can be canceled while another one flushes");
  is($slow->next_line(0), undef, "$name: the other session still flushes");
  $server->fault_mark;  # ends the flush
  my @ids = map { $_->hear } $slow, $third;
  like("@ids", qr/^[0-9a-f-]{36} [0-9a-f-]{36}$/, "$name: the sessions that were not canceled get their values");
  $server->fault;
  $_->quit for $slow, $second, $third;
}

# Recovery reads all marks again. Those that the clock has passed are written a minute ahead, and so not each of them;
# values nevertheless continue above the last one if the clock is then set back.
sub check_replay($server) {
  my $node = $server->{node};
  $server->fault;
  my $last = $node->safe_psql('postgres', 'SELECT uuid_v7_server()');
  $node->stop('immediate');
  unlink($node->data_dir . '/uuidx.mark') or die "uuidx.mark: $!";
  $server->fault(clock => 'moved', time => [ 10 * 86_400, 0 ]);
  my $before = $server->flushes;
  $server->start;
  my $flushes = $server->flushes - $before;
  # Some are of the whole data directory, before and after.
  cmp_ok($flushes, '<', $marks, "replay: fewer flushes than marks ($flushes of $marks)");
  cmp_ok(mark_of($node->data_dir), '>=', tick_of($last), 'replay: the file has a mark above all values');
  cmp_ok(mark_of($node->data_dir), '<', tick_of($last) + (63_000 << 16), 'replay: the mark is about a minute ahead');
  $server->fault;
  cmp_ok($node->safe_psql('postgres', 'SELECT uuid_v7_server()'), 'gt', $last,
    'replay: values continue above the last one');
}

my $server = start('preloaded', "shared_preload_libraries = 'uuidx'\n");
$server->{node}->safe_psql('postgres', 'CHECKPOINT');
check_flushes('preloaded', $server, 2);
check_replay($server);
check_wait('preloaded', $server);
$server->{node}->stop;

SKIP: {
  skip 'PostgreSQL before 17 needs preloading', 1 if $server->{node}->pg_version < 17;
  $server = start('not_preloaded', '');
  check_flushes('not preloaded', $server, 1);
  check_wait('not preloaded', $server);
  $server->{node}->stop;
}

done_testing();
