# postgres_fdw sends a time condition to the remote server if that can evaluate it.
# test/planner/pairs.py compares the rows that such servers return with those of a local table.

use Helpers;

# The session's time zone differs from the remote one's, UTC.
my $node = start_node('fdw', "timezone = 'Asia/Kathmandu'\n");
plan skip_all => 'postgres_fdw is not installed'
  if !is_available($node, 'postgres_fdw');

# Two remote databases: one with uuidx, listed in `extensions`, one without.
my $table = 'CREATE TABLE event (id uuid PRIMARY KEY, n int)';
$node->safe_psql('postgres', "CREATE DATABASE $_") for 'knowing', 'plain';
$node->safe_psql('knowing', "CREATE EXTENSION uuidx; $table");
$node->safe_psql('plain', $table);
my $address = sprintf q{host '%s', port '%s'}, $node->host, $node->port;
$node->safe_psql('postgres', qq{
  CREATE EXTENSION postgres_fdw;
  CREATE SERVER knowing FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS ($address, dbname 'knowing', extensions 'uuidx');
  CREATE SERVER plain FOREIGN DATA WRAPPER postgres_fdw OPTIONS ($address, dbname 'plain');
  CREATE USER MAPPING FOR CURRENT_USER SERVER knowing;
  CREATE USER MAPPING FOR CURRENT_USER SERVER plain;
  CREATE FOREIGN TABLE knowing (id uuid, n int) SERVER knowing OPTIONS (table_name 'event');
  CREATE FOREIGN TABLE plain (id uuid, n int) SERVER plain OPTIONS (table_name 'event')});

$node->safe_psql('postgres', q{
  INSERT INTO knowing SELECT uuid_v7_at(t), extract(hour FROM t)
    FROM generate_series(timestamptz '2026-03-01 UTC', '2026-04-30 UTC', '1 hour') AS t});

# Returns the plan of a query, after some other statements.
sub plan_of($query, @before) {
  return $node->safe_psql('postgres', join ";\n", @before, "EXPLAIN (VERBOSE, COSTS OFF) $query");
}

# The test of the version, which is part of every condition. It is sent only to a server with uuidx.
my $version_test = qr/\(+public\.uuid_is_v7\(id\)\)+/;

# Returns what a plan sends to other servers, except for the test of the version, and what it filters locally.
sub remote_of {
  my $sent = join "\n", $_[0] =~ /Remote SQL: (.*)/g;
  $sent =~ s/ AND $version_test(?= AND| OR| GROUP| ORDER| RETURNING| FOR|\)|$)//gm;
  $sent =~ s/ WHERE $version_test(?= GROUP| ORDER| FOR|$)//gm;
  return $sent;
}

sub filters_of {
  return join "\n", $_[0] =~ /^\s*(?:Filter|One-Time Filter|Join Filter): (.*)/gm;
}

# Checks that a condition is sent only to the server with uuidx. If a type and value are given, it is a parameter of a
# generic plan, as after some executions.
sub sent_where_known($condition, $sent, $type = undef, $value = undef) {
  for my $from ('knowing', 'plain') {
    my $query = "SELECT id, n FROM $from WHERE $condition";
    my $name = join ', ', $condition, $type // ();
    my $plan = !defined $type ? plan_of($query) : plan_of("EXECUTE rows ($value)",
      'SET plan_cache_mode = force_generic_plan', "PREPARE rows ($type) AS $query");
    if ($from eq 'knowing') {
      like(remote_of($plan), $sent, "$name: sent to the server with uuidx");
      is(filters_of($plan), '', "$name: no local filter");
    } else {
      unlike(remote_of($plan), qr/uuid_|OPERATOR/, "$name: not sent to the server without uuidx");
      like(filters_of($plan), qr/uuid_|<@/, "$name: filtered locally");
    }
  }
}

