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
MAX_PAGES = 40  # that an estimate by an index reads
# The factors by which estimates may be off, and on generated tables the share of a class that may be off by more: some
# pages with all rows of a range may be hidden among a hundred others.
LIMIT, FAR_LIMIT = 2, 4
MAX_OFF, MAX_FAR = 0.02, 0.003
SLACK = 10  # the rows by which an estimate on a generated table may be off

SETUP = r'''
CREATE EXTENSION uuidx;
CREATE FUNCTION ago(days float8) RETURNS timestamptz LANGUAGE sql IMMUTABLE
  RETURN timestamptz '%s' - days * interval '1 day';
-- A key of version 8 with the layout of version 7, as other generators of keys ordered by time use.
CREATE FUNCTION v8_at(at timestamptz) RETURNS uuid LANGUAGE sql RETURN uuid_v8(uuid_to_bytea(uuid_v7_at(at)));
-- The rows that the planner expects, and the pages that it reads when the catalog is cached.
CREATE FUNCTION planned(condition text, OUT rows float8, OUT pages int) LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  FOR i IN 1..2 LOOP
    EXECUTE 'EXPLAIN (FORMAT JSON, BUFFERS) SELECT FROM t WHERE ' || condition INTO plan;
  END LOOP;
  rows := plan #>> '{0,Plan,Plan Rows}';
  pages := (plan #>> '{0,Planning,Shared Hit Blocks}')::int + (plan #>> '{0,Planning,Shared Read Blocks}')::int;
END $$;
CREATE FUNCTION actual(condition text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE found bigint;
BEGIN
  EXECUTE 'SELECT count(*) FROM t WHERE ' || condition INTO found;
  RETURN found;
END $$;
''' % NOW.isoformat()

class Table(collections.namedtuple('Table', 'label classes sql ranges multiranges')):
    """A table `t`: the SQL that makes it, the classes of its estimates, its ranges as (from, to) in days before now,
    and its multiranges as lists of these."""

    @property
    def named(self):
        return 'named' in self.classes


def moment(days):
    """Returns a time as an SQL constant; NULL for an unbounded end."""
    return 'NULL' if days is None else f"timestamptz '{(NOW - datetime.timedelta(days=days)).isoformat()}'"


def contained(begin, end):
    return f'id <@ tstzrange({moment(begin)}, {moment(end)})'


def contained_in_any(ranges):
    """Returns the condition of a multirange, a constant, as only that is estimated by its ranges."""
    texts = (f'[{NOW - datetime.timedelta(days=begin)},{NOW - datetime.timedelta(days=end)})' for begin, end in ranges)
    return f"id <@ '{{{','.join(texts)}}}'::tstzmultirange"


def compared(begin, end):
    """Returns the conditions of comparisons with times, and the same of raw bounds."""
    bounds = [(op, moment(days)) for op, days in (('>=', begin), ('<', end)) if days is not None]
    return ([f'id {op} {time}' for op, time in bounds], [f'id {op} uuid_v7_min({time})' for op, time in bounds])


def load(keys, rows, index='ALTER TABLE t ADD PRIMARY KEY (id)', order='i'):
    """Returns the SQL of a table with keys that an expression of i gives, 0 <= i < rows, in the order of time."""
    return f'''
CREATE UNLOGGED TABLE t (id uuid, n int, m int);
INSERT INTO t SELECT {keys}, i, 0 FROM generate_series(0, {rows} - 1) AS i ORDER BY {order};
{index};
VACUUM ANALYZE t;
'''


# Marks the entries of deleted rows as dead in the index, as queries do.
SCAN = 'SET enable_seqscan = off; SET enable_bitmapscan = off; SELECT count(*) FROM t WHERE id > nil_uuid(); RESET ALL;'


