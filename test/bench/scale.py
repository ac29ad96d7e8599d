"""Fills tables of many rows: whether inserts slow down, and how large the indexes are.

The tables take turns in each step. They are unlogged, of a key and a bigint, so that little but the key decides.
"""

from harness import Session, Table, progress, psql

STEPS = 10

# name, table, column, and the share of the rows: random keys take hours for more.
KEYS = [
    ("uuid_v7()", "scale_v7", "uuid PRIMARY KEY DEFAULT uuid_v7()", 1),
    ("bigint identity", "scale_bigint", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", 0.5),
    ("uuid_v4()", "scale_v4", "uuid PRIMARY KEY DEFAULT uuid_v4()", 0.1),
]


def step_cells(session, table, before, rows):
    """Inserts the rows of a step: seconds, us of the processor a row, MB, and bytes of the index a row."""
    began = session.processor_seconds()
    seconds = session.milliseconds(f"INSERT INTO {table} (n) SELECT generate_series({before + 1}, {rows})") / 1000
    processor = session.processor_seconds() - began
    heap, index = (int(session.value(f"SELECT pg_relation_size('{name}')")) for name in (table, f"{table}_pkey"))
    return [seconds, processor / (rows - before) * 1e6, heap / 2**20, index / 2**20, index / rows]


def measure(rows):
    psql("CREATE EXTENSION IF NOT EXISTS uuidx;"
         + "".join(f"CREATE UNLOGGED TABLE {table} (id {column}, n bigint);\n" for _, table, column, *_ in KEYS))
    table = Table("scale", f"INSERT in {STEPS} steps",
                  {"key": "", "rows": ",", "s of these": ".1f", "CPU us/row": ".2f", "heap MB": ",.0f",
                   "index MB": ",.0f", "index bytes/key": ".1f"}, [])
    with Session() as session:
        size = rows // STEPS
        for after in range(size, rows + 1, size):
            for key in KEYS:
                if after <= rows * key[-1]:
                    progress(f"scale: {key[0]}, {after:,} of {rows:,} rows")
                    table.rows.append([key[0], after, *step_cells(session, key[1], after - size, after)])
    return table
