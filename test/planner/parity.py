"""Compares the pages that queries by time read, of a table with a time column and of one with a stored `created_at` and
its indexes: python3 test/planner/parity.py [--short] [KIND ...]

The queries are in shapes.txt. Each runs on tables of some kinds, by default all. It must return the same rows as of the
stored column, and read no more pages than the heading of its section allows, nor more than with the stored column and
with time columns switched off. --short leaves out partitioned tables. libpq's variables select the server, which must
have uuidx, and PSQL its psql. The output is TAP."""

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
MORE = 'As few pages as with a stored column, and more without statistics'
# Pages that a section allows, by those of the stored column and of the table.
LIMITS = {'As few pages as with a stored column and its indexes': lambda stored, _: 1.5 * stored,
          MORE: lambda stored, _: 1.5 * stored,
          'A tenth of the table\'s pages': lambda _, table: table / 10,
          'A third of the table\'s pages': lambda _, table: table / 3}
# Kinds of tables: the time column is computed, or an ordinary one with a CHECK, and the partition key.
Kind = collections.namedtuple('Kind', 'column by')
KINDS = {'plain': Kind('timed', ''), 'partitioned': Kind('timed', 'id')}
KINDS |= {column + (by and f'_by_{by}'): Kind(column, by) for column in ('equal', 'near')
          for by in ('', 'id', 'created_at')}
DEFAULT = tuple(KINDS)
# What kinds lack, by the ends of a section's heading, and the pages that a query may read then. An index of the key has
# no ordinary column, so that its scans read the table, with a quarter of the rows on a page. PostgreSQL may hash it
# rather than that, and a near column follows the order of the key roughly.
LACKS = {'index-only scans': (r'equal|near', lambda limit, off, table: min(4 * limit, 2 * off)),
         'index joins': (r'equal|near', lambda limit, off, table: off),
         'orders and equalities': (r'near', lambda limit, off, table: off),
         'orders of partitions by the key': (r'near_by_id', lambda limit, off, table: off),
         'newest rows': (r'near_by_created_at', lambda limit, off, table: max(limit, table / 10))}
SIDES = ('stored', 'timed', 'off')
SWITCHES = {'off': 'SET LOCAL uuidx.enable_time_columns = off;\n',
            'no statistics': 'SET LOCAL uuidx.enable_time_columns = on;\nSET LOCAL uuidx.enable_statistics = off;\n'}
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
-- Keys that were made within a second of the time, but for one of 50, as far from it as the CHECK allows.
CREATE TABLE source_near AS SELECT t, uuid_v7_at(t + CASE WHEN i % 50 > 0 THEN '0.2 s' ELSE
  make_interval(secs => amount / 99.0 * 3660 - 60) END) AS id, customer, amount, i FROM source;
CREATE TABLE source_u AS SELECT * FROM source WHERE i % 10 = 0;
CREATE TABLE source_near_u AS SELECT * FROM source_near WHERE i % 10 = 0;
SELECT current_setting('server_version_num')::int >= 180000 AS virtual \gset
CREATE PROCEDURE partition(name text, bound text) LANGUAGE plpgsql AS $$
DECLARE month timestamptz := (SELECT date_trunc('month', min(t) - interval '1 day') FROM source);
BEGIN
  WHILE month <= now() + interval '1 day' LOOP
    EXECUTE format('CREATE TABLE %1$s_%2$s PARTITION OF %1$s FOR VALUES FROM (%3$s) TO (%4$s)', name,
      to_char(month, 'YYYY_MM'), format(bound, month), format(bound, month + interval '1 month'));
    month := month + interval '1 month';
  END LOOP;
END $$;
CREATE TABLE customer AS SELECT number FROM generate_series(0, 199) AS number;
CREATE TABLE span AS SELECT t AS starts, t + interval '2 hours' AS ends FROM source WHERE i % 20000 = 777;
CREATE TABLE day AS SELECT t::date AS day FROM source WHERE i % 25000 = 777;
CREATE TABLE moment AS SELECT t AS at FROM source WHERE i % 5000 = 10;
CREATE TABLE visit AS SELECT customer, t + interval '100 s' AS at, tstzrange(t, t + interval '10 min') AS during
  FROM source;
