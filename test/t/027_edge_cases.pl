# No call ends the session or raises an internal error, whatever its arguments.
# Calls every function, operator, aggregate, cast and domain of the extension, as the catalog lists them, with edge
# cases of their types: as results, then in conditions on a table. Each keeps its declaration, too: leakproof ones raise
# no error, strict ones return NULL for NULL, immutable ones return the same for a constant and a column.
#
# UUIDX_SEED makes other calls; without it, they are the same in each run.

use Helpers;
use List::Util qw(any sum);

srand($ENV{UUIDX_SEED} // 27);

# The errors that a call may raise. Nothing else: no internal error (XX), no failure of the machine (53, 58), no syntax
# error or unknown name (42), as nothing would be called. 22: bad data, from the extension or core functions around it.
# 0A000: a digest that OpenSSL lacks. 54000: too long a text. 55000: uuid_v8_node() without uuidx.node_id.
my $allowed = '^(22...|0A000|54000|55000)$';

# Preloaded, as 15 and 16 require for uuid_v7_server(). Without JIT, which takes a second for each call
# with a high estimated cost. Restarts after a crash. Logs neither statements nor errors.
my $node = start_node('edge_cases', q{
shared_preload_libraries = 'uuidx'
autovacuum = off
jit = off
restart_after_crash = on
log_statement = none
log_min_messages = log
});
my $server = version_of($node);
my $log_start = -s $node->logfile;

my $time = 'timestamp with time zone';

sub hex_digits { return join '', map { sprintf '%x', rand 16 } 1 .. $_[0] }

# Returns a text of a megabyte.
sub megabyte { return "repeat(repeat('$_[0]', 1024), 1024)" }

# True if an expression is slow to evaluate or parse.
sub is_large { return $_[0] =~ /repeat|SELECT/ }

# Returns edge cases of each type, as expressions, in a database of an encoding.
sub edge_values($encoding) {
  my @ids = map { "uuid '$_'" } (
    '0' x 32, 'f' x 32, '0' x 31 . '1', 'f' x 31 . 'e',
    # Each version, then each variant.
    (map { hex_digits(12) . sprintf('%x', $_) . hex_digits(3) . 'a' . hex_digits(15) } 0 .. 15),
    (map { hex_digits(12) . '7' . hex_digits(3) . $_ . hex_digits(15) } qw(0 7 c d e f)),
    # Versions 1 and 6 at their first and last tick, and on both sides of 1970.
    qw(00000000000010008000000000000000 ffffffffffff1fffbfffffffffffffff),
    qw(00000000000060008000000000000000 ffffffffffff6fffbfffffffffffffff),
    qw(13813fff1dd211b28000010000000000 138140001dd211b28000010000000000),
    qw(1b21dd2138136fff8000010000000000 1b21dd21381460008000010000000000),
    # Version 7 likewise, of today, and above all of a millisecond's.
    qw(00000000000070008000000000000000 ffffffffffff7fffbfffffffffffffff),
    qw(017f22e279b07cc398c4dc0c0c07398f 017f22e279b080008000000000000000));
  my @times = map { "timestamptz '$_'" } (
    '-infinity', 'infinity', '4714-11-24 00:00:00+00 BC', '0001-12-31 23:59:59.999999+00 BC',
    '1582-10-14 23:59:59.999999+00', '1582-10-15 00:00:00+00', '1969-12-31 23:59:59.999999+00',
    '1970-01-01 00:00:00+00',
    '1970-01-01 00:00:00.000001+00', '2000-01-01 00:00:00+00', '2022-02-22 19:22:22+00',
    '2022-02-22 19:22:22.000999+00', '5236-03-31 21:21:00.684697+00',
    '5236-03-31 21:21:00.684698+00', '10889-08-02 05:31:50.655+00',
    '10889-08-02 05:31:50.655999+00', '10889-08-02 05:31:50.656+00', '294246-12-31 00:00:00+00',
    '294276-12-31 23:59:59.999999+00');
  my @ranges = ("'empty'::tstzrange", "tstzrange(NULL, NULL, '()')", "tstzrange(NULL, NULL, '[]')");
  for (1 .. 25) {
    my $ends = (qw/() [) (] []/)[rand 4];
    my ($first, $last) = sort { $a <=> $b } int(rand(@times - 2)), int(rand(@times - 2));
    # In order, except for the infinities, which are first in the list.
    my @ends = map { $times[ 2 + $_ ] } $first, $last;
    $ends[0] = 'NULL' if rand() < .15;
    $ends[0] = $times[0] if rand() < .15;
    $ends[1] = 'NULL' if rand() < .15;
    $ends[1] = $times[1] if rand() < .15;
    push @ranges, "tstzrange($ends[0], $ends[1], '$ends')";
  }
  my @texts = map { "text E'$_'" } (
    '', ' ', 'a', 'dns', 'DNS', 'url', 'x500', 'ulid', 'Base32Hex', 'base58', 'base64url', 'HEX',
    'urn', 'decimal', 'sha256', 'SHA512', 'sha1', 'md5', 'md5-sha1', 'shake128', 'SHAKE256', 'null',
    'sha3-256', 'blake2s256', 'keccak-kmac-128', 'uuidx.node_id', 'none such', '0', '-1', '%s%n%99d',
    "''", '\\\\', '"', 'x' x 63, 'x' x 64, '1' x 39, '\t\r\n', '\x01\x7f', "; DROP TABLE x",
    # Bytes that are characters of two and four bytes in UTF8.
    '\xc3\xa9', '\xf0\x9f\x98\x80', '01ARZ3NDEKTSV4RRFFQ69G5FA\xc3\xa9',
    # Characters of two to four bytes, combining, right to left, unassigned; or bytes that are no text in UTF8.
    $encoding eq 'UTF8' ? ('i\u0307', '\u20ac', '\U0001F600', '\u05d0\u202e', '\uffff')
    : ('\xe9', '\xff\xfe', '\xc3', '0189abcd-89ab-7def-89ab-0123456789a\xf0'),
    # A UUID in each form, and near misses.
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '{017F22E2-79B0-7CC3-98C4-DC0C0C07398F}',
    'urn:uuid:017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '81ARZ3NDEKTSV4RRFFQ69G5FAV', '0' x 26, 'z' x 26, '1' x 22, 'z' x 22, '_' x 22, '_' x 21 . 'w',
    # Steps of bounds, which overflow.
    'zone', 'year;zone', 'nextyear',
    'local;zone', 'zone=UTC;86400000000;local=<A>-100', '9223372036854775807;zone;-9223372036854775807;local',
    'f' x 32, '0' x 32, '340282366920938463463374607431768211455',
    '340282366920938463463374607431768211456');
  push @texts, map { megabyte($_) } 'a', '0', '%';
  my @octets = ((map { "'\\x" . hex_digits(2 * $_) . "'::bytea" } 0 .. 64),
    megabyte('a') . '::bytea');
  my %values = (
    uuid => \@ids, $time => \@times, tstzrange => \@ranges,
    '"any"' => [ @times, @ranges, "date 'infinity'", "date '5874897-12-31'", "date '4714-11-24 BC'", 'NULL::date',
      "timestamp '294276-12-31 23:59:59.999999'", "timestamp '-infinity'", "'NaN'::numeric", "'1e300'::numeric",
      "'-infinity'::double precision", "'1e300'::double precision", "ARRAY[timestamptz 'infinity', NULL]",
      "'{}'::timestamptz[]", "date '2026-03-29' + 0", "text 'a'", "text '2026-13-99'", "text '999999--9'",
      "'a'", '1', 'ROW(1)' ],
    text => \@texts, bytea => \@octets,
    interval => [ map { "interval '$_'" } '0', '1 us', '-1 us', '1 day', '-54 years', '8000 years',
      '178000000 years', '-178000000 years', '2147483647 days -2147483648 months',
      '2562047788:00:54.775807', $server < 170000 ? () : ('-infinity', 'infinity') ],
    integer => [ map { "($_)::integer" } '-2147483648', -1, 0, 1, 7, 65535, 65536, 2147483647 ],
    smallint => [ map { "($_)::smallint" } -32768, 0, 32767 ],
    bigint => [ map { "($_)::bigint" } '-9223372036854775808', -1, 0, 1, 2147483647, 2147483648,
      '9223372036854775807' ],
    date => [ map { "date '$_'" } '-infinity', 'infinity', '4714-11-24 BC', '1970-01-01', '2026-03-29',
      '5874897-12-31' ],
    'timestamp without time zone' => [ map { "timestamp '$_'" } '-infinity', 'infinity', '4714-11-24 BC',
      '2026-03-29 02:30', '294276-12-31 23:59:59.999999' ],
    "${time}[]" => [ map { "'$_'::timestamptz[]" } '{}', '{NULL}', '{-infinity,infinity}', '{{2026-03-29},{NULL}}' ],
    numeric => [ map { "numeric '$_'" } 'NaN', '-Infinity', '1e1000', '-1e1000', 0, '1774700000.5' ],
    regclass => [ 'NULL::regclass', "'pg_class'::regclass" ],
    'double precision' => [ map { "'$_'::float8" } 'NaN', '-Infinity', 0 ],
    boolean => [ 'true', 'false' ],
    oid => [ '0::oid', '4294967295::oid', "'pg_class'::regclass::oid" ],
    int4range => [ "'empty'::int4range", "'[1,)'::int4range" ]);
  unshift @{ $values{$_} }, "NULL::$_" for keys %values;
  return \%values;
}

# The callable members of the extension, from the catalog: arguments, result and declared properties. A
# domain is a cast from its base type.
my $view = "SET search_path = pg_catalog; CREATE TEMP VIEW member AS SELECT * FROM $members;";
my @callables = map {
  my %callable;
  @callable{qw(kind name args result set strict leakproof immutable)} = split /\t/;
  $callable{label} = "$callable{kind} $callable{name}($callable{args})";
  $callable{args}  = [ split /,/, $callable{args} ];
  $callable{$_} = $callable{$_} eq 't' for qw(set strict leakproof immutable);
  \%callable;
} split /\n/, $node->safe_psql('postgres', $view . q{
  SELECT CASE prokind WHEN 'a' THEN 'aggregate' ELSE 'function' END,
    quote_ident(nspname) || '.' || quote_ident(proname),
    (SELECT string_agg(format_type(t, NULL), ',' ORDER BY n) FROM unnest(proargtypes) WITH ORDINALITY AS a (t, n)),
    format_type(prorettype, NULL), proretset, proisstrict, proleakproof, provolatile = 'i'
  FROM member JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
    JOIN pg_namespace AS n ON n.oid = pronamespace
  UNION ALL
  SELECT 'operator', quote_ident(nspname) || '.' || oprname,
    concat_ws(',', format_type(nullif(oprleft, 0), NULL), format_type(oprright, NULL)),
    format_type(oprresult, NULL), proretset, proisstrict, proleakproof, provolatile = 'i'
  FROM member JOIN pg_operator AS o ON classid = 'pg_operator'::regclass AND objid = o.oid
    JOIN pg_proc AS p ON p.oid = oprcode JOIN pg_namespace AS n ON n.oid = oprnamespace
  UNION ALL
  SELECT 'cast', format_type(casttarget, NULL), format_type(castsource, NULL), format_type(casttarget, NULL),
    false, coalesce(proisstrict, true), coalesce(proleakproof, false), coalesce(provolatile = 'i', true)
  FROM member JOIN pg_cast AS c ON classid = 'pg_cast'::regclass AND objid = c.oid
    LEFT JOIN pg_proc AS p ON p.oid = castfunc
  UNION ALL
  SELECT 'domain', format_type(t.oid, NULL), format_type(typbasetype, NULL), format_type(t.oid, NULL),
    false, true, false, true
  FROM member JOIN pg_type AS t ON classid = 'pg_type'::regclass AND objid = t.oid WHERE typtype = 'd'
  ORDER BY 1, 2, 3}, extra_params => [ '-F', "\t" ]);

# SQL cannot call functions with arguments of type internal, nor triggers. The planner calls support functions and
# estimators; aggregates call their parts.
@callables = grep { $_->{result} ne 'trigger' && !any { $_ eq 'internal' } @{ $_->{args} } } @callables;
# From 18 on, the arrays of domains are members, too.
is( $node->safe_psql('postgres', $view . q{
    SELECT count(*) FROM member LEFT JOIN pg_type AS t ON classid = 'pg_type'::regclass AND objid = t.oid
    WHERE classid NOT IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_cast'::regclass)
      AND (typtype IS NULL OR NOT (typtype = 'd' OR typcategory = 'A'))}),
  '0', 'the members that are called are functions, aggregates, operators, casts and domains');

# The base type of a domain, otherwise the type.
my %base = map { $_->{name} => $_->{args}[0] } grep { $_->{kind} eq 'domain' } @callables;
my %undomained = map { my $type = $_; $type = $base{$type} while exists $base{$type}; ($_ => $type) }
  map { ($_->{result}, @{ $_->{args} }) } @callables;
my $has_cases = edge_values('UTF8');
is(join(', ', grep { !$has_cases->{$_} } map { $undomained{$_} } map { @{ $_->{args} } } @callables),
  '', 'each type of an argument has edge cases');

# Returns a call. An aggregate gets two rows of arguments.
sub call($callable, @args) {
  my ($kind, $name) = @$callable{qw(kind name)};
  if ($kind eq 'aggregate') {
    my $half    = @args / 2;
    my $columns = join ', ', map { "a$_" } 1 .. $half;
    my @rows    = map { '(' . join(', ', @$_) . ')' } [ @args[ 0 .. $half - 1 ] ], [ @args[ $half .. $#args ] ];
    return "(SELECT $name($columns) FROM (VALUES $rows[0], $rows[1]) AS v ($columns))";
  }
  if ($kind eq 'operator') {
    my ($schema, $operator) = $name =~ /^(.*)\.(.*)$/;
    return '(' . join(' ', @args > 1 ? shift @args : (), "OPERATOR($schema.$operator)", @args) . ')';
  }
  return "($args[0])::$name" if $kind eq 'cast' || $kind eq 'domain';
  my $call = "$name(" . join(', ', @args) . ')';
  return $callable->{set} ? "(SELECT count(*) FROM $call)" : $call;
}

# Returns the types of the arguments for call().
sub argument_types($callable) {
  my @types = map { $undomained{$_} // $_ } @{ $callable->{args} };
  return $callable->{kind} eq 'aggregate' ? (@types, @types) : @types;
}

# Returns all combinations of the values of some types, or random ones up to a limit.
sub combinations($values, $limit, @types) {
  my $count = 1;
  $count *= @{ $values->{$_} } for @types;
  if ($count > $limit) {
    return map { [ map { $values->{$_}[ rand @{ $values->{$_} } ] } @types ] } 1 .. $limit;
  }
  my @all = ([]);
  for my $type (@types) {
    @all = map { my $args = $_; map { [ @$args, $_ ] } @{ $values->{$type} } } @all;
  }
  return @all;
}

# Returns calls of one member with all combinations of edge cases: its name, whether it must raise nothing, and a query
# that returns true.
sub direct_calls($callable, $values, $limit) {
  my @calls;
  for (combinations($values, $limit, argument_types($callable))) {
    my @args = @$_;
    # A large value is combined with a tenth of the other arguments only.
    next if @args > 1 && rand() < .9 && any { is_large($_) } @args;
    my $null   = $callable->{strict} && $callable->{kind} ne 'aggregate' && any { /^NULL/ } @args;
    my $silent = $null || $callable->{leakproof};
    my $call   = call($callable, @args);
    my $query  = "SELECT count($call) >= 0";
    if ($null) {
      $query = $callable->{set} ? "SELECT $call = 0" : "SELECT $call IS NULL";
    } elsif ($callable->{immutable} && @args) {
      # Folded by the planner, and then of columns.
      my @columns = map { "c$_" } 1 .. @args;
      $query = "SELECT ($call)::text IS NOT DISTINCT FROM (" . call($callable, map { "v.$_" } @columns)
        . ")::text FROM (SELECT " . join(', ', @args) . " OFFSET 0) AS v (" . join(', ', @columns) . ')';
    }
    push @calls, [ $callable->{label}, $silent, $query ];
  }
  return @calls;
}

# The same of conditions on the id of a table, and on a time that is extracted from it, with each edge case of what it
# is compared with: the planner reads these, too.
sub conditions($values, @members) {
  my @calls;
  my %small = map { my $type = $_; ($type => [ grep { !is_large($_) } @{ $values->{$type} } ]) } keys %$values;
  my %of = (%small, uuid => ['o.id']);
  for my $callable (grep { $_->{result} eq 'boolean' || $_->{result} eq $time } @members) {
    my @types = argument_types($callable);
    next if !any { $_ eq 'uuid' } @types;
    for my $call (map { call($callable, @$_) } combinations(\%of, 3000, @types)) {
      my @conditions =
        $callable->{result} eq 'boolean' ? ($call, "NOT $call") : map { "$call >= $_" } @{ $small{$time} };
      for my $table ('edge_row', 'edge_part') {
        push @calls, map { [ $callable->{label}, 0, "SELECT count(*) >= 0 FROM $table AS o WHERE $_" ] } @conditions;
      }
    }
  }
  return @calls;
}

# Creates a database with an encoding, and tables of edge cases: one with an index, one with partitions.
sub make_database($name, $encoding, $values) {
  $node->safe_psql('postgres', "CREATE DATABASE $name ENCODING '$encoding' LOCALE 'C' TEMPLATE template0");
  $node->safe_psql($name, 'CREATE EXTENSION uuidx');
  # All are valid.
  $node->safe_psql($name, 'SELECT ' . join ', ', map { "$_ IS NULL" } map { @$_ } values %$values);
  my $ids = join ', ', @{ $values->{uuid} };
  $node->safe_psql($name, "
    CREATE TABLE edge_row AS SELECT id FROM unnest(ARRAY[$ids]) AS id;
    CREATE INDEX ON edge_row (id);
    CREATE TABLE edge_part (id uuid) PARTITION BY RANGE (id);
    CREATE TABLE edge_part_1 PARTITION OF edge_part FOR VALUES
      FROM (MINVALUE) TO (uuid_v7_min('2022-02-22 19:22:22 UTC'));
    CREATE TABLE edge_part_2 PARTITION OF edge_part FOR VALUES
      FROM (uuid_v7_min('2022-02-22 19:22:22 UTC')) TO (uuid_v7_min('2100-01-01 UTC'));
    CREATE TABLE edge_part_3 PARTITION OF edge_part DEFAULT;
    CREATE INDEX ON edge_part (id);
    INSERT INTO edge_part SELECT * FROM edge_row;
    ANALYZE");
}

# The number of calls by SQLSTATE, and those that have succeeded by name.
my (%made, %answered);

# Makes calls in a session with these settings, and checks their outcomes.
sub make_calls($database, $settings, @calls) {
  my $file = PostgreSQL::Test::Utils::tempdir() . '/calls';
  append_to_file($file, join '', map { "$_->[2];\n" } @calls);
  my ($code, $output, $messages) = $node->psql($database, "\\set VERBOSITY sqlstate\n"
      . "SET client_min_messages = warning; SET statement_timeout = '30min'; $settings;\n\\i $file",
    on_error_stop => 0);
  is($code, 0, "$database, $settings: no call ends its session") or diag(substr $messages, -1000);
  is(join("\n", $messages =~ /^(.*WARNING.*)$/gm), '', "$database, $settings: no call warns");
  wait_for_server($node) if $code != 0;
  my %state = $messages =~ /^psql:\Q$file\E:(\d+): ERROR:  (\w+)$/gm;
  my @results = split /\n/, $output, -1;
  my @wrong;
  for my $n (1 .. @calls) {
    my ($name, $silent, $query) = @{ $calls[ $n - 1 ] };
    my $state = $state{$n} // '00000';
    my $result = exists $state{$n} ? '' : shift(@results) // 'nothing';
    ++$made{$state};
    ++$answered{$name} if $state eq '00000';
    push @wrong, "$name: $state $result\n" . substr($query, 0, 2000)
      if $state eq '00000' ? $result ne 't' : $silent || $state !~ $allowed;
  }
  is(join("\n", splice(@wrong, 0, 10)), '', "$database, $settings: expected results and errors only");
}

# All calls in UTF8, and those with a text also in databases with other encodings.
for my $encoding ('UTF8', 'LATIN1', 'SQL_ASCII') {
  my $database = lc "edge_$encoding";
  my $is_main = $encoding eq 'UTF8';
  my $values = edge_values($encoding);
  make_database($database, $encoding, $values);
  my @members = grep { $is_main || any { $_ eq 'text' } @{ $_->{args} } } @callables;
  make_calls($database, 'SET uuidx.node_id = 7', map { direct_calls($_, $values, $is_main ? 1000 : 250) } @members);

  # With index scans if possible, and some with parallel workers.
  my @conditions = conditions($values, @members);
  make_calls($database, "SET TimeZone = 'Asia/Kathmandu'; SET enable_seqscan = off", @conditions);
  my $parallel = 'SET ' . ($server < 160000 ? 'force_parallel_mode' : 'debug_parallel_query') . ' = on';
  make_calls($database, $parallel, map { $conditions[ 20 * $_ ] } 0 .. $#conditions / 20) if $is_main;
}

note(join ', ', map { "$made{$_} $_" } sort keys %made);
my $made = sum(values %made);
cmp_ok($made, '>=', 40_000, 'there are at least 40,000 calls');
is(join(', ', grep { !$answered{$_} } map { $_->{label} } @callables),
  '', 'each function, operator, aggregate, cast and domain returns a result');
cmp_ok($made{'00000'}, '>', .4 * $made, 'over 40 % of the calls succeed');

my @worse = grep { /PANIC:  |FATAL:  |terminated by signal|TRAP: / } split /\n/, slurp_file($node->logfile, $log_start);
# Workers of a query that failed are ended by it.
is(join("\n", grep { !/FATAL:  terminating background worker/ } @worse), '', 'the log of the server has no crash');

done_testing();