my $uuid = q{'[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'(?:::uuid)?};
my $day = q{timestamptz '2026-03-10 UTC'};
my $time_range = q{tstzrange '[2026-03-10 UTC,2026-03-11 UTC)'};
my $pair = qr/id >= $uuid\)+ AND \(+id < $uuid/;

# With constants, comparisons of UUIDs are sent, even to the server without uuidx, and the version is tested here. Below
# NOT, both are joined by OR, and cannot be sent there. Commutators have the same plans, as sql/time_plans.sql shows.
for my $constant (
  [ "id < $day", qr/id < $uuid/ ],
  [ "NOT id < $day", qr/id >= $uuid/ ],
  [ "id >= $day AND id < timestamptz '2026-03-11 UTC'", $pair ],
  [ "id <@ $time_range", $pair ],
  [ "NOT id <@ $time_range", qr/id < $uuid\)+ OR \(+id >= $uuid/ ],
  [ "id <@ tstzrange '[2026-03-10 UTC,)' AND n = 7", qr/id >= $uuid\)+ AND \(+n = 7/ ])
{
  my ($condition, $sent) = @$constant;
  for my $from ('knowing', 'plain') {
    my $plan = plan_of("SELECT id, n FROM $from WHERE $condition");
    if ($from eq 'plain' && $condition =~ /^NOT/) {
      unlike(remote_of($plan), qr/WHERE/, "$condition: not sent to plain");
      next;
    }
    like(remote_of($plan), $sent, "$condition: sent to $from");
    like(filters_of($plan), $from eq 'plain' ? qr/^(?:[( ]|AND|uuid_is_v7\(\w+\.id\))+\)*$/ : qr/^$/,
      "$condition: no local filter on rows of $from, except for the version");
  }
}

like(plan_of("SELECT id, n FROM knowing WHERE $_"), qr/Remote SQL: .* (?:AND|WHERE) $version_test/,
  "$_: the server with uuidx tests the version")
  for "id >= $day", "id <@ $time_range", "$time_range @> id", 'uuid_is_v7(id)';

my $extracted = "uuid_extract_v7_time(id) >= $day AND uuid_extract_v7_time(id) < timestamptz '2026-03-11 UTC'";
like(remote_of(plan_of("SELECT n FROM knowing WHERE $extracted")), $pair,
  'for an extracted time, the server with uuidx gets comparisons of the key');

# Values known only at execution: parameters and uncorrelated sub-selects.
my $min = qr/public\.uuid_v7_min\(\$\d::timestamp with time zone\)/;
my $bounds =
  qr/id >= public\.uuid_v7_lower\(\$\d::tstzrange\)\)+ AND \(+id <= public\.uuid_v7_upper\(\$\d::tstzrange\)/;
my $hour = q{tstzrange(now() - interval '1 hour', now())};
# For an id that is not a column, the internal function is sent.
my $early = 'CASE WHEN n < 20 THEN id END';
for my $case (
  [ 'id >= $1', qr/id >= $min/, 'timestamptz', $day ],
  [ 'id < $1', qr/id < $min/, 'timestamptz', $day ],
  [ q{id >= $1 AND id < timestamptz '2026-03-11 UTC'}, qr/id >= $min\)+ AND|AND \(+id >= $min/, 'timestamptz', $day ],
  [ 'id <@ $1', $bounds, 'tstzrange', $time_range ],
  [ q{id >= (SELECT now() - interval '1 hour')}, qr/id >= $min/ ],
  [ "id <@ (SELECT $hour)", qr/public\.uuid_in_time_range\(id, \$\d::tstzrange\)/ ],
  [ "$early <@ $time_range", qr/public\.uuid_in_time_range\(/ ])
{
  sent_where_known(@$case);
}

# A plain now() is not sent, as it could differ there; a sub-select's result is.
for my $condition (q{id >= now() - interval '1 hour'}, "id <@ $hour") {
  for my $from ('knowing', 'plain') {
    my $plan = plan_of("SELECT id, n FROM $from WHERE $condition");
    unlike(remote_of($plan), qr/WHERE/, "$condition: not sent to $from");
    like(filters_of($plan), qr/now\(\)/, "$condition: filtered locally");
  }
}

is( $node->safe_psql('postgres', qq{
    ALTER SERVER knowing OPTIONS (ADD use_remote_estimate 'true');
    SET plan_cache_mode = force_generic_plan;
    PREPARE answer (tstzrange) AS SELECT count(*) FROM knowing WHERE id <@ \$1;
    EXECUTE answer ($time_range)}),
  24, 'with use_remote_estimate, a generic plan returns the same rows');
$node->safe_psql('postgres', 'ALTER SERVER knowing OPTIONS (DROP use_remote_estimate)');

# Two tables of the server are joined there if that is estimated to be cheaper.
$node->safe_psql('knowing', q{
  CREATE TABLE booking (during tstzrange);
  INSERT INTO booking VALUES ('[2026-03-01 UTC,2026-04-01 UTC)'),
    ('[2026-03-10 UTC,2026-03-10 12:00 UTC)')});
$node->safe_psql('postgres', 'CREATE FOREIGN TABLE booking (during tstzrange) SERVER knowing');
$node->safe_psql('postgres', 'ANALYZE knowing, booking');
my $join = 'FROM knowing AS e JOIN booking AS b ON e.id <@ b.during';
my $plan = plan_of("SELECT e.id $join");
like(remote_of($plan), qr/INNER JOIN .*uuid_v7_lower\(r\d\.during\)/,
  'a join with a range column is sent to the server');
is($node->safe_psql('postgres', "SELECT count(e.id) $join"), 31 * 24 + 12, 'a join that is sent returns the same rows');

# A generated column of a foreign table is computed when a row is written, not when it is read.
$node->safe_psql('knowing', q{
  CREATE TABLE elsewhere (id uuid, at timestamptz);
  INSERT INTO elsewhere VALUES (uuid_v7_at('2026-03-28Z'), '2026-03-30Z')});
$node->safe_psql('postgres', q{
  CREATE FOREIGN TABLE elsewhere (id uuid CHECK (uuid_is_v7(id)),
    at timestamptz GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED) SERVER knowing});
is($node->safe_psql('postgres', q{
    SELECT uuid_is_v7(id) FROM elsewhere LIMIT 0;
    SELECT count(*) FROM elsewhere WHERE at < '2026-03-29Z'}), '0',
  'a generated column of a foreign table has the values of the server');

# Nor does a foreign server obey a CHECK, on a table or on a partition.
$node->safe_psql('postgres', q{
  CREATE TABLE whole (id uuid NOT NULL CHECK (uuid_is_v7(id)), at timestamptz NOT NULL,
    CHECK (at = uuid_extract_v7_time(id))) PARTITION BY RANGE (id);
  CREATE FOREIGN TABLE part PARTITION OF whole FOR VALUES FROM (MINVALUE) TO (MAXVALUE) SERVER knowing
    OPTIONS (table_name 'elsewhere')});
is($node->safe_psql('postgres', qq{
    SELECT uuid_is_v7(id) FROM elsewhere LIMIT 0;
    SELECT count(*) FROM $_ WHERE at < '2026-03-29Z'}), '0', "an ordinary column of the foreign table: $_")
  for 'part', 'whole';
is($node->safe_psql('postgres', q{SELECT problem FROM uuidx_check('whole')}), 'a partition is a foreign table',
  'uuidx_check() names the foreign partition');

like(remote_of(plan_of("UPDATE knowing SET n = n + 100 WHERE id <@ $time_range")),
  qr/^UPDATE public\.event .* WHERE .*$pair/, 'an UPDATE by a time range is sent to the server');
like(remote_of(plan_of("DELETE FROM knowing WHERE id < $day")),
  qr/^DELETE FROM public\.event WHERE .*id < $uuid/, 'a DELETE by a time is sent to the server');
done_testing();
