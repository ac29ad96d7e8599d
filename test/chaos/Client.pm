# A process that calls uuid_v7_cluster() in all ways until its session ends, and records what it is told, with
# the times before it sent a statement and after it read the line, for judge.pl.
package Client;

use strict;
use warnings FATAL => 'all';
use FaultShim;
use POSIX ();
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC usleep);

# Starts a process. Arguments: node, file for the record, seed. Returns its process ID. At SIGTERM, it calls both
# functions a last time, so that no run is without.
sub start {
  my ($node, $file, $seed) = @_;
  my $done = 0;
  # Set before the process is: it could be signaled at once.
  local $SIG{TERM} = sub { $done = 1 };
  my $pid = fork // die "fork: $!";
  return $pid if $pid;
  srand($seed);
  my $record = Client::Record->new($file);
  # The server may end before or during the connection.
  if (my $line = eval { FaultShim::Line->new($node) }) {
    my $is_alive = 1;
    $is_alive = perform($line, $record, statements()) while $is_alive && !$done;
    perform($line, $record, advance(), 'SELECT uuid_v7_cluster()') if $is_alive;
  }
  $record->add('x', $record->now);
  # Without the test's own end.
  POSIX::_exit(0);
}

# Takes one value, in this process. Arguments: node, file for the record.
sub call_once {
  my ($node, $file) = @_;
  my $record = Client::Record->new($file);
  my $line   = FaultShim::Line->new($node);
  perform($line, $record, 'SELECT uuid_v7_cluster()');
  $record->add('x', $record->now);
  $line->quit;
  return;
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
  my $insert = 'INSERT INTO made VALUES (uuid_v7_cluster()) RETURNING id';
  return 'SELECT uuid_v7_cluster()'       if $chance < 55;
  return "SELECT uuid_v7_cluster() $many" if $chance < 65;
  return $insert                          if $chance < 80;
  return "INSERT INTO made SELECT uuid_v7_cluster() $many RETURNING id" if $chance < 82;
  return advance() if $chance < 84;
  return ('BEGIN', $insert, 'SELECT uuid_v7_cluster()', $insert, $chance < 92 ? 'COMMIT' : 'ROLLBACK');
}

# Runs statements; returns false if the session has ended.
sub perform {
  my ($line, $record, @statements) = @_;
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
sub run {
  my ($line, $sql) = @_;
  my (@ids, @errors, $text);
  $line->say("$sql;\n\\echo .");
  while (defined($text = eval { $line->hear }) && $text ne '.') {
    push @ids,    $text if $text =~ /^[0-9a-f-]{36}$/;
    push @errors, $1    if $text =~ /(?:ERROR|FATAL|PANIC):  ([0-9A-Z]{5})$/;
  }
  return (defined $text, \@ids, \@errors);
}

package Client::Record;

sub new {
  my ($class, $path) = @_;
  open(my $file, '>', $path) or die "$path: $!";
  $file->autoflush;
  return bless {file => $file, lines => 0}, $class;
}

# Returns the time, which no shim moves, in a text of constant width.
sub now { return sprintf('%017.6f', Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC())) }

# Adds a line whose end is now. Arguments: kind, begin, words.
sub add {
  my ($self, $kind, $begin, @words) = @_;
  print {$self->{file}} join(' ', $self->{lines}++, $kind, $begin, $self->now, @words) . "\n";
  return;
}

1;
