# Generators return nothing if the random source fails, and no value twice if it repeats itself.

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
  $session->quit;
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
  $session->quit;
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
  $session->quit;
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
    $server->fault;
    $session->quit;
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
  $server->fault;
  $session->quit;
}

done_testing();
