# uuid_v7_server() keeps its order whatever happens to the mark file.
# The server starts, and values continue in order. While the file cannot be read or written, no value above its mark is
# returned.

use Errno qw(EBADF EINVAL EIO ENOSPC);
use FaultShim;
use Helpers;
use IPC::Run;
use List::Util qw(maxstr);
use Time::HiRes;

my $day = 24 * 60 * 60;
my $advance_to_now = 'uuid_v7_advance(uuid_v7_at(clock_timestamp()))';

# Returns the CRC-32C of a string.
sub crc_of($string) {
  my $crc = 0xffffffff;
  for my $byte (unpack 'C*', $string) {
    $crc ^= $byte;
    $crc = $crc >> 1 ^ ($crc & 1 ? 0x82f63b78 : 0) for 1 .. 8;
  }
  return $crc ^ 0xffffffff;
}

# Returns a file with a mark of a database system.
sub content_of($of, $mark) {
  my $content = pack('a8 Q Q', 'uuidxmk1', $of, $mark);
  return $content . pack('L x4', crc_of($content));
}

# Returns content with a bit of this byte flipped.
sub flip($content, $byte) {
  substr($content, $byte, 1) ^= chr(1 << $byte % 8);
  return $content;
}

# Replaces a file's content.
sub overwrite($path, $content) {
  unlink($path);
  append_to_file($path, $content);
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
  @made   = ();
}

# Adds a few values: some seconds ahead of the clock if these are given, so that the clock alone would bring values
# back.
sub generate($ahead = undef) {
  $node->safe_psql('postgres', "SELECT uuid_v7_advance(uuid_v7_at(clock_timestamp() + interval '$ahead s'))") if $ahead;
  push @made, split /\n/, $node->safe_psql('postgres', 'SELECT uuid_v7_server() FROM generate_series(1, 5)');
}

# Returns the mark in the file.
sub mark { return mark_of($node->data_dir) }

# Checks that new values are above all earlier ones, and that the file has its format and a mark above them.
sub continues($what) {
  generate();
  is(out_of_order(@made), 0, "$name: $what: values continue in order");
  is(slurp_file($file), content_of($system, mark()), "$name: $what: the file has the expected format");
  cmp_ok(mark(), '>', tick_of($made[-1]), "$name: $what: the file has a mark above the values");
}

# Checks that the file was not set aside.
sub is_kept($what) {
  ok(!-e $rejected, "$name: $what: the file is not set aside");
}

# Checks that a call fails with an error, and sends nothing before: a message that leaves with the lock held could hold
# up all.
sub fails($what, $error, $call = 'uuid_v7_server()') {
  like(error_of($node, "SET log_statement = none; SET client_min_messages = log; SELECT $call"), qr/\AERROR:  $error/,
    "$name: $what: $call fails");
}

# Returns the server's mark in microseconds since 1970, as in a file.
sub reported_mark {
  return $node->safe_psql('postgres', q{SELECT extract(epoch FROM high_water_mark) * 1000000
    FROM uuid_generator_state() WHERE scope = 'server'}) =~ s/\..*//r;
}

sub micros_of($tick) {
  return ($tick >> 16) * 1000 + (($tick & 0xffff) * 1000 >> 16);
}

# Stops the server, makes a change, and starts it again; returns what it logs. Arguments: change, way to stop (fast).
sub restart_after($change, $how = 'fast') {
  $node->stop($how);
  unlink($rejected);
  $change->();
  my $offset = -s $node->logfile;
  $server->start;
  # Without preloading, the server reads the file on request. This call works even if it cannot be read.
  reported_mark();
  return slurp_file($node->logfile, $offset);
}

# Restarts the server with this content of the file; returns the log.
sub start_with($content) {
  return restart_after(sub { overwrite($file, $content) });
}

# Checks that recovery stops at a mark, and that the log says what could not be done with the file.
sub recovery_stops($what, $error) {
  my $offset = -s $node->logfile;
  ok(!$server->start(fail_ok => 1), "$name: $what: recovery stops");
  like(slurp_file($node->logfile, $offset), qr/FATAL:  $error file "uuidx\.mark": Input/,
    "$name: $what: the log says why");
}

# Returns the results of four concurrent sessions until a time in SQL, a list each.
sub attempts($until) {
  my @sessions = map {
    my $output = '';
    my @psql   = ('psql', '-XAtq', '-d', $node->connstr('postgres'), '-c');
    my $run    = IPC::Run::start([ @psql, "SELECT attempts($until)" ], '>', \$output);
    [ $run, \$output ]
  } 1 .. 4;
  return map { $_->[0]->finish; [ split /\n/, ${$_->[1]} ] } @sessions;
}

