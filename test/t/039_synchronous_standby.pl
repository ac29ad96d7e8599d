# No value of uuid_v7_server() is returned before a synchronous standby has its mark.
# For each synchronous_commit. 047 tests failover.

use strict;
use warnings FATAL => 'all';
use FindBin;
use lib $FindBin::RealBin;
use FaultShim;
use Helpers;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $server = FaultShim->new(
  name => 'primary',
  init => {allows_streaming => 1},
  conf => "shared_preload_libraries = 'uuidx'\nuuidx.max_clock_lead = '10 d'\n"
    . "wal_sender_timeout = 0\nwal_receiver_timeout = 0\n");
my $primary = $server->{node};
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;
$primary->append_conf('postgresql.conf', "synchronous_standby_names = 'standby'\n");
$primary->reload;
$primary->poll_query_until('postgres', q{SELECT sync_state = 'sync' FROM pg_stat_replication})
  or die 'the standby is not synchronous';

# Returns a value, or the SQLSTATE of the error, within a second, with this synchronous_commit.
sub attempt {
  my ($commit, $call) = @_;
  $call //= 'uuid_v7_server()';
  my ($code, $value, $messages) = $primary->psql('postgres', qq{
    \\set VERBOSITY verbose
    SET client_min_messages = error;
    SET statement_timeout = '1 s';
    SET synchronous_commit = $commit;
    SELECT $call}, on_error_die => 0);
  return $messages =~ /ERROR:  (\w+)/ ? $1 : $value;
}

my $is_value = qr/^[0-9a-f-]{36}$/;
my $seconds  = 0;

# Waits until the next value needs another mark.
sub pass_mark {
  $server->fault(clock => 'moved', time => [ $seconds += 10, 0 ]);
  return;
}

my @asks  = qw(remote_write on remote_apply);
my @waits = qw(local off);

like(attempt($_), $is_value, "$_: a value is returned while the standby is connected") for @asks, @waits;
my $early = attempt('on');

# The standby is down. Confirmed marks can still be used; then only sessions that do not wait for the standby get
# values.
$standby->stop;
for my $commit (@asks) {
  pass_mark();
  is(attempt($commit), '57014', "$commit: a call is canceled, as no standby confirms the mark");
  is(attempt($commit, 'uuid_v7_advance(uuid_v7_at(clock_timestamp()))'), '57014',
    "$commit: uuid_v7_advance() is canceled, too");
  my $mark = $primary->safe_psql('postgres',
    q{SELECT high_water_mark > clock_timestamp() FROM uuid_generator_state() WHERE scope = 'server'});
  is($mark, 't', "$commit: the server has a mark nevertheless");
  is(attempt($commit), '57014', "$commit: a call below the unconfirmed mark is canceled, too");
  like(attempt($_), $is_value, "$_, after $commit: a value is returned") for @waits;
  is(attempt($commit), '57014', "$commit: a call is canceled even after other sessions got values");
}

# A mark read from the file may not be on a standby.
$primary->stop;
$server->start;
is(attempt('on', "uuid_v7_advance('$early')"), '57014', 'after a restart, uuid_v7_advance() waits for the standby');

# A waiting session continues when the standby is back.
pass_mark();
my $waiting = $server->line;
$waiting->say('SELECT uuid_v7_server();');
ok(waits_for($primary, $waiting->pid, 'SyncRep'), 'a session waits for the standby, with a wait event');
# It holds no lock.
like(attempt('local'), $is_value, 'other sessions do not wait for the standby');
is($waiting->next_line(0), undef, 'the session still waits for the standby');
$standby->start;
like($waiting->hear, $is_value, 'the session gets its value when the standby is back');
$waiting->quit;

done_testing();
