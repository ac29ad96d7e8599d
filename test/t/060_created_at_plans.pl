# doc/migrate/created_at.sql refuses what it cannot prove; where it drops an index, queries read few more pages.

use CreatedAt;
use Helpers;

start();

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

# Afterwards, queries read few more pages than by the dropped index, in sessions that nothing but the statistics object
# makes load uuidx. Those in the second list need kind=equal.
for my $kind ('near', 'equal') {
  my $db = "plans_$kind";
  database($db, q{
    CREATE TABLE payment (id uuid PRIMARY KEY DEFAULT uuid_v7(), status text, created_at timestamptz NOT NULL
      DEFAULT now());
    INSERT INTO payment
      SELECT uuid_v7_at(t), CASE WHEN n % 10000 = 0 THEN 'new' ELSE 'done' END, t - (1 + n % 7) * interval '0.1 s'
      FROM generate_series(1, 100000) AS n,
        LATERAL CAST('2026-01-01Z'::timestamptz + n * interval '1 min' AS timestamptz) AS t;
    CREATE INDEX payment_time ON payment (created_at);
    CREATE INDEX payment_new ON payment (created_at) WHERE status = 'new';
    CREATE VIEW recent AS SELECT * FROM payment WHERE created_at > '2026-03-11Z';
    VACUUM (FREEZE, ANALYZE) payment});
  my @queries = (q{SELECT count(*) FROM payment WHERE created_at >= '2026-03-01Z' AND created_at < '2026-03-02Z'},
    q{SELECT * FROM payment WHERE created_at = '2026-03-01 00:00:59.5Z'}, q{SELECT * FROM recent},
    q{SELECT * FROM payment WHERE created_at BETWEEN '2026-03-01Z' AND '2026-03-01 06:00Z' ORDER BY created_at},
    q{SELECT * FROM payment WHERE created_at > '2026-03-01Z' AND created_at < '2026-03-02Z' AND status = 'done'},
    q{SELECT * FROM payment WHERE status = 'new' ORDER BY created_at LIMIT 3},
    $kind eq 'near' ? () : (q{SELECT * FROM payment ORDER BY created_at DESC LIMIT 20},
      q{SELECT min(created_at), max(created_at) FROM payment},
      q{SELECT p.* FROM generate_series('2026-03-01Z'::timestamptz, '2026-03-02Z', '1 h') AS t JOIN payment AS p
        ON created_at = t}));
  my $pages = sub {
    my ($hit, $read) = app($db, "EXPLAIN (ANALYZE, BUFFERS) $_[0]") =~ /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/;
    return ($hit // 0) + ($read // 0);
  };
  my @before = map { $pages->($_) } @queries;
  migrate($db, { table => 'payment', kind => $kind }, 1 .. 5);
  is(app($db, q{SELECT to_regclass('payment_time')}), '', "$db: the index has gone");
  for my $n (0 .. $#queries) {
    cmp_ok($pages->($queries[$n]), '<=', 2 * $before[$n] + 20, "$db: $queries[$n]") or diag("before: $before[$n]");
  }
}

done_testing();
