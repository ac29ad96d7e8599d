# A session that only generates keys plans as without uuidx; the first query by time is served, and cached plans.

use Helpers;

my $node = start_node('planner_sessions', "autovacuum = off\nTimeZone = UTC\nmax_parallel_workers_per_gather = 0\n");
my $server = version_of($node);
my $probe = compile('planner_probe.c');
$node->safe_psql('postgres', qq{
  CREATE FUNCTION count_hooks() RETURNS int LANGUAGE C AS '$probe';
  CREATE FUNCTION ask_support(regprocedure, regclass) RETURNS float8 LANGUAGE C AS '$probe';
  CREATE TABLE made (id uuid DEFAULT uuid_v7(), n int);
  CREATE TABLE key (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)));
  INSERT INTO key SELECT uuid_v7_at('2026-01-01'::timestamptz + i * interval '1 min') FROM generate_series(1, 20000) i;
  CREATE VIEW key_at AS SELECT id, uuid_extract_v7_time(id) AS at FROM key;
  CREATE TABLE stored (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)),
    at timestamptz GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED);
  INSERT INTO stored SELECT id FROM key;
  CREATE TABLE described (LIKE stored INCLUDING ALL);
  INSERT INTO described SELECT id FROM key;
  CREATE STATISTICS loads_described ON (uuid_is_v7(id)) FROM described;
  CREATE TABLE indexed (LIKE stored INCLUDING ALL);
  INSERT INTO indexed SELECT id FROM key;
  CREATE INDEX ON indexed (id) WHERE uuid_is_v7(id);
  CREATE ROLE guest LOGIN;
  CREATE ROLE member;
  GRANT SELECT ON stored TO guest;
  VACUUM ANALYZE});
$node->safe_psql('postgres', q{
  CREATE TABLE virtual (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)),
    at timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(id)) VIRTUAL);
  INSERT INTO virtual SELECT id FROM key;
  CREATE STATISTICS loads_uuidx ON (uuid_is_v7(id)) FROM virtual}) if $server >= 180000;

my $hour = q{WHERE at >= '2026-01-02 00:00Z' AND at < '2026-01-02 01:00Z'};
my $served = qr/Index Cond: \(+id >= '/;

is($node->safe_psql('postgres', q{
    SELECT uuid_v7() IS NULL, uuid_v4() IS NULL, uuid_v6() IS NULL, uuid_v1() IS NULL;
    INSERT INTO made (n) SELECT i FROM generate_series(1, 3) AS i;
    PREPARE another AS INSERT INTO made (n) VALUES ($1) RETURNING id IS NULL;
    EXECUTE another(4);
    SELECT count(*) FROM made WHERE n < 4;
    SELECT count_hooks();
    SELECT count(*) FROM key_at WHERE at >= '2026-01-10';
    SELECT count_hooks();
    SELECT count(*) FROM key_at WHERE at >= '2026-01-10';
    SELECT count_hooks()}),
  "f|f|f|f\nf\n3\n0\n7041\n5\n7041\n5", 'a session that only generates keys has no hooks');

for ([ 'a view', 'key_at' ], [ 'statistics and a virtual column', 'virtual' ],
  [ 'statistics and a stored column', 'described' ],
  [ 'a partial index and a stored column', 'indexed' ]) {
  my ($form, $table) = @$_;
  SKIP: {
    skip 'PostgreSQL before 18 has no virtual columns', 1 if $table eq 'virtual' && $server < 180000;
    like($node->safe_psql('postgres', "EXPLAIN (COSTS OFF) SELECT count(*) FROM $table $hour"), $served,
      "the first query of a session is served by $form");
  }
}
like($node->safe_psql('postgres', q{EXPLAIN SELECT * FROM key WHERE id >= uuid_v7_min('2026-01-14 20:20Z')}),
  qr/rows=6\d /, 'the first query of a session with a bound is estimated');
unlike($node->safe_psql('postgres', "EXPLAIN (COSTS OFF) SELECT count(*) FROM stored $hour"), $served,
  'nothing loads uuidx for a stored column alone');
{
  local $ENV{PGOPTIONS} = '-c session_preload_libraries=uuidx';
  is($node->safe_psql('postgres', 'SELECT count_hooks(), uuid_v7() IS NULL, count_hooks()'), '5|f|5',
    'a session that preloads uuidx has its hooks');
}

# Runs statements as a guest between others; returns the plans of a cached query after each of them. The guest may not
# call anything that the other statements do not grant.
sub plans_of {
  my @plans = map { "SET ROLE guest; EXPLAIN (COSTS OFF) EXECUTE hour; RESET ROLE; $_;" } @_, 'SELECT';
  return map { $_ =~ $served ? 'served' : 'not' } split /Aggregate/, ($node->safe_psql('postgres', qq{
    SET plan_cache_mode = force_generic_plan;
    SET ROLE guest;
    PREPARE hour AS SELECT count(*) FROM stored $hour;
    RESET ROLE;
    @plans}) =~ s/.*?Aggregate//sr);
}
is(join(' ', plans_of('SELECT uuid_v7()', 'SELECT uuid_is_v7(id) FROM key LIMIT 1')), 'not not served',
  'a cached plan is made anew when the hooks are installed');
{
  local $ENV{PGOPTIONS} = '-c session_preload_libraries=uuidx';
  for ([ 'EXECUTE is granted', 'REVOKE EXECUTE ON FUNCTION uuid_v7_min FROM PUBLIC',
      'GRANT EXECUTE ON FUNCTION uuid_v7_min TO PUBLIC' ],
    [ 'a function has its name again', 'ALTER FUNCTION uuid_condition RENAME TO gone',
      'ALTER FUNCTION gone RENAME TO uuid_condition' ],
    [ 'a role becomes a member of another', 'REVOKE EXECUTE ON FUNCTION uuid_v7_max FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION uuid_v7_max TO member', 'GRANT member TO guest' ]) {
    my ($event, $loss, $gain) = @$_;
    $node->safe_psql('postgres', $loss);
    is(join(' ', plans_of('SELECT', $gain)), 'not not served', "a cached plan is made anew when $event");
  }
}

# Each support function with a PlannerInfo that is zero except for the table.
my @supported = split /\n/, $node->safe_psql('postgres', qq{
  SELECT p.oid::regprocedure FROM pg_proc AS p JOIN $members ON objid = p.oid AND classid = 'pg_proc'::regclass
  WHERE prosupport <> 0 ORDER BY 1::text});
is(scalar @supported, 6, 'six functions have a support function');
for my $function (@supported) {
  my ($code, $estimate) = $node->psql('postgres', "SELECT ask_support('$function', 'key')");
  ok($code == 0 && $estimate >= -1 && $estimate <= 1, "$function survives a PlannerInfo of others") or diag($estimate);
}

done_testing();