# A new server creates the file, and reports its mark. A clean stop leaves the last value as the mark if preloaded. The
# log says so, as nothing else tells a file that was lost or replaced by an old copy.
sub check_content {
  continues('a new server');
  like(slurp_file($node->logfile), qr/LOG:  created file "uuidx\.mark"/, "$name: the log reports a created file");
  is(reported_mark(), micros_of(mark()), "$name: the reported mark is that of the file");
  my $mark;
  like(restart_after(sub { $mark = mark() }), qr/LOG:  uuid_v7_server\(\) continues above 20\d\d-/,
    "$name: the log says from where values continue");
  is($mark, tick_of($made[-1]), "$name: a clean stop leaves the last value as the mark") if $preloaded;
}

# A damaged file is set aside. Values continue, also if the server restarts twice before the next one, and whatever the
# setting of the role that calls first. The caller is not warned of a clock that is right.
sub check_damage($foreign) {
  my $whole = content_of($system, ~0);
  for my $case (
    (map { [ "damaged in byte $_", 'The mark in the file is damaged.', flip($whole, $_) ] } 7, 15, 23, 27),
    [ 'empty', 'The file is too short.', '' ],
    [ '27 bytes long', 'The file is too short.', substr($whole, 0, 27) ],
    [ 'that of another server', 'The file belongs to another database system.', $foreign ])
  {
    my ($what, $detail, $content) = @$case;
    generate(50);
    $node->safe_psql('postgres', 'ALTER DATABASE postgres SET uuidx.max_clock_lead = 0');
    like(start_with($content), qr{
      LOG:\ \ could\ not\ use\ the\ high-water\ mark\ of\ uuidx\ in\ file\ "uuidx\.mark"\n
      .*DETAIL:\ \ \Q$detail\E\ The\ file\ has\ been\ renamed\ to\ "uuidx\.mark\.rejected"\.\n
      .*HINT:\ \ .*call\ uuid_v7_advance\(\)}x, "$name: file is $what: the log says so");
    is(slurp_file($rejected), $content, "$name: file is $what: it is set aside");
    is(error_of($node, 'SELECT uuid_v7_server()'), '', "$name: file is $what: the first caller gets no warning");
    $node->safe_psql('postgres', 'ALTER DATABASE postgres RESET uuidx.max_clock_lead');
    # No value has needed a new mark, but the next start must find one.
    restart_after(sub { });
    continues("file is $what");
  }
  cmp_ok(tick_of($made[-1]), '<', mark_in($foreign), "$name: file is that of another server: its mark is not used");

  # A directory that is not empty is in the way.
  my $log = restart_after(sub { overwrite($file, 'x' x 32); mkdir($rejected); append_to_file("$rejected/x", '') });
  like($log, qr/damaged\. The file is overwritten, as it could not be renamed to "uuidx\.mark\.rejected": /,
    "$name: file is damaged and cannot be set aside: the log says so");
  continues('file is damaged and cannot be set aside');
  unlink("$rejected/x");
  rmdir($rejected);
}

# The mark of another system identifier, as after pg_createsubscriber, is used unless it is far ahead.
sub check_identifier($other) {
  my $what = 'file has another system identifier';
  generate();
  my $mark = mark() + (20_000 << 16);
  like(start_with(content_of($other, $mark)),
    qr/LOG:  high-water mark of uuidx is from another database system/, "$name: $what: the log reports it");
  continues($what);
  ok(tick_of($made[-1]) > $mark && tick_of($made[-1]) < $mark + (1_000 << 16),
    "$name: $what: values continue from its mark");
  is_kept($what);
}

# A flush of the directory that fails when the file is created is repeated before a value is returned, as the file's
# name may not be durable. Some file systems refuse to flush any directory, which PostgreSQL ignores.
sub check_directory {
  for my $error (EIO, EINVAL, EBADF) {
    restart_after(sub { unlink($file) });
    $server->fault_mark(calls => ['flush_directory'], error => $error);
    if ($error == EIO) {
      my $message = '58030: could not fsync directory of file "uuidx\.mark": Input';
      fails('the directory cannot be flushed', $message) for 1, 2;
      ok(-e $file, "$name: the directory cannot be flushed: the file exists nevertheless");
      $server->fault_mark;
    }
    continues("the directory could not be flushed, error $error");
    $server->fault_mark;
  }

  # In recovery, too.
  $node->stop('immediate');
  unlink($file);
  $server->fault_mark(calls => ['flush_directory'], error => EIO);
  recovery_stops("the directory cannot be flushed, $_ start", 'could not fsync directory of') for 'first', 'second';
  $server->fault_mark;
  $server->start;
  continues('the directory could not be flushed in recovery');
}

