"""Shared by the parts of the benchmark: sessions, turns, medians and tables.

All of it works on the server and the database that libpq's variables name.
"""

import contextlib
import csv
import dataclasses
import os
import pathlib
import statistics
import subprocess
import sys
import time

# Parallel workers and JIT would be used at some sizes only.
SETTINGS = "SET max_parallel_workers_per_gather = 0; SET jit = off; SET client_min_messages = warning;\n"

PSQL = ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1"]

EMPTY_CALL = "bench_empty()"

EMPTY = """
CREATE EXTENSION IF NOT EXISTS uuidx;
CREATE FUNCTION bench_empty() RETURNS uuid LANGUAGE c STRICT PARALLEL SAFE AS '{library}';
CREATE FUNCTION bench_empty(text) RETURNS uuid LANGUAGE c STRICT PARALLEL SAFE AS '{library}';
CREATE FUNCTION bench_int8(uuid) RETURNS int8 LANGUAGE c STRICT PARALLEL SAFE AS '{library}';
"""

PEERS = """
DO $$
DECLARE
    peer text;
BEGIN
    FOR peer IN SELECT name FROM pg_available_extensions WHERE name = ANY ('{{{names}}}') LOOP
        BEGIN
            EXECUTE format('CREATE EXTENSION IF NOT EXISTS %I', peer);
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING '% is left out: %', peer, SQLERRM;
        END;
    END LOOP;
END $$;
"""

BEGAN = time.monotonic()


def progress(text):
    print(f"[{time.monotonic() - BEGAN:5.0f} s] {text}", file=sys.stderr)


def psql(sql, database=None):
    """Runs SQL in a new session and returns its output."""
    run = subprocess.run(PSQL + (["-d", database] if database else []), input=SETTINGS + sql, text=True,
                         stdout=subprocess.PIPE, check=True)
    return run.stdout


def exists(function):
    return bool(psql(f"SELECT to_regprocedure('{function}')").strip())


def create_empty(library):
    """Creates the extension and the empty functions of a library."""
    psql(EMPTY.format(library=library))


def create_peers(*names):
    """Creates those extensions that are installed."""
    psql(PEERS.format(names=", ".join(names)))


def timing(output):
    """The last milliseconds printed by psql."""
    return float(output.rsplit("Time: ", 1)[1].split(" ms")[0].replace(",", "."))


class Session:
    """A session for several statements."""

    def __init__(self):
        self.psql = subprocess.Popen(PSQL, text=True, bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.send(SETTINGS)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.psql.stdin.close()
        self.psql.wait()
        self.psql.stdout.close()

    def send(self, sql):
        self.psql.stdin.write(sql)
        self.psql.stdin.flush()

    def line(self):
        line = self.psql.stdout.readline().strip()
        if not line:
            raise SystemExit("psql has ended")
        return line

    def value(self, sql):
        self.send(f"{sql};\n")
        return self.line()

    def processor_seconds(self):
        """The time that the server's process has computed so far: other load on the machine does not change it."""
        pid = self.value("SELECT pg_backend_pid()")
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def milliseconds(self, sql):
        """Times a statement that returns no rows."""
        self.send(f"\\timing on\n{sql};\n\\timing off\n")
        return timing(self.line())


@contextlib.contextmanager
def database(name):
    """Creates a database for all connections; drops it at the end."""
    usual = os.environ["PGDATABASE"]
    psql(f"CREATE DATABASE {name}")
    os.environ["PGDATABASE"] = name
    try:
        yield
    finally:
        os.environ["PGDATABASE"] = usual
        psql(f"DROP DATABASE {name} WITH (FORCE)")


def rotated(items, number):
    """The items, rotated by the number, so that none is always first."""
    items = list(items)
    number %= len(items)
    return items[number:] + items[:number]


def rounds(part, repetitions):
    for repetition in range(repetitions):
        progress(f"{part}: repetition {repetition + 1} of {repetitions}")
        yield repetition


def turns(part, repetitions, cases):
    """Yields each case once in every repetition, so that changes in the machine's speed affect all of them."""
    for repetition in rounds(part, repetitions):
        yield from rotated(cases, repetition)


def spread(values):
    return [statistics.median(values), min(values), max(values)]


@dataclasses.dataclass
class Table:
    """Figures to be printed and written to a file of that name."""
    name: str
    title: str
    columns: dict  # format by heading; empty for text
    rows: list

    def print(self):
        heads = list(self.columns)
        table = [heads] + [[show(cell, form) for cell, form in zip(row, self.columns.values())] for row in self.rows]
        widths = [max(len(row[i]) for row in table) for i in range(len(heads))]
        print(f"\n{self.title}\n")
        for row in table:
            cells = [cell.rjust(width) if form else cell.ljust(width)
                     for cell, width, form in zip(row, widths, self.columns.values())]
            print("  ".join(cells).rstrip(), flush=True)

    def write(self, directory):
        with open(pathlib.Path(directory) / f"{self.name}.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            forms = [form.replace(",", "") for form in self.columns.values()]
            writer.writerows(["" if cell is None else format(cell, form) for cell, form in zip(row, forms)]
                             for row in self.rows)

    def records(self):
        return [dict(zip(self.columns, row)) for row in self.rows]


def show(cell, form):
    return "–" if cell is None else format(cell, form)
