"""Compares the pages that queries by time read, of a table with a time column and of one with a stored `created_at` and
its indexes: python3 test/planner/parity.py [--table | --short]

The queries are in shapes.txt. Each runs on a table that is plain, or partitioned by month. It must return the same rows
from both, and read no more pages than the heading of its section allows, nor more than with time columns switched off.
--table prints the figures as a table instead, --short leaves out the partitioned table. libpq's variables select the
server, which must have uuidx, and PSQL its psql. The output is TAP."""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

PSQL = os.environ.get('PSQL', 'psql')
DATABASE = 'uuidx_parity'
SHAPES = pathlib.Path(__file__).with_name('shapes.txt').read_text(encoding='utf-8')
SLACK = 12  # pages, of inner nodes and of partitions' first ones
# Pages that a section allows, by those of the stored column and of the table.
LIMITS = {'As few pages as with a stored column and its indexes': lambda stored, _: 1.5 * stored,
          'A tenth of the table\'s pages': lambda _, table: table / 10,
          'A third of the table\'s pages': lambda _, table: table / 3}
KINDS, SIDES = ('plain', 'partitioned'), ('stored', 'timed', 'off')
SETTINGS = ('client_min_messages=error', 'jit=off', 'max_parallel_workers_per_gather=0', 'TimeZone=Europe/Berlin',
            'session_preload_libraries=uuidx')

Shape = collections.namedtuple('Shape', 'section name sql parameters mode')

# A row is 400 days / 100,000 after another; the last are of today, and later than now().
SETUP = r'''
CREATE EXTENSION uuidx;
SELECT date_trunc('day', now(), 'UTC') - interval '399 days' AS start \gset
CREATE TABLE source AS
  SELECT t, uuid_v7_at(t) AS id, abs(hashint4(i)) % 200 AS customer, abs(hashint4(i + 1)) % 100 AS amount, i
  FROM generate_series(0, 99999) AS i, LATERAL (SELECT :'start'::timestamptz + i * interval '345.6 s') AS at (t);
CREATE TABLE source_u AS SELECT t, uuid_v7_at(t) AS id, customer, amount, i FROM source WHERE i % 10 = 0;
SELECT current_setting('server_version_num')::int >= 180000 AS virtual \gset
CREATE PROCEDURE partition(name text, bound text) LANGUAGE plpgsql AS $$
DECLARE month timestamptz := (SELECT date_trunc('month', min(t)) FROM source);
BEGIN
  WHILE month <= now() LOOP
    EXECUTE format('CREATE TABLE %1$s_%2$s PARTITION OF %1$s FOR VALUES FROM (%3$s) TO (%4$s)', name,
      to_char(month, 'YYYY_MM'), format(bound, month), format(bound, month + interval '1 month'));
    month := month + interval '1 month';
  END LOOP;
END $$;
CREATE TABLE customer AS SELECT number FROM generate_series(0, 199) AS number;
CREATE TABLE span AS SELECT t AS starts, t + interval '2 hours' AS ends FROM source WHERE i % 20000 = 777;
CREATE TABLE day AS SELECT t::date AS day FROM source WHERE i % 25000 = 777;
CREATE TABLE moment AS SELECT t AS at FROM source WHERE i % 5000 = 10;
'''
# {k} is the kind, {t} is '' or _u.
TABLES = r'''
CREATE TABLE {k}_stored{t} (id uuid NOT NULL, created_at timestamptz NOT NULL, customer int, amount int, filler text)
  {by_time};
CREATE TABLE {k}_timed{t}_data (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), customer int, amount int, filler text)
  {by_id};
{months}
INSERT INTO {k}_stored{t} SELECT id, t, customer, amount, 'some text' FROM source{t};
INSERT INTO {k}_timed{t}_data SELECT id, customer, amount, 'some text' FROM source{t};
ALTER TABLE {k}_stored{t} ADD PRIMARY KEY ({key});
CREATE INDEX ON {k}_stored{t} (created_at);
CREATE INDEX ON {k}_stored{t} (customer, created_at);
CREATE INDEX ON {k}_timed{t}_data (customer, id);
\if :virtual
  ALTER TABLE {k}_timed{t}_data RENAME TO {k}_timed{t};
  ALTER TABLE {k}_timed{t} ADD created_at timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(id)) VIRTUAL;
\else
  CREATE VIEW {k}_timed{t} AS SELECT *, uuid_extract_v7_time(id) AS created_at FROM {k}_timed{t}_data;
\endif
'''
MONTHS = r'''
CALL partition('{k}_stored{t}', '%L');
CALL partition('{k}_timed{t}_data', 'uuid_v7_min(%L)');
'''
# What stands for the names in braces, and the pages of the tables.
NAMES = r'''
SELECT json_build_object('d', day, 'e', day + 1, 'f', day + 50, 'g', day + 51, 'first', day - 199, 'at', r.t,
  'local', r.t::timestamp, 'id', r.id, 'at2', s.t, 'epoch', extract(epoch FROM r.t)::bigint)
FROM source AS r, source AS s, LATERAL (SELECT r.t::date AS day) AS d WHERE r.i = 50000 AND s.i = 61728;
SELECT json_object_agg(kind, (SELECT sum(relpages) FROM pg_class WHERE relname LIKE kind || '\_timed%'
  AND relname NOT LIKE '%\_u\_%' AND relkind = 'r')) FROM unnest(ARRAY['plain', 'partitioned']) AS kind;
'''


