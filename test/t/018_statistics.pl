# The planner chooses the better of two indexes by the statistics that it is given of uuid columns.
# Also if the table has grown since ANALYZE, old keys were inserted, or keys of other versions are among them. Rows are
# within a factor of 2 for times and for UUIDs, costs grow with the range, joins are estimated as before, and users see
# no more than in PostgreSQL.

use Helpers;
use JSON::PP;

my $node = start_node('statistics', "autovacuum = off\nfsync = off\nTimeZone = UTC\njit = off\n"
    . "max_parallel_workers_per_gather = 0\nsession_preload_libraries = uuidx\n");
my $now = $node->safe_psql('postgres', 'SELECT now()');

# Runs SQL and returns what it prints.
sub sql { return $node->safe_psql('postgres', join ';', @_) }

# Returns the plan of a query; SQL before it may change settings.
sub planned($query, @before) {
  return decode_json(sql(@before, "EXPLAIN (FORMAT JSON) $query"))->[0]{Plan};
}

# Returns the indexes of a plan.
sub indexes($plan) {
  return join ' ', grep { $_ } $plan->{'Index Name'}, map { indexes($_) } @{ $plan->{Plans} // [] };
}

# Returns the time an interval before the test, and the bound of the keys since then, as a constant.
my %bounds;
sub ago { return "(timestamptz '$now' - interval '$_[0]')" }
sub bound { return $bounds{$_[0]} //= sprintf q{'%s'}, sql("SELECT uuid_v7_min(${\ago($_[0])})") }

# Checks that expected and actual rows agree within a factor of 2 or by 20 rows.
sub rows_agree($name, $from, $condition) {
  my $expected = planned("SELECT FROM $from WHERE $condition")->{'Plan Rows'};
  my $actual   = sql("SELECT count(*) FROM $from WHERE $condition");
  ok($expected <= 2 * $actual + 20 && $actual <= 2 * $expected + 20, "$name: $expected rows expected, $actual found");
}

my $v7 = "uuid_v7_at(${\ago('20 days')} + i * interval '8.64 seconds')";

# Returns the SQL that adds a part of 200,000 keys evenly over 20 days, of 500 tenants.
sub add_keys($table, $first, $last, $key = $v7) {
  return "INSERT INTO $table SELECT $key, i % 500, i FROM generate_series($first, $last) AS i";
}
my $old = "uuid_v7_at(${\ago('400 days')} + i * interval '8.64 seconds')";
my $v4  = "CASE WHEN i % 2 = 0 THEN uuid_v4() ELSE $v7 END";
# Until 5 days ago of another generator, with the layout of version 7.
my $v8 = "CASE WHEN i < 150000 THEN uuid_v8(uuid_to_bytea($v7)) ELSE $v7 END";

# Each table, with what happens to it before and after ANALYZE.
for my $case (
  [ 'fresh', [ 1, 200_000 ] ],
  [ 'doubled', [ 1, 100_000 ], [ 100_001, 200_000 ] ],
  [ 'filled', [ 1, 200_000 ], [ 1, 100_000, $old ] ],
  [ 'mixed', [ 1, 200_000, $v4 ] ],
  [ 'doubled_mixed', [ 1, 100_000, $v4 ], [ 100_001, 200_000, $v4 ] ],
  [ 'after_v8', [ 1, 200_000, $v8 ] ],
  [ 'parts', [ 1, 100_000 ], [ 100_001, 200_000 ] ],
) {
  my ($table, $before, $after) = @$case;
  my $part = $table eq 'parts' ? "PARTITION BY RANGE (id); CREATE TABLE part_1 PARTITION OF parts FOR VALUES FROM "
    . "(${\bound('1 year')}) TO (${\bound('-1 year')})" : '';
  sql("CREATE TABLE $table (id uuid PRIMARY KEY, tenant int, n int) $part", "CREATE INDEX ON $table (tenant)",
    # All rows are in the sample; a few of them would say by chance how many of a bin are of version 7.
    "ALTER TABLE $table ALTER n SET STATISTICS 700",
    add_keys($table, @$before), "ANALYZE $table", $after ? add_keys($table, @$after) : ());
  my $key_index    = $part ? 'part_1_pkey'       : "${table}_pkey";
  my $tenant_index = $part ? 'part_1_tenant_idx' : "${table}_tenant_idx";
  for my $bounds ([ 'a time', \&ago ], [ 'a UUID', \&bound ]) {
    my ($name, $since) = @$bounds;
    my $recent = planned("SELECT FROM $table WHERE tenant = 7 AND id >= ${\$since->('5 minutes')} AND "
        . "id < ${\$since->('-1 day')}", 'SET enable_bitmapscan = off');
    is(indexes($recent), $key_index, "$table: a few minutes since $name are read by the key's index");
    my $long = planned("SELECT FROM $table WHERE tenant = 7 AND id >= ${\$since->('15 days')} AND "
        . "id < ${\$since->('5 minutes')}", 'SET enable_bitmapscan = off');
    is(indexes($long), $tenant_index, "$table: a tenant's days since $name are read by the tenant's index");
  }

  my $of_v7 = $table =~ /mixed|v8/ ? 'uuid_is_v7(id) AND ' : '';
  for my $range ([ '10 minutes', '0' ], [ '1 day', '0' ], [ '4 days', '3 days' ], [ '15 days', '14 days 23:50' ]) {
    my ($from, $to) = @$range;
    next if $table eq 'filled';  # old keys that were inserted later are taken for more of what the histogram has
    rows_agree("$table: $from to $to, UUIDs", $table, "${of_v7}id >= ${\bound($from)} AND id < ${\bound($to)}");
    rows_agree("$table: $from to $to, times", $table, "id >= ${\ago($from)} AND id < ${\ago($to)}");
    rows_agree("$table: $from to $to, a time range", $table, "id <@ tstzrange(${\ago($from)}, ${\ago($to)})");
  }
  rows_agree("$table: none", $table, "${of_v7}id >= ${\bound('-2 days')} AND id < ${\bound('-3 days')}");

  my @costs = map { planned("SELECT FROM $table WHERE id >= ${\bound($_)} AND id < ${\bound('-1 day')}",
        'SET enable_seqscan = off', 'SET enable_bitmapscan = off')->{'Total Cost'} } '1 hour', '1 day', '5 days',
    '15 days';
  # If the rows of a range are all over the table, a scan soon reads all of its pages.
  my $growth = $table =~ /mixed/ ? 1.1 : 2;
  ok(!(grep { $costs[$_] * $growth > $costs[ $_ + 1 ] } 0 .. 2), "$table: costs grow with the range: @costs");
}

# The share of version 7 counts, beside other conditions on the key and alone.
rows_agree("mixed: $_", 'mixed', $_) for 'uuid_is_v7(id)', 'NOT uuid_is_v7(id)', 'uuid_is_v7(id) AND n < 50000',
  "id >= ${\bound('5 days')}", "id < ${\bound('5 days')}", "uuid_is_v7(id) AND id >= ${\bound('5 days')}",
  "uuid_is_v7(id) AND id < ${\bound('5 days')} OR n < 10000";

# A table that has ended is not read beyond its histogram, as its index shows that nothing is there.
sql('CREATE TABLE ended AS SELECT * FROM doubled WHERE n <= 100000', 'CREATE INDEX ON ended (id)', 'ANALYZE ended');
rows_agree("ended, the last $_", 'ended', "id >= ${\bound($_)}") for '1 day', '11 days';

# Foreign keys: values that are not unique, some of them very common, and NULLs.
sql('CREATE TABLE detail AS SELECT id, k FROM doubled, generate_series(1, 10) AS k WHERE n % 20 = 0',
  'INSERT INTO detail SELECT id, k FROM doubled, generate_series(1, 5000) AS k WHERE n IN (50000, 150000)',
  'INSERT INTO detail SELECT NULL, k FROM generate_series(1, 20000) AS k', 'CREATE INDEX ON detail (id)',
  'ANALYZE detail, doubled');

# Joins have the same estimates and methods with and without the adapted statistics.
for my $case (
  [ 'doubled AS a JOIN detail AS b USING (id)', "a.id >= ${\bound('19 days')}" ],
  [ 'doubled AS a JOIN detail AS b USING (id)', "a.id >= ${\bound('30 days')} AND b.id >= ${\bound('30 days')}" ],
  [ 'doubled AS a JOIN fresh AS b USING (id)', "a.id >= ${\bound('15 days')} AND b.id >= ${\bound('15 days')}" ],
  [ 'doubled AS a JOIN doubled AS b USING (id)', "a.id < ${\bound('15 days')} AND b.id < ${\bound('15 days')}" ],
  [ 'detail AS a JOIN detail AS b USING (id)', "a.id >= ${\bound('2 days')} AND b.id >= ${\bound('2 days')}" ],
  [ 'fresh AS a', "a.id >= ${\bound('19 days')} AND EXISTS (SELECT FROM detail AS b WHERE b.id = a.id)" ],
) {
  my ($from, $condition) = @$case;
  my ($with, $without) =
    map { planned("SELECT FROM $from WHERE $condition", "SET uuidx.enable_statistics = $_") } 'on', 'off';
  my ($ratio) = $with->{'Plan Rows'} / $without->{'Plan Rows'};
  ok($ratio > 0.5 && $ratio < 2, "$from, $condition: joined rows by the ratio $ratio");
  is($with->{'Node Type'}, $without->{'Node Type'}, "$from, $condition: the same method");
}

# Equality, other columns and grouping are estimated as before.
for my $query (map { "SELECT FROM detail WHERE id >= ${\bound('25 days')} AND $_" }
  "id = ${\bound('3 days')}", 'id = (SELECT id FROM fresh LIMIT 1)', "id = (SELECT id FROM doubled WHERE n = 50000)") {
  my ($with, $without) = map { planned($query, "SET uuidx.enable_statistics = $_")->{'Plan Rows'} } 'on', 'off';
  ok($with <= 1.2 * $without + 2 && $without <= 1.2 * $with + 2, "$query: $with rows expected, $without without");
}

# A generic plan does not know its parameters; what it knows, it uses.
my $generic = q{SET plan_cache_mode = force_generic_plan; PREPARE query(uuid) AS SELECT FROM doubled WHERE id >= $1};
is(planned(q{EXECUTE query('019d0000-0000-7000-8000-000000000000')}, $generic)->{'Plan Rows'}, int(200_000 / 3 + 0.5),
  'an unknown bound is estimated as in PostgreSQL');

# Statistics are read anew for each query.
my $since = "id >= ${\bound('5 days')} AND id < ${\bound('4 days')}";
sql('CREATE TABLE again AS SELECT id FROM fresh WHERE n <= 1000', 'ANALYZE again');

sql(q{CREATE FUNCTION expected(query text) RETURNS float8 LANGUAGE plpgsql AS $$
    DECLARE plan json;
    BEGIN EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan; RETURN plan #>> '{0,Plan,Plan Rows}'; END $$});
my $ask = qq{SELECT expected(\$\$SELECT FROM again WHERE $since\$\$)};
my ($few, $many, $none) = split /\n/, sql($ask,
  'INSERT INTO again SELECT id FROM fresh WHERE n > 1000', 'ANALYZE again', $ask, 'DROP TABLE again',
  'CREATE TABLE again AS SELECT id FROM fresh WHERE n > 190000', 'ANALYZE again', $ask);
ok($few < 10 && $many > 8_000 && $many < 12_000 && $none < 10, "ANALYZE and DROP: $few, $many, $none rows expected");

# An error within planning leaves nothing behind, and neither does planning within planning.
sql(q{CREATE FUNCTION bound_of(n int) RETURNS uuid STABLE LANGUAGE plpgsql AS $$
    DECLARE found uuid;
    BEGIN
      IF n < 0 THEN RAISE 'no bound'; END IF;
      EXECUTE format('SELECT min(id::text) FROM fresh WHERE id >= %L AND n = %s', nil_uuid(), n) INTO found;
      RETURN found;
    END $$;
  CREATE FUNCTION try(query text) RETURNS text LANGUAGE plpgsql AS $$
    BEGIN RETURN expected(query); EXCEPTION WHEN OTHERS THEN RETURN SQLERRM; END $$});
my @tries = map { "SELECT try('SELECT FROM doubled WHERE id >= bound_of($_)')" } 150_000, -1, 190_000, -1, 150_000;
my @tried = split /\n/, sql(@tries);
ok(abs($tried[0] - 50_000) < 2_000 && abs($tried[2] - 10_000) < 1_000,
  "bounds of functions: @tried[0, 2] rows expected");
# As time passes, newer rows are expected.
ok("@tried[1, 3]" eq 'no bound no bound' && abs($tried[4] - $tried[0]) < 10,
  "an error while a bound is computed changes nothing: @tried");

# Users to whom a policy or a view hides rows learn no more from a function that is not leakproof.
sql(q{CREATE FUNCTION above(uuid, uuid) RETURNS boolean LANGUAGE plpgsql IMMUTABLE STRICT
    AS 'BEGIN RETURN $1 > $2; END';
  CREATE OPERATOR >>> (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = above, RESTRICT = scalargtsel);
  CREATE ROLE reader; CREATE ROLE guest; GRANT SELECT ON fresh TO reader, guest; 
  CREATE POLICY all_rows ON fresh TO guest USING (n > 0); CREATE POLICY every_row ON fresh TO reader USING (true);
  ALTER TABLE fresh ENABLE ROW LEVEL SECURITY; ALTER ROLE reader BYPASSRLS});
for my $case ([ 'reader', 4 ], [ 'guest', 2 ]) {
  my ($role, $divisor) = @$case;
  my $query = "SELECT FROM fresh WHERE id >>> ${\bound('5 days')} AND id >= ${\bound('30 days')}";
  my ($with, $without) =
    map { planned($query, "SET ROLE $role", "SET uuidx.enable_statistics = $_")->{'Plan Rows'} } 'on', 'off';
  # Such an operator counts whole bins of the histogram, and those of the adapted one are of 3 % of the rows.
  ok(abs($with * $divisor / 200_000 - 1) < 0.2, "$role: $with rows are expected of an operator that is not leakproof");
  ok(abs($without * $divisor / 200_000 - 1) < 0.1, "$role: $without rows without the adapted statistics");
}

# Without statistics, a third of the rows, as of any function, and no groups are counted.
my @third = map { planned($_, 'SET uuidx.enable_statistics = off')->{'Plan Rows'} }
  'SELECT FROM fresh WHERE uuid_is_v7(id)', 'SELECT FROM fresh WHERE uuid_in_time_range(id, random()::text::tstzrange)',
  'SELECT FROM fresh GROUP BY uuid_extract_v7_time(id)::date';
is("@third", '66667 66667 200000', 'nothing is estimated by uuidx if it is off');

like(sql('SET uuidx.enable_statistics = off', 'EXPLAIN (SETTINGS) SELECT FROM doubled'),
  qr/Settings:.*uuidx\.enable_statistics = 'off'/, 'EXPLAIN (SETTINGS) shows uuidx.enable_statistics');

done_testing();
