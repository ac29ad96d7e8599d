# uuid_v7_server() keeps its order whatever happens to the mark file.
# The server starts, and values continue in order. While the file cannot be read or written, no value above its mark is
# returned.

use strict;
use warnings FATAL => 'all';
use Errno qw(EBADF EINVAL EIO ENOSPC);
use FindBin;
use lib $FindBin::RealBin;
use FaultShim;
use Helpers;
use IPC::Run;
use List::Util qw(maxstr);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes;

my $day = 24 * 60 * 60;

# Returns the CRC-32C of a string.
sub crc_of {
  my ($string) = @_;
  my $crc = 0xffffffff;
  for my $byte (unpack 'C*', $string) {
    $crc ^= $byte;
    $crc = $crc >> 1 ^ ($crc & 1 ? 0x82f63b78 : 0) for 1 .. 8;
  }
  return $crc ^ 0xffffffff;
}

# Returns a file with a mark of a database system.
sub content_of {
  my $content = pack('a8 Q Q', 'uuidxmk1', @_);
  return $content . pack('L x4', crc_of($content));
}

# Returns content with a bit of this byte flipped.
sub flip {
  my ($content, $byte) = @_;
  substr($content, $byte, 1) ^= chr(1 << $byte % 8);
  return $content;
}

# Returns the tick of a time in seconds.
sub tick_at { return int($_[0] * 1000) << 16 }

# Replaces a file's content.
sub overwrite {
  my ($path, $content) = @_;
  unlink($path);
  append_to_file($path, $content);
  return;
}

# The server of a group of checks, its data directory's files, and all its values.
my ($server, $node, $name, $preloaded, $file, $rejected, $system, @made);

# Starts a server with the extension, preloaded or not.
sub start_server {
  ($name, $preloaded) = @_;
  $server = FaultShim->new(
    name => $name =~ s/\W/_/gr,
    # A copy of a prepared data directory would have the same system identifier.
    init => {force_initdb => 1},
    # WAL is flushed only by those that must. Tests turn fsync off by default.
    conf => "wal_writer_delay = '10 s'\nfsync = on\n" . ($preloaded ? "shared_preload_libraries = 'uuidx'\n" : ''));
  $node     = $server->{node};
  $file     = $node->data_dir . '/uuidx.mark';
  $rejected = "$file.rejected";
  $node->safe_psql('postgres', q{
    -- What a session gets until then, a value or an SQLSTATE for each call.
    CREATE FUNCTION attempts(until timestamptz) RETURNS SETOF text LANGUAGE plpgsql AS $$
    BEGIN
      LOOP
        BEGIN
          RETURN NEXT uuid_v7_server();
        EXCEPTION WHEN OTHERS THEN
          RETURN NEXT SQLSTATE;
        END;
        EXIT WHEN clock_timestamp() > until;
        PERFORM pg_sleep(0.002);
      END LOOP;
    END $$});
  $system = $node->safe_psql('postgres', 'SELECT system_identifier FROM pg_control_system()');
  @made   = values_of();
  return;
}

# Returns a few values.
sub values_of {
  return split /\n/, $node->safe_psql('postgres', 'SELECT uuid_v7_server() FROM generate_series(1, 5)');
}

# Returns the mark in the file.
sub mark { return mark_of($node->data_dir) }

# Advances a server some seconds ahead of its clock.
sub advance {
  my ($seconds) = @_;
  $node->safe_psql('postgres',
    "SELECT uuid_v7_advance(uuid_v7_at(clock_timestamp() + interval '$seconds s'))");
  return;
}

# Returns the server's mark in microseconds since 1970, as in a file.
sub reported_mark {
  return $node->safe_psql('postgres', q{SELECT extract(epoch FROM high_water_mark) * 1000000
    FROM uuid_generator_state() WHERE scope = 'server'}) =~ s/\..*//r;
}

sub micros_of {
  my ($tick) = @_;
  return ($tick >> 16) * 1000 + (($tick & 0xffff) * 1000 >> 16);
}

# Returns the results of four concurrent sessions until a time in SQL, a list each.
sub attempts {
  my ($until) = @_;
  my @sessions = map {
    my $output = '';
    my @psql   = ('psql', '-XAtq', '-d', $node->connstr('postgres'), '-c');
    my $run    = IPC::Run::start([ @psql, "SELECT attempts($until)" ], '>', \$output);
    [ $run, \$output ]
  } 1 .. 4;
  return map { $_->[0]->finish; [ split /\n/, ${$_->[1]} ] } @sessions;
}