def psql(text, database=DATABASE):
    """Returns what psql prints; errors stand in it as lines."""
    options = ' '.join(f'-c {setting}' for setting in SETTINGS[:None if database == DATABASE else -1])
    done = subprocess.run([PSQL, '-XAtq', '-d', database], input=text, text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=os.environ | {'PGOPTIONS': options})
    return done.stdout


def begin(kinds):
    """Makes the tables of some kinds; returns the names in braces and the pages of the tables."""
    script = SETUP
    for kind in kinds:
        for table in ('', '_u'):
            divided = kind == 'partitioned'
            text = TABLES.replace('{months}', MONTHS if divided else '')
            for name, value in {'k': kind, 't': table, 'key': 'id, created_at' if divided else 'id',
                                'by_time': 'PARTITION BY RANGE (created_at)' if divided else '',
                                'by_id': 'PARTITION BY RANGE (id)' if divided else ''}.items():
                text = text.replace(f'{{{name}}}', value)
            script += text
    made = psql(f'DROP DATABASE IF EXISTS {DATABASE};\nCREATE DATABASE {DATABASE};\n', 'postgres') + psql(script)
    # A transaction of its own, as a constraint proves nothing to older ones.
    made += psql('VACUUM (FREEZE, ANALYZE);')
    if made:
        sys.exit(made)
    return map(json.loads, psql(NAMES).splitlines())


def shapes():
    """Returns the shapes of the file; those with parameters twice."""
    found, section = [], ''
    for line in SHAPES.replace('\n    ', ' ').splitlines():
        if line.startswith('== '):
            section = line[3:]
        elif match := re.fullmatch(r"(?!#)(.*?): (?:\[(.*)\] )?((?:SELECT|WITH|DELETE|UPDATE) .*)", line):
            name, parameters, sql = match.groups()
            modes = {', custom': 'force_custom_plan', ', generic': 'force_generic_plan'} if parameters else {'': 'auto'}
            found += [Shape(section, name + suffix, sql, parameters, mode) for suffix, mode in modes.items()]
    return found


