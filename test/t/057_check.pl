# uuidx_check() names what a time column lacks in new sessions, and its SQL mends that while rows are written.

use Helpers;
use IPC::Run;

my $node = start_node('check', "autovacuum = off\nTimeZone = UTC\n");
my $version = version_of($node);
$node->safe_psql('postgres', 'CREATE ROLE reader');
$node->safe_psql('template1', 'CREATE EXTENSION uuidx');
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');

# Returns a column of uuidx_check() for a table or view of the database `app`, for its time columns or else its key.
sub check_of($target, $column, $before = '') {
  return $node->safe_psql('app', "$before SELECT $column FROM uuidx_check(nullif('$target', '')::regclass)");
}

# True if the plan of a query, the first of a session, uses only an index on the key. It avoids all else.
sub is_served($query) {
  local $ENV{PGOPTIONS} = '-c enable_seqscan=off -c enable_sort=off';
  my $plan = $node->safe_psql('app', "EXPLAIN (COSTS OFF) $query");
  return $plan !~ /Seq Scan|Sort$/m && $plan !~ /Index Cond: .*(?:extract|created_at)/;
}

# Creates the database `app` anew.
sub create_database {
  $node->safe_psql('postgres', 'DROP DATABASE IF EXISTS app');
  $node->safe_psql('postgres', 'CREATE DATABASE app STRATEGY file_copy');  # takes a third of the time
}

# Starts a session that inserts into a table, one row a transaction, until the table `stop` has a row.
sub start_writer($table) {
  my $messages = '';
  return IPC::Run::start([ 'psql', '-Xq', '-d', $node->connstr('app'), '-c', qq{
    DO \$\$
    BEGIN
      WHILE NOT EXISTS (SELECT FROM stop) LOOP
        INSERT INTO $table (id, n) VALUES (uuid_v7(), 1);
        COMMIT;
        PERFORM pg_sleep(0.001);
      END LOOP;
    END \$\$} ], '2>', \$messages), \$messages;
}

# Runs the SQL of uuidx_check() for t while another session writes; returns false if it fails. No row may be kept from
# being written or updated.
sub mend($name, $remedy) {
  my $table = $node->safe_psql('app', "CREATE TABLE stop (); SELECT coalesce(to_regclass('d'), 't')");
  my ($writer, $messages) = start_writer($table);
  my $failed = grep { $node->psql('app', $_) } split /; /, $remedy;
  $node->safe_psql('app', 'INSERT INTO stop DEFAULT VALUES');
  $writer->finish;
  is($$messages, '', "$name: rows are written during $remedy");
  is($node->psql('app', "UPDATE $table SET n = n"), 0, "$name: rows can be updated");
  return !$failed;
}

# Queries that the index of the key serves: if all keys are of version 7, and if they are mixed.
my $since = "WHERE created_at >= '2026-03-01'";
my @of_v7 = ($since, 'ORDER BY created_at LIMIT 3');
my @of_mixed = ($since, "$since ORDER BY created_at LIMIT 3");
sub are_served { return !grep { !is_served("SELECT * FROM t $_") } @_ }

# Creates the database `app` with a state: SQL that makes a table or view t with the column created_at. Tests that
# uuidx_check() finds this problem, or none.
sub finds($name, $sql, $problem) {
  create_database();
  $node->safe_psql('app', "$sql; ANALYZE");
  is(check_of('t', 'problem'), $problem, "$name: the problem");
}

# Tests a state for which there is no SQL: it lacks nothing, or only another definition mends it.
sub is_final($name, $sql, $problem, @queries) {
  finds($name, $sql, $problem);
  is(check_of('t', 'remedy'), '', "$name: no SQL");
  is(are_served(@queries ? @queries : @of_v7), $problem eq '', "$name: plans agree");
}

# Tests that the SQL for a state, which begins like this, mends it for queries.
sub is_mended($name, $begin, @queries) {
  my $remedy = check_of('t', 'remedy');
  like($remedy, qr/^\Q$begin\E/, "$name: the SQL");
  ok(mend($name, $remedy), "$name: the SQL runs");
  is(check_of('t', 'problem'), '', "$name: mended by $remedy");
  ok(are_served(@queries), "$name: mended for queries");
}

