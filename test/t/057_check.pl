# uuidx_check() names what a time column lacks, as plans of new sessions show it, and its SQL mends that.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('check');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nTimeZone = UTC\n");
$node->start;
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');
$node->safe_psql('postgres', 'CREATE ROLE reader');
$node->safe_psql('template1', 'CREATE EXTENSION uuidx');

# Returns a column of uuidx_check() for a table or view of the database `app`, for its time columns or else its key.
sub check_of {
  my ($target, $column) = @_;
  return $node->safe_psql('app', "SELECT $column FROM uuidx_check(nullif('$target', '')::regclass)");
}

# True if the plan of a query, the first of a session, uses only an index on the key. It avoids all else.
sub is_served {
  my ($query) = @_;
  local $ENV{PGOPTIONS} = '-c enable_seqscan=off -c enable_sort=off';
  my $plan = $node->safe_psql('app', "EXPLAIN (COSTS OFF) $query");
  return $plan !~ /Seq Scan|Sort$/m && $plan !~ /Index Cond: .*(?:extract|created_at)/;
}

# Creates the database `app` anew.
sub create_database {
  $node->safe_psql('postgres', 'DROP DATABASE IF EXISTS app');
  $node->safe_psql('postgres', 'CREATE DATABASE app');
  return;
}

# Tests a state: SQL that makes a table or view t with the column created_at, the problem that uuidx_check() finds, and
# whether its SQL mends it.
sub lacks {
  my ($name, $sql, $problem, $is_mended) = @_;
  create_database();
  $node->safe_psql('app', $sql);
  my @where = ("WHERE created_at >= '2026-03-01'", 'ORDER BY created_at LIMIT 3');
  is(check_of('t', 'problem'), $problem, "$name: the problem");
  $where[1] = "$where[0] $where[1]" if $name =~ /mixed/;
  my $served = is_served("SELECT * FROM t $where[0]") && is_served("SELECT * FROM t $where[1]");
  is($served, $problem eq '' || $problem =~ /REPLICA/, "$name: plans agree") if $name !~ /setting|EXECUTE/;
  my $remedy = check_of('t', 'remedy');
  is($remedy ne '', !!($is_mended // $problem ne ''), "$name: there is SQL that mends it, if it can be mended");
  return if $remedy eq '';
  $node->safe_psql('app', $_) for split /; /, $remedy;
  is(check_of('t', 'problem'), '', "$name: mended by $remedy");
  ok(is_served("SELECT * FROM t $_"), "$name: mended for $_") for @where;
  return;
}

my $table = 'CREATE TABLE d (id uuid PRIMARY KEY DEFAULT uuid_v7() CHECK (uuid_is_v7(id)), n int)';
my $view  = 'CREATE VIEW t AS SELECT *, uuid_extract_v7_time(id) AS created_at FROM d';
my $loose = $table =~ s/ CHECK .*?\)\)//r;

