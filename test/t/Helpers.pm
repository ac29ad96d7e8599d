# Functions that several tests share: servers, the order of values, their ticks, the high-water mark, errors, crashes, a
# copy of PostgreSQL, and the blocks of pages. `use Helpers` also enables strictures, fatal warnings and signatures, and
# imports Test::More and PostgreSQL's modules for tests.
package Helpers;

use strict;
use warnings FATAL => 'all';
use experimental qw(signatures);
use Cwd qw(realpath);
use Exporter;
use File::Basename qw(dirname);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes ();

our @EXPORT = (qw($members $tree block_of children_of compile copy_postgresql error_of folder_of is_available kill_nodes
  kill_server mark_in mark_of out_of_order outcome_of parallel_settings start_node tick_of version_of wait_for
  wait_for_server waits_for), @Test::More::EXPORT, @PostgreSQL::Test::Utils::EXPORT);

# The members of the extension, as a table of SQL.
our $members = q{(SELECT d.classid, d.objid FROM pg_catalog.pg_depend AS d JOIN pg_catalog.pg_extension AS e
  ON d.refobjid = e.oid AND d.deptype = 'e' WHERE e.extname = 'uuidx') AS member};

# The tree of this project.
our $tree = realpath(dirname(__FILE__) . '/../..');

sub import {
  strict->import;
  warnings->import(FATAL => 'all');
  experimental->import('signatures');
  goto &Exporter::import;
}

# Starts a server with the extension. Arguments: name, lines of postgresql.conf, options of the node's init.
sub start_node($name, $conf = '', @init) {
  my $node = PostgreSQL::Test::Cluster->new($name);
  $node->init(@init);
  $node->append_conf('postgresql.conf', $conf);
  $node->start;
  $node->safe_psql('postgres', 'CREATE EXTENSION uuidx');
  return $node;
}

# Returns the version of a server, such as 180000.
sub version_of { return $_[0]->safe_psql('postgres', 'SHOW server_version_num') }

# True if an extension can be created. Arguments: node, its name.
sub is_available($node, $name) {
  return $node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = '$name'");
}

# Counts values that are not greater than the one before; as text, UUIDs have the order of the type.
sub out_of_order {
  my @ids = @_;
  return scalar grep { $ids[ $_ - 1 ] ge $ids[$_] } 1 .. $#ids;
}

