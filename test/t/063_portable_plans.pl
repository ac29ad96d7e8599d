# Plans with sql/portable/uuidx.sql: in parallel statements, under row-level security, and by the server's functions.

use Helpers;
use Portable;

my $node = start_node('portable_plans');
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE reader LOGIN');
Portable::make_database($node, 'script', 'script');

# A VOLATILE function that PostgreSQL calls, and not its body in the place of the call, starts a command. The leader of
# a parallel statement that writes cannot do that.
is($node->safe_psql('script', q{
    SELECT proname FROM pg_proc JOIN pg_language AS l ON l.oid = prolang
      WHERE pronamespace = 'uuidx'::regnamespace AND provolatile = 'v' AND proparallel = 's' AND lanname = 'plpgsql'
        AND prorettype <> 'trigger'::regtype}), '', 'no VOLATILE function for queries is in PL/pgSQL');
Portable::as_owner($node, 'script', q{
  CREATE TABLE source AS SELECT n FROM generate_series(1, 2000) AS n;
  ALTER TABLE source SET (parallel_workers = 2);
  CREATE FUNCTION slow(n bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000
    AS 'BEGIN RETURN n; END'});
my @volatile = split /\n/, $node->safe_psql('script', q{
  SELECT format('%s(%s)', proname, (SELECT string_agg(CASE type WHEN 'interval'::regtype THEN 'N * interval ''1 s'''
      WHEN 'timestamptz'::regtype THEN 'now() + N * interval ''1 s''' ELSE 'N' END, ', ' ORDER BY place)
      FROM unnest(proargtypes) WITH ORDINALITY AS argument (type, place)))
    FROM pg_proc WHERE pronamespace = 'uuidx'::regnamespace AND provolatile = 'v' AND prorettype = 'uuid'::regtype
    ORDER BY 1});
cmp_ok(scalar @volatile, '>', 6, 'VOLATILE functions are found');
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;';
for my $call (map { $_, /N/ ? s/N/slow(n)/gr : () } @volatile) {
  my $query = "SELECT @{[ $call =~ s/N/n/gr ]} AS id FROM source";
  is(Portable::as_owner($node, 'script', qq{
      $parallel
      CREATE TABLE made AS $query; CREATE MATERIALIZED VIEW kept AS $query; SELECT id INTO chosen FROM ($query) AS s;
      SELECT count(DISTINCT id), uuidx_version() FROM (TABLE made UNION ALL TABLE kept UNION ALL TABLE chosen) AS a;
      DROP TABLE made, chosen; DROP MATERIALIZED VIEW kept}), '6000|1.0.0', "parallel statements with $call");
}
like(Portable::as_owner($node, 'script', "$parallel EXPLAIN CREATE TABLE made AS SELECT uuid_v7() FROM source"),
  qr/Gather/, 'they are parallel');

Portable::as_owner($node, 'script', q{
  CREATE TABLE event AS SELECT uuid_v7_at(timestamptz '2026-01-01' + n * interval '1 minute') AS id, n
    FROM generate_series(1, 5000) AS n;
  CREATE INDEX by_id ON event (id);
  CREATE INDEX by_time ON event (uuid_extract_v7_time(id));
  ANALYZE event});

# From the version on that has them, the server's functions take the place of those of the script.
for my $case ([ 'uuid_extract_version(id)', 'uuid_extract_version\(id\)', 170000 ],
  [ 'uuid_extract_v7_time(id)',
    'CASE WHEN \(uuid_extract_version\(id\) = .*\) THEN uuid_extract_timestamp\(id\) ELSE NULL::.* END', 180000 ],
  [ 'uuid_v7()', 'uuidv7\(\)', 180000 ])
{
  my ($call, $instead, $since) = @$case;
  my $plan = $node->safe_psql('script', "EXPLAIN (VERBOSE, COSTS OFF) SELECT $call FROM event");
  if (version_of($node) >= $since) {
    like($plan, qr/Output: \(?$instead\)?$/m, "$call is the server's function");
  } else {
    unlike($plan, qr/Output: \Q$call\E$/m, "$call is inlined");
  }
}

# Row-level security leaves conditions to an index only if their functions are leakproof.
Portable::as_owner($node, 'script', q{
  ALTER TABLE event ENABLE ROW LEVEL SECURITY;
  CREATE POLICY few ON event USING (n % 2 = 0);
  GRANT SELECT ON event TO reader});
for my $case ([ q{id >= timestamptz '2026-01-04'}, 'by_id', 0 ],
  [ q{id >= (SELECT uuid_v7_min('2026-01-04'))}, 'by_id', 0 ],
  [ q{uuid_extract_v7_time(id) >= '2026-01-04'}, 'by_time', 180000 ])
{
  my ($condition, $index, $since) = @$case;
  next if version_of($node) < $since;
  like($node->safe_psql('script', "SET enable_seqscan = off; EXPLAIN SELECT FROM event WHERE $condition",
    extra_params => [ '-U', 'reader' ]), qr/Index.* Scan (?:using|on) $index.*\n +Index Cond/m,
    "row-level security leaves the index to $condition");
}

# The function that the page recommends is inlined, also in a generic plan.
Portable::as_owner($node, 'script', 'CREATE VIEW payment AS SELECT id, n AS amount FROM event;'
  . block_of('doc/managed.md', 'FUNCTION payments_between') =~ s/.*;\K.*//sr);
like($node->safe_psql('script', q{
    SET plan_cache_mode = force_generic_plan;
    PREPARE day(timestamptz) AS SELECT count(*) FROM payments_between($1, $1 + interval '1 day') WHERE amount > 5;
    EXPLAIN EXECUTE day('2026-01-03')}), qr/Index Cond: \(\(id >= uuid_v7_min\(\$1\)\) AND/,
  'payments_between() uses the index of the key');

done_testing();
