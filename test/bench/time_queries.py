"""Times queries for a time range, in one run on the server that libpq's variables name.

What stands in one table was run by turns, so that a change of the machine's speed meets all of it.
Figures are medians over the repetitions. Neither parallel workers nor JIT take part.
"""

import datetime
import json
import statistics

from harness import Table, progress, psql, turns

UTC = datetime.timezone.utc
SIZES = (100_000, 1_000_000, 10_000_000)
START = datetime.datetime(2026, 1, 1, tzinfo=UTC)
# A million rows are 116 days, in tables of every size.
STEP = datetime.timedelta(days=116) / 1_000_000
# Within the smallest table; much narrower than a histogram bin of the largest.
DAY = (datetime.datetime(2026, 1, 6, tzinfo=UTC), datetime.datetime(2026, 1, 7, tzinfo=UTC))

# Rows of 56 bytes with their header.
TABLE = """
CREATE UNLOGGED TABLE event_{rows} (id uuid, created_at timestamptz, n int, filler text);
INSERT INTO event_{rows}
SELECT uuid_v7_at(t), t, i, 'abc'
FROM generate_series(0, {rows} - 1) AS i, LATERAL (SELECT '{start}'::timestamptz + i * '{step}'::interval AS t) AS at;
ALTER TABLE event_{rows} ADD PRIMARY KEY (id);
"""

# For a database without the extension; its ids are of version 7, too.
PLANNING = """
CREATE TABLE account AS
SELECT (lpad(to_hex(floor(extract(epoch FROM t) * 1000)::bigint), 12, '0') || '7' || substr(md5(i::text), 1, 3)
        || '8' || substr(md5(i::text), 4, 15))::uuid AS id, i AS n, t AS created_at
FROM generate_series(0, 99999) AS i, LATERAL (SELECT '{start}'::timestamptz + i * '{step}'::interval AS t) AS at;
CREATE TABLE entry AS SELECT gen_random_uuid() AS id, id AS account FROM account;
ALTER TABLE account ADD PRIMARY KEY (id);
CREATE INDEX ON account (created_at);
ALTER TABLE entry ADD PRIMARY KEY (id);
CREATE INDEX ON entry (account);
CREATE FUNCTION planning_times(queries text[], repetitions int)
RETURNS TABLE (number int, planning float8) LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    FOR repetition IN 1 .. repetitions LOOP
        FOR i IN 1 .. cardinality(queries) LOOP
            EXECUTE 'EXPLAIN (SUMMARY, FORMAT JSON) ' || queries[i] INTO plan;
            number := i;
            planning := (plan->0->>'Planning Time')::float8 * 1000;
            RETURN NEXT;
        END LOOP;
    END LOOP;
END $$;
VACUUM (FREEZE, ANALYZE);
"""


