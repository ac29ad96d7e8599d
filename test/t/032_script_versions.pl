# An upgraded extension is like a fresh one, and other versions of script or library work or say why not.
# Scripts and libraries are installed in a copy of PostgreSQL, as others use the original.

use Helpers;

my %copy    = copy_postgresql();
my $scripts = "$copy{sharedir}/extension";
system_or_bail('cp', glob(folder_of('sharedir') . '/extension/uuidx*'), $scripts);
my $library = slurp_file(folder_of('pkglibdir') . '/uuidx.so');
put_library();

# Replaces a file atomically: a library may be in use.
sub put($file, $content) {
  open(my $handle, '>:raw', "$file.new") or die "$file.new: $!";
  print $handle $content;
  close($handle) or die "$file.new: $!";
  rename("$file.new", $file) or die "$file: $!";
}

# Installs the library without some of its functions, like an older one, by changing their names. The linker
# merges a function's name with the end of its pg_finfo name.
sub put_library {
  my @missing = @_;
  my $content = $library;
  for my $name (@missing) {
    my $other = $name =~ s/.$/\$/r;
    $content =~ s/\0pg_finfo_$name\0/\0pg_finfo_$other\0/g or die "no $name in the library";
    $content =~ s/\0$name\0/\0$other\0/g;
  }
  put("$copy{pkglibdir}/uuidx.so", $content);
}

my $node = PostgreSQL::Test::Cluster->new('versions', install_path => $copy{install_path});
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\ntimezone = 'UTC'\n");
$node->start;
# If so, the extension creates no aggregates.
my $core_has_max = $node->safe_psql('postgres', q{SELECT to_regprocedure('pg_catalog.max(uuid)')}) ne '';

