# doc/migrate/created_at.sql changes nothing but what it says, also on the way back, and refuses what it cannot prove.

use CreatedAt;
use Helpers;
use IPC::Run;
use Portable;

start();

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
sub content($db, @tables) {
  return join "\n", map { app($db, "SELECT count(*), md5(string_agg(t::text, E'\\n' ORDER BY t::text)) FROM $_ AS t") }
    @tables;
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
  like(migrate($db, $migrations[0], 1), qr/\A3000\|0\|0\|0\|0\|00:00:06\|00:00:00\.000999\|01:00:00\|00:00:10\n\z/,
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
  # The statistics object makes a new session load uuidx. test/planner/parity.py counts pages.
  like(app($db, q{EXPLAIN SELECT * FROM log WHERE created_at = '2026-02-15Z'}), qr/Index Cond: \(\(id >= /,
    "$db: the key serves queries of a dropped index");
  # A statistics object of another table that has the name which this one had.
  $node->safe_psql($db, 'CREATE SCHEMA moved AUTHORIZATION app; ALTER STATISTICS job_uuidx SET SCHEMA moved;
    CREATE STATISTICS job_uuidx ON id, created_at FROM acc');
  migrate($db, $_, 'back') for @migrations;
  $node->safe_psql($db, 'DROP SCHEMA moved; DROP STATISTICS job_uuidx');
  is(schema($db), $schema, "$db: the way back leads to the same schema");
  is(content($db, @tables), $content, "$db: rows are the same after it");
}

# A table of the first kind with an open transaction, and steps that end after each of their statements.
sub interrupted($db, $variables, @steps) {
  for my $step (@steps) {
    my @statements = split /(?<=;\n)/, printed($db, %$variables, step => $step);
    for my $n (3 .. $#statements) {
      psql_as('app', $db, join('', @statements[ 0 .. $n - 1 ]));
      @statements = split /(?<=;\n)/, printed($db, %$variables, step => $step);
      last if $n >= $#statements;
    }
    migrate($db, $variables, $step);
  }
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
  if ($kind eq 'equal') {
    refused($db, { %$job, step => 3 }, 'step 3 would fire trigger touch on table public.job, as you may not set');
    # A trigger of another role that has taken the name of that of step 2.
    app($db, 'ALTER TABLE job DISABLE TRIGGER touch; CREATE TRIGGER zz_created_at_by_key BEFORE UPDATE ON job
        FOR EACH ROW EXECUTE FUNCTION touch()');
    refused($db, { %$job, step => 3 }, 'step 3 would fire trigger zz_created_at_by_key on table public.job');
    app($db, 'DROP TRIGGER zz_created_at_by_key ON job; CREATE RULE r AS ON UPDATE TO job DO ALSO NOTHING');
    refused($db, { %$job, step => 3 }, 'step 3 would fire rule r on table public.job');
    app($db, 'ALTER TABLE job ENABLE TRIGGER touch; DROP RULE r ON job');
  }
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
  $node->safe_psql($db, q{CREATE TABLE whole (id uuid PRIMARY KEY, created_at timestamp, old int,
      CONSTRAINT a CHECK (num_nulls(whole.*) = 0), CONSTRAINT b CHECK (created_at > '2026-01-01 1:00' AND old IS NULL));
    INSERT INTO whole SELECT uuid_v7_at('2026-01-01Z'), '2026-01-01 03:00'; ALTER TABLE whole OWNER TO app});
  like(migrate($db, { table => 'whole', kind => 'equal' }, 1), qr/\A1\|0\|0\|1\|1\|.*^0\n1\n\z/ms,
    "$db: rows with local time are counted, and those against CHECKs, also with the whole row");
  app($db, 'DROP TABLE whole');
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
  $node->safe_psql($db, q{CREATE SCHEMA sql;
    CREATE FUNCTION sql.uuid_is_v7(uuid) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN true;
    CREATE STATISTICS sql.s ON (sql.uuid_is_v7(id)) FROM acc});
  refused($db, { table => 'acc', step => 5 }, 'new sessions do not load uuidx');
  app($db, q{COMMENT ON CONSTRAINT created_at_by_key ON acc IS '{"indexes": [{"index": null}]}'});
  refused($db, { table => 'acc', step => 'back' }, 'the comment on constraint created_at_by_key is damaged');
  $node->safe_psql('postgres', 'CREATE DATABASE plain');
  $node->safe_psql('postgres', 'ALTER DATABASE plain SET search_path = public, uuidx');
  $node->safe_psql('plain', Portable::installation('uuidx') . ';CREATE TABLE t (id uuid PRIMARY KEY, created_at date)');
  refused('plain', { table => 't', kind => 'equal', step => 1 }, 'this needs the extension: ');
}

done_testing();
