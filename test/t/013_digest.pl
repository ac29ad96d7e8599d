# Name-based UUIDs work or fail clearly if OpenSSL lacks a digest, as in FIPS mode.

use strict;
use warnings FATAL => 'all';
use FindBin;
use lib $FindBin::RealBin;
use FaultShim;
use Test::More;

my $server = FaultShim->new;
my %calls  = (
  MD5    => q{uuid_v3(uuid_namespace('dns'), 'www.example.com')},
  SHA1   => q{uuid_v5(uuid_namespace('dns'), 'www.example.com')},
  SHA256 => q{uuid_v8_hash('sha256', uuid_namespace('dns'), 'www.example.com')},
);
# RFC 9562 A.2, A.4 and B.2.
my %answers = (
  MD5    => '5df41881-3aed-3515-88a7-2f4a814cf09e',
  SHA1   => '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  SHA256 => '5c146b14-3c52-8afd-938a-375d0df1fbf6',
);

# A missing digest affects only the functions that need it, with an error that names it and a hint.
for my $missing ('MD5', 'SHA1') {
  my $session = $server->session;
  $server->fault(digest => $missing);
  for my $try ('first', 'second') {
    like(
      $session->error("SELECT $calls{$missing}"),
      qr/^ERROR:  0A000: .*"$missing".*\n(.*\n)?HINT:  .*uuid_v8_hash/,
      "$missing missing, $try try: the call fails");
    is($session->value('SELECT 1'), '1', "$missing missing, $try try: the session works");
  }
  for my $digest (grep { $_ ne $missing } sort keys %calls) {
    is($session->value("SELECT $calls{$digest}"),
      $answers{$digest}, "$missing missing: $digest works");
  }

  # When it is back, no restart or new session is needed.
  $server->fault;
  is($session->value("SELECT $calls{$missing}"),
    $answers{$missing}, "$missing is back: the call works in the same session");
  $session->quit;
}

# If a digest that is asked for by name is missing, the last one used does not take its place.
{
  my $session = $server->session;
  is($session->value("SELECT $calls{SHA256}"), $answers{SHA256}, 'SHA256 works');
  $server->fault(digest => 'SHA512');
  like(
    $session->error("SELECT uuid_v8_hash('sha512', nil_uuid(), 'name')"),
    qr/^ERROR:  22023: .*"sha512"/,
    'SHA512 missing: uuid_v8_hash() fails');
  is($session->value("SELECT $calls{SHA256}"), $answers{SHA256}, 'SHA512 missing: SHA256 works');
  $server->fault;
  $session->quit;
}

# uuid_to_v7() needs a digest, too.
{
  my $session = $server->session;
  $server->fault(digest => 'SHA256');
  like(
    $session->error(q{SELECT uuid_to_v7('1ec9414c-232a-6b00-b3c8-9f6bdeced846')}),
    qr/^ERROR:  0A000: digest "SHA256" is not available\nDETAIL:.*\n(?!HINT)/,
    'SHA256 missing: the error of uuid_to_v7() names it');
  $server->fault;
  is($session->value(q{SELECT uuid_to_v7('1ec9414c-232a-6b00-b3c8-9f6bdeced846') IS NULL}), 'f',
    'SHA256 is back: uuid_to_v7() works');
  $session->quit;
}

# Other code, such as TLS, reads the same error queue: each of the failures above was followed by
# another request for a digest, and none found anything there.
is($server->leftovers, 0, 'nothing is left in the error queue of OpenSSL');

done_testing();