# The server's file has the format that this test assumes.
sub check_content {
  my $content = slurp_file($file);
  is($content, content_of($system, mark_in($content)), "$name: the file has the expected format");
  is(reported_mark(), micros_of(mark_in($content)), "$name: the reported mark is that of the file");
  cmp_ok(mark_in($content), '>', tick_of($made[-1]), "$name: the mark is above all values");
  return;
}

# Changes the file while the server is down, and returns the faults afterwards.
sub wrong_after {
  my ($damage, $detail) = @_;
  $node->stop;
  unlink($rejected);
  $damage->();
  my $bad    = slurp_file($file);
  my $offset = -s $node->logfile;
  $server->start;
  # Without preloading, the server reads the file on request. No value needs a new mark here, but the next
  # start must find one.
  reported_mark();
  my @wrong;
  my $said = join('.*',
    'LOG:  could not use the high-water mark of uuidx in file "uuidx\.mark"\n',
    "DETAIL:  $detail The file has been renamed to \"uuidx\\.mark\\.rejected\"\\.\\n",
    'HINT:  .* call uuid_v7_advance\(\)');
  push @wrong, 'log'   if slurp_file($node->logfile, $offset) !~ $said;
  push @wrong, 'aside' if !-e $rejected;
  push @wrong, 'kept'  if -e $rejected && slurp_file($rejected) ne $bad;

  $node->stop;
  $server->start;
  push @made, values_of();
  push @wrong, 'order' if out_of_order(@made) != 0;
  push @wrong, 'file'  if slurp_file($file) ne content_of($system, mark());
  push @wrong, 'mark'  if mark() < tick_of($made[-1]);
  return "@wrong";
}

# A damaged file is set aside. Values continue, also if the server restarts twice before the next one.
sub check_damage {
  my ($foreign) = @_;
  for my $case (
    (map { my $byte = $_; [ "wrong in byte $byte", 'The mark in the file is damaged.',
        sub { overwrite($file, flip(slurp_file($file), $byte)) } ] } 7, 15, 23, 27),
    [ 'empty', 'The file is too short.', sub { overwrite($file, '') } ],
    [ '27 bytes long', 'The file is too short.', sub { truncate($file, 27) } ],
    [ 'that of another server', 'The file belongs to another database system.', sub { overwrite($file, $foreign) } ])
  {
    my ($case_name, $detail, $damage) = @$case;
    # Ahead of the clock, so that the clock alone would bring values back.
    advance(50);
    push @made, values_of();
    is(wrong_after($damage, $detail), '',
      "$name: file is $case_name: it is set aside, the log says so, values continue");
  }
  cmp_ok(tick_of($made[-1]), '<', mark_in($foreign), "$name: file is that of another server: its mark is not used");
  return;
}

# Starts the server with this content of the file; returns the log.
sub start_with {
  my ($content) = @_;
  $node->stop;
  unlink($rejected);
  overwrite($file, $content);
  my $offset = -s $node->logfile;
  $server->start;
  push @made, values_of();
  return slurp_file($node->logfile, $offset);
}

# A clean stop leaves the last value as the mark of a preloaded server.
sub check_clean_stop {
  $node->stop;
  is(mark(), tick_of($made[-1]), "$name: a clean stop leaves the last value as the mark");
  $server->start;
  return;
}

# The mark of another system identifier, as after pg_createsubscriber, is used unless it is far ahead.
sub check_identifier {
  my ($other) = @_;
  my $mark = mark() + (20_000 << 16);
  my $log  = start_with(content_of($other, $mark));
  like($log, qr/LOG:  high-water mark of uuidx is of another database system identifier/,
    "$name: file has another system identifier: the log reports it");
  ok(tick_of($made[-1]) > $mark && tick_of($made[-1]) < $mark + (1_000 << 16),
    "$name: file has another system identifier: values continue from its mark");
  is(slurp_file($file), content_of($system, mark()),
    "$name: file has another system identifier: it gets that of the server");
  ok(!-e $rejected, "$name: file has another system identifier: it is not set aside");
  return;
}

