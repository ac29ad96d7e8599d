"""Times the ways in which plain SQL finds the rows of a day, before and after rows are replaced by newer ones."""

import pathlib

from harness import Table, progress, psql
from time_queries import READ, START, STEP, milliseconds, read_cells, run_queries

SCRIPT = pathlib.Path(__file__).parents[2] / "sql/portable/uuidx.sql"

# Near the end of a million rows, which are 116 days.
DAY = "2026-04-11 00:00:00+00", "2026-04-12 00:00:00+00"

# The library of the extension is loaded by the server, but a managed one has none.
WITHOUT = "SET uuidx.enable_time_columns = off; SET uuidx.enable_statistics = off;"

# A day has 55 pages. By default, a range has 128, and a query for a day reads and tests two of these.
PAGES = " WITH (pages_per_range = 16)"

# The tables, and the index that each has besides the primary key.
TABLES = {
    "plain": "",
    "minmax": "CREATE INDEX ON minmax USING brin (uuid_extract_v7_time(id))" + PAGES,
    "multi": "CREATE INDEX ON multi USING brin (uuid_extract_v7_time(id) timestamptz_minmax_multi_ops)" + PAGES,
    "btree": "CREATE INDEX ON btree (uuid_extract_v7_time(id))",
    "stored_multi": "CREATE INDEX ON stored_multi USING brin (created_at timestamptz_minmax_multi_ops)" + PAGES,
}

FUNCTION = """
CREATE FUNCTION plain_between(a timestamptz, b timestamptz) RETURNS SETOF plain LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT * FROM plain WHERE id >= uuid_v7_min(a) AND id < uuid_v7_min(b);
END;
"""


def insert(table, first, count):
    """Inserts rows with the times that follow those of so many rows."""
    stored = ", t" if table.startswith("stored") else ""
    psql(f"""
        INSERT INTO {table} SELECT uuid_v7_at(t), i, 'abc'{stored}
        FROM generate_series({first}, {first + count - 1}) AS i,
            LATERAL (SELECT '{START}'::timestamptz + i * '{STEP}'::interval AS t) AS at""")


def make_tables(rows):
    psql(f"CREATE SCHEMA uuidx; SET search_path = uuidx, pg_temp; {SCRIPT.read_text(encoding='utf-8')}")
    psql("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, uuidx', current_database()); END $$")
    for table, index in TABLES.items():
        progress(f"plain SQL: making a table of {rows:,} rows: {table}")
        is_stored = table.startswith("stored")
        psql(f"CREATE UNLOGGED TABLE {table} (id uuid, n int, filler text{', created_at timestamptz' * is_stored})")
        insert(table, 0, rows)
        psql(f"ALTER TABLE {table} ADD PRIMARY KEY (id); {index}")
        if not is_stored:
            psql(f"CREATE VIEW {table}_at AS SELECT *, uuid_extract_v7_time(id) AS created_at FROM {table}")
    psql(f"{FUNCTION} VACUUM (FREEZE, ANALYZE)")


def replace_rows(rows):
    """Deletes every tenth row, and inserts as many newer ones, which take their places."""
    for table in TABLES:
        progress(f"plain SQL: replacing rows: {table}")
        psql(f"DELETE FROM {table} WHERE n % 10 = 0; VACUUM {table}")
        insert(table, rows, rows // 10)
        psql(f"VACUUM (FREEZE, ANALYZE) {table}")


def index_size(name):
    """The bytes of the indexes of a table without its primary key."""
    return int(psql("SELECT coalesce(sum(pg_relation_size(indexrelid)), 0) FROM pg_index "
                    f"WHERE indrelid = '{name}'::regclass AND NOT indisprimary"))


def measure(rows, repetitions):
    make_tables(rows)
    a, b = (f"'{t}'::timestamptz" for t in DAY)
    by_time = f"WHERE created_at >= {a} AND created_at < {b}"
    cases = {
        "plain_between(a, b)": ("plain", f"plain_between({a}, {b})"),
        "id <@ tstzrange(a, b)": ("plain", f"plain WHERE id <@ tstzrange({a}, {b})"),
        "id >= a AND id < b": ("plain", f"plain WHERE id >= {a} AND id < {b}"),
        "view": ("plain", f"plain_at {by_time}"),
        "view and BRIN": ("minmax", f"minmax_at {by_time}"),
        "view and BRIN, multi": ("multi", f"multi_at {by_time}"),
        "view and B-tree": ("btree", f"btree_at {by_time}"),
        "created_at and BRIN, multi": ("stored_multi", f"stored_multi {by_time}"),
    }
    queries = [f"SELECT count(*), sum(n) FROM {source}" for _, source in cases.values()]
    progress(f"plain SQL: {repetitions} repetitions, twice")
    fresh = run_queries(queries, repetitions, WITHOUT)
    sizes = [index_size(table) for table, _ in cases.values()]
    replace_rows(rows)
    replaced = run_queries(queries, repetitions, WITHOUT)
    return Table("portable", f"Plain SQL: one day of 116, {rows:,} rows: count(*), sum(n); then a tenth replaced",
                 {"predicate": "", **READ, "replaced ms": ".3f", "index kB": ",.0f"},
                 [[name, *read_cells(before), milliseconds(after), size / 1024]
                  for name, before, after, size in zip(cases, fresh, replaced, sizes)])
