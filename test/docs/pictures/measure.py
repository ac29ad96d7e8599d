"""Measures the data of the pictures on the server of libpq's variables: measure.py OUT, the folder for the data."""

import json
import os
import pathlib
import re
import sys

import growth
import plan
from harness import psql


def conditions():
    """The machine and server, for the pictures."""
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        processor = re.search(r"^model name\s*:\s*(.*)$", file.read(), re.M)
    version, fsync = psql("SHOW server_version; SHOW fsync;").splitlines()
    return (f"PostgreSQL {version.split()[0]}, fsync {fsync}, on {os.cpu_count()} processors"
            + (f" ({processor[1]})" if processor else ""))


def main():
    out = pathlib.Path(sys.argv[1])
    psql("CREATE EXTENSION IF NOT EXISTS uuidx")
    with open(out / "server.json", "w", encoding="utf-8") as file:
        json.dump({"conditions": conditions()}, file)
        file.write("\n")
    for part in plan, growth:
        part.measure(out)


if __name__ == "__main__":
    main()