def commands(shape, kind, side, names):
    """Returns the commands that run a shape, the last of them explained and after the marks."""
    table = f"{kind}_{'stored' if side == 'stored' else 'timed'}"
    precise = 'created_at' if side == 'stored' else 'uuid_extract_time_precise(id)'
    sql = shape.sql.format(t=table, u=f'{table}_u', p=precise, **names)
    prepare = ''
    if shape.parameters:
        values = shape.parameters.format(**names)
        types = ', '.join(re.findall(r'::([a-z]+(?:\[\])?)', values))
        prepare, sql = f'PREPARE q ({types}) AS {sql};\n', f'EXECUTE q ({values})'
    explain = f'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {sql};\n'
    switch = 'SET LOCAL uuidx.enable_time_columns = off;\n' if side == 'off' else ''
    # The first run fills the caches.
    return (f'{switch}SAVEPOINT s;\n{prepare}\\echo @@\n{sql if side != "off" else "SELECT"};\n'
            f'ROLLBACK TO s;\n\\echo @@\n{explain}ROLLBACK TO s;\nDEALLOCATE ALL;\n')


def run(shape, kind, names):
    """Returns the commands of a shape on all sides, in one transaction, as now() must be the same."""
    return (f'BEGIN;\nSET LOCAL plan_cache_mode = {shape.mode};\n'
            + ''.join(commands(shape, kind, side, names) for side in SIDES) + 'ROLLBACK;\n')


def pages(text):
    """Returns the pages that an explained query has read, or None after an error."""
    try:
        plan = json.loads(text)[0]['Plan']
    except ValueError:
        return None
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']


def lines(shape, text):
    """Returns the rows of a result, sorted unless the query orders them."""
    outermost = shape.sql
    while outermost != (outermost := re.sub(r'\([^()]*\)', '', outermost)):
        pass
    rows = text.splitlines()
    return rows if 'ORDER BY' in outermost else sorted(rows)


def judge(shape, parts, table):
    """Returns what is wrong with a shape, if anything, and the pages of all sides."""
    results, read = [lines(shape, part) for part in parts[:4:2]], [pages(part) for part in parts[1::2]]
    stored, timed, off = read
    if None in read or any('ERROR:' in line for line in results[0] + results[1]):
        return 'error: ' + ' '.join(parts)[:500], read
    if results[0] != results[1]:
        return f'other rows: {results[0][:3]}, {results[1][:3]}', read
    limit = min(LIMITS[shape.section](stored, table), 1.5 * off) + SLACK
    return f'at most {limit:.0f} expected' if timed > limit else '', read


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--table', action='store_true')
    parser.add_argument('--short', action='store_true')
    arguments = parser.parse_args()
    listed, rows, wrong = shapes(), collections.defaultdict(list), 0
    # Before 15.20, PostgreSQL loses rows of partitions by OR, which uuidx leaves alone there.
    old = int(psql('SHOW server_version_num', 'postgres')) < 150020
    kinds = KINDS[:1] if old or arguments.short else KINDS
    names, tables = begin(kinds)
    planned = [(kind, shape) for kind in kinds for shape in listed
               if kind == 'plain' or '(not partitioned)' not in shape.name]
    script = ''.join(run(shape, kind, names) for kind, shape in planned)
    parts = psql(script).split('@@\n')[1:]
    for kind, shape in planned:
        fault, read = judge(shape, parts[:6], tables[kind])
        parts = parts[6:]
        rows[shape] += read
        wrong += bool(fault)
        if not arguments.table:
            figures = ', '.join(f'{side} {count}' for side, count in zip(SIDES, read))
            verdict = 'not ok' if fault else 'ok'
            print(f'{verdict} - {kind}, {shape.name}: pages: {figures}; {fault}'.strip('; '))
    if arguments.table:
        print('| query |' + ' stored | time column | off |' * 2 + '\n|---' + '|---' * 6 + '|')
        for shape, read in rows.items():
            print(f'| {shape.name} | ' + ' | '.join('–' if count is None else f'{count:,}' for count in read) + ' |')
        print(f'{"not ok" if wrong else "ok"} - {len(planned)} queries')
    psql(f'DROP DATABASE {DATABASE} WITH (FORCE);', 'postgres')
    sys.exit(wrong > 0)


if __name__ == '__main__':
    main()
