# doc/migrate/created_at.sql proves what a column of times holds, and changes nothing else: definitions, grants and rows
# are the same before and after, but for what it says, and again after the way back.

use FindBin;
use lib $FindBin::RealBin;
use Cwd qw(realpath);
use Helpers;
use IPC::Run;

my $tree = realpath("$FindBin::RealBin/../..");
my $node = start_node('created_at', "timezone = 'UTC'\n", extra => [ '--encoding=UTF8', '--locale=C' ]);
my $server = version_of($node);
$node->safe_psql('postgres', q{CREATE ROLE app LOGIN; CREATE ROLE reader; CREATE ROLE stranger});

# Runs psql on input as a role; returns its exit code, output and messages.
sub psql_as {
  my ($role, $db, $input, @options) = @_;
  IPC::Run::run([ 'psql', '-X', '-q', '-A', '-t', '-U', $role, '-d', $node->connstr($db), '-v', 'ON_ERROR_STOP=1',
    @options ], '<', \$input, '>', \my $output, '2>', \my $errors);
  return ($? >> 8, $output, $errors);
}

# Runs SQL as the owner of the tables; dies if it fails.
sub app {
  my ($code, $output, $errors) = psql_as('app', @_);
  die "$errors\n" if $code;
  chomp $output;
  return $output;
}

# Returns the statements that a step prints. Arguments: database, variables with the step.
sub printed {
  my ($db, %variables) = @_;
  my ($code, $output, $errors) = psql_as('app', $db, '', '-f', "$tree/doc/migrate/created_at.sql",
    map { ('-v', "$_=$variables{$_}") } sort keys %variables);
  die "$errors\n" if $code;
  return $output;
}

# Runs steps; returns the output of the last one.
sub migrate {
  my ($db, $variables, @steps) = @_;
  my $output;
  for my $step (@steps) {
    my $sql = printed($db, %$variables, step => $step);
    (my $code, $output, my $errors) = psql_as('app', $db, $sql);
    is($code, 0, "$db: step $step") or diag("$sql$errors");
  }
  return $output;
}

