"""Compares conditions on the time in a key with the same conditions on a column that holds the time, in random queries
on random tables: python3 test/planner/pairs.py [--statements N] [--seed N]

The reference calls nothing of uuidx. One seed is one schema of 50 statements; further ones have the following seeds. A
difference prints the SQL that repeats it. libpq's variables select the server, which must have uuidx, and PSQL its
psql. The output is TAP."""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

from schemas import Schema
from statements import Writer

PSQL = os.environ.get('PSQL', 'psql')
SETUP = pathlib.Path(__file__).with_name('setup.sql').read_text(encoding='utf-8')
OPTIONS = '-c client_min_messages=error -c jit=off -c statement_timeout=60s'
PER_SCHEMA = 50
# An index condition with bounds. They are those of a time, unless the statement has a UUID or digits of one.
BOUNDS = re.compile(r"(Index|Recheck) Cond: .*(uuid_v7_(lower|upper|min|max)\(|'[0-9a-f]{8}-[0-9a-f-]{27}'::uuid)")
DIGITS = re.compile(r'::uuid\b|\^@')
# A key that is not an argument of a function.
KEY = re.compile(r'(?<!\()\b\w+\.(id|ref)\b|\b\w+\.(id|ref)\b(?!\))')
# What a run must show some of, to prove anything.
SHOWN = ('statements', 'statements with some of the rows', 'plans with an index condition',
         'plans with an index condition, by extracted times alone')
ERRORS = re.compile('FULL JOIN is only supported|subtract infinite|time zone displacement')
REPORT = '\\if :ERROR\n\\echo ERROR :LAST_ERROR_MESSAGE\n\\endif\n'


def side(statement, number):
    """Returns the commands that run one side of a pair and print an error as a line."""
    run = query = statement[number]
    if statement.prepared:
        types, values = statement.prepared
        run = f'EXECUTE q{number} {values}'
        # Its plan outlives the session's zone.
        run = (f'PREPARE q{number} {types} AS {query};\n{REPORT}{run};\n{REPORT}'
               f"SET LOCAL timezone = '{statement.zone}';\n{run}")
    elif statement.cursor:
        run = f'DECLARE c SCROLL CURSOR FOR {query};\n{REPORT}FETCH 3 FROM c;\n{REPORT}FETCH ALL FROM c'
    return f'{run};\n{REPORT}' + f'{statement.after};\n' * (statement.after != '')


def transaction(statement):
    """Returns the commands for a pair, in one transaction, as now() must be the same in both."""
    query = f'EXECUTE q0 {statement.prepared[1]}' if statement.prepared else statement.id
    settings = ''.join(f'SET LOCAL {setting}\\; ' for setting in statement.settings)
    return (f'BEGIN\\; {settings}SAVEPOINT s;\n\\echo @@\n{side(statement, 0)}ROLLBACK TO s;\n'
            f'\\echo @@\n{side(statement, 1)}ROLLBACK TO s;\n\\echo @@\nEXPLAIN (COSTS OFF) {query};\n'
            'ROLLBACK\\; DEALLOCATE ALL;\n')


class Run:
    """Runs statements in a database of its own, and counts what they show."""

    def __init__(self, seed):
        self.database = f'uuidx_planner_{seed}'
        self.foreign, self.version = False, 0
        self.failed, self.count = 0, collections.Counter()

    def psql(self, text, database=None):
        """Returns what psql prints and its errors."""
        done = subprocess.run([PSQL, '-XAtq', '-d', database or self.database], input=text, text=True,
                              capture_output=True, check=False,
                              env=os.environ | {'PGOPTIONS': OPTIONS})
        return done.stdout, done.stderr

    def begin(self):
        _, errors = self.psql(f'DROP DATABASE IF EXISTS {self.database}; CREATE DATABASE {self.database}', 'postgres')
        output, more = self.psql(SETUP)
        if errors + more:
            sys.exit(errors + more)
        self.foreign, self.version = 'postgres_fdw' in output, int(output.split("|")[0])

    def end(self):
        self.psql(f'DROP DATABASE {self.database} WITH (FORCE)', 'postgres')

    def run_schema(self, seed, statements):
        """Runs statements on the schema of a seed."""
        schema = Schema(seed, self.foreign, self.version)
        written = [Writer(schema).statement() for _ in range(statements)]
        tables = '\\set ON_ERROR_STOP on\n' + ';\n'.join(schema.sql) + ';\n\\set ON_ERROR_STOP off\n'
        script = tables + ''.join(map(transaction, written))
        output, errors = self.psql(f'{script}\\echo @@\nDROP SCHEMA {schema.name} CASCADE;\n')
        parts = output.split('@@\n')
        if len(parts) != 3 * statements + 2:
            self.fail(seed, f'the session ended early: {errors}', tables)
            return
        for i, statement in enumerate(written):
            self.judge(seed, tables, statement, parts[3 * i + 1:3 * i + 4])

    def judge(self, seed, tables, statement, parts):
        """Compares and counts one pair, by what it printed: for the key, for the time, and the plan."""
        found, meant = (part.splitlines() if statement.ordered else sorted(part.splitlines()) for part in parts[:2])
        self.count['statements'] += 1
        if 'ERROR' in parts[1] or ERRORS.search(parts[0]):
            # A computed time out of range, or a full join that PostgreSQL cannot make. An index condition computes
            # both sides of an AND before the row. postgres_fdw sends times with offsets that only zones may have.
            self.count['errors of PostgreSQL'] += 1
        elif found != meant:
            self.fail(seed, f'{len(found)} rows by the key, {len(meant)} by the time: {found[:5]} and {meant[:5]}',
                      tables + transaction(statement))
        self.count['statements with some of the rows'] += 0 < len(found) < statement.total
        if not DIGITS.search(statement.id) and BOUNDS.search(parts[2]):
            self.count['plans with an index condition'] += 1
            self.count['plans with an index condition, by extracted times alone'] += not KEY.search(statement.id)

    def fail(self, seed, what, script):
        """Reports a difference with the SQL that repeats it."""
        self.failed += 1
        print(f'# --seed {seed}: {what}', flush=True)
        if self.failed <= 3:
            print(f'# to repeat, in a database with setup.sql:\n{script}', flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--statements', type=int, default=500)
    parser.add_argument('--seed', type=int, default=1)
    arguments = parser.parse_args()
    run = Run(arguments.seed)
    run.begin()
    for i in range(-(-arguments.statements // PER_SCHEMA)):
        run.run_schema(arguments.seed + i, PER_SCHEMA)
        print(f'# {run.count["statements"]} statements', flush=True)
    run.end()
    if not run.foreign:
        print('ok - foreign tables # skip postgres_fdw is not installed')
    print(f'{"not ok" if run.failed else "ok"} - from seed {arguments.seed} on, {run.failed} wrong')
    print(f'# {run.count["errors of PostgreSQL"]} errors of PostgreSQL')
    for name in SHOWN:
        print(f'{"ok" if run.count[name] else "not ok"} - {run.count[name]} {name}')
    sys.exit(run.failed > 0 or not all(run.count[name] for name in SHOWN))


if __name__ == '__main__':
    main()
