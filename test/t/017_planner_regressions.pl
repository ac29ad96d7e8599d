# A query without a condition on the time of a UUID has the same plan, or error, with the extension as without it.

use Helpers;

# Different statistics in the two databases would be a difference, too.
my $node = start_node('planner_regressions', "autovacuum = off\n");
my $server = version_of($node);

# The database without the extension. Other extensions have operators of the same names.
$node->safe_psql('postgres', 'CREATE DATABASE without');
$node->safe_psql('without', join ";\n", map { "CREATE EXTENSION $_" }
    grep { is_available($node, $_) } qw(btree_gist citext cube hstore intarray ltree seg));
$node->safe_psql('without', q{
  CREATE DOMAIN uuid_key AS uuid;
  CREATE DOMAIN uuid_key_checked AS uuid_key CHECK (VALUE IS NOT NULL);
  CREATE DOMAIN moment AS timestamptz;
  CREATE DOMAIN local_moment AS timestamp;
  CREATE DOMAIN stay AS tstzrange;
  CREATE DOMAIN stays AS tstzmultirange;
  CREATE TYPE uuidrange AS RANGE (subtype = uuid);
  CREATE TYPE mood AS ENUM ('good', 'bad');
  CREATE TYPE pair AS (n int, id uuid);

  CREATE TABLE item (id uuid PRIMARY KEY, at timestamptz, during tstzrange);

  CREATE TABLE nearby (u uuid, k uuid_key, t text, v varchar, c char(36), n name, tz timestamptz,
    ts timestamp, d date, i interval, r tstzrange, m tstzmultirange, ua uuid[], j jsonb);
  CREATE TABLE every_type ();
  DO $$
  DECLARE
    type regtype;
  BEGIN
    FOR type IN
      SELECT oid FROM pg_type WHERE typisdefined AND typtype <> 'p'
        AND (typtype <> 'c' OR typname = 'pair')
        AND typnamespace IN ('pg_catalog'::regnamespace, 'public'::regnamespace)
        AND typname !~ '^(_|pg_|reg|gtrgm|gbtreekey|txid_|macaddr)'
        -- Every pair would take long: these are never beside a UUID or a time.
        AND typname NOT IN ('xid', 'xid8', 'cid', 'tid', 'aclitem', 'refcursor', 'int2vector', 'oidvector', 'line',
          'lseg', 'path', 'polygon', 'varbit', 'tsquery', 'tsvector', 'jsonpath', 'money', 'seg', 'cube', 'lquery',
          'ltxtquery')
      UNION ALL
      VALUES ('uuid[]'::regtype), ('uuid_key[]'), ('timestamptz[]'), ('tstzrange[]'), ('text[]'), ('int[]')
      ORDER BY 1
    LOOP
      EXECUTE format('ALTER TABLE every_type ADD %I %s', type, type);
    END LOOP;
  END $$;

  CREATE SCHEMA test;
  CREATE ROLE guest;
  GRANT USAGE ON SCHEMA test TO guest;
  GRANT ALL ON ALL TABLES IN SCHEMA public, test TO guest;

  -- What PostgreSQL makes of a query: its plan, after the types of its parameters; or the error.
  CREATE FUNCTION test.outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    line text;
    parameters int;
    answer text := '';
  BEGIN
    IF query LIKE '%$1%' THEN
      EXECUTE 'PREPARE asked AS ' || query;
      SELECT parameter_types::text, cardinality(parameter_types) INTO answer, parameters
      FROM pg_prepared_statements WHERE name = 'asked';
      query := format('EXECUTE asked (NULL%s)', repeat(', NULL', parameters - 1));
    END IF;
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
      answer := answer || ' / ' || trim(line);
    END LOOP;
    DEALLOCATE ALL;
    RETURN answer;
  EXCEPTION WHEN OTHERS THEN
    DEALLOCATE ALL;
    RETURN SQLSTATE || ' ' || replace(SQLERRM, E'\n', ' ');
  END $$;

  -- The columns of a table, and an untyped parameter, each beside each by an operator, if one of both matches.
  CREATE FUNCTION test.pairs(types regclass, operators text[], matches text) RETURNS SETOF text
  LANGUAGE sql AS $$
    WITH operand AS (
      SELECT quote_ident(attname) AS name, format('x.%I', attname) AS value
      FROM pg_attribute WHERE attrelid = types AND attnum > 0
      UNION ALL VALUES ('$1', '$1'), ('NULL', 'NULL'))
    SELECT concat_ws(' ', l.name, op, r.name) || E'\t' || test.outcome(concat_ws(' ',
      'SELECT', l.value, op, CASE WHEN l.name = '$1' AND r.name = '$1' THEN '$2' ELSE r.value END,
      'FROM', types, 'AS x'))
    FROM operand AS l, operand AS r, unnest(operators) AS op WHERE l.name ~ matches OR r.name ~ matches
  $$});

