# Logical replication, pg_createsubscriber, point-in-time recovery and servers from a backup keep rows and order.

use Helpers;

my $preloaded = "shared_preload_libraries = 'uuidx'\n";

# Starts a server with tables. Arguments: its node, settings, options for the node's init.
sub start($node, $conf, %init) {
  $node->init(%init);
  # uuid_v7_advance() sets the servers hours ahead of the clock, so that no value is in order by the clock alone.
  $node->append_conf('postgresql.conf',
    "uuidx.max_clock_lead = '10 d'\nautovacuum = off\ntimezone = 'UTC'\n$conf");
  $node->start;
  $node->safe_psql('postgres', q{
    CREATE EXTENSION uuidx;
    CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), body text);
    CREATE TABLE ticket (id uuid PRIMARY KEY DEFAULT uuid_v7_server())});
}

# Advances the server some hours ahead of the clock, inserts rows, and returns the greatest key of each
# table, that of uuid_v7_server() first.
sub make_rows($node, $hours) {
  $node->safe_psql('postgres', qq{
    SELECT uuid_v7_advance(uuid_v7_at(clock_timestamp() + interval '$hours hours'));
    INSERT INTO ticket SELECT uuid_v7_server() FROM generate_series(1, 50)});
  # In another session, whose uuid_v7() was not advanced.
  $node->safe_psql('postgres', q{
    INSERT INTO event (body) SELECT 'n ' || n FROM generate_series(1, 50) AS n});
  return map { $node->safe_psql('postgres', "SELECT max(id) FROM $_") } 'ticket', 'event';
}

# Logical replication.
my ($publisher, $subscriber) = map { PostgreSQL::Test::Cluster->new($_) } 'publisher', 'subscriber';
start($_, $preloaded, allows_streaming => 'logical') for $publisher, $subscriber;

# A subscriber keeps a time equal to that of the key, also of rows that the publisher had before: in workers, for which
# search_path is empty.
$publisher->safe_psql('postgres', q{
  CREATE TABLE payment (created_at timestamptz, id uuid PRIMARY KEY);
  INSERT INTO payment SELECT now(), uuid_v7() FROM generate_series(1, 50)});
$subscriber->safe_psql('postgres', q{
  CREATE TABLE payment (id uuid PRIMARY KEY, n int,
    created_at timestamptz CHECK (created_at = uuid_extract_v7_time(id)));
  CREATE TRIGGER created_at BEFORE INSERT OR UPDATE ON payment
    FOR EACH ROW EXECUTE FUNCTION uuid_time_trigger('id', 'created_at');
  ALTER TABLE payment ENABLE ALWAYS TRIGGER created_at});

$publisher->safe_psql('postgres', 'CREATE PUBLICATION tickets FOR TABLE ticket, payment');
my $address = $publisher->connstr . ' dbname=postgres';
$subscriber->safe_psql('postgres',
  "CREATE SUBSCRIPTION tickets CONNECTION '$address' PUBLICATION tickets");
$subscriber->wait_for_subscription_sync($publisher, 'tickets');

# The publisher's mark is not replicated, and the subscriber continues, both as documented.
my ($greatest) = make_rows($publisher, 5);
$publisher->safe_psql('postgres', q{
  INSERT INTO payment SELECT NULL, uuid_v7() FROM generate_series(1, 50);
  UPDATE payment SET created_at = created_at - interval '20 minutes'});
$publisher->wait_for_catchup('tickets');
is($subscriber->safe_psql('postgres', 'SELECT count(created_at), count(DISTINCT id) FROM payment'), '100|100',
  'replication: the trigger sets the time of rows that arrive');
is($subscriber->safe_psql('postgres', 'SELECT max(id) FROM ticket'), $greatest, 'replication: the keys arrive');
cmp_ok($subscriber->safe_psql('postgres', 'SELECT uuid_v7_server()'), 'lt', $greatest,
  'replication: the mark is not replicated, so a value of the subscriber can be smaller');
is($subscriber->safe_psql('postgres', q{
    CREATE ROLE operator;
    GRANT EXECUTE ON FUNCTION uuid_v7_advance(uuid) TO operator;
    GRANT SELECT ON ticket TO operator;
    SET ROLE operator;
    SELECT uuid_v7_advance(max(id)) FROM ticket}),
  $greatest, 'replication: uuid_v7_advance(), by a role to which it is granted, advances the subscriber to the keys');
cmp_ok($subscriber->safe_psql('postgres', 'INSERT INTO ticket DEFAULT VALUES RETURNING id'),
  'gt', $greatest, 'replication: after uuid_v7_advance(), new keys of the subscriber are above the replicated ones');
$_->stop for $subscriber, $publisher;

recover('preloaded');
SKIP: {
  skip 'before PostgreSQL 17 uuidx must be preloaded', 1 if $publisher->pg_version < 17;
  recover('not preloaded');
}

