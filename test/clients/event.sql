-- The table of the programs, with rows of known times. The column n has the order of insertion.
CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL, n bigserial);
CALL fill('event');

-- True if the keys of the rows with these texts are of version 7, and in the order of insertion by their milliseconds.
CREATE FUNCTION are_in_order(texts text[]) RETURNS boolean LANGUAGE sql AS $$
  SELECT count(*) > 1 AND bool_and(uuid_is_v7(id)) AND bool_and(time >= before)
  FROM (SELECT id, uuid_extract_time(id) AS time, lag(uuid_extract_time(id)) OVER (ORDER BY n) AS before
        FROM event WHERE what = ANY (texts)) AS e $$;
