# A reader that continues after the last row, as the pages advise, loses none of a busy table.

use Helpers;

# By microseconds and id.
my $node = start_node('time_traps', "autovacuum = off\nTimeZone = UTC\n");
$node->safe_psql('postgres', q{
  CREATE TABLE busy (id uuid PRIMARY KEY DEFAULT uuid_v7() CHECK (uuid_is_v7(id)));
  CREATE VIEW busy_at AS SELECT id, uuid_extract_time_precise(id) AS created_at FROM busy});
my @writers = map { $node->background_psql('postgres') } 1 .. 3;
$_->query_until(qr/begun/, q{\echo begun
  DO $$ BEGIN FOR i IN 1 .. 2000 LOOP INSERT INTO busy DEFAULT VALUES; COMMIT; END LOOP; END $$;
}) for @writers;
my ($last, %seen) = ("'-infinity', '" . '0' x 32 . "'");
my $deadline = time + 60;
while (keys %seen < 6000 && time < $deadline) {
  for (split /\n/, $node->safe_psql('postgres', qq{
    SELECT quote_literal(created_at) || ', ' || quote_literal(id) FROM busy_at
    WHERE (created_at, id) > ($last) AND created_at < now() - interval '0.5 s' ORDER BY created_at, id LIMIT 300})) {
    $seen{$_}++;
    $last = $_;
  }
}
$_->quit for @writers;
is(join(' ', scalar keys %seen, sort grep { $seen{$_} > 1 } keys %seen), 6000,
  'a reader by microseconds and id sees each row once');
like(
  $node->safe_psql('postgres', "EXPLAIN SELECT id FROM busy_at WHERE (created_at, id) > ($last) ORDER BY id LIMIT 9"),
  qr/Index Cond: \(id >= /, 'from the index of the key');

done_testing();