# A flush of the directory that fails when the file is created is repeated before a value is returned, as the file's
# name may not be durable.
sub check_directory {
  $node->stop;
  unlink($file, $rejected);
  $server->start;
  $server->fault_mark(calls => ['flush_directory'], error => EIO);
  like(error_of($node, 'SELECT uuid_v7_server()'), qr/ERROR:  58030: could not fsync file "\.": Input/,
    "$name: the directory cannot be flushed: call $_ fails") for 1 .. 2;
  ok(-e $file, "$name: the directory cannot be flushed: the file exists nevertheless");
  $server->fault_mark;
  push @made, values_of();
  is(out_of_order(@made), 0, "$name: the directory can be flushed again: values continue in order");

  # Some file systems refuse to flush any directory, which PostgreSQL ignores.
  for my $error (EINVAL, EBADF) {
    $node->stop;
    unlink($file);
    $server->start;
    $server->fault_mark(calls => ['flush_directory'], error => $error);
    push @made, values_of();
    ok(-e $file, "$name: directories cannot be flushed: the file is created nevertheless");
    $server->fault_mark;
  }
  return;
}

# A damaged file is remembered even if it was set aside while no new one could be written: as the disk is full; or as
# the clock is out of its range, so that there is nothing to continue from, not even the first ticks, which the next
# values would then follow to those of the clock.
sub check_damage_without_mark {
  for my $case (
    [ 'a full disk', qr/53100: could not write file "uuidx\.mark\.new"/,
      sub { $server->fault_mark(calls => ['write'], error => ENOSPC) }, sub { $server->fault_mark } ],
    [ 'a clock before 1970', qr/22008: /,
      sub { $server->fault(clock => 'set', time => [ -$day, 0 ]) }, sub { $server->fault } ])
  {
    my ($what, $error, $break, $mend) = @$case;
    my $case_name = "$name: a damaged file and $what";
    advance(50);
    push @made, values_of();
    $node->stop;
    overwrite($file, 'x' x 32);
    $break->();
    $server->start;
    reported_mark();
    ok(!-e $file, "$case_name: it is set aside, and there is no new one");
    like(error_of($node, 'SELECT uuid_v7_server()'), qr/ERROR:  $error/, "$case_name: a call fails");
    my $offset = -s $node->logfile;
    if ($what eq 'a full disk') {
      $node->stop;
      $mend->();
      $server->start;
    }
    $mend->();
    push @made, values_of();
    is(out_of_order(@made), 0, "$case_name: afterwards, values continue");
    like(slurp_file($node->logfile, $offset),
      qr/DETAIL:  The file is missing, but file "uuidx\.mark\.rejected" exists\.\n/,
      "$case_name: then the log says that a rejected file exists");
  }
  return;
}

# An unreadable file is not a damaged one: the server starts, keeps the file, and calls fail until it
# can be read.
sub check_unreadable {
  my $aside = "$file.aside";
  for my $case (
    [ 'opening the file', qr/ERROR:  58030: could not open file "uuidx\.mark": Input/,
      sub { $server->fault_mark(calls => ['open'], error => EIO) }, sub { $server->fault_mark } ],
    # A directory can be opened, but not read.
    [ 'reading the file', qr/ERROR:  42809: could not read file "uuidx\.mark": Is a directory/,
      sub { rename($file, $aside) && mkdir($file) }, sub { rmdir($file) && rename($aside, $file) } ])
  {
    my ($case_name, $error, $break, $mend) = @$case;
    $case_name = "$name: $case_name";
    advance(50);
    push @made, values_of();
    $node->stop;
    my $before = slurp_file($file);
    unlink($rejected);
    $break->();
    $server->start;
    like(error_of($node, 'SELECT uuid_v7_server()'), $error, "$case_name fails: a call fails");
    like(error_of($node, 'SELECT uuid_v7_server()'), $error, "$case_name fails: the next call fails, too");
    like(error_of($node, 'SELECT uuid_v7_advance(uuid_v7_at(clock_timestamp()))'), $error,
      "$case_name fails: uuid_v7_advance() fails, too");
    is($node->safe_psql('postgres', 'SELECT count(*) FROM uuid_generator_state()'),
      2, "$case_name fails: uuid_generator_state() works");
    $node->stop;
    $server->start;
    $mend->();
    is(slurp_file($file), $before, "$case_name fails: the file is as before after a stop");
    push @made, values_of();
    is(out_of_order(@made), 0, "$case_name fails: when it works again, values continue");
    ok(!-e $rejected, "$case_name fails: the file was not set aside");
  }
  return;
}

