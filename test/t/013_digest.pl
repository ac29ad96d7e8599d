# Name-based UUIDs work or fail clearly if OpenSSL lacks a digest, as in FIPS mode.

use FaultShim;
use Helpers;

my $server = FaultShim->new;

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
  $session->quit;
}

# Other code, such as TLS, reads the same error queue: each of the failures above was followed by
# another request for a digest, and none found anything there.
is($server->leftovers, 0, 'nothing is left in the error queue of OpenSSL');

done_testing();
