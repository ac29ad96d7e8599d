# uuid_time_trigger() of sql/portable/uuidx.sql, and of the extension if it has it, keeps a column equal to the key.

use Helpers;
use Portable;

my $node = start_node('portable_trigger');
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');
$ENV{PGTZ} = 'Asia/Kathmandu';
$ENV{PGDATESTYLE} = 'SQL, DMY';

# Rows whose times differ from their keys by less than the tolerance, or lack the key or the time. Each has the time of
# its key in the end, and its key the time that was given.
my $rows = q{
  CREATE DOMAIN key AS uuid CHECK (uuid_is_v7(VALUE));
  CREATE DOMAIN seconds AS timestamptz(0);
  CREATE DOMAIN moment AS seconds CHECK (VALUE > '1980-01-01');
  CREATE PROCEDURE fill(key_type text, time_type text, wanted text) LANGUAGE plpgsql AS $$
  BEGIN
        EXECUTE format('CREATE TABLE event (n int, "the ""key" %s, text text, "%%at" %s)', key_type, time_type);
    ALTER TABLE event DROP text, ADD text text DEFAULT 'abc';
    CREATE TRIGGER t BEFORE INSERT OR UPDATE ON event FOR EACH ROW
      EXECUTE FUNCTION uuid_time_trigger('the "key', '%at', '3 days');
    INSERT INTO event SELECT n, CASE WHEN n % 5 > 0 THEN uuid_v7_at(t) END,
        CASE WHEN n % 7 > 0 THEN t + (random() - 0.5) * interval '2 days' END
      FROM generate_series(1, 200) AS n,
        LATERAL (SELECT timestamptz '2026-01-01' + n * interval '7 h 11.1111 s') AS t (t);
    UPDATE event SET "%at" = "%at" + interval '20 hours' WHERE n % 3 = 0;
    UPDATE event SET "the ""key" = NULL, "%at" = NULL WHERE n % 11 = 0;
    EXECUTE format('ALTER TABLE event ADD CHECK ("%%at" IS NOT NULL AND "%%at" = %s)', wanted);
    ASSERT (SELECT count(*) = 200 AND bool_and(uuid_is_v7("the ""key") AND text = 'abc' AND (n % 35 = 0 OR n % 11 = 0
        OR uuid_extract_time("the ""key") - timestamptz '2026-01-01' - n * interval '7 h 11.1111 s'
          BETWEEN '-3 days' AND '3 days')) FROM event);
    DROP TABLE event;
  END
  $$};
my $time = 'uuid_extract_v7_time("the ""key")';
my @kinds = ([ 'uuid', 'timestamptz', $time ], [ 'uuid', 'timestamptz(1)', "$time\::timestamptz(1)" ],
  [ 'uuid', 'timestamp', "$time AT TIME ZONE 'Etc/UTC'" ],
  [ 'uuid', 'timestamp(2)', "($time AT TIME ZONE 'Etc/UTC')::timestamp(2)" ],
  [ 'uuid', 'date', "($time AT TIME ZONE 'Etc/UTC')::date" ], [ 'key', 'moment', "$time\::timestamptz(0)" ]);

# Statements for this table, and the error of each, or none.
my $table = q{
  CREATE TABLE given (id uuid, at timestamptz, text text, made timestamptz GENERATED ALWAYS AS (at) STORED, gone uuid);
  ALTER TABLE given DROP gone};
my $key = "uuid_v7_at('2026-01-01 12:00:00.25Z')";
my $far = '23514: time in column "at" differs from the time in column "id" by more than';
my $protocol = '39P01: function "uuid_time_trigger" must be fired BEFORE INSERT OR UPDATE FOR EACH ROW';
my @cases = (
  [ "'id', 'at'", "$key, '2026-01-01 13:00:00.25Z'" ], [ "'id', 'at'", "$key, '2026-01-01 11:00:00.25Z'" ],
  [ "'id', 'at'", "$key, '2026-01-01 13:00:00.250001Z'",
    "$far 1 hour\nDETAIL:  They are 01/01/2026 18:45:00.250001 +0545 and 01/01/2026 17:45:00.25 +0545.\n"
      . 'HINT:  Generate the key of a row with a given time by uuid_v7_at().' ],
  [ "'id', 'at'", "$key, '2026-01-01 11:00:00.249999Z'", "$far 1 hour" ],
  [ "'id', 'at', '0'", "$key, '2026-01-01 12:00:00.25Z'" ], [ "'id', 'at', '0'", "$key, '2026-01-01 12:00Z'", $far ],
  [ "'id', 'at', '90000 days'", "$key, '2200-01-01'" ],
  (map { [ "'id', 'at'", "$key, '$_'", $far ] } 'infinity', '-infinity', '294276-12-31', '4713-01-01 BC'),
  (map { [ "'id', 'at'", "$_, now()", '23514: UUID in column "id" is not of version 7' ] }
      'uuid_v4()', 'nil_uuid()', 'max_uuid()', "'01900000-0000-7000-c000-000000000000'"),
  (map { [ "'id', 'at'", "NULL, '$_'", '22008: timestamp out of range for UUID version 7' ] }
      'infinity', '1969-12-31 12:00Z'),
  (map { [ $_, 'NULL, NULL', '39P01: trigger "t" must have two or three arguments' ] }
      '', "'id'", "'id', 'at', '1', '1'"),
  (map { [ "'$_', 'at'", "$key, now()", "42703: column \"$_\" of relation \"given\" does not exist" ] }
      'Id', 'ctid', '........pg.dropped.5........'),
  [ "'text', 'at'", "$key, now()", '42804: column "text" is of type text, not uuid' ],
  (map { [ "'id', '$_->[0]'", "$key, NULL",
      "42804: column \"$_->[0]\" is of type $_->[1], not timestamptz, timestamp or date" ] }
      [ qw(text text) ], [ qw(id uuid) ]),
  [ "'id', 'made'", "$key, NULL", '428C9: column "made" is a generated column' ],
  [ "'id', 'at', ''", "$key, now()", '22007: invalid input syntax for type interval: ""' ],
  (map { [ "'id', 'at', '$_'", "$key, now()", "22023: invalid tolerance: \"$_\"" ] }
      '1 month', '-1 us', '2147483647 days'));

