# Every recipe of doc/migrate.md works as written.
# Runs the SQL blocks, by the names in the comments before them, on test data, and the scripts of doc/migrate; then
# checks the results. The recipe that rewrites a table runs with the tables and expressions of each kind of key.

use strict;
use warnings FATAL => 'all';

use Cwd qw(realpath);
use FindBin;
use lib $FindBin::RealBin;
use Helpers qw(block_of);
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The blocks by their names, such as "bigint: swap".
my $tree = realpath("$FindBin::RealBin/../..");
my %blocks;
my $unnamed = '';
{
  my $text = PostgreSQL::Test::Utils::slurp_file("$tree/doc/migrate.md");
  while ($text =~ /^(?:<!--(\w+):(\w+)-->\n)?```sql\n(.*?)^```$/gms) {
    my ($name, $sql) = (defined $1 ? "$1: $2" : undef, $3);
    if (!defined $name) { $unnamed .= $sql }
    elsif (exists $blocks{$name}) { $unnamed .= "$name again\n" }
    # Scripts are named relative to the top of the tree.
    else { $blocks{$name} = $sql =~ s{^\\i (?=doc/)}{\\i $tree/}gmr }
  }
}
is($unnamed, '', 'every SQL block has a distinct name');
my %unused = map { $_ => 1 } keys %blocks;

my $node = PostgreSQL::Test::Cluster->new('migrate');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "max_prepared_transactions = 2\ntimezone = 'UTC'\n");
$node->start;
my $server = $node->safe_psql('postgres', 'SHOW server_version_num');
my %available = map { $_ => 1 } split /\n/,
  $node->safe_psql('postgres', 'SELECT name FROM pg_available_extensions');

