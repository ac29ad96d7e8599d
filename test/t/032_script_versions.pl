# Versions of the extension: an upgraded one has the same objects as a fresh one, and libraries and scripts of
# different versions work together or report what is missing. Scripts and libraries are installed in a copy of
# PostgreSQL, as others use the original.

use strict;
use warnings FATAL => 'all';

use File::Basename;
use File::Copy;
use File::Path;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $copy = PostgreSQL::Test::Utils::tempdir() . '/installation';
my %dir;
for my $kind (qw(bindir pkglibdir sharedir)) {
  chomp($dir{$kind} = `pg_config --$kind`);
}

# Copies or links all files of a folder into the same folder of the copy.
sub take_over {
  my ($folder, $is_copied, $is_left_out) = @_;
  mkpath("$copy$folder");
  for my $file (glob("$folder/*")) {
    my $name = basename($file);
    next if $is_left_out && $name =~ $is_left_out;
    if ($name =~ $is_copied) {
      copy($file, "$copy$file") && chmod((stat $file)[2] & 0777, "$copy$file") or die "$file: $!";
    }
    else {
      symlink($file, "$copy$file") or die "$file: $!";
    }
  }
  return;
}

# The server finds its files relative to its program; a link would lead back.
take_over($dir{bindir},               qr/^(?:postgres|pg_ctl|initdb)$/);
take_over($dir{pkglibdir},            qr/^uuidx\.so$/);
take_over($dir{sharedir},             qr/^$/, qr/^extension$/);
take_over("$dir{sharedir}/extension", qr/^uuidx(?:--.*\.sql|\.control)$/);

my $scripts = "$copy$dir{sharedir}/extension";
my $library = slurp_file("$copy$dir{pkglibdir}/uuidx.so");

# Replaces a file atomically: a library may be in use.
sub put {
  my ($file, $content) = @_;
  open(my $handle, '>:raw', "$file.new") or die "$file.new: $!";
  print $handle $content;
  close($handle) or die "$file.new: $!";
  rename("$file.new", $file) or die "$file: $!";
  return;
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
  put("$copy$dir{pkglibdir}/uuidx.so", $content);
  return;
}

my $node = PostgreSQL::Test::Cluster->new('versions', install_path => "$copy$dir{bindir}" =~ s{/bin$}{}r);
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\ntimezone = 'UTC'\n");
$node->start;
my $program = $node->safe_psql('postgres',
  q{SELECT pg_read_file('postmaster.opts') ~ '/installation/'});
is($program, 't', 'the server is that of the copy');
# Then the extension creates no aggregates.
my $core_has_max = $node->safe_psql('postgres', q{SELECT to_regprocedure('pg_catalog.max(uuid)')}) ne '';

