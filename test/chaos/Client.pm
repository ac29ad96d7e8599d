# Processes that call uuid_v7_server() in all ways until their sessions end, and record what they are told, with
# the times before they sent a statement and after they read the line, for judge.pl.
package Client;

use FaultShim;
use Helpers qw(wait_for);
use POSIX ();
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC usleep);

our ($folder, $seed);   # set by the test: of the records, and of the clients' choices
my $sessions = 0;       # all that were started
my %running;            # process IDs
my $done     = 0;       # in a process that is to end

# Returns the number of sessions so far.
sub sessions { return $sessions }

# Counts the processes that have not ended.
sub count {
  delete @running{grep { waitpid($_, POSIX::WNOHANG()) != 0 } keys %running};
  return scalar keys %running;
}

# Starts processes on a node until there are four.
sub start_all($node) {
  start($node, \&call_always) while count() < 4;
}

# Starts a process that takes one value of a node, and waits until it has ended, some seconds at most. Returns whether
# it has.
sub call_within($node, $seconds) {
  my $pid = start($node, \&call_once);
  return eval { wait_for('a value', sub { count(); !$running{$pid} }, $seconds); 1 } // 0;
}

# Waits until all processes have ended, as their server has.
sub await_end { return wait_for('clients end', sub { count() == 0 }, 600) }

# Asks all processes to end, and waits until they have.
sub end_all {
  kill('TERM', keys %running);
  return await_end();
}

# Returns the greatest value of all records.
sub greatest {
  my $greatest = '';
  for my $path (glob "$folder/session.*") {
    open(my $file, '<', $path) or die "$path: $!";
    while (my $line = <$file>) {
      for my $id ($line =~ /([0-9a-f-]{36})/g) { $greatest = $id if $id gt $greatest }
    }
  }
  return $greatest;
}

# Starts a process with a session. Arguments: node, what to do with it and its record. Returns the process ID.
sub start($node, $call) {
  my $path = sprintf('%s/session.%06d', $folder, $sessions++);
  # Set before the process is: it could be signaled at once.
  local $SIG{TERM} = sub { $done = 1 };
  my $pid = fork // die "fork: $!";
  if ($pid) {
    $running{$pid} = 1;
    return $pid;
  }
  srand($seed + $sessions);
  my $record = Client::Record->new($path);
  # The server may end before or during the connection.
  my $line = eval { FaultShim::Line->new($node) };
  $call->($line, $record) if defined $line;
  $record->add('x', $record->now);
  # Without the test's own end.
  POSIX::_exit(0);
}

# Makes calls until the session ends. At SIGTERM, it calls both functions a last time, so that no run lacks them.
sub call_always($line, $record) {
  my $is_alive = 1;
  $is_alive = perform($line, $record, statements()) while $is_alive && !$done;
  perform($line, $record, advance(), 'SELECT uuid_v7_server()') if $is_alive;
}

# Takes one value.
sub call_once($line, $record) {
  perform($line, $record, 'SELECT uuid_v7_server()');
}

# Returns a call of uuid_v7_advance() with a time up to 1.5 s ahead.
sub advance {
  my $ahead = int rand 1_500;
  return "SELECT uuid_v7_advance(uuid_v7_at(clock_timestamp() + interval '$ahead ms'))";
}

# Returns the statements of one unit of work.
sub statements {
  my $chance = rand 100;
  my $many   = 'FROM generate_series(1, ' . int(2 + rand 40) . ')';
  my $insert = 'INSERT INTO made VALUES (uuid_v7_server()) RETURNING id';
  return 'SELECT uuid_v7_server()'       if $chance < 55;
  return "SELECT uuid_v7_server() $many" if $chance < 65;
  return $insert                          if $chance < 80;
  return "INSERT INTO made SELECT uuid_v7_server() $many RETURNING id" if $chance < 82;
  return advance() if $chance < 84;
  return ('BEGIN', $insert, 'SELECT uuid_v7_server()', $insert, $chance < 92 ? 'COMMIT' : 'ROLLBACK');
}

# Runs statements; returns false if the session has ended.
sub perform($line, $record, @statements) {
  for my $sql (@statements) {
    my $begin = $record->now;
    my ($is_alive, $ids, $errors) = run($line, $sql);
    $record->add($sql =~ /advance/ ? 'a' : 'v', $begin, @$ids) if @$ids;
    $record->add('e', $record->now, $_) for @$errors;
    return 0 if !$is_alive;
  }
  usleep(rand 5_000);
  return 1;
}

# Runs a statement. Returns whether the session goes on, the values, also those before it ended, and the errors'
# SQLSTATEs.
sub run($line, $sql) {
  my (@ids, @errors, $text);
  $line->say("$sql;\n\\echo .");
  while (defined($text = eval { $line->hear }) && $text ne '.') {
    push @ids,    $text if $text =~ /^[0-9a-f-]{36}$/;
    push @errors, $1    if $text =~ /(?:ERROR|FATAL|PANIC):  ([0-9A-Z]{5})$/;
  }
  return (defined $text, \@ids, \@errors);
}

package Client::Record;

sub new($class, $path) {
  open(my $file, '>', $path) or die "$path: $!";
  $file->autoflush;
  return bless {file => $file, lines => 0}, $class;
}

# Returns the time, which no shim moves, in a text of constant width.
sub now { return sprintf('%017.6f', Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC())) }

# Adds a line whose end is now. Arguments: kind, begin, words.
sub add($self, $kind, $begin, @words) {
  print {$self->{file}} join(' ', $self->{lines}++, $kind, $begin, $self->now, @words) . "\n";
}

1;