def run_queries(queries, repetitions, settings=""):
    """Runs all queries in turn and returns a list of EXPLAIN's documents for each."""
    # Each runs twice and the second run counts, with warm processor caches.
    explained = "".join(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {query};\n" * 2 for query in queries)
    text = psql(settings + explained * (repetitions + 1))
    decoder = json.JSONDecoder()
    documents = []
    while text := text.lstrip():
        document, end = decoder.raw_decode(text)
        documents.append(document[0])
        text = text[end:]
    # The first turn loads libraries and fills the buffers.
    counted = documents[2 * len(queries) + 1::2]
    return [counted[i::len(queries)] for i in range(len(queries))]


def milliseconds(runs):
    return statistics.median(run["Execution Time"] for run in runs)


def plan_queries(queries, database, plans):
    """Plans all queries in turn and returns the median us of each."""
    array = ", ".join(f"$q${query}$q$" for query in queries)
    lines = psql(f"""
        PREPARE by_id(uuid) AS SELECT n FROM account WHERE id = $1;
        SET plan_cache_mode = force_custom_plan;
        SELECT count(*) FROM planning_times(ARRAY[{array}], 20);
        SELECT * FROM planning_times(ARRAY[{array}], {plans});""", database).splitlines()[1:]
    times = [[] for _ in queries]
    for line in lines:
        number, planning_time = line.split("|")
        times[int(number) - 1].append(float(planning_time))
    # The server rounds to microseconds, which is some percent of these times.
    return [statistics.median_grouped(of_query) for of_query in times]


# The heads of a query: time, pages, and the rows that the scan of the table has found.
READ = {"ms": ".3f", "buffers": ",", "found": ","}


def pages(runs):
    return round(statistics.median(run["Plan"]["Shared Hit Blocks"] + run["Plan"]["Shared Read Blocks"]
                                   for run in runs))


def read_cells(runs):
    """The cells of a query under these heads."""
    return [milliseconds(runs), pages(runs), round(runs[-1]["Plan"]["Plans"][0]["Actual Rows"])]


def time_column(rows, repetitions):
    """The time of the key as a column of a view, beside a column that holds the time and has an index."""
    psql(f"""ALTER TABLE event_{rows} ADD CHECK (uuid_is_v7(id));
        CREATE INDEX ON event_{rows} (created_at, id);
        CREATE VIEW event_at AS SELECT id, n, uuid_extract_v7_time(id) AS created_at FROM event_{rows};
        VACUUM (FREEZE, ANALYZE) event_{rows};""")
    (a, b), last = (f"'{t}'::timestamptz" for t in DAY), "ffffffff-ffff-7fff-bfff-ffffffffffff"
    cases = {
        "a day": f"SELECT count(*), sum(n) FROM {{}} WHERE created_at >= {a} AND created_at < {b}",
        "max": "SELECT max(created_at) FROM {}",
        "next page of 20": f"SELECT id, n FROM {{}} WHERE (created_at, id) < ({a}, '{last}') "
                           "ORDER BY created_at DESC, id DESC LIMIT 20",
    }
    queries = [case.format(source) for case in cases.values() for source in (f"event_{rows}", "event_at")]
    runs = run_queries(queries, repetitions)
    without = run_queries(queries[1::2], max(repetitions // 4, 1), "SET uuidx.enable_time_columns = off;")
    return Table("time_column",
                 f"The time of the key as a column of a view, {rows:,} rows; ratio to a column with an index",
                 {"query": "", "column ms": ".3f", "time column ms": ".3f", "ratio": ".2f", "switched off ms": ".3f"},
                 [[name, milliseconds(column), milliseconds(key), milliseconds(key) / milliseconds(column),
                   milliseconds(off)]
                  for name, column, key, off in zip(cases, runs[::2], runs[1::2], without)])


def by_day(rows, repetitions):
    """Rows grouped and sorted by what is computed from the time, of the same view and column."""
    last = f"'{START + rows * STEP}'::timestamptz"
    cases = {
        "count by day": "SELECT date_trunc('day', created_at) AS day, count(*) FROM {} GROUP BY day ORDER BY day",
        "the last 7 days": "SELECT date_trunc('day', created_at) AS day, count(*), sum(n) FROM {} "
                           f"WHERE created_at >= {last} - interval '7 days' GROUP BY day ORDER BY day",
        "first 10 days": "SELECT created_at::date AS day, sum(n) FROM {} GROUP BY day ORDER BY day LIMIT 10",
        "newest 20 by day": "SELECT created_at::date AS day, n FROM {} ORDER BY day DESC, n LIMIT 20",
    }
    queries = [case.format(source) for case in cases.values() for source in (f"event_{rows}", "event_at")]
    runs = run_queries(queries, repetitions)
    cells = []
    for name, column, key in zip(cases, runs[::2], runs[1::2]):
        times = milliseconds(column), milliseconds(key)
        cells.append([name, *times, times[1] / times[0], pages(column), pages(key)])
    return Table("time_column_by_day",
                 f"Grouped and sorted by day, {rows:,} rows; ratio to a column with an index",
                 {"query": "", "column ms": ".2f", "time column ms": ".2f", "ratio": ".2f", "column pages": ",",
                  "time column pages": ","}, cells)


def growth(sizes, repetitions):
    a, b = (f"'{t}'::timestamptz" for t in DAY)
    cases = {
        "id <@ tstzrange(a, b)": f"id <@ tstzrange({a}, {b})",
        "id >= a AND id < b": f"id >= {a} AND id < {b}",
    }
    runs = run_queries([f"SELECT count(*), sum(n) FROM event_{rows} WHERE {case}"
                        for case in cases.values() for rows in sizes], repetitions)
    heads = [(case, rows) for case in cases for rows in sizes]
    return Table("time_queries_growth", "The same day of tables with more days: count(*), sum(n)",
                 {"predicate": "", "rows": ",", **READ}, [[*head, *read_cells(run)] for head, run in zip(heads, runs)])


def lowest_v7(time):
    """The uuid_v7_min() of a database without the extension."""
    digits = f"{round(time.timestamp() * 1000):012x}70008" + "0" * 15
    return f"'{digits}'::uuid"


def planning(repetitions, plans):
    lowest, (a, b) = lowest_v7(DAY[0]), (f"'{t}'::timestamptz" for t in DAY)
    cases = {
        "id = const": f"SELECT n FROM account WHERE id = {lowest}",
        "id = $1, custom plan": f"EXECUTE by_id({lowest})",
        "join by uuid": "SELECT n FROM account JOIN entry ON account.id = entry.account",
        "created_at >= a AND created_at < b": f"SELECT n FROM account WHERE {{time}} >= {a} AND {{time}} < {b}",
    }
    # The time is stored in the one, and extracted in the other.
    times = {"without": "created_at", "with_uuidx": "uuid_extract_v7_time(id)"}
    medians = {database: [] for database in times}
    for database in turns("planning", repetitions, times):
        queries = [case.format(time=times[database]) for case in cases.values()]
        medians[database].append(plan_queries(queries, database, plans))
    rows = []
    for i, name in enumerate(cases):
        without, extended = ([queries[i] for queries in medians[database]] for database in times)
        low, middle, high = statistics.quantiles((x / y for x, y in zip(extended, without)), n=4)
        rows.append([name, statistics.median(without), statistics.median(extended), middle, low, high])
    return Table("planning", "us to plan in a database without and with uuidx; "
                 f"{repetitions} pairs of sessions of {plans:,}, ratios within the pairs with their quartiles",
                 {"query": "", "plan without": ".1f", "plan with": ".1f", "plan ratio": ".3f", "plan 25 %": ".3f",
                  "plan 75 %": ".3f"}, rows)


def table_sizes(largest):
    """The sizes of all tables, and of the one that most queries read."""
    return sorted({min(size, largest) for size in SIZES} | {largest}), min(SIZES[1], largest)


def make_tables(sizes, middle):
    psql("CREATE EXTENSION IF NOT EXISTS uuidx;")
    for rows in sizes:
        progress(f"time queries: making a table of {rows:,} rows")
        psql(TABLE.format(rows=rows, start=START, step=STEP))
    psql(f"CREATE INDEX ON event_{middle} (created_at); VACUUM (FREEZE, ANALYZE);")


def make_databases():
    """Creates a database without the extension, and a copy with it."""
    progress("planning: making the databases")
    psql("CREATE DATABASE without;")
    psql(PLANNING.format(start=START, step=STEP), "without")
    psql("CREATE DATABASE with_uuidx TEMPLATE without;")
    psql("CREATE EXTENSION uuidx; ALTER TABLE account ADD CHECK (uuid_is_v7(id)); VACUUM (FREEZE, ANALYZE);",
         "with_uuidx")


def measure(largest, repetitions):
    sizes, middle = table_sizes(largest)
    make_tables(sizes, middle)
    psql("CHECKPOINT;")
    progress(f"time queries: {repetitions} repetitions")
    return [growth(sizes, repetitions), time_column(middle, repetitions), by_day(middle, repetitions)]


def measure_planning(repetitions, plans):
    make_databases()
    return planning(repetitions, plans)
