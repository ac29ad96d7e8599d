"""Runs all parts of the benchmark on the server that libpq's variables name, prints their tables, and writes them and
plots of them to a folder. Does not judge the figures."""

import argparse
import dataclasses
import datetime
import os
import pathlib
import platform

import clients
import functions
import inserts
import keys
import ordinary
import plots
import portable
import scale
import time_queries
import transactions
from harness import Table, database, progress, psql


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Sizes of the measurements; with an underscore, repetitions."""
    functions: int = 1_000_000
    functions_: int = 11
    transactions: int = 100_000
    transactions_: int = 11
    insert: int = 2_000_000
    insert_: int = 5
    copy: int = 1_000_000
    copy_: int = 5
    clients_seconds: int = 5
    clients_: int = 5
    time_ranges: int = 10_000_000
    time_ranges_: int = 21
    plans: int = 1000
    plans_: int = 21
    scale: int = 100_000_000


FULL = Sizes()
QUICK = Sizes(functions=200_000, functions_=3, transactions=20_000, transactions_=3,
              insert=200_000, insert_=3, copy=100_000, copy_=3, clients_seconds=1, clients_=3,
              time_ranges=1_000_000, time_ranges_=5, plans=100, plans_=3, scale=1_000_000)


def first_match(path, start):
    """The text after the colon in the first matching line of a system file, or None."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith(start))
    except (OSError, StopIteration):
        return None


def extensions():
    """The versions of the installed extensions."""
    lines = psql("SELECT name, default_version FROM pg_available_extensions WHERE name IN ('uuidx', 'pg_uuidv7', "
                 "'timescaledb', 'uuid-ossp', 'pgcrypto') ORDER BY name <> 'uuidx', name").splitlines()
    return [line.split("|") for line in lines]


def environment(arguments):
    rows = [["time", datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")],
            ["scale", "quick" if arguments.quick else "full"],
            ["server", psql("SELECT version()").strip()], *extensions(),
            ["system", platform.platform()], ["processor", first_match("/proc/cpuinfo", "model name")],
            ["processors", str(os.cpu_count())], ["memory", first_match("/proc/meminfo", "MemTotal")]]
    return [Table("environment", "What was measured, and where", {"what": "", "value": ""}, rows)]


def measure_keys(sizes):
    """COPY comes first, so that the clients use the larger tables of INSERT."""
    chosen = keys.find_keys()
    copied = inserts.measure_copy(chosen, sizes.copy, sizes.copy_)
    inserted = inserts.measure_insert(chosen, sizes.insert, sizes.insert_)
    return [*inserted, copied, clients.measure(chosen, sizes.clients_seconds, sizes.clients_)]


def parts(sizes, empty):
    """Functions that measure the parts, each in a new database, as an extension may slow down others."""
    return {
        "functions": lambda: [functions.measure(empty, sizes.functions, sizes.functions_)],
        "transactions": lambda: [transactions.measure(empty, sizes.transactions, sizes.transactions_)],
        "keys": lambda: measure_keys(sizes),
        "saving": lambda: inserts.measure_saving(keys.SAVING, sizes.copy, sizes.copy_),
        "time_queries": lambda: time_queries.measure(sizes.time_ranges, sizes.time_ranges_),
        "ordinary": lambda: [ordinary.measure(min(sizes.time_ranges, 1_000_000))],
        "planning": lambda: [time_queries.measure_planning(sizes.plans_, sizes.plans)],
        "portable": lambda: [portable.measure(min(sizes.time_ranges, 1_000_000), sizes.time_ranges_)],
        "scale": lambda: [scale.measure(sizes.scale)],
    }


def report(tables, directory):
    for table in tables:
        table.print()
        table.write(directory)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("empty", help="the built empty.so")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for the CSV and SVG files")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--parts", default="functions,transactions,keys,saving,time_queries,ordinary,planning",
                        help="those to measure, with commas")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    measures = parts(QUICK if arguments.quick else FULL, arguments.empty)

    tables = environment(arguments)
    report(tables, arguments.out)
    for name in arguments.parts.split(","):
        with database(f"bench_{name}"):
            measured = measures[name]()
        report(measured, arguments.out)
        tables += measured
    progress("plots")
    plots.draw({table.name: table for table in tables}, arguments.out)
    print(f"\nCSV and SVG files are in {arguments.out}")


if __name__ == "__main__":
    main()