lacks('view', "$table; $view", '');
lacks('view of uuid_extract_time()', "$table; CREATE VIEW t AS SELECT uuid_extract_time(id) AS created_at FROM d", '');
lacks('view of a view with a join and a timestamp(3) in UTC', "$table;
  CREATE TABLE other (n int PRIMARY KEY);
  CREATE VIEW v AS SELECT d.* FROM d JOIN other USING (n);
  CREATE VIEW t AS SELECT (uuid_extract_v7_time(id) AT TIME ZONE 'UTC')::timestamp(3) AS created_at
    FROM (SELECT * FROM v) AS s", '');
lacks('no CHECK', "$loose; $view", 'no CHECK (uuid_is_v7(id))');
lacks('no CHECK, of uuid_extract_time()', "$loose; CREATE VIEW t AS SELECT uuid_extract_time(id) AS created_at FROM d",
  'no CHECK (uuid_is_v7(id))');
lacks('mixed versions', "$loose; $view; CREATE INDEX ON d (id) WHERE uuid_is_v7(id)", '');
lacks('CHECK of another form', "$loose; $view; ALTER TABLE d ADD CONSTRAINT c CHECK (uuid_is_v7(id) OR n > 0)",
  'the view keeps conditions or order from the table', 0);
lacks('NOT VALID', "$loose; $view; ALTER TABLE d ADD CONSTRAINT c CHECK (uuid_is_v7(id)) NOT VALID",
  'the CHECK c is NOT VALID');
lacks('NO INHERIT', "$loose; $view; ALTER TABLE d ADD CONSTRAINT c CHECK (uuid_is_v7(id)) NO INHERIT;
  CREATE TABLE child (PRIMARY KEY (id)) INHERITS (d)", 'the CHECK c is NO INHERIT');
lacks('no index', "$table; $view; ALTER TABLE d DROP CONSTRAINT d_pkey", 'no B-tree index of d begins with id');
lacks('other columns before the key', "$table; $view; ALTER TABLE d DROP CONSTRAINT d_pkey, ADD PRIMARY KEY (n, id)",
  'no B-tree index of d begins with id');
lacks('no index of a child', "$table; $view; CREATE TABLE child () INHERITS (d)",
  'no B-tree index of child begins with id');
lacks('no index of a partition', "CREATE TABLE d (id uuid CHECK (uuid_is_v7(id)), n int) PARTITION BY LIST (n); $view;
  CREATE TABLE d1 PARTITION OF d FOR VALUES IN (1); CREATE TABLE d2 (n int, id uuid PRIMARY KEY,
  CONSTRAINT d_id_check CHECK (uuid_is_v7(id)));
  ALTER TABLE d ATTACH PARTITION d2 FOR VALUES IN (2)", 'no B-tree index of d1 begins with id');
lacks('index on the time', "$table; $view; CREATE INDEX i ON d (uuid_extract_v7_time(id))",
  'conditions use the index i instead of one on id');
lacks('partitioned index on the time', "CREATE TABLE d (id uuid, n int, PRIMARY KEY (n, id), CHECK (uuid_is_v7(id)))
  PARTITION BY LIST (n); $view; CREATE INDEX ON d (id); CREATE TABLE d1 PARTITION OF d FOR VALUES IN (1);
  CREATE INDEX i ON d (uuid_extract_v7_time(id))", 'conditions use the index i instead of one on id');
lacks('domain', "CREATE DOMAIN key AS uuid; CREATE TABLE d (id key PRIMARY KEY CHECK (uuid_is_v7(id))); $view",
  'the type of id is not uuid, but key', 0);
lacks('view with LIMIT', "$table; CREATE VIEW t AS SELECT uuid_extract_v7_time(id) AS created_at FROM d LIMIT 10",
  'the view keeps conditions or order from the table', 0);
lacks('view of whole seconds', "$table;
  CREATE VIEW t AS SELECT uuid_extract_v7_time(id)::timestamptz(0) AS created_at FROM d",
  'the column is rounded, so ORDER BY sorts', 0);
lacks('setting', "$table; $view; ALTER DATABASE app SET uuidx.enable_time_columns = off",
  'uuidx.enable_time_columns is off');

my $stored = $table =~ s/\)$/, created_at timestamptz GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED)/r;
$stored =~ s/TABLE d/TABLE t/;
my $unloaded = 'new sessions do not load uuidx before the first query';
lacks('view of a stored column', "$stored; ALTER TABLE t RENAME TO d; CREATE VIEW t AS SELECT * FROM d LIMIT 10",
  'the view keeps conditions or order from the table', 0);
lacks('stored column', $stored, $unloaded);
my $has_plugin = $node->safe_psql('app', 'SELECT uuidx_has_plugin()') eq 't';
is($node->safe_psql('app', 'SHOW local_preload_libraries'), $has_plugin ? 'uuidx' : '',
  'new sessions load the library from $libdir/plugins, if it is there');

# Keys of tables without a time column. Their rows need no CHECK, as conditions on the key need none.
create_database();
$node->safe_psql('app', q{
  CREATE TABLE a (id uuid PRIMARY KEY DEFAULT uuid_v7());
  CREATE TABLE b (id uuid DEFAULT uuid_v7());
  CREATE TABLE c (id uuid PRIMARY KEY, CONSTRAINT late CHECK (uuid_is_v7(id)));
  ALTER TABLE c DROP CONSTRAINT late, ADD CONSTRAINT late CHECK (uuid_is_v7(id)) NOT VALID;
  CREATE TABLE random (id uuid PRIMARY KEY DEFAULT gen_random_uuid())});
is(check_of('', 'relation, column_name, kind, expression, problem, remedy'), join("\n",
    'a|id|key|id||', 'b|id|key|id|no B-tree index of b begins with id|CREATE INDEX ON b (id)',
    'c|id|key|id|the CHECK late is NOT VALID|ALTER TABLE c VALIDATE CONSTRAINT late'), 'keys');

# A constraint that is newer than a running transaction.
$node->safe_psql('app', "DROP TABLE b, c; CREATE TABLE d (id uuid PRIMARY KEY); $view");
my $old = $node->background_psql('app');
$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM a');
$node->safe_psql('app', 'ALTER TABLE d ADD CHECK (uuid_is_v7(id))');
my $newer = 'a constraint or an index is newer than a running transaction';
my $check = q{SELECT problem FROM uuidx_check('t')};
is($old->query_safe($check), $newer, 'a constraint that is newer than the transaction');
$old->query_safe('COMMIT');
is($old->query_safe($check), '', 'the same in the next transaction');

# Another session's lock does not hold up the check, which holds no locks and changes no settings itself.
$old->query_safe('BEGIN; LOCK TABLE d');
is(check_of('', 'relation, problem'), "a|\nt|canceling statement due to lock timeout",
  'a locked table');
$old->query_safe('COMMIT');
is($node->safe_psql('app', q{
    BEGIN; SELECT count(*) FROM uuidx_check();
    SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'd'::regclass;
    SHOW enable_seqscan}), "2\n0\non", 'no locks and settings remain');

# Each function that the planner puts into queries must be executable by all.
my $allowed = q{
  SET ROLE reader; SET enable_seqscan = off;
  EXPLAIN (COSTS OFF) SELECT FROM t WHERE created_at > '2026-03-01'};
$node->safe_psql('app', 'GRANT SELECT ON a, d, t TO reader');
my @wrong;
my @functions = split /\n/, $node->safe_psql('app', q{
  SELECT oid::regprocedure FROM pg_proc WHERE probin LIKE '%uuidx' AND proname <> 'uuidx_check_column' ORDER BY 1});
for my $function (@functions) {
  my $output = $old->query_safe(qq{
    REVOKE EXECUTE ON FUNCTION $function FROM PUBLIC;
    $allowed; RESET ROLE; RESET enable_seqscan;
    SELECT 'problem: ' || problem || '; ' || remedy FROM uuidx_check('t');
    GRANT EXECUTE ON FUNCTION $function TO PUBLIC;});
  my $used      = $output =~ /Index Cond/;
  my ($problem) = $output =~ /^problem: (.*)/m;
  my $wanted = $used ? '' : "not every role may execute $function; GRANT EXECUTE ON FUNCTION $function TO PUBLIC";
  push @wrong, "$function: $problem" if ($problem // '') ne $wanted;
}
$old->quit;
cmp_ok(scalar @functions, '>', 50, 'functions were tried');
is("@wrong", '', 'EXECUTE is missing exactly if the planner of an ordinary role cannot rewrite');

# Odd databases: what the caller may not read, temporary tables of others, odd names, another schema, no search_path.
$node->safe_psql('app', q{REVOKE SELECT ON a FROM reader});
is($node->safe_psql('app', 'SET ROLE reader; SELECT relation FROM uuidx_check()'), 't',
  'tables that the role may not read');
my $other = $node->background_psql('app');
$other->query_safe('CREATE TEMP TABLE mine (id uuid DEFAULT uuid_v7())');
is(check_of('', 'relation'), "a\nt", 'temporary tables of another session');
is($other->query_safe('SELECT relation FROM uuidx_check() WHERE problem IS NOT NULL'), 'mine', 'own temporary tables');
$other->quit;
create_database();
$node->safe_psql('app', q{
  CREATE SCHEMA ids; ALTER EXTENSION uuidx SET SCHEMA ids;
  CREATE SCHEMA "Odd ""Schema"; CREATE TABLE "Odd ""Schema"."Order" ("Id" uuid PRIMARY KEY, n int);
  CREATE VIEW "Odd ""Schema".t AS SELECT ids.uuid_extract_v7_time("Id") AS "At" FROM "Odd ""Schema"."Order";
  CREATE MATERIALIZED VIEW m AS SELECT * FROM "Odd ""Schema".t;
  CREATE VIEW both_tables AS SELECT * FROM "Odd ""Schema".t UNION ALL SELECT now();
  CREATE VIEW counted AS SELECT "At", count(*) FROM "Odd ""Schema".t GROUP BY "At";
  CREATE VIEW constant AS SELECT ids.uuid_extract_v7_time(ids.uuid_v7()) AS made_at,
    (SELECT min("At") FROM "Odd ""Schema".t)});
my $report = q{
  SET search_path = '';
  SELECT relation, column_name, expression, remedy FROM ids.uuidx_check() WHERE column_name = 'At'};
like($node->safe_psql('app', $report),
  qr/^"Odd ""Schema".t\|At\|ids.uuid_extract_v7_time\("Id"\)\|ALTER TABLE "Odd ""Schema"."Order" /m,
  'odd names are quoted, and names of schemas are added');
$node->safe_psql('app', "SET search_path = ''; $_")
  for split /; /, $node->safe_psql('app', $report =~ s/relation, .*? FROM/remedy FROM/r =~ s/\z/ LIMIT 1/r);
is($node->safe_psql('app', q{SELECT problem FROM ids.uuidx_check('"Odd ""Schema".t')}), '', 'and the SQL runs');

SKIP: {
  skip 'before PostgreSQL 16, children compute a column as their parent does', 3 if $version < 160000;
  my $of = sub { "created_at timestamptz GENERATED ALWAYS AS ($_[0](id)) STORED" };
  lacks('other expression of a child',
    "CREATE TABLE t (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), ${\$of->('uuid_extract_v7_time')});
    CREATE TABLE child (id uuid PRIMARY KEY, ${\$of->('uuid_extract_time')}) INHERITS (t)",
    'child computes the column otherwise', 0);
}
SKIP: {
  skip 'PostgreSQL before 18 has no virtual columns and no NOT ENFORCED', 20 if $version < 180000;
  my $virtual = $stored =~ s/uuid_extract_v7_time\(id\)\) STORED/uuid_extract_timestamp(id)) VIRTUAL/r;
  my $objects = 'CREATE STATISTICS s ON (uuid_is_v7(id)) FROM t';
  lacks('virtual column', $virtual, $unloaded);
  lacks('virtual column of a partition', "CREATE TABLE t (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)),
    created_at timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(id)) VIRTUAL) PARTITION BY HASH (id);
    CREATE TABLE t1 PARTITION OF t FOR VALUES WITH (modulus 1, remainder 0)", $unloaded);
  lacks('statistics object', "$virtual; $objects", '');
  lacks('REPLICA IDENTITY FULL', "$virtual; $objects; ALTER TABLE t REPLICA IDENTITY FULL",
    'with REPLICA IDENTITY FULL, UPDATE and DELETE fail if the table is published');
  lacks("view of PostgreSQL's function",
    "$table; CREATE VIEW t AS SELECT uuid_extract_timestamp(id) AS created_at FROM d", $unloaded);
  lacks('NOT ENFORCED', "$loose; $view; ALTER TABLE d ADD CONSTRAINT c CHECK (uuid_is_v7(id)) NOT ENFORCED",
    'the CHECK c is NOT ENFORCED');
}

done_testing();
