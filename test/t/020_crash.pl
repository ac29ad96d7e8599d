# uuid_v7_server() keeps its order after crashes, even if the clock is set back.
# Each way to crash a server once, while sessions generate values with and without a commit; test/chaos/ has many, at
# random.

use FaultShim;
use Helpers;
use IPC::Run;
use List::Util qw(maxstr);
use Time::HiRes qw(time usleep);

my ($server, $node);
my $folder = PostgreSQL::Test::Utils::tempdir();

# Sets the clock's offset from real time, in seconds.
sub move_clock($seconds) {
  $server->fault(clock => 'moved', time => [ $seconds, 0 ]);
}

# Scripts of writers, too long to end: values of committed, rolled back and open transactions, and many in a statement.
my $row     = 'INSERT INTO made VALUES (uuid_v7_server()) RETURNING id;';
my %scripts = (
  commits => ['', "$row BEGIN; SELECT uuid_v7_server(); $row COMMIT; BEGIN; $row ROLLBACK;"],
  open    => ['BEGIN;', "SELECT uuid_v7_server(); $row"],
  stream  => ['BEGIN;', 'SELECT uuid_v7_server() FROM generate_series(1, 100);']);
append_to_file("$folder/$_.sql", "SELECT pg_backend_pid(); $scripts{$_}[0]" . "$scripts{$_}[1]\n" x 50_000)
  for keys %scripts;

# Starts a psql that runs a script and writes its results to a file.
sub start_writer($name) {
  my $run = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', "$folder/$name.sql" ],
    '>', "$folder/$name", '2>', "$folder/$name.error");
  return {run => $run, output => "$folder/$name"};
}

# Returns the complete lines that a writer has received: its process ID, then its values.
sub lines_of { return slurp_file($_[0]{output}) =~ /^(.+)\n/mg }

# Ways to crash or stop. All leave the server down except the last, after which it restarts.
my %crashes = (
  'all processes killed' => sub { kill_server($node) },
  'immediate stop'       => sub { $node->stop('immediate') },
  'clean stop'           => sub { $node->stop('fast') },
  'backend killed'       => sub { kill('KILL', map { (lines_of($_))[0] } @_) or die 'no writer is left' });

# Runs writers while the clock jumps ahead, so that the mark is raised repeatedly; crashes the server, sets the clock
# back and restarts it. Returns the faults. Arguments: way to crash, seconds ahead at first and set back.
sub cycle($how, $ahead, $set_back) {
  my (@wrong, %seen);
  move_clock($ahead);
  my $before  = $node->safe_psql('postgres', 'SELECT uuid_v7_server()');
  my @writers = map { start_writer($_) } sort keys %scripts;
  wait_for('values', sub { !grep { (-s $_->{output} // 0) < 20 * 40 } @writers });
  for (1 .. 3) {
    move_clock(++$ahead);
    usleep(20_000);
  }
  $crashes{$how}->(@writers);
  $_->{run}->finish for @writers;

  for my $writer (@writers) {
    my (undef, @ids) = lines_of($writer);
    push @wrong, 'a session is not increasing'        if out_of_order($before, @ids) != 0;
    push @wrong, 'a value that another session has'   if grep { $seen{$_}++ } @ids;
  }
  move_clock($ahead - $set_back);
  $server->start unless $how eq 'backend killed';
  # If the server restarts by itself, waits for a connection.
  wait_for_server($node);
  my @ids = (maxstr(keys %seen),
    map { split /\n/, $node->safe_psql('postgres', "SELECT uuid_v7_server(); $row") } 1, 2);
  push @wrong, "after the crash: @ids" if out_of_order(@ids) != 0;
  push @wrong, 'the table has a value twice, or one that nobody was told' if $node->safe_psql('postgres',
    "SELECT count(*) <> count(DISTINCT id) OR max(id) > '$ids[-1]' FROM made") ne 'f';
  return @wrong;
}

# Cycles through these crashes, with the clock set back within the mark's lead, around it, and far beyond.
sub check($name, $conf, @hows) {
  # WAL is flushed only on request, not by chance.
  $server = FaultShim->new(name => $name, conf => "restart_after_crash = on\nwal_writer_delay = 10s\n$conf");
  $node   = $server->{node};
  $node->safe_psql('postgres', 'CREATE TABLE made (id uuid)');
  my @set_backs = (0, 1, 2, 3, 60, 3_600);
  for my $n (0 .. $#hows) {
    my $set_back = $set_backs[ ($n * 5 + 4) % @set_backs ];
    # Ahead of all earlier values, so that values follow the clock again.
    is(join("\n", cycle($hows[$n], 10_000 * $n, $set_back)), '',
      "$name $n: $hows[$n], clock set back by $set_back s: values stay in order");
  }
  $node->stop;
}

check('preloaded', "shared_preload_libraries = 'uuidx'\n", sort(keys %crashes), 'all processes killed');
SKIP: {
  skip 'before PostgreSQL 17 uuidx must be preloaded', 4 if $node->pg_version < 17;
  check('loaded', '', sort keys %crashes);
}
done_testing();
