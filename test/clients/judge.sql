-- Checks the keys that a program has inserted: 'first' and 'many' by default, then 'client' and 'server' in turn.
CREATE TEMP VIEW keys AS
SELECT *, uuid_extract_time(id) AS time, lag(id) OVER by_n AS before
FROM event WHERE what !~ '^event ' WINDOW by_n AS (ORDER BY n);

SELECT CASE WHEN is_so THEN 'ok - ' ELSE 'not ok - ' END || name FROM (
  SELECT 'default keys are in the order of insertion',
    count(*) = 1000 AND bool_and(id > before) FROM keys WHERE what = 'many'
  UNION ALL SELECT 'the server reads the times of the client''s keys', count(*) = 100
      AND bool_and(uuid_is_v7(id) AND uuid_extract_time_precise(id) - time < interval '1 ms')
    FROM keys WHERE what = 'client'
  UNION ALL SELECT 'keys of client and server are in the order of their milliseconds', count(*) = 200
      AND bool_and(time >= uuid_extract_time(before)) FROM keys WHERE what IN ('client', 'server')
) AS result (name, is_so);