def named_tables():
    """Returns the tables whose estimates were once far off."""
    rows, cut = 120_000, 110_000  # of 60 days; after the cut, of the last 5 days
    time = f'ago(60 * (1 - i / {rows}.0))'
    nights = f'ago(60 - floor(i * 60 / {rows}.0) - 0.05 * (i * 60 / {rows}.0 - floor(i * 60 / {rows}.0)))'
    v7, old = f'uuid_v7_at({time})', f'DELETE FROM t WHERE n < {cut}'
    spans = [(60, 0), (50, 0), (30, 0), (5, 0), (1, 0), (40, 20), (60, 30), (None, None)]
    wide_and_narrow = [(48, 44), (3, 2)]
    return [Table(label, ['named'], sql, ranges, [wide_and_narrow]) for label, sql, ranges in [
        ('version 7 among version 8, 1 in 20',
         load(f'CASE WHEN i % 20 = 0 THEN {v7} ELSE v8_at({time}) END', rows), spans),
        ('version 7 among version 4, 1 in 10', load(f'CASE WHEN i % 10 = 0 THEN {v7} ELSE uuid_v4() END', rows),
         spans + [(17, None), (None, 30)]),
        ('the last day among version 4, partial index',
         load('CASE WHEN i < 2000 THEN uuid_v7_at(ago(0.9 * (1 - i / 2000.0))) ELSE uuid_v4() END', rows,
              'ALTER TABLE t ADD PRIMARY KEY (id); CREATE INDEX ON t (id) WHERE uuid_is_v7(id)'),
         [(1, None), (0.5, None), (0.5, 0), (1, 0.5)]),
        ('version 8 until 5 days ago', load(f'CASE WHEN i < {cut} THEN v8_at({time}) ELSE {v7} END', rows), spans),
        ('old rows thinned to 1 in 100', load(v7, rows) + f'{old} AND n % 100 > 0; VACUUM t;', spans),
        ('old rows deleted, then scanned', load(v7, rows) + f'{old}; {SCAN}', spans),
        ('the last day updated 12 times, index not unique',
         load('uuid_v7_at(ago(60 * (1 - i / 6000.0)))', 6000, 'CREATE INDEX ON t (id); CREATE INDEX ON t (m)')
         # In one transaction, so that no update can remove the versions before.
         + f'BEGIN; {"UPDATE t SET m = m + 1 WHERE n >= 5900;" * 12} COMMIT;', spans),
        ('older than ten years, in bursts', load(f'uuid_v7_at({nights} - interval \'12 years\')', rows),
         [(begin + 12 * 365.25, end + 12 * 365.25) for begin, end in spans if end is not None]),
        ('in the future, in bursts', load(f'uuid_v7_at({nights} + interval \'100 days\')', rows),
         [(begin - 100, end - 100) for begin, end in spans if end is not None] + [(None, None), (-60, None)])]]


