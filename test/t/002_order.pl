# Values of one session keep their order, whatever the session does between them.

use Helpers;

my $node = start_node('order');

# Generates one session's values and prints them in order, one per line.
sub walk($call) {
  my $numbers = join "\n", 1 .. 1000;
  return split /\n/, $node->safe_psql('postgres', qq{
    -- 2 statements
    SELECT $call;
    SELECT $call;
    -- 2 transactions, the second rolled back
    BEGIN; SELECT $call; COMMIT;
    BEGIN; SELECT $call; ROLLBACK;
    -- 3 around a rollback to a savepoint
    BEGIN; SELECT $call; SAVEPOINT s; SELECT $call; ROLLBACK TO SAVEPOINT s; SELECT $call; COMMIT;
    -- 12 of cursor fetches with calls between them
    BEGIN;
    DECLARE c CURSOR FOR SELECT $call FROM generate_series(1, 10);
    FETCH 3 FROM c; SELECT $call; FETCH 3 FROM c; SELECT $call; FETCH ALL FROM c;
    COMMIT;
    -- 10 of a prepared statement, custom plans and generic ones
    PREPARE p AS SELECT $call;
    EXECUTE p; EXECUTE p; EXECUTE p; EXECUTE p; EXECUTE p;
    EXECUTE p; EXECUTE p; EXECUTE p; EXECUTE p; EXECUTE p;
    -- 2,000 of a PL/pgSQL loop, every second one in a subtransaction that is rolled back
    CREATE FUNCTION pg_temp.loop() RETURNS SETOF uuid LANGUAGE plpgsql AS \$\$
    DECLARE
      id uuid;
    BEGIN
      FOR i IN 1..1000 LOOP
        RETURN NEXT $call;
        BEGIN
          id := $call;
          PERFORM 1 / 0;
        EXCEPTION WHEN division_by_zero THEN
          RETURN NEXT id;
        END;
      END LOOP;
    END \$\$;
    SELECT * FROM pg_temp.loop();
    -- 2 and 1,000 of a column default, by INSERT of several rows and by COPY
    CREATE TEMP TABLE filled (n int, id uuid DEFAULT $call);
    INSERT INTO filled (n) VALUES (-1), (0);
    COPY filled (n) FROM stdin;
$numbers
\\.
    SELECT id FROM filled ORDER BY n;
    -- 1 after all that
    SELECT $call;
  });
}

for my $call ('uuid_v7()', "uuid_v7(interval '-1 hour')", "uuid_v7(interval '876000 hours')", 'uuid_v6()',
  'uuid_v8_node(1)', $node->pg_version >= 17 ? 'uuid_v7_server()' : ())
{
  my @ids = walk($call);
  is(scalar @ids, 3032, "$call: all values are generated");
  is(out_of_order(@ids), 0, "$call: values increase strictly across everything a session does");
}

# Values for distant times and values with a shift do not affect the plain functions: the next value
# follows the last, and has the clock's time. The columns of a row are evaluated left to right.
for my $version (6, 7) {
  my $shifted = $version == 7 ? "uuid_v7(interval '876000 hours')" : 'NULL::uuid';
  is( $node->safe_psql('postgres', qq{
      CREATE TEMP TABLE made AS
      SELECT n, clock_timestamp() AS before, uuid_v$version() AS first,
        at, uuid_v${version}_at(at) AS given, $shifted AS shifted,
        uuid_v$version() AS second, clock_timestamp() AS after
      FROM generate_series(1, 30000) AS n,
        LATERAL (SELECT (ARRAY['1970-01-01 UTC', '5236-03-31 UTC', '2000-01-01 UTC'
          ]::timestamptz[])[n % 3 + 1] AS at) AS t;
      SELECT count(*), count(*) FILTER (WHERE uuid_extract_time(given) = at),
        count(*) FILTER (WHERE first >= second OR second >= next),
        count(*) FILTER (WHERE uuid_extract_time_precise(first) < before
          OR uuid_extract_time_precise(second) > after + interval '1 ms')
      FROM (SELECT *, lead(first) OVER (ORDER BY n) AS next FROM made) AS s}),
    '30000|30000|0|0', "values for given times do not affect uuid_v$version()");
}

done_testing();
