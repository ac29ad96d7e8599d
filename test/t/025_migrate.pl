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

# Runs SQL up to the first error; returns its output. Arguments: database, what it is, SQL, options of psql.
my $messages;  # of the last one
sub run_sql {
  my ($database, $what, $sql, @options) = @_;
  (my $code, my $output, $messages) = $node->psql($database, $sql, extra_params => \@options);
  is($code, 0, "$database: $what") or diag($messages);
  return $output;
}

# Runs blocks of the document, each in a new session. Returns the output of the last one.
sub run_blocks {
  my ($database, @names) = @_;
  my $output;
  for my $name (@names) {
    delete $unused{$name};
    $output = run_sql($database, $name, $blocks{$name} // die "no block named $name\n");
  }
  return $output;
}

# Creates a database with uuidx, a table of old keys, another one that references it, and a copy of the first.
# Arguments: database, tables, type and default of the old keys, a query of them and distinct names.
sub old_keys {
  my ($database, $parent, $child, $type, $default, $keys) = @_;
  database($database, qq{
    CREATE TABLE $parent (id $type PRIMARY KEY DEFAULT $default, name text NOT NULL);
    CREATE TABLE $child (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      ${parent}_id $type NOT NULL REFERENCES $parent, name text NOT NULL);
    INSERT INTO $parent $keys;
    INSERT INTO $child (${parent}_id, name) SELECT id, name FROM $parent, generate_series(1, 2);
    CREATE TABLE was AS TABLE $parent});
  return;
}

# Adds a row to each of these tables, with a key by default.
sub add_row {
  my ($database, $parent, $child) = @_;
  $node->safe_psql($database, qq{
    WITH made AS (INSERT INTO $parent (name) VALUES ('new') RETURNING *)
      INSERT INTO $child (${parent}_id, name) SELECT id, name FROM made});
  return;
}

# Runs the recipe that rewrites such tables, with this expression instead of uuid_to_v7(id) and this function instead of
# uuid_v7(); checks the new keys.
sub rewrite {
  my ($database, $parent, $child, $expression, $function) = @_;
  $function //= 'uuid_v7';
  delete $unused{'rewrite: convert'};
  my $block = $blocks{'rewrite: convert'} // die "no block that rewrites a table\n";
  my ($of_parent_id, $of_was) = map { $expression =~ s/\bid\b/$_/gr } 'parent_id', 'was.id';
  $block =~ s/uuid_to_v7\(id\)/$expression/g;
  $block =~ s/uuid_to_v7\(parent_id\)/$of_parent_id/g;
  $block =~ s/\buuid_v7\(\)/$function()/g;
  $block =~ s/parent/$parent/g;
  $block =~ s/child/$child/g;
  run_sql($database, "rewrite: convert, by $expression", $block);
  yields($database, qq{SELECT count(*) > 0, count(*) - count(p.id) FROM was LEFT JOIN $parent AS p
      ON p.name = was.name AND p.id = $of_was}, 't|0', 'every row has the key that its old one gives');
  add_row($database, $parent, $child);
  converted($database, $parent, $child, 'p.name = c.name', '(SELECT 2 * count(*) + 1 FROM was)', $function);
  return;
}

# Checks that a query of a recipe finds exactly those keys of a table that an expression rejects, and none without them.
sub finds_bad {
  my ($database, $block, $table, $expression, @bad) = @_;
  for my $bad (@bad) {
    refused($database, sprintf("SELECT $expression", $bad), qr/ERROR:  /, "$bad is rejected");
    $node->safe_psql($database, "INSERT INTO $table VALUES ($bad, 'bad')");
  }
  yields($database, qq{SELECT count(*), count(*) FILTER (WHERE id IN (@{[join(', ', @bad)]}))
      FROM (@{[$blocks{$block} =~ s/;\s*\z//r]}) AS b}, join('|', (scalar @bad) x 2), 'exactly the bad keys are found');
  $node->safe_psql($database, "DELETE FROM $table WHERE name = 'bad'");
  is(run_blocks($database, $block), '', "$database: no bad keys remain");
  return;
}

# Runs a script of doc/migrate with variables, and returns its output.
sub run_script {
  my ($database, $script, %variables) = @_;
  return run_sql($database, $script, "\\i $tree/doc/migrate/$script",
    map { ('-v', "$_=$variables{$_}") } sort keys %variables);
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

# Checks two tables whose keys were converted: the foreign key, the default, and that each row of the child has its
# parent, by this condition on p and c. The number of these rows may be a query.
sub converted {
  my ($database, $parent, $child, $same, $count, $function) = @_;
  foreign_key($database, $child, "${parent}_id", $parent);
  default_is($database, $parent, 'id', 'uuidx ' . ($function // 'uuid_v7'));
  yields($database, qq{SELECT count(*) - $count, count(*) FILTER (WHERE ($same) IS NOT TRUE)
      FROM $child AS c LEFT JOIN $parent AS p ON p.id = c.${parent}_id}, '0|0',
    "every $child has the same $parent as before");
  return;
}

# The steps of the recipe for keys of type bigint.
my @steps = qw(columns customers purchases indexes not_null foreign_key swap);

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
  is(run_blocks($db, 'bigint: check'), '0', "$db: every row has a time");
  my %after = (
    columns => sub {
      $node->safe_psql($db, q{
        BEGIN;
        INSERT INTO purchase (customer_id, what) VALUES (5, 'of old 5');
        PREPARE TRANSACTION 'slow'});
    },
    purchases => sub {
      $node->safe_psql($db, q{COMMIT PREPARED 'slow'});
      yields($db, 'SELECT count(*) FROM purchase WHERE new_customer_id IS NULL', '1',
        'the slow transaction has written a row without the new key');
    },
    not_null => sub {
      like($messages, qr/constraints on column "$_" are sufficient to prove that it does not contain nulls/,
        "$db: SET NOT NULL reads no row of $_")
        for 'customer.new_id', 'purchase.new_customer_id';
    },
    swap => sub {
      yields($db, 'TABLE file', $files, 'no table was rewritten');
      yields($db, q{SELECT count(*) > 0, count(old_id) = count(*) FROM customer
          WHERE id = (SELECT max(id) FROM customer)}, 't|t', 'the identity still fills the old key');
    });
  for my $step (@steps, 'clean_up') {
    local $ENV{PGOPTIONS} = '-c client_min_messages=debug1';
    run_blocks($db, "bigint: $step");
    $after{$step}->() if $after{$step};
  }
  $node->safe_psql($db, 'INSERT INTO stop DEFAULT VALUES');
  $inserter->finish;
  is($inserter->result(0), 0, "$db: another session could write all the time") or diag($inserter_errors);
  my $live = $inserter_errors =~ /made ([0-9]+)/ ? $1 : 0;
  cmp_ok($live, '>', 100, "$db: another session inserted over 100 rows");
  yields($db, q{SELECT split_part(name, ' ', 1), count(*) FROM customer GROUP BY 1 ORDER BY 1},
    "live|$live\nold|12501", 'no customer is lost');
  converted($db, 'customer', 'purchase', q{what = 'of ' || name}, 16001 + $live);
  primary_key($db, 'customer', 7);
  yields($db, q{SELECT count(*) FROM customer WHERE name LIKE 'old %' AND
      (uuid_extract_time(id) <> date_trunc('milliseconds', created_at)
        OR created_at <> uuid_extract_time_precise(id))}, '0',
    'the keys have the times of the rows');
  yields($db, q{SELECT count(*) FILTER (WHERE a <> b) FROM (
      SELECT row_number() OVER (ORDER BY id) AS a, row_number() OVER (ORDER BY created_at, lpad(name, 9)) AS b
        FROM customer WHERE name LIKE 'old %') AS o}, '0', 'keys have the order of the times, then of the old keys');
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
    INSERT INTO customer SELECT generate_series(1, 100);
    INSERT INTO purchase SELECT id, id FROM customer});
  run_blocks($db, map { "bigint: $_" } grep { $_ ne 'swap' } @steps);
  my ($statement) = slurp_file("$tree/doc/migrate.md") =~ /add\s+`(ALTER TABLE customer ALTER old_id [^`]+)` before/;
  my $insert = 'INSERT INTO customer DEFAULT VALUES';
  refused($db, "$blocks{'bigint: swap'} $insert", qr/null value in column "old_id"/,
    'after the swap alone, an INSERT fails');
  yields($db, "$statement; $insert RETURNING uuid_is_v7(id)", 't', 'after the statement, it succeeds');
}

# The same, undone before the swap.
{
  my $db = 'bigint_undo';
  database($db, q{
    CREATE TABLE customer (id bigint PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE purchase (id bigint PRIMARY KEY, customer_id bigint NOT NULL REFERENCES customer);
    CREATE TABLE was AS SELECT conrelid, conname FROM pg_constraint WHERE conrelid <> 0});
  run_blocks($db, map { "bigint: $_" } qw(columns customers purchases indexes not_null foreign_key undo));
  yields($db, q{INSERT INTO customer VALUES (1); INSERT INTO purchase VALUES (1, 1);
      SELECT to_jsonb(customer) - 'created_at', to_jsonb(purchase) FROM customer, purchase;
      SELECT count(*) FROM (SELECT conrelid, conname FROM pg_constraint WHERE conrelid <> 0 EXCEPT TABLE was) AS o;
      SELECT count(*) FROM pg_index WHERE indrelid IN ('customer'::regclass, 'purchase'::regclass)},
    qq({"id": 1}|{"id": 1, "customer_id": 1}\n0\n2), 'no column, constraint or index remains');
}

# Version 4 keys.
{
  my $db = 'v4';
  old_keys($db, 'document', 'revision', 'uuid', 'gen_random_uuid()',
    'SELECT gen_random_uuid(), n FROM generate_series(1, 2500) AS n');
  $node->safe_psql($db, q{
    CREATE INDEX ON revision (document_id);
    ALTER TABLE document ADD created_at timestamptz NOT NULL DEFAULT now();
    UPDATE document SET created_at = timestamptz '2023-01-01 00:00:00.000123Z' + name::int * interval '1.000007 s'});
  for my $step ('prepare', 'fill', 'clean_up') {
    run_blocks($db, "v4: $step");
    add_row($db, 'document', 'revision');
  }
  converted($db, 'document', 'revision', 'p.name = c.name', 5003);
  primary_key($db, 'document', 7);
  yields($db, q{SELECT count(*), count(*) FILTER (WHERE d.name = was.name
        AND d.created_at = uuid_extract_time_precise(d.id))
      FROM was JOIN document_old_key AS o ON o.old_id = was.id JOIN document AS d ON d.id = o.id},
    '2500|2500', 'every old key leads to its document, and times are in the keys');
  run_blocks($db, 'v4: undo');
  yields($db, 'SELECT count(*) FROM was JOIN document USING (id, name)', '2500', 'the old keys can be restored');
  yields($db, 'SELECT count(*) FROM revision AS r JOIN document AS d ON d.id = document_id AND r.name = d.name',
    '5003', 'revisions follow');
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
}

# Version 1 keys.
for my $version (6, 7) {
  my $db = "v1_to_v$version";
  old_keys($db, 'station', 'reading', 'uuid', 'uuid_v1()', q{
    SELECT uuid_v1_at(timestamptz '2019-05-06 07:08:09.123456Z' + n * interval '1 hour 0.001001 s'), n
      FROM generate_series(1, 1000) AS n});
  is(run_blocks($db, 'v1: check'), '0', "$db: all keys are of version 1");
  rewrite($db, 'station', 'reading', $version == 6 ? 'uuid_v1_to_v6(id)' : 'uuid_to_v7(id)', "uuid_v$version");
  primary_key($db, 'station', $version);
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
  my %steps = map { $_ => $blocks{"bigint: $_"} } @steps;
  delete $unused{$_} for 'rewrite: trigger', 'rewrite: swap';
  my $changes = 0;
  $changes += $steps{columns} =~ s/^ALTER TABLE customer ALTER new_id SET DEFAULT uuid_v7\(\);\n//m;
  $changes += $steps{$_} =~ s/uuid_v7_at\(created_at, (?:\([^()]*\)|[^()])*\)/$of_row/ for 'customers', 'not_null';
  $changes += $steps{$_} =~ s/last bigint := .*;/last $variable := $lowest;/ for 'customers', 'purchases';
  $changes += $steps{swap} =~ s/(?=^COMMIT)/$blocks{'rewrite: swap'}/m;
  $steps{columns} .= $blocks{'rewrite: trigger'} =~ s/uuid_to_v7\(NEW\.id\)/++$changes && $of_new/er;
  is($changes, 7, "$db: the recipe for bigint keys has the parts to change");
  for my $step (@steps) {
    run_sql($db, "$step, changed for UUIDs", $steps{$step});
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
  old_keys($db, 'member', 'visit', 'varchar(36)', 'gen_random_uuid()::text',
    q{SELECT CASE n % 2 WHEN 0 THEN upper(id) ELSE id END, n
      FROM generate_series(1, 1000) AS n, LATERAL (SELECT gen_random_uuid()::text || repeat('', n) AS id) AS u});
  finds_bad($db, 'text: bad', 'member', '%s::uuid', map { "'$_'" } '', 'nonsense',
    '00112233-4455-6677-8899-aabbccddeefg', '{00112233445566778899aabbccddeeff', '00112233445566778899aabbccddeeff}',
    '001-12233445566778899aabbccddeeff', '00112233445566778899aabbccddeeff-', '00112233445566778899aabbccddeef',
    ' 00112233445566778899aabbccddeeff');
  $node->safe_psql($db, q{
    INSERT INTO member VALUES ('00112233445566778899aabbccddeeff', 'again'),
      ('{00112233445566778899AABBCCDDEEFF}', 'again'), ('0011-22334455-66778899-aabbccddeeff', 'again')});
  is(run_blocks($db, 'text: bad'), '', "$db: other forms are no bad texts");
  like(run_blocks($db, 'text: same'), qr/\A00112233-4455-6677-8899-aabbccddeeff\|\{[^\n]+\}\z/,
    "$db: the same UUID in other forms is found");
  $node->safe_psql($db, q{DELETE FROM member WHERE name = 'again'});
  is(run_blocks($db, 'text: same'), '', "$db: no duplicates remain");
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
  rewrite($db, 'member', 'visit', 'id::uuid');
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
  run_blocks($db, 'ossp: index');
  $node->safe_psql($db, q{
    ALTER TABLE page DROP CONSTRAINT page_id_check, ADD CONSTRAINT page_id_check CHECK (id <> nil_uuid());
    CREATE OR REPLACE VIEW page_id AS SELECT uuid_v5(uuid_namespace('url'), url) AS id, url FROM page});
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
    CREATE TABLE was AS SELECT * FROM visit_today},
    'CREATE EXTENSION pg_uuidv7; CREATE EXTENSION uuidx;');
  yields($db, q{
    SET timezone = 'Asia/Tokyo';
    SELECT uuid_v7_to_timestamptz(id) = uuid_extract_time(id),
      uuid_v7_to_timestamp(id) = uuid_extract_time(id) AT TIME ZONE 'UTC',
      uuid_v7_to_timestamptz(uuid_timestamptz_to_v7(t)) = uuid_extract_time(uuid_v7_at(t)),
      uuid_timestamptz_to_v7(t, true) = uuid_v7_min(date_trunc('milliseconds', t)),
      uuid_v7_to_timestamp(uuid_timestamp_to_v7(u))
        = uuid_extract_time(uuid_v7_at(u AT TIME ZONE 'UTC')) AT TIME ZONE 'UTC',
      uuid_timestamp_to_v7(u, true) = uuid_v7_min(date_trunc('milliseconds', u AT TIME ZONE 'UTC')),
      uuid_v7_to_timestamptz(four) IS NOT NULL AND uuid_extract_time(four) IS NULL
    FROM (VALUES ('2024-05-06 07:08:09.123456Z'::timestamptz, '2024-05-06 07:08:09.123456'::timestamp,
      'c0ffee1e-0f5d-4d3b-9d2e-3f6a7b8c9d0e'::uuid)) AS v (t, u, four), LATERAL uuid_v7_at(t) AS id},
    't|t|t|t|t|t|t', 'functions correspond as in the table of the page');
  like(dependents($db, 'pg_uuidv7'), qr/\Q$_\E/, "$db: dependents.sql finds $_")
    for 'column id of table visit|function uuid_generate_v7()', 'on view visit_today|';
  run_blocks($db, 'pg_uuidv7: move');
  default_is($db, 'visit', 'id', 'uuidx uuid_v7');
  yields($db, q{SELECT (SELECT count(*) FROM (TABLE was EXCEPT TABLE visit_today) AS o),
      (SELECT count(*) FROM visit_today) = (SELECT count(*) FROM was)}, '0|t', 'the view returns the same rows');
  $node->safe_psql($db, q{INSERT INTO visit (page) VALUES ('new')});
  primary_key($db, 'visit', 7);
}

# A user's own uuid_v7().
my $home_made = q{
  CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN gen_random_uuid(); END $$;
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
    refused($way, $blocks{'rename: move'}, qr/cannot drop function old_uuid_v7\(\).*column id of table extra depends/s,
      'objects that still depend on the old function prevent the move');
    yields($way, q{SELECT to_regproc('uuid_v7')::oid IN (SELECT refobjid FROM pg_depend
        WHERE classid = 'pg_attrdef'::regclass), (SELECT count(*) FROM pg_extension
          WHERE extname = 'uuidx')}, 't|0', 'a refused move has no effect');
    $node->safe_psql($way, 'DROP TABLE extra');
    run_blocks($way, 'rename: move');
    default_is($way, $_, 'Id', 'uuidx uuid_v7') for '"Other"."All"', '"Other".part';
  } else {
    $node->safe_psql($way, q{CREATE SCHEMA ids; CREATE EXTENSION uuidx SCHEMA ids;
      ALTER TABLE event ALTER id SET DEFAULT ids.uuid_v7();
      INSERT INTO event (what) VALUES ('between'); SELECT new_event()});
    $node->safe_psql($way, q{DROP FUNCTION uuid_v7(); ALTER EXTENSION uuidx SET SCHEMA public; DROP SCHEMA ids;
      DELETE FROM event WHERE what IN ('between', 'new')});
  }
  default_is($way, 'event', 'id', 'uuidx uuid_v7');
  yields($way, q{
    SELECT to_regproc('old_uuid_v7') IS NULL, to_regnamespace('ids') IS NULL,
      (SELECT count(*) FROM pg_proc WHERE proname = 'uuid_v7' AND pronargs = 0);
    INSERT INTO event (what) VALUES ('default');
    SELECT new_event() IS NOT NULL;
    SELECT count(*) FROM (TABLE was EXCEPT TABLE event) AS o;
    SELECT what FROM event WHERE id >= now() - interval '1 hour' ORDER BY id},
    "t|t|1\nt\n0\ndefault\nnew", 'the rows are the same, and new ones have the time');
}

# ULIDs, some in lower case, with I, L and O; kept, and made version 7.
my $ulid_time = q{timestamptz '2020-02-02Z' + %s * interval '17 ms'};
for my $db ('ulid', 'ulid_v7') {
  old_keys($db, 'message', 'reply', 'text', q{'none'}, sprintf q{
    SELECT CASE n %% 4 WHEN 0 THEN lower(u) WHEN 1 THEN translate(u, '01', 'OI') WHEN 2 THEN translate(u, '01', 'ol')
        ELSE u END, n
      FROM generate_series(1, 1000) AS n, LATERAL uuid_encode(uuid_from_bytea(
        substr(uuid_to_bytea(uuid_v7_at(%s)), 1, 6) || substr(sha256(n::text::bytea), 1, 10)), 'ulid') AS u},
    sprintf $ulid_time, 'n');
  if ($db eq 'ulid') {
    finds_bad($db, 'ulid: bad', 'message', q{uuid_decode(%s, 'ulid')}, map { "E'$_'" } '', 'nonsense',
      '81ARZ3NDEKTSV4RRFFQ69G5FAV', '01ARZ3NDEKTSV4RRFFQ69G5FAU', '01ARZ3NDEKTSV4RRFFQ69G5FA',
      '01ARZ3NDEKTSV4RRFFQ69G5FAVV', '01ARZ3NDEKTSV4RRFFQ69G5FAV\\n', ' 1ARZ3NDEKTSV4RRFFQ69G5FAV',
      '01ARZ3NDE\\u212ATSV4RRFFQ69G5FAV', '01ARZ3-DEKTSV4RRFFQ69G5FAV');
    $node->safe_psql($db, q{INSERT INTO message VALUES
      ('01ARZ3NDEKTSV4RRFFQ69G5FAV', 'again'), ('olaRZ3NDEKTSV4RRFFQ69G5FAV', 'again')});
    like(run_blocks($db, 'ulid: same'),
      qr/\A01563e3a-b5d3-d676-4c61-efb99302bd5b\|\{\w+,\w+\}\z/, "$db: duplicates are found");
    $node->safe_psql($db, q{DELETE FROM message WHERE name = 'again'});
    is(run_blocks($db, 'ulid: same'), '', "$db: no duplicates remain");
    rewrite($db, 'message', 'reply', q{uuid_decode(id, 'ulid')});
  } else {
    run_script($db, 'layouts.sql');
    my $of_uuid = q{uuid_v7_at(layout_time(id, 'ulid'), id, '')};
    rewrite($db, 'message', 'reply', $of_uuid =~ s/\bid\b/uuid_decode(id, 'ulid')/gr);
    yields($db, sprintf(q{SELECT count(*) FROM message WHERE name <> 'new' AND uuid_extract_time(id) = %s},
      sprintf $ulid_time, 'name::int'), '1000', 'keys have the times of the ULIDs');
    primary_key($db, 'message', 7);
  }
}

# Times of other layouts.
{
  my $db = 'layouts';
  old_keys($db, 'parent', 'child', 'uuid', 'uuid_v7()',
    q{VALUES ('061cb26a-54b8-7a52-8000-2124e7041024'::uuid, '1'), ('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '2')});
  run_blocks($db, 'ulid: min');
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
    THEN uuid_v7_at(layout_time(id, 'draft'), id, '') ELSE id END});
  yields($db, q{SELECT name, uuid_extract_time(id) FROM parent WHERE name <> 'new' ORDER BY id},
    "1|2021-12-28 15:00:53.295+00\n2|2022-02-22 19:22:22+00", 'keys have the right times');
}

# SQL Server. 024 compares uuid_swap_guid() with Python's order of the bytes.
{
  my $db = 'guid';
  database($db, q{CREATE TABLE imported AS SELECT uuid_to_bytea(uuid_swap_guid(id)) AS id, id::text AS name
    FROM generate_series(1, 50) AS n, LATERAL (SELECT gen_random_uuid() AS id, n) AS made});
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
    INSERT INTO event DEFAULT VALUES;
    CREATE VIEW user_of_it AS SELECT public.uuidv7()});
  yields($db, q{SELECT pronamespace::regnamespace FROM pg_proc WHERE oid = 'uuidv7()'::regprocedure},
    $server < 180000 ? 'public' : 'pg_catalog', 'other statements call uuidv7() of core, if it has one');
  refused($db, $blocks{'own: replace'}, qr/cannot drop function (?:public\.)?uuidv7\(\)/,
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
  old_keys($db, 'device', 'signal', 'bytea', 'uuid_send(gen_random_uuid())',
    'SELECT substr(sha224(n::text::bytea), 1, 16), n FROM generate_series(1, 1000) AS n');
  $node->safe_psql($db, q{INSERT INTO device VALUES ('\x', 'bad'), ('\x00112233445566778899aabbccddee', 'bad'),
      ('\x00112233445566778899aabbccddeeff00', 'bad')});
  is(run_blocks($db, 'bytea: check'), '3', "$db: invalid lengths are found");
  $node->safe_psql($db, q{DELETE FROM device WHERE name = 'bad'});
  is(run_blocks($db, 'bytea: check'), '0', "$db: no invalid lengths remain");
  rewrite($db, 'device', 'signal', 'uuid_from_bytea(id)');
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
}

is(join(', ', sort keys %unused), '', 'every SQL block is run');

done_testing();
