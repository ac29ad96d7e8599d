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
import time

from schemas import Schema
from statements import Writer

PSQL = os.environ.get('PSQL', 'psql')
SETUP = pathlib.Path(__file__).with_name('setup.sql').read_text(encoding='utf-8')
OPTIONS = '-c client_min_messages=error -c jit=off -c statement_timeout=20s'
PER_SCHEMA = 50
PARTS = 4  # that a statement prints
# An index condition with bounds. They are those of a time, unless the statement has a UUID or digits of one.
BOUNDS = re.compile(r"(Index|Recheck) Cond: .*"
                    r"(uuid_v7_(lower|upper|min|max|bound)\(|'[0-9a-f]{8}-[0-9a-f-]{27}'::uuid)")
DIGITS = re.compile(r'::uuid\b|\^@')
# An order of an index by what is computed from a time in the session's zone, and the error of a cached plan in another.
ZONE_CHECK = 'uuid_check_zone('
ZONE_ERROR = 'query plan is not valid in time zone'
# A key that is not an argument of a function.
KEY = re.compile(r'(?<!\()\b\w+\.(id|ref)\b|\b\w+\.(id|ref)\b(?!\))')
# What a run must show some of, to prove anything.
SHOWN = ('statements', 'statements with some of the rows', 'plans with an index condition',
         'plans with an index condition, by extracted times alone', 'plans in the order of a computed time',
         'cursors in changing zones, in the order of a computed time',
         'plans with an index condition, by ordinary columns', 'plans with a near sort')
# Errors that only one side may have. A condition of an index computes both sides of an AND before it reads a row, even
# if none will be there, and postgres_fdw sends times with offsets that only zones may have.
ONE_SIDED = re.compile('subtract infinite|time zone displacement|time zone "[^"]*" not recognized')
# An error of a value (class 22), which a row that an index condition leaves out does not raise, or of a foreign table
# that a plan leaves out; or a timeout, on a slow machine.
LEFT_OUT = re.compile('^22|^57014|user mapping not found')
ERROR = re.compile('^ERROR (.*)', re.MULTILINE)
# Which table is named first depends on the plan.
DENIED = re.compile('^(ERROR 42501) .*', re.MULTILINE)
REPORT = '\\if :ERROR\n\\echo ERROR :LAST_ERROR_SQLSTATE :LAST_ERROR_MESSAGE\n\\endif\n'
OFF = 'SET LOCAL uuidx.enable_time_columns = off;\n'


def has_other_times(statement, schema):
    """Whether a time column may have other times than the column beside the key: an ordinary one, or after an event."""
    return schema.loose or bool(re.search('EXPRESSION|id_z|DROP CONSTRAINT', statement.event))


def side(statement, query):
    """Returns the commands that run a statement and print an error as a line."""
    run = query
    if statement.prepared:
        types, values = statement.prepared
        run = f'EXECUTE q {values}'
        # Its plan outlives the event.
        run = (f'DEALLOCATE ALL;\nPREPARE q {types} AS {query};\n{REPORT}{run};\n{REPORT}'
               f'{statement.event};\n{REPORT}{run}')
    elif isinstance(statement.cursor, list):
        fetches = ''.join(f"FETCH {rows} FROM c;\n{REPORT}SET LOCAL timezone = '{zone}';\n"
                          for rows, zone in statement.cursor)
        run = f'DECLARE c CURSOR FOR {query};\n{REPORT}{fetches}FETCH ALL FROM c'
    elif statement.cursor:
        back = f'FETCH BACKWARD 2 FROM c;\n{REPORT}' * statement.ordered
        run = f'DECLARE c SCROLL CURSOR FOR {query};\n{REPORT}FETCH 3 FROM c;\n{REPORT}{back}FETCH ALL FROM c'
    return f'\\echo @@\n{run};\n{REPORT}' + f'{statement.after};\n{REPORT}' * (statement.after != '')


def transaction(statement):
    """Returns the commands for a pair, in one transaction, as now() must be the same: the plan, for the key, for the
    key without the planner's help, for the time."""
    settings = ''.join(f'SET LOCAL {setting}\\; ' for setting in statement.settings)
    back = 'ROLLBACK TO s;\n'
    prepare = f'DEALLOCATE ALL\\; PREPARE q {statement.prepared[0]} AS {statement.key};\n' if statement.prepared else ''
    query = f'EXECUTE q {statement.prepared[1]}' if prepare else statement.key
    # The plan is first, as an error of uuid_check_zone() may change later ones.
    return (f'BEGIN\\; {settings}SAVEPOINT s;\n\\echo @@\n{prepare}EXPLAIN (COSTS OFF) {query};\n{back}'
            f'{side(statement, statement.key)}{back}{OFF}{side(statement, statement.key)}{back}'
            f'{OFF}{side(statement, statement.time)}ROLLBACK\\; DEALLOCATE ALL;\n')