# A damaged file is remembered even if it was set aside while no new one could be written: as the disk is full; or as
# the clock is out of its range, so that there is nothing to continue from, not even the first ticks, which the next
# values would then follow to those of the clock.
sub check_damage_without_mark {
  for my $case (
    [ 'a full disk', '53100: could not write file "uuidx\.mark\.new"',
      sub { $server->fault_mark(calls => ['write'], error => ENOSPC) }, sub { $server->fault_mark } ],
    [ 'a clock before 1970', '22008: ',
      sub { $server->fault(clock => 'set', time => [ -$day, 0 ]) }, sub { $server->fault } ])
  {
    my ($what, $error, $break, $mend) = @$case;
    $what = "a damaged file and $what";
    generate(50);
    restart_after(sub { overwrite($file, 'x' x 32); $break->() });
    ok(!-e $file, "$name: $what: it is set aside, and there is no new one");
    fails($what, $error);
    my $offset = -s $node->logfile;
    if ($what =~ /disk/) {
      $node->stop;
      $mend->();
      $server->start;
    }
    $mend->();
    continues($what);
    like(slurp_file($node->logfile, $offset),
      qr/DETAIL:  The file is missing, but file "uuidx\.mark\.rejected" exists\.\n/,
      "$name: $what: then the log says that a rejected file exists");
  }
}

# An unreadable file is not a damaged one: the server starts, keeps the file, and calls fail until it can be read.
sub check_unreadable {
  my $aside = "$file.aside";
  for my $case (
    [ 'the file cannot be opened', '58030: could not open file "uuidx\.mark": Input',
      sub { $server->fault_mark(calls => ['open'], error => EIO) }, sub { $server->fault_mark } ],
    [ 'the file is a link that leads nowhere', '58P01: could not open file "uuidx\.mark": No such file',
      sub { rename($file, $aside) && symlink('missing', $file) }, sub { rename($aside, $file) } ],
    # A directory can be opened, but not read.
    [ 'the file cannot be read', '42809: could not read file "uuidx\.mark": Is a directory',
      sub { rename($file, $aside) && mkdir($file) }, sub { rmdir($file) && rename($aside, $file) } ])
  {
    my ($what, $error, $break, $mend) = @$case;
    generate(50);
    my $before;
    restart_after(sub { $before = slurp_file($file); $break->() });
    fails($what, $error, $_) for ('uuid_v7_server()') x 2, $advance_to_now;
    restart_after($mend);
    is(slurp_file($file), $before, "$name: $what: it is as before after a stop");
    continues($what);
    is_kept($what);
  }
}

# Without the file, values follow the clock without a warning, as on a new server.
sub check_missing {
  # From here on, the clock has passed the values.
  $server->fault(clock => 'moved', time => [ 120, 0 ]);
  unlike(restart_after(sub { unlink($file) }), qr/WARNING/, "$name: file is missing: no warning");
  continues('file is missing');
}

