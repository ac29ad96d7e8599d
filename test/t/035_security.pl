# doc/security.md is right about roles and messages.
# 009_privileges.pl tests who may create the extension, and a hostile search_path; 036_statements.pl, what
# pg_stat_statements records.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('security');
$node->init;
$node->append_conf('postgresql.conf', q{
shared_preload_libraries = 'uuidx'
log_statement = 'none'
log_min_duration_statement = -1
});
$node->start;
$node->safe_psql('postgres', q{
  CREATE EXTENSION uuidx;
  CREATE ROLE guest LOGIN;
  CREATE ROLE operator LOGIN;
  GRANT EXECUTE ON FUNCTION uuid_v7_advance(uuid) TO operator;
});

# Runs SQL as a role; returns output, or messages with SQLSTATE if it fails.
sub run_as {
  my ($role, $sql) = @_;
  my ($code, $output, $message) = $node->psql('postgres', "\\set VERBOSITY verbose\n$sql",
    extra_params => [ '--username', $role ]);
  return $code == 0 ? $output : $message;
}

# Advancing the server needs a privilege. sql/node.sql and 023_nodes.pl test who may change settings.
my $advance = 'SELECT uuid_v7_advance(uuid_v7_at(now()))';
like(run_as('guest', $advance), qr/ERROR:  42501: /, 'a guest may not advance the server');
unlike(run_as('operator', $advance), qr/ERROR/, 'a role with the privilege may advance the server');

# No function runs with another role's privileges; all C functions are in this library.
is( $node->safe_psql('postgres', q{
    SELECT count(*), count(*) FILTER (WHERE prosecdef),
      count(*) FILTER (WHERE probin IS NOT NULL AND probin <> 'uuidx')
    FROM pg_proc JOIN pg_depend AS d ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid
    JOIN pg_extension AS e ON d.deptype = 'e' AND refobjid = e.oid AND extname = 'uuidx'}) =~
    s/^[1-9]\d+\|//r, '0|0', 'no function is SECURITY DEFINER or in another library');

# No message has a masking key or a hashed name.
my $key    = q{'\x5ec4e75ec4e75ec4e75ec4e75ec4e700'};
my $secret = qr/5ec4e7|hush/i;
for my $call (
  "uuid_v47_mask(uuid_v4(), $key)", "uuid_v47_unmask(uuid_v7(), $key)",
  q{uuid_v47_mask(uuid_v7(), '\x5ec4e7')}, q{uuid_v8_hash('no such digest', uuid_v4(), 'hush')})
{
  my ($code, undef, $message) = $node->psql('postgres', "SELECT $call");
  isnt($code, 0, "$call fails");
  # Without the line of a syntax error, which psql repeats.
  unlike($message =~ s/^LINE .*\n.*\n?//mr, $secret, "the error of $call shows no secret");
}

done_testing();