def in_order(query, rows):
    """True if the first column is in order, of which groups have each value once."""
    # A year may have more than four digits. NULL is the greatest.
    values = [row.split('|')[0] for row in rows]
    keys = [(value == '', len(value.partition('-')[0]), value) for value in values]
    keys = keys[::-1] if ' DESC' in query else keys
    once = 'count(' in query or 'DISTINCT' in query
    return all(one < two or one == two and not once for one, two in zip(keys, keys[1:]))


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
        parts = DENIED.sub(r'\1', output).split('@@\n')
        for i, statement in enumerate(written[:len(parts) // PARTS]):
            self.judge(schema, tables, statement, parts[PARTS * i + 1:PARTS * i + 1 + PARTS])
        if len(parts) != PARTS * statements + 2:
            last = written[max(len(parts) - 2, 0) // PARTS]
            self.fail(seed, f'the session ended early: {errors.splitlines()[-1:]}', tables + transaction(last))
            while self.psql('SELECT')[1]:  # the server recovers
                time.sleep(0.2)

    def judge(self, schema, tables, statement, parts):
        """Compares and counts one pair, by what it printed."""
        plan, *parts = parts
        lines = (part.splitlines() for part in parts[:3])
        found, off, meant = lines if statement.ordered else map(sorted, lines)
        errors = [ERROR.findall(part)[:1] for part in parts[:3]]
        self.count['statements'] += 1
        wrong, zones = '', isinstance(statement.cursor, list)
        if zones:
            self.count['cursors in changing zones, in the order of a computed time'] += ZONE_CHECK in plan
            if not errors[0] and not errors[1]:
                if len(found) != len(off) and 'count' not in statement.key and 'DISTINCT' not in statement.key:
                    wrong = f'{len(found)} for {len(off)} rows'
                elif not in_order(statement.key, found):
                    wrong, off = 'a cursor goes back', sorted(off)
            elif errors[0] and not errors[1] and ZONE_ERROR not in errors[0][0]:
                wrong = errors[0][0]
        elif statement.prepared and errors[0] and ZONE_ERROR in errors[0][0]:
            self.count['plans made anew for another zone'] += 1
        elif any(map(ONE_SIDED.search, errors[0])) or any(map(LEFT_OUT.search, errors[1])):
            pass
        elif errors[0] != errors[1] or found != off:
            wrong = f'{errors[0] or len(found)} for {errors[1] or len(off)} rows without time columns'
        # Errors are those of PostgreSQL. The columns beside the key may have others.
        elif not errors[0] + errors[2] and found != meant and not has_other_times(statement, schema):
            wrong = f'{len(found)} for {len(meant)} rows by the column beside'
            off = meant
        self.count['errors of PostgreSQL'] += bool(errors[0] + errors[2])
        if wrong:
            differ = [[line for line in one if line not in other][:4] for one, other in ((found, off), (off, found))]
            self.fail(schema.seed, f'{wrong}: {differ}', tables + transaction(statement))
        self.count['statements with some of the rows'] += 0 < len(found) < statement.total
        self.count['plans in the order of a computed time'] += ZONE_CHECK in plan
        self.count['plans with a near sort'] += '(Near Sort)' in plan
        if not DIGITS.search(statement.key) and BOUNDS.search(plan):
            self.count['plans with an index condition'] += 1
            self.count['plans with an index condition, by extracted times alone'] += not KEY.search(statement.key)
            self.count['plans with an index condition, by ordinary columns'] += 'uuid_' not in statement.key and any(
                f' {table} ' in statement.key for table in schema.bound)

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
    for name in ('errors of PostgreSQL', 'plans made anew for another zone'):
        print(f'# {run.count[name]} {name}')
    for name in SHOWN:
        print(f'{"ok" if run.count[name] else "not ok"} - {run.count[name]} {name}')
    sys.exit(run.failed > 0 or not all(run.count[name] for name in SHOWN))


if __name__ == '__main__':
    main()