# Runs statements in a test's database and returns the extension's objects: the entries of a dump for pg_upgrade, which
# creates each with all its properties, without OIDs.
sub objects_after($statements) {
  $node->safe_psql('postgres', "DROP EXTENSION IF EXISTS uuidx CASCADE;\n$statements");
  my ($dump) = run_command([ 'pg_dump', '--schema-only', '--binary-upgrade', '-d', $node->connstr('postgres') ]);
  return [ grep { /^Name: / } split /^--\n-- /m, $dump =~ s/'\d+'::pg_catalog.oid//gr ];
}

# Returns the objects in which two such lists differ.
sub difference($is, $should) {
  my %count;
  $count{$_}++ for @$is;
  $count{$_}-- for @$should;
  return map { ($count{$_} > 0 ? '+ ' : '- ') . $_ } sort grep { $count{$_} } keys %count;
}

# True if such a list has a version of the extension.
sub has_version { return scalar grep { /create_empty_extension\('uuidx', 'public', true, '\Q$_[1]\E',/ } @{ $_[0] } }

my ($default) = slurp_file("$scripts/uuidx.control") =~ /^default_version = '(.*)'/m;
my $new = objects_after('CREATE EXTENSION uuidx');
ok(has_version($new, $default), 'a fresh installation has the default version');

# A fictitious earlier version: the newest script with some objects less, one more, and two changed; and its
# upgrade script.
my @versions = map { m{/uuidx--((?:(?!--).)+)\.sql$} } glob("$scripts/uuidx--*.sql");
my $base = (grep { $_ eq $default } @versions) ? $default : (sort @versions)[-1];
my @statements = slurp_file("$scripts/uuidx--$base.sql") =~ /((?:\$\$.*?\$\$|.)*?;)\n/gs;

# Without comments, which may name other objects.
sub bare { return $_[0] =~ s/^(?:--|\\echo).*\n?//gmr }

my $is_later = join '|', '\buuid_(?:encode|decode)\(', '\btime_range_contains_uuid\b', '^REVOKE',
  '^COMMENT ON FUNCTION uuid_v4\(', '_create_aggregates\(';
my ($old_script, $upgrade_script) = ('', "DROP FUNCTION uuid_former();\n");
for my $statement (@statements) {
  my $bare = bare($statement);
  if ($bare =~ /$is_later/m) {
    $upgrade_script .= "$bare\n";
  }
  elsif ($bare =~ /CREATE FUNCTION uuid_v4\(\)/) {
    $upgrade_script .= $bare =~ s/CREATE FUNCTION/CREATE OR REPLACE FUNCTION/r . "\n";
    $old_script .= $statement =~ s/VOLATILE STRICT/STABLE COST 7/r . "\n";
  }
  else {
    $old_script .= "$statement\n";
  }
}
$old_script .= q{CREATE FUNCTION uuid_former() RETURNS uuid LANGUAGE sql RETURN uuid_v4();};
put("$scripts/uuidx--0.9.sql",        $old_script);
put("$scripts/uuidx--0.9--$base.sql", $upgrade_script);

# Aggregates are created unless core has them.
my $condition = q{to_regprocedure('pg_catalog.max(pg_catalog.uuid)') IS};

# Every upgrade path.
my @paths = split /\n/, $node->safe_psql('postgres', q{
  SELECT source, target FROM pg_extension_update_paths('uuidx') WHERE path IS NOT NULL ORDER BY 1, 2});
like(join(' ', @paths), qr/^0\.9\|\Q$base\E/, 'the upgrade path of the test exists');
for my $path (@paths) {
  my ($source, $target) = split /\|/, $path;
  my $upgrade = "CREATE EXTENSION uuidx VERSION '$source'; ALTER EXTENSION uuidx UPDATE TO '$target'";
  my $installed = objects_after("CREATE EXTENSION uuidx VERSION '$target'");
  ok(has_version($installed, $target), "$target can be installed");
  is(join('', difference(objects_after($upgrade), $installed)), '',
    "$source to $target: the upgraded extension is like a fresh one");

  # After pg_upgrade to PostgreSQL 20 there are aggregates, which a fresh installation there lacks. So upgrades must
  # work with and without them, on every server.
  my $file = "$scripts/uuidx--$source.sql";
  my $script = -e $file ? slurp_file($file) : '';
  next if $script !~ /\Q$condition\E NULL/;
  put($file, $script =~ s/\Q$condition\E \KNULL/NOT NULL/r);
  my @found = difference(objects_after($upgrade), $installed);
  put($file, $script);
  my $sign = $core_has_max ? '+' : '-';
  cmp_ok(scalar(grep { /^\Q$sign\E Name: max\(uuid\); Type: AGGREGATE;/ } @found), '==', 1,
    "$source to $target: aggregates remain if a fresh installation has none, and the reverse");
  is(join('', grep { !/^\Q$sign\E Name: .*?\b(?:(?:min|max)\(uuid\)|uuid_(?:min|max|minmax)_)/ } @found), '',
    "$source to $target: all but the aggregates are like a fresh installation");
}
# The versions differ, otherwise the comparison would prove little.
cmp_ok(scalar difference(objects_after("CREATE EXTENSION uuidx VERSION '0.9'"), $new), '>', 10,
  '0.9 and the newest version differ');

# Tables whose queries use functions of the extension in several ways.
my $tables = q{
  CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), body text);
  CREATE TABLE log (id uuid PRIMARY KEY, body text) PARTITION BY RANGE (id);
  CREATE TABLE log_1 PARTITION OF log FOR VALUES FROM (MINVALUE) TO (uuid_v7_min('2024-02-01'));
  CREATE TABLE log_2 PARTITION OF log FOR VALUES FROM (uuid_v7_min('2024-02-01')) TO (MAXVALUE);
  INSERT INTO event SELECT uuid_v7_at(timestamptz '2024-01-01' + n * interval '1 hour')
    FROM generate_series(0, 1999) AS n;
  INSERT INTO log SELECT id FROM event;
  CREATE TABLE time_range AS SELECT tstzrange '[2024-01-31,2024-02-02)' AS p;
  ANALYZE};
$node->safe_psql('postgres', "DROP EXTENSION uuidx CASCADE; CREATE EXTENSION uuidx; $tables");
my $start = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');

put_library('uuidx_encode');
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', q{CREATE EXTENSION uuidx VERSION '0.9'});
like(($node->psql('other', "ALTER EXTENSION uuidx UPDATE TO '$base'"))[2],
  qr/ERROR:  could not find function "uuidx_encode" in file/, 'ALTER EXTENSION with an older library fails');
is($node->safe_psql('other', q{
    SELECT extversion, uuid_extract_version(uuid_former()), to_regproc('uuid_encode') IS NULL
    FROM pg_extension WHERE extname = 'uuidx'}),
  '0.9|4|t', 'ALTER EXTENSION with an older library has no effect');
put_library();

# The results of the queries below with a complete installation.
my @questions = (
  'FROM event, time_range WHERE id <@ p', 'FROM log, time_range WHERE id <@ p',
  map { my $time_range = $_; map { "FROM $_ WHERE id <@ $time_range" } 'event', 'log' }
    q{tstzrange '[2024-01-31,2024-02-02)'}, q{tstzrange(now() - interval '100 years', now())},
    q{(SELECT tstzrange('2024-01-01', '2024-01-10'))});
my $all = join ';', map { "SELECT count(*), min(uuid_extract_time(id)) $_" } @questions;
my $answers = $node->safe_psql('postgres', $all);
is(scalar(split /\n/, $answers), scalar @questions, 'a complete installation has a result for each query');
like($answers, qr/^48\|/, 'a complete installation has the known result');

# Scripts older than the library: their objects work, and the planner does without the functions that it would
# use in plans.
is($node->safe_psql('other', q{
    SELECT count(DISTINCT v)
    FROM (VALUES (uuid_v1()), (uuid_v4()), (uuid_v6()), (uuid_v7()), (uuid_v8_node(3))) AS s (v)}),
  '5', '0.9 works with the newest library');
for my $missing ('uuid_v7_lower', 'uuid_v7_upper', 'uuid_v7_(?:lower|upper)') {
  my $less = join '', map { "$_\n" } grep { bare($_) !~ /FUNCTION $missing\(/ } @statements;
  put("$scripts/uuidx--less.sql", $less);
  $node->safe_psql('postgres', 'DROP DATABASE IF EXISTS less');
  $node->safe_psql('postgres', 'CREATE DATABASE less');
  $node->safe_psql('less', q{CREATE EXTENSION uuidx VERSION 'less'});
  is($node->safe_psql('less', "SELECT count(*) FROM pg_proc WHERE proname ~ '^$missing\$'"),
    '0', "the script lacks $missing");
  $node->safe_psql('less', $tables);
  is($node->safe_psql('less', $all), $answers, "without $missing, queries have the same results");
}
unlink("$scripts/uuidx--less.sql");

# Two concurrent libraries: a session keeps the one that it has loaded.
my $call_of_new = q{SELECT uuid_encode(nil_uuid(), 'hex')};
put_library('uuidx_encode');
my $old = $node->background_psql('postgres', on_error_stop => 0);
$old->query('SELECT uuid_v7()');
put_library();
like($node->safe_psql('postgres', $call_of_new), qr/^0+$/, 'a new session has the new library');
$old->query($call_of_new);
like($old->{stderr}, qr/could not find function "uuidx_encode"/, 'an old session keeps the old library');
$old->{stderr} = '';
SKIP: {
  skip 'before PostgreSQL 17 uuidx must be preloaded', 1 if $node->pg_version < 17;
  my @ids = map {
    (scalar($old->query('SELECT uuid_v7_server()')), $node->safe_psql('postgres', 'SELECT uuid_v7_server()'))
  } 1 .. 5;
  is_deeply([ sort @ids ], \@ids, 'sessions with the old and the new library share one order');
}
$old->quit;
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $start, 'the server is never restarted');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no process crashes');

put_library('uuidx_encode');
$node->append_conf('postgresql.conf', q{shared_preload_libraries = 'uuidx'});
$node->restart;
put_library();
like(($node->psql('postgres', $call_of_new))[2], qr/ERROR:  could not find function "uuidx_encode" in file/,
  'preloaded: after a replacement, the server keeps the library of its start');
like($node->safe_psql('postgres', 'SELECT uuid_v7()'), qr/^[0-9a-f-]{36}$/,
  'preloaded: the other functions of the old library work');
$node->restart;
like($node->safe_psql('postgres', $call_of_new), qr/^0+$/,
  'preloaded: after a restart, the server has the new library');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'preloaded: no process crashes');
$node->stop;

done_testing();
