# The disk of the servers that can lose power: disk.sh serves its commands in the folder UUIDX_DISK. Without it, there
# is no such disk.
package Power;

use strict;
use warnings FATAL => 'all';
use experimental qw(signatures);
use PostgreSQL::Test::Utils;

sub can_fail { return defined $ENV{UUIDX_DISK} }

# Returns the disk's folder for servers, or nothing.
sub folder { return can_fail() ? "$ENV{UUIDX_DISK}/data" : undef }

# Flushes what the test itself has written, unlike a server.
sub flush {
  system_or_bail('sync', '--file-system', folder()) if can_fail();
}

# Cuts the power off: what was not flushed is lost.
sub off { return command('off') }

# Turns the power on again; some percent of the blocks written from then on last without a flush.
sub back { return command("back $_[0]") }

sub command($command) {
  local $SIG{ALRM} = sub { die "the disk does not obey: $command\n" };
  alarm(120);
  append_to_file("$ENV{UUIDX_DISK}/command", "$command\n");
  my $answer = slurp_file("$ENV{UUIDX_DISK}/answer");
  alarm(0);
  die "the disk failed: $command\n" if $answer ne "done\n";
}

1;
