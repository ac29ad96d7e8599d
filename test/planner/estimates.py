"""Compares the planner's row estimates for conditions on the time in a key with the rows that they select, on named
tables and on generated ones: python3 test/planner/estimates.py [--tables N] [--seed N] [--verbose]

--tables   number of generated tables, 30 by default
--seed     of the first of them, 1 by default; the others have the following ones, and each makes the same again
--verbose  prints every estimate

Prints how far the worst estimates of each class are off, as factors. libpq's variables select the server, which must
have uuidx and not run autovacuum, and PSQL its psql. The output is TAP."""

import argparse
import collections
import datetime
import os
import random
import subprocess
import sys

PSQL = os.environ.get('PSQL', 'psql')
DATABASE = 'uuidx_estimates'
NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
# The factor and the rows by which an estimate may be off, and the share of a class that may be off by more: a bin of
# the histogram may hide a burst, and the end of a stream among random keys is a guess.
LIMIT, SLACK, MAX_OFF = 2, 10, 0.1

SETUP = r'''
CREATE EXTENSION uuidx;
CREATE FUNCTION ago(days float8) RETURNS timestamptz LANGUAGE sql IMMUTABLE
  RETURN timestamptz '%s' - days * interval '1 day';
-- A key of version 8 with the layout of version 7, as other generators of keys ordered by time use.
CREATE FUNCTION v8_at(at timestamptz) RETURNS uuid LANGUAGE sql RETURN uuid_v8(uuid_to_bytea(uuid_v7_at(at)));
CREATE FUNCTION judge(condition text, OUT expected float8, OUT actual float8) LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT JSON) SELECT FROM t WHERE ' || condition INTO plan;
  EXECUTE 'SELECT count(*) FROM t WHERE ' || condition INTO actual;
  expected := plan #>> '{0,Plan,Plan Rows}';
END $$;
''' % NOW.isoformat()

# A table `t`: the SQL that makes it, the classes of its estimates, and its ranges as (from, to) in days before now.
Table = collections.namedtuple('Table', 'label classes sql ranges')


def moment(days):
    """Returns a time as an SQL constant; NULL for an unbounded end."""
    return 'NULL' if days is None else f"timestamptz '{(NOW - datetime.timedelta(days=days)).isoformat()}'"


def conditions(begin, end):
    """Returns the ways to write a range, and a name for each."""
    sides = [(op, moment(days)) for op, days in (('>=', begin), ('<', end)) if days is not None]
    uuids = [f'id {op} uuid_v7_min({time})' for op, time in sides]
    return [('<@', f'id <@ tstzrange({moment(begin)}, {moment(end)})'),
            ('times', ' AND '.join(f'id {op} {time}' for op, time in sides)),
            ('UUIDs', ' AND '.join(uuids)),
            ('UUIDs of version 7', ' AND '.join(['uuid_is_v7(id)'] + uuids))]


def load(keys, first, rows):
    return f'INSERT INTO t SELECT {keys}, i FROM generate_series({first}, {rows} - 1) AS i;'


def make(label, classes, keys, rows, ranges, later=0):
    """Returns a table with keys that an expression of i gives, 0 <= i < rows, in the order of time; the last `later` of
    them come after ANALYZE."""
    sql = (f'CREATE UNLOGGED TABLE t (id uuid PRIMARY KEY, n int); {load(keys, 0, rows - later)} VACUUM ANALYZE t; '
           + load(keys, rows - later, rows))
    return Table(label, classes, sql, ranges)


