"""Fills tables of many rows, in one run on the server that libpq's variables name.

The tables take turns in each step. They are unlogged, of a key and a bigint, so that little but the key decides.
"""

import argparse
import json
import os
import pathlib
import statistics

from harness import Session, Table, progress, psql

STEPS = 10
RANGE = 10_000
REPETITIONS = 11

# name, table, column and its bounds in the query.
UUID_RANGE = "id <@ tstzrange(uuid_extract_time('{}'), uuid_extract_time('{}'))"
KEYS = [
    ("uuid_v7()", "scale_v7", "uuid PRIMARY KEY DEFAULT uuid_v7()", UUID_RANGE),
    ("bigint identity", "scale_bigint", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "id >= {} AND id < {}"),
    ("uuid_v4()", "scale_v4", "uuid PRIMARY KEY DEFAULT uuid_v4()", None),
]


def query_range(table, condition, rows):
    """Queries a range of rows in the middle of the table: median ms, buffers, rows found."""
    # By the order of insertion, as an offset in the index would read half of it.
    first = rows // 2
    block = f"SELECT id FROM {table} WHERE ctid = (SELECT format('(%s,1)', {{}} * pages / {rows})::tid FROM " \
        f"(SELECT pg_relation_size('{table}') / 8192 AS pages) AS s)"
    low, high = (psql(block.format(n)).strip() for n in (first, first + RANGE))
    query = f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) SELECT count(*), sum(n) FROM {table} " \
        f"WHERE {condition.format(low, high)};\n"
    text = psql(query * (REPETITIONS + 1))
    plans, decoder = [], json.JSONDecoder()
    while text := text.lstrip():
        document, end = decoder.raw_decode(text)
        plans.append(document[0])
        text = text[end:]
    scan = plans[-1]["Plan"]
    # The first one sets hint bits and fills the buffers.
    return [statistics.median(plan["Execution Time"] for plan in plans[1:]),
            scan["Shared Hit Blocks"] + scan["Shared Read Blocks"], round(scan["Plans"][0]["Actual Rows"])]


def processor_seconds(pid):
    """Seconds that a process has computed, which count less than elapsed ones what else the machine does."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def step_cells(session, key, before, rows):
    """Inserts the rows of a step: seconds, us of the processor a row, MB, and the cells of the query."""
    _, table, _, condition = key
    pid = session.value("SELECT pg_backend_pid()")
    began = processor_seconds(pid)
    seconds = session.milliseconds(f"INSERT INTO {table} (n) SELECT generate_series({before + 1}, {rows})") / 1000
    processor = processor_seconds(pid) - began
    heap, index = (int(session.value(f"SELECT pg_relation_size('{name}')")) for name in (table, f"{table}_pkey"))
    return [seconds, processor / (rows - before) * 1e6, heap / 2**20, index / 2**20, index / rows,
            *(query_range(table, condition, rows) if condition else [None] * 3)]


def measure(rows, report):
    psql("CREATE EXTENSION IF NOT EXISTS uuidx;"
         + "".join(f"CREATE UNLOGGED TABLE {table} (id {column}, n bigint);\n" for _, table, column, _ in KEYS))
    columns = {"key": "", "rows": ",", "s of these": ".1f", "CPU us/row": ".2f", "heap MB": ",.0f", "index MB": ",.0f",
               "index bytes/key": ".1f", "ms": ".2f", "buffers": ",", "found": ","}
    table = Table("scale", f"INSERT in {STEPS} steps, and count(*), sum(n) of about {RANGE:,} rows in the middle by "
                  f"a range of the key: median of {REPETITIONS}", columns, [])
    with Session() as session:
        size = max(rows) // STEPS
        for after in range(size, max(rows) + 1, size):
            for key, most in zip(KEYS, rows):
                if after <= most:
                    table.rows.append([key[0], after, *step_cells(session, key, after - size, after)])
                    progress(" ".join(f"{cell:.6g}" if isinstance(cell, float) else str(cell)
                                      for cell in table.rows[-1]))
                    # After each step, so that an interrupted run leaves its figures.
                    report(table)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--bigint-rows", type=int)
    parser.add_argument("--random-rows", type=int)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for the CSV file")
    arguments = parser.parse_args()
    if arguments.rows < 10 * STEPS * RANGE:
        parser.error(f"--rows must be at least {10 * STEPS * RANGE}")
    rows = [arguments.rows,
            arguments.rows if arguments.bigint_rows is None else arguments.bigint_rows,
            arguments.rows // 5 if arguments.random_rows is None else arguments.random_rows]
    arguments.out.mkdir(parents=True, exist_ok=True)
    measure(rows, lambda table: table.write(arguments.out)).print()


if __name__ == "__main__":
    main()