# The extension in the catalogs, a line for each property of each object. Whole rows, with names instead of
# OIDs, so that no column is forgotten.
my $facts = q{
LOAD 'uuidx';
SET search_path = pg_catalog;
WITH extension AS (
    SELECT * FROM pg_extension WHERE extname = 'uuidx'),
member AS (
    SELECT d.classid, d.objid FROM pg_depend AS d, extension AS e
    WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid),
type AS (
    -- Arrays of its domains are members of their own from PostgreSQL 17 on.
    SELECT t.* FROM pg_type AS t
    WHERE EXISTS (SELECT FROM member
      WHERE classid = 'pg_type'::regclass AND objid IN (t.oid, t.typelem))),
family AS (
    SELECT f.* FROM pg_opfamily AS f, member AS m
    WHERE m.classid = 'pg_opfamily'::regclass AND m.objid = f.oid),
object (name, facts) AS (
    SELECT 'extension', to_jsonb(e) - '{oid}'::text[]
      || jsonb_build_object('extowner', extowner::regrole, 'extnamespace', extnamespace::regnamespace,
        'extconfig', extconfig::regclass[])
    FROM extension AS e
  UNION ALL
    SELECT 'function ' || p.oid::regprocedure, to_jsonb(p) - '{oid}'::text[]
      || jsonb_build_object('pronamespace', pronamespace::regnamespace, 'proowner', proowner::regrole,
        'prolang', (SELECT lanname FROM pg_language AS l WHERE l.oid = prolang),
        'provariadic', provariadic::regtype, 'prosupport', prosupport::oid::regprocedure,
        'prorettype', prorettype::regtype, 'proargtypes', oidvectortypes(proargtypes),
        'proallargtypes', proallargtypes::regtype[], 'protrftypes', protrftypes::regtype[],
        'proargdefaults', pg_get_function_arguments(p.oid), 'prosqlbody', pg_get_function_sqlbody(p.oid))
    FROM pg_proc AS p, member AS m WHERE m.classid = 'pg_proc'::regclass AND m.objid = p.oid
  UNION ALL
    SELECT 'aggregate ' || aggfnoid::regprocedure, to_jsonb(a)
      || jsonb_build_object('aggfnoid', aggfnoid::regprocedure, 'aggsortop', aggsortop::regoperator,
        'aggtranstype', aggtranstype::regtype, 'aggmtranstype', aggmtranstype::regtype)
    FROM pg_aggregate AS a, member AS m WHERE m.classid = 'pg_proc'::regclass AND m.objid = aggfnoid
  UNION ALL
    SELECT 'operator ' || o.oid::regoperator, to_jsonb(o) - '{oid}'::text[]
      || jsonb_build_object('oprnamespace', oprnamespace::regnamespace, 'oprowner', oprowner::regrole,
        'oprleft', oprleft::regtype, 'oprright', oprright::regtype, 'oprresult', oprresult::regtype,
        'oprcom', oprcom::regoperator, 'oprnegate', oprnegate::regoperator)
    FROM pg_operator AS o, member AS m WHERE m.classid = 'pg_operator'::regclass AND m.objid = o.oid
  UNION ALL
    SELECT 'type ' || t.oid::regtype, to_jsonb(t) - '{oid,typdefaultbin}'::text[]
      || jsonb_build_object('typnamespace', typnamespace::regnamespace, 'typowner', typowner::regrole,
        'typelem', typelem::regtype, 'typarray', typarray::regtype, 'typbasetype', typbasetype::regtype,
        'typcollation', typcollation::regcollation)
    FROM type AS t
  UNION ALL
    SELECT format('constraint %s of %s', conname, t.oid::regtype),
      jsonb_build_object('definition', pg_get_constraintdef(c.oid), 'validated', convalidated)
    FROM pg_constraint AS c JOIN type AS t ON t.oid = contypid
  UNION ALL
    SELECT format('cast %s AS %s', castsource::regtype, casttarget::regtype),
      to_jsonb(c) - '{oid}'::text[] || jsonb_build_object('castsource', castsource::regtype,
        'casttarget', casttarget::regtype, 'castfunc', castfunc::regprocedure)
    FROM pg_cast AS c, member AS m WHERE m.classid = 'pg_cast'::regclass AND m.objid = c.oid
  UNION ALL
    SELECT pg_describe_object('pg_opclass'::regclass, c.oid, 0), to_jsonb(c) - '{oid}'::text[]
      || jsonb_build_object('opcmethod', (SELECT amname FROM pg_am AS a WHERE a.oid = opcmethod),
        'opcnamespace', opcnamespace::regnamespace, 'opcowner', opcowner::regrole,
        'opcfamily', pg_describe_object('pg_opfamily'::regclass, opcfamily, 0),
        'opcintype', opcintype::regtype, 'opckeytype', opckeytype::regtype)
    FROM pg_opclass AS c, member AS m WHERE m.classid = 'pg_opclass'::regclass AND m.objid = c.oid
  UNION ALL
    SELECT pg_describe_object('pg_opfamily'::regclass, f.oid, 0), jsonb_build_object(
        'opfowner', opfowner::regrole,
        'operators', (SELECT jsonb_agg(pg_describe_object('pg_amop'::regclass, o.oid, 0) ORDER BY 1)
          FROM pg_amop AS o WHERE amopfamily = f.oid),
        'functions', (SELECT jsonb_agg(pg_describe_object('pg_amproc'::regclass, o.oid, 0) ORDER BY 1)
          FROM pg_amproc AS o WHERE amprocfamily = f.oid))
    FROM family AS f
  UNION ALL
    SELECT 'event trigger ' || evtname, to_jsonb(t) - '{oid}'::text[]
      || jsonb_build_object('evtowner', evtowner::regrole, 'evtfoid', evtfoid::regprocedure)
    FROM pg_event_trigger AS t, member AS m
    WHERE m.classid = 'pg_event_trigger'::regclass AND m.objid = t.oid
  UNION ALL
    SELECT 'setting ' || s.name, to_jsonb(s) FROM pg_settings AS s WHERE s.name LIKE 'uuidx.%')
SELECT format('%s: %s = %s', name, key, value) COLLATE "C" FROM object, jsonb_each_text(facts)
UNION ALL
SELECT format('%s: comment = %s', pg_describe_object(classoid, objoid, objsubid), description)
FROM pg_description AS d, member AS m WHERE (d.classoid, d.objoid) = (m.classid, m.objid)
UNION ALL
SELECT format('%s: depends on %s (%s)', pg_describe_object(d.classid, d.objid, d.objsubid),
    pg_describe_object(refclassid, refobjid, refobjsubid), deptype)
FROM pg_depend AS d, member AS m WHERE (d.classid, d.objid) = (m.classid, m.objid)
UNION ALL
SELECT format('%s: initial rights = %s', pg_describe_object(classoid, objoid, objsubid), initprivs)
FROM pg_init_privs AS p, member AS m WHERE (p.classoid, p.objoid) = (m.classid, m.objid)
UNION ALL
-- A kind of object that an extension has not had yet is to be added above.
SELECT 'not compared: ' || pg_describe_object(classid, objid, 0) FROM member
WHERE classid NOT IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass, 'pg_cast'::regclass,
    'pg_opclass'::regclass, 'pg_opfamily'::regclass, 'pg_event_trigger'::regclass)
  OR classid = 'pg_type'::regclass AND objid NOT IN (SELECT oid FROM pg_type WHERE typtype IN ('b', 'd'))
