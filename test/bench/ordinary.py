"""Queries of a column near the time of the key, beside what else a table may have, in seconds of the processor."""

import time_queries
from harness import Session, Table, progress, psql

# The rows are 10 s apart, and their times up to 1 s before those of the keys.
TABLES = """
CREATE VIEW event_at AS SELECT id, n, uuid_extract_v7_time(id) AS created_at FROM event_{rows};
CREATE UNLOGGED TABLE event_near AS
SELECT id, created_at - n % 1000 * interval '1 ms' AS created_at, n, filler FROM event_{rows} ORDER BY id;
ALTER TABLE event_{rows} ADD CHECK (uuid_is_v7(id));
ALTER TABLE event_near ADD PRIMARY KEY (id), ADD CHECK (uuid_is_v7(id)), ALTER created_at SET NOT NULL,
    ADD CHECK (created_at BETWEEN uuid_extract_v7_time(id) - interval '1 hour'
        AND uuid_extract_v7_time(id) + interval '1 minute');
CREATE STATISTICS event_near_uuidx ON (uuid_is_v7(id)) FROM event_near;
VACUUM (FREEZE, ANALYZE);
"""


def processor_ms(session, query):
    """The processor's ms of a query with its planning: the mean of so many runs that the clock's ticks do not count."""
    session.value(query)
    runs = 1
    while True:
        began = session.processor_seconds()
        for _ in range(runs):
            session.value(query)
        if (seconds := session.processor_seconds() - began) > 1:
            return seconds / runs * 1000
        runs *= 2


def measure(rows):
    time_queries.make_tables([rows], rows)
    psql(TABLES.format(rows=rows))
    progress("ordinary column")
    a, b = (f"'{t}'::timestamptz" for t in time_queries.DAY)
    cases = {
        "a day": f"SELECT count(*) || ',' || sum(n) FROM {{}} WHERE created_at >= {a} AND created_at < {b}",
        "newest 20": "SELECT sum(n) FROM (SELECT n FROM {} ORDER BY created_at DESC LIMIT 20) AS newest",
        "this date": f"SELECT sum(n) FROM {{}} WHERE created_at::date = {a}::date",
    }
    sources = {"near": "event_near", "view": "event_at", "index": f"event_{rows}", "neither": "event_near"}
    cells = []
    with Session() as session:
        for name, case in cases.items():
            cells.append([name])
            for kind, source in sources.items():
                session.send(f"SET uuidx.enable_time_columns = {'off' if kind == 'neither' else 'on'};\n")
                cells[-1].append(processor_ms(session, case.format(source)))
    return Table("created_at_queries", f"ms of the processor, with planning, {rows:,} rows: a column near the time of "
                 "the key, a view of that time, a column with an index, one with neither",
                 {"query": ""} | dict.fromkeys(sources, ".2f"), cells)