CREATE INDEX ON visit (at);
CREATE INDEX ON visit (customer, at);
CREATE INDEX ON visit (((at AT TIME ZONE 'UTC')::date));
CREATE INDEX ON visit USING gist (during);
CREATE TABLE log AS SELECT at, 'some text' AS filler FROM visit;
CREATE INDEX ON log USING brin (at) WITH (pages_per_range = 4);
'''
# {name} is a table, {data} the one below it if it is a view. The indexes are those beside that of the key.
TABLE = r'''
CREATE TABLE {data} (id uuid NOT NULL{column}, customer int, amount int, filler text) {partitions};
{months}
INSERT INTO {data} (id{time}, customer, amount, filler) SELECT id{t}, customer, amount, 'some text' FROM {source};
ALTER TABLE {data} ADD PRIMARY KEY ({key});
-- All rows are in the sample, so that the bins of histograms begin at the same rows in each run.
ALTER TABLE {data} ALTER filler SET STATISTICS 400;
{indexes}
'''
VIEW = r'''
\if :virtual
  ALTER TABLE {data} RENAME TO {name};
  ALTER TABLE {name} ADD created_at timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(id)) VIRTUAL;
\else
  CREATE VIEW {name} AS SELECT *, uuid_extract_v7_time(id) AS created_at FROM {data};
\endif
'''
STORED = ', created_at timestamptz NOT NULL'
VERSION = ' CHECK (uuid_is_v7(id))'
COLUMNS = {'stored': STORED, 'timed': VERSION,
           'equal': f'{VERSION}{STORED} CHECK (created_at = uuid_extract_v7_time(id))',
           'near': f"{VERSION}{STORED} CHECK (created_at >= uuid_extract_v7_time(id) - interval '1 hour' "
                   "AND created_at <= uuid_extract_v7_time(id) + interval '1 minute')"}
# What stands for the names in braces, and the pages of the tables.
NAMES = r'''
SELECT json_build_object('d', day, 'e', day + 1, 'f', day + 50, 'g', day + 51, 'first', day - 199, 'at', r.t,
  'local', r.t::timestamp, 'id', r.id, 'at2', s.t, 'epoch', extract(epoch FROM r.t)::bigint,
  'hours', format($$created_at >= '%1$s' AND created_at < '%1$s 02:00'$$, day))
FROM source AS r, source AS s, LATERAL (SELECT r.t::date AS day) AS d WHERE r.i = 50000 AND s.i = 61728;
SELECT json_object_agg(name, (SELECT sum(relpages) FROM pg_class
  WHERE relname ~ ('^' || name || '(_data)?(_\d+_\d+)?$') AND relkind = 'r')) FROM unnest('{tables}'::text[]) AS name;