ORDER BY 1};

# Runs statements in a test's database and returns the extension's properties, or the error.
sub facts_after {
  my ($statements) = @_;
  my ($code, $output, $message) =
    $node->psql('postgres', "DROP EXTENSION IF EXISTS uuidx CASCADE;\n$statements;\n$facts");
  return $code == 0 ? $output : $message;
}

# Returns the lines in which two such texts differ.
sub difference {
  my ($is, $should) = @_;
  my %count;
  $count{$_}++ for split /\n/, $is;
  $count{$_}-- for split /\n/, $should;
  return join "\n", sort map { ($count{$_} > 0 ? '+ ' : '- ') . $_ } grep { $count{$_} } keys %count;
}

my ($default) = slurp_file("$scripts/uuidx.control") =~ /^default_version = '(.*)'/m;
my $new = facts_after('CREATE EXTENSION uuidx');
like($new, qr/^extension: extversion = \Q$default\E$/m, 'fresh installation');
unlike($new, qr/^not compared:/m, 'all properties are compared');
is(difference(facts_after('CREATE EXTENSION uuidx'), $new), '', 'the properties are reproducible');

# A fictitious earlier version: the newest script with some objects less, one more, and two changed; and its
# upgrade script.
my @versions = map { m{/uuidx--((?:(?!--).)+)\.sql$} } glob("$scripts/uuidx--*.sql");
my $base = (grep { $_ eq $default } @versions) ? $default : (sort @versions)[-1];
my @statements = slurp_file("$scripts/uuidx--$base.sql") =~ /((?:\$\$.*?\$\$|.)*?;)\n/gs;

