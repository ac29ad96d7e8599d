# Faults of other generators of UUIDs and keys, past or present, each with a test for it: an order broken by
# the clock, garbage for an extreme time, a wait for a frozen clock, duplicates if memory or randomness is
# copied, a crash by a long argument, an endless loop, a repeated number after a crash, a wrapping counter.

use strict;
use warnings FATAL => 'all';
use FindBin;
use lib $FindBin::RealBin;
use FaultShim;
use Helpers;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

# 2023-01-01 12:34:56.1234567 UTC
my @instant = (1672576496, 123_456_700);
my @still   = (clock => 'set', time => \@instant);

# All generators, and those that are strictly increasing in a session.
my @ordered    = ('uuid_v6()', 'uuid_v7()', 'uuid_v8_node()', 'uuid_v7_cluster()');
my @generators = ('uuid_v1()', 'uuid_v4()', @ordered);

# A preloaded library generates UUIDs in the postmaster, so that every session inherits a generator.
my $drawer = PostgreSQL::Test::Utils::tempdir() . '/postmaster_draw.so';
chomp(my $headers = `pg_config --includedir-server`);
system_or_bail(split(' ', $ENV{CC} // 'cc'), qw(-shared -fPIC -O2), "-I$headers", '-o', $drawer,
  "$FindBin::RealBin/../shim/postmaster_draw.c");

# WAL is flushed only by those that must.
my $server = FaultShim->new(conf => "
  shared_preload_libraries = 'uuidx, $drawer'
  uuidx.node_id = 17
  wal_writer_delay = '10 s'
  max_worker_processes = 16
  max_parallel_workers = 8
  work_mem = '64MB'
  client_min_messages = error
");
my $node = $server->{node};

# Text formats, as the hint lists them.
my @formats = error_of($node, q{SELECT uuid_encode(nil_uuid(), '')}) =~ /"(\w+)"/g;

# Counts duplicates.
sub repeated {
  my %seen;
  $seen{$_}++ for @_;
  return scalar grep { $_ > 1 } values %seen;
}

# 1. A clock that goes back and forth: a generator that continues from the last reading instead of the last
# value returns a third value below the first.
for my $call (@ordered) {
  my $session = $server->session;
  for my $round (1 .. 3) {
    for my $time ([10, 100], [9, 900], [10, 150]) {
      my ($seconds, $millis) = @$time;
      $server->fault(clock => 'set', time => [$instant[0] + 100 * $round + $seconds, $millis * 1_000_000]);
      $session->make($call, 1);
    }
  }
  is($session->out_of_order, 0, "clock at 10.100, 9.900, 10.150 s: $call is strictly increasing");
  is( $session->value(q{SELECT string_agg(to_char(
        coalesce(uuid_extract_time(id), uuid_extract_v8_time(id)), 'SS.MS'), ' ' ORDER BY n) FROM made
      WHERE n <= 3}),
    '46.100 46.100 46.150', "clock at 10.100, 9.900, 10.150 s: $call keeps the first time")
    if $call ne 'uuid_v7_cluster()';
  # A millisecond back at each reading.
  $server->fault(clock => 'set', time => [$instant[0] + 1_000, 0], step => -1_000_000);
  $session->make($call, 10_000);
  is($session->out_of_order, 0, "clock always set back: $call is strictly increasing");
  $server->fault;
  $session->quit;
}

# 2. Half of all neighbours out of order with a correct clock: random bits right after the millisecond.
for my $call (@ordered) {
  my $session = $server->session;
  $session->make($call, 200_000);
  is($session->out_of_order . '|' . $session->counted, '0|200000|200000',
    "correct clock: 200,000 neighbours of $call in order");
  $session->quit;
}

# 3. Times out of range: an error, or a bound that keeps comparisons correct, never another time.
{
  my $session = $server->session;
  for my $time ('infinity', '-infinity', '1969-12-31 23:59:59.999999+00', '12000-01-01 00:00+00',
    '294276-12-31 23:59:59.999999+00', '4714-11-24 00:00:00+00 BC')
  {
    my $before = $time =~ /^-|1969|BC/;
    like($session->error("SELECT uuid_v7_at('$time')"), qr/^ERROR:  22008: .*\nDETAIL:.*10889/,
      "uuid_v7_at('$time') is an error");
    like($session->error("SELECT uuid_v${_}_at('$time')"), qr/^ERROR:  22008: .*\nDETAIL:.*5236/,
      "uuid_v${_}_at('$time') is an error")
      for $time =~ /1969/ ? () : (1, 6);
    is( $session->value("SELECT uuid_v7_min('$time'), uuid_v7_max('$time'),
        uuid_v7() < timestamptz '$time', uuid_v7() > timestamptz '$time'"),
      $session->value($before
        ? q{SELECT nil_uuid(), nil_uuid(), false, true} : q{SELECT max_uuid(), max_uuid(), true, false}),
      "bounds at $time, and values before and after");
  }
  for my $shift ('-100 years', '10000 years', '-2147483648 days', '178000000 years') {
    like($session->error("SELECT uuid_v7(interval '$shift')"), qr/^ERROR:  22008: /,
      "uuid_v7('$shift') is an error");
  }
  # Fields of a UUID without them.
  is( $session->value(q{
      SELECT count(uuid_extract_time(id)), count(uuid_extract_time_precise(id)),
        count(uuid_extract_node(id)), count(uuid_extract_clock_seq(id)), count(uuid_extract_v8_time(id)),
        count(uuid_time_decoder(id::text))
      FROM (SELECT uuid_v4() AS id FROM generate_series(1, 1000)
        UNION ALL SELECT nil_uuid() UNION ALL SELECT max_uuid()
        UNION ALL SELECT uuid_v5(nil_uuid(), 'a name')) AS made}),
    '0|0|0|0|0|0', 'no date, node or clock sequence in UUIDs without them');
  $session->quit;
}

# 4. Version 1 that waits for a frozen clock without handling a cancel, and reveals a MAC address.
{
  my $session = $server->session;
  my $control = $server->line;
  $server->fault(@still);
  $session->make('uuid_v1()', 200_000);
  is($session->counted, '200000|200000', 'frozen clock: 200,000 of version 1 without waiting');
  $server->fault;
  $session->quit;

  my $line = $server->line;
  $server->fault(@still);
  $line->say('SELECT count(uuid_v1()) FROM (SELECT generate_series(1, 2000000000)) AS s;');
  my $heard;
  for (1 .. 60) {
    usleep(100_000);
    $control->ask('SELECT pg_cancel_backend(' . $line->pid . ');');
    last if defined($heard = $line->next_line(1));
  }
  is($heard, 'ERROR:  57014', 'frozen clock: version 1 can be cancelled');
  $server->fault;

  my @cards = map { slurp_file($_) =~ /^([0-9a-f:]{17})$/ } glob('/sys/class/net/*/address');
  note("addresses of this machine: @cards");
  my (@nodes, $multicast);
  for my $n (1 .. 10) {
    my ($node_of, $bit) = split(/\|/, $server->sql(q{
      SELECT node, get_byte(macaddr_send(node), 0) & 1
      FROM (SELECT uuid_extract_node(uuid_v1()) AS node) AS s}));
    push @nodes, $node_of;
    $multicast += $bit;
  }
  is($multicast, 10, 'the node of version 1 has the multicast bit, unlike a network card');
  is(repeated(@nodes), 0, 'each session has its own node');
  my %card = map { $_ => 1 } @cards;
  is(scalar(grep { $card{$_} } @nodes), 0, 'no node is an address of this machine');
  $_->quit for $line, $control;
}

# 5. Random bits and ticks from before the fork: sessions of a preloaded library that generate the same
# values, certainly with a frozen clock.
{
  my @lines = map { $server->line } 1 .. 10;
  $server->fault(@still);
  my $all = join(', ', @generators);
  my @ids = map {
    split(/,/, $_->ask("SELECT string_agg(id::text, ',')
      FROM (SELECT unnest(ARRAY[$all]) AS id FROM generate_series(1, 100)) AS s;"))
  } @lines;
  is(scalar @ids,    6_000, 'frozen clock: values of ten sessions');
  is(repeated(@ids), 0,     'frozen clock: no duplicates');
  is(repeated(map { substr($_, 21) } grep { substr($_, 14, 1) =~ /[478]/ } @ids), 0,
    'frozen clock: no common random bits');
  $server->fault;
  $_->quit for @lines;
}

# 6. The same for parallel workers.
{
  $server->sql(q{
    CREATE TABLE source AS SELECT n FROM generate_series(1, 100000) AS n;
    ALTER TABLE source SET (parallel_workers = 4);
    ANALYZE source});
  my ($line, $workers, $count) = ($server->line, 0, scalar @generators);
  $server->fault(@still);
  for my $attempt (1 .. 20) {
    $workers = $line->ask(qq{
      SET max_parallel_workers_per_gather = 4;
      SET min_parallel_table_scan_size = 0;
      SET parallel_setup_cost = 0;
      SET parallel_tuple_cost = 0;
      DROP TABLE IF EXISTS shared;
      CREATE TEMP TABLE shared AS SELECT @{[join(', ', map { "$generators[$_] AS id$_" } 0 .. $#generators)]}
        FROM source;
      SELECT count(DISTINCT uuid_extract_node(id0)) FROM shared;});
    # On a busy machine, one process may have finished before the next started.
    last if $workers > 1;
  }
  cmp_ok($workers, '>', 1, 'frozen clock: several workers generate values');
  is( $line->ask("SELECT count(*), count(DISTINCT id)
      FROM shared, unnest(ARRAY[@{[join(', ', map { qq{id$_} } 0 .. $#generators)]}]) AS id;"),
    '600000|600000', 'frozen clock: no duplicates among them');
  $server->fault;
  $line->quit;
}

# 7. A failing random source that is not detected: the same value twice.
for my $call (@generators) {
  my $session = $server->session;
  $server->fault(random => 'fails', @still);
  my @errors = map { $session->error("SELECT $call") } 1 .. 3;
  is(scalar(grep { /^ERROR:  58000: could not generate random values\n/ } @errors), 3,
    "random source fails: $call is an error each time");
  $server->fault(@still);
  $session->make($call, 1_000);
  is($session->counted, '1000|1000', "random source is back: $call, no duplicates");
  is($session->value(q{SELECT count(*) FROM made WHERE id::text ~ '(00000000|5a5a5a5a)$'}), 0,
    "random source is back: $call, no bits of the failed one");
  $server->fault;
  $session->quit;
}

# 8. A long setting or argument that crashes the server: here an error, and the session continues.
{
  my $line = $server->line;
  # The messages show the whole value.
  $line->say('SET log_min_messages = panic;');
  my ($v4, $v7) = ("'919108f7-52d1-4320-9bac-f847db4148a8'", "'017f22e2-79b0-7cc3-98c4-dc0c0c07398f'");
  for my $long (map { "repeat('$_', 1000000)" } '1', 'x', '\0') {
    my $octets = "convert_to($long, 'UTF8')";
    for my $call ((map { "set_config('uuidx.$_', $long, false)" } 'node_id', 'max_clock_lead'),
      "uuid_v8_hash($long, $v7, 'name')", "uuid_namespace($long)", "uuid_encode($v7, $long)",
      "uuid_decode('x', $long)", "uuid_v8($octets)", "uuid_v47_mask($v7, $octets)",
      "uuid_v47_unmask($v4, $octets)")
    {
      is($line->ask("SELECT $call;"), 'ERROR:  22023', "long: $call");
    }
    is($line->ask("SELECT uuid_decode($long, '$_');"), 'ERROR:  22P02', "long, as $_: $long")
      for @formats;
    is($line->ask("SELECT uuid_from_bytea($octets);"), 'ERROR:  22P03', "long bytes: $long");
  }
  for my $size (0, 1, 15, 17, 32, 65_536) {
    my $key = "decode(repeat('00', $size), 'hex')";
    is($line->ask("SELECT uuid_v47_mask($v7, $key);"),   'ERROR:  22023',
      "uuid_v47_mask() rejects a key of $size bytes");
    is($line->ask("SELECT uuid_v47_unmask($v4, $key);"), 'ERROR:  22023',
      "uuid_v47_unmask() rejects a key of $size bytes");
  }
  is($line->ask('SELECT pg_backend_pid();'), $line->pid, 'the session survives');
  $line->quit;

  # At the start of a session, and in the file, where the setting keeps its old value.
  {
    local $ENV{PGOPTIONS} = '-c uuidx.node_id=' . 'x' x 5_000;
    my (undef, undef, $message) = $node->psql('postgres', 'SELECT 1');
    like($message, qr/invalid value for parameter "uuidx.node_id"/, 'a long setting of a new session');
  }
  $node->append_conf('postgresql.conf', "uuidx.node_id = '" . 'x' x 5_000 . "'");
  my $offset = -s $node->logfile;
  $node->reload;
  for (1 .. 600) {
    last if slurp_file($node->logfile, $offset) =~ /invalid value for parameter "uuidx.node_id"/;
    usleep(100_000);
  }
  is($server->sql('SELECT uuid_extract_v8_node(uuid_v8_node())'), 17, 'a long setting in the file');
  $node->append_conf('postgresql.conf', 'uuidx.node_id = 17');
  $node->reload;
}

# 9. An argument that makes a function loop uncancellably: every function with every extreme value of each
# argument ends, with a result or a user error.
{
  my @times = map { "timestamptz '$_'" } '-infinity', 'infinity', '4714-11-24 00:00:00+00 BC',
    '1582-10-14 23:59:59.999999+00', '1969-12-31 23:59:59.999999+00', '5236-03-31 21:21:00.684698+00',
    '10889-08-02 05:31:50.656+00', '294276-12-31 23:59:59.999999+00';
  my @ranges = map { "tstzrange($_)" } (map { "$_, $_, '[]'" } @times), 'NULL, NULL', "now(), now()",
    "'-infinity', 'infinity', '[]'", "'294276-01-01 UTC', NULL", "NULL, '4713-01-01 UTC BC'";
  my @texts = map { "text '$_'" } '', 'x', '0', 'sha256', 'shake128', @formats, 'ffffffff-ffff-7fff-bfff-ffffffffffff';
  push @texts, map { "repeat('$_', 100000)" } 'x', '0', '1', "\x{c3}\x{a9}";
  my @uuids = map { "uuid '$_'" } '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff', '00000000-0000-7000-c000-000000000000',
    map { ("00000000-0000-${_}000-8000-000000000000", "ffffffff-ffff-${_}fff-bfff-ffffffffffff") }
    1, 4, 6, 7, 8;
  my %extremes = (
    uuid        => \@uuids,
    text        => \@texts,
    timestamptz => \@times,
    tstzrange   => \@ranges,
    uuid_time_range => [ map { "$_\::uuid_time_range" } @ranges ],
    bytea       => [ map { "decode(repeat('ff', $_), 'hex')" } 0, 1, 15, 16, 17, 100_000 ],
    int4        => [ map { "'$_'::int" } -2147483648, -1, 0, 65535, 65536, 2147483647 ],
    interval    => [ map { "interval '$_'" } '0', '178000000 years', '-178000000 years',
        '2147483647 days', '-2147483648 days', '2562047788 hours', '-2562047788 hours',
        $node->pg_version < 17 ? () : ('infinity', '-infinity') ]);
  $extremes{tstzmultirange} = [ (map { "multirange($_)" } @ranges), "tstzmultirange '{}'",
    q{(SELECT range_agg(tstzrange(t, t + interval '1 s')) FROM
        generate_series(timestamptz '2000-01-01 UTC', '2001-01-01 UTC', '1 h') AS t)} ];
  $extremes{uuid_time_ranges} = [ map { "$_\::uuid_time_ranges" } @{$extremes{tstzmultirange}} ];

  # Evaluates expressions, and counts each SQLSTATE.
  $server->sql(q{
    CREATE FUNCTION outcomes(calls text[]) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE
      call text;
      outcome text;
      seen text[] := '{}';
    BEGIN
      FOREACH call IN ARRAY calls LOOP
        outcome := 'fine';
        BEGIN
          EXECUTE 'SELECT ' || call;
        EXCEPTION WHEN OTHERS THEN
          outcome := SQLSTATE;
        END;
        IF outcome <> ALL (seen) THEN
          seen := seen || outcome;
        END IF;
      END LOOP;
      RETURN array_to_string(seen, ' ');
    END $$});
  my $functions = $server->sql(q{
    SELECT p.proname || '|' || (SELECT coalesce(string_agg(t.typname, ' ' ORDER BY a.n), '')
        FROM unnest(p.proargtypes) WITH ORDINALITY AS a (type, n) JOIN pg_type AS t ON t.oid = a.type)
    FROM pg_depend AS d JOIN pg_proc AS p ON p.oid = d.objid
    WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND p.prokind = 'f'
      AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'uuidx')
      AND 'internal'::regtype <> ALL (p.proargtypes)
    ORDER BY 1});
  my $line = $server->line;
  $line->say('SET log_min_messages = panic;');
  my ($tried, $all) = (0, 0);
  for my $function (split /\n/, $functions) {
    my ($name, $types) = $function =~ /(.*)\|(.*)/;
    my @calls = ('');
    for my $type (split / /, $types) {
      my $values = $extremes{$type} // die "no extremes of $type";
      @calls = map { my $before = $_; map { $before eq '' ? $_ : "$before, $_" } @$values } @calls;
    }
    my $list = join(', ', map { "\$c\$$name($_)\$c\$" } @calls);
    my $outcomes = $line->ask("SELECT outcomes(ARRAY[$list]);");
    $all += @calls;
    ++$tried;
    is(join(' ', grep { !/^(?:fine|22...|0A000)$/ } split(/ /, $outcomes)), '',
      "extreme arguments, $name($types): @{[scalar @calls]} calls");
  }
  cmp_ok($tried, '>', 60, "functions with extreme arguments ($tried, $all calls)");
  is($line->ask('SELECT pg_backend_pid();'), $line->pid, 'the session survives');
  $line->quit;
}

# 10. A number returned in a transaction that was open at a crash, and repeated afterwards, as WAL was not
# flushed. A clock set back makes it harder.
{
  $server->sql('CREATE SEQUENCE numbers');
  my ($repeats, $greatest) = (0, '');
  for my $round (1 .. 3) {
    $server->fault(clock => 'moved', time => [100 * (4 - $round), 0]);
    my $line = $server->line;
    $line->say('BEGIN;');
    my @ids    = map { $line->ask('SELECT uuid_v7_cluster();') } 1 .. 100;
    my $number = $line->ask(q{SELECT nextval('numbers');});
    is(scalar(grep { $_ le $greatest } @ids), 0, "crash $round: values above earlier ones");
    $greatest = $ids[-1];
    kill_server($node);
    $server->fault(clock => 'moved', time => [100 * (4 - $round) - 50, 0]);
    $server->start;
    $line->quit;
    cmp_ok($server->sql('SELECT uuid_v7_cluster()'), 'gt', $greatest,
      "crash $round: no value of an open transaction is repeated");
    $repeats += $server->sql(q{SELECT nextval('numbers')}) <= $number;
  }
  note("a sequence's number was repeated in $repeats of 3 crashes");
  $server->fault;
}

# 11. A random source that repeats itself: OpenSSL's in copies of a machine, or all sources.
{
  my @ids;
  for my $copy (1 .. 3) {
    my $line = $server->line;
    $server->fault(random => 'openssl_constant', @still);
    my $all = join(', ', @generators);
    push @ids, split(/,/, $line->ask("SELECT string_agg(id::text, ',')
      FROM (SELECT unnest(ARRAY[$all]) AS id FROM generate_series(1, 1000)) AS s;"));
    $server->fault;
    $line->quit;
  }
  is(@ids . '|' . repeated(@ids), '18000|0', 'OpenSSL repeats itself: no value twice');
  for my $call (@ordered) {
    my $session = $server->session;
    $server->fault(random => 'constant', @still);
    $session->make($call, 10_000);
    is($session->out_of_order . '|' . $session->counted, '0|10000|10000',
      "all randomness repeats itself: $call is strictly increasing");
    $server->fault;
    $session->quit;
  }
}

# 12. A counter of 12 or 16 bits that wraps, or ends, within one instant.
for my $call (@ordered, 'uuid_v1()') {
  my $session = $server->session;
  $server->fault(@still);
  $session->make($call, 200_000);
  is($session->counted, '200000|200000', "200,000 values in an instant: $call");
  is($session->out_of_order, 0, "200,000 values in an instant: $call is strictly increasing")
    if $call ne 'uuid_v1()';
  $server->fault;
  $session->quit;
}

$node->stop;
done_testing();
