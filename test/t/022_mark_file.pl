# The file of uuid_v7_cluster()'s high-water mark: whatever has happened to it, the server starts and
# values go on in order, and where it cannot be written no value leaves that is above it.

use strict;
use warnings FATAL => 'all';

use IPC::Run;
use List::Util qw(maxstr);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes;

my $day = 24 * 60 * 60;

# The CRC-32C of a string.
sub crc_of {
  my ($string) = @_;
  my $crc = 0xffffffff;
  for my $byte (unpack 'C*', $string) {
    $crc ^= $byte;
    $crc = $crc >> 1 ^ ($crc & 1 ? 0x82f63b78 : 0) for 1 .. 8;
  }
  return $crc ^ 0xffffffff;
}

# The file that holds a mark of a database system.
sub content_of {
  my ($system, $mark) = @_;
  my $content = pack('a8 Q Q', 'uuidxmk1', $system, $mark);
  return $content . pack('L x4', crc_of($content));
}

# The mark in a file's content.
sub mark_in { return (unpack('a8 Q Q', $_[0]))[2] }

# The position of a time, in seconds.
sub position_at { return int($_[0] * 1000) << 16 }

# The position that orders a value: its bits but for version, variant and what is random.
sub position_of {
  my ($id) = @_;
  my ($high, $low) = unpack('Q> Q>', pack('H*', $id =~ tr/-//dr));
  return ($high & ~0xffff) | ($high & 0xfff) << 4 | ($low >> 58 & 0xf);
}

# How many neighbours are not strictly increasing; as text, UUIDs have the order of the type.
sub out_of_order {
  my @ids = @_;
  return scalar grep { $ids[ $_ - 1 ] ge $ids[$_] } 1 .. $#ids;
}

# Replaces a file's content.
sub overwrite {
  my ($path, $content) = @_;
  unlink($path);
  append_to_file($path, $content);
  return;
}

# A server with the extension, preloaded or not.
sub new_server {
  my ($name, $preloaded) = @_;
  my $node = PostgreSQL::Test::Cluster->new($name);
  # A copy of a prepared data directory would have the same system identifier.
  $node->init(force_initdb => 1);
  # Nobody flushes the log by the way for those who should do it.
  $node->append_conf('postgresql.conf',
    "autovacuum = off\nwal_writer_delay = '10 s'\ntimezone = 'UTC'\n");
  $node->append_conf('postgresql.conf', "shared_preload_libraries = 'uuidx'\n") if $preloaded;
  $node->start;
  $node->safe_psql('postgres', q{
    CREATE EXTENSION uuidx;
    -- What a session gets until then, a value or an SQLSTATE for each call.
    CREATE FUNCTION attempts(until timestamptz) RETURNS SETOF text LANGUAGE plpgsql AS $$
    BEGIN
      LOOP
        BEGIN
          RETURN NEXT uuid_v7_cluster();
        EXCEPTION WHEN OTHERS THEN
          RETURN NEXT SQLSTATE;
        END;
        EXIT WHEN clock_timestamp() > until;
        PERFORM pg_sleep(0.002);
      END LOOP;
    END $$});
  return $node;
}

# A few values.
sub values_of {
  my ($node) = @_;
  return split /\n/,
    $node->safe_psql('postgres', 'SELECT uuid_v7_cluster() FROM generate_series(1, 5)');
}

# Moves a server some seconds ahead of its clock, and returns from where it goes on.
sub advance {
  my ($node, $seconds) = @_;
  return $node->safe_psql('postgres',
    "SELECT uuid_v7_advance(uuid_v7_at(clock_timestamp() + interval '$seconds s'))");
}

# The error of a statement, with its SQLSTATE.
sub error_of {
  my ($node, $sql) = @_;
  my (undef, undef, $error) = $node->psql('postgres', "\\set VERBOSITY verbose\n$sql");
  return $error;
}

# What a server says of its mark, in microseconds since 1970, as a file's is.
sub reported_mark {
  my ($node) = @_;
  return $node->safe_psql('postgres', q{SELECT extract(epoch FROM high_water_mark) * 1000000
    FROM uuid_generator_state() WHERE scope = 'server'}) =~ s/\..*//r;
}

sub micros_of {
  my ($position) = @_;
  return ($position >> 16) * 1000 + (($position & 0xffff) * 1000 >> 16);
}

# What four sessions get at once until a time in SQL, a list each.
sub attempts {
  my ($node, $until) = @_;
  my @sessions = map {
    my $output = '';
    my @psql   = ('psql', '-XAtq', '-d', $node->connstr('postgres'), '-c');
    my $run    = IPC::Run::start([ @psql, "SELECT attempts($until)" ], '>', \$output);
    [ $run, \$output ]
  } 1 .. 4;
  return map { $_->[0]->finish; [ split /\n/, ${$_->[1]} ] } @sessions;
}

# All about one server.
sub check_server {
  my ($name, $preloaded, $foreign) = @_;
  my $node     = new_server($name =~ s/\W/_/gr, $preloaded);
  my $file     = $node->data_dir . '/uuidx.mark';
  my $new      = "$file.new";
  my $rejected = "$file.rejected";
  my $system   = $node->safe_psql('postgres', 'SELECT system_identifier FROM pg_control_system()');
  my @made     = values_of($node);

  # What this file reads and writes is what the server does.
  my $content = slurp_file($file);
  is($content, content_of($system, mark_in($content)), "$name: the file is what this test takes it for");
  is(reported_mark($node), micros_of(mark_in($content)), "$name: and holds the mark that is reported");
  cmp_ok(mark_in($content), '>', position_of($made[-1]), "$name: which is above the values");

  # After a start, values are ahead of the clock by the lead of the mark. Where that is then lost, the
  # clock must not bring them back.
  $node->restart;
  push @made, values_of($node);

  # Does something to the file of the server while that is down, and says what is wrong after.
  my $wrong_after = sub {
    my ($damage, $detail) = @_;
    $node->stop;
    unlink($rejected);
    $damage->();
    my $bad = -f $file && -r $file ? slurp_file($file) : undef;
    my $offset = -s $node->logfile;
    # A server that was not preloaded reads the file when it is asked for a value.
    return 'does not start' if !$node->start(fail_ok => 1);
    push @made, values_of($node);

    my $said = join('.*',
      'WARNING:  could not use the high-water mark of uuidx in file "uuidx\.mark"\n',
      "DETAIL:  $detail The file has been renamed to \"uuidx\\.mark\\.rejected\"\\.\\n",
      'HINT:  .* call uuid_v7_advance\(\)');
    my @wrong;
    push @wrong, 'log'   if slurp_file($node->logfile, $offset) !~ $said;
    push @wrong, 'order' if out_of_order(@made) != 0;
    push @wrong, 'aside' if !-e $rejected;
    push @wrong, 'kept'  if defined $bad && -e $rejected && slurp_file($rejected) ne $bad;
    my $mark = mark_in(slurp_file($file));
    push @wrong, 'file' if slurp_file($file) ne content_of($system, $mark);
    push @wrong, 'mark' if $mark < position_of($made[-1]);
    return "@wrong";
  };

  # Any byte that is not the right one is found, and nothing of the file is lost.
  my @wrong;
  for my $byte ($preloaded ? 0 .. 27 : (7, 8, 23, 24)) {
    my $wrong = $wrong_after->(
      sub {
        my $damaged = slurp_file($file);
        substr($damaged, $byte, 1) ^= chr(1 << $byte % 8);
        overwrite($file, $damaged);
      },
      'The content of the file is damaged.');
    push @wrong, "$byte: $wrong" if $wrong ne '';
  }
  is("@wrong", '', "$name: a byte flipped: set aside, reported, values go on");

  for my $case (
    ['garbage', 'The content of the file is damaged.', sub { overwrite($file, pack('C32', map { rand 256 } 1 .. 32)) }],
    ['zeros', 'The content of the file is damaged.', sub { overwrite($file, "\0" x 32) }],
    ['empty',           'The file is too short.', sub { overwrite($file, '') }],
    ['8 bytes',         'The file is too short.', sub { truncate($file, 8) }],
    ['31 bytes',        'The file is too short.', sub { truncate($file, 31) }],
    ['no permission',   'The file could not be opened: Permission denied.', sub { chmod(0, $file) }],
    ['a directory',     'The file could not be read: Is a directory.', sub { unlink($file); mkdir($file) }],
    ['of another server', 'The file belongs to another database system.', sub { overwrite($file, $foreign) }])
  {
    my ($case_name, $detail, $damage) = @$case;
    is($wrong_after->($damage, $detail), '', "$name: $case_name: set aside, reported, values go on");
    rmdir($rejected);
  }
  cmp_ok(position_of($made[-1]), '<', mark_in($foreign), "$name: another server's mark is not taken");

  # Without the file the clock alone decides, and nothing is said, as with a new server.
  $node->poll_query_until('postgres',
    q{SELECT ahead < '0' FROM uuid_generator_state() WHERE scope = 'server'})
    or die 'the clock does not go on';
  $node->stop;
  unlink($file, $rejected);
  my $offset = -s $node->logfile;
  $node->start;
  push @made, values_of($node);
  is(out_of_order(@made), 0, "$name: missing: values follow the clock");
  unlike(slurp_file($node->logfile, $offset), qr/WARNING/, "$name: missing: no warning");
  cmp_ok(mark_in(slurp_file($file)), '>', position_of($made[-1]), "$name: missing: there is one again");

  # The file cannot be written. What is at most the old mark may leave, but nothing above it, until the
  # clock has passed it or the server is moved beyond it.
  for my $case (
    [ 'full disk', qr/53100: could not write file "uuidx\.mark\.new": No space left on device/, 0,
      sub { symlink('/dev/full', $new) }, sub { unlink($new) } ],
    [ 'full disk, moved on', qr/53100: could not write file "uuidx\.mark\.new": No space left on device/, 5,
      sub { symlink('/dev/full', $new) }, sub { unlink($new) } ],
    [ 'read-only directory', qr/42501: could not create file "uuidx\.mark\.new": Permission denied/, 10,
      sub { chmod(0500, $node->data_dir) }, sub { chmod(0700, $node->data_dir) } ],
    [ 'directory in the way', qr/42809: could not create file "uuidx\.mark\.new": Is a directory/, 15,
      sub { mkdir($new) }, sub { rmdir($new) } ])
  {
    my ($case_name, $error, $seconds, $break, $mend) = @$case;
    my ($sqlstate) = $error =~ /(\d{5})/;
    $case_name = "$name: $case_name";

    push @made, values_of($node);
    my $before = slurp_file($file);
    my $mark   = mark_in($before);
    $break->() or die "$case_name: $!";
    my $until = 'clock_timestamp()';
    if ($seconds > 0) {
      like(
        error_of($node, "SELECT uuid_v7_advance(uuid_v7_at(clock_timestamp() + interval '$seconds s'))"),
        $error, "$case_name: no way beyond the mark");
    }
    else {
      $until = sprintf("'epoch'::timestamptz + interval '%d us'", micros_of($mark));
    }
    my @sessions = attempts($node, "$until + interval '100 ms'");
    my @left     = map { [ grep { length > 5 } @$_ ] } @sessions;
    my @refused  = map { grep { length == 5 } @$_ } @sessions;
    is(scalar(grep { position_of($_) > $mark } map { @$_ } @left),
      0, "$case_name: nothing above the mark leaves");
    is(scalar(grep { out_of_order($made[-1], @$_) } @left), 0, "$case_name: what leaves is in order");
    is(scalar(grep { length $_->[-1] == 5 } @sessions),
      4, "$case_name: in the end, every session is refused");
    is(scalar(grep { $_ ne $sqlstate } @refused), 0, "$case_name: with the right SQLSTATE");
    like(error_of($node, 'SELECT uuid_v7_cluster()'), qr/ERROR:  $error/, "$case_name: the error says why");
    is(slurp_file($file),    $before,          "$case_name: the file is as before");
    is(reported_mark($node), micros_of($mark), "$case_name: and the mark");
    push @made, maxstr(map { @$_ } @left) if grep { @$_ } @left;

    # After a start there is nothing below the mark that may leave. In a read-only directory there is
    # no start.
    if (-w $node->data_dir) {
      $node->stop('immediate');
      ok($node->start(fail_ok => 1), "$case_name: the server starts");
      my @again = map { @$_ } attempts($node, q{clock_timestamp() + interval '20 ms'});
      is(scalar(grep { $_ ne $sqlstate } @again), 0, "$case_name: and refuses every value");
    }

    $mend->() or die "$case_name: $!";
    push @made, values_of($node);
    is(out_of_order(@made), 0, "$case_name: values go on when it is over");
    cmp_ok(mark_in(slurp_file($file)), '>', position_of($made[-1]), "$case_name: below a mark in the file");
  }

  # After a crash the log brings the mark back, though the file is lost and the clock is behind.
  for my $case (
    [ 'missing', 40, sub { unlink($file) } ],
    [ 'damaged', 50, sub { overwrite($file, 'x' x 32) } ])
  {
    my ($case_name, $seconds, $damage) = @$case;
    last if !$preloaded;
    advance($node, $seconds);
    push @made, values_of($node);
    $node->stop('immediate');
    $damage->();
    $node->start;
    push @made, values_of($node);
    is(out_of_order(@made), 0, "$name: $case_name after a crash: values go on from the log");
  }

  # A mark far ahead of the clock is kept, and said; so is one less far, without a word.
  for my $case ([ '30 s', 30, 0 ], [ 'a day', $day, 1 ]) {
    my ($case_name, $seconds, $far) = @$case;
    $node->stop;
    unlink($rejected);
    my $mark = position_at(Time::HiRes::time() + $seconds);
    overwrite($file, content_of($system, $mark));
    $offset = -s $node->logfile;
    $node->start;
    @made = values_of($node);
    my $log = slurp_file($node->logfile, $offset);
    my ($behind) = $log =~ m{
      WARNING:\ \ system\ clock\ is\ (\d+\.\d{3})\ s\ behind\ the\ high-water\ mark\ of\ uuidx\n
      .*DETAIL: .*count\ on\ from\ the\ mark.*\n.*HINT: .*time\ synchronization}x;
    if ($far) {
      ok(defined $behind && $behind <= $seconds && $behind > $seconds - 60,
        "$name: $case_name ahead: the log says so");
    }
    else {
      is($behind, undef, "$name: $case_name ahead: nothing to say");
    }
    ok( position_of($made[0]) > $mark && position_of($made[-1]) <= $mark + 65536,
      "$name: $case_name ahead: values count on from the mark");
    ok(!-e $rejected, "$name: $case_name ahead: the file is not set aside");
    $node->restart;
    push @made, values_of($node);
    is(out_of_order(@made), 0, "$name: $case_name ahead: and go on after a restart");
  }

  # At the end of time there is no next value, and none from the beginning.
  $node->stop;
  overwrite($file, content_of($system, ~0));
  $node->start;
  like(error_of($node, 'SELECT uuid_v7_cluster()'), qr/ERROR:  22008: /, "$name: the last mark: an error");
  $node->stop;
  return;
}

# Another server's mark, a day ahead of what the others make.
my $other = new_server('other', 1);
values_of($other);
$other->stop;
my ($other_system, $other_mark) = unpack 'x8 Q Q', slurp_file($other->data_dir . '/uuidx.mark');
my $foreign = content_of($other_system, $other_mark + (86_400_000 << 16));

check_server('preloaded', 1, $foreign);
SKIP: {
  skip 'PostgreSQL before 17 needs preloading', 1 if $other->pg_version < 17;
  check_server('not preloaded', 0, $foreign);
}

done_testing();
