-- How the ORM's program has read the table entry, and what uuidx_check() says of it.
SELECT 'whole table read: ' || seq_scan FROM pg_stat_user_tables WHERE relname = 'entry';
SELECT 'ranges read by ' || attname
  || CASE WHEN attname = 'id' AND idx_tup_read > 10000 THEN ' with many rows' ELSE '' END
FROM pg_stat_user_indexes JOIN pg_attribute ON attrelid = indexrelid
WHERE relname = 'entry' AND attname IN ('id', 'created_at') AND idx_tup_read > 500;
SELECT concat_ws(': ', 'uuidx_check', kind, problem) FROM uuidx_check('entry') WHERE kind <> 'key';
-- The table as it was.
DELETE FROM entry WHERE what !~ '^event';
UPDATE entry SET n = 0 WHERE n > 0;