# Without the file, values follow the clock without a warning, as on a new server.
sub check_missing {
  # From here on, the clock has passed the values.
  $server->fault(clock => 'moved', time => [ 120, 0 ]);
  $node->stop;
  unlink($file, $rejected);
  my $offset = -s $node->logfile;
  $server->start;
  push @made, values_of();
  is(out_of_order(@made), 0, "$name: file is missing: values follow the clock");
  unlike(slurp_file($node->logfile, $offset), qr/WARNING/, "$name: file is missing: no warning");
  cmp_ok(mark(), '>', tick_of($made[-1]), "$name: file is missing: a new one has a mark above the values");
  return;
}

# The file cannot be written. Values up to the old mark may be returned, but none above it, even if the
# clock has passed it or the server is advanced beyond it.
sub check_unwritable {
  my ($case_name, $error, $seconds, $break, $mend) = @_;
  my ($sqlstate) = $error =~ /(\d{5})/;
  $case_name = "$name: $case_name";

  push @made, values_of();
  my $before = slurp_file($file);
  my $mark   = mark_in($before);
  $break->();
  my $until = sprintf(q{'epoch'::timestamptz + interval '%d us'}, micros_of($mark));
  if ($seconds > 0) {
    like(error_of($node, "SELECT uuid_v7_advance(uuid_v7_at(clock_timestamp() + interval '$seconds s'))"),
      $error, "$case_name: uuid_v7_advance() above the mark fails");
    $until = 'clock_timestamp()';
  }
  my @sessions = attempts("$until + interval '100 ms'");
  my @left     = map { [ grep { length > 5 } @$_ ] } @sessions;
  my @refused  = map { grep { length == 5 } @$_ } @sessions;
  is(scalar(grep { tick_of($_) > $mark } map { @$_ } @left),
    0, "$case_name: no session gets a value above the mark");
  is(scalar(grep { out_of_order($made[-1], @$_) } @left), 0, "$case_name: the values that sessions get are in order");
  is(scalar(grep { length $_->[-1] == 5 } @sessions), 4, "$case_name: in the end, every session gets an error");
  is(scalar(grep { $_ ne $sqlstate } @refused), 0, "$case_name: each error has the expected SQLSTATE");
  like(error_of($node, 'SELECT uuid_v7_server()'), qr/ERROR:  $error/, "$case_name: the error names the cause");
  is(reported_mark(), micros_of($mark), "$case_name: uuid_generator_state() shows the old mark");
  push @made, maxstr(map { @$_ } @left) if grep { @$_ } @left;

  # After a start, nothing below the mark may be returned. Recovery would stop at a mark in the log.
  $node->stop($preloaded ? 'fast' : 'immediate');
  $server->start;
  my @again = map { @$_ } attempts(q{clock_timestamp() + interval '20 ms'});
  is(scalar(grep { $_ ne $sqlstate } @again), 0, "$case_name: after a restart, every call fails");
  # Also below the mark in the file, whose flush may have failed.
  like(error_of($node, 'SELECT uuid_v7_advance(uuid_v7_at(clock_timestamp()))'),
    qr/ERROR:  $error/, "$case_name: after a restart, uuid_v7_advance() fails");

  $mend->();
  push @made, values_of();
  is(out_of_order(@made), 0, "$case_name: afterwards, values continue in order");
  cmp_ok(mark(), '>', tick_of($made[-1]), "$case_name: afterwards the file has a mark above the values");
  return;
}

# All causes of failing to write or create it.
sub check_all_unwritable {
  my $calls_fail = sub {
    my ($error, @calls) = @_;
    return (sub { $server->fault_mark(calls => \@calls, error => $error) }, sub { $server->fault_mark });
  };
  check_unwritable('full disk', qr/53100: could not write file "uuidx\.mark": No space left on device/, 0,
    $calls_fail->(ENOSPC, 'write'));
  # A write that is cut short has no error of its own.
  check_unwritable('short write', qr/53100: could not write file "uuidx\.mark": No space left on device/, 5,
    $calls_fail->(0, 'write'));
  check_unwritable('flush fails', qr/58030: could not fsync file "uuidx\.mark": Input\/output error/, 10,
    $calls_fail->(EIO, 'flush'));
  check_unwritable('no permission to write', qr/42501: could not open file "uuidx\.mark": Permission denied/,
    15, sub { chmod(0400, $file) }, sub { chmod(0600, $file) });

  # Without a file, a new one is created.
  unlink($file);
  mkdir("$file.new");
  like(error_of($node, "SELECT uuid_v7_advance(uuid_v7_at(clock_timestamp() + interval '30 s'))"),
    qr/42809: could not create file "uuidx\.mark\.new": Is a directory/,
    "$name: a directory is in the way, and no file can be created: a call fails");
  rmdir("$file.new");
  push @made, values_of();
  is(out_of_order(@made), 0, "$name: a file can be created again: values continue in order");
  return;
}

