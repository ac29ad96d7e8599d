# A server whose clock, random source, digests, mark file and memory a test can make fail: it runs with
# test/shim/fault.c preloaded.
package FaultShim;

use strict;
use warnings FATAL => 'all';
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my %clock_modes  = (real => 0, set   => 1, moved    => 2);
my %random_modes = (
  real => 0, fails => 1 + 4, constant => 2 + 8,
  kernel_fails => 1, openssl_fails => 4, openssl_constant => 8, cipher_fails => 16,
  no_cipher_context => 32, no_digest_context => 64);
my %file_calls = (open => 1, write => 2, flush => 4);

# Starts a server with the extension; nothing is wrong with it yet.
#   name => of the node, conf => lines of postgresql.conf, init => options for the node's init
#   memory => true where starve() is to work
sub new {
  my ($class, %options) = @_;
  my $folder  = PostgreSQL::Test::Utils::tempdir();
  my $library = "$folder/fault.so";
  my $self    = bless {page => "$folder/fault.page", library => $library}, $class;

  my @memory = $options{memory} ? '-DFAULT_MEMORY' : ();
  system_or_bail(split(' ', $ENV{CC} // 'cc'),
    @memory, qw(-shared -fPIC -O2 -o), $library, "$FindBin::RealBin/../shim/fault.c", '-ldl');
  append_to_file($self->{page}, pack('q6 Z32 q q5 q5', (0) x 6, '', 0, (0) x 10));

  $self->{node} = PostgreSQL::Test::Cluster->new($options{name} // 'fault');
  $self->{node}->init(%{$options{init} // {}});
  $self->{node}->append_conf('postgresql.conf',
    "timezone = 'UTC'\nautovacuum = off\n" . ($options{conf} // ''));
  $self->start;
  $self->{node}->safe_psql('postgres', 'CREATE EXTENSION uuidx');
  return $self;
}

# Starts the server again once it is down, with options of the node's start. What is wrong stays so.
sub start {
  my ($self, %options) = @_;
  # After what is preloaded already: a sanitizer wants to be first.
  local %ENV = (%ENV, UUIDX_FAULT => $self->{page});
  $ENV{LD_PRELOAD} = join(' ', grep { $_ } $ENV{LD_PRELOAD}, $self->{library});
  return $self->{node}->start(%options);
}

# Says what is wrong from now on; what is not named is real again. A new session needs random
# values, so connect before they fail.
#   clock => 'set' | 'moved', time => [seconds, nanoseconds], step => nanoseconds at each reading
#   idle => seconds by which the clock that nobody sets has gone on, too
#   random => 'fails' | 'constant', the kernel's and OpenSSL's generator alike; of one alone
#     'kernel_fails' | 'openssl_fails' | 'openssl_constant'; 'cipher_fails'; where OpenSSL cannot
#     make them 'no_cipher_context' | 'no_digest_context'
#   digest => the name that OpenSSL does not offer
sub fault {
  my ($self, %fault) = @_;
  my $clock  = $clock_modes{delete $fault{clock}   // 'real'};
  my $random = $random_modes{delete $fault{random} // 'real'};
  my @time   = @{delete $fault{time} // [0, 0]};
  my ($step, $idle) = (delete $fault{step} // 0, delete $fault{idle} // 0);
  my $digest = delete $fault{digest} // '';
  die "unknown fault: @{[%fault]}" if %fault;

  # Up to the count that the library keeps.
  my $page = pack('q6 Z32', $clock, @time, $step, $idle, $random, $digest);
  $self->_page(sub { syswrite($_[0], $page) });
  return;
}

# Refuses memory to a process: of its requests for so many bytes or more it gets so many, and then
# some are refused. Without arguments nothing is refused any more. Returns how many were refused
# since the call before.
#   pid => of the process, least => bytes (0), granted => requests (0), refusals => requests (1)
sub starve {
  my ($self, %of) = @_;
  my $page = pack('q5', $of{pid} // 0, $of{least} // 0, $of{granted} // 0, $of{refusals} // 1, 0);
  my $before;
  $self->_page(sub { sysseek($_[0], 88, 0) && sysread($_[0], $before, 40) });
  $self->_page(sub { sysseek($_[0], 88, 0) && syswrite($_[0], $page) });
  return (unpack('q5', $before))[-1];
}

# Makes calls on the mark file fail, or its flushes slow. Without arguments all is well again.
#   calls => of 'open', 'write', 'flush', error => by this errno, delay => milliseconds
sub fault_mark {
  my ($self, %of) = @_;
  my $calls = 0;
  $calls |= $file_calls{$_} for @{$of{calls} // []};
  my $page = pack('q3', $calls, $of{error} // 0, $of{delay} // 0);
  $self->_page(sub { sysseek($_[0], 128, 0) && syswrite($_[0], $page) });
  return;
}

# Makes each reading of the clock that counts from the boot take so many milliseconds longer.
sub slow_boot_clock {
  my ($self, $milliseconds) = @_;
  $self->_page(sub { sysseek($_[0], 160, 0) && syswrite($_[0], pack('q', $milliseconds)) });
  return;
}

# How many files the server's processes have flushed.
sub flushes {
  my ($self) = @_;
  my $page;
  $self->_page(sub { sysseek($_[0], 152, 0) && sysread($_[0], $page, 8) });
  return unpack('q', $page);
}

# How often a digest was asked for while OpenSSL's error queue held somebody's leftovers.
sub leftovers {
  my ($self) = @_;
  my $page;
  $self->_page(sub { sysread($_[0], $page, 88) });
  return (unpack('q6 Z32 q', $page))[-1];
}

sub _page {
  my ($self, $use) = @_;
  open(my $file, '+<', $self->{page}) or die "$self->{page}: $!";
  $use->($file)                       or die "$self->{page}: $!";
  close($file)                        or die "$self->{page}: $!";
  return;
}

# A session that stays open, as the generators' state is the backend's.
sub session {
  my ($self) = @_;
  return FaultShim::Session->new($self->{node});
}

# A session that is told statements without waiting for their end, in a database of this name.
sub line {
  my ($self, $database) = @_;
  return FaultShim::Line->new($self->{node}, $database // 'postgres');
}

package FaultShim::Session;

sub new {
  my ($class, $node) = @_;
  # What ends a statement that spins is this timeout, outside the server: there a clock that
  # stands still stops statement_timeout, too.
  my $psql = $node->background_psql('postgres', on_error_stop => 0, timeout => 60);
  $psql->set_query_timer_restart;
  my $self = bless {psql => $psql}, $class;
  $self->value('\set VERBOSITY verbose');
  $self->value('CREATE TEMP TABLE made (n bigint GENERATED ALWAYS AS IDENTITY, id uuid)');
  return $self;
}

# Runs a statement and returns what it printed; dies when it fails. A warning is no failure: a clock
# that is wrong gives some.
sub value {
  my ($self, $sql) = @_;
  my $value = $self->{psql}->query($sql);
  my $error = $self->_take_error;
  die "$sql: $error" if $error !~ /\A(?:WARNING:|\z)/ || $error =~ /^(?:ERROR|FATAL|PANIC):/m;
  return $value;
}

# Runs a statement and returns its error with SQLSTATE, detail and hint, after its warnings; '' when
# it succeeds without any.
sub error {
  my ($self, $sql) = @_;
  $self->{psql}->query($sql);
  return $self->_take_error;
}

sub _take_error {
  my ($self) = @_;
  my $error = $self->{psql}{stderr} =~ s/^psql:<stdin>:\d+: //gmr;
  $self->{psql}{stderr} = '';
  return $error;
}

# Makes values in one statement and keeps them in the session's table `made`, in order.
sub make {
  my ($self, $call, $count) = @_;
  $self->value("INSERT INTO made (id) SELECT $call FROM generate_series(1, $count)");
  return;
}

# How many values of `made` are not greater than the one before.
sub out_of_order {
  my ($self) = @_;
  return $self->value('SELECT count(*) FROM '
      . '(SELECT id <= lag(id) OVER (ORDER BY n) AS wrong FROM made) AS pairs WHERE wrong');
}

# How many values of `made` are there and how many of them differ, as 'count|distinct'.
sub counted {
  my ($self) = @_;
  return $self->value('SELECT count(*), count(DISTINCT id) FROM made');
}

sub quit {
  my ($self) = @_;
  $self->{psql}->quit;
  return;
}

package FaultShim::Line;

use IO::Select;
use IPC::Open3;
use Time::HiRes;

# Of an error, only the SQLSTATE is heard: 'ERROR:  57014'.
sub new {
  my ($class, $node, $database) = @_;
  my $self = bless {heard => ''}, $class;
  # Warnings about the clock are looked at elsewhere.
  local $ENV{PGOPTIONS} = '-c client_min_messages=error';
  $self->{process} = open3($self->{to}, $self->{from}, undef,
    'psql', '-XAtq', '-v', 'VERBOSITY=sqlstate', '-d', $node->connstr($database));
  $self->{pid} = $self->ask('SELECT pg_backend_pid();');
  return $self;
}

# The process id of its backend.
sub pid { return $_[0]{pid} }

# Tells it lines of a psql script.
sub say {
  my ($self, $sql) = @_;
  local $SIG{PIPE} = 'IGNORE';
  $self->{to}->autoflush;
  print {$self->{to}} "$sql\n";
  return $self;
}

# The next line of output, or nothing where there is none within so many seconds.
sub next_line {
  my ($self, $seconds) = @_;
  my $deadline = Time::HiRes::time() + $seconds;
  until ($self->{heard} =~ /\n/) {
    my $left = $deadline - Time::HiRes::time();
    if (!IO::Select->new($self->{from})->can_read($left > 0 ? $left : 0)) {
      # Not the end of the wait where a signal has ended it, as another psql's end does.
      return if Time::HiRes::time() >= $deadline;
      next;
    }
    sysread($self->{from}, $self->{heard}, 65_536, length $self->{heard}) or die 'psql has ended';
  }
  (my $line, $self->{heard}) = split(/\n/, $self->{heard}, 2);
  # Where a script is read, psql begins with the place.
  return $line =~ s/^psql:\S+:\d+: //r;
}

# Waits for a line of output, and dies when there is none: what spins ends with the server.
sub hear {
  my ($self) = @_;
  return $self->next_line(60) // die 'timed out';
}

sub ask {
  my ($self, $sql) = @_;
  return $self->say($sql)->hear;
}

# Ends it, once psql has done what it was told.
sub quit {
  my ($self) = @_;
  close($self->{to});
  1 while sysread($self->{from}, my $ignored, 65_536);
  close($self->{from});
  waitpid($self->{process}, 0);
  return;
}

1;
