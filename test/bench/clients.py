"""Times several clients at once, with pgbench: INSERT of single rows into nonempty tables."""

import os
import pathlib
import re
import statistics
import subprocess
import tempfile

from harness import Table, psql, rounds, rotated, spread

CLIENTS = (2, 8)

COLUMNS = {"key": "", "clients": ",", "tps": ",.0f", "least": ",.0f", "most": ",.0f", "average ms": ".3f",
           "95 % ms": ".3f"}


def pgbench(statement, clients, seconds):
    """Transactions a second, average and 95 % of the latency in ms."""
    with tempfile.TemporaryDirectory() as directory:
        script = pathlib.Path(directory) / "statement.sql"
        script.write_text(f"{statement};\n", encoding="ascii")
        run = subprocess.run(
            ["pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", str(min(clients, os.cpu_count() or 1)),
             "-T", str(seconds), "-l", "--log-prefix", f"{directory}/log", "-f", script],
            env=os.environ | {"PGOPTIONS": "-c synchronous_commit=off"}, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, check=False)
        if run.returncode:
            raise SystemExit(f"pgbench failed: {run.stderr}")
        latencies = [int(line.split()[2]) / 1000
                     for log in pathlib.Path(directory).glob("log.*") for line in log.open(encoding="ascii")]
    tps = float(re.search(r"tps = ([0-9.]+)", run.stdout).group(1))
    return tps, statistics.fmean(latencies), statistics.quantiles(latencies, n=20)[-1]


def measure(keys, seconds, repetitions):
    runs = {(clients, key.name): [] for clients in CLIENTS for key in keys}
    for repetition in rounds("clients", repetitions):
        for clients in CLIENTS:
            # The first change of a page after a checkpoint writes the whole page to the log: the same for all.
            psql("CHECKPOINT")
            for key in rotated(keys, repetition):
                insert = f"INSERT INTO {key.table} (n) VALUES (1)"
                runs[clients, key.name].append(pgbench(insert, clients, seconds))
    rows = []
    for (clients, name), measured in runs.items():
        tps, average, most = zip(*measured)
        rows.append([name, clients, *spread(tps), statistics.median(average), statistics.median(most)])
    return Table("clients", f"INSERT of single rows by pgbench, {seconds} s, {repetitions} repetitions, "
                 "synchronous_commit off: transactions a second, least and most; latency", COLUMNS, rows)
