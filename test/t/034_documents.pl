# Every SQL block of the pages prints the output shown below it.
# doc/reference.md agrees with the catalog, and doc/troubleshooting.md has each message of the sources.
#
# The blocks of a page run in order, each in a new session, in a database for the page, which has the extension
# unless a block creates it. HTML comments before a block have what a reader need not see:
#   <!-- run: SQL -->              setup, such as a table
#   <!-- with $name = SQL -->      value of a placeholder, except for "$user"
#   <!-- needs NAME VERSION -->    an extension, or PostgreSQL; without it, the block is skipped
#   <!-- run by FILE -->           another test runs it, on other servers
# A block without a language that follows immediately is the output, as psql prints it; a plan is that of EXPLAIN
# (COSTS OFF) for the last statement; with ERROR, the block fails. In it, … stands for anything, a line of … for any
# lines, and t1 and t2 in a plan for any UUID. After <!-- varies -->, only its form is compared: numbers, times and
# UUIDs may differ.

use Helpers;
use IPC::Run;
use version;

chdir($tree) or die $!;

my $node = PostgreSQL::Test::Cluster->new('documents');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
my $preload = -e $node->config_data('--pkglibdir') . '/timescaledb.so' ? 'uuidx, timescaledb' : 'uuidx';
$node->append_conf('postgresql.conf', qq{
shared_preload_libraries = '$preload'
timescaledb.telemetry_level = off
timezone = 'UTC'
uuidx.node_id = 17
});
$node->start;
my $start = slurp_file($node->logfile);

# The available versions for blocks.
my %version = map { split /\|/ } split /\n/, $node->safe_psql('postgres',
  'SELECT name, default_version FROM pg_available_extensions');
$version{PostgreSQL} = version_of($node) / 10000;

# Runs a script in psql as a user would; returns exit code, output and messages.
sub run_psql($database, $script) {
  my ($output, $errors);
  local $ENV{PGCLIENTENCODING} = 'UTF8';
  IPC::Run::run(
    [ 'psql', '-X', '-q', '-P', 'pager=off', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database) ],
    '<', \$script, '>', \$output, '2>', \$errors);
  return ($? >> 8, $output, $errors);
}