# Tests a state of keys of version 7 that SQL mends, which begins like this.
sub lacks($name, $sql, $problem, $begin) {
  finds($name, $sql, $problem);
  ok(!are_served(@of_v7), "$name: plans agree");
  is_mended($name, $begin, @of_v7);
}

# Tests a state of mixed keys that an index on those of version 7 mends, after other SQL.
sub lacks_mixed($name, $sql, $problem, $before = '') {
  finds("mixed, $name", $sql, $problem);
  is_mended("mixed, $name", $before . 'CREATE INDEX CONCURRENTLY ON public.d (id) WHERE', @of_mixed);
}

# Tests a state without an index on the key of a table.
sub lacks_index($name, $sql, $of) {
  lacks($name, $sql, "no B-tree index of public.$of begins with id", "CREATE INDEX CONCURRENTLY ON public.$of (id)");
}

# Tables, from no hint of what their keys are to a proof; their time column; rows.
my $plain   = 'CREATE TABLE d (id uuid PRIMARY KEY, n int)';
my $default = 'CREATE TABLE d (id uuid PRIMARY KEY DEFAULT uuid_v7(), n int)';
my $table   = 'CREATE TABLE d (id uuid PRIMARY KEY DEFAULT uuid_v7() CHECK (uuid_is_v7(id)), n int)';
my $view    = 'CREATE VIEW t AS SELECT *, uuid_extract_v7_time(id) AS created_at FROM d';
my $view_of_any = 'CREATE VIEW t AS SELECT uuid_extract_time(id) AS created_at FROM d';
my $rows    = 'INSERT INTO d (id, n) SELECT uuid_v7(), 1 FROM generate_series(1, 300)';
my $random  = 'INSERT INTO d (id, n) SELECT gen_random_uuid(), 1 FROM generate_series(1, 300)';
my $check   = 'ALTER TABLE d ADD CONSTRAINT c CHECK (uuid_is_v7(id))';