# Returns the lines of a query in a database, after some statements, as a hash of their two parts.
sub lines_of($database, $query, @before) {
  return map { split /\t/, $_, 2 } split /\n/, $node->safe_psql($database,
    join ";\n", 'SET plan_cache_mode = force_generic_plan', @before, $query);
}

# Returns the differences of a second hash, a line each.
sub changes($without, $with) {
  return map { "$_: $without->{$_} -> $with->{$_}" }
    grep { $without->{$_} ne $with->{$_} } sort keys %$without;
}

# Checks that there are no changes, and shows the first of them.
sub no_changes($name, @changes) {
  is(scalar @changes, 0, $name) or diag join "\n", splice @changes, 0, 10;
}

# Returns a query for the outcomes of pairs of a table's columns with some operators, a line each: those with a column
# that matches.
sub pairs_of($table, $matches, @operators) {
  return sprintf q{SELECT test.pairs('%s', '{%s}', '%s')}, $table, join(',', map { qq{"$_"} } @operators), $matches;
}

# The other database is a copy, including files, statistics and OIDs, with the extension. There, a guest
# may call nothing of the extension, so that its use gives an error even if the plan looks the same.
$node->safe_psql('postgres', 'CREATE DATABASE "with" TEMPLATE without');
$node->safe_psql('with', qq{
  CREATE EXTENSION uuidx;
  SELECT format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', objid::regprocedure) FROM $members
    WHERE classid = 'pg_proc'::regclass \\gexec});
my @operators = split /\n/, $node->safe_psql('with', qq{
  SELECT DISTINCT oprname FROM $members JOIN pg_operator ON classid = 'pg_operator'::regclass AND objid = oid});
cmp_ok(scalar @operators, '>=', 6, "the extension has at least six operators: @operators");

# Each type beside a UUID and beside a parameter and NULL, whose type PostgreSQL resolves as that of a literal: only a
# UUID beside a time, a time range or a prefix is new, instead of an error. Other pairs cannot be new, as an operand of
# each new operator is a UUID, to which PostgreSQL converts no other type by itself; those with a time, a range or a
# text show it.
my $matches = '^(uuid|uuid_key|uuid_key_checked|"timestamp with time zone"|tstzrange|text|[$]1|NULL)$';
is($node->safe_psql('with', qq{
    SELECT count(*), count(*) FILTER (WHERE 'uuid'::regtype NOT IN (oprleft, oprright))
      FROM $members JOIN pg_operator ON classid = 'pg_operator'::regclass AND objid = oid;
    SELECT count(*) FROM pg_cast WHERE casttarget = 'uuid'::regtype AND castcontext = 'i'}) =~ s/^\d+\|//r, "0\n0",
  'an operand of each new operator is a UUID, to which nothing is converted implicitly');
my @ids = qw(uuid uuid_key uuid_key_checked);
my @times = ('"timestamp with time zone"', '"timestamp without time zone"', qw(date moment local_moment));
my @time_ranges = qw(tstzrange stay);
my @expected;
for my $id (@ids) {
  for my $time (@times) {
    push @expected, "$id $_ $time", "$time $_ $id" for qw(< <= > >=);
  }
  # Beside a UUID, a value without a type is a range; without the extension, that is ambiguous (42725).
  push @expected, "$id <@ $_", "$_ @> $id" for @time_ranges, '$1', 'NULL';
}