# Without comments, which may name other objects.
sub bare { return $_[0] =~ s/^(?:--|\\echo).*\n?//gmr }

my $is_later =
  qr/\buuid_(?:encode|decode)\(|\buuid_time_ranges\b|^REVOKE|^COMMENT ON FUNCTION uuid_v4\(|_create_aggregates\(/m;
my ($old_script, $upgrade) = ('', "DROP FUNCTION uuid_former();\n");
for my $statement (@statements) {
  my $bare = bare($statement);
  if ($bare =~ $is_later) {
    $upgrade .= "$bare\n";
  }
  elsif ($bare =~ /CREATE FUNCTION uuid_v4\(\)/) {
    $upgrade .= $bare =~ s/CREATE FUNCTION/CREATE OR REPLACE FUNCTION/r . "\n";
    $old_script .= $statement =~ s/VOLATILE STRICT/STABLE COST 7/r . "\n";
  }
  else {
    $old_script .= "$statement\n";
  }
}
$old_script .= q{CREATE FUNCTION uuid_former() RETURNS uuid LANGUAGE sql RETURN uuid_v4();};
put("$scripts/uuidx--0.9.sql",        $old_script);
put("$scripts/uuidx--0.9--$base.sql", $upgrade);

# A fictitious later version, in which every object has another comment. Its script may find names that core has, too,
# before those of the extension, unless it changes the search_path; and it may find no aggregates.
my $condition = q{to_regprocedure('pg_catalog.max(pg_catalog.uuid)') IS};
my $later_script = join("\n", @statements) =~ s/COMMENT ON [^']*? IS\s+'\K/later /gr;
my $comments = join "\n", $later_script =~ /^(COMMENT ON .*?';)$/gms;
my $aggregate_comments = join "\n", $later_script =~ /^ +(COMMENT ON .*?';)$/gms;
put("$scripts/uuidx--99.sql", "$later_script\n");
put("$scripts/uuidx--$base--99.sql", qq{
  SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_catalog', true);
  $comments
  CREATE FUNCTION uuidx_comment() RETURNS void LANGUAGE sql AS \$\$$aggregate_comments\$\$;
  SELECT uuidx_comment() WHERE to_regprocedure('uuid_max_transfn(internal, uuid)') IS NOT NULL;
  DROP FUNCTION uuidx_comment();} =~ s/uuidx_extract_version/uuid_extract_version/r);

# Every upgrade path.
my @paths = split /\n/, $node->safe_psql('postgres', q{
  SELECT source, target FROM pg_extension_update_paths('uuidx') WHERE path IS NOT NULL ORDER BY 1, 2});
cmp_ok(scalar @paths, '>', 0, 'there are upgrade paths');
like(join(' ', @paths), qr/^0\.9\|\Q$base\E/, 'the upgrade path of the test exists');
for my $path (@paths) {
  my ($source, $target) = split /\|/, $path;
  my $installed = facts_after("CREATE EXTENSION uuidx VERSION '$target'");
  my $upgraded = facts_after(
    "CREATE EXTENSION uuidx VERSION '$source'; ALTER EXTENSION uuidx UPDATE TO '$target'");
  like($installed, qr/^extension: extversion = \Q$target\E$/m, "$target is installed");
  is(difference($upgraded, $installed), '', "$source to $target: like a fresh installation");

  # After pg_upgrade to PostgreSQL 20 there are aggregates, which a fresh installation there lacks. So upgrades must
  # work with and without them, on every server.
  my $file = "$scripts/uuidx--$source.sql";
  my $script = -e $file ? slurp_file($file) : '';
  next if $script !~ /\Q$condition\E NULL/;
  put($file, $script =~ s/\Q$condition\E \KNULL/NOT NULL/r);
  my $found = difference(
    facts_after("CREATE EXTENSION uuidx VERSION '$source'; ALTER EXTENSION uuidx UPDATE TO '$target'"), $installed);
  put($file, $script);
  my $sign = $core_has_max ? qr/^\+/m : qr/^-/m;
  like($found, qr/$sign aggregate public\.max\(uuid\): aggtransspace = /m,
    "$source to $target: aggregates remain if a fresh installation has none, and the reverse");
  my $aggregate = qr/public\.(?:min|max)\(uuid\)|uuid_(?:min|max|minmax)_/;
  is(join("\n", grep { !/$sign .*?\b$aggregate/ } split /\n/, $found), '',
    "$source to $target: otherwise like a fresh installation");
}
# The versions differ, otherwise the comparison would prove little.
my $differences = () = difference(facts_after("CREATE EXTENSION uuidx VERSION '0.9'"), $new) =~ /\n/g;
cmp_ok($differences, '>', 200, '0.9 and its upgraded version differ');

# Every object of the script is compared, and the later version changes it. The aggregates' statements are indented.
my $right  = facts_after("CREATE EXTENSION uuidx VERSION '$base'");
my $indent = $core_has_max ? '' : ' *';
my $objects = () = join("\n", @statements) =~ /^${indent}CREATE (?!FUNCTION uuidx_create)/mg;
is(scalar(() = $right =~ /: comment = /g), $objects, 'every object of the script is compared');
my $changed = difference(facts_after(q{CREATE EXTENSION uuidx VERSION '99'}), $right);
is(scalar(() = $changed =~ /^\+ .*: comment = later /mg), $objects, 'the later version changes every object');

# The comparison detects each mistake in an upgrade script.
my $number = 0;
for my $mistake (
  [ 'a function is missing', qr/CREATE FUNCTION uuid_encode\(.*?;\nCOMMENT.*?;\n/s, '',
    qr/^- function public\.uuid_encode\(uuid,text\): proname = uuid_encode$/m ],
  [ 'a function is left', qr/DROP FUNCTION uuid_former\(\);\n/, '',
    qr/^\+ function public\.uuid_former\(\): proname/m ],
  [ 'another volatility', qr/IMMUTABLE STRICT(?= PARALLEL SAFE\n    AS 'MODULE_PATHNAME', 'uuidx_encode')/,
    'STABLE STRICT', qr/^\+ .*uuid_encode.*: provolatile = s$/m ],
  [ 'strict is missing', qr/IMMUTABLE STRICT(?= PARALLEL SAFE\n    AS 'MODULE_PATHNAME', 'uuidx_encode')/,
    'IMMUTABLE', qr/^\+ .*uuid_encode.*: proisstrict = false$/m ],
  [ 'not parallel safe', qr/PARALLEL SAFE(?=\n    AS 'MODULE_PATHNAME', 'uuidx_encode')/, '',
    qr/^\+ .*uuid_encode.*: proparallel = u$/m ],
  [ 'not leakproof',
    qr/LEAKPROOF(?= PARALLEL SAFE SUPPORT uuid_time_range_support\s+AS \S+ 'uuidx_contained_by_time_ranges')/,
    '',
    qr/^\+ .*uuid_contained_by_time_ranges.*: proleakproof = false$/m ],
  [ 'no planner support',
    qr/SUPPORT uuid_time_range_support(?=\n    AS 'MODULE_PATHNAME', 'uuidx_time_ranges_contain_uuid')/,
    '', qr/^\+ .*time_ranges_contain_uuid.*: prosupport = -$/m ],
  [ 'another cost', qr/PARALLEL SAFE(?=\n    AS 'MODULE_PATHNAME', 'uuidx_v4')/, 'PARALLEL SAFE COST 7',
    qr/^\+ .*uuid_v4\(\): procost = 7$/m ],
  [ 'other rows', qr/\z/, 'CREATE OR REPLACE FUNCTION uuid_generator_state(OUT scope text, OUT last_time timestamptz,
      OUT clock_lead interval, OUT generated bigint, OUT clock_set_back bigint, OUT max_set_back interval,
      OUT pool_refills bigint, OUT high_water_mark timestamptz, OUT persistence text, OUT since timestamptz)
      RETURNS SETOF record LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 3
      AS \'MODULE_PATHNAME\', \'uuidx_generator_state\';',
    qr/^\+ .*uuid_generator_state\(\): prorows = 3$/m ],
  [ 'another function of the library', qr/'uuidx_encode'/, q{'uuidx_decode'},
    qr/^\+ .*uuid_encode.*: prosrc = uuidx_decode$/m ],
  [ 'another name of an argument', qr/uuid_encode\(id uuid/, 'uuid_encode(key uuid',
    qr/^\+ .*uuid_encode.*: proargnames = \["key", "format"\]$/m ],
  [ 'a default of an argument', qr/format text\) RETURNS text/, q{format text DEFAULT 'ulid') RETURNS text},
    qr/^\+ .*uuid_encode.*: pronargdefaults = 1$/m ],
  [ 'a setting of a function', qr/\z/, 'ALTER FUNCTION uuid_encode(uuid, text) SET search_path = public;',
    qr/^\+ .*uuid_encode.*: proconfig = /m ],
  [ 'another body', qr/\z/, 'CREATE OR REPLACE FUNCTION uuid_lt_timestamptz(id uuid, "time" timestamptz) RETURNS boolean
      LANGUAGE sql IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE RETURN id OPERATOR(pg_catalog.<=) uuid_v7_min("time");',
    qr/^\+ .*uuid_lt_timestamptz.*: prosqlbody = /m ],
  [ 'a comment is missing', qr/COMMENT ON FUNCTION uuid_encode.*?;\n/s, '',
    qr/^- function public\.uuid_encode.*: comment = /m ],
  [ 'another comment', qr/COMMENT ON FUNCTION uuid_decode.*?IS\n *'\K/s, 'other ',
    qr/^\+ function public\.uuid_decode.*: comment = other /m ],
  [ 'a comment of an operator is missing', qr/COMMENT ON OPERATOR <@ \(uuid, uuid_time_ranges\).*?;\n/s, '',
    qr/^- operator \S*<@\(uuid,public\.uuid_time_ranges\): comment = /m ],
  [ 'rights are not taken', qr/REVOKE[^;]*;\n/, '',
    qr/^\+ .*uuid_v7_advance\(uuid\): proacl = \n.*^- .*uuid_v7_advance\(uuid\): initial rights = /ms ],
  [ 'rights are given', qr/\z/, 'GRANT USAGE ON TYPE uuid_time_range TO PUBLIC;
      REVOKE USAGE ON TYPE uuid_time_ranges FROM PUBLIC;',
    qr/^\+ type public\.uuid_time_ranges: typacl/m ],
  [ 'no estimate of an operator',
    qr/, RESTRICT = uuid_time_range_sel(?=, JOIN = areajoinsel\n\);\nCOMMENT ON OPERATOR <@)/,
    '', qr/^\+ operator .*<@.*: oprrest = -$/m ],
  [ 'no estimate of a join', qr/, JOIN = areajoinsel(?=\n\);\nCOMMENT ON OPERATOR <@)/, '',
    qr/^\+ operator .*<@.*: oprjoin = -$/m ],
  [ 'no commutator', qr/COMMUTATOR = (?:@>|<@),/, '', qr/^\+ operator .*: oprcom = 0$/m ],
  [ 'a domain that is not null', qr/CREATE DOMAIN uuid_time_ranges AS tstzmultirange/,
    'CREATE DOMAIN uuid_time_ranges AS tstzmultirange NOT NULL',
    qr/^\+ type public\.uuid_time_ranges: typnotnull = true$/m ],
  [ 'a domain with a default', qr/CREATE DOMAIN uuid_time_ranges AS tstzmultirange/,
    q{CREATE DOMAIN uuid_time_ranges AS tstzmultirange DEFAULT '{}'},
    qr/^\+ type public\.uuid_time_ranges: typdefault = /m ],
  [ 'a domain with a constraint', qr/\z/,
    'ALTER DOMAIN uuid_time_range ADD CONSTRAINT stated CHECK (NOT isempty(VALUE));',
    qr/^\+ constraint stated of public\.uuid_time_range: definition = /m ],
  $core_has_max ? () : (
    [ 'an aggregate without its index', qr/SORTOP = OPERATOR\(pg_catalog\.>\),\n/, '',
      qr/^\+ aggregate public\.max\(uuid\): aggsortop = 0$/m ],
    [ 'an aggregate that does not combine', qr/COMBINEFUNC = uuid_max_combine,\n/, '',
      qr/^\+ aggregate public\.max\(uuid\): aggcombinefn = -$/m ]),
  [ 'a cast', qr/\z/, 'CREATE CAST (uuid AS name) WITH INOUT AS ASSIGNMENT;', qr/^\+ cast uuid AS name: /m ],
  [ 'an operator class', qr/\z/, 'CREATE OPERATOR CLASS by_value FOR TYPE uuid USING btree
      AS OPERATOR 1 <, FUNCTION 1 uuid_cmp(uuid, uuid);',
    qr/^\+ operator class public\.by_value for .*: opcintype = uuid\n.*^\+ operator family .*: operators = /ms ],
  [ 'an event trigger', qr/\z/, q{CREATE FUNCTION uuid_watch() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
      CREATE EVENT TRIGGER uuid_watch ON sql_drop EXECUTE FUNCTION uuid_watch();},
    qr/^\+ event trigger uuid_watch: evtevent = sql_drop$/m ],
  [ 'an object that belongs to nobody', qr/\z/, 'ALTER EXTENSION uuidx DROP FUNCTION uuid_encode(uuid, text);',
    qr/^- function public\.uuid_encode\(uuid,text\): proname = uuid_encode$/m ],
  [ 'a table, which nothing compares', qr/\z/, 'CREATE TABLE uuid_kept (id uuid);',
    qr/^\+ not compared: table public\.uuid_kept$/m ])
{
  my ($what, $pattern, $replacement, $seen) = @$mistake;
  my $wrong = $upgrade;
  ok($wrong =~ s/$pattern/$replacement/g, "$what: the script is changed");
  # Each from a different version.
  my $version = 'wrong' . ++$number;
  put("$scripts/uuidx--$version.sql",        $old_script);
  put("$scripts/uuidx--$version--$base.sql", $wrong);
  my $upgraded = facts_after(
    "CREATE EXTENSION uuidx VERSION '$version'; ALTER EXTENSION uuidx UPDATE TO '$base'");
  like(difference($upgraded, $right), $seen, "$what: detected");
  $node->safe_psql('postgres', 'DROP EXTENSION uuidx CASCADE; DROP FUNCTION IF EXISTS uuid_encode(uuid, text)');
  unlink("$scripts/uuidx--$version.sql", "$scripts/uuidx--$version--$base.sql");
}

# Libraries of other versions. CREATE FUNCTION's check finds missing functions.
$node->safe_psql('postgres', q{
  CREATE EXTENSION uuidx;
  CREATE FUNCTION lost() RETURNS SETOF text LANGUAGE plpgsql AS $$
  DECLARE f record;
  BEGIN
    FOR f IN SELECT oid FROM pg_proc WHERE probin LIKE '%uuidx' ORDER BY oid::regprocedure::text COLLATE "C" LOOP
      BEGIN
        PERFORM fmgr_c_validator(f.oid);
      EXCEPTION WHEN undefined_function THEN
        RETURN NEXT f.oid::regprocedure || ': ' || SQLERRM;
      END;
    END LOOP;
  END $$;
  CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), body text,
    made_at timestamptz GENERATED ALWAYS AS (uuid_extract_time(id)) STORED);
  CREATE TABLE log (id uuid PRIMARY KEY, body text) PARTITION BY RANGE (id);
  CREATE TABLE log_1 PARTITION OF log FOR VALUES FROM (MINVALUE) TO (uuid_v7_min('2024-02-01'));
  CREATE TABLE log_2 PARTITION OF log FOR VALUES FROM (uuid_v7_min('2024-02-01')) TO (MAXVALUE);
  INSERT INTO event SELECT uuid_v7_at(timestamptz '2024-01-01' + n * interval '1 hour')
    FROM generate_series(0, 1999) AS n;
  INSERT INTO log SELECT id FROM event;
  CREATE TABLE time_range (p tstzrange, m tstzmultirange);
  INSERT INTO time_range SELECT p, tstzmultirange(p, '[2024-03-01,2024-03-02)')
    FROM (VALUES (tstzrange '[2024-01-31,2024-02-02)')) AS v (p);
  ANALYZE});
my $start = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
is($node->safe_psql('postgres', 'SELECT lost()'), '', 'the library has all functions');
my %named = map { split /\|/ } split /\n/, $node->safe_psql('postgres', q{
  SELECT prosrc, string_agg(oid::regprocedure::text, ',' ORDER BY oid::regprocedure::text COLLATE "C")
  FROM pg_proc WHERE probin LIKE '%uuidx' GROUP BY 1});
cmp_ok(scalar keys %named, '>', 50, 'functions of the library');
my @wrong;
for my $name (sort keys %named) {
  put_library($name);
  my $lost = join ',', map { /^(.*): could not find function "$name" in file ".*\/uuidx\.so"$/ ? $1 : $_ }
    split /\n/, $node->safe_psql('postgres', 'SELECT lost()');
  # By signature, as names of types have commas, too.
  push @wrong, "$name: $lost" if $lost ne $named{$name};
}
is(join("\n", @wrong), '', 'the error of each missing function names it, and no other function fails');

# A call reports what is missing in every context, and the session continues with the rest.
for my $case (
  [ 'a call',              'uuidx_encode',             q{SELECT uuid_encode(id, 'ulid') FROM event} ],
  [ 'a default',           'uuidx_v7',                 q{INSERT INTO event (body) VALUES ('x')} ],
  [ 'a generated column',  'uuidx_extract_time',       q{INSERT INTO event (id) VALUES (uuid_v4())} ],
  [ 'an operator',         'uuidx_v7_min',             q{SELECT * FROM event WHERE id >= timestamptz '2024-02-01'} ],
  [ 'a prepared operator', 'uuidx_v7_max',
    q{PREPARE q(timestamptz) AS SELECT * FROM event WHERE id > $1; EXECUTE q('2024-02-01')} ],
  [ 'planner support',     'uuidx_time_range_support',
    q{SELECT * FROM event WHERE id <@ tstzrange '[2024-02-01,2024-02-02)'} ],
  [ 'an estimate',         'uuidx_time_range_sel',
    q{SELECT * FROM event WHERE id <@ tstzrange '[2024-02-01,2024-02-02)'} ],
  [ 'a filter',            'uuidx_contained_by_time_range',
    q{SET enable_indexscan = off; SET enable_bitmapscan = off;
      SELECT * FROM event WHERE id <@ tstzrange '[2024-02-01,2024-02-02)'} ],
  [ 'a bound in a plan',   'uuidx_v7_lower_tstzrange',           q{SELECT * FROM log, time_range WHERE id <@ p} ],
  $core_has_max ? () :
    [ 'an aggregate',      'uuidx_max_transfn',        q{SET enable_indexscan = off; SET enable_indexonlyscan = off;
      SELECT max(id) FROM event} ],
  [ 'rows',                'uuidx_generator_state',    q{SELECT * FROM uuid_generator_state()} ])
{
  my ($what, $name, $sql) = @$case;
  put_library($name);
  my ($code, $output, $message) = $node->psql('postgres',
    "\\set VERBOSITY verbose\n$sql;\nSELECT 'still ' || uuid_v5(nil_uuid(), 'x')", on_error_stop => 0);
  like($message, qr/ERROR:  42883: could not find function "$name" in file "\S+\/uuidx\.so"/,
    "$what without $name: the error names it");
  like($output, qr/^still [0-9a-f-]{36}$/, "$what without $name: the rest works");
}

# A missing library, and a damaged one.
unlink("$copy$dir{pkglibdir}/uuidx.so") or die "uuidx.so: $!";
my $call = q{SELECT uuid_v7()};
like(($node->psql('postgres', $call))[2], qr/ERROR:  could not access file "uuidx"/, 'a missing library is an error');
put("$copy$dir{pkglibdir}/uuidx.so", substr($library, 0, 100));
like(($node->psql('postgres', $call))[2], qr/ERROR:  could not load library "\S+\/uuidx\.so": /,
  'a truncated library is an error');
put_library();
like($node->safe_psql('postgres', $call), qr/^[0-9a-f-]{36}$/, 'a session works when the library is back');

# CREATE EXTENSION and ALTER EXTENSION with a library that is too old have no effect.
put_library('uuidx_encode');
$node->safe_psql('postgres', 'CREATE DATABASE other');
like(($node->psql('other', 'CREATE EXTENSION uuidx'))[2], qr/ERROR:  could not find function "uuidx_encode" in file/,
  'CREATE EXTENSION with an older library');
is($node->safe_psql('other', q{
    SELECT count(*) FROM pg_extension WHERE extname = 'uuidx';
    SELECT count(*) FROM pg_proc WHERE probin LIKE '%uuidx'}),
  "0\n0", 'CREATE EXTENSION with an older library leaves nothing behind');
$node->safe_psql('other', q{CREATE EXTENSION uuidx VERSION '0.9'});
like(($node->psql('other', "ALTER EXTENSION uuidx UPDATE TO '$base'"))[2],
  qr/ERROR:  could not find function "uuidx_encode" in file/, 'ALTER EXTENSION with an older library');
is($node->safe_psql('other', q{
    SELECT extversion, uuid_extract_version(uuid_former()), to_regproc('uuid_encode') IS NULL
    FROM pg_extension WHERE extname = 'uuidx'}),
  '0.9|4|t', 'ALTER EXTENSION with an older library has no effect');
put_library();

# The results of the queries below with a complete installation.
my @questions = (
  'SELECT count(*), min(id) FROM event, time_range WHERE id <@ p',
  'SELECT count(*), min(id) FROM log, time_range WHERE id <@ p',
  'SELECT count(*), min(id) FROM event, time_range WHERE m @> id',
  'SELECT count(*), min(id) FROM log, time_range WHERE id <@ m',
  map { my $time_range = $_; map { "SELECT count(*), min(id) FROM $_ WHERE id <@ $time_range" } 'event', 'log' }
    q{tstzrange '[2024-01-31,2024-02-02)'}, q{tstzrange(now() - interval '100 years', now())},
    q{tstzmultirange '{[2024-01-31,2024-02-02),[2024-03-01,2024-03-02)}'},
    q{tstzmultirange(tstzrange(now() - interval '100 years', now()))},
    q{(SELECT range_agg(tstzrange(t, t + interval '1 hour'))
      FROM generate_series(timestamptz '2024-01-01', '2024-01-10', '2 hours') AS t)});
my $all = join ';', @questions;
my $answers = $node->safe_psql('postgres', $all);
is(scalar(split /\n/, $answers), scalar @questions, 'results of a complete installation');
like($answers, qr/^48\|/, 'one result of a complete installation is the known one');

# Scripts older than the library: their objects work, and the planner does without the functions that it would
# use in plans.
is($node->safe_psql('other', q{
    SELECT count(DISTINCT v)
    FROM (VALUES (uuid_v1()), (uuid_v4()), (uuid_v6()), (uuid_v7()), (uuid_v8_node(3))) AS s (v)}),
  '5', '0.9 with the library of today');
for my $missing ('uuid_recheck_time_ranges', 'uuid_v7_lower', 'uuid_v7_upper',
  'uuid_(?:recheck_time_ranges|v7_lower|v7_upper)')
{
  my $less = join '', map { "$_\n" } grep { bare($_) !~ /FUNCTION $missing\(/ } @statements;
  put("$scripts/uuidx--less.sql", $less);
  $node->safe_psql('postgres', 'DROP DATABASE IF EXISTS less');
  $node->safe_psql('postgres', 'CREATE DATABASE less');
  $node->safe_psql('less', q{CREATE EXTENSION uuidx VERSION 'less'});
  is($node->safe_psql('less', "SELECT count(*) FROM pg_proc WHERE proname ~ '^$missing\$'"),
    '0', "SQL without $missing");
  # With the rows of the other database.
  my $dump = PostgreSQL::Test::Utils::tempdir . '/tables';
  $node->command_ok([ 'pg_dump', '-f', $dump, (map { ('-t', $_) } qw(event log log_1 log_2 time_range)), 'postgres' ],
    "SQL without $missing: dump the tables");
  $node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'less', '-f', $dump ],
    "SQL without $missing: restore them");
  $node->safe_psql('less', 'ANALYZE');
  is($node->safe_psql('less', $all), $answers, "SQL without $missing: the same results");
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
like($old->{stderr}, qr/could not find function "uuidx_encode"/, 'an old session has the old one');
$old->{stderr} = '';
SKIP: {
  skip 'before PostgreSQL 17 uuidx must be preloaded', 1 if $node->pg_version < 17;
  my @ids = map {
    (scalar($old->query('SELECT uuid_v7_cluster()')), $node->safe_psql('postgres', 'SELECT uuid_v7_cluster()'))
  } 1 .. 5;
  is_deeply([ sort @ids ], \@ids, 'sessions with the old and the new library share one order');
}
$old->quit;
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $start, 'the server was never restarted');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'no process crashed');

# If preloaded, the library is that of the server's start, whatever is installed later.
put_library('uuidx_encode');
$node->append_conf('postgresql.conf', q{shared_preload_libraries = 'uuidx'});
$node->restart;
put_library();
like(($node->psql('postgres', $call_of_new))[2], qr/ERROR:  could not find function "uuidx_encode" in file/,
  'preloaded: after a replacement, the server keeps the library of its start');
like($node->safe_psql('postgres', $call), qr/^[0-9a-f-]{36}$/,
  'preloaded: the other functions of the old library work');
$node->restart;
like($node->safe_psql('postgres', $call_of_new), qr/^0+$/,
  'preloaded: after a restart, the server has the new library');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC/, 'preloaded: no process crashed');
$node->stop;

done_testing();
