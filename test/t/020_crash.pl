# uuid_v7_server() keeps its order after crashes, even if the clock is set back.
# Crashes servers in several ways while sessions call uuid_v7_server(), and restarts them with the clock
# set back: no value, not even of an uncommitted transaction, is repeated or followed by a smaller
# one. UUIDX_CRASHES is the number of crashes of a preloaded server.

use strict;
use warnings FATAL => 'all';
use FindBin;
use lib $FindBin::RealBin;
use FaultShim;
use Helpers;
use IPC::Run;
use List::Util qw(shuffle);
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

my ($server, $node);
my $folder   = PostgreSQL::Test::Utils::tempdir();
my $greatest = '';  # of all returned values
my $moved    = 0;   # offset of the clock, in seconds

# The same numbers each time; the moment of a crash is random enough.
srand(20);

# Sets the clock's offset from real time.
sub move_clock {
  ($moved) = @_;
  my $seconds = POSIX::floor($moved);
  my $nanos   = int(($moved - $seconds) * 1e9);
  $server->fault(clock => 'moved', time => [$seconds, $nanos]);
  return;
}

# Moves the clock past the greatest value, so that values follow the clock again.
sub pass_greatest {
  return if $greatest eq '';
  # The first 48 bits are milliseconds.
  my ($high, $low) = map { hex } (split /-/, $greatest)[0, 1];
  my $least = (($high << 16) + $low) / 1_000 + 1 - time;
  move_clock($least) if $moved < $least;
  return;
}

# Loops of the writers: values with and without a committed row, single ones and many.
my %loops = (
  commits => q{
    INSERT INTO made VALUES (uuid_v7_server()) RETURNING id;
    BEGIN;
    SELECT uuid_v7_server();
    INSERT INTO made VALUES (uuid_v7_server()) RETURNING id;
    COMMIT;
    BEGIN; INSERT INTO made VALUES (uuid_v7_server()) RETURNING id; ROLLBACK;
  },
  open   => 'SELECT uuid_v7_server(); INSERT INTO made VALUES (uuid_v7_server()) RETURNING id;',
  stream => 'SELECT uuid_v7_server() FROM generate_series(1, 100);');

# The scripts of these loops, long enough for any cycle. The one that never commits begins here.
my %scripts;
for my $loop (keys %loops) {
  my $begin = $loop eq 'commits' ? '' : 'BEGIN;';
  $scripts{$loop} = "$folder/$loop.sql";
  append_to_file($scripts{$loop},
    "SELECT pg_backend_pid(); $begin" . "$loops{$loop}\n" x 50_000);
}

# Starts a psql that runs a loop and writes its results to a file.
sub start_writer {
  my ($loop, $n) = @_;
  my $output = "$folder/writer.$n";
  my $run    = IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'),
      '-f', $scripts{$loop} ], '>', $output, '2>', "$output.error");
  return {run => $run, output => $output};
}

