-- The table of the programs, with rows of known times; judge.sql judges the keys of some. The column n
-- has the order of insertion.
CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL, n bigserial);
CALL fill('event');