# If the file cannot be written or created, values up to the old mark may be returned, but none above it, even if the
# clock has passed it or the server is advanced beyond it.
sub check_unwritable {
  my $fault = sub ($error, $call) {
    return (sub { $server->fault_mark(calls => [$call], error => $error) }, sub { $server->fault_mark });
  };
  my $full = '53100: could not write file "uuidx\.mark": No space left on device';
  for my $case (
    [ 'the disk is full', $full, 0, $fault->(ENOSPC, 'write') ],
    # Without an error of its own.
    [ 'a write is cut short', $full, 5, $fault->(0, 'write') ],
    [ 'a flush fails', '58030: could not fsync file "uuidx\.mark": Input/output error', 10, $fault->(EIO, 'flush') ],
    [ 'it may not be written', '42501: could not open file "uuidx\.mark": Permission denied', 15,
      sub { chmod(0400, $file) }, sub { chmod(0600, $file) } ])
  {
    my ($what, $error, $seconds, $break, $mend) = @$case;
    my ($sqlstate) = $error =~ /^(\d{5})/;
    generate();
    my $mark = mark();
    $break->();
    my $until = sprintf(q{'epoch'::timestamptz + interval '%d us'}, micros_of($mark));
    if ($seconds > 0) {
      fails($what, $error, "uuid_v7_advance(uuid_v7_at(clock_timestamp() + interval '$seconds s'))");
      $until = 'clock_timestamp()';
    }
    my @sessions = attempts("$until + interval '100 ms'");
    my @left     = map { [ grep { length > 5 } @$_ ] } @sessions;
    is(scalar(grep { tick_of($_) > $mark } map { @$_ } @left), 0, "$name: $what: no value is above the mark");
    is(scalar(grep { out_of_order($made[-1], @$_) } @left), 0, "$name: $what: values of each session are in order");
    is(join(' ', map { $_->[-1] } @sessions), join(' ', ($sqlstate) x 4),
      "$name: $what: in the end, every session gets an error");
    fails($what, $error);
    is(reported_mark(), micros_of($mark), "$name: $what: uuid_generator_state() shows the old mark");
    push @made, maxstr(map { @$_ } @left) if grep { @$_ } @left;

    # After a start, nothing below the mark may be returned, as the flush of the mark in the file may have failed.
    # Recovery would stop at a mark in the log.
    restart_after(sub { }, $preloaded ? 'fast' : 'immediate');
    fails("$what, after a restart", $error, $_) for 'uuid_v7_server()', $advance_to_now;
    $mend->();
    continues("$what, and then no more");
  }

  # Without a file, a new one is created.
  unlink($file);
  mkdir("$file.new");
  fails('a directory is in the way', '42809: could not create file "uuidx\.mark\.new": Is a directory',
    q{uuid_v7_advance(uuid_v7_at(clock_timestamp() + interval '30 s'))});
  rmdir("$file.new");
  continues('a directory was in the way');
}

# After a crash, WAL restores the mark even if the file is damaged and the clock is behind (037 removes the file). It
# does not replace a mark that cannot be read.
sub check_log {
  generate(50);
  restart_after(sub { overwrite($file, 'x' x 32) }, 'immediate');
  continues('file is damaged after a crash');

  my $what = 'file cannot be read after a crash';
  my $before = slurp_file($file);
  $node->stop('immediate');
  is(slurp_file($file), $before, "$name: an immediate shutdown does not write the file");
  $server->fault_mark(calls => ['open'], error => EIO);
  recovery_stops($what, 'could not open');
  is(slurp_file($file), $before, "$name: $what: it is as before");
  $server->fault_mark;
  $server->start;
  continues("$what, when it can");
}

# A mark far ahead of the clock is kept and reported. 048 has one that is less far, which is kept silently. After the
# last tick there is no next value, nor a wrap to the first.
sub check_ahead {
  my $what = 'the mark is a day ahead of the clock';
  my $mark = int((Time::HiRes::time() + $day) * 1000) << 16;
  start_with(content_of($system, $mark));
  @made = ();
  my $offset = -s $node->logfile;
  continues($what);
  my ($behind) = slurp_file($node->logfile, $offset) =~ m{
    WARNING:\ \ system\ clock\ is\ (\d+\.\d{3})\ s\ behind\ the\ last\ UUID\n
    .*DETAIL:\ \ uuid_v7_server\(\)\ continues.*\n.*HINT: .*time\ synchronization}x;
  ok(defined $behind && $behind <= $day && $behind > $day - 3600, "$name: $what: the log reports it");
  ok(tick_of($made[0]) > $mark && tick_of($made[-1]) <= $mark + 65536, "$name: $what: values continue from it");
  is_kept($what);
  restart_after(sub { });
  continues("$what, after a restart");

  start_with(content_of($system, ~0));
  fails('the mark is the last possible one', '22008: ');
}

# Runs all checks on one server. Without preloading, the same code reads the file, but later and in a session.
sub check_server($server_name, $is_preloaded, $foreign) {
  start_server($server_name, $is_preloaded);
  check_content();
  check_identifier(unpack 'x8 Q', $foreign) if $preloaded;
  check_damage($foreign);
  check_damage_without_mark();
  check_unreadable();
  check_missing();
  check_directory() if $preloaded;
  check_unwritable();
  check_log() if $preloaded;
  check_ahead();
  $node->stop;
}

# Another server's mark, a day ahead of the others.
start_server('other', 1);
generate();
$node->stop;
my ($other_system, $other_mark) = unpack 'x8 Q Q', slurp_file($file);
my $foreign = content_of($other_system, $other_mark + (86_400_000 << 16));

check_server('preloaded', 1, $foreign);
SKIP: {
  skip 'PostgreSQL before 17 needs preloading', 1 if $node->pg_version < 17;
  check_server('not preloaded', 0, $foreign);
}

done_testing();
