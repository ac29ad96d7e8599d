# Without random bits or a digest, as in FIPS mode, functions fail clearly, and no value is returned twice.

use FaultShim;
use Helpers;

my $server = FaultShim->new(conf => "max_prepared_transactions = 1\n");

my @generators = (
  'uuid_v1()', 'uuid_v4()', 'uuid_v6()', 'uuid_v7()', q{uuid_v7(interval '1 hour')},
  map { "uuid_v${_}_at('2024-02-29 12:00+00')" } (1, 6, 7));
# With SQLSTATE, as psql writes it.
my $failure = qr/^ERROR:  58000: could not generate random values\n/;

# Counts values of `made` with the bytes that the failing source wrote.
my $forged = q{SELECT count(*) FROM made WHERE id::text LIKE '%5a5a5a5a'};

# A session with an empty pool gets an error at once, and works as soon as the source is back. Names need no source.
for my $call (@generators) {
  my $session = $server->session;
  $server->fault(random => 'fails');
  like($session->error("SELECT $call"), $failure, "source fails: $call fails") for 1, 2;
  is($session->value(q{SELECT uuid_v5(nil_uuid(), '') IS NULL}), 'f', "source fails: names are hashed after $call");
  $server->fault;
  $session->make($call, 1_000);
  is($session->value('SELECT count(DISTINCT id) FROM made'), 1000, "source is back: $call works");
  is($session->value($forged), 0, "source is back: $call uses no bytes of the failed source");
}

# Any end of a transaction drops the pool.
for my $end ('COMMIT', 'ROLLBACK', q{PREPARE TRANSACTION 'pool'}) {
  my $session = $server->session;
  # Sixty words leave more than two hundred of the third batch.
  $session->value('BEGIN');
  $session->value('SELECT count(uuid_v7()) FROM generate_series(1, 60)');
  $server->fault(random => 'fails');
  is($session->error('SELECT count(uuid_v7()) FROM generate_series(1, 10)'), '',
    "before $end, values come from the pool");
  $session->value($end);
  like($session->error('SELECT uuid_v7()'), $failure, "after $end, the pool is empty");
  $server->fault;
  $session->value(q{ROLLBACK PREPARED 'pool'}) if $end =~ /PREPARE/;
}

# All three sources of a batch are required: the kernel's bytes, OpenSSL's, and the cipher. The first batch, of four
# values, takes only the kernel's: when it is used up, there is an error, and no value without randomness.
for my $part ('kernel_fails', 'openssl_fails', 'cipher_fails') {
  my $session = $server->session;
  $server->fault(random => $part);
  my $few = $part eq 'kernel_fails' ? $failure : qr/^$/;
  like($session->error('SELECT uuid_v4()'), $few, "$part: a single value fails only without the kernel");
  like($session->error('SELECT count(uuid_v4()) FROM generate_series(1, 100)'),
    $failure, "$part: many values fail");
  $server->fault;
  is($session->error('SELECT count(uuid_v4()) FROM generate_series(1, 100)'), '', "$part: the source works again");
}

# OpenSSL's generator repeats itself, as in copies of a virtual machine: the sessions' values have
# nothing in common, as the kernel's generator does not repeat.
{
  my %seen;
  my $made = 0;
  for my $copy (1 .. 4) {
    my $session = $server->session;
    $server->fault(random => 'openssl_constant', clock => 'set', time => [1672576496, 123_456_700]);
    my @ids = split(/\n/, $session->value(
      q{SELECT unnest(ARRAY[uuid_v4(), uuid_v7(), uuid_v6()]) FROM generate_series(1, 3000)}));
    # The random bits of version 7 only: its ticks are the same in each session here.
    $seen{substr($_, 14, 1) eq '7' ? substr($_, 21) : $_}++ for @ids;
    $made += @ids;
  }
  is($made, 36_000, 'OpenSSL repeats itself: four sessions generate values');
  is(scalar keys %seen, $made, 'OpenSSL repeats itself: no random bits occur twice');
}

# A source that repeats itself cannot be detected, but v6 and v7 of one session still differ and
# increase by their timestamp alone, even with a frozen clock.
for my $call ('uuid_v6()', 'uuid_v7()') {
  my $session = $server->session;
  $server->fault(random => 'constant', clock => 'set', time => [1672576496, 123_456_700]);
  $session->make($call, 10_000);
  is($session->value($forged), 4, "source repeats itself: $call uses its bytes");
  is($session->out_of_order, 0, "source repeats itself: $call is strictly increasing");
}

# Digests, calls that need them, their results, which sql/vectors.sql, sql/name_based.sql and sql/convert.sql show, too,
# and the error without the digest. It names it, with a hint if another digest would do.
my $name  = q{uuid_namespace('dns'), 'www.example.com'};
my @calls = (
  [ 'MD5', "uuid_v3($name)", '5df41881-3aed-3515-88a7-2f4a814cf09e',
    qr/^ERROR:  0A000: .*"MD5".*\n(.*\n)?HINT:  .*uuid_v8_hash/ ],
  [ 'SHA1', "uuid_v5($name)", '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    qr/^ERROR:  0A000: .*"SHA1".*\n(.*\n)?HINT:  .*uuid_v8_hash/ ],
  [ 'SHA256', q{uuid_to_v7('1ec9414c-232a-6b00-b3c8-9f6bdeced846')}, '017f22e2-79b0-7000-8249-bcd882390595',
    qr/^ERROR:  0A000: digest "SHA256" is not available\nDETAIL:.*\n(?!HINT)/ ],
  [ 'SHA256', "uuid_v8_hash('sha256', $name)", '5c146b14-3c52-8afd-938a-375d0df1fbf6',
    qr/^ERROR:  22023: .*"sha256"/ ],
  [ 'SHA512', "uuid_v8_hash('sha512', $name)", '94ee4ddb-9f36-8018-9ccf-86a4441691e0',
    qr/^ERROR:  22023: .*"sha512"/ ]);

# A missing digest affects only the functions that need it. A digest by name that was used before does not take its
# place. When it is back, no restart or new session is needed.
for my $case (@calls) {
  my ($missing, $call, $answer, $error) = @$case;
  my $session = $server->session;
  $server->fault(digest => $missing);
  like($session->error("SELECT $call"), $error, "$missing missing: $call fails");
  is($session->value("SELECT $_->[1]"), $_->[2], "$missing missing: $_->[1] works")
    for grep { $_->[0] ne $missing } @calls;
  like($session->error("SELECT $call"), $error, "$missing missing: $call fails again");
  $server->fault;
  is($session->value("SELECT $call"), $answer, "$missing is back: $call works in the same session");
}

# Other code, such as TLS, reads the same error queue: each of the failures above was followed by
# another request for a digest, and none found anything there.
is($server->leftovers, 0, 'nothing is left in the error queue of OpenSSL');

done_testing();