# Returns the SQL blocks of a page: text, line, comments before and output after it.
sub blocks_of($text) {
  my @blocks;
  my $comment = qr/<!--(?:(?!-->).)*-->\n+/s;
  my $shown = qr/\n\n?((?:<!-- varies -->\n)?)```\n(.*?)^```$/ms;
  while ($text =~ /^((?:$comment)*)```sql\n(.*?)^```$(?:$shown)?/gms) {
    my ($marks, $sql, $varies, $output) = ($1, $2, $3, $4);
    my $line = 1 + (substr($text, 0, $-[2]) =~ tr/\n//);
    push @blocks, {
      sql => $sql, line => $line, varies => $varies, output => $output,
      marks => [ $marks =~ /<!-- ?(.*?) ?-->/gs ] };
  }
  return @blocks;
}

# Removes psql's trailing spaces.
sub trimmed($text) {
  return $text =~ s/[ \t]+$//gmr =~ s/\n+\z//r;
}

# Returns the form of an output: UUIDs reduced to versions, times, months in names and numbers to placeholders.
sub form_of($text) {
  $text =~ s/\b[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/UUID of version #$1/g;
  $text =~ s/\b\d{4,}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d\b/TIME/g;
  $text =~ s/-?(?:\d+ days? )?\b\d\d:\d\d:\d\d(?:\.\d+)?\b/INTERVAL/g;
  $text =~ s/_\d{4}_\d\d\b/_MONTH/g;
  $text =~ s/(?<!#)\b\d+\b/NUMBER/g;
  $text =~ s/-+(?=[-+\n]|\z)/-/g;
  $text =~ s/ +/ /g;
  return $text;
}

# Returns a pattern for a text in which … stands for anything.
sub pattern_of($text, $anything) {
  return join $anything, map { quotemeta } split /…/, $text, -1;
}

# Checks output against the page.
sub is_shown($printed, $block, $name) {
  my ($got, $expected) = map { trimmed($_) } $printed, $block->{output};
  ($got, $expected) = map { form_of($_) } $got, $expected if $block->{varies};
  my $pattern = pattern_of($expected, '.*?');
  $pattern =~ s/^\.\*\?$/(?s:.*?)/gm;
  $pattern =~ s/\\'t\d\\'/'[0-9a-f-]{36}'/g;
  ok($got =~ /\A$pattern\z/, $name) or diag("printed:\n$got\nshown:\n$expected\n");
}

# Returns psql's input for a block; for a plan, first the block without its output.
sub script_of($block) {
  return $block->{sql} if !is_plan($block);
  my ($last) = $block->{sql} =~ /(?:\A|;\s*\n)([^;]+;[^;]*)\z/
    or die "no last statement in\n$block->{sql}";
  return "\\o /dev/null\n$block->{sql}\\o\n\\pset format unaligned\n\\pset tuples_only\n"
    . "EXPLAIN (COSTS OFF) $last";
}

# True if an output is a plan: neither an error nor with psql's table lines.
sub is_plan($block) {
  my $output = $block->{output} // return 0;
  return $output !~ /^(?:ERROR:|-\[ RECORD|-[-+]+$)/m;
}

# Runs one block of a page, in its database.
sub run_block($page, $database, $block) {
  my $name = "$page, line $block->{line}";
  my %placeholder;
  for my $mark (@{ $block->{marks} }) {
    if ($mark =~ /^run: (.*)$/s) {
      my ($code, undef, $errors) = run_psql($database, "$1\n;");
      is($code, 0, "$name: the setup in the comment runs") or diag($errors);
    } elsif ($mark =~ /^with \$(\w+) = (.*)$/s) {
      $placeholder{$1} = $2;
    } elsif ($mark =~ /^needs (\w+) ([\d.]+)$/) {
      next if version->declare($version{$1} // 0) >= version->declare($2);
      SKIP: { skip "$name: $mark", 1 }
      return;
    } elsif ($mark =~ /^run by (\S+)$/) {
      ok(-e $1, "$name: the file that runs the block exists: $1");
      return;
    } else {
      fail("$name: unknown comment before the block: $mark");
      return;
    }
  }
  my %used;
  my $script = script_of($block);
  my $numbers = join '|', grep { /^\d/ } keys %placeholder;  # others belong to PREPARE or a function
  $script =~ s/(?<!")\$([a-z_]\w*@{[$numbers && "|$numbers"]})(?!\w*\$)/$used{$1} = 1; $placeholder{$1} \/\/ "\$$1"/ge;
  is(join(' ', sort keys %used), join(' ', sort keys %placeholder),
    "$name: the comments give a value to each placeholder")
    if %used || %placeholder;
  my ($code, $output, $errors) = run_psql($database, $script);
  if (defined $block->{output} && $block->{output} =~ /^ERROR:/m) {
    is_shown($output . $errors, $block, "$name: fails as shown");
    return;
  }
  is($code, 0, "$name: the block runs") or diag($errors);
  is_shown($output, $block, "$name: prints what is shown") if defined $block->{output};
}

# Every block of every page.
{
  my $n = 0;
  for my $page (glob '*.md doc/*.md') {
    my $text = slurp_file($page);
    my @blocks = blocks_of($text) or next;
    is(scalar @blocks, scalar(() = $text =~ /^\s*(?:```|~~~)\s*sql/gmi), "$page: every SQL block is found");
    my $database = 'page_' . ++$n;
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    $node->safe_psql($database, 'CREATE EXTENSION uuidx')
      if !grep { $_->{sql} =~ /^CREATE EXTENSION uuidx/m } @blocks;
    run_block($page, $database, $_) for @blocks;
  }
}

# Returns the cells of a table row.
sub cells_of {
  my ($row) = $_[0] =~ /^\| *(.*?) *\|$/ or die "no row of a table: $_[0]\n";
  return split / *(?<!\\)\| */, $row, -1;
}

# Returns the cells of these columns, row by row, in the tables of a page that begin with the first.
# A table may omit an empty column.
sub rows_of($page, @wanted) {
  my (@rows, $head);
  for (split /\n/, slurp_file($page)) {
    if (!/^\|/) { undef $head; next }
    next if /^\|[-:|]+$/;
    my @cells = cells_of($_);
    if (!$head) { $head = \@cells; next }
    my %cell;
    @cell{@$head} = @cells;
    push @rows, [ map { $_ // '' } @cell{@wanted} ] if $head->[0] eq $wanted[0];
  }
  return @rows;
}

# Converts cells to the catalog's form.
sub plain {
  return map { s/`//gr =~ s/\\\|/|/gr } @_;
}

# If so, the extension creates no aggregates.
my $core_has_max = $node->safe_psql('postgres', q{SELECT to_regprocedure('pg_catalog.max(uuid)')}) ne '';

# Checks that the page's columns are exactly the result of a query.
sub same_as_catalog($columns, $query) {
  # The first cell can have several names.
  my @page = map { my ($names, @cells) = @$_; map { join '~', plain($_, @cells) } split /`, `/, $names }
    rows_of('doc/reference.md', @$columns);
  @page = grep { !/^(?:(?:min|max)\(uuid\)~|uuid_(?:min|max|minmax)_)/ } @page if $core_has_max;
  is_deeply([ sort @page ], [ sort split /\n/, $node->safe_psql('catalog', $query) ],
    "doc/reference.md, $columns->[0]: the rows are those of the catalog");
}

# doc/reference.md.
$node->safe_psql('postgres', 'CREATE DATABASE catalog');
$node->safe_psql('catalog', q{
  CREATE EXTENSION uuidx_compat CASCADE;
  CREATE VIEW member AS SELECT classid, objid FROM pg_depend
    JOIN pg_extension AS e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
      AND extname IN ('uuidx', 'uuidx_compat') AND deptype = 'e'
    -- Core's names, whoever has them.
    UNION SELECT 'pg_proc'::regclass, oid FROM pg_proc
      WHERE proname IN ('uuidv4', 'uuidv7', 'uuid_extract_timestamp');
  CREATE FUNCTION short(name text) RETURNS text LANGUAGE sql
    RETURN replace(name, 'timestamp with time zone', 'timestamptz');
  -- Immutable, strict and parallel safe go without saying.
  CREATE FUNCTION attributes(p pg_proc) RETURNS text LANGUAGE sql
    RETURN concat_ws(', ',
      CASE p.provolatile WHEN 's' THEN 'stable' WHEN 'v' THEN 'volatile' END,
      CASE WHEN NOT p.proisstrict THEN 'not strict' END,
      CASE p.proparallel WHEN 'r' THEN 'parallel restricted' WHEN 'u' THEN 'parallel unsafe' END,
      CASE WHEN p.proleakproof THEN 'leakproof' END)});
same_as_catalog([ 'function', 'result', 'attributes' ], q{
  SELECT format('%s(%s)~%s~%s', proname, short((
        SELECT string_agg(concat_ws(' ', quote_ident(proargnames[n]), format_type(type, NULL)), ', '
            ORDER BY n)
          FROM unnest(proargtypes) WITH ORDINALITY AS a (type, n))),
      short(pg_get_function_result(p.oid)), attributes(p))
    FROM member JOIN pg_proc AS p ON p.oid = objid AND classid = 'pg_proc'::regclass
    WHERE prokind = 'f' AND NOT EXISTS (SELECT FROM pg_operator WHERE oprcode = p.oid)
      -- The planner and aggregates call the others.
      AND coalesce(obj_description(p.oid, 'pg_proc'), '')
        !~ 'added to plans by the planner$'
      AND prorettype <> 'internal'::regtype AND 'internal'::regtype <> ALL (proargtypes)});
same_as_catalog([ 'column', 'type' ], q{
  SELECT format('%s~%s', name, short(format_type(type, NULL)))
    FROM member JOIN pg_proc AS p ON p.oid = objid AND classid = 'pg_proc'::regclass,
      unnest(proargnames, proargmodes, proallargtypes) AS a (name, mode, type)
    WHERE mode = 'o' AND proname = 'uuid_generator_state'});
my @formats = ($node->psql('catalog', q{SELECT uuid_encode(nil_uuid(), '')}))[2] =~ /"(\w+)"/g;
same_as_catalog([ 'format', 'length' ], q{
  SELECT format('%s~%s', format, concat_ws(' to ', min(length), nullif(max(length), min(length))))
  FROM unnest(string_to_array('FORMATS', ' ')) AS format, (VALUES (nil_uuid()), (max_uuid())) AS ids (id),
    LATERAL length(uuid_encode(id, format)) GROUP BY format} =~ s/FORMATS/@formats/r);
is($node->safe_psql('catalog', q{SELECT obj_description('uuid_encode'::regproc)}) =~ s/.*: //r,
  join(', ', @formats) =~ s/.*\K, / or /r, 'the comment of uuid_encode() lists the formats');
same_as_catalog(['operator'], q{
  SELECT short(format('%s %s %s', format_type(oprleft, NULL), oprname, format_type(oprright, NULL)))
    FROM member JOIN pg_operator AS o ON o.oid = objid AND classid = 'pg_operator'::regclass});
same_as_catalog([ 'aggregate', 'result' ], q{
  SELECT format('%s(%s)~%s', proname, pg_get_function_identity_arguments(p.oid), pg_get_function_result(p.oid))
    FROM member JOIN pg_proc AS p ON p.oid = objid AND classid = 'pg_proc'::regclass AND prokind = 'a'});
same_as_catalog([ 'domain', 'over' ], q{
  SELECT format('%s~%s', typname, format_type(typbasetype, NULL))
    FROM member JOIN pg_type AS t ON t.oid = objid AND classid = 'pg_type'::regclass
    WHERE typtype = 'd'});
same_as_catalog([ 'setting', 'type', 'unit', 'default', 'range', 'context' ], q{
  LOAD 'uuidx';
  SELECT concat_ws('~', name, replace(vartype, 'bool', 'boolean'), coalesce(unit, ''), boot_val,
      coalesce(min_val || ' to ' || max_val, 'on, off'), context)
    FROM pg_settings WHERE name LIKE 'uuidx.%'});

# SQLSTATEs by the names that the sources use.
my %state_of;
{
  my $header = slurp_file($node->config_data('--includedir-server') . '/utils/errcodes.h');
  while ($header =~ /#define (ERRCODE_\w+) MAKE_SQLSTATE\('(.)','(.)','(.)','(.)','(.)'\)/g) {
    $state_of{$1} //= "$2$3$4$5$6";
  }
}

my $literal = qr/"(?:[^"\\]|\\.)*"/;

# Converts a C format string to the page's form, with … for arguments.
sub message_of($literals) {
  my $text = join '', map { substr $_, 1, -1 } $literals =~ /$literal/g;
  $text =~ s/%[-+ 0#]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh?|ll?|z|j|t)?[a-zA-Z]/…/g;
  return $text =~ s/\\(.)/$1/gr;
}

# The SQLSTATE of each message in the sources; "errno" if it depends on the operating system's error. Those of elog()
# should not occur.
my %raised;
my $raises = 0;
for my $path (glob 'src/{*,*/*,*/*/*}/*.cpp') {
  my $source = slurp_file($path) =~ s{//[^\n]*}{}gr;
  $raises += () = $source =~ /\bereport\s*\(/g;
  while ($source =~ /\bereport(\((?:[^()"]++|$literal|(?1))*\))/g) {
    my $call = $1;
    my ($code) = $call =~ /\berrcode\((\w+)\)/;
    my ($message) = map { message_of($_) } $call =~ /\berrmsg\(\s*((?:$literal\s*)+)/;
    $raised{$message} = defined $code ? $state_of{$code}
      : $call =~ /errcode_for_file_access/ ? 'errno'
      : $call =~ /\(\s*LOG(?:_SERVER_ONLY)?,/ ? '00000' : '01000';
    --$raises;
  }
  while ($source =~ /\belog\((?!ERROR)\w+,\s*($literal)/g) { $raised{ message_of($1) } = 'XX000' }
}
is($raises, 0, 'every message of the sources is found');

# Each is in one row of doc/troubleshooting.md, which can have several messages.
{
  my $page = 'doc/troubleshooting.md';
  my @rows = map { [ [ $_->[0] =~ /`([^`]+)`/g ], $_->[1] ] } rows_of($page, 'message', 'SQLSTATE');
  for my $message (sort keys %raised) {
    my $text = $message =~ s/file "…"(?:: …)?/file "uuidx.mark"/r;
    my @found = grep { grep { $_ eq $text } @{ $_->[0] } } @rows;
    is(scalar @found, 1, "$page: one row has the message $message");
    my $state = $raised{$message};
    like(join(' ', map { $_->[1] } @found), qr/`$state`/, "$page: the SQLSTATE of $message") if $state ne 'errno';
  }
}

# The expression of doc/operate.md for alerts finds every message for administrators, and nothing in the log of a start.
{
  my ($alert) = slurp_file('doc/operate.md') =~ /^```\n([^\n]*uuidx[^\n]*)\n```$/m or die;
  like($start, qr/with ID 178$/m, 'a preloaded server mentions uuidx when it starts');
  unlike($start, qr/$alert/, 'doc/operate.md: the alert is silent when a server starts');
  # Each start reports where the server clock continues.
  my @theirs =
    grep { /system clock|incompatible version/ || $raised{$_} !~ /^(?:0A|2[23]|39|42|5[345])/ && !/continues above/ }
    sort keys %raised;
  like($_ =~ s/file "…"/file "uuidx.mark"/r, qr/$alert/, "doc/operate.md: the alert finds $_")
    for @theirs, 'resource manager with ID 178 not registered';
}

done_testing();
