# A column default in a background worker: the apply worker of logical replication fills a column
# that the publisher's table lacks.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('background_worker');
$node->init(allows_streaming => 'logical');
$node->start;
$node->safe_psql('postgres', 'CREATE DATABASE publisher');
$node->safe_psql('postgres', 'CREATE DATABASE subscriber');

# Rows from before the subscription are copied, later ones applied. A subscription to the same server
# needs an existing slot.
$node->safe_psql('publisher', q{
  CREATE TABLE event (n int PRIMARY KEY);
  INSERT INTO event SELECT generate_series(1, 1000);
  CREATE PUBLICATION events FOR TABLE event;
  SELECT pg_create_logical_replication_slot('events', 'pgoutput')});
my $publisher = $node->connstr . ' dbname=publisher application_name=events';
$node->safe_psql('subscriber', qq{
  CREATE EXTENSION uuidx;
  CREATE TABLE event (
    n int PRIMARY KEY,
    id uuid NOT NULL DEFAULT uuid_v7() CHECK (uuid_extract_version(id) = 7),
    made timestamptz GENERATED ALWAYS AS (uuid_extract_time(id)) STORED);
  CREATE SUBSCRIPTION events CONNECTION '$publisher' PUBLICATION events
    WITH (create_slot = false)});
$node->wait_for_subscription_sync($node, 'events', 'subscriber');
my $start = $node->safe_psql('subscriber', 'SELECT clock_timestamp()');
$node->safe_psql('publisher', q{
  INSERT INTO event SELECT generate_series(1001, 4000);
  INSERT INTO event VALUES (4001), (4002);
  BEGIN; INSERT INTO event VALUES (4003); INSERT INTO event VALUES (4004); COMMIT;
  INSERT INTO event SELECT generate_series(4005, 5000)});
$node->wait_for_catchup('events');

# Values of both kinds of worker: version 7, no duplicates, strictly increasing in the order of
# insertion, and the generated column agrees.
is( $node->safe_psql('subscriber', q{
    SELECT n > 1000 AS applied, count(*), count(DISTINCT id),
      count(*) FILTER (WHERE NOT later), count(*) FILTER (WHERE version IS DISTINCT FROM 7),
      count(*) FILTER (WHERE made IS DISTINCT FROM uuid_extract_time(id))
    FROM (
      SELECT *, uuid_extract_version(id) AS version,
        id > lag(id) OVER (PARTITION BY n > 1000 ORDER BY n) AS later
      FROM event) AS s
    GROUP BY 1 ORDER BY 1}),
  "f|1000|1000|0|0|0\nt|4000|4000|0|0|0",
  'defaults of copied and of applied rows');

# Applied rows were filled when applied, not when read.
is( $node->safe_psql('subscriber', qq{
    SELECT count(*) FROM event
    WHERE n > 1000 AND uuid_extract_time_precise(id) NOT BETWEEN '$start' AND clock_timestamp()}),
  '0', 'applied rows have the time of their application');

$node->safe_psql('subscriber', 'DROP SUBSCRIPTION events');
done_testing();