# Returns the tick of a value of version 7: its bits except version, variant and random ones.
sub tick_of($id) {
  my ($high, $low) = unpack('Q> Q>', pack('H*', $id =~ tr/-//dr));
  return ($high & ~0xffff) | ($high & 0xfff) << 4 | ($low >> 58 & 0xf);
}

# Returns the mark in the content of a mark file.
sub mark_in { return unpack('x16 Q', $_[0]) }

# Returns the mark in the file of a data directory.
sub mark_of { return mark_in(slurp_file("$_[0]/uuidx.mark")) }

# Runs a statement that fails; returns its messages with SQLSTATE. Arguments: node, statement, database (postgres).
sub error_of($node, $sql, $database = 'postgres') {
  my (undef, undef, $messages) = $node->psql($database, "\\set VERBOSITY verbose\n$sql");
  return $messages =~ s/^psql:<stdin>:\d+: //gmr;
}

# Runs SQL with options of psql; returns the output, or messages if it failed. Arguments: node, database, SQL, options.
sub outcome_of($node, $database, $sql, @options) {
  my ($code, $output, $messages) = $node->psql($database, $sql, extra_params => \@options);
  return $code == 0 ? $output : $messages;
}

# Returns settings by which a scan of the table source with the condition meet() has four parallel workers. None goes on
# before all have a row: on a busy machine, one could otherwise read all rows before the next starts.
sub parallel_settings {
  return q{
    CREATE TABLE met ();
    -- A worker that has been here has a lock on the table met until it ends.
    CREATE FUNCTION meet() RETURNS boolean LANGUAGE plpgsql PARALLEL SAFE AS $$
    BEGIN
      IF EXISTS (SELECT FROM pg_locks WHERE relation = 'met'::regclass AND pid = pg_backend_pid()) THEN
        RETURN true;
      END IF;
      PERFORM FROM met;
      WHILE (SELECT count(*) FROM pg_locks WHERE relation = 'met'::regclass) < 4 LOOP PERFORM pg_sleep(0.01); END LOOP;
      RETURN true;
    END $$;
    ALTER TABLE source SET (parallel_workers = 4);
    SET max_parallel_workers_per_gather = 4;
    SET min_parallel_table_scan_size = 0;
    SET parallel_setup_cost = 0;
    SET parallel_tuple_cost = 0;
    SET parallel_leader_participation = off;
  };
}

# Waits for a condition, or dies. Arguments: what it is, a function, seconds (60).
sub wait_for($what, $is_true, $seconds = 60) {
  for (1 .. 100 * $seconds) {
    return if $is_true->();
    Time::HiRes::usleep(10_000);
  }
  die "timed out: $what";
}

# Waits until a server accepts connections, as after a crash. Not by psql() of the node, which feeds psql by a pipe and
# dies if psql ends before it has read from it.
sub wait_for_server($node) {
  wait_for('connections', sub { system('pg_isready', '-q', '-d', $node->connstr) == 0 });
}

# Waits until a session waits for an event; true unless that takes too long. Arguments: node, its process ID, the event.
sub waits_for($node, $pid, $event) {
  return $node->poll_query_until('postgres', "SELECT wait_event = '$event' FROM pg_stat_activity WHERE pid = $pid");
}

# Returns the children of a process.
sub children_of($pid) {
  my @children;
  for my $path (glob '/proc/[0-9]*/stat') {
    open(my $file, '<', $path) or next;
    my ($child, $parent) = (<$file> // '') =~ /^(\d+) \(.*\) \S (\d+)/;
    push @children, $child if ($parent // 0) == $pid;
  }
  return @children;
}

# Kills postmasters, with or without all their processes: even an immediate shutdown lets them finish. Stopped first,
# they start no others. Waits until they are gone, zombies included, as a new postmaster would take them for alive.
# Arguments: whether with all, what to do before, nodes.
sub kill_nodes($with_all, $before, @nodes) {
  my @postmasters = map { $_->{_pid} } @nodes;
  kill('STOP', @postmasters);
  my @children = map { children_of($_) } @postmasters;
  kill('STOP', @children) if $with_all;
  $before->();
  $_->kill9 for @nodes;
  kill('KILL', @children) if $with_all;
  wait_for('killed processes end', sub { !grep { kill(0, $_) } @postmasters, @children }, 600);
}

# Kills a server.
sub kill_server($node, $with_all = 1) { return kill_nodes($with_all, sub { }, $node) }

# Returns a folder of PostgreSQL by its name for pg_config, such as sharedir.
sub folder_of($name) { return `pg_config --$name` =~ s/\n//r }

# Copies PostgreSQL without uuidx, by links, for servers of its own. Returns the folders of the copy by pg_config's
# options, and the install_path for PostgreSQL::Test::Cluster.
sub copy_postgresql {
  my $copy = PostgreSQL::Test::Utils::tempdir();
  my %dir = map { $_ => folder_of($_) } qw(bindir pkglibdir sharedir);
  system_or_bail('cp', '-rs', '--parents', values %dir, $copy);
  # A server finds its files relative to its program; a link would lead back.
  system_or_bail('cp', '--remove-destination', (map { "$dir{bindir}/$_" } qw(postgres pg_ctl initdb)),
    "$copy$dir{bindir}");
  $_ = "$copy$_" for values %dir;
  unlink(glob("$dir{pkglibdir}/{,plugins/}uuidx.so $dir{sharedir}/extension/uuidx*"));
  return (%dir, install_path => $dir{bindir} =~ s{/bin$}{}r);
}

# Compiles a source of this folder as a library for the server; returns its path. Arguments: source, options of the
# compiler.
sub compile($source, @options) {
  my $library = PostgreSQL::Test::Utils::tempdir() . '/' . $source =~ s/c$/so/r;
  system_or_bail(split(' ', $ENV{CC} // 'cc'), qw(-shared -fPIC -O2), '-I' . folder_of('includedir-server'), '-o',
    $library, "$tree/test/t/$source", @options);
  return $library;
}

# Returns the block of SQL or of commands with this text on a page.
sub block_of($page, $text) {
  my @blocks = slurp_file("$tree/$page") =~ /^```(\w*)\n(.*?)^```$/gms;
  while (my ($language, $block) = splice @blocks, 0, 2) {
    return $block if $language =~ /^(?:sql)?$/ && index($block, $text) >= 0;
  }
  die "no block with $text in $page\n";
}

1;
