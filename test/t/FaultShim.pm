# A server whose clock, random source and digests a test can make fail: it runs with
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
  kernel_fails => 1, openssl_fails => 4, openssl_constant => 8, cipher_fails => 16);

# Starts a server with the extension; nothing is wrong with it yet.
#   name => of the node, conf => lines of postgresql.conf, streaming => for init's allows_streaming
sub new {
  my ($class, %options) = @_;
  my $folder  = PostgreSQL::Test::Utils::tempdir();
  my $library = "$folder/fault.so";
  my $self    = bless {page => "$folder/fault.page", library => $library}, $class;

  system_or_bail(split(' ', $ENV{CC} // 'cc'),
    qw(-shared -fPIC -O2 -o), $library, "$FindBin::RealBin/../shim/fault.c", '-ldl');
  append_to_file($self->{page}, pack('q6 Z32 q', (0) x 6, '', 0));

  $self->{node} = PostgreSQL::Test::Cluster->new($options{name} // 'fault');
  $self->{node}->init(allows_streaming => $options{streaming});
  $self->{node}->append_conf('postgresql.conf',
    "timezone = 'UTC'\nautovacuum = off\n" . ($options{conf} // ''));
  $self->start;
  $self->{node}->safe_psql('postgres', 'CREATE EXTENSION uuidx');
  return $self;
}

# Starts the server again once it is down. What is wrong stays so.
sub start {
  my ($self) = @_;
  # After what is preloaded already: a sanitizer wants to be first.
  local %ENV = (%ENV, UUIDX_FAULT => $self->{page});
  $ENV{LD_PRELOAD} = join(' ', grep { $_ } $ENV{LD_PRELOAD}, $self->{library});
  $self->{node}->start;
  return;
}

# Says what is wrong from now on; what is not named is real again. A new session needs random
# values, so connect before they fail.
#   clock => 'set' | 'moved', time => [seconds, nanoseconds], step => nanoseconds at each reading
#   idle => seconds by which the clock that nobody sets has gone on, too
#   random => 'fails' | 'constant', the kernel's and OpenSSL's generator alike; of one alone
#     'kernel_fails' | 'openssl_fails' | 'openssl_constant'; 'cipher_fails'
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

1;
