# Generators while the random source fails or repeats itself.

use strict;
use warnings FATAL => 'all';
use FindBin;
use lib $FindBin::RealBin;
use FaultShim;
use Test::More;

my $server     = FaultShim->new(conf => "max_prepared_transactions = 1\n");

# The fault library is no fault itself in a server that has another libcrypto than uuidx: each caller gets its own.
is(callers_of_two_libraries($server->{library}), '11 30', 'a caller gets the libcrypto that it is linked with');

my @generators = (
  'uuid_v1()', 'uuid_v4()', 'uuid_v6()', 'uuid_v7()', q{uuid_v7(interval '1 hour')},
  map { "uuid_v${_}_at('2024-02-29 12:00+00')" } (1, 6, 7));
# With SQLSTATE, as psql writes it.
my $failure = qr/^ERROR:  58000: could not generate random values\n/;
# The maximum number of random 64-bit words in the pool (RandomPool::kWords).
my $pool = 1024;

# Prints what a program and a module linked with another library get from a function of libcrypto, with the fault
# library preloaded. Argument: the fault library.
sub callers_of_two_libraries {
  my ($fault) = @_;
  my $folder  = PostgreSQL::Test::Utils::tempdir();
  my @linked  = ("-L$folder", "-Wl,-rpath,$folder");
  my $compile = sub {
    my ($source, @options) = @_;
    open(my $cc, '|-', $ENV{CC} // 'cc', qw(-x c - -x none), @options) or die "cc: $!";
    print {$cc} $source;
    close($cc) or die 'cc failed';
  };
  $compile->("long EVP_MD_CTX_new(void) { return $_; }", '-shared', '-fPIC', '-o', "$folder/lib$_.so") for 11, 30;
  $compile->('long EVP_MD_CTX_new(void); long module(void) { return EVP_MD_CTX_new(); }',
    '-shared', '-fPIC', '-o', "$folder/module.so", @linked, '-l30');
  $compile->("#include <dlfcn.h>\n#include <stdio.h>\nlong EVP_MD_CTX_new(void);\n" . q{
      int main(int count, char **words) {
        long (*module)(void) = (long (*)(void))dlsym(dlopen(words[1], RTLD_NOW | RTLD_GLOBAL), "module");
        return printf("%ld %ld", EVP_MD_CTX_new(), module()) < 0;
      }}, '-o', "$folder/program", @linked, '-l11', '-ldl');
  local $ENV{LD_PRELOAD} = $fault;
  return `$folder/program $folder/module.so`;
}

# Calls a generator up to a number of times or until it fails, and stores the values.
$server->{node}->safe_psql('postgres', q{
  CREATE FUNCTION until_failure(call text, tries int, OUT made_now int, OUT error text)
  LANGUAGE plpgsql AS $$
  DECLARE
    ids uuid[] := '{}';
    id uuid;
  BEGIN
    BEGIN
      FOR i IN 1..tries LOOP
        EXECUTE 'SELECT ' || call INTO id;
        ids := ids || id;
      END LOOP;
    EXCEPTION WHEN OTHERS THEN
      error := SQLSTATE || ': ' || SQLERRM;
    END;
    INSERT INTO made (id) SELECT unnest(ids);
    made_now := cardinality(ids);
  END $$});

# Counts values of `made` with the bytes that the failing source wrote.
my $forged = q{SELECT count(*) FROM made WHERE id::text LIKE '%5a5a5a5a'};

# A session with an empty pool gets an error at once, and works as soon as the source is back.
for my $call (@generators) {
  my $session = $server->session;
  $server->fault(random => 'fails');
  like($session->error("SELECT $call"), $failure, "source fails, new session: $call");
  like($session->error("SELECT $call"), $failure, "source still fails: $call");
  $server->fault;
  $session->make($call, 1_000);
  is($session->counted,        '1000|1000', "source is back: $call");
  is($session->value($forged), 0,           "source is back, nothing of the failed one: $call");
  $session->quit;
}

# A transaction uses up its pool, then gets an error: no value is generated without randomness. Not for
# uuid_v1(), which needs none after its node.
for my $call (grep { $_ ne 'uuid_v1()' } @generators) {
  my $session = $server->session;
  $session->value('BEGIN');
  $session->make($call, 10);
  $server->fault(random => 'fails');
  my $tries = $pool + 1;
  my ($made, $error) =
    split(/\|/, $session->value("SELECT * FROM until_failure(\$c\$$call\$c\$, $tries)"));
  is($error, '58000: could not generate random values', "source fails within a pool: $call");
  cmp_ok($made, '>', 0, "the pool's words are used up: $call");
  cmp_ok($made, '<=', $pool, "no more values than the pool had words: $call");
  # The rest of the pool is dropped with the transaction.
  $session->value('COMMIT');
  like($session->error("SELECT $call"), $failure, "source still fails, next transaction: $call");
  $server->fault;
  $session->make($call, 1_000);
  my $total = 1_010 + $made;
  is($session->counted, "$total|$total", "before and after, no duplicate: $call");
  is($session->value($forged), 0, "before and after, nothing of the failed source: $call");
  is($session->out_of_order, 0, "before and after, strictly increasing: $call")
    if $call =~ /^uuid_v[67]\(/;
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
    "words remain within the transaction: $end");
  $session->value($end);
  like($session->error('SELECT uuid_v7()'), $failure, "none is left after $end");
  $server->fault;
  $session->value(q{ROLLBACK PREPARED 'pool'}) if $end =~ /PREPARE/;
  $session->quit;
}

# All three sources of a batch are required: the kernel's bytes, OpenSSL's, and the cipher.
for my $part ('kernel_fails', 'openssl_fails', 'cipher_fails') {
  my $session = $server->session;
  $server->fault(random => $part);
  my $few = $part eq 'kernel_fails' ? $failure : qr/^$/;
  like($session->error('SELECT uuid_v4()'), $few, "$part: a single value");
  like($session->error('SELECT count(uuid_v4()) FROM generate_series(1, 100)'),
    $failure, "$part: many values");
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
  is($made, 36_000, 'OpenSSL repeats itself, values of four sessions');
  is(scalar keys %seen, $made, 'OpenSSL repeats itself, no random bits twice');
}

# Functions without randomness still work.
{
  my $session = $server->session;
  $server->fault(random => 'fails');
  like($session->error('SELECT uuid_v4()'), $failure, 'the source does fail');
  my $name    = q{uuid_namespace('dns'), 'www.example.com'};
  my $id      = q{'017f22e2-79b0-7cc3-98c4-dc0c0c07398f'};
  my %answers = (
    "uuid_v3($name)"                              => '5df41881-3aed-3515-88a7-2f4a814cf09e',
    "uuid_v5($name)"                              => '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    "uuid_v8_hash('sha256', $name)"               => '5c146b14-3c52-8afd-938a-375d0df1fbf6',
    q{uuid_v8('\x00112233445566778899aabbccddeeff')} => '00112233-4455-8677-8899-aabbccddeeff',
    q{uuid_v7_min('2022-02-22 19:22:22+00')}      => '017f22e2-79b0-7000-8000-000000000000',
    "uuid_extract_time($id)"                      => '2022-02-22 19:22:22+00',
    "uuid_extract_version($id)"                   => '7');
  for my $call (sort keys %answers) {
    is($session->value("SELECT $call"), $answers{$call}, "source fails, works: $call");
  }
  $server->fault;
  $session->quit;
}

# A source that repeats itself cannot be detected, but v6 and v7 of one session still differ and
# increase by their timestamp alone, even with a frozen clock.
for my $call ('uuid_v6()', 'uuid_v7()') {
  my $session = $server->session;
  $server->fault(random => 'constant', clock => 'set', time => [1672576496, 123_456_700]);
  $session->make($call, 10_000);
  is($session->value($forged), 4, "source repeats itself, its bytes are used: $call");
  is($session->out_of_order, 0, "source repeats itself, strictly increasing: $call");
  $server->fault;
  $session->quit;
}

done_testing();