my %without = lines_of('without', pairs_of('every_type', $matches, @operators), 'SET ROLE guest');
my %with = lines_of('with', pairs_of('every_type', $matches, @operators), 'SET ROLE guest');
# What ^@ takes as a prefix of a text, it takes as a prefix of a UUID.
for my $prefix (map { /^text \^@ (.*)/ && $without{$_} !~ /^42883 / ? $1 : () } keys %without) {
  push @expected, map { "$_ ^@ $prefix" } @ids;
}
my @changed = grep { $without{$_} ne $with{$_} } sort keys %without;
cmp_ok(scalar keys %without, '>', 5_000, keys(%without) . ' pairs of types are compared');
is_deeply(\@changed, [ sort @expected ],
  'the only new pairs of types are a UUID beside a time, a time range or a prefix');
no_changes('no new pair of types had a meaning before', grep { $without{$_} !~ /^42(?:883|725) / } @changed);
no_changes('every new pair of types calls the extension', grep { $with{$_} !~ /^42501 / } @changed);

# Aggregates: only min(uuid) and max(uuid) are new, before PostgreSQL 20.
$node->safe_psql($_, q{
  CREATE FUNCTION test.extremes() RETURNS SETOF text LANGUAGE sql AS $$
    SELECT aggregate || ' ' || quote_ident(attname) || E'\t' || test.outcome(
      format('SELECT %s(x.%I) FROM every_type AS x', aggregate, attname))
    FROM pg_attribute, (VALUES ('min'), ('max')) AS a (aggregate)
    WHERE attrelid = 'every_type'::regclass AND attnum > 0 $$}) for 'without', 'with';
%without = lines_of('without', 'SELECT test.extremes()', 'SET ROLE guest');
%with = lines_of('with', 'SELECT test.extremes()', 'SET ROLE guest');
is_deeply([ grep { $without{$_} ne $with{$_} } sort keys %without ],
  [ $server < 200000 ? sort map { ("min $_", "max $_") } @ids : () ],
  'no aggregates are new except min(uuid) and max(uuid)');

# A database with implicit casts, as after a migration from another system: valid queries keep their meaning. (With
# casts to both uuid and timestamptz they would not, as comparisons with a UUID would be ambiguous.)
my %casts = (
  'text to uuid' => [ 'text AS uuid', 'varchar AS uuid', 'bpchar AS uuid' ],
  'uuid to text' => [ 'uuid AS text', 'uuid AS varchar' ],
  'text to timestamptz' => [ 'text AS timestamptz', 'varchar AS timestamptz' ],
  'times to text' => [ 'timestamptz AS text', 'timestamp AS text', 'date AS text' ],
  'text to tstzrange' => [ 'text AS tstzrange', 'text AS tstzmultirange' ]);
for my $name (sort keys %casts) {
  my @casts = map { "CREATE CAST ($_) WITH INOUT AS IMPLICIT" } @{ $casts{$name} };
  my @before = ('BEGIN', @casts, 'SET ROLE guest');
  %without = lines_of('without', pairs_of('nearby', '', @operators), @before);
  %with = lines_of('with', pairs_of('nearby', '', @operators), @before);
  # With a cast of uuid to text, `uuid ^@ text` is core's without the extension: also of the id's text.
  my @had_meaning = grep { $without{$_} !~ /^42(?:883|725) / && !($name eq 'uuid to text' && / \^@ /) }
    sort keys %without;
  no_changes("implicit casts of $name: " . @had_meaning . ' pairs keep their meaning',
    changes({ map { $_ => $without{$_} } @had_meaning }, \%with));
}

# These tests detect changes: a use of the extension shows in a plan and as a guest's error.
like($node->safe_psql('with', q{SELECT test.outcome('SELECT id FROM item WHERE id < at')}),
  qr/Filter: .*uuid_v7_min/, 'an operator of the extension shows in a plan');
like( $node->safe_psql('with', q{
    SET ROLE guest; SELECT test.outcome('SELECT id FROM item WHERE id <@ during')}),
  qr/^42501 permission denied for function/, 'an operator of the extension shows as an error for a guest');

done_testing();