'''


def psql(text, database=DATABASE):
    """Returns what psql prints; errors stand in it as lines."""
    options = ' '.join(f'-c {setting}' for setting in SETTINGS[:None if database == DATABASE else -1])
    done = subprocess.run([PSQL, '-XAtq', '-d', database], input=text, text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=os.environ | {'PGOPTIONS': options})
    return done.stdout


def names_of(kind):
    """Returns the names of two tables: the one with a stored column, and the one of a kind that is compared with it."""
    stored = f"stored{'_near' * (kind.column == 'near')}{'_parted' * (kind.by != '')}"
    return stored, kind.column + (kind.by and f'_by_{kind.by}')


def make_table(name, kind, source, few):
    """Returns the commands that make a table, with other indexes if it has few rows."""
    data, time = f"{name}{'_data' * (kind.column == 'timed')}", kind.column != 'timed'
    indexes = ['created_at'] * (kind.column == 'stored')
    indexes += ['customer, created_at' if time and not (few and kind.column != 'stored') else 'customer, id']
    values = {'name': name, 'data': data, 'source': source, 'column': COLUMNS[kind.column],
              'partitions': kind.by and f'PARTITION BY RANGE ({kind.by})', 'time': ', created_at' * time,
              't': ', t' * time, 'key': 'id, created_at' if kind.by == 'created_at' else 'id',
              'months': kind.by and f"CALL partition('{data}', '{'uuid_v7_min(%L)' if kind.by == 'id' else '%L'}');",
              'indexes': ''.join(f'CREATE INDEX ON {data} ({index});\n' for index in indexes)}
    text = TABLE + VIEW * (not time)
    for word, value in values.items():
        text = text.replace(f'{{{word}}}', value)
    return text


def begin(kinds):
    """Makes the tables of some kinds; returns the names in braces and the pages of the tables."""
    script, made = SETUP, {}
    for kind in kinds:
        stored, name = names_of(kind)
        made[stored], made[name] = Kind('stored', kind.by and 'created_at'), kind
    for name, kind in made.items():
        for few in ('', '_u'):
            source = f"source{'_near' * ('near' in name)}{few}"
            script += make_table(name + few, kind, source, few)
    errors = psql(f'DROP DATABASE IF EXISTS {DATABASE};\nCREATE DATABASE {DATABASE};\n', 'postgres') + psql(script)
    # A transaction of its own, as a constraint proves nothing to older ones.
    errors += psql('VACUUM (FREEZE, ANALYZE);')
    if errors:
        sys.exit(errors)
    return map(json.loads, psql(NAMES.replace('{tables}', f"{{{','.join(made)}}}")).splitlines())


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


def sides(shape, kind):
    """Returns how a shape is run: also without statistics if its section says so."""
    return SIDES + ('no statistics',) * (shape.section == MORE and kind == KINDS['plain'])


def commands(shape, kind, side, names):
    """Returns the commands that run a shape, the last of them explained and after the marks."""
    table = names_of(kind)[side != 'stored']
    precise = 'created_at' if side == 'stored' else 'uuid_extract_time_precise(id)'
    sql = shape.sql.format(t=table, u=f'{table}_u', p=precise, **names)
    prepare = ''
    if shape.parameters:
        values = shape.parameters.format(**names)
        types = ', '.join(re.findall(r'::([a-z]+(?:\[\])?)', values))
        prepare, sql = f'PREPARE q ({types}) AS {sql};\n', f'EXECUTE q ({values})'
    explain = f'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {sql};\n'
    # The first run fills the caches.
    return (f'{SWITCHES.get(side, "")}SAVEPOINT s;\n{prepare}\\echo @@\n{sql if side in SIDES[:2] else "SELECT"};\n'
            f'ROLLBACK TO s;\n\\echo @@\n{explain}ROLLBACK TO s;\nDEALLOCATE ALL;\n')


def run(shape, kind, names):
    """Returns the commands of a shape on all sides, in one transaction, as now() must be the same."""
    return (f'BEGIN;\nSET LOCAL plan_cache_mode = {shape.mode};\n'
            + ''.join(commands(shape, kind, side, names) for side in sides(shape, kind)) + 'ROLLBACK;\n')


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


def judge(shape, kind, parts, table):
    """Returns what is wrong with a shape, if anything, and the pages of all sides."""
    results, read = [lines(shape, part) for part in parts[:4:2]], [pages(part) for part in parts[1::2]]
    stored, timed, off, *without = read
    if None in read or any('ERROR:' in line for line in results[0] + results[1]):
        return 'error: ' + ' '.join(parts)[:500], read
    if results[0] != results[1]:
        return f'other rows: {results[0][:3]}, {results[1][:3]}', read
    section, *marks = shape.section.split('; ')
    limit = min(LIMITS[section](stored, table), 1.5 * max(stored, off))
    for mark in marks:
        kinds, allowed = LACKS[mark]
        limit = allowed(limit, off, table) if re.match(kinds, names_of(kind)[1]) else limit
    limit += SLACK
    if without and without[0] <= limit:
        return f'more than {limit:.0f} expected without statistics', read
    return f'at most {limit:.0f} expected' if timed > limit else '', read


def is_for(shape, kind):
    """True if a shape can run on tables of a kind."""
    other = kind.column == 'near' or kind.by == 'created_at'  # than the time with microseconds
    return not (kind.by and '(not partitioned)' in shape.name or other and '{p}' in shape.sql)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--short', action='store_true')
    parser.add_argument('kinds', nargs='*', default=DEFAULT)
    arguments = parser.parse_args()
    listed, wrong = shapes(), 0
    # Before 15.20, PostgreSQL loses rows of partitions by OR, which uuidx leaves alone there.
    short = arguments.short or int(psql('SHOW server_version_num', 'postgres')) < 150020
    kinds = {name: KINDS[name] for name in arguments.kinds if not (short and KINDS[name].by)}
    names, tables = begin(kinds.values())
    planned = [(name, shape) for name in kinds for shape in listed if is_for(shape, kinds[name])]
    script = ''.join(run(shape, kinds[name], names) for name, shape in planned)
    parts = psql(script).split('@@\n')[1:]
    for name, shape in planned:
        kind = kinds[name]
        count = 2 * len(sides(shape, kind))
        fault, read = judge(shape, kind, parts[:count], tables[names_of(kind)[1]])
        parts = parts[count:]
        wrong += bool(fault)
        figures = ', '.join(f'{side} {count}' for side, count in zip(sides(shape, kind), read))
        print(f'{"not ok" if fault else "ok"} - {name}, {shape.name}: pages: {figures}; {fault}'.strip('; '))
    psql(f'DROP DATABASE {DATABASE} WITH (FORCE);', 'postgres')
    sys.exit(wrong > 0)


if __name__ == '__main__':
    main()
