# A server with test/t/fault.c preloaded, into whose clock, random source, digests, mark file and memory a test
# injects faults.
package FaultShim;

use Helpers;
use Time::Local qw(timegm);

# The control page as test/t/fault.c declares it: offsets and formats of the fields, and values of the names.
my $source = slurp_file(__FILE__ =~ s/FaultShim\.pm$/fault.c/r);
my (%offset, %format);
my $size = 0;
for ($source =~ /^struct page \{\n(.*?)^\};/ms ? split(/\n/, $1) : die 'no page') {
  my ($name, $length) = /^  (?:int64_t|char) (\w+)(?:\[(\d+)\])?;/ or die "no field: $_";
  ($offset{$name}, $format{$name}) = ($size, defined $length ? "Z$length" : 'q');
  $size += $length // 8;
}
my %value = map { lc } $source =~ /\b([A-Z_]{4,}) = (\d+)/g;

# Returns the value of names, all bits of it.
sub bits {
  my $bits = 0;
  $bits |= $value{$_} // die "unknown fault: $_" for @_;
  return $bits;
}

# Starts a server with the extension, without faults.
#   name => of the node, conf => lines of postgresql.conf, init => options for the node's init
#   folder => of its data, and of those restored from it, if not the tests' own
#   memory => true to enable starve()
sub new($class, %options) {
  my $library = compile('fault.c', $options{memory} ? '-DFAULT_MEMORY' : (), '-ldl');
  my $self    = $class->_create($options{name} // 'fault', $library, $options{folder});
  $self->{node}->init(%{$options{init} // {}});
  $self->{node}->append_conf('postgresql.conf', "timezone = 'UTC'\nautovacuum = off\n" . ($options{conf} // ''));
  $self->start;
  $self->{node}->safe_psql('postgres', 'CREATE EXTENSION uuidx');
  return $self;
}

# Returns a server from a backup of this one, not started, with faults of its own.
#   name => of the node, backup => name, conf => lines of postgresql.conf
#   init => options for the node's init_from_backup
sub restore($self, %options) {
  my $new = (ref $self)->_create($options{name}, $self->{library}, $self->{folder});
  $new->{node}->init_from_backup($self->{node}, $options{backup}, %{$options{init}});
  $new->{node}->append_conf('postgresql.conf', $options{conf});
  return $new;
}

# Creates the control page, without faults, and the node, with its data in the folder if there is one.
sub _create($class, $name, $library, $folder) {
  my $self = bless {library => $library, page => "$library.$name", folder => $folder}, $class;
  append_to_file($self->{page}, "\0" x $size);
  open($self->{file}, '+<', $self->{page}) or die "$self->{page}: $!";
  $self->{node} = PostgreSQL::Test::Cluster->new($name);
  return $self if !defined $folder;
  $self->{node}{_basedir} = "$folder/$name";
  mkdir($self->{node}->basedir) or die "$folder/$name: $!";
  return $self;
}

# Restarts a stopped server, with options of the node's start. Faults remain.
sub start($self, %options) {
  # After other preloaded libraries: a sanitizer must be first.
  local %ENV = (%ENV, UUIDX_FAULT => $self->{page});
  $ENV{LD_PRELOAD} = join(' ', grep { $_ } $ENV{LD_PRELOAD}, $self->{library});
  return $self->{node}->start(%options);
}

# Restarts the server at noon of the 15th, so that neither the day nor the month ends during a test.
sub restart_in_midmonth($self) {
  my ($month, $year) = (gmtime)[4, 5];
  $self->{node}->stop;
  $self->fault(clock => 'moved', time => [timegm(0, 0, 12, 15, $month, $year) - time, 0]);
  return $self->start;
}

# Sets the faults from now on; others are cleared. A new session needs random values, so connect before they fail.
#   clock => 'set' | 'moved', time => [seconds, nanoseconds], step => nanoseconds at each reading
#   random => 'fails' | 'constant', for the kernel's and OpenSSL's generator; or a name in fault.c, in lower case
#   digest => name that OpenSSL lacks
sub fault($self, %fault) {
  my %page;
  @page{'seconds', 'nanoseconds'} = @{delete $fault{time} // [0, 0]};
  $page{clock}  = bits('clock_' . (delete $fault{clock} // 'real'));
  $page{random} = bits(map { /^(?:fails|constant)$/ ? ("kernel_$_", "openssl_$_") : $_ }
    grep { defined } delete $fault{random});
  $page{step}   = delete $fault{step} // 0;
  $page{digest} = delete $fault{digest} // '';
  die "unknown fault: @{[%fault]}" if %fault;
  $self->_set(%page);
}

# Refuses memory to a process: after a number of granted requests of at least some bytes, refuses one.
# Without arguments, stops refusing. Returns the refusals since the previous call.
#   pid => of the process, least => bytes (0), granted => requests (0)
sub starve($self, %of) {
  my $before = $self->_get('refused');
  $self->_set(starved => $of{pid} // 0, least => $of{least} // 0, granted => $of{granted} // 0, refused => 0);
  return $before;
}

# Makes calls on the mark file fail, or its flushes slow. Without arguments, clears this.
#   calls => of 'open', 'write', 'flush', 'flush_directory', error => errno, 0 for none, delay => milliseconds
sub fault_mark($self, %of) {
  $self->_set(failing => bits(map { "${_}_fails" } @{$of{calls} // []}), error => $of{error} // 0,
    delay => $of{delay} // 0);
}

# Returns the number of files flushed by the server.
sub flushes { return $_[0]->_get('flushes') }

# Returns the number of digest requests with a nonempty OpenSSL error queue.
sub leftovers { return $_[0]->_get('leftovers') }

# Sets fields of the control page that adjoin, by one write, so that the server sees all of them or none.
sub _set($self, %field) {
  my ($first, @others) = sort { $offset{$a} <=> $offset{$b} } keys %field;
  my $bytes = pack($format{$first}, $field{$first});
  for (@others) {
    die "fields do not adjoin at $_" if $offset{$_} != $offset{$first} + length $bytes;
    $bytes .= pack($format{$_}, $field{$_});
  }
  sysseek($self->{file}, $offset{$first}, 0) && syswrite($self->{file}, $bytes) or die "$self->{page}: $!";
}

# Returns a field of the control page.
sub _get($self, $field) {
  sysseek($self->{file}, $offset{$field}, 0) && sysread($self->{file}, my $bytes, 8) or die "$self->{page}: $!";
  return unpack($format{$field}, $bytes);
}

# Runs statements, whose messages are an error; returns what they print. Arguments: statements, database (postgres).
sub sql($self, $statements, $database = 'postgres') {
  return $self->{node}->safe_psql($database, $statements);
}

# A session that stays open while there is a variable for it, as the generators' state is the backend's. It needs random
# values to start: there are no faults then.
sub session($self) {
  $self->fault;
  return FaultShim::Session->new($self->{node});
}

# A session for statements in the background, in a database of this name.
sub line($self, $database = 'postgres') {
  return FaultShim::Line->new($self->{node}, $database);
}

package FaultShim::Session;

sub new($class, $node) {
  # This timeout is outside the server, where a frozen clock stops statement_timeout, too.
  my $psql = $node->background_psql('postgres', on_error_stop => 0, timeout => 60);
  $psql->set_query_timer_restart;
  my $self = bless {psql => $psql}, $class;
  $self->value('\set VERBOSITY verbose');
  $self->value('CREATE TEMP TABLE made (n bigint GENERATED ALWAYS AS IDENTITY, id uuid)');
  return $self;
}

# Runs a statement; returns its output and its messages.
sub _run($self, $sql) {
  my $output = $self->{psql}->query($sql);
  my $messages = $self->{psql}{stderr} =~ s/^psql:<stdin>:\d+: //gmr;
  $self->{psql}{stderr} = '';
  return ($output, $messages);
}

# Runs a statement and returns its output; dies if it fails. Ignores warnings, as a wrong clock gives some.
sub value($self, $sql) {
  my ($output, $messages) = $self->_run($sql);
  die "$sql: $messages" if $messages !~ /\A(?:WARNING:|\z)/ || $messages =~ /^(?:ERROR|FATAL|PANIC):/m;
  return $output;
}

# Runs a statement and returns its warnings and its error, with SQLSTATE, detail and hint; '' if there are none.
sub error { return ($_[0]->_run($_[1]))[1] }

# Generates values in one statement and stores them in the session's table `made`, in order.
sub make($self, $call, $count) {
  $self->value("INSERT INTO made (id) SELECT $call FROM generate_series(1, $count)");
}

# Counts values of `made` that are not greater than the previous one.
sub out_of_order($self) {
  return $self->value('SELECT count(*) FILTER (WHERE wrong) '
      . 'FROM (SELECT id <= lag(id) OVER (ORDER BY n) AS wrong FROM made) AS pairs');
}

sub DESTROY($self) {
  $self->{psql}->quit if ${^GLOBAL_PHASE} ne 'DESTRUCT';
}

package FaultShim::Line;

use IO::Select;
use IPC::Open3;
use Time::HiRes;

# Errors are reduced to the SQLSTATE: 'ERROR:  57014'.
sub new($class, $node, $database = 'postgres') {
  my $self = bless {heard => ''}, $class;
  # Warnings about the clock are tested separately.
  local $ENV{PGOPTIONS} = '-c client_min_messages=error';
  $self->{process} = open3($self->{to}, $self->{from}, undef,
    'psql', '-XAtq', '-v', 'VERBOSITY=sqlstate', '-d', $node->connstr($database));
  $self->{pid} = $self->ask('SELECT pg_backend_pid();');
  return $self;
}

# Returns the process ID of its backend.
sub pid { return $_[0]{pid} }

# Sends lines of a psql script.
sub say($self, $sql) {
  local $SIG{PIPE} = 'IGNORE';
  $self->{to}->autoflush;
  print {$self->{to}} "$sql\n";
  return $self;
}

# Returns the next line of output, or nothing after a timeout in seconds.
sub next_line($self, $seconds) {
  my $deadline = Time::HiRes::time() + $seconds;
  until ($self->{heard} =~ /\n/) {
    my $left = $deadline - Time::HiRes::time();
    if (!IO::Select->new($self->{from})->can_read($left > 0 ? $left : 0)) {
      # Continues if a signal has ended the wait, as the end of another psql does.
      return if Time::HiRes::time() >= $deadline;
      next;
    }
    sysread($self->{from}, $self->{heard}, 65_536, length $self->{heard}) or die 'psql has ended';
  }
  (my $line, $self->{heard}) = split(/\n/, $self->{heard}, 2);
  # In a script, psql begins with the place.
  return $line =~ s/^psql:\S+:\d+: //r;
}

# Waits for a line of output, and dies on a timeout: a spinning statement ends with the server.
sub hear($self) {
  return $self->next_line(60) // die 'timed out';
}

sub ask($self, $sql) {
  return $self->say($sql)->hear;
}

# Ends the session after its statements.
sub quit($self) {
  close($self->{to});
  1 while sysread($self->{from}, my $ignored, 65_536);
  close($self->{from});
  waitpid($self->{process}, 0);
}

1;
