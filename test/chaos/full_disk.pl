# Fills the disks of a server whose data directory and pg_wal are on small ones, while clients call uuid_v7_server():
# values are right or there is an error, and nothing is lost once there is space again. Makes a history in
# UUIDX_HISTORY, which judge.pl judges. UUIDX_SMALL_DISKS has the disks `data` and `wal`.

use strict;
use warnings FATAL => 'all';
use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../t";
use Client;
use FaultShim;
use Helpers qw(error_of);
use PostgreSQL::Test::Utils;
use Servers;
use Test::More;
use Time::HiRes qw(usleep);

my $disks = $ENV{UUIDX_SMALL_DISKS} or plan skip_all => 'needs small disks';
$Client::folder = $ENV{UUIDX_HISTORY} // PostgreSQL::Test::Utils::tempdir();
$Client::seed   = $ENV{UUIDX_SEED}    // 1;

my @inserted;    # values of rows that were committed

# Fills a disk to its last page.
sub fill {
  my ($disk) = @_;
  open(my $file, '>', "$disks/$disk/filling") or die "$disk: $!";
  for my $size (1_048_576, 4_096) { 1 while syswrite($file, "\0" x $size) }
  close($file);
  return;
}

# Commits a row and needs another segment of WAL. Returns whether that has succeeded.
sub insert {
  my $id = qx(psql -XAtq -d '@{[$primary->{node}->connstr('postgres')]}' \\
    -c 'INSERT INTO made VALUES (uuid_v7_server()) RETURNING id' -c 'SELECT pg_switch_wal()' 2>&1);
  push @inserted, $1 if $id =~ /^([0-9a-f-]{36})$/m;
  return $? == 0;
}

# Lets clients call while disks are full, until enough marks were needed and, if it is that of the WAL, until the server
# has ended. Then there is space again, and the server starts with the clock set back.
sub use_full_disks {
  my @disks = @_;
  Client::start_all($primary->{node});
  fill($_) for @disks;
  for (1 .. 10) {
    step_forward(3);
    usleep(100_000);
    insert();
  }
  unlink("$disks/$_/filling") for @disks;
  note_end();
  # It may have ended.
  $primary->{node}->stop('immediate', fail_ok => 1);
  Client::await_end();
  start_primary(60);
  return;
}

# Fills the disk before there is a mark file.
sub create_on_full_disk {
  fill('data');
  like(error_of($primary->{node}, 'SELECT uuid_v7_server()'), qr/ERROR:  53100:/, 'the first mark needs space');
  unlink("$disks/data/filling");
  take_value();
  return;
}

$primary = FaultShim->new(
  name   => 'small',
  folder => "$disks/data",
  init   => {extra => [ '--wal-segsize=1', "--waldir=$disks/wal/pg_wal" ]},
  conf   => "restart_after_crash = on\nfsync = on\nshared_preload_libraries = 'uuidx'\n"
    . "uuidx.max_clock_lead = '1 h'\n");
$primary->{node}->safe_psql('postgres', 'CREATE TABLE made (id uuid PRIMARY KEY)');

my %events = (
  creation => \&create_on_full_disk,
  data     => sub { use_full_disks('data') },
  wal      => sub { use_full_disks('wal') },
  both     => sub { use_full_disks('data', 'wal') });

my $record = Client::Record->new("$Client::folder/events");
$record->add('p', $record->now, sort keys %events);
for my $kind (qw(creation data wal both)) {
  note($kind);
  my $begin = $record->now;
  $events{$kind}->();
  $record->add('h', $begin, $kind);
}
Client::start_all($primary->{node});
usleep(500_000);
Client::end_all();
$record->add('x', $record->now, Client::sessions());

my $ids = join(', ', map { "'$_'" } @inserted);
is($primary->{node}->safe_psql('postgres', "SELECT count(*) FROM made WHERE id IN ($ids)"), @inserted,
  'all committed rows survive the full disks');
$primary->{node}->stop('fast');
done_testing();