# Checks that a step is refused. Arguments: database, variables with the step, message.
sub refused {
  my ($db, $variables, $message) = @_;
  like(eval { printed($db, %$variables) } // $@, qr/ERROR:  $message/, "$db: $message");
  return;
}

# Returns a schema with owners, grants, comments and statistics. Names lose what was hard to quote.
sub schema {
  my ($dump) = run_command([ 'pg_dump', '-s', '-d', $node->connstr($_[0]) ]);
  return $dump =~ s/\n%s \\ \$\$ ""(?:q"" )?:x//gr =~ s/^(?:--|\\|SET |SELECT | *$).*\n//gmr;
}

# Returns the lines that only one of two schemas has, without what the script adds: the CHECKs with a comment, NOT NULL,
# the statistics object, the trigger.
sub difference {
  my %count;
  $count{ s/,$//r }-- for split /\n/, $_[0];
  $count{ s/,$//r }++ for split /\n/, $_[1];
  my @lines = map { ($count{$_} > 0 ? '+ ' : '- ') . s/^ +//r } sort grep { $count{$_} } keys %count;
  return join "\n", grep { !/^\+ (?:COMMENT ON )?CONSTRAINT \S+(?:_by_key|_is_v7)"? / && !/^\+ .* NOT NULL/
    && !/^\+ [CA]\w+ STATISTICS \S+_uuidx"? |^- \S+ timestamp with time zone DEFAULT now\(\)$/ } @lines;
}

# Returns what else must not change: rows, files, and plans as the reader of the tables sees them.
sub content {
  my ($db, @tables) = @_;
  return join "\n", map { app($db, "SELECT count(*), md5(string_agg(t::text, E'\\n' ORDER BY t::text)) FROM $_ AS t") }
    @tables;
}

# A table as applications have it, and others that refer to it. Its rows are an hour apart.
my $jobs = q{
  CREATE TABLE job (id uuid PRIMARY KEY DEFAULT uuid_v7(), tenant int, status text, kind text DEFAULT 'a',
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK (updated_at >= created_at - interval '1 s'));
  CREATE INDEX job_time ON job (created_at DESC) WITH (fillfactor = 80, deduplicate_items = off);
  COMMENT ON INDEX job_time IS 'o''clock';
  CREATE INDEX "job' \ time" ON job (created_at NULLS FIRST);
  CREATE INDEX job_queue ON job (created_at) WHERE status = 'new';
  CREATE INDEX "line
DROP TABLE task;" ON job (created_at) WHERE status = 'new';
  CREATE INDEX job_day ON job (((created_at AT TIME ZONE 'UTC')::date));
  CREATE INDEX job_tenant_day ON job (tenant, ((created_at AT TIME ZONE 'UTC')::date));
  CREATE INDEX job_tenant ON job (tenant, created_at DESC);
  CREATE INDEX job_recent ON job (tenant) WHERE created_at > '2026-01-01Z';
  CREATE INDEX job_brin ON job USING brin (created_at, tenant);
  CREATE INDEX job_cov ON job (created_at) INCLUDE (status);
  CREATE INDEX job_literal ON job (kind, created_at) WHERE kind <> 'created_at';
  CREATE STATISTICS job_st ON tenant, created_at FROM job;
  ALTER TABLE job ALTER created_at SET STATISTICS 500, ALTER created_at SET (n_distinct = -1), CLUSTER ON job_cov;
  COMMENT ON COLUMN job.created_at IS 'when it came';
  CREATE VIEW recent AS SELECT * FROM job WHERE created_at > '2026-01-01Z';
  CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.created_at IS NULL THEN RAISE 'no created_at in a trigger'; END IF;
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
  END $$;
  CREATE TRIGGER touch BEFORE UPDATE ON job FOR EACH ROW EXECUTE FUNCTION touch();
  CREATE TABLE task (job uuid REFERENCES job ON DELETE CASCADE, n int);
  CREATE PUBLICATION jobs FOR TABLE job (id, created_at, status, tenant);
  CREATE PUBLICATION new_jobs FOR TABLE job WHERE (created_at > '2026-01-01Z') WITH (publish = 'insert');
  GRANT SELECT (id, created_at, status), INSERT ON job TO reader;
  GRANT SELECT ON recent TO reader WITH GRANT OPTION;
  INSERT INTO job SELECT uuid_v7_at(t), n % 10, CASE WHEN n > 2990 THEN 'new' ELSE 'done' || n END, 'a',
      t - n % 7 * interval '1 s', t FROM generate_series(1, 3000) AS n,
    LATERAL CAST('2026-01-01Z'::timestamptz + n * interval '1 hour 0.000123 s' AS timestamptz) AS t;
  INSERT INTO task SELECT id, 1 FROM job;
  VACUUM ANALYZE job};
# Enforces what one millisecond for two rows would violate.
my $unique = q{
  CREATE UNIQUE INDEX job_uq ON job (tenant, created_at);
  ALTER TABLE job ADD CONSTRAINT job_uqc UNIQUE (status, created_at), ALTER tenant SET NOT NULL,
    REPLICA IDENTITY USING INDEX job_uq};
# Columns of other types, names that need quotes, partitions, and children.
my $others = q{
  CREATE TABLE acc (id uuid PRIMARY KEY DEFAULT uuid_v7(), a int, created_at timestamptz(3) NOT NULL DEFAULT now(),
    CHECK (uuid_is_v7(id)));
  GRANT SELECT (id, created_at) ON acc TO reader;
  INSERT INTO acc SELECT uuid_v7_at(t), 1, t
    FROM generate_series('2026-01-01Z'::timestamptz, '2026-01-09Z', '1 h') AS t;
  CREATE TABLE users (id uuid PRIMARY KEY DEFAULT uuid_v7(), name text, created_at timestamp NOT NULL
    DEFAULT (now() AT TIME ZONE 'UTC'), CONSTRAINT id_is_v7 CHECK (uuid_is_v7(id)));
  INSERT INTO users SELECT uuid_v7_at(t), 'u', t AT TIME ZONE 'UTC'
    FROM generate_series('2026-01-01Z'::timestamptz, '2026-01-09Z', '1 h') AS t;
  CREATE TABLE "o'dd
%s \ $$ ""q"" :x" ("key'
%s \ $$ "":x" uuid PRIMARY KEY DEFAULT uuid_v7(), "at'
%s \ $$ "":x" timestamptz DEFAULT now());
  CREATE INDEX "in'dex
%s \ $$ "":x" ON "o'dd
%s \ $$ ""q"" :x" ("at'
%s \ $$ "":x");
  INSERT INTO "o'dd
%s \ $$ ""q"" :x" SELECT FROM generate_series(1, 500);
  CREATE TABLE log (id uuid PRIMARY KEY DEFAULT uuid_v7(), created_at timestamptz DEFAULT now(), n int)
    PARTITION BY RANGE (id);
  CREATE TABLE log_1 PARTITION OF log FOR VALUES FROM (MINVALUE) TO (uuid_v7_min('2026-02-01Z'));
  CREATE TABLE log_2 PARTITION OF log FOR VALUES FROM (uuid_v7_min('2026-02-01Z')) TO (MAXVALUE)
    PARTITION BY HASH (id);
  CREATE TABLE log_2a PARTITION OF log_2 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
  CREATE TABLE log_2b PARTITION OF log_2 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
  CREATE INDEX log_time ON log (created_at);
  ALTER INDEX log_2b_created_at_idx RENAME TO other;
  ALTER INDEX log_1_created_at_idx SET (fillfactor = 70);
  CREATE INDEX log_1_own ON log_1 (created_at, n);
  INSERT INTO log SELECT uuid_v7_at(t), t FROM generate_series('2026-01-01Z'::timestamptz, '2026-03-09Z', '1 h') AS t;
  CREATE TABLE base (id uuid PRIMARY KEY DEFAULT uuid_v7(), created_at timestamptz DEFAULT now());
  CREATE TABLE child (CONSTRAINT child_id PRIMARY KEY (id)) INHERITS (base);
  CREATE INDEX child_time ON child (created_at);
  INSERT INTO base SELECT FROM generate_series(1, 500);
  INSERT INTO child SELECT FROM generate_series(1, 500)};
my $odd = qq{"o'dd\n%s \\ \$\$ ""q"" :x"};
my ($odd_key, $odd_time) = map { "$_'\n%s \\ \$\$ \":x" } 'key', 'at';
my %with_odd = (table => $odd, key => $odd_key, column => $odd_time);

# Creates a database of the owner.
sub database {
  my ($name, $setup) = @_;
  $node->safe_psql('postgres', "CREATE DATABASE $name OWNER app STRATEGY file_copy");
  $node->safe_psql($name, 'CREATE EXTENSION uuidx; ALTER SCHEMA public OWNER TO app');
  app($name, $setup);
  return;
}

# near: only what the script says is added, and the way back removes it.
{
  my $db = 'near';
  database($db, "$jobs;$unique;$others");
  my @tables = ('job', 'task', 'recent', 'acc', 'users', $odd, 'log', 'base', 'child');
  my ($schema, $content) = (schema($db), content($db, @tables));
  my $files = q{SELECT oid::regclass, pg_relation_filenode(oid) FROM pg_class WHERE relkind = 'r'
    AND relnamespace = 'public'::regnamespace ORDER BY 1};
  my $before = app($db, $files);
  my @migrations = ({ table => 'job', later => '10 s' }, { table => 'acc' }, { table => 'users' }, \%with_odd,
    { table => 'log' }, { table => 'base' });
  like(migrate($db, $migrations[0], 1), qr/\A3000\|0\|0\|0\|00:00:06\|00:00:00\.000999\|01:00:00\|00:00:10\n\z/,
    'a tolerance is proposed from the data');
  migrate($db, $_, 2, 3, 4, 5) for @migrations;
  is(content($db, @tables), $content, "$db: rows are the same");
  is(app($db, $files), $before, "$db: no table is rewritten");
  is(difference($schema, schema($db)), <<'END' =~ s/\n\z//r, "$db: the schema loses only redundant indexes");
- ALTER INDEX public.log_2_created_at_idx ATTACH PARTITION public.log_2a_created_at_idx;
- ALTER INDEX public.log_2_created_at_idx ATTACH PARTITION public.other;
- ALTER INDEX public.log_time ATTACH PARTITION public.log_1_created_at_idx;
- ALTER INDEX public.log_time ATTACH PARTITION public.log_2_created_at_idx;
- COMMENT ON INDEX public.job_time IS 'o''clock';
- CREATE INDEX "in'dex" ON public."o'dd" USING btree ("at'");
- CREATE INDEX "job' \ time" ON public.job USING btree (created_at NULLS FIRST);
- CREATE INDEX child_time ON public.child USING btree (created_at);
- CREATE INDEX job_time ON public.job USING btree (created_at DESC) WITH (fillfactor='80', deduplicate_items=off);
- CREATE INDEX log_1_created_at_idx ON public.log_1 USING btree (created_at) WITH (fillfactor='70');
- CREATE INDEX log_2_created_at_idx ON ONLY public.log_2 USING btree (created_at);
- CREATE INDEX log_2a_created_at_idx ON public.log_2a USING btree (created_at);
- CREATE INDEX log_time ON ONLY public.log USING btree (created_at);
- CREATE INDEX other ON public.log_2b USING btree (created_at);
END
  migrate($db, $_, 'back') for @migrations;
  is(schema($db), $schema, "$db: the way back leads to the same schema");
  is(content($db, @tables), $content, "$db: rows are the same after it");
}

# A table of the first kind with an open transaction, and steps that end after each of their statements.
sub interrupted {
  my ($db, $variables, @steps) = @_;
  for my $step (@steps) {
    my @statements = split /(?<=;\n)/, printed($db, %$variables, step => $step);
    for my $n (3 .. $#statements) {
      psql_as('app', $db, join('', @statements[ 0 .. $n - 1 ]));
      @statements = split /(?<=;\n)/, printed($db, %$variables, step => $step);
      last if $n >= $#statements;
    }
    migrate($db, $variables, $step);
  }
  return;
}

for my $kind ('near', 'equal') {
  my $db = "interrupted_$kind";
  database($db, "$jobs; ALTER TABLE job ALTER created_at DROP NOT NULL; VACUUM job");
  my ($schema, $job) = (schema($db), { table => 'job', kind => $kind });
  my $reader = $node->background_psql($db);
  $reader->query_safe('BEGIN; SELECT FROM job LIMIT 1');
  my ($code, undef, $errors) = psql_as('app', $db, printed($db, %$job, step => 2));
  like($errors, qr/canceling statement due to lock timeout/, "$db: step 2 gives way");
  $reader->query_safe('COMMIT');
  is(schema($db), $schema, "$db: it has changed nothing");
  refused($db, { %$job, step => 3 }, 'step 3 would fire trigger touch on table public.job, as you may not set')
    if $kind eq 'equal';
  my %role = $kind eq 'equal' ? (triggers => 'fire') : ();
  interrupted($db, { %$job, %role }, 1 .. 5);
  my $after = schema($db);
  interrupted($db, $job, 'back');
  is(schema($db), $schema, "$db: the way back leads to the same schema");
  migrate($db, { %$job, %role }, 2 .. 5);
  is(schema($db), $after, "$db: without interruptions, the steps lead to the same schema as with them");
  # A build that failed leaves an invalid index.
  $reader->query_safe('BEGIN; LOCK TABLE job IN ROW EXCLUSIVE MODE');
  psql_as('app', $db, "SET statement_timeout = '200ms';" . printed($db, %$job, step => 'back'));
  $reader->query_safe('COMMIT');
  is(app($db, 'SELECT count(*) FROM pg_index WHERE NOT indisvalid'), 1, "$db: an index is invalid");
  migrate($db, $job, 'back');
  is(schema($db), $schema, "$db: the way back replaces an invalid index");
  $reader->quit;
}

# equal: beside a writer that never waits long, by a role that may switch triggers off.
{
  my $db = 'equal';
  database($db, "$jobs;$others;" . q{CREATE TABLE wait (longest interval, n int); CREATE TABLE stop ();
    CREATE TABLE day (id uuid PRIMARY KEY, created_on date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC'));
    INSERT INTO day SELECT uuid_v7('-3 days')});
  my ($schema, $job, @others) = (schema($db), map { { %$_, kind => 'equal' } } { table => 'job' }, { table => 'acc' },
    { table => 'users' }, \%with_odd, { table => 'log' }, { table => 'base' },
    { table => 'day', column => 'created_on' });
  my $rest = q{SELECT count(*), md5(string_agg(t::text, E'\n' ORDER BY id)) FROM (SELECT id, tenant, status, kind,
    updated_at FROM job WHERE id < uuid_v7_min('2026-03-31Z')) AS t};
  my $before = app($db, $rest);
  like(migrate($db, $job, 1), qr/^3000\|\d+ kB\n0\n\z/m, "$db: says how many times are lost, and what the table takes");
  migrate($db, $job, 2);
  $node->safe_psql($db, 'GRANT SET ON PARAMETER session_replication_role TO app');
  my $writer = IPC::Run::start([ 'psql', '-X', '-q', '-U', 'app', '-d', $node->connstr($db), '-c', q{
    DO $$
    DECLARE
      start timestamptz;
      longest interval := '0';
      n int := 0;
    BEGIN
      WHILE NOT EXISTS (SELECT FROM stop) LOOP
        start := clock_timestamp();
        n := n + 1;
        INSERT INTO job (tenant, status) VALUES (n, 'live');
        UPDATE job SET kind = kind WHERE tenant = n % 10 AND created_at > '2026-04-01Z';
        COMMIT;
        longest := greatest(longest, clock_timestamp() - start);
        PERFORM pg_sleep(0.01);
      END LOOP;
      INSERT INTO wait VALUES (longest, n);
    END $$} ], '2>', \my $errors);
  for my $step (3, 4, 5) {
    my ($code, $messages) = (1);
    for (1 .. 20) {
      (($code, undef, $messages) = psql_as('app', $db, printed($db, %$job, step => $step)));
      last if $messages !~ /lock timeout/;
    }
    is($code, 0, "$db: step $step beside a writer") or diag($messages);
  }
  migrate($db, $_, 1 .. 5) for @others;
  app($db, 'INSERT INTO stop DEFAULT VALUES');
  $writer->finish;
  is($errors, '', "$db: no statement of the writer failed");
  note("$db: the longest wait, and rows: " . app($db, 'TABLE wait'));
  is(app($db, q{SELECT longest < '1 s', n = (SELECT count(*) FROM job WHERE status = 'live') FROM wait}), 't|t',
    "$db: its longest wait is less than a second, and it lost no row");
  is(app($db, $rest), $before, "$db: no other column has changed");
  is(app($db, "SELECT count(*) FROM $_->[0] WHERE $_->[1] IS DISTINCT FROM uuid_extract_v7_time($_->[2])"), 0,
    "$db: times of $_->[0]") for map { ([ $_, 'created_at', 'id' ]) } 'job', 'acc', 'log', 'base';
  is(app($db, q{SELECT created_on - (uuid_extract_v7_time(id) AT TIME ZONE 'UTC')::date FROM day}), 0, "$db: dates");
  migrate($db, $_, 'back') for $job, @others;
  is(schema($db), $schema, "$db: the way back leads to the same schema");
}

# What cannot be proved, or would not help, is refused.
{
  my $db = 'refused';
  database($db, "$jobs;$unique;$others;" . q{
    CREATE TABLE day (id uuid PRIMARY KEY, created_at date, at timestamptz(0),
      CONSTRAINT day_at UNIQUE (id, created_at));
    CREATE TABLE refers (day uuid, at date, FOREIGN KEY (day, at) REFERENCES day (id, created_at));
    CREATE TABLE made (id uuid PRIMARY KEY, created_at timestamptz
      GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED);
    CREATE TABLE bare (id uuid, created_at timestamptz);
    CREATE TABLE by_time (id uuid, created_at timestamptz, PRIMARY KEY (id, created_at))
      PARTITION BY RANGE (created_at);
    CREATE TABLE v4 (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created_at timestamptz NOT NULL DEFAULT now());
    INSERT INTO v4 DEFAULT VALUES});
  $node->safe_psql($db, 'CREATE TABLE theirs () INHERITS (base); ALTER TABLE theirs OWNER TO stranger');
  my @step = (step => 2);
  refused($db, $_->[0], $_->[1]) for
    [ { table => 'job', step => 6 }, '6 is no step of this script' ],
    [ { table => 'job', column => 'at', @step }, 'job has no columns at and id' ],
    [ { table => 'recent', @step }, 'public.recent is no table' ],
    [ { table => 'log_1', @step }, 'public.log_1 is no table, or a partition' ],
    [ { table => 'made', @step }, 'column created_at is generated' ],
    [ { table => 'job', key => 'status', @step }, 'column status is not of type uuid' ],
    [ { table => 'day', @step }, 'column created_at has type date, for which there is no kind near' ],
    [ { table => 'day', column => 'at', kind => 'equal', @step }, 'column at has type .* no kind equal' ],
    [ { table => 'job', later => '-1 s', @step }, 'a tolerance is less than 0' ],
    [ { table => 'base', @step }, 'table public.theirs belongs to another role' ],
    [ { table => 'bare', @step }, 'table public.bare has no index on id' ],
    [ { table => 'by_time', @step }, 'column created_at is in the partition key of public.by_time' ],
    [ { table => 'job', kind => 'equal', @step }, 'for kind=equal, rows .* could violate index public.job_uqc?' ],
    [ { table => 'day', kind => 'equal', @step }, 'for kind=equal, ' ],
    [ { table => 'job', step => 4 }, 'step 2 has not added the CHECKs' ],
    [ { table => 'job', step => 5 }, 'step 4 has not proved the CHECKs' ];
  migrate($db, { table => 'v4' }, 2);
  refused($db, { table => 'v4', kind => 'equal', step => 2 }, 'the table has been migrated with kind=near');
  my (undef, undef, $errors) = psql_as('app', $db, printed($db, table => 'v4', step => 4));
  like($errors, qr/check constraint "id_is_v7" of relation "v4" is violated by some row/, "$db: keys of version 4");
  refused($db, { table => 'v4', step => 5 }, 'step 4 has not proved the CHECKs');
  migrate($db, { table => 'acc' }, 2);
  $node->safe_psql($db, 'ALTER SCHEMA public OWNER TO postgres; GRANT USAGE ON SCHEMA public TO app');
  migrate($db, { table => 'acc' }, 4);
  refused($db, { table => 'acc', step => 5 }, 'new sessions do not load uuidx');
}

done_testing();