for my $flavour ('script', 'extension') {
  Portable::make_database($node, $flavour, $flavour);
  next if $node->safe_psql($flavour, q{SELECT to_regprocedure('uuidx.uuid_time_trigger()') IS NULL}) eq 't';
  $node->safe_psql($flavour, $rows);
  is(error_of($node, "CALL fill('@{[ join q(', '), map { s/'/''/gr } @$_ ]}')", $flavour), '',
    "$flavour: $_->[0] and $_->[1]") for @kinds;
  $node->safe_psql($flavour, $table);
  for my $case (@cases) {
    my ($arguments, $values, $error) = @$case;
    my $messages = error_of($node, "CREATE OR REPLACE TRIGGER t BEFORE INSERT ON given FOR EACH ROW EXECUTE FUNCTION
      uuid_time_trigger($arguments);\nINSERT INTO given VALUES ($values)", $flavour);
    my $wanted = defined $error ? qr/^ERROR:  \Q$error\E/ : qr/^$/;
    like($messages, $wanted, "$flavour: ($arguments) and ($values)");
  }
  for my $case ([ 'AFTER INSERT', 'ROW' ], [ 'BEFORE INSERT', 'STATEMENT' ], [ 'BEFORE DELETE', 'ROW' ]) {
    my ($event, $level) = @$case;
    like(error_of($node, "DROP TRIGGER IF EXISTS t ON given;
      CREATE TRIGGER t $event ON given FOR EACH $level EXECUTE FUNCTION uuid_time_trigger('id', 'at');
      INSERT INTO given VALUES ($key);\nDELETE FROM given", $flavour), qr/^ERROR:  \Q$protocol\E/,
      "$flavour: $event, $level");
  }

  # A key gets the time that is given, to the microsecond; for now, it is the next one. DEFAULT now() is the start of
  # the transaction, and its key later. Names are found with an empty search_path.
  is($node->safe_psql($flavour, q{
      DROP TABLE given;
      CREATE TABLE given (n int, id uuid DEFAULT uuid_v7(), at timestamptz DEFAULT now());
      CREATE TRIGGER t BEFORE INSERT ON given FOR EACH ROW EXECUTE FUNCTION uuid_time_trigger('id', 'at', '0');
      SET search_path = '';
      BEGIN;
      SELECT FROM pg_sleep(1.5);
      INSERT INTO public.given VALUES (1);
      COMMIT;
      INSERT INTO public.given VALUES (2, NULL, NULL), (3, NULL, now()), (4, NULL, clock_timestamp()),
        (5, NULL, '2026-01-01 12:00:00.123456Z');
      SELECT count(*), bool_and(at = uuidx.uuid_extract_v7_time(id)),
          bool_and(n = 5 OR clock_timestamp() - at < '10 s' AND id > uuidx.uuid_v7_min(now() - interval '10 s')),
          extract(microseconds FROM max(uuidx.uuid_extract_time_precise(id)) FILTER (WHERE n = 5))
        FROM public.given}), '5|t|t|123456', "$flavour: keys of a time, and of now");

  # An upsert of an old key with now(), as of an ORM, keeps the time. Other times are not lost silently.
  my $upsert = 'INSERT INTO given SELECT n, id FROM given WHERE n = 5';
  like(error_of($node, $upsert, $flavour), qr/\Q$far\E/, "$flavour: a key that is not unique");
  is($node->safe_psql($flavour, "ALTER TABLE given ADD PRIMARY KEY (id);
      $upsert ON CONFLICT (id) DO UPDATE SET at = EXCLUDED.at RETURNING at = uuid_extract_v7_time(id)"), 't',
    "$flavour: upsert with now()");
  like(error_of($node, ($upsert =~ s/id FROM/id, '2026-01-03' FROM/r) . ' ON CONFLICT DO NOTHING', $flavour),
    qr/\Q$far\E/, "$flavour: upsert with another time");
}

done_testing();
