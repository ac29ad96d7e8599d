# Functions and tables for tests of doc/migrate/created_at.sql. The owner of the tables is no superuser.
package CreatedAt;

use Exporter qw(import);
use Helpers;
use IPC::Run;

our @EXPORT = qw($jobs $node $odd $others $unique %with_odd app database migrate printed psql_as refused schema
  start);

our $node;

# Starts a server with the roles.
sub start {
  $node = start_node('created_at', "timezone = 'UTC'\n", extra => [ '--encoding=UTF8', '--locale=C' ]);
  $node->safe_psql('postgres', q{CREATE ROLE app LOGIN; CREATE ROLE reader; CREATE ROLE stranger});
}

# Runs psql on input as a role; returns its exit code, output and messages.
sub psql_as($role, $db, $input, @options) {
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
sub printed($db, %variables) {
  my ($code, $output, $errors) = psql_as('app', $db, '', '-f', "$tree/doc/migrate/created_at.sql",
    map { ('-v', "$_=$variables{$_}") } sort keys %variables);
  die "$errors\n" if $code;
  return $output;
}

# Runs steps; returns the output of the last one.
sub migrate($db, $variables, @steps) {
  my $output;
  for my $step (@steps) {
    my $sql = printed($db, %$variables, step => $step);
    (my $code, $output, my $errors) = psql_as('app', $db, $sql);
    is($code, 0, "$db: step $step") or diag("$sql$errors");
  }
  return $output;
}

# Checks that a step is refused. Arguments: database, variables with the step, message.
sub refused($db, $variables, $message) {
  like(eval { printed($db, %$variables) } // $@, qr/ERROR:  $message/, "$db: $message");
}

# Returns a schema with owners, grants, comments and statistics. Names lose what was hard to quote.
sub schema {
  my ($dump) = run_command([ 'pg_dump', '-s', '-d', $node->connstr($_[0]) ]);
  return $dump =~ s/\n%s \\ \$\$ ""(?:q"" )?:x//gr =~ s/^(?:--|\\|SET |SELECT | *$).*\n//gmr;
}

# A table as applications have it, and others that refer to it. Its rows are an hour apart.
our $jobs = q{
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
our $unique = q{
  CREATE UNIQUE INDEX job_uq ON job (tenant, created_at);
  ALTER TABLE job ADD CONSTRAINT job_uqc UNIQUE (status, created_at), ALTER tenant SET NOT NULL,
    REPLICA IDENTITY USING INDEX job_uq};
# Columns of other types, names that need quotes, partitions, and children.
our $others = q{
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
our $odd = qq{"o'dd\n%s \\ \$\$ ""q"" :x"};
my ($odd_key, $odd_time) = map { "$_'\n%s \\ \$\$ \":x" } 'key', 'at';
our %with_odd = (table => $odd, key => $odd_key, column => $odd_time);

# Creates a database of the owner.
sub database($name, $setup) {
  $node->safe_psql('postgres', "CREATE DATABASE $name OWNER app STRATEGY file_copy");
  $node->safe_psql($name, 'CREATE EXTENSION uuidx; ALTER SCHEMA public OWNER TO app');
  app($name, $setup);
}

1;
