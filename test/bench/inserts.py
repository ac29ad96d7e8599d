"""Times INSERT and COPY of many rows into tables with different kinds of keys."""

import itertools
import statistics

from harness import Session, Table, psql, rotated, rounds, spread
from keys import ORDINARY, make_tables

CHUNK = 100_000

# The log written so far, the primary key, and the table with all its indexes.
BYTES = ("SELECT pg_current_wal_insert_lsn() - '0/0', pg_relation_size('{table}_pkey'), "
         "pg_total_relation_size('{table}')")

COLUMNS = {"key": "", "s": ".2f", "least": ".2f", "most": ".2f", "index MB": ".1f"}


def insert(rows):
    return lambda key, first: f"INSERT INTO {key.table} (n) SELECT generate_series({first + 1}, {first + rows})"


def copy(file, columns="n"):
    return lambda key, _: f"COPY {key.table} ({columns}) FROM '{file}'"


def fill(session, keys, chunks, rows, statement):
    """Fills new tables in turn, chunk by chunk: (ms, bytes of the index, of the whole table and of WAL, s of the
    processor) of the chunks, by name of the key."""
    make_tables(keys)
    steps = {key.name: [] for key in keys}
    for chunk in range(chunks):
        for key in rotated(keys, chunk):
            sizes = BYTES.format(table=key.table)
            before = int(session.value(sizes).split("|")[0])
            computed = session.processor_seconds()
            ms = session.milliseconds(statement(key, chunk * rows))
            computed = session.processor_seconds() - computed
            wal, index, whole = map(int, session.value(sizes).split("|"))
            steps[key.name].append((ms, index, whole, wal - before, computed))
    return steps


def fill_often(part, keys, repetitions, chunks, rows, statement):
    """The results of fill for each repetition, each starting with another key."""
    with Session() as session:
        return [fill(session, rotated(keys, repetition), chunks, rows, statement)
                for repetition in rounds(part, repetitions)]


def summary(name, title, keys, runs):
    rows = [[key.name, *spread([sum(ms for ms, *_ in run[key.name]) / 1000 for run in runs]),
             statistics.median(run[key.name][-1][1] / 2**20 for run in runs)] for key in keys]
    return Table(name, title, COLUMNS, rows)


def growth(keys, runs):
    rows = []
    for key in keys:
        steps = [[statistics.median(figures) for figures in zip(*step)]
                 for step in zip(*(run[key.name] for run in runs))]
        totals = itertools.accumulate(ms / 1000 for ms, *_ in steps)
        rows += [[key.name, i * CHUNK, ms, total, size / 2**20]
                 for i, ((ms, size, *_), total) in enumerate(zip(steps, totals), 1)]
    return Table("insert_growth", f"INSERT, each {CHUNK:,} rows: medians",
                 {"key": "", "rows": ",", "ms of these": ".0f", "s in all": ".2f", "index MB": ".1f"}, rows)


def write_rows(query):
    """Writes a file for COPY, and returns its name."""
    file = psql("SELECT current_setting('data_directory') || '/rows'").strip()
    psql(f"COPY ({query}) TO '{file}'")
    return file


def write_numbers(rows):
    return write_rows(f"SELECT generate_series(1, {rows})")


def measure_saving(keys, rows, repetitions):
    """What the time of the key saves beside a stored time with an index."""
    psql("CREATE EXTENSION IF NOT EXISTS uuidx")
    inserted = fill_often("saving, INSERT", keys, repetitions, 1, rows, insert(rows))
    copied = fill_often("saving, COPY", keys, repetitions, 1, rows, copy(write_numbers(rows)))
    # PostgreSQL inserts many rows at once if nothing volatile is called for each: no default, no trigger.
    file = write_rows(f"SELECT uuid_v7(), clock_timestamp(), generate_series(1, {rows})")
    given = fill_often("saving, COPY of keys", [key for key in keys if ORDINARY in key.column], repetitions, 1, rows,
                       copy(file, "id, created_at, n"))

    def medians(key, *figures):
        return [statistics.median(run[key.name][0][i] / unit for run in runs) if key.name in runs[0] else None
                for runs, i, unit in figures]

    title = f"{rows:,} rows, {repetitions} repetitions"
    return [Table("saving", title, {"table": "", "INSERT s": ".2f", "COPY s": ".2f", "WAL MB": ".0f", "MB": ".0f"},
                  [[key.name, *medians(key, (inserted, 0, 1000), (copied, 0, 1000), (inserted, 3, 2**20),
                                       (inserted, 2, 2**20))] for key in keys]),
            Table("created_at", f"{title}: s of the processor",
                  {"table": "", "INSERT": ".2f", "COPY": ".2f", "COPY of keys": ".2f"},
                  [[key.name, *medians(key, (inserted, 4, 1), (copied, 4, 1), (given, 4, 1))] for key in keys])]


def measure_copy(keys, rows, repetitions):
    runs = fill_often("copy", keys, repetitions, 1, rows, copy(write_numbers(rows)))
    return summary("copy", f"COPY of {rows:,} rows, {repetitions} repetitions: s, least and most", keys, runs)


def measure_insert(keys, rows, repetitions):
    """A table of totals and one of growth. The database tables of the last repetition are kept."""
    runs = fill_often("insert", keys, repetitions, rows // CHUNK, CHUNK, insert(CHUNK))
    return [summary("insert", f"INSERT of {rows:,} rows, {CHUNK:,} in a statement, {repetitions} repetitions: s, least "
                    "and most", keys, runs), growth(keys, runs)]