# Creates a database with uuidx and the data of a recipe.
sub database {
  my ($name, $setup, $extension) = @_;
  $node->safe_psql('postgres', "CREATE DATABASE $name");
  $node->safe_psql($name, ($extension // 'CREATE EXTENSION uuidx;') . $setup);
  return;
}

# Runs blocks of the document, each in a new session, up to the first error. Returns the output of the last one.
sub run_blocks {
  my ($database, @names) = @_;
  my $output;
  for my $name (@names) {
    delete $unused{$name};
    (my $code, $output, my $errors) =
      $node->psql($database, $blocks{$name} // die "no block named $name\n");
    is($code, 0, "$database: $name") or diag($errors);
  }
  return $output;
}

# Runs the recipe that rewrites a table, for these tables, and with this expression instead of uuid_to_v7(id) and
# this default instead of uuid_v7().
sub rewrite {
  my ($database, $parent, $child, $expression, $default) = @_;
  delete $unused{'rewrite: convert'};
  my $block = $blocks{'rewrite: convert'} // die "no block that rewrites a table\n";
  my ($of_id, $of_parent_id) = ($expression, $expression =~ s/\bid\b/parent_id/gr);
  $block =~ s/uuid_to_v7\(id\)/$of_id/g;
  $block =~ s/uuid_to_v7\(parent_id\)/$of_parent_id/g;
  $block =~ s/\buuid_v7\(\)/$default/g;
  $block =~ s/parent/$parent/g;
  $block =~ s/child/$child/g;
  my ($code, undef, $errors) = $node->psql($database, $block);
  is($code, 0, "$database: rewrite: convert, by $expression") or diag($errors);
  return;
}

# Runs a script of doc/migrate with variables, and returns its output.
sub run_script {
  my ($database, $script, %variables) = @_;
  my ($code, $output, $errors) = $node->psql($database, "\\i $tree/doc/migrate/$script",
    extra_params => [ map { ('-v', "$_=$variables{$_}") } sort keys %variables ]);
  is($code, 0, "$database: $script") or diag($errors);
  return $output;
}

# Returns the objects that depend on an extension.
sub dependents { return run_script($_[0], 'dependents.sql', extension => $_[1]) }

# Marks blocks of a recipe as not applicable to this server.
sub leave_out {
  my ($recipe, $why) = @_;
  delete @unused{ grep { /^$recipe:/ } keys %unused };
  skip $why, 1;
}

# Checks the result of a query.
sub yields {
  my ($database, $query, $expected, $what) = @_;
  is($node->safe_psql($database, $query), $expected, "$database: $what");
  return;
}

# Checks that a statement fails with a message.
sub refused {
  my ($database, $statement, $message, $what) = @_;
  my (undef, undef, $errors) = $node->psql($database, $statement);
  like($errors, $message, "$database: $what");
  return;
}

# Checks the functions, with their extensions, that a column's default calls.
sub default_is {
  my ($database, $table, $column, $expected) = @_;
  yields($database, qq{
    SELECT coalesce(e.extname, n.nspname) || ' ' || p.proname FROM pg_attrdef AS a
      JOIN pg_attribute AS c ON c.attrelid = a.adrelid AND c.attnum = a.adnum
      JOIN pg_depend AS d ON d.classid = 'pg_attrdef'::regclass AND d.objid = a.oid
        AND d.refclassid = 'pg_proc'::regclass
      JOIN pg_proc AS p ON p.oid = d.refobjid
      JOIN pg_namespace AS n ON n.oid = p.pronamespace
      LEFT JOIN pg_depend AS m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
        AND m.deptype = 'e'
      LEFT JOIN pg_extension AS e ON e.oid = m.refobjid
      WHERE a.adrelid = '$table'::regclass AND c.attname = '$column'},
    $expected, "$table.$column has the right default");
  return;
}

# Checks that there is one foreign key from a table to another, valid and enforced.
sub foreign_key {
  my ($database, $from, $column, $to) = @_;
  yields($database, qq{
    SELECT conname, confrelid::regclass, convalidated, a.attname FROM pg_constraint
      JOIN pg_attribute AS a ON a.attrelid = confrelid AND a.attnum = ALL (confkey)
      WHERE conrelid = '$from'::regclass AND contype = 'f'},
    "${from}_${column}_fkey|$to|t|id", "$from has its foreign key, valid");
  refused($database, qq{UPDATE $from SET $column = uuid_v4() WHERE $column =
      (SELECT $column FROM $from LIMIT 1)},
    qr/violates foreign key constraint "${from}_${column}_fkey"/, "the foreign key of $from is enforced");
  return;
}

# Checks that the keys of a table are its primary key, unique, and of a version.
sub primary_key {
  my ($database, $table, $version) = @_;
  yields($database, qq{
    SELECT count(*) - count(DISTINCT id), min(uuid_extract_version(id)),
      max(uuid_extract_version(id)), (SELECT string_agg(pg_get_constraintdef(oid), ',')
        FROM pg_constraint WHERE conrelid = '$table'::regclass AND contype = 'p') FROM $table},
    "0|$version|$version|PRIMARY KEY (id)", "keys of $table are unique and of version $version");
  return;
}

# Checks two tables whose keys were converted: the foreign key, the default, and that each of some rows of the child has
# its parent, by this condition on p and c.
sub converted {
  my ($database, $parent, $child, $same, $count, $default) = @_;
  foreign_key($database, $child, "${parent}_id", $parent);
  default_is($database, $parent, 'id', 'uuidx ' . ($default // 'uuid_v7'));
  yields($database, qq{SELECT count(*), count(*) FILTER (WHERE $same)
      FROM $child AS c LEFT JOIN $parent AS p ON p.id = c.${parent}_id}, "$count|$count",
    "every $child has the same $parent as before");
  return;
}

# Checks that two orders of the rows agree.
sub same_order {
  my ($database, $table, $one, $other, $what) = @_;
  yields($database, qq{
    SELECT count(*) > 1, count(*) FILTER (WHERE a <> b) FROM (
      SELECT row_number() OVER (ORDER BY $one) AS a, row_number() OVER (ORDER BY $other) AS b
        FROM $table) AS o},
    't|0', $what);
  return;
}

# Keys of type bigint, while a session inserts and updates continuously, and a transaction started before the
# back-fill ends after it. The times are not in the order of the old keys.
{
  my $db = 'bigint';
  database($db, q{
    CREATE TABLE customer (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      name text NOT NULL, created_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE purchase (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      customer_id bigint NOT NULL REFERENCES customer, what text NOT NULL);
    INSERT INTO customer (name, created_at) SELECT 'old ' || n,
        '2021-03-04 05:06:07.000891Z'::timestamptz + n * 7919 % 12500 / 2 * interval '1.234567 s'
      FROM generate_series(1, 12500) AS n;
    INSERT INTO purchase (customer_id, what) SELECT id, 'of ' || name
      FROM generate_series(1, 16000) AS n JOIN customer ON id = n * 31 % 12500 + 1;
    -- A gap that is longer than a batch.
    INSERT INTO customer (id, name, created_at) VALUES (1000000, 'old last', '2022-01-01Z');
    ALTER TABLE customer ALTER id RESTART WITH 2000000;
    CREATE TABLE stop ();
    CREATE VIEW file AS SELECT pg_relation_filenode('customer') AS customer,
      pg_relation_filenode('purchase') AS purchase});
  my $files = $node->safe_psql($db, 'TABLE file');
  my $inserter_errors;
  my $inserter = IPC::Run::start(
    [ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($db), '-c', q{
      DO $$
      DECLARE
        customer text;
        n integer := 0;
      BEGIN
        WHILE NOT EXISTS (SELECT FROM stop) LOOP
          n := n + 1;
          EXECUTE format('INSERT INTO customer (name) VALUES (%L) RETURNING id', 'live ' || n)
            INTO customer;
          EXECUTE format('INSERT INTO purchase (customer_id, what) VALUES (%L, %L)', customer,
            'of live ' || n);
          COMMIT;
          PERFORM FROM customer LIMIT 1;
          EXECUTE format('UPDATE purchase SET what = what WHERE id = %s', n * 37 % 16000 + 1);
          COMMIT;
          PERFORM pg_sleep(0.002);
        END LOOP;
        RAISE NOTICE 'made %', n;
      END $$} ],
    '2>', \$inserter_errors);
  my $between = 0;
  my $insert = sub {
    ++$between;
    $node->safe_psql($db, qq{
      BEGIN;
      INSERT INTO customer (name) VALUES ('between $between') RETURNING id \\gset
      INSERT INTO purchase (customer_id, what) VALUES (:'id', 'of between $between');
      COMMIT});
  };
  $insert->();
  is(run_blocks($db, 'bigint: check'), '0', "$db: every row has a time");
  run_blocks($db, 'bigint: columns');
  $insert->();
  $node->safe_psql($db, q{
    BEGIN;
    INSERT INTO purchase (customer_id, what) VALUES (5, 'of old 5');
    PREPARE TRANSACTION 'slow'});
  for my $step ('customers', 'purchases') {
    run_blocks($db, "bigint: $step");
    $insert->();
  }
  $node->safe_psql($db, q{COMMIT PREPARED 'slow'});
  yields($db, 'SELECT count(*) FROM purchase WHERE new_customer_id IS NULL', '1',
    'the slow transaction has written a row without the new key');
  run_blocks($db, 'bigint: indexes');
  $insert->();
  {
    delete $unused{'bigint: not_null'};
    local $ENV{PGOPTIONS} = '-c client_min_messages=debug1';
    my ($code, undef, $errors) = $node->psql($db, $blocks{'bigint: not_null'});
    is($code, 0, "$db: bigint: not_null") or diag($errors);
    like($errors,
      qr/constraints on column "$_" are sufficient to prove that it does not contain nulls/,
      "$db: SET NOT NULL reads no row of $_")
      for 'customer.new_id', 'purchase.new_customer_id';
  }
  $insert->();
  run_blocks($db, 'bigint: foreign_key');
  $insert->();
  run_blocks($db, 'bigint: swap');
  $insert->();
  yields($db, 'TABLE file', $files, 'no table was rewritten');
  yields($db, q{SELECT count(*) > 0, count(old_id) = count(*) FROM customer WHERE id = (SELECT max(id) FROM customer)},
    't|t', 'the identity still fills the old key');
  run_blocks($db, 'bigint: clean_up');
  $insert->();
  $node->safe_psql($db, 'INSERT INTO stop DEFAULT VALUES');
  $inserter->finish;
  is($inserter->result(0), 0, "$db: another session could write all the time")
    or diag($inserter_errors);
  my ($live) = $inserter_errors =~ /made ([0-9]+)/;
  $live //= 0;
  cmp_ok($live, '>', 100, "$db: another session inserted over 100 rows");
  my $new = $live + $between;
  yields($db, q{SELECT split_part(name, ' ', 1), count(*) FROM customer GROUP BY 1 ORDER BY 1},
    "between|$between\nlive|$live\nold|12501", 'no customer is lost');
  converted($db, 'customer', 'purchase', q{what = 'of ' || name}, 16001 + $new);
  primary_key($db, 'customer', 7);
  yields($db, q{SELECT count(*) FROM customer WHERE name LIKE 'old %' AND
      (uuid_extract_time(id) <> date_trunc('milliseconds', created_at)
        OR created_at <> uuid_extract_time_precise(id))}, '0',
    'the keys have the times of the rows');
  same_order($db, q{customer WHERE name LIKE 'old %'}, 'id', 'created_at, lpad(name, 9)',
    'keys have the order of the times, then of the old keys');
  yields($db, q{SELECT min(id) FILTER (WHERE name LIKE 'live %')
      > max(id) FILTER (WHERE name LIKE 'old %') FROM customer WHERE name <> 'live 1'}, 't',
    'new keys come after old ones');
  yields($db, q{
    SELECT attrelid::regclass, string_agg(attname || CASE WHEN attnotnull THEN '!' ELSE '' END, ','
        ORDER BY attnum) FROM pg_attribute
      WHERE attrelid IN ('customer'::regclass, 'purchase'::regclass) AND attnum > 0
        AND NOT attisdropped GROUP BY 1 ORDER BY 1;
    SELECT indexrelid::regclass, indisvalid FROM pg_index
      WHERE indrelid IN ('customer'::regclass, 'purchase'::regclass) ORDER BY indexrelid::regclass::text;
    SELECT count(*) FROM pg_constraint WHERE contype = 'c' AND conrelid <> 0;
    SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal},
    "customer|name!,created_at!,id!\npurchase|id!,what!,customer_id!\n"
    . "customer_pkey|t\npurchase_customer_id_idx|t\npurchase_pkey|t\n0\n0",
    'no other column, index, constraint or trigger remains');
}

# The same, if the application sets the old keys: the swap has the page's statement for them.
{
  my $db = 'bigint_set';
  database($db, q{
    CREATE TABLE customer (id bigint PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE purchase (id bigint PRIMARY KEY, customer_id bigint NOT NULL REFERENCES customer);
    INSERT INTO customer SELECT n, '2021-01-01Z'::timestamptz + n / 2 * interval '1 s'
    FROM generate_series(1, 100) AS n;
    INSERT INTO purchase SELECT n, n FROM generate_series(1, 100) AS n});
  run_blocks($db, map { "bigint: $_" } qw(columns customers purchases indexes not_null foreign_key));
  my ($statement) = slurp_file("$tree/doc/migrate.md") =~ /add\s+`(ALTER TABLE customer ALTER old_id [^`]+)` before/;
  my $insert = 'INSERT INTO customer DEFAULT VALUES';
  refused($db, "$blocks{'bigint: swap'} $insert", qr/null value in column "old_id"/,
    'after the swap alone, an INSERT fails');
  $node->safe_psql($db, "$statement; $insert RETURNING id");
  same_order($db, 'customer WHERE old_id IS NOT NULL', 'id', 'old_id', 'keys have the order of the old keys');
}

# Version 4 keys.
{
  my $db = 'v4';
  database($db, q{
    CREATE TABLE document (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), body text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE revision (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      document_id uuid NOT NULL REFERENCES document, body text NOT NULL);
    CREATE INDEX ON revision (document_id);
    INSERT INTO document (body, created_at) SELECT 'old ' || n,
      '2023-01-01 00:00:00.000123Z'::timestamptz + n * interval '1.000007 s'
      FROM generate_series(1, 2500) AS n;
    INSERT INTO revision (document_id, body) SELECT id, body FROM document, generate_series(1, 2);
    CREATE TABLE was AS SELECT * FROM document});
  my $insert = sub {
    $node->safe_psql($db, q{
      WITH d AS (INSERT INTO document (body) VALUES ('new') RETURNING *)
      INSERT INTO revision (document_id, body) SELECT id, body FROM d});
  };
  for my $step ('prepare', 'fill', 'clean_up') {
    run_blocks($db, "v4: $step");
    $insert->();
  }
  converted($db, 'document', 'revision', 'p.body = c.body', 5003);
  primary_key($db, 'document', 7);
  yields($db, q{SELECT count(*), count(*) FILTER (WHERE d.body = was.body
        AND d.created_at = was.created_at
        AND was.created_at = uuid_extract_time_precise(d.id))
      FROM was JOIN document_old_key AS o ON o.old_id = was.id JOIN document AS d ON d.id = o.id},
    '2500|2500', 'every old key leads to its document, and times are in the keys');
  yields($db, 'SELECT count(*) FROM document', '2503', 'no document is lost');
}

# The same, by changing only the default.
{
  my $db = 'v4_default';
  database($db, q{
    CREATE TABLE ticket (id uuid PRIMARY KEY DEFAULT gen_random_uuid());
    INSERT INTO ticket SELECT FROM generate_series(1, 20000);
    CREATE TABLE was AS SELECT * FROM ticket});
  run_blocks($db, 'default: change');
  default_is($db, 'ticket', 'id', 'uuidx uuid_v7');
  $node->safe_psql($db, q{
    CREATE TABLE other (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), token uuid DEFAULT gen_random_uuid());
    CREATE TABLE texts (id varchar(36) PRIMARY KEY DEFAULT gen_random_uuid()::text,
      long text DEFAULT gen_random_uuid()::text::varchar(36), short text DEFAULT left(gen_random_uuid()::text, 8),
      old uuid DEFAULT gen_random_uuid())});
  my %change = (old => 'gen_random_uuid()', new => 'uuid_v7()');
  my $rest = 'texts|short|"left"((gen_random_uuid())::text, 8)';
  is(run_script($db, 'defaults.sql', %change, only => 'keys'), "other|token|gen_random_uuid()
texts|long|((gen_random_uuid())::text)::character varying(36)\ntexts|old|gen_random_uuid()\n$rest",
    'only defaults of primary keys are changed, and the others are listed');
  default_is($db, $_, 'id', 'uuidx uuid_v7') for 'other', 'texts';
  is(run_script($db, 'defaults.sql', %change), $rest, 'without only=keys, all but other expressions are changed');
  default_is($db, @$_, 'uuidx uuid_v7') for ['other', 'token'], ['texts', 'long'], ['texts', 'old'];
  yields($db, q{INSERT INTO texts DEFAULT VALUES RETURNING uuid_is_v7(id::uuid) AND uuid_is_v7(long::uuid)}, 't',
    'keys in text are of version 7');
  $node->safe_psql($db, q{INSERT INTO ticket SELECT FROM generate_series(1, 50); ANALYZE ticket});
  my $recent = q{SELECT * FROM ticket WHERE id >= now() - interval '1 day'};
  yields($db, "SELECT count(*), count(was.id) FROM ($recent) AS t LEFT JOIN was USING (id)", '50|0',
    'a time query finds all new keys and no others');
  like($node->safe_psql($db, "EXPLAIN $_"), qr/ticket_id_v7/, "$db: the index is used: $_")
    for $recent, 'SELECT * FROM ticket WHERE uuid_is_v7(id) ORDER BY id DESC LIMIT 20';
  run_blocks($db, 'default: retire');
  yields($db, 'SELECT count(*), count(was.id) FROM ticket LEFT JOIN was USING (id)', '50|0', 'only new keys are left');
}

# Version 1 keys.
for my $version (6, 7) {
  my $db = "v1_to_v$version";
  database($db, q{
    CREATE TABLE station (id uuid PRIMARY KEY DEFAULT uuid_v1(), name text NOT NULL);
    CREATE TABLE reading (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      station_id uuid NOT NULL REFERENCES station, name text NOT NULL);
    INSERT INTO station SELECT uuid_v1_at('2019-05-06 07:08:09.123456Z'::timestamptz
      + n * interval '1 hour 0.001001 s'), 'station ' || n FROM generate_series(1, 1000) AS n;
    INSERT INTO reading (station_id, name) SELECT id, name FROM station, generate_series(1, 3);
    CREATE TABLE was AS SELECT * FROM station});
  is(run_blocks($db, 'v1: check'), '0', "$db: all keys are of version 1");
  rewrite($db, 'station', 'reading', $version == 6 ? 'uuid_v1_to_v6(id)' : 'uuid_to_v7(id)', "uuid_v$version()");
  $node->safe_psql($db, q{
    WITH s AS (INSERT INTO station (name) VALUES ('new') RETURNING *)
    INSERT INTO reading (station_id, name) SELECT id, name FROM s});
  converted($db, 'station', 'reading', 'p.name = c.name', 3001, "uuid_v$version");
  primary_key($db, 'station', $version);
  my ($key, $time) = $version == 6
    ? ('uuid_v1_to_v6(was.id)', 'uuid_extract_time(s.id)')
    : ('uuid_to_v7(was.id)', 'uuid_extract_time_precise(s.id)');
  yields($db, qq{SELECT count(*), count(*) FILTER (WHERE s.name = was.name
        AND uuid_extract_time(was.id) = $time)
      FROM was JOIN station AS s ON s.id = $key}, '1000|1000',
    'an old key finds its station, and its time is in the new one');
  $node->safe_psql($db, q{
    TRUNCATE station, reading;
    INSERT INTO station VALUES (uuid_v1(), 1), (uuid_v4(), 4), (nil_uuid(), 0), (max_uuid(), 15)});
  is($node->safe_psql($db, $blocks{'v1: check'}), '3', "$db: keys of other versions are found");
}

# The trigger for an application that keeps writing: version 1, and UUIDs in varchar(36).
for (
  [ 'v1_writing', 'uuid', 'uuid_v1()', 'uuid_to_v7(%s)', 'nil_uuid()' ],
  [ 'text_writing', 'varchar(36)', 'upper(gen_random_uuid()::text)', '%s::uuid', q{''} ])
{
  my ($db, $type, $default, $expression, $lowest) = @$_;
  my ($of_row, $of_new) = map { sprintf $expression, $_ } 'customer.id', 'NEW.id';
  my $variable = $type eq 'uuid' ? 'uuid' : 'text';
  database($db, qq{
    CREATE TABLE customer (id $type PRIMARY KEY DEFAULT $default, name int);
    CREATE TABLE purchase (id $type PRIMARY KEY DEFAULT $default, customer_id $type NOT NULL REFERENCES customer);
    INSERT INTO customer (name) SELECT generate_series(1, 12000);
    INSERT INTO purchase (customer_id) SELECT id FROM customer;
    CREATE TABLE was AS TABLE customer});
  my %steps = map { $_ => $blocks{"bigint: $_"} } qw(columns customers purchases indexes not_null foreign_key swap);
  delete $unused{$_} for 'rewrite: trigger', 'rewrite: swap';
  my $changes = 0;
  $changes += $steps{columns} =~ s/^ALTER TABLE customer ALTER new_id SET DEFAULT uuid_v7\(\);\n//m;
  $changes += $steps{$_} =~ s/uuid_v7_at\(created_at, (?:\([^()]*\)|[^()])*\)/$of_row/ for 'customers', 'not_null';
  $changes += $steps{$_} =~ s/last bigint := .*;/last $variable := $lowest;/ for 'customers', 'purchases';
  $changes += $steps{swap} =~ s/(?=^COMMIT)/$blocks{'rewrite: swap'}/m;
  $steps{columns} .= $blocks{'rewrite: trigger'} =~ s/uuid_to_v7\(NEW\.id\)/++$changes && $of_new/er;
  is($changes, 7, "$db: the recipe for bigint keys has the parts to change");
  for my $step (qw(columns customers purchases indexes not_null foreign_key swap)) {
    my ($code, undef, $errors) = $node->psql($db, $steps{$step});
    is($code, 0, "$db: $step, changed for UUIDs") or diag($errors);
    $node->safe_psql($db, q{WITH made AS (INSERT INTO customer (name) VALUES (0) RETURNING id)
      SELECT id FROM made \gset
      INSERT INTO purchase (customer_id) VALUES (:'id')});
  }
  my $of_old = sprintf $expression, 'was.id';
  yields($db, "SELECT count(*) FROM was JOIN customer USING (name) WHERE customer.id = $of_old", '12000',
    'old keys are converted');
  yields($db, q{SELECT count(*), count(*) FILTER (WHERE pg_typeof(customer_id) = 'uuid'::regtype)
    FROM purchase JOIN customer ON customer.id = customer_id}, '12007|12007',
    'foreign keys follow, also of rows inserted between the steps');
  default_is($db, 'customer', 'id', 'uuidx uuid_v7');
}

# UUIDs in varchar(36), with the tables locked.
{
  my $db = 'text';
  database($db, q{
    CREATE TABLE member (id varchar(36) PRIMARY KEY DEFAULT gen_random_uuid()::text, name text);
    CREATE TABLE visit (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      member_id varchar(36) NOT NULL REFERENCES member, name text);
    INSERT INTO member (name) SELECT n FROM generate_series(1, 1000) AS n;
    UPDATE member SET id = upper(id) WHERE name LIKE '%2';
    INSERT INTO visit (member_id, name) SELECT id, name FROM member, generate_series(1, 2);
    CREATE TABLE was AS TABLE member;
    INSERT INTO member VALUES ('00112233445566778899aabbccddeeff', 'again'),
      ('{00112233445566778899AABBCCDDEEFF}', 'again'), ('0011-22334455-66778899-aabbccddeeff', 'again')});
  my @bad = ('', 'nonsense', '00112233-4455-6677-8899-aabbccddeefg', '{00112233445566778899aabbccddeeff',
    '00112233445566778899aabbccddeeff}', '001-12233445566778899aabbccddeeff', '00112233445566778899aabbccddeeff-',
    '00112233445566778899aabbccddeef', ' 00112233445566778899aabbccddeeff');
  for my $bad (@bad) {
    refused($db, "SELECT '$bad'::uuid", qr/invalid input syntax for type uuid/, "'$bad' is no UUID");
    $node->safe_psql($db, "INSERT INTO member VALUES ('$bad', 'bad')");
  }
  is(join('|', sort split /\n/, run_blocks($db, 'text: bad')), join('|', sort @bad), "$db: only bad texts are found");
  $node->safe_psql($db, q{DELETE FROM member WHERE name = 'bad'});
  is(run_blocks($db, 'text: bad'), '', "$db: no bad texts remain");
  like(run_blocks($db, 'text: same'), qr/\A00112233-4455-6677-8899-aabbccddeeff\|\{[^\n]+\}\z/,
    "$db: the same UUID in other forms is found");
  $node->safe_psql($db, q{DELETE FROM member WHERE name = 'again'});
  $node->safe_psql($db, q{
    CREATE TABLE text_key (id varchar(36) PRIMARY KEY) PARTITION BY RANGE (id);
    CREATE TABLE text_old PARTITION OF text_key FOR VALUES FROM (MINVALUE) TO ('019c0000');
    CREATE TABLE text_new PARTITION OF text_key FOR VALUES FROM ('019c0000') TO (MAXVALUE);
    INSERT INTO text_key SELECT uuid_v7_at(timestamptz '2025-12-31Z' + n * interval '1 hour')
      FROM generate_series(1, 9999) AS n;
    ANALYZE text_key});
  my $since = q{timestamptz '2027-02-01Z'};
  my $by_text = "SELECT count(*) FROM text_key WHERE id >= uuid_v7_min($since)::text";
  is($node->safe_psql($db, $by_text), $node->safe_psql($db, "SELECT count(*) FROM text_key WHERE id::uuid >= $since"),
    "$db: keys in text are compared as text");
  like($node->safe_psql($db, "EXPLAIN $by_text"), qr/^(?!.*text_old).*Index Only Scan/s, "$db: by index and partition");
  is(run_blocks($db, 'text: same'), '', "$db: no duplicates remain");
  rewrite($db, 'member', 'visit', 'id::uuid', 'uuid_v7()');
  converted($db, 'member', 'visit', 'p.name = c.name', 2000);
  primary_key($db, 'member', 4);
  yields($db, 'SELECT count(*) FROM member JOIN was ON member.id::text = lower(was.id) AND member.name = was.name',
    '1000', 'every row keeps its key');
  refused($db, 'PREPARE p (varchar) AS SELECT FROM member WHERE id = $1',
    qr/operator does not exist: uuid = character varying/, 'a parameter of type varchar is an error');
  refused($db, 'PREPARE p (varchar) AS INSERT INTO member (id) VALUES ($1)',
    qr/column "id" is of type uuid but expression is of type character varying/, 'a value of type varchar is an error');
  yields($db, q{PREPARE p (varchar) AS SELECT count(*) FROM member WHERE id = $1::uuid;
    SELECT format('EXECUTE p (%L)', id) FROM was LIMIT 1 \gexec}, '1', 'a parameter with a cast to uuid works');
}

# Conversions between the versions.
{
  my $db = 'versions';
  database($db, q{CREATE TABLE old_key AS SELECT id, uuid_v1_to_v6(id) AS id6
    FROM generate_series(1, 9), LATERAL uuid_v1() AS id});
  is(run_blocks($db, 'versions: convert'), $node->safe_psql($db, q{SELECT id6, id, uuid_to_v7(id6) FROM old_key}),
    "$db: conversions are reversible, and both give the same version 7");
}

# Functions of uuid-ossp.
SKIP: {
  my $db = 'ossp';
  leave_out($db, 'uuid-ossp is not installed') unless $available{'uuid-ossp'};
  database($db, q{
    CREATE SCHEMA "Other";
    CREATE TABLE page (id uuid PRIMARY KEY DEFAULT uuid_generate_v4()
      CONSTRAINT page_id_check CHECK (id <> uuid_nil()), url text NOT NULL);
    CREATE UNIQUE INDEX page_url_v5 ON page (uuid_generate_v5(uuid_ns_url(), url));
    CREATE VIEW page_id AS SELECT uuid_generate_v5(uuid_ns_url(), url) AS id, url FROM page;
    CREATE TABLE "Other"."All" ("One" uuid DEFAULT uuid_generate_v1(), none uuid DEFAULT uuid_nil(),
      mc uuid DEFAULT public.uuid_generate_v1mc(), n integer DEFAULT 1) PARTITION BY LIST (n);
    CREATE TABLE "Other".part PARTITION OF "Other"."All" FOR VALUES IN (1);
    CREATE FUNCTION old_body() RETURNS uuid LANGUAGE plpgsql AS $$
      BEGIN RETURN uuid_generate_v4(); END $$;
    INSERT INTO page (url) SELECT 'https://example.com/é/' || n FROM generate_series(1, 100) AS n;
    INSERT INTO "Other"."All" DEFAULT VALUES;
    CREATE TABLE was AS SELECT * FROM page_id},
    'CREATE EXTENSION "uuid-ossp"; CREATE EXTENSION uuidx;');
  my $found = dependents($db, 'uuid-ossp');
  like($found, qr/\Q$_\E/, "$db: dependents.sql finds $_")
    for 'default value for column id of table page|function uuid_generate_v4()', 'index page_url_v5|',
      'constraint page_id_check on table page|', 'on view page_id|function uuid_ns_url()',
      'old_body()', 'column mc of table "Other".part|function uuid_generate_v1mc()';
  run_script($db, 'defaults.sql', old => $_->[0], new => $_->[1])
    for [ 'uuid_generate_v1()', 'uuid_v1()' ], [ 'uuid_generate_v1mc()', 'uuid_v1()' ],
      [ 'uuid_generate_v4()', 'uuid_v4()' ], [ 'uuid_nil()', 'nil_uuid()' ];
  run_blocks($db, 'ossp: expressions');
  is(dependents($db, 'uuid-ossp'), 'old_body()', "$db: only a function body still uses uuid-ossp");
  run_blocks($db, 'ossp: drop');
  default_is($db, @$_) for [ 'page', 'id', 'uuidx uuid_v4' ],
    map { ([ $_, 'One', 'uuidx uuid_v1' ], [ $_, 'mc', 'uuidx uuid_v1' ],
      [ $_, 'none', 'uuidx nil_uuid' ]) } '"Other"."All"', '"Other".part';
  yields($db, q{SELECT count(*), (SELECT count(*) FROM (TABLE was EXCEPT TABLE page_id) AS o)
    FROM page_id}, '100|0', 'the view returns the same rows');
  refused($db, q{INSERT INTO page (url) SELECT url FROM page}, qr/constraint "page_url_v5"/,
    'the index on an expression is unique');
  refused($db, q{INSERT INTO page VALUES (nil_uuid(), '')}, qr/constraint "page_id_check"/,
    'the CHECK constraint is enforced');
  yields($db, q{INSERT INTO "Other"."All" DEFAULT VALUES; INSERT INTO page (url) VALUES ('new')
      RETURNING uuid_extract_version(id); SELECT uuid_extract_version("One"),
        uuid_extract_version(mc), none, count(*) FROM "Other"."All" GROUP BY 1, 2, 3},
    "4\n1|1|00000000-0000-0000-0000-000000000000|2", 'new rows get keys');
}

# Functions of pg_uuidv7.
SKIP: {
  my $db = 'pg_uuidv7';
  leave_out($db, 'pg_uuidv7 is not installed; Debian has it for PostgreSQL 18')
    unless $available{$db};
  database($db, q{
    CREATE TABLE visit (id uuid PRIMARY KEY DEFAULT uuid_generate_v7(), page text);
    CREATE VIEW visit_today AS SELECT id, page, uuid_v7_to_timestamptz(id) AS at FROM visit
      WHERE id >= uuid_timestamptz_to_v7(date_trunc('day', now()), true);
    INSERT INTO visit (page) SELECT n FROM generate_series(1, 1000) AS n;
    INSERT INTO visit SELECT uuid_timestamptz_to_v7(now() - n * interval '1 h') FROM
      generate_series(1, 50) AS n;
    CREATE TABLE was AS SELECT * FROM visit_today;
    CREATE TABLE whole AS SELECT * FROM visit},
    'CREATE EXTENSION pg_uuidv7; CREATE EXTENSION uuidx;');
  yields($db, q{
    SELECT uuid_v7_to_timestamptz(id) = uuid_extract_time(id),
      uuid_v7_to_timestamp(id) = uuid_extract_time(id) AT TIME ZONE 'UTC',
      uuid_v7_to_timestamptz(uuid_timestamptz_to_v7(t)) = uuid_extract_time(uuid_v7_at(t)),
      uuid_timestamptz_to_v7(t, true) = uuid_v7_min(date_trunc('milliseconds', t)),
      uuid_v7_to_timestamp(uuid_timestamp_to_v7(u))
        = uuid_extract_time(uuid_v7_at(u AT TIME ZONE 'UTC')) AT TIME ZONE 'UTC',
      uuid_timestamp_to_v7(u, true) = uuid_v7_min(date_trunc('milliseconds', u AT TIME ZONE 'UTC')),
      uuid_v7_to_timestamptz(four) IS NOT NULL AND uuid_extract_time(four) IS NULL
    FROM (VALUES ('2024-05-06 07:08:09.123456Z'::timestamptz, '2024-05-06 07:08:09.123456'::timestamp,
      'c0ffee1e-0f5d-4d3b-9d2e-3f6a7b8c9d0e'::uuid)) AS v (t, u, four), LATERAL uuid_v7_at(t) AS id;
    SET timezone = 'Asia/Tokyo';
    SELECT uuid_v7_to_timestamp(id) = uuid_extract_time(id) AT TIME ZONE 'UTC',
      uuid_timestamp_to_v7(u, true) = uuid_v7_min(u AT TIME ZONE 'UTC')
      FROM uuid_v7() AS id, (VALUES ('2024-05-06 07:08:09.123'::timestamp)) AS v (u)},
    "t|t|t|t|t|t|t\nt|t", 'functions correspond as in the table of the page');
  like(dependents($db, 'pg_uuidv7'), qr/\Q$_\E/, "$db: dependents.sql finds $_")
    for 'column id of table visit|function uuid_generate_v7()', 'on view visit_today|';
  run_blocks($db, 'pg_uuidv7: move');
  default_is($db, 'visit', 'id', 'uuidx uuid_v7');
  yields($db, q{SELECT (SELECT count(*) FROM (TABLE was EXCEPT TABLE visit_today) AS o),
      (SELECT count(*) FROM (TABLE whole EXCEPT TABLE visit) AS o),
      (SELECT count(*) FROM visit_today) = (SELECT count(*) FROM was)}, '0|0|t',
    'the view returns the same rows, and no row is lost');
  $node->safe_psql($db, q{INSERT INTO visit (page) VALUES ('new')});
  primary_key($db, 'visit', 7);
}

# A user's own uuid_v7().
my $home_made = q{
  CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    RETURN encode(set_byte(set_byte(overlay(uuid_send(gen_random_uuid()) placing
      substr(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), 3) from 1 for 6),
      6, 112), 8, 128), 'hex')::uuid;
  END $$;
  CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text);
  CREATE FUNCTION new_event() RETURNS uuid LANGUAGE plpgsql AS $$
  DECLARE made uuid := uuid_v7(); BEGIN INSERT INTO event VALUES (made, 'new'); RETURN made; END $$;
  INSERT INTO event (what) SELECT n FROM generate_series(1, 100) AS n;
  CREATE TABLE was AS TABLE event;
};
for my $way ('rename', 'schema') {
  database($way, $home_made, '');
  if ($way eq 'rename') {
    $node->safe_psql($way, q{
      CREATE SCHEMA "Other";
      CREATE TABLE "Other"."All" ("Id" uuid DEFAULT uuid_v7(), n integer) PARTITION BY LIST (n);
      CREATE TABLE "Other".part PARTITION OF "Other"."All" DEFAULT;
      CREATE TABLE extra (id uuid DEFAULT coalesce(uuid_v7(), gen_random_uuid()))});
    my (undef, undef, $errors) = $node->psql($way, $blocks{'rename: move'});
    like($errors, qr/cannot drop function old_uuid_v7\(\).*column id of table extra depends on/s,
      "$way: objects that still depend on the old function prevent the move");
    yields($way, q{SELECT to_regproc('uuid_v7')::oid IN (SELECT refobjid FROM pg_depend
        WHERE classid = 'pg_attrdef'::regclass), (SELECT count(*) FROM pg_extension
          WHERE extname = 'uuidx')}, 't|0', 'a refused move has no effect');
    $node->safe_psql($way, 'DROP TABLE extra');
    run_blocks($way, 'rename: move');
    default_is($way, $_, 'Id', 'uuidx uuid_v7') for '"Other"."All"', '"Other".part';
  } else {
    run_blocks($way, 'schema: create');
    default_is($way, 'event', 'id', 'uuidx uuid_v7');
    $node->safe_psql($way, q{INSERT INTO event (what) VALUES ('between'); SELECT new_event()});
    run_blocks($way, 'schema: move');
    $node->safe_psql($way, q{DELETE FROM event WHERE what IN ('between', 'new')});
  }
  default_is($way, 'event', 'id', 'uuidx uuid_v7');
  yields($way, q{
    SELECT to_regproc('old_uuid_v7') IS NULL, to_regnamespace('ids') IS NULL,
      (SELECT count(*) FROM pg_proc WHERE proname = 'uuid_v7' AND pronargs = 0);
    INSERT INTO event (what) VALUES ('default');
    SELECT new_event() IS NOT NULL;
    SELECT count(*) FROM (TABLE was EXCEPT TABLE event) AS o;
    SELECT count(*) FROM event WHERE id >= now() - interval '1 hour'},
    "t|t|1\nt\n0\n102", 'the rows are the same, and new ones can be inserted');
  primary_key($way, 'event', 7);
}

# ULIDs, some in lower case, with I, L and O.
my $ulids = q{
  CREATE TABLE message (id text PRIMARY KEY DEFAULT 'none', body text NOT NULL);
  CREATE TABLE reply (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id text NOT NULL REFERENCES message, body text NOT NULL);
  CREATE TABLE was AS SELECT n, t, CASE n % 5 WHEN 0 THEN lower(u) WHEN 1 THEN translate(u, '01', 'OI')
      WHEN 2 THEN translate(u, '01', 'ol') ELSE u END AS id, u
    FROM (SELECT n, t, uuid_encode(uuid_from_bytea(substr(uuid_to_bytea(uuid_v7_at(t)), 1, 6)
        || substr(sha256(n::text::bytea), 1, 10)), 'ulid') AS u
      FROM generate_series(1, 1000) AS n,
        LATERAL (SELECT '2020-02-02Z'::timestamptz + n * 733 % 1009 * interval '0.017 s' AS t) AS a)
      AS b;
  INSERT INTO was VALUES (0, '2016-07-30 23:54:10.259Z', '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV');
  INSERT INTO message SELECT id, n FROM was;
  INSERT INTO reply (message_id, body) SELECT id, n FROM was, generate_series(1, 2)};
{
  my $db = 'ulid';
  database($db, $ulids);
  my @bad = map { "E'$_'" } ('', 'nonsense', '81ARZ3NDEKTSV4RRFFQ69G5FAV', '01ARZ3NDEKTSV4RRFFQ69G5FAU',
    '01ARZ3NDEKTSV4RRFFQ69G5FA', '01ARZ3NDEKTSV4RRFFQ69G5FAVV', '01ARZ3NDEKTSV4RRFFQ69G5FAV\\n',
    ' 1ARZ3NDEKTSV4RRFFQ69G5FAV', '01ARZ3NDE\\u212ATSV4RRFFQ69G5FAV', '01ARZ3-DEKTSV4RRFFQ69G5FAV');
  for my $bad (@bad) {
    refused($db, "SELECT uuid_decode($bad, 'ulid')", qr/ERROR:  /, "$bad is rejected");
    $node->safe_psql($db, "INSERT INTO message VALUES ($bad, 'bad')");
  }
  yields($db, 'SELECT count(*), count(*) FILTER (WHERE id IN (' . join(', ', @bad) . ')) FROM ('
      . $blocks{'ulid: bad'} =~ s/;\s*\z//r . ') AS b', join('|', (scalar @bad) x 2),
    'exactly the invalid ULIDs are found');
  $node->safe_psql($db, q{DELETE FROM message WHERE body = 'bad';
    INSERT INTO message VALUES ('olaRZ3NDEKTSV4RRFFQ69G5FAV', 'again')});
  is(run_blocks($db, 'ulid: bad'), '', "$db: no invalid ULIDs remain");
  my ($id, $texts) = run_blocks($db, 'ulid: same') =~ /^(.+)\|\{(.+)\}$/;
  is( join(' ', $id // '', sort split /,/, $texts // ''),
    '01563e3a-b5d3-d676-4c61-efb99302bd5b 01ARZ3NDEKTSV4RRFFQ69G5FAV olaRZ3NDEKTSV4RRFFQ69G5FAV',
    "$db: duplicates are found");
  $node->safe_psql($db, q{DELETE FROM message WHERE body = 'again'});
  is(run_blocks($db, 'ulid: same'), '', "$db: no duplicates remain");
}
database('ulid_v7', $ulids);
run_blocks('ulid_v7', 'ulid_v7: function');
for my $db ('ulid', 'ulid_v7') {
  if ($db eq 'ulid') {
    rewrite($db, 'message', 'reply', q{uuid_decode(id, 'ulid')}, 'uuid_v7()');
    yields($db, q{SELECT count(*) FROM was JOIN message ON body = n::text
        WHERE uuid_encode(message.id, 'ulid') = u}, '1001', 'every key has the text of its ULID');
    same_order($db, 'was JOIN message ON body = n::text', 'message.id', 'u COLLATE "C"',
      'keys have the order of the ULIDs');
    run_blocks($db, 'ulid: min');
    run_script($db, 'layouts.sql');
    yields($db, q{SELECT count(*), count(*) FILTER (WHERE layout_time(message.id, 'ulid') = t),
        count(*) FILTER (WHERE message.id >= ulid_min(t) AND message.id < ulid_min(t + interval '1 ms'))
      FROM was JOIN message ON body = n::text}, '1001|1001|1001', 'ULIDs have their times and bounds');
  } else {
    rewrite($db, 'message', 'reply', 'ulid_to_v7(id)', 'uuid_v7()');
    yields($db, q{SELECT count(*) FROM was JOIN message ON body = n::text
        WHERE uuid_extract_time(message.id) = t}, '1001', 'keys have the times of the ULIDs');
    primary_key($db, 'message', 7);
  }
  converted($db, 'message', 'reply', 'p.body = c.body', 2002);
  yields($db, q{INSERT INTO message (body) VALUES ('new');
      SELECT body FROM message ORDER BY id DESC LIMIT 1}, 'new', 'new keys come last');
}

# Times of other layouts.
{
  my $db = 'layouts';
  database($db, q{
    CREATE TABLE parent (id uuid PRIMARY KEY, n int);
    CREATE TABLE child (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, parent_id uuid NOT NULL REFERENCES parent,
      n int);
    INSERT INTO parent VALUES ('061cb26a-54b8-7a52-8000-2124e7041024', 1), ('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 2);
    INSERT INTO child (parent_id, n) TABLE parent});
  run_script($db, 'layouts.sql');
  # Values of the makers or of their documentation.
  for my $case (
    [ 'ulid', '01563df3-6481-d676-4c61-efb99302bd5b', '2016-07-30 22:36:16.385+00' ],       # npm's ulid
    [ 'draft', '061cb26a-54b8-7a52-8000-2124e7041024', '2021-12-28 15:00:53.295079+00' ],   # uuid7 0.1.0 for Python
    [ 'laravel', 'a34eedc0-8b77-49c7-8ab7-b781891273bd', '2026-11-25 08:05:15.95383+00' ],  # Laravel 8.83
    [ 'comb', 'e25afe33-db2d-4502-9bf0-919001862cc4', '2002-01-10 23:40:35+00' ],           # RT.Comb
  ) {
    my ($layout, $id, $time) = @$case;
    yields($db, "SELECT t, uuid_extract_time_precise(uuid_v7_at(t, '$id', '')),
        uuid_extract_time('$id') IS DISTINCT FROM t FROM layout_time('$id', '$layout') AS t",
      "$time|$time|t", "the time of $layout, which uuid_extract_time() does not return");
  }
  for my $case (
    [ 'mysql', '1026baba-6ccd-780c-9564-5b8c656024db', '6ccd780c-baba-1026-9564-5b8c656024db' ],
    [ 'mysql', '11ec9414-c232-ab00-b3c8-9f6bdeced846', 'c232ab00-9414-11ec-b3c8-9f6bdeced846' ],
    [ 'halves', '77665544-3322-1100-ffee-ddccbbaa9988', '00112233-4455-6677-8899-aabbccddeeff' ],
    [ 'halves', 'c37cb079-e222-7f01-8f39-070c0cdcc498', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f' ],
    [ 'duckdb', '8196f946-5678-7ac0-a594-fe51da68ec69', '0196f946-5678-7ac0-a594-fe51da68ec69' ],  # DuckDB 1.3.0
  ) {
    my ($layout, $id, $key) = @$case;
    yields($db, "SELECT layout_key('$id', '$layout')", $key, "the key of $layout");
  }
  yields($db, q{SELECT uuid_extract_time(uuid_to_v7(layout_key('11ec9414-c232-ab00-b3c8-9f6bdeced846', 'mysql')))},
    '2022-02-22 19:22:22+00', 'the time of mysql');
  like(run_blocks($db, 'layouts: times'), qr/^061cb26a-/m, "$db: times can be seen before");
  rewrite($db, 'parent', 'child', q{CASE WHEN id >= timestamptz '2100-01-01Z'
    THEN uuid_v7_at(layout_time(id, 'draft'), id, '') ELSE id END}, 'uuid_v7()');
  yields($db, q{SELECT parent.n, uuid_extract_time(parent.id) FROM parent JOIN child ON parent_id = parent.id
      ORDER BY parent.id}, "1|2021-12-28 15:00:53.295+00\n2|2022-02-22 19:22:22+00", 'keys have the right times');
}

# SQL Server. The bytes are reordered here, not by uuid_swap_guid.
{
  my $db = 'guid';
  my @guids = split /\n/, $node->safe_psql('postgres',
    'SELECT gen_random_uuid() FROM generate_series(1, 50)');
  my %bytes = map {
    my @part = split /-/;
    ($_ => join '', (map { join '', reverse /../g } @part[0 .. 2]), @part[3, 4])
  } @guids;
  database($db, 'CREATE TABLE imported (id bytea, name text); INSERT INTO imported VALUES '
      . join(', ', map { "('\\x$bytes{$_}', '$_')" } @guids));
  run_blocks($db, 'guid: convert');
  yields($db, 'SELECT count(*), count(*) FILTER (WHERE id::text = name) FROM account', '50|50',
    'every key is that of its text');
  default_is($db, 'account', 'id', 'uuidx uuid_v7');
  is(run_blocks($db, 'guid: check'), '4|50', "$db: the check finds 50 keys of version 4");
}

# Keys from clients.
{
  my $db = 'client';
  database($db, q{
    CREATE TABLE event (id uuid PRIMARY KEY, what text);
    INSERT INTO event VALUES (uuid_v7_at('2020-01-01Z'), 'old')});
  $node->safe_psql($db, block_of('doc/clients.md', 'event_id_window'));
  for my $bad ([ q{uuid_v7('-1 day -1 second')}, 'too old' ], [ q{uuid_v7('61 seconds')}, 'in the future' ],
    [ 'uuid_v4()', 'without a time' ])
  {
    refused($db, "\\set VERBOSITY verbose\nINSERT INTO event VALUES ($bad->[0])",
      qr/ERROR:  23514: the time of id [-0-9a-f]{36} is not close to now/, "a key $bad->[1] is rejected");
  }
  yields($db, q{INSERT INTO event VALUES (uuid_v7()), (uuid_v7('-23 hours')), (uuid_v7('50 seconds'));
    WITH changed AS (UPDATE event SET what = 'changed' RETURNING *) SELECT count(*) FROM changed}, '4',
    'keys close to now are inserted, and rows with older ones can be updated');
}

# A user's own uuidv7(), which PostgreSQL 18 has itself.
{
  my $db = 'own';
  database($db, q{
    CREATE FUNCTION public.uuidv7() RETURNS uuid LANGUAGE sql VOLATILE RETURN uuid_v7_at(clock_timestamp());
    CREATE TABLE event (id uuid PRIMARY KEY DEFAULT public.uuidv7());
    INSERT INTO event DEFAULT VALUES});
  default_is($db, 'event', 'id', 'public uuidv7');
  yields($db, q{SELECT pronamespace::regnamespace FROM pg_proc WHERE oid = 'uuidv7()'::regprocedure},
    $server < 180000 ? 'public' : 'pg_catalog', 'other statements call uuidv7() of core, if it has one');
  $node->safe_psql($db, 'CREATE VIEW user_of_it AS SELECT public.uuidv7()');
  refused($db, $blocks{'own: replace'}, qr/cannot drop function uuidv7\(\)|cannot drop function public\.uuidv7\(\)/,
    'a function that a view uses is not dropped');
  default_is($db, 'event', 'id', 'public uuidv7');
  $node->safe_psql($db, 'DROP VIEW user_of_it');
  run_blocks($db, 'own: replace');
  default_is($db, 'event', 'id', 'uuidx uuid_v7');
  $node->safe_psql($db, 'INSERT INTO event DEFAULT VALUES');
  primary_key($db, 'event', 7);
}

# Keys in bytea.
{
  my $db = 'bytea';
  database($db, q{
    CREATE TABLE device (id bytea PRIMARY KEY DEFAULT uuid_send(gen_random_uuid()), name text);
    CREATE TABLE signal (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      device_id bytea NOT NULL REFERENCES device, name text);
    INSERT INTO device (name) SELECT n FROM generate_series(1, 1000) AS n;
    INSERT INTO signal (device_id, name) SELECT id, name FROM device, generate_series(1, 2);
    CREATE TABLE was AS TABLE device;
    INSERT INTO device VALUES ('\x', 'bad'), ('\x00112233445566778899aabbccddee', 'bad'),
      ('\x00112233445566778899aabbccddeeff00', 'bad')});
  is(run_blocks($db, 'bytea: check'), '3', "$db: invalid lengths are found");
  $node->safe_psql($db, q{DELETE FROM device WHERE name = 'bad'});
  is(run_blocks($db, 'bytea: check'), '0', "$db: no invalid lengths remain");
  rewrite($db, 'device', 'signal', 'uuid_from_bytea(id)', 'uuid_v7()');
  converted($db, 'device', 'signal', 'p.name = c.name', 2000);
  primary_key($db, 'device', 4);
  yields($db, 'SELECT count(*) FROM device JOIN was USING (name) WHERE uuid_send(device.id) = was.id', '1000',
    'every row has the same bytes');
}

# Back to core.
SKIP: {
  my $db = 'core';
  leave_out($db, 'PostgreSQL has uuidv7() from 18 on') if $server < 180000;
  database($db, q{
    CREATE TABLE sale (id uuid PRIMARY KEY DEFAULT uuid_v7()
      CONSTRAINT sale_id_check CHECK (uuid_extract_time(id) > '2020-01-01Z'), what text)
      PARTITION BY RANGE (id);
    CREATE TABLE sale_old PARTITION OF sale FOR VALUES FROM (uuid_v7_min('2020-01-01Z'))
      TO (uuid_v7_min('2026-01-01Z'));
    CREATE TABLE sale_new PARTITION OF sale FOR VALUES FROM (uuid_v7_min('2026-01-01Z')) TO (MAXVALUE);
    CREATE INDEX sale_time ON sale (uuid_extract_time(id));
    CREATE VIEW sale_today AS SELECT * FROM sale WHERE id >= date_trunc('day', now());
    CREATE VIEW sale_last AS SELECT max(id) AS last FROM sale;
    CREATE FUNCTION body() RETURNS uuid LANGUAGE plpgsql AS 'BEGIN RETURN uuid_v4(); END';
    INSERT INTO sale (id, what) SELECT uuid_v7_at(now() - n * interval '7 h'), n
      FROM generate_series(1, 2000) AS n;
    INSERT INTO sale (what) VALUES ('last');
    CREATE TABLE was AS TABLE sale;
    CREATE TABLE was_today AS TABLE sale_today;
    CREATE TABLE was_last AS TABLE sale_last});
  my $found = dependents($db, 'uuidx');
  like($found, qr/\Q$_\E/, "$db: dependents.sql finds $_")
    for 'column id of table sale|function uuid_v7()',
      'default value for column id of table sale_new|', 'index sale_time|',
      'constraint sale_id_check on table sale|', 'on view sale_today|',
      'body()', $server < 200000 ? 'on view sale_last|function max(uuid)' : ();
  refused($db, 'DROP EXTENSION uuidx', qr/cannot drop extension uuidx/,
    'uuidx cannot be dropped while objects depend on it');
  run_blocks($db, 'core: move');
  is(dependents($db, 'uuidx'), 'body()', "$db: only a function body still uses uuidx");
  run_blocks($db, 'core: drop');
  yields($db, q{SELECT adrelid::regclass, pg_get_expr(adbin, adrelid) FROM pg_attrdef
      ORDER BY adrelid::regclass::text}, "sale|uuidv7()\nsale_new|uuidv7()\nsale_old|uuidv7()",
    'defaults call uuidv7() of core');
  yields($db, q{SELECT
      (SELECT count(*) FROM (TABLE was EXCEPT ALL TABLE sale) AS o), (SELECT count(*) FROM sale),
      (SELECT count(*) FROM (TABLE was_today EXCEPT ALL TABLE sale_today) AS o),
      (SELECT count(*) FROM sale_today) = (SELECT count(*) FROM was_today),
      (SELECT count(*) FROM (TABLE was_last EXCEPT ALL TABLE sale_last) AS o);
    INSERT INTO sale (what) VALUES ('new') RETURNING tableoid::regclass;
    SELECT what FROM sale JOIN sale_last ON id = last},
    "0|2001|0|t|0\nsale_new\nnew", 'rows, views and partitions are the same, and new keys come last');
  refused($db, q{INSERT INTO sale VALUES ('018bcfe5-6800-7000-8000-000000000000'),
      ('016bcfe5-6800-7000-8000-000000000000')}, qr/no partition of relation "sale" found/,
    'the bounds of partitions are enforced');
  yields($db, q{SELECT count(*) FROM pg_proc WHERE probin LIKE '%uuidx'}, '0', 'no function of uuidx remains');
}

is(join(', ', sort keys %unused), '', 'every SQL block is run');

done_testing();
