# Databases move from sql/portable/uuidx.sql to the extension and back as doc/managed.md says.
# Also if pg_tle, which may not be installed, has the script as an extension.

use Helpers;
use Portable;

my $node = start_node('portable_moves');
$node->safe_psql('postgres',
  'CREATE ROLE owner LOGIN; CREATE ROLE reader LOGIN; CREATE ROLE member LOGIN IN ROLE owner');

# Returns the only block of commands below a heading of doc/managed.md.
my $page = slurp_file("$tree/doc/managed.md");
sub block_below($heading, $language) {
  my ($section) = $page =~ /^## \Q$heading\E\n(.*?)(?=^## |\z)/ms;
  my @blocks = $section =~ /^```$language\n(.*?)^```$/msg;
  is(scalar @blocks, 1, "doc/managed.md, $heading: there is one block of $language");
  return $blocks[0];
}

# Runs the commands below a heading on a server as the owner, each for another database and all in one folder. Leaves
# out those whose database is undefined.
my $folder = PostgreSQL::Test::Utils::tempdir;
sub run_block($there, $heading, @databases) {
  local $ENV{PGUSER} = 'owner';
  for my $line (split /(?<![|\\])\n/, block_below($heading, 'sh')) {
    defined(my $database = shift @databases) or next;
    my $command = $line =~ s/\bmydb\b(?!\.)/$database/gr =~ s{(?=(?:sql/portable|doc/migrate)/)}{$tree/}r;
    $there->command_ok([ 'bash', '-c', "cd '$folder' && $command" ], $line =~ s/ *#.*//r);
  }
}

# What depends on the functions.
my $objects = q{
  CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7() CHECK (uuid_is_v7(id)), n int,
    made timestamptz GENERATED ALWAYS AS (uuid_extract_time(id)) STORED);
  CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
  CREATE TRIGGER event_too_late BEFORE INSERT ON event FOR EACH ROW
    WHEN (NEW.id >= timestamptz '2200-01-01') EXECUTE FUNCTION reject();
  CREATE TABLE log (id uuid NOT NULL DEFAULT uuid_v7(), n int) PARTITION BY RANGE (id);
  CREATE TABLE log_1 PARTITION OF log FOR VALUES FROM (uuid_v7_min('2026-01-01')) TO (uuid_v7_min('2026-01-02'));
  CREATE TABLE log_2 PARTITION OF log FOR VALUES FROM (uuid_v7_min('2026-01-02')) TO (uuid_v7_min('2026-01-03'));
  CREATE TABLE log_3 PARTITION OF log FOR VALUES FROM (uuid_v7_min('2026-01-03')) TO (MAXVALUE);
  CREATE VIEW recent AS SELECT id, n FROM event
    WHERE id >= timestamptz '2026-01-02' AND id <@ tstzrange('2026-01-01', '2026-02-01');
  INSERT INTO event SELECT uuid_v7_at(timestamptz '2026-01-01' + n * interval '1 minute'), n
    FROM generate_series(0, 20000) AS n;
  INSERT INTO log SELECT id, n FROM event;
  CREATE INDEX event_of_day ON event (n) WHERE id <@ tstzrange('2026-01-02', '2026-01-03')};

# Calls functions of the script as a role without privileges of its own.
sub is_usable($database, $how) {
  is($node->safe_psql($database, q{
      SELECT uuid_is_v7(uuid_v4()), max(uuid_v1_at('2026-01-01')) <> uuid_v7_at('2026-01-01', 1) FROM (SELECT) AS row},
    extra_params => [ '-U', 'reader' ]), 'f|t', "other roles can use functions after $how");
}
for my $flavour ('extension', 'script') {
  my $database = "from_$flavour";
  Portable::make_database($node, $database, 'none');
  if ($flavour eq 'script') {
    Portable::as_owner($node, $database, 'ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC');
    run_block($node, 'Install', ($database) x 3);
    is_usable($database, 'installation');
    is(Portable::as_owner($node, $database, block_below('Install', 'sql')), '1.0.0|t',
      'the check below Install succeeds');
  } else {
    # From where README puts it.
    $node->safe_psql($database, 'CREATE EXTENSION uuidx SCHEMA public;' . block_below('Move from the extension', 'sql')
      . 'GRANT USAGE ON SCHEMA uuidx TO PUBLIC');
  }
  Portable::as_owner($node, $database, $objects);
}

# All rows, and what the view, the checks and the default do.
sub content($there, $database) {
  return Portable::as_owner($there, $database, q{
    SELECT * FROM event WHERE n >= 0 ORDER BY id; SELECT tableoid::regclass, * FROM log ORDER BY id;
    SELECT count(*) FROM recent;
    SELECT pg_get_viewdef('recent'), pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'event_id_check';
    SELECT pg_get_indexdef('event_of_day'::regclass);
    INSERT INTO event VALUES (uuid_v7_min('2200-01-01'), -2);
    INSERT INTO event (n) VALUES (-1) RETURNING uuid_is_v7(id), made = uuid_extract_time(id);
    SELECT count(*) FROM event WHERE n = -2});
}