# Starts a server from a backup of the origin, recovered to the restore point or not.
sub restore($origin, $name, $is_recovered = undef) {
  my $node = PostgreSQL::Test::Cluster->new($name =~ s/\W/_/gr);
  $node->init_from_backup($origin, 'base', $is_recovered ? (has_restoring => 1, standby => 0) : ());
  $node->append_conf('postgresql.conf', "archive_mode = off\n");
  $node->append_conf('postgresql.conf', "recovery_target_name = 'point'\nrecovery_target_action = 'promote'\n")
    if $is_recovered;
  $node->start;
  $node->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'still in recovery';
  return $node;
}

# Archives the write-ahead log up to now.
sub archive($origin) {
  my $segment = $origin->safe_psql('postgres', 'SELECT pg_walfile_name(pg_switch_wal())');
  $origin->poll_query_until('postgres',
    "SELECT last_archived_wal >= '$segment' FROM pg_stat_archiver")
    or die 'the log is not archived';
}

# Starts a server, backs it up, recovers it to a point in time, and starts a copy of it.
sub recover($how) {
  my $origin = PostgreSQL::Test::Cluster->new("origin of $how" =~ s/ /_/gr);
  start($origin, $how eq 'preloaded' ? $preloaded : '', has_archiving => 1, allows_streaming => 1);
  # A step before the backup, one before the point, and one after it.
  my ($in_backup) = make_rows($origin, 1);
  $origin->backup('base');
  my ($at_point, $event) = make_rows($origin, 2);
  $origin->safe_psql('postgres', q{SELECT pg_create_restore_point('point')});
  make_rows($origin, 3);
  archive($origin);

  my $node = restore($origin, "$how, recovered", 1);
  is( $node->safe_psql('postgres', q{
      SELECT count(*), max(id) FROM ticket; SELECT count(*), max(id) FROM event}),
    "100|$at_point\n100|$event", "$how: the rows are those of the recovery point");
  check_recovered($node, $how, $in_backup, $at_point);
  $node->stop;
  # The origin still runs.
  my $copy = restore($origin, "$how, copy");
  cmp_ok($copy->safe_psql('postgres', 'SELECT uuid_v7_server()'), 'gt', $in_backup,
    "$how: a server from a backup continues above the backup");
  $_->stop for $copy, $origin;
}

# Checks the order of values after a recovery. Arguments: server, whether it is preloaded, and the last values of
# uuid_v7_server() in the backup and at the point.
sub check_recovered($node, $how, $in_backup, $at_point) {
  my $first = $node->safe_psql('postgres', 'SELECT uuid_v7_server()');
  cmp_ok($first, 'gt', $in_backup, "$how: uuid_v7_server() continues above the backup");
  if ($how eq 'preloaded') {
    cmp_ok($first, 'gt', $at_point, "$how: uuid_v7_server() continues above the recovery point");
  }
  else {
    # The documentation says so: the order is that of the backup.
    cmp_ok($first, 'lt', $at_point, "$how: uuid_v7_server() is below the recovery point");
    $node->safe_psql('postgres', 'SELECT uuid_v7_advance(max(id)) FROM ticket');
  }
  # Each in a new session, and again after a crash.
  my @made = map {
    $node->stop('immediate'), $node->start if $_ == 3;
    $node->safe_psql('postgres', 'INSERT INTO ticket DEFAULT VALUES RETURNING id')
  } 1 .. 5;
  is_deeply([ sort @made ], \@made, "$how: uuid_v7_server() stays in order, also after a crash");
  cmp_ok($made[0], 'gt', $at_point, "$how: uuid_v7_server() is above all rows");
}

# A standby that pg_createsubscriber turns into a subscriber has another system identifier, and keeps its mark.
SKIP: {
  skip 'PostgreSQL before 17 has no pg_createsubscriber', 1 if $publisher->pg_version < 17;
  my ($primary, $standby) = map { PostgreSQL::Test::Cluster->new($_) } 'primary', 'standby';
  start($primary, $preloaded, allows_streaming => 'logical');
  # Ahead of the clock, so that the clock alone would bring values back.
  my $last = $primary->safe_psql('postgres', q{
    SELECT uuid_v7_advance(uuid_v7('30 s')) IS NULL;
    INSERT INTO ticket DEFAULT VALUES RETURNING id}) =~ s/^f\n//r;
  $primary->backup('backup');
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
  cmp_ok($first, 'gt', $last, 'pg_createsubscriber: values continue above those of the primary');
  cmp_ok(tick_of($first), '<', tick_of($last) + (2_500 << 16), 'pg_createsubscriber: values continue close to those');
  unlike(slurp_file($standby->logfile, $offset), qr/WARNING: .*uuidx/, 'pg_createsubscriber: no warning at the start');
  ok(!-e $standby->data_dir . '/uuidx.mark.rejected', 'pg_createsubscriber: the mark file is not set aside');
  $standby->restart;
  cmp_ok($standby->safe_psql('postgres', 'SELECT uuid_v7_server()'), 'gt', $first,
    'pg_createsubscriber: values continue in order after a restart');
}

done_testing();
