# pg_stat_statements has one entry for a query by time, whatever the times.
# As in doc/operate.md; the operators have no entry. It is preloaded before uuidx, and both have their shared memory.

use FindBin;
use lib $FindBin::RealBin;
use Helpers;

my $node = start_node('statements', q{
shared_preload_libraries = 'pg_stat_statements, uuidx'
pg_stat_statements.track = all
});
$node->safe_psql('postgres', q{
  CREATE EXTENSION pg_stat_statements;
  CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text);
});

# Returns the recorded statements with their number of calls, and resets them.
sub noted {
  return $node->safe_psql('postgres', q{
    SELECT calls || ' ' || query FROM pg_stat_statements WHERE query !~ 'pg_stat_statements' ORDER BY query COLLATE "C";
    SELECT FROM pg_stat_statements_reset()});
}

noted();
$node->safe_psql('postgres', "INSERT INTO event (what) VALUES ('$_')") for 1 .. 3;
is(noted(), '3 INSERT INTO event (what) VALUES ($1)', 'a default is part of its INSERT');

# Recorded statements, and the conditions for each DAY of a month.
my %queries = (
  'id >= timestamptz $1'                           => q{id >= timestamptz '2026-03-DAY'},
  'timestamptz $1 > id'                            => q{timestamptz '2026-03-DAY' > id},
  'id <@ tstzrange($1, $2)'                        => q{id <@ tstzrange('2026-03-DAY', '2026-04-DAY')},
  'id >= now() - interval $1'                      => q{id >= now() - interval 'DAY days'},
  'id BETWEEN uuid_v7_min($1) AND uuid_v7_max($2)' =>
    q{id BETWEEN uuid_v7_min('2026-03-DAY') AND uuid_v7_max('2026-04-DAY')},
);
for my $noted (sort keys %queries) {
  for my $day (1 .. 4) {
    my $condition = $queries{$noted} =~ s/DAY/$day/gr;
    $node->safe_psql('postgres', "SELECT count(*) FROM event WHERE $condition");
  }
  is(noted(), "4 SELECT count(*) FROM event WHERE $noted", "one entry for all times: $noted");
}

# Also with a parameter whose type the server determines, as drivers do.
$node->safe_psql('postgres', q{
  PREPARE asked AS SELECT count(*) FROM event WHERE id >= $1::timestamptz;
  SET plan_cache_mode = force_generic_plan;
  EXECUTE asked('2026-03-01'); EXECUTE asked('2026-03-02');
});
like(noted(), qr/^2 (PREPARE asked AS )?SELECT count\(\*\) FROM event WHERE id >= \$1::timestamptz$/m,
  'one entry for all times: a prepared statement');

# No constant is recorded, such as a masking key or a hashed name.
$node->safe_psql('postgres', q{
  SELECT uuid_v47_mask(uuid_v7(), '\x5ec4e75ec4e75ec4e75ec4e75ec4e700'), uuid_v5(uuid_namespace('dns'), 'hush')});
is(noted(), '1 SELECT uuid_v47_mask(uuid_v7(), $1), uuid_v5(uuid_namespace($2), $3)', 'no constant is recorded');

done_testing();