class Generator:
    """Makes a table of a seed."""

    SHAPES = {
        'even': '{u}',
        'growing': 'sqrt({u})',
        'fading': '({u}) ^ 2',
        'nightly': '(floor({u} * 40) + ({u} * 40 - floor({u} * 40)) * 0.05) / 40',
        'bursts': 'CASE WHEN hashint4(i) & 1 = 0 THEN {u} ELSE floor({u} * 4) / 4 + 0.01 * {u} END',
    }
    INDEXES = {
        'unique': 'ALTER TABLE t ADD PRIMARY KEY (id)',
        'unique, sparse pages': 'CREATE UNIQUE INDEX ON t (id) WITH (fillfactor = 10)',
        'not unique': 'CREATE INDEX ON t (id)',
    }

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        self.rows = self.random.randint(10_000, 40_000)
        self.span = 10 ** self.random.uniform(-1, 2.8)
        # Of the keys: until now, some time ago, older than ten years, in the future.
        self.end = self.random.choice([0, 0, 0, 0, 0, self.span * self.random.uniform(0, 1), 4000, -2 * self.span])
        self.cut = self.random.choice([0.5, 0.8, 0.9, 0.95, 0.98])  # of the rows, where something changes

    def keys(self):
        """Returns how the keys are mixed, and the expression of a key."""
        share = self.random.choice([1, 2, 5, 10, 30, 60, 90])
        shape = self.random.choice(list(self.SHAPES))
        time = (f'ago({self.end} + {self.span} * (1 - ('
                + self.SHAPES[shape].format(u=f'(i / {self.rows}.0::float8)') + ')))')
        v7, cut = f'uuid_v7_at({time})', int(self.rows * self.cut)
        mixed = f'CASE WHEN abs(hashint4(i)) % 100 < {share} THEN {v7} ELSE'
        switched = f'CASE WHEN i >= {cut} THEN {v7} ELSE'
        return self.random.choice([
            ('of version 7', v7), ('of version 7', v7), ('of version 7', v7),
            ('among version 4', f'{mixed} uuid_v4() END'), ('among version 8', f'{mixed} v8_at({time}) END'),
            ('after version 4', f'{switched} uuid_v4() END'), ('after version 8', f'{switched} v8_at({time}) END')])

    def change(self, keys):
        """Returns what happens to the table later, and the SQL."""
        cut, keep = int(self.rows * self.cut), self.random.choice([0, 1, 3, 10, 30])
        begin = self.random.randint(0, self.rows)
        end = begin + int(self.rows * self.random.choice([0.02, 0.1, 0.3]))
        return self.random.choice([
            ('unchanged', ''), ('unchanged', ''),
            ('old ones deleted', f'DELETE FROM t WHERE n < {cut} AND abs(hashint4(n)) % 100 >= {keep}; VACUUM t;'),
            ('old ones deleted, scanned',
             f'DELETE FROM t WHERE n < {cut} AND abs(hashint4(n)) % 100 >= {keep}; {SCAN}'),
            ('an island left', f'DELETE FROM t WHERE (n < {begin} OR n > {end}) AND abs(hashint4(n)) % 100 >= {keep};'
                               'VACUUM t;'),
            ('some deleted', f'DELETE FROM t WHERE n BETWEEN {begin} AND {end}; VACUUM t;'),
            ('the last updated', 'CREATE INDEX ON t (m);' + f'UPDATE t SET m = m + 1 WHERE n >= {cut};' * 5),
            ('more inserted', f'INSERT INTO t SELECT {keys}, i + {self.rows}, 0 FROM generate_series({begin}, {end}) '
                              'AS i WHERE i % 7 > 0 ON CONFLICT DO NOTHING;')])

    def range(self):
        """Returns a random range."""
        width = self.span * 10 ** self.random.uniform(-2.5, 0.1)
        begin = self.end + self.random.uniform(0, self.span)
        return self.random.choice([
            (width, 0), (width, 0), (self.end + width, self.end), (begin, begin - width), (begin, begin - width),
            (begin, None), (None, begin), (None, None)])

    def multirange(self):
        """Returns a few random ranges, some or most of them outside the table. As few as an index estimates."""
        count = self.random.randint(2, 3)
        hull = self.span * 10 ** self.random.uniform(-1, 1)
        last = self.end + self.span * self.random.uniform(-0.3, 0.8)
        step = hull / count
        even = step * self.random.choice([0.01, 0.3, 0.9])
        shape = self.random.choice(['even', 'random', 'one wide'])
        ranges = []
        for i in range(count):
            begin = last + hull - (i * step if shape == 'even' else self.random.uniform(0, hull))
            width = step * 10 ** self.random.uniform(-2, 0.3) if shape == 'random' else even
            ranges.append((begin, begin - width))
        if shape == 'one wide':
            begin = self.end + self.random.uniform(0, self.span)
            ranges.append((begin, begin - self.span * self.random.uniform(0.02, 0.5)))
        return ranges

    def table(self):
        index = self.random.choice(list(self.INDEXES))
        mix, keys = self.keys()
        what, sql = self.change(keys)
        order = self.random.choice(['i', 'i', 'hashint4(i)'])
        label = f'--seed {self.seed}: {self.rows} keys {mix}, {what}, index {index}'
        return Table(label, [mix, what], load(keys, self.rows, self.INDEXES[index], order) + sql,
                     [self.range() for _ in range(10)], [self.multirange() for _ in range(5)])