# A dump without the schema of the functions moves from either to the other.
Portable::make_database($node, 'to_extension', 'none');
run_block($node, 'Move to the extension', 'to_extension', 'from_script', 'to_extension');
run_block($node, 'Install', undef, ('to_extension') x 2);
is_usable('to_extension', 'a move to the extension');
is(content($node, 'to_extension'), content($node, 'from_script'), 'to the extension: the same content');
Portable::make_database($node, 'to_script', 'script');
run_block($node, 'Move from the extension', 'from_extension', '', 'to_script');
is(content($node, 'to_script'), content($node, 'from_extension'), 'to the script: the same content');

# Dumps a database, with options, and restores it into another one, without the objects that match a pattern.
sub move($from, $from_database, $options, $to, $to_database, $left_out) {
  my $dump = PostgreSQL::Test::Utils::tempdir . "/$from_database.$to_database";
  $from->command_ok([ 'pg_dump', '-Fc', @$options, '-f', $dump, $from_database ], "$from_database is dumped");
  my ($list) = run_command([ 'pg_restore', '-l', $dump ]);
  append_to_file("$dump.list", join '', map { "$_\n" } grep { !/$left_out/ } split /\n/, $list);
  $to->command_ok([ 'pg_restore', '-e', '-U', 'owner', '-L', "$dump.list", '-d', $to_database, $dump ],
    "$to_database is restored");
  is(content($to, $to_database), content($from, $from_database), "$to_database: the same content");
}

# The newer file replaces the older one, and what is listed as dependent is what its removal drops. A member of the
# owner is told how to run it.
my $upgrade = "SET search_path = uuidx, pg_temp; \\i $Portable::script\n";
my (undef, undef, $errors) = $node->psql('to_script', $upgrade, extra_params => [ '-U', 'member' ]);
like($errors, qr/^.*ERROR:  role "owner" can create objects in .*\nHINT:  Run SET ROLE owner first\.$/m,
  'a member of the owner gets a hint');
$node->safe_psql('to_script', "SET ROLE owner; DROP FUNCTION uuidx.uuid_v4(); $upgrade",
  extra_params => [ '-U', 'member' ]);
Portable::as_owner($node, 'to_script', 'ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
  DROP FUNCTION uuidx.uuid_v4()');
run_block($node, 'Upgrade', ('to_script') x 2);
is_usable('to_script', 'an upgrade');
is(content($node, 'to_script'), content($node, 'from_extension'), 'to a newer script: the same content');
my %dependents = map { s/[|].*//r => 1 } split /\n/, Portable::as_owner($node, 'to_script',
  "\\set schema uuidx\n\\i $tree/doc/migrate/dependents.sql");
is(join("\n", sort keys %dependents), join("\n", 'constraint event_id_check on table event',
    (map { "default value for column id of table $_" } 'event', 'log', 'log_1', 'log_2', 'log_3'),
    'generated column made of table event', 'index event_of_day', 'trigger event_too_late on table event',
    'view recent'), 'the script below Remove lists the dependent objects');
run_block($node, 'Remove', ('to_script') x 3);
is($node->safe_psql('to_script', q{
    SELECT count(*) FROM pg_class WHERE relname IN ('recent', 'event_of_day');
    SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal;
    SELECT count(*) > 20000 FROM event}), "0\n0\nt", 'after the removal, dependent objects are gone and rows remain');

# A dump with the script in it restores everywhere.
Portable::make_database($node, 'to_bare', 'none');
move($node, 'from_script', [], $node, 'to_bare', qr/ EXTENSION /);

# With pg_tle, a dump has the extension itself, which is another one on the other server.
SKIP: {
  skip 'pg_tle is not installed', 1 if !-e $node->config_data('--pkglibdir') . '/pg_tle.so';
  # pg_tle refuses to hide the files of the extension.
  my %copy = copy_postgresql();
  my $tle = PostgreSQL::Test::Cluster->new('portable_tle', install_path => $copy{install_path});
  $tle->init;
  $tle->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_tle'");
  $tle->start;
  $tle->safe_psql('postgres', 'CREATE ROLE owner LOGIN');
  for my $database ('from_tle', 'to_tle') {
    Portable::make_database($tle, $database, 'none');
    $tle->safe_psql($database, 'CREATE EXTENSION pg_tle; GRANT pgtle_admin TO owner');
    run_block($tle, 'Register with pg_tle', $database);
  }
  Portable::as_owner($tle, 'from_tle', "CREATE SCHEMA uuidx; CREATE EXTENSION uuidx SCHEMA uuidx; $objects");
  Portable::make_database($node, 'to_extension_too', 'none');
  move($tle, 'from_tle', [ '-N', 'pgtle' ], $node, 'to_extension_too', qr/pg_tle/);
  move($node, 'from_extension', [], $tle, 'to_tle', qr/^(?!)/);
}

done_testing();