is_final('view', "$table; $rows; $view", '');
is_final('view of uuid_extract_time()', "$table; $view_of_any", '');
is_final('view of a view with a join and a timestamp(3) in UTC', "$table;
  CREATE TABLE other (n int PRIMARY KEY);
  CREATE VIEW v AS SELECT d.* FROM d JOIN other USING (n);
  CREATE VIEW t AS SELECT (uuid_extract_v7_time(id) AT TIME ZONE 'UTC')::timestamp(3) AS created_at
    FROM (SELECT * FROM v) AS s", '');
is_final('mixed', "$default; $random; $view; CREATE INDEX ON d (id) WHERE uuid_is_v7(id)", '', @of_mixed);

# The CHECK.
my $no_check = 'no CHECK (public.uuid_is_v7(id))';
my $add = 'ALTER TABLE public.d ADD CHECK';
lacks('no CHECK', "$default; $rows; $view", $no_check, $add);
lacks('no CHECK, no default, beside random keys',
  ($plain =~ s/PRIMARY KEY/UNIQUE, other uuid DEFAULT gen_random_uuid()/r) . "; $rows; $view; CREATE TABLE e AS
    SELECT gen_random_uuid() AS id FROM d; CREATE SCHEMA s; CREATE TABLE s.d AS TABLE e", $no_check, $add);
lacks('no CHECK, of uuid_extract_time()', "$default; $rows; $view_of_any", $no_check, $add);
lacks('no CHECK, a name that is taken',
  "$default; $rows; $view; ALTER TABLE d ADD CONSTRAINT d_id_check CHECK (n > 0)", $no_check, $add);
lacks('CHECK of another form', "$default; $rows; $view; ALTER TABLE d ADD CHECK (uuid_is_v7(id) OR n > 0)", $no_check,
  $add);
lacks('NOT VALID', "$default; $rows; $view; $check NOT VALID", 'the CHECK c is NOT VALID',
  'ALTER TABLE public.d VALIDATE CONSTRAINT c');
lacks('NO INHERIT', "$default; $rows; $view; $check NO INHERIT; CREATE TABLE child (PRIMARY KEY (id)) INHERITS (d)",
  'the CHECK c is NO INHERIT', 'ALTER TABLE public.d DROP CONSTRAINT c, ADD CHECK');
lacks_mixed('no index on version 7', "$default; $random; $view", $no_check);
lacks_mixed('no rows, random by default', ($default =~ s/uuid_v7/gen_random_uuid/r) . "; $view", $no_check);
lacks_mixed('no rows and no default', "$plain; $view", $no_check);
lacks_mixed('random by default', ($default =~ s/uuid_v7/gen_random_uuid/r) . "; $rows; $view", $no_check);
lacks_mixed('frequent values', ($default =~ s/PRIMARY KEY/NOT NULL/r) . "; CREATE INDEX ON d (id); $rows; $view;
  INSERT INTO d (id) SELECT nil_uuid() FROM generate_series(1, 30)", $no_check);
lacks_mixed('an INVALID index', "$default; $random; $view; CREATE INDEX i ON d (id) WHERE uuid_is_v7(id);
  UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'i'::regclass", $no_check);
is_final('mixed, an index that needs no CHECK', "$default; $random; $view; $check NOT VALID;
  CREATE INDEX ON d (id) WHERE uuid_is_v7(id); ALTER TABLE d DROP CONSTRAINT d_pkey", '', @of_mixed);
lacks_mixed('NOT VALID', "$default; $random; $view; $check NOT VALID", 'the CHECK c is NOT VALID',
  'ALTER TABLE public.d DROP CONSTRAINT c; ');

# The index.
my $no_key = 'ALTER TABLE d DROP CONSTRAINT d_pkey';
lacks_index('no index', "$table; $rows; $view; $no_key", 'd');
lacks_index('other columns before the key', "$table; $rows; $view; $no_key, ADD PRIMARY KEY (n, id)", 'd');
lacks_index('other rows', "$table; $rows; $view; $no_key; CREATE INDEX ON d (id) WHERE uuid_is_v7(id) AND n > 0", 'd');
lacks_index('another method', "$table; $rows; $view; $no_key; CREATE INDEX ON d USING hash (id)", 'd');
is_final('an INVALID index that is not needed', "$table; $rows; $view; CREATE INDEX i ON d (id);
  UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'i'::regclass", '');
is_final('another order of NULL, which the key has not', "$table; $rows; $view; $no_key;
  CREATE INDEX d_id_idx ON d (id DESC NULLS LAST)", '');
lacks('another order of NULL, which the key has not, no CHECK', "$default; $rows; $view; $no_key;
  CREATE INDEX d_id_idx ON d (id DESC NULLS LAST)", $no_check, $add);
lacks_index('another order of NULL', "CREATE TABLE d (id uuid CHECK (uuid_is_v7(id)), n int); $rows; $view;
  CREATE INDEX d_id_idx ON d (id DESC NULLS LAST)", 'd');
lacks_index('no index of a child', "$table; $rows; $view; CREATE TABLE child () INHERITS (d)", 'child');
lacks_index('no index of a partition', "CREATE TABLE d (id uuid CHECK (uuid_is_v7(id)), n int) PARTITION BY LIST (n);
  CREATE TABLE d1 PARTITION OF d FOR VALUES IN (1);
  CREATE TABLE d2 (n int, id uuid PRIMARY KEY, CONSTRAINT d_id_check CHECK (uuid_is_v7(id)));
  ALTER TABLE d ATTACH PARTITION d2 FOR VALUES IN (2); $rows; $view", 'd1');
lacks('an INVALID index', "$table; $rows; $view; $no_key; CREATE UNIQUE INDEX i ON d (id);
  UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'i'::regclass",
  'the index public.i is INVALID', 'REINDEX INDEX CONCURRENTLY public.i');

# What only another definition mends.
is_final('domain', "CREATE DOMAIN key AS uuid; CREATE TABLE d (id key PRIMARY KEY CHECK (uuid_is_v7(id)), n int);
  $rows; $view", 'the type of id is not uuid');
is_final('view with LIMIT', "$table; $view LIMIT 10", 'the view keeps conditions or order from the table');

# Where the setting is off decides what turns it on.
my %off = (
  session => 'SET uuidx.enable_time_columns = off; ',
  database => 'ALTER DATABASE app SET uuidx.enable_time_columns = off',
  role => "ALTER ROLE $superuser SET uuidx.enable_time_columns = off",
  'role in database' => "ALTER ROLE $superuser IN DATABASE app SET uuidx.enable_time_columns = off",
  file => "LOAD 'uuidx'; ALTER SYSTEM SET uuidx.enable_time_columns = off");
for my $where (sort keys %off) {
  create_database();
  $node->safe_psql('app', "$table; $rows; $view");
  my $before = $where eq 'session' ? $off{session} : '';
  $node->safe_psql('app', $off{$where});
  $node->restart if $where eq 'file';
  is(check_of('t', 'problem', $before), 'uuidx.enable_time_columns is off', "setting, $where");
  my $remedy = check_of('t', 'remedy', $before);
  if ($where eq 'session') {
    is(check_of('t', 'problem', "$before$remedy; "), '', "setting, $where: $remedy");
  } else {
    $node->safe_psql('app', $remedy);
    is(check_of('t', 'problem'), '', "setting, $where: $remedy");
  }
  $node->safe_psql('postgres', "ALTER ROLE $superuser RESET ALL");
}
$node->safe_psql('postgres', 'ALTER SYSTEM RESET ALL');
$node->restart;

# Random keys that no sample shows: the SQL fails and leaves nothing. After ANALYZE, it is another one.
create_database();
$node->safe_psql('app', "$default; $random; $view");
ok(!mend('random keys, no ANALYZE', check_of('t', 'remedy')), 'random keys, no ANALYZE: the CHECK fails');
is($node->safe_psql('app', q{SELECT count(*) FROM pg_constraint WHERE conrelid = 'd'::regclass AND contype = 'c'}), 0,
  'random keys, no ANALYZE: no CHECK is left');
$node->safe_psql('app', 'ANALYZE d; DROP TABLE stop');
ok(mend('random keys, ANALYZE', check_of('t', 'remedy')), 'random keys, ANALYZE: the SQL runs');
is(check_of('t', 'problem'), '', 'random keys, ANALYZE: mended');

# A generated column, whose function must load the library.
my $stored = 'CREATE TABLE t (id uuid PRIMARY KEY DEFAULT uuid_v7() CHECK (uuid_is_v7(id)), n int,
  created_at timestamptz GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED)';
my $unloaded = 'new sessions do not load uuidx before the first query';
my $load     = 'CREATE STATISTICS public.t_uuidx';
is_final('view of a stored column', "$stored; ALTER TABLE t RENAME TO d; CREATE VIEW t AS SELECT * FROM d LIMIT 10",
  'the view keeps conditions or order from the table');
lacks('stored column', "$stored; CREATE STATISTICS s ON n, created_at FROM t; CREATE TABLE other (id uuid);
  CREATE STATISTICS load ON (uuid_is_v7(id)) FROM other; CREATE INDEX ON other (id) WHERE uuid_is_v7(id)", $unloaded,
  $load);
{
  local $ENV{PGOPTIONS} = '-c session_preload_libraries=uuidx';
  finds('stored column, loaded', $stored, '');
}
finds('stored column, loaded for one role', "CREATE ROLE loads; ALTER ROLE loads IN DATABASE app SET
  local_preload_libraries = 'uuidx'; $stored", $unloaded);
$node->safe_psql('app', 'DROP ROLE loads');
is_final('stored column, an index that loads', "$stored; CREATE INDEX ON t (id) WHERE uuid_is_v7(id)", '');
is_final('stored column, an expression of an index that loads', "$stored; CREATE INDEX ON t (uuid_is_v7(id))", '');
create_database();
$node->safe_psql('app', $stored =~ s/v7_time/time_precise/r);
is(check_of('t', 'column_name, kind'), 'created_at|stored', 'a stored column with the precise time has a row');

# An ordinary column, that a trigger keeps equal.
my $column = "CREATE TABLE t (id uuid PRIMARY KEY DEFAULT uuid_v7() CHECK (uuid_is_v7(id)), n int,
    created_at timestamptz NOT NULL);
  CREATE TRIGGER equal BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION uuid_time_trigger('id', 'created_at');
  CREATE STATISTICS load ON (uuid_is_v7(id)) FROM t;" . $rows =~ s/INTO d/INTO t/r;
my $equal = 'ALTER TABLE t ADD CONSTRAINT e CHECK (created_at = uuid_extract_v7_time(id))';
my $set   = q{EXECUTE FUNCTION uuid_time_trigger('id', 'created_at')};
my $near  = q{ALTER TABLE t ADD CONSTRAINT e CHECK (created_at BETWEEN uuid_extract_v7_time(id) - interval '1 h'
  AND uuid_extract_v7_time(id) + interval '1 min')};
is_final('equal', "$column; $equal", '');
finds('equal, no trigger', "$column; DROP TRIGGER equal ON t; $equal", 'no trigger sets created_at');
$node->safe_psql('app', check_of('t', 'remedy') . '; INSERT INTO t (created_at) VALUES (now())');
is(check_of('t', 'problem'), '', 'equal, no trigger: mended');
finds('equal, other triggers', "$column; $equal; ALTER TABLE t DISABLE TRIGGER equal, ADD other timestamptz;
  CREATE TRIGGER a AFTER INSERT ON t FOR EACH ROW $set; CREATE TRIGGER b BEFORE UPDATE ON t FOR EACH ROW $set;
  CREATE TRIGGER c BEFORE INSERT ON t $set; CREATE TABLE other (LIKE t);
  CREATE TRIGGER d BEFORE INSERT ON t FOR EACH ROW ${\($set =~ s/created_at/other/r)};
  CREATE TRIGGER e BEFORE INSERT ON other FOR EACH ROW $set", 'no trigger sets created_at');
finds('equal, a trigger of replicas', "$column; $equal; ALTER TABLE t ENABLE REPLICA TRIGGER equal",
  'no trigger sets created_at');
is_final('equal to another time', "$column; DROP TRIGGER equal ON t;
  UPDATE t SET created_at = created_at + interval '1 s'; ${\($equal =~ s/\)$/ + interval '1 s')/r)}", '', $since);
is_final('equal, a function for triggers', "$column; $equal; DROP TRIGGER equal ON t;
  CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.created_at := now(); RETURN NEW; END';
  CREATE TRIGGER f BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()", '');
my $same = $equal =~ s/=/IS NOT DISTINCT FROM/r;
is_final('equal, never distinct, a nullable key', ($column =~ s/PRIMARY KEY/UNIQUE/r) . "; $same", '');
is_final('equal, never distinct, a nullable column', ($column =~ s/ NOT NULL//r) . "; $same", '');
# Other constraints, of which those of the column do not count either.
my $others = q{ALTER TABLE t ADD other timestamptz, ADD CHECK (created_at = created_at) NOT VALID,
  ADD CHECK (uuid_extract_v7_time(id) = uuid_extract_v7_time(id)) NOT VALID,
  ADD CHECK (other > uuid_extract_v7_time(id)) NOT VALID};
is_final('near', "$column; DROP TRIGGER equal ON t; $near; $others,
  ADD CHECK (created_at > uuid_extract_v7_time(id) - interval '1 day') NOT VALID", '', $since);
is(check_of('t', 'kind'), 'near', 'near: the kind');
lacks('equal, not loaded', ($column =~ s/CREATE STATISTICS.*?;//r) . "; $equal", $unloaded, $load);
lacks('equal, a nullable column', ($column =~ s/ NOT NULL//r) . "; $equal", 'created_at may be NULL',
  'ALTER TABLE public.t ALTER created_at SET NOT NULL');
lacks('equal, a nullable key', ($column =~ s/PRIMARY KEY/UNIQUE/r) . "; $equal", 'id may be NULL',
  'ALTER TABLE public.t ALTER id SET NOT NULL');
lacks('equal, no CHECK', ($column =~ s/CHECK \(uuid_is_v7\(id\)\)//r) . "; $equal", $no_check, $add =~ s/\.d/.t/r);
lacks('equal, NOT VALID', "$column; $equal NOT VALID, ADD CONSTRAINT a CHECK (created_at >= uuid_extract_v7_time(id))",
  'the CHECK e is NOT VALID', 'ALTER TABLE public.t VALIDATE CONSTRAINT e');
is_final('equal, a domain', "$column; DROP TRIGGER equal ON t; CREATE DOMAIN moment AS timestamptz;
  ALTER TABLE t ALTER created_at TYPE moment; $equal", 'the type of created_at is a domain');
is_final('equal, children', "$column; $equal; CREATE TABLE child (PRIMARY KEY (id)) INHERITS (t)",
  'the table has children by inheritance');
is_final('near, days', "$column; ${\($near =~ s/1 h/1 day/r)}", 'the CHECK e is in no form that is served');
is_final('equal, partitions', ($column =~ s/;/ PARTITION BY HASH (id); CREATE TABLE t1 PARTITION OF t FOR VALUES WITH
    (modulus 1, remainder 0);/r) . "; $equal", '');
is_final('near, mixed', ($column =~ s/CHECK \(uuid_is_v7\(id\)\)//r) . "; DROP TRIGGER equal ON t;
  $near; INSERT INTO t SELECT gen_random_uuid(), 1, now() FROM t", $no_check);
is_final('equal or not', "$column; $others; ${\($equal =~ s/\)$/ OR n > 0)/r)}",
  'the CHECK e is in no form that is served');
create_database();
$node->safe_psql('app', "$column; ALTER TABLE t ADD CHECK (created_at >= uuid_extract_v7_time(id)),
  ADD other timestamptz CHECK (other <= uuid_extract_v7_time(id))");
is(check_of('t', 'kind'), 'key', 'one side of a time alone makes no time column');

# Keys of tables without a time column. Their rows need no CHECK, as conditions on the key need none.
create_database();
$node->safe_psql('app', q{
  CREATE TABLE a (id uuid PRIMARY KEY DEFAULT uuid_v7(), text text DEFAULT uuid_v7());
  CREATE TABLE b (id uuid DEFAULT uuid_v7());
  CREATE TABLE child (PRIMARY KEY (id)) INHERITS (a);
  CREATE TABLE two (id uuid PRIMARY KEY DEFAULT uuid_v7(), other uuid UNIQUE DEFAULT uuid_v7() NOT NULL);
  CREATE VIEW v AS SELECT uuid_extract_v7_time(id) AS t FROM two;
  CREATE FOREIGN DATA WRAPPER f; CREATE SERVER f FOREIGN DATA WRAPPER f;
  CREATE FOREIGN TABLE f (id uuid DEFAULT uuid_v7()) SERVER f;
  CREATE TABLE c (id uuid PRIMARY KEY, other uuid, CONSTRAINT late CHECK (uuid_is_v7(id)));
  ALTER TABLE c DROP CONSTRAINT late, ADD CONSTRAINT late CHECK (uuid_is_v7(id)) NOT VALID;
  CREATE TABLE random (id uuid PRIMARY KEY DEFAULT gen_random_uuid() CHECK (id IS NOT NULL))});
is(check_of('', 'relation, column_name, kind, expression, problem, remedy'), join("\n",
    'a|id|key|id||',
    'b|id|key|id|no B-tree index of public.b begins with id|CREATE INDEX CONCURRENTLY ON public.b (id)',
    'c|id|key|id|the CHECK late is NOT VALID|ALTER TABLE public.c VALIDATE CONSTRAINT late',
    'two|other|key|other||',
    'v|t|view|public.uuid_extract_v7_time(id)|no CHECK (public.uuid_is_v7(id))|'
      . 'ALTER TABLE public.two ADD CHECK (public.uuid_is_v7(id))'), 'keys');

my @makers = qw(generate_uuidv7 uuid_generate_v7 uuid_v7_server uuidv7);
$node->safe_psql('app', join '', 'CREATE SCHEMA made;', map { "CREATE TABLE made.$_ (id uuid PRIMARY KEY);
  CREATE FUNCTION made.$_() RETURNS uuid LANGUAGE sql RETURN public.uuid_v7();
  ALTER TABLE made.$_ ALTER id SET DEFAULT made.$_();" } @makers);
is(check_of('', "string_agg(relation::text, ' ') FILTER (WHERE relation::text ~ 'made')"),
  join(' ', map { "made.$_" } @makers), 'keys that other functions make');
$node->safe_psql('app', 'DROP SCHEMA made CASCADE');

# Another session's lock does not hold up the check, which holds no locks and changes no settings itself.
$node->safe_psql('app', "DROP TABLE b, c, two CASCADE; $table; $rows; $view");
my $old = $node->background_psql('app');
$old->query_safe('BEGIN; LOCK TABLE d');
is(check_of('', 'relation, problem'), "a|\nd|canceling statement due to lock timeout", 'a locked table');
$old->query_safe('COMMIT');
is($node->safe_psql('app', q{
    BEGIN; SELECT count(*) FROM uuidx_check();
    SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'd'::regclass;
    SHOW enable_seqscan}), "2\n0\non", 'no locks and settings remain');

# Each function that the planner puts into queries must be executable by all.
my $allowed = q{
  SET ROLE reader; SET enable_seqscan = off;
  EXPLAIN (COSTS OFF) SELECT FROM t WHERE created_at > '2026-03-01'};
is(check_of('t', 'count(*)', 'SET ROLE reader; '), 0, 'nothing of columns that the role may not read');
$node->safe_psql('app', 'GRANT SELECT ON a, d, t TO reader');
my @wrong;
my @functions = split /\n/, $node->safe_psql('app', q{
  SELECT oid::regprocedure FROM pg_proc WHERE probin LIKE '%uuidx' ORDER BY 1});
for my $function (@functions) {
  my $output = $old->query_safe(qq{
    REVOKE EXECUTE ON FUNCTION $function FROM PUBLIC;
    $allowed; RESET ROLE; RESET enable_seqscan;
    SELECT 'problem: ' || problem || '; ' || remedy FROM uuidx_check('t');
    GRANT EXECUTE ON FUNCTION $function TO PUBLIC;});
  my $used      = $output =~ /Index Cond/;
  my ($problem) = $output =~ /^problem: (.*)/m;
  my $wanted = $used ? ''
    : "not every role may execute public.$function; GRANT EXECUTE ON FUNCTION public.$function TO PUBLIC";
  push @wrong, "$function: $problem" if ($problem // '') ne $wanted;
}
$old->quit;
cmp_ok(scalar @functions, '>', 50, 'functions were tried');
is("@wrong", '', 'EXECUTE is missing exactly if the planner of an ordinary role cannot rewrite');

# Odd databases: what the caller does not own, temporary tables of others, odd names, another schema, no search_path.
is($node->safe_psql('app', 'ALTER TABLE a OWNER TO reader; SET ROLE reader; SELECT relation FROM uuidx_check()'), 'a',
  'tables that the role does not own');
my $other = $node->background_psql('app');
$other->query_safe('CREATE TEMP TABLE mine (id uuid DEFAULT uuid_v7())');
is(check_of('', 'relation'), 't', 'temporary tables of another session, and what a superuser does not own');
is($other->query_safe('SELECT relation FROM uuidx_check() WHERE problem IS NOT NULL'), 'mine', 'own temporary tables');
$other->quit;
create_database();
$node->safe_psql('app', q{
  CREATE SCHEMA ids; ALTER EXTENSION uuidx SET SCHEMA ids;
  CREATE SCHEMA "Odd ""Schema"; CREATE TABLE "Odd ""Schema"."Order" ("Id" uuid PRIMARY KEY DEFAULT ids.uuid_v7());
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
  skip 'before PostgreSQL 16, children compute a column as their parent does', 1 if $version < 160000;
  is_final('other expression of a child', "$stored; CREATE TABLE child (id uuid PRIMARY KEY,
    created_at timestamptz GENERATED ALWAYS AS (uuid_extract_time(id)) STORED) INHERITS (t)",
    'the planner does not use the index of the key');
}
SKIP: {
  skip 'PostgreSQL before 18 has no virtual columns and no NOT ENFORCED', 1 if $version < 180000;
  my $virtual = $stored =~ s/uuid_extract_v7_time\(id\)\) STORED/uuid_extract_timestamp(id)) VIRTUAL/r;
  lacks('virtual column', $virtual, $unloaded, $load);
  lacks('virtual column of a partition', "CREATE TABLE t (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int,
    created_at timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(id)) VIRTUAL) PARTITION BY HASH (id);
    CREATE TABLE t1 PARTITION OF t FOR VALUES WITH (modulus 1, remainder 0)", $unloaded, $load);
  is_final('statistics object', "$virtual; CREATE STATISTICS s ON (uuid_is_v7(id)) FROM t", '');
  lacks("view of PostgreSQL's function",
    "$table; CREATE VIEW t AS SELECT uuid_extract_timestamp(id) AS created_at FROM d", $unloaded,
    $load =~ s/t_uuidx/d_uuidx/r);
  lacks('equal, NOT ENFORCED', "$column; $equal NOT ENFORCED", 'the CHECK e is NOT ENFORCED',
    'ALTER TABLE public.t DROP CONSTRAINT e, ADD CHECK');
  lacks('NOT ENFORCED', "$default; $rows; $view; $check NOT ENFORCED", 'the CHECK c is NOT ENFORCED',
    'ALTER TABLE public.d DROP CONSTRAINT c, ADD CHECK');
}

done_testing();
