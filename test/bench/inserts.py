"""Times INSERT and COPY of many rows into tables with different kinds of keys."""

import itertools
import statistics

from harness import Session, Table, psql, rotated, rounds, spread
from keys import make_tables

CHUNK = 100_000

COLUMNS = {"key": "", "s": ".2f", "least": ".2f", "most": ".2f", "index MB": ".1f"}


def insert(rows):
    return lambda key, first: f"INSERT INTO {key.table} (n) SELECT generate_series({first + 1}, {first + rows})"


def copy(file):
    return lambda key, _: f"COPY {key.table} (n) FROM '{file}'"


def fill(session, keys, chunks, rows, statement):
    """Fills new tables in turn, chunk by chunk: (ms, bytes of the index) of the chunks, by name of the key."""
    make_tables(keys)
    steps = {key.name: [] for key in keys}
    for chunk in range(chunks):
        for key in rotated(keys, chunk):
            ms = session.milliseconds(statement(key, chunk * rows))
            steps[key.name].append((ms, int(session.value(f"SELECT pg_relation_size('{key.table}_pkey')"))))
    return steps


def fill_often(part, keys, repetitions, chunks, rows, statement):
    """The results of fill for each repetition, each starting with another key."""
    with Session() as session:
        return [fill(session, rotated(keys, repetition), chunks, rows, statement)
                for repetition in rounds(part, repetitions)]


def summary(name, title, keys, runs):
    rows = [[key.name, *spread([sum(ms for ms, _ in run[key.name]) / 1000 for run in runs]),
             statistics.median(run[key.name][-1][1] / 2**20 for run in runs)] for key in keys]
    return Table(name, title, COLUMNS, rows)


def growth(keys, runs):
    rows = []
    for key in keys:
        steps = [[statistics.median(figures) for figures in zip(*step)]
                 for step in zip(*(run[key.name] for run in runs))]
        totals = itertools.accumulate(ms / 1000 for ms, _ in steps)
        rows += [[key.name, i * CHUNK, ms, total, size / 2**20]
                 for i, ((ms, size), total) in enumerate(zip(steps, totals), 1)]
    return Table("insert_growth", f"INSERT, each {CHUNK:,} rows: medians",
                 {"key": "", "rows": ",", "ms of these": ".0f", "s in all": ".2f", "index MB": ".1f"}, rows)


def measure_copy(keys, rows, repetitions):
    file = psql("SELECT current_setting('data_directory') || '/numbers'").strip()
    psql(f"COPY (SELECT generate_series(1, {rows})) TO '{file}'")
    runs = fill_often("copy", keys, repetitions, 1, rows, copy(file))
    return summary("copy", f"COPY of {rows:,} rows, {repetitions} repetitions: s, least and most", keys, runs)


def measure_insert(keys, rows, repetitions):
    """A table of totals and one of growth. The database tables of the last repetition are kept."""
    runs = fill_often("insert", keys, repetitions, rows // CHUNK, CHUNK, insert(CHUNK))
    return [summary("insert", f"INSERT of {rows:,} rows, {CHUNK:,} in a statement, {repetitions} repetitions: s, least "
                    "and most", keys, runs), growth(keys, runs)]