def named_tables():
    """Returns the tables whose estimates were once far off."""
    rows, cut = 120_000, 110_000  # of 60 days; after the cut, of the last 5 days
    time = f'ago(60 * (1 - i / {rows}.0))'
    nights = f'ago(60 - floor(i * 60 / {rows}.0) - 0.05 * (i * 60 / {rows}.0 - floor(i * 60 / {rows}.0)))'
    v7 = f'uuid_v7_at({time})'
    spans = [(60, 0), (50, 0), (30, 0), (5, 0), (1, 0), (40, 20), (60, 30), (31, None), (None, 30), (20, 19.99)]
    return [make(label, ['named'], keys, rows, ranges, later) for label, keys, ranges, later in [
        ('version 7', v7, spans, 0),
        ('version 7, half of it later', v7, spans, rows // 2),
        ('version 7 among version 4, 1 in 10', f'CASE WHEN i % 10 = 0 THEN {v7} ELSE uuid_v4() END', spans, 0),
        ('the last day among version 4',
         'CASE WHEN i < 2000 THEN uuid_v7_at(ago(0.9 * (1 - i / 2000.0))) ELSE uuid_v4() END',
         [(1, None), (0.5, None), (0.5, 0), (1, 0.5)], 0),
        ('version 8 until 5 days ago', f'CASE WHEN i < {cut} THEN v8_at({time}) ELSE {v7} END', spans, 0),
        ('older than ten years, in bursts', f'uuid_v7_at({nights} - interval \'12 years\')',
         [(begin + 12 * 365.25, end + 12 * 365.25) for begin, end in spans[:7]], 0),
        ('in the future, in bursts', f'uuid_v7_at({nights} + interval \'100 days\')',
         [(begin - 100, end - 100) for begin, end in spans[:7]] + [(-60, None)], 0)]]


SHAPES = {
    'even': '{u}',
    'growing': 'sqrt({u})',
    'fading': '({u}) ^ 2',
    'nightly': '(floor({u} * 40) + ({u} * 40 - floor({u} * 40)) * 0.05) / 40',
    'bursts': 'CASE WHEN hashint4(i) & 1 = 0 THEN {u} ELSE floor({u} * 4) / 4 + 0.01 * {u} END',
}


def generate(seed):
    """Returns a table of a seed, with random ranges."""
    rand = random.Random(seed)
    rows = rand.randint(10_000, 40_000)
    span = 10 ** rand.uniform(-1, 2.8)
    # Of the keys: until now, some time ago, older than ten years, in the future.
    end = rand.choice([0, 0, 0, 0, 0, span * rand.uniform(0, 1), 4000, -2 * span])
    shape = rand.choice(list(SHAPES))
    time = f'ago({end} + {span} * (1 - (' + SHAPES[shape].format(u=f'(i / {rows}.0::float8)') + ')))'
    share, cut = rand.choice([5, 10, 30, 60, 90]), int(rows * rand.choice([0.5, 0.8, 0.9, 0.95]))
    mix, keys = rand.choice([
        ('of version 7', f'uuid_v7_at({time})'), ('of version 7', f'uuid_v7_at({time})'),
        ('among version 4', f'CASE WHEN abs(hashint4(i)) % 100 < {share} THEN uuid_v7_at({time}) ELSE uuid_v4() END'),
        ('after version 4', f'CASE WHEN i >= {cut} THEN uuid_v7_at({time}) ELSE uuid_v4() END'),
        ('after version 8', f'CASE WHEN i >= {cut} THEN uuid_v7_at({time}) ELSE v8_at({time}) END')])
    # Later rows are expected at the pace before; those of other shapes come at another one.
    later = rand.choice([0, rows // 10, rows // 2]) if mix == 'of version 7' and shape == 'even' and end == 0 else 0
    ranges = []
    for _ in range(10):
        width = span * 10 ** rand.uniform(-2.5, 0.1)
        begin = end + rand.uniform(0, span)
        ranges.append(rand.choice([(width, 0), (end + width, end), (begin, begin - width), (begin, begin - width),
                                   (begin, None), (None, begin)]))
    label = f'--seed {seed}: {rows} keys {mix}, {shape}, {later} later'
    return make(label, [mix, 'later' if later else 'analyzed'], keys, rows, ranges, later)


class Run:
    """Estimates on tables, and counts what they show."""

    def __init__(self, verbose):
        self.verbose = verbose
        self.factors = collections.defaultdict(list)  # of each class

    def psql(self, text, database=DATABASE):
        """Returns what psql prints; ends the program after an error."""
        done = subprocess.run([PSQL, '-XAtq', '-F', '\t', '-v', 'ON_ERROR_STOP=1', '-d', database], input=text,
                              text=True, capture_output=True, check=False,
                              env=os.environ | {'PGOPTIONS': '-c client_min_messages=error -c jit=off -c TimeZone=UTC'})
        if done.returncode:
            sys.exit(done.stderr)
        return done.stdout

    def estimate(self, table):
        """Makes a table and judges the estimates of its ranges."""
        cases = [case for pair in table.ranges for case in conditions(*pair)]
        script = ''.join(f'SELECT * FROM judge($${condition}$$);\n' for _, condition in cases)
        output = self.psql(f'{table.sql}\\echo @@\n{script}DROP TABLE t;\n')
        for (kind, condition), line in zip(cases, output.split('@@\n')[1].splitlines(), strict=True):
            expected, actual = map(float, line.split('\t'))
            off = max((expected + SLACK) / (actual + SLACK), (actual + SLACK) / (expected + SLACK))
            for name in table.classes:
                self.factors[f'{kind}, {name}'].append(off)
            if self.verbose or off > LIMIT:
                print(f'# off by {off:.2f}: {table.label}: {condition}: {expected:.0f} expected, {actual:.0f} found',
                      flush=True)

    def report(self):
        """Prints the verdicts; returns false if any is bad."""
        good = True
        for name, factors in sorted(self.factors.items()):
            off = sum(factor > LIMIT for factor in factors)
            bad = off > (0 if name.endswith(', named') else 2 + MAX_OFF * len(factors))
            good = good and not bad
            print(f'{"not " if bad else ""}ok - {name}: worst of {len(factors)} estimates {max(factors):.2f}, '
                  f'{off} beyond {LIMIT}')
        return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tables', type=int, default=30)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--verbose', action='store_true')
    arguments = parser.parse_args()
    run = Run(arguments.verbose)
    run.psql(f'DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}', 'postgres')
    run.psql(SETUP)
    for table in named_tables() + [generate(arguments.seed + i) for i in range(arguments.tables)]:
        run.estimate(table)
    run.psql(f'DROP DATABASE {DATABASE} WITH (FORCE)', 'postgres')
    sys.exit(not run.report())


if __name__ == '__main__':
    main()