class Run:
    """Estimates on tables, and counts what they show."""

    def __init__(self, verbose):
        self.verbose = verbose
        self.factors = collections.defaultdict(list)  # of each class
        self.worst = collections.defaultdict(int)  # of each table
        self.pages = 0

    def psql(self, text, database=DATABASE):
        """Returns what psql prints; ends the program after an error."""
        done = subprocess.run([PSQL, '-XAtq', '-F', '\t', '-v', 'ON_ERROR_STOP=1', '-d', database], input=text,
                              text=True, capture_output=True, check=False,
                              env=os.environ | {'PGOPTIONS': '-c client_min_messages=error -c jit=off -c TimeZone=UTC'})
        if done.returncode:
            sys.exit(done.stderr)
        return done.stdout

    def begin(self):
        self.psql(f'DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}', 'postgres')
        self.psql(SETUP)

    def end(self):
        self.psql(f'DROP DATABASE {DATABASE} WITH (FORCE)', 'postgres')

    def estimate(self, table):
        """Makes a table and judges the estimates of its ranges."""
        script, kinds = '', []
        for begin, end in table.ranges:
            clauses, raw = compared(begin, end)
            conditions = [('<@', contained(begin, end))]
            if clauses:
                conditions += [('comparisons', ' AND '.join(clauses)),
                               ('comparisons', ' AND '.join(['uuid_is_v7(id)'] + clauses))]
            raw = ' AND '.join(raw) or 'true'
            for kind, condition in conditions:
                kinds.append((kind, condition))
                script += (f'SELECT p.*, actual($${contained(begin, end)}$$), r.*, actual($${raw}$$) '
                           f'FROM planned($${condition}$$) AS p, planned($${raw}$$) AS r;\n')
        for ranges in table.multiranges:
            condition = contained_in_any(ranges)
            raw = ' AND '.join(compared(max(begin for begin, _ in ranges), min(end for _, end in ranges))[1])
            kinds.append(('multirange', condition))
            script += (f'SELECT p.*, actual($${condition}$$), r.*, actual($${raw}$$) '
                       f'FROM planned($${condition}$$) AS p, planned($${raw}$$) AS r;\n')
        output = self.psql(f'{table.sql}\\echo @@\n{script}DROP TABLE t;\n')
        for (kind, condition), line in zip(kinds, output.split('@@\n')[1].splitlines(), strict=True):
            self.judge(table, kind, condition, *map(float, line.split('\t')))

    def judge(self, table, kind, condition, expected, pages, actual, raw_expected, raw_pages, raw_actual):
        """Counts one estimate. Of comparisons, PostgreSQL's own estimate for raw bounds, times the share of version 7,
        is as right as the number of rows, and so is what lies between the two."""
        own = raw_expected * (actual / raw_actual if raw_actual else 1)
        least, most = sorted([actual, own]) if kind == 'comparisons' else (actual, actual)
        slack = 0 if table.named else SLACK
        off = max((max(expected, 1) + slack) / (max(most, 1) + slack), (max(least, 1) + slack) / (expected + slack), 1)
        self.worst[table.label] = max(self.worst[table.label], off)
        for name in table.classes:
            self.factors[f'{kind}, {name}'].append(off)
        # PostgreSQL may read pages of an index for raw bounds, too.
        if kind != 'comparisons':
            self.pages = max(self.pages, pages - raw_pages)
        if self.verbose or off > LIMIT:
            print(f'# off by {off:.2f}: {table.label}: {condition[:200]}: {expected:.0f} expected, {actual:.0f} found; '
                  f'PostgreSQL for raw bounds: {raw_expected:.0f} expected, {raw_actual:.0f} found', flush=True)

    def report(self):
        """Prints the verdicts; returns false if any is bad."""
        verdicts = []
        for name, factors in sorted(self.factors.items()):
            off, far = (sum(factor > limit for factor in factors) for limit in (LIMIT, FAR_LIMIT))
            good = off == 0 if name.endswith(', named') else off <= 2 + MAX_OFF * len(factors)
            verdicts.append((good and far <= MAX_FAR * len(factors),
                             f'{name}: worst of {len(factors)} estimates {max(factors):.2f}, {off} beyond {LIMIT}'))
        verdicts.append((0 < self.pages <= MAX_PAGES, f'an estimate reads at most {self.pages:.0f} pages'))
        worst = sorted(self.worst.values())
        print('# worst factors of the tables: '
              + ', '.join(f'{share} % {worst[(len(worst) - 1) * share // 100]:.2f}' for share in (50, 90, 95, 99, 100)))
        for good, text in verdicts:
            print(f'{"ok" if good else "not ok"} - {text}')
        return all(good for good, _ in verdicts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tables', type=int, default=30)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--verbose', action='store_true')
    arguments = parser.parse_args()
    run = Run(arguments.verbose)
    run.begin()
    for table in named_tables():
        run.estimate(table)
    for i in range(arguments.tables):
        run.estimate(Generator(arguments.seed + i).table())
    run.end()
    sys.exit(not run.report())


if __name__ == '__main__':
    main()
