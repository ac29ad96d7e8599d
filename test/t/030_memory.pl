# A statement that is refused memory fails, and the session continues in order.
# Each request of a statement is refused in turn, including pages for the generators' state and requests of libcrypto.

use FaultShim;
use Helpers;

my ($server, $node);
my @ordered = ('uuid_v6()', 'uuid_v7()', 'uuid_v7_server()', 'uuid_v8_node()');

# Missing random bits for lack of memory are reported as such.
my $no_memory = qr/^ERROR:  53200$/;
my $no_random = qr/^ERROR:  (?:53200|58000)$/;

# The last of these values of each session, by its process ID.
my %last;

# Generates two of each of these values in a session; counts those not greater than the previous one. Loads what most
# statements need of OpenSSL, too.
sub disordered($line) {
  my @ids = split /\|/, $line->ask('SELECT ' . join(', ', @ordered, @ordered) . ';');
  my @previous = (@{ $last{$line->pid} // [ ('') x @ordered ] }, @ids);
  $last{$line->pid} = [ @ids[ -@ordered .. -1 ] ];
  return scalar grep { $previous[$_] ge $ids[$_] } 0 .. $#ids;
}

# Refuses each request of a statement in turn, in a new session for each or in a given one. A failing
# statement must have the right error and then succeed in the same session.
#   before => first statements of a session, least => minimum bytes of the requests
sub starve($name, $sql, $expected, $failure, $line = undef, %of) {
  my ($each, $failed, @wrong) = (!$line, 0);
  my $before = delete $of{before};
  my $granted = 0;
  for (; $granted < 2_000; ++$granted) {
    $line = $server->line if $each;
    $line->ask($before) if $before;
    $server->starve(pid => $line->pid, granted => $granted, %of);
    my $heard   = $line->ask($sql);
    my $refused = $server->starve;
    ++$failed if $heard =~ /^ERROR/;
    push @wrong, "$granted: $heard" if $heard !~ $expected && !($refused && $heard =~ $failure);
    my $again = $line->ask($sql);
    push @wrong, "$granted, again: $again" if $again !~ $expected;
    my $disordered = disordered($line);
    push @wrong, "$granted: $disordered values out of order" if $disordered;
    push @wrong, "$granted: another session" if $line->ask('SELECT pg_backend_pid();') ne $line->pid;
    $line->quit if $each;
    last if !$refused;
  }
  note("$name: $granted requests, $failed of them needed");
  is(join("\n", @wrong), '',
    "$name: whichever request is refused, the statement fails with the right error, and then succeeds");
  return $failed;
}

# Starts a server with a name of 32 MB, which is compressed in its table.
sub start($name, $conf) {
  $server = FaultShim->new(name => $name, memory => 1,
    conf => "uuidx.node_id = 17\nclient_min_messages = error\n$conf");
  $node   = $server->{node};
  $server->sql(q{
    CREATE TABLE huge (name text);
    INSERT INTO huge VALUES (repeat('a name ', 5000000));
    CREATE TABLE event (id uuid PRIMARY KEY);
    INSERT INTO event SELECT uuid_v7_at(timestamptz '2026-01-01 UTC' + g * interval '1 min')
      FROM generate_series(1, 1000) AS g;
    ANALYZE event});
}

my $all = '^[0-9a-f-]{36}' . '\|[0-9a-f-]{36}' x 5 . '$';
my $every = 'SELECT uuid_v1(), uuid_v4(), uuid_v6(), uuid_v7(), uuid_v7_server(), uuid_v8_node();';

# First statements of a session, each in a new session.
sub check_first_use($name) {
  my $offset = -s $node->logfile;
  cmp_ok(starve("$name, first values", $every, qr/$all/, $no_random), '>', 0,
    "$name: the first values of a session fail if memory is refused");
  like(slurp_file($node->logfile, $offset),
    qr/ERROR:  out of memory\n.*DETAIL:  Could not map memory for the state of the UUID generators: Cannot allo/,
    "$name: the pages of the generators' state are among the refused requests");
}

start('preloaded', "shared_preload_libraries = 'uuidx'\n");
{
  # A sanitizer has its own malloc.
  my $line = $server->line;
  $server->starve(pid => $line->pid, least => 10_000_000);
  my $heard = $line->ask(q{SELECT length(repeat('x', 50000000));});
  $line->quit;
  if (!$server->starve) {
    $node->stop;
    plan skip_all => 'memory cannot be refused in this server';
  }
  like($heard, $no_memory, 'a request of 50 MB can be refused');
}
check_first_use('preloaded');
starve('many random values', 'SELECT count(uuid_v4()) FROM generate_series(1, 2000);', qr/^2000$/,
  $no_random);

# Digests are fetched once in a session, after libcrypto has been initialized: it fails permanently if its
# initialization does.
my $www   = q{uuid_namespace('dns'), 'www.example.com'};
my %names = (
  'version 3' => [ "uuid_v3($www)",                '5df41881-3aed-3515-88a7-2f4a814cf09e' ],
  'version 5' => [ "uuid_v5($www)",                '2ed6657d-e927-568b-95e1-2665a8aea6a2' ],
  'version 8' => [ "uuid_v8_hash('sha256', $www)", '5c146b14-3c52-8afd-938a-375d0df1fbf6' ]);
for my $name (sort keys %names) {
  my ($call, $answer) = @{$names{$name}};
  starve("$name, first name", "SELECT $call;", qr/^$answer$/, $no_memory, undef,
    before => q{SELECT uuid_v8_hash('sha384', nil_uuid(), 'a name');});
}

# The remaining requests, in a session that has generated values before.
{
  my $line = $server->line;
  disordered($line);
  my $v7 = "uuid '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'";
  my %statements = (
    'values of every kind' => [ $every, qr/$all/ ],
    'text formats' => [ "SELECT uuid_encode($v7, 'base58'), uuid_decode(uuid_encode($v7, 'ulid'), 'ulid');",
      qr/\|017f22e2-79b0-7cc3-98c4-dc0c0c07398f$/ ],
    'an invalid text' => [ "SELECT uuid_decode('x', 'ulid');", qr/^ERROR:  22P02$/ ],
    'uuid_inspect()' => [ "SELECT version, fields FROM uuid_inspect($v7);", qr/^7\|\{/ ],
    'uuid_generator_state()' => [ 'SELECT count(*) FROM uuid_generator_state();', qr/^2$/ ],
    'rows of a time range' => [ q{SELECT count(*) FROM event
      WHERE id <@ tstzrange('2026-01-01 00:00+00', '2026-01-01 01:00+00');}, qr/^59$/ ]);
  for my $name (sort keys %statements) {
    my ($sql, $expected) = @{$statements{$name}};
    my $failure = $name =~ /every/ ? $no_random : $no_memory;
    starve($name, $sql, $expected, $failure, $line);
  }

  # A huge name, which needs contiguous memory.
  for my $call ('uuid_v3(nil_uuid(), name)', 'uuid_v5(nil_uuid(), name)',
    q{uuid_v8_hash('sha256', nil_uuid(), name)}, q{uuid_v8_hash('sha512', nil_uuid(), name)},
    q{uuid_v5(nil_uuid(), name::bytea)})
  {
    my $answer = $server->sql("SELECT $call FROM huge");
    cmp_ok(
      starve("a huge name, $call", "SELECT $call FROM huge;", qr/^$answer$/, $no_memory, $line,
        least => 8_000_000),
      '>', 0, "a huge name, $call: fails if memory is refused");
  }
  $line->quit;
}

$node->stop;

# Without preloading, a session finds the shared memory itself.
SKIP: {
  skip 'before PostgreSQL 17 uuidx must be preloaded', 1 if $node->pg_version < 17;
  start('loaded', '');
  # Failing to load the library for lack of memory is reported as such.
  $no_random = qr/^ERROR:  (?:53200|58000|58P01)$/;
  $server->sql('SELECT uuid_v7_server()');
  check_first_use('not preloaded');
  $node->stop;
}

done_testing();