# After a crash, WAL restores the mark even if the file is lost and the clock is behind; but it does not
# replace a mark that cannot be read.
sub check_log {
  for my $case (
    [ 'missing', 40, sub { unlink($file) } ],
    [ 'damaged', 50, sub { overwrite($file, 'x' x 32) } ])
  {
    my ($case_name, $seconds, $damage) = @$case;
    advance($seconds);
    push @made, values_of();
    $node->stop('immediate');
    $damage->();
    $server->start;
    push @made, values_of();
    is(out_of_order(@made), 0, "$name: file is $case_name after a crash: values continue from WAL");
  }

  push @made, values_of();
  my $before = slurp_file($file);
  $node->stop('immediate');
  is(slurp_file($file), $before, "$name: an immediate shutdown does not write the file");
  $server->fault_mark(calls => ['open'], error => EIO);
  my $offset = -s $node->logfile;
  ok(!$server->start(fail_ok => 1), "$name: file cannot be read after a crash: recovery stops at a mark");
  like(slurp_file($node->logfile, $offset), qr/FATAL:  could not open file "uuidx\.mark": Input/,
    "$name: file cannot be read after a crash: the log says why");
  is(slurp_file($file), $before, "$name: file cannot be read after a crash: it is as before");
  $server->fault_mark;
  $server->start;
  push @made, values_of();
  is(out_of_order(@made), 0, "$name: file cannot be read after a crash: when it can, values continue");
  return;
}

# A mark far ahead of the clock is kept and reported. 048 has one that is less far, which is kept silently.
sub check_ahead {
  my $case_name = "$name: the mark is a day ahead of the clock";
  $node->stop;
  unlink($rejected);
  my $mark = tick_at(Time::HiRes::time() + $day);
  overwrite($file, content_of($system, $mark));
  my $offset = -s $node->logfile;
  $server->start;
  @made = values_of();
  my ($behind) = slurp_file($node->logfile, $offset) =~ m{
    WARNING:\ \ system\ clock\ is\ (\d+\.\d{3})\ s\ behind\ the\ last\ UUID\n
    .*DETAIL:\ \ uuid_v7_server\(\)\ continues.*\n.*HINT: .*time\ synchronization}x;
  ok(defined $behind && $behind <= $day && $behind > $day - 3600, "$case_name: the log reports it");
  ok(tick_of($made[0]) > $mark && tick_of($made[-1]) <= $mark + 65536, "$case_name: values continue from it");
  ok(!-e $rejected, "$case_name: the file is not set aside");
  $node->restart;
  push @made, values_of();
  is(out_of_order(@made), 0, "$case_name: values continue after a restart");
  return;
}

# After the last tick there is no next value, nor a wrap to the first.
sub check_end {
  $node->stop;
  overwrite($file, content_of($system, ~0));
  $server->start;
  like(error_of($node, 'SELECT uuid_v7_server()'), qr/ERROR:  22008: /,
    "$name: the mark is the last possible one: a call fails");
  return;
}

# Runs all checks on one server.
sub check_server {
  my ($server_name, $is_preloaded, $foreign) = @_;
  start_server($server_name, $is_preloaded);
  check_content();
  check_clean_stop() if $preloaded;
  check_identifier(unpack 'x8 Q', $foreign);
  check_damage($foreign);
  check_damage_without_mark();
  check_unreadable();
  check_missing();
  check_directory();
  check_all_unwritable();
  check_log() if $preloaded;
  check_ahead();
  check_end();
  $node->stop;
  return;
}

# Another server's mark, a day ahead of the others.
start_server('other', 1);
$node->stop;
my ($other_system, $other_mark) = unpack 'x8 Q Q', slurp_file($file);
my $foreign = content_of($other_system, $other_mark + (86_400_000 << 16));

check_server('preloaded', 1, $foreign);
SKIP: {
  skip 'PostgreSQL before 17 needs preloading', 1 if $node->pg_version < 17;
  check_server('not preloaded', 0, $foreign);
}

done_testing();
