"""Fills tables of many rows: whether inserts slow down, how large the indexes are, and whether a query for a time range
takes longer.

The tables take turns in each step. They are unlogged, of a key and a bigint, so that little but the key decides.
"""

from harness import Session, Table, progress, psql
from time_queries import READ, read_cells, run_queries

STEPS = 10
RANGE = 10_000
REPETITIONS = 11

# name, table, column and its bounds in the query, and the share of the rows: random keys take hours for more.
UUID_RANGE = "id <@ tstzrange(uuid_extract_time('{}'), uuid_extract_time('{}'))"
KEYS = [
    ("uuid_v7()", "scale_v7", "uuid PRIMARY KEY DEFAULT uuid_v7()", UUID_RANGE, 1),
    ("bigint identity", "scale_bigint", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "id >= {} AND id < {}", 0.5),
    ("uuid_v4()", "scale_v4", "uuid PRIMARY KEY DEFAULT uuid_v4()", None, 0.1),
]


def query_range(table, condition, rows):
    """Queries a range of rows in the middle of the table."""
    # By the order of insertion, as an offset in the index would read half of it.
    first = rows // 2
    block = f"SELECT id FROM {table} WHERE ctid = (SELECT format('(%s,1)', {{}} * pages / {rows})::tid FROM " \
        f"(SELECT pg_relation_size('{table}') / 8192 AS pages) AS s)"
    low, high = (psql(block.format(n)).strip() for n in (first, first + RANGE))
    runs, = run_queries([f"SELECT count(*), sum(n) FROM {table} WHERE {condition.format(low, high)}"], REPETITIONS)
    return read_cells(runs)


def step_cells(session, key, before, rows):
    """Inserts the rows of a step: seconds, us of the processor a row, MB, and the cells of the query."""
    _, table, _, condition, _ = key
    began = session.processor_seconds()
    seconds = session.milliseconds(f"INSERT INTO {table} (n) SELECT generate_series({before + 1}, {rows})") / 1000
    processor = session.processor_seconds() - began
    heap, index = (int(session.value(f"SELECT pg_relation_size('{name}')")) for name in (table, f"{table}_pkey"))
    return [seconds, processor / (rows - before) * 1e6, heap / 2**20, index / 2**20, index / rows,
            *(query_range(table, condition, rows) if condition else [None] * 3)]


def measure(rows):
    psql("CREATE EXTENSION IF NOT EXISTS uuidx;"
         + "".join(f"CREATE UNLOGGED TABLE {table} (id {column}, n bigint);\n" for _, table, column, *_ in KEYS))
    table = Table("scale", f"INSERT in {STEPS} steps, and count(*), sum(n) of about {RANGE:,} rows in the middle by "
                  f"a range of the key: median of {REPETITIONS}",
                  {"key": "", "rows": ",", "s of these": ".1f", "CPU us/row": ".2f", "heap MB": ",.0f",
                   "index MB": ",.0f", "index bytes/key": ".1f", **READ}, [])
    with Session() as session:
        size = rows // STEPS
        for after in range(size, rows + 1, size):
            for key in KEYS:
                if after <= rows * key[-1]:
                    progress(f"scale: {key[0]}, {after:,} of {rows:,} rows")
                    table.rows.append([key[0], after, *step_cells(session, key, after - size, after)])
    return table