# True if a writer has received 20 values, by the size of its results: reading them could take longer than the other
# writers' scripts.
sub has_values {
  my ($writer) = @_;
  return (-s $writer->{output} // 0) > 20 * 40;
}

# Returns the process ID of a writer's backend.
sub backend_of {
  my ($writer) = @_;
  open(my $results, '<', $writer->{output}) or die "$writer->{output}: $!";
  chomp(my $backend = <$results>);
  return $backend;
}

# Returns a writer's values. An incomplete line was not received.
sub told {
  my ($writer) = @_;
  my (undef, @ids) = slurp_file($writer->{output}) =~ /^(.+)\n/mg;
  return @ids;
}

# Ways to crash or stop. All leave the server down except the last, after which it restarts.
my %crashes = (
  'all processes killed' => sub { kill_server($node) },
  'immediate stop' => sub { $node->stop('immediate') },
  'clean stop'     => sub { $node->stop('fast') },
  'backend killed' => sub {
    # On a busy machine, a writer may have finished before the others had values.
    for my $backend (map { backend_of($_) } @_) {
      return if kill('KILL', $backend) == 1;
    }
    die 'no writer is left: ' . join('', map { slurp_file("$_->{output}.error") } @_);
  });

# Runs writers while the clock runs and jumps ahead, so that the mark is raised repeatedly; crashes the
# server, sets the clock back and restarts it. Returns the faults.
sub cycle {
  my ($how, $set_back) = @_;
  my @wrong;
  pass_greatest();
  my $before  = $greatest;
  my @loops   = qw(commits open stream);
  my @writers = map { start_writer($loops[$_], $_) } 0 .. $#loops;
  wait_for('values', sub { !grep { !has_values($_) } @writers });
  for (1 .. rand 8) {
    usleep(rand 20_000);
    move_clock($moved + rand 1.5);
  }
  usleep(rand 30_000);

  my $crashed = time;
  $crashes{$how}->(shuffle(@writers));
  $_->{run}->finish for @writers;

  my (%seen, $passed);
  for my $writer (@writers) {
    my @ids = told($writer);
    push @wrong, 'a session is not increasing' if out_of_order(@ids) != 0;
    push @wrong, 'a value not above those before the last crash' if grep { $_ le $before } @ids;
    push @wrong, 'a value twice' if grep { $seen{$_}++ } @ids;
    $greatest = $ids[-1] if $ids[-1] gt $greatest;
  }

  move_clock($moved - $set_back);
  $server->start unless $how eq 'backend killed';
  # If the server restarts by itself, waits for a connection.
  wait_for_server($node);
  # Values of two sessions, before and after a write, and their clock.
  for my $session (1, 2) {
    my @ids = split /\n/, $node->safe_psql('postgres', q{
      SELECT uuid_v7_server();
      INSERT INTO made SELECT uuid_v7_server() FROM generate_series(1, 3) RETURNING id;});
    for my $id (@ids) {
      push @wrong, "after the crash $id is not above $greatest" if $id le $greatest;
      $greatest = $id if $id gt $greatest;
    }
  }
  my ($ahead, $whole) = split /\|/, $node->safe_psql('postgres', q{
    SELECT clock_lead > interval '0', (SELECT count(*) = count(DISTINCT id) AND max(id) <= '}
      . $greatest . q{' FROM made) FROM uuid_generator_state() WHERE scope = 'server'});
  push @wrong, 'the clock was not set back' if $set_back > time - $crashed && $ahead ne 't';
  push @wrong, 'the table has a value twice, or one that nobody was told' if $whole ne 't';
  return @wrong;
}

# Seconds by which the clock is set back for the next start: none, within the mark's lead, around it,
# and far beyond.
my @set_backs = (0, 0.3, 0.9, 1.5, 1.9, 2.1, 3, 10, 60, 3_600, 86_400, 30 * 86_400);

# Cycles through all kinds of crashes and all offsets of the clock.
sub check {
  my ($name, @hows) = @_;
  $node->safe_psql('postgres', 'CREATE TABLE made (id uuid)');
  for my $n (0 .. $#hows) {
    my $set_back = $set_backs[ ($n * 5 + 7) % @set_backs ];
    my @wrong    = cycle($hows[$n], $set_back);
    is(join("\n", @wrong), '', "$name $n: $hows[$n], clock set back by $set_back s: values stay in order");
  }
  return;
}

# Starts a server with this configuration.
sub start {
  my ($name, $conf) = @_;
  ($greatest, $moved) = ('', 0);
  # WAL is flushed only on request, not by chance.
  $server = FaultShim->new(name => $name,
    conf => "restart_after_crash = on\nwal_writer_delay = 10s\n$conf");
  $node = $server->{node};
  return;
}

start('preloaded', "shared_preload_libraries = 'uuidx'\n");
my $crashes = $ENV{UUIDX_CRASHES} // 12;
my @ways    = ('all processes killed', 'immediate stop', 'backend killed');
check('preloaded', (map { $ways[ $_ % @ways ] } 0 .. $crashes - 1), ('clean stop') x 5);

# WAL only, as on a standby: without its file, the mark comes from the record, which was flushed before
# the value was returned, though nothing was committed. 022 has the same after uuid_v7_advance().
{
  pass_greatest();
  $node->safe_psql('postgres', 'CHECKPOINT');
  move_clock($moved + 10);
  my $session = $server->session;
  $session->value('BEGIN');
  $session->error('CREATE TEMP TABLE one AS SELECT uuid_v7_server() AS id');
  $greatest = $session->value('SELECT id FROM one');
  $crashes{'all processes killed'}->();
  eval { $session->quit };
  unlink($node->data_dir . '/uuidx.mark') or die "uuidx.mark: $!";
  move_clock($moved - 1_000);
  $server->start;
  cmp_ok($node->safe_psql('postgres', 'SELECT uuid_v7_server()'), 'gt', $greatest,
    'with the mark in WAL only, values continue above earlier ones');
}

$node->stop;

SKIP: {
  skip 'before PostgreSQL 17 uuidx must be preloaded', 5 if $node->pg_version < 17;
  start('loaded', '');
  check('not preloaded', 'all processes killed', 'immediate stop', 'backend killed',
    'all processes killed', 'clean stop');
  $node->stop;
}

done_testing();
