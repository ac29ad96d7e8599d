"""Random statements as pairs: on keys and time columns, and the same on the columns beside them."""

import collections
import re

from conditions import BOUNDS, Chain, Conditions, computed, forms
from schemas import ALL, BY_TIME, NAMES, SPELLINGS, time_text

SETTINGS = ([f'enable_{node}scan = off' for node in ('bitmap', 'bitmap', 'index', 'indexonly')] +
            [f'enable_{node} = off' for node in ('nestloop', 'hashjoin', 'mergejoin', 'material', 'memoize', 'sort',
                                                 'incremental_sort', 'hashagg', 'partition_pruning')] +
            [f'enable_partitionwise_{node} = on' for node in ('join', 'aggregate')] +
            [f'constraint_exclusion = {value}' for value in ('on', 'off')] +
            ['from_collapse_limit = 1', 'join_collapse_limit = 1', 'random_page_cost = 0.1'])
UNION = '(SELECT n, b, t, lower(name) AS name FROM plain UNION ALL SELECT n, b, t, upper(name) FROM parted)'
PARALLEL = ['parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0',
            'min_parallel_index_scan_size = 0']

# Of a UNION ALL that has no key.
MEMBERS = 'SELECT {time a} AS at FROM {table} a UNION ALL SELECT {time2 b} FROM {table2} b'

# Queries, {by} being a direction, and {shown} a key. Those of the first table have no order, or show only what is equal
# in rows that are equal by it.
QUERIES = forms('''
SELECT n, ({where a}) FROM {source} a; SELECT count(*), min(n), sum(k), count(*) FILTER (WHERE {atom a}) FROM_WHERE
SELECT k, count(*), bool_or({atom a}) FROM {source} a GROUP BY k HAVING bool_and({where a}) IS NOT TRUE
SELECT min({id})::uuid, max({id})::uuid FROM_WHERE
SELECT {shown}, count(*) FROM {source} a GROUP BY id, id_v7, id_t, id_hex HAVING {having}
SELECT min({time a}), max({time a}) FROM_WHERE; SELECT min({bucket a}), max({bucket2 a}) FROM_WHERE
SELECT k, min({time a}), max({time a}), array_agg({time a} ORDER BY {time a}{by}) FROM_WHERE GROUP BY k
SELECT n, {time a} FROM_WHERE ORDER BY {time a}{by} FETCH FIRST 5 ROWS WITH TIES
SELECT {time a}, k, count(*), min(n) FROM_WHERE GROUP BY GROUPING SETS (({time a}), (k), ({time a}, k), ())
SELECT {bucket a}, k, count(*) FROM_WHERE GROUP BY ROLLUP ({bucket a}, k)
SELECT {bucket a} AS at, count(*), grouping({bucket a}) FROM_WHERE GROUP BY CUBE ({bucket a}, k)
2 SELECT count(*), max({time a}) FROM_WHERE GROUP BY ()
SELECT {time a}, count(*) FROM {source} a GROUP BY ROLLUP ({time a}) HAVING {time a} IS NULL OR count(*) > 1
SELECT n, rank() OVER (ORDER BY {time a}{by}), count(*) OVER (PARTITION BY k ORDER BY {time a}) FROM_WHERE
SELECT n, max(n) OVER (ORDER BY {bucket a}{by}), count(*) OVER (PARTITION BY {bucket2 a}) FROM_WHERE
SELECT n, count(*) OVER (ORDER BY {time a}{by} RANGE BETWEEN '1 day' PRECEDING AND CURRENT ROW) FROM_WHERE
SELECT max(at) FROM (SELECT {time a} AS at FROM_WHERE UNION ALL SELECT b FROM bounds) AS u
2 SELECT count(*), min(at) FROM (MEMBERS) AS u WHERE at {operator} {near}
SELECT i, count(*) FROM bounds x JOIN (MEMBERS) AS u ON at {operator} b AND at < b + interval '1 day' GROUP BY i
SELECT b.n, {time b} FROM {table} a JOIN {table} b ON {itself} WHERE {where a}
SELECT max({time a}), generate_series(1, 2) FROM_WHERE
SELECT max({time a}), generate_series(1, 2) FROM {table} a WHERE {atom a}
SELECT k, unnest(ARRAY[min({time a}), max({time a})]) FROM_WHERE GROUP BY k
SELECT DISTINCT {time a}, generate_series(1, 2) FROM_WHERE
SELECT count(*) FROM (SELECT DISTINCT {time a}, {time2 a} FROM_WHERE) AS d
SELECT count(*), count(at) FROM (SELECT {bucket a} AS at FROM_WHERE GROUP BY 1) AS d
'''.replace('FROM_WHERE', 'FROM {source} a WHERE {where a}').replace('MEMBERS', MEMBERS))
ORDERED = forms('''
SELECT {shown}, n FROM_WHERE ORDER BY {id}{by}, n LIMIT 5; SELECT {time a} FROM_WHERE ORDER BY {time a}{by} LIMIT 7
SELECT {shown}, {time a} FROM_WHERE ORDER BY {time a}{by}, {id}{by} LIMIT 7
SELECT n, {time a} FROM_WHERE ORDER BY {time a}{by}, n LIMIT 7
SELECT n, {time a} FROM_WHERE ORDER BY {time a} USING <<<, n LIMIT 7
SELECT n, {time a} FROM_WHERE ORDER BY {more}{time a}{by}, n OFFSET 3 LIMIT 20
SELECT n, {time a}, k FROM_WHERE ORDER BY k, {time a}{by}, n
SELECT n, {time a}, generate_series(1, 2) AS s FROM_WHERE ORDER BY {time a}{by}, n, s LIMIT 9
SELECT DISTINCT {time a} AS at FROM_WHERE ORDER BY at{by} LIMIT 7
SELECT DISTINCT ON ({time a}) {time a}, n FROM_WHERE ORDER BY {time a}{by}, n LIMIT 7
SELECT DISTINCT ON (k, {time a}) k, {time a}, n FROM_WHERE ORDER BY k DESC, {time a}{by}, n
SELECT {time a} AS at, count(*), min(n) FROM_WHERE GROUP BY {time a} ORDER BY {time a}{by} LIMIT 7
2 SELECT {bucket a} AS at, count(*), min(n) FROM_WHERE GROUP BY {bucket a} ORDER BY at{by} LIMIT 7
6 SELECT n, {bucket a} AS at FROM_WHERE ORDER BY at{by}, n LIMIT 15
SELECT at FROM (MEMBERS) AS u WHERE at {operator} {near} ORDER BY at{by} LIMIT 7
2 SELECT a.n, {bucket a} AS at FROM {table} a JOIN {table} b ON {itself} WHERE {where b} ORDER BY at{by}, a.n LIMIT 9
2 SELECT {bucket a} AS at, min(b.n) FROM {table} a JOIN {table} b ON {itself} WHERE {where b} GROUP BY 1 ORDER BY 1{by}
2 SELECT n, k FROM {source} a WHERE {fixed a} = {at} ORDER BY {fixed a}{by}, k, n LIMIT 5
2 SELECT a.n, b.n FROM {source} a {left} {source2} b ON {fixed a} = {partner b} WHERE {fixed a} = {at} ORDER BY 1, 2
SELECT DISTINCT {bucket a} AS at FROM {source} a ORDER BY at{by} LIMIT 7
SELECT DISTINCT ON ({bucket a}) {bucket a}, n FROM_WHERE ORDER BY {bucket a}{by}, n
3 SELECT n, {bucket a} AS at FROM {source} a ORDER BY {bucket a}{by}, {time a}{by}, n LIMIT 15
SELECT id_hex, {time a} FROM_WHERE GROUP BY id, id_t, id_hex, {time a} ORDER BY {time a}{by}, id_hex LIMIT 7
SELECT n, {time a} AS at FROM_WHERE UNION ALL SELECT n, {time a ref} FROM {source} a ORDER BY at{by}, n LIMIT 9
SELECT n, {time a}, {time a ref} FROM_WHERE ORDER BY {time a ref}{by}, {time a}, n LIMIT 9
'''.replace('FROM_WHERE', 'FROM {source} a WHERE {where a}').replace('MEMBERS', MEMBERS))
# The newest rows, by a column that is near the time of a key. TIED leaves open which of the rows that are equal at
# either end it has.
NEWEST = [form.replace('FROM_WHERE', 'FROM {tolerant} a WHERE {filter}') for form in forms('''
4 SELECT n, {tolerated a} AS at FROM_WHERE ORDER BY {tolerated a}{by}, n{by2} LIMIT
3 SELECT {tolerated a} AS at, {shown} AS n FROM_WHERE ORDER BY {tolerated a}{by}, {id}{by2} LIMIT
2 SELECT {tolerated a} AS at FROM_WHERE ORDER BY {tolerated a}{by} LIMIT
3 SELECT n, {tolerated a} AS at FROM_WHERE AND k = {few} ORDER BY k{by2}, {tolerated a}{by}, n LIMIT
''')]
TIED = 'SELECT {tolerated a} AS at, n FROM {tolerant} a WHERE {filter} ORDER BY {tolerated a}{by}'
FOR_EACH = TIED.replace('WHERE', 'WHERE k = i AND')
NEWEST_IN = [form.replace('TIED', TIED).replace('FOR_EACH', FOR_EACH) for form in forms('''
9 SOME {few}; 5 SOME {few} OFFSET {few2}; SOME {limit}; SOME {few} OFFSET {limit}; SOME {few} FOR UPDATE
2 SELECT at, count(*), count(DISTINCT n), CASE WHEN at > min(at) OVER () AND at < max(at) OVER () THEN
    array_agg(n ORDER BY n) END FROM (TIED LIMIT {few} OFFSET {few2}) q GROUP BY at ORDER BY at
SELECT * FROM (TIED FETCH FIRST {few} ROWS WITH TIES) q ORDER BY q
2 SELECT *, sum(1) OVER (ORDER BY at) FROM (SOME 9) q ORDER BY q
2 SELECT i, q.* FROM generate_series(0, 4) i LEFT JOIN LATERAL (FOR_EACH, n LIMIT {few}) q ON true ORDER BY i, q
SELECT i, (SELECT q::text FROM (FOR_EACH, n LIMIT 1) q) FROM generate_series(0, 4) i
SELECT q.*, b.n FROM (SOME {few}) q JOIN {tolerant} b ON {tolerated b} = at ORDER BY q, b.n FOR UPDATE OF b
''')]
FILTERS = forms('3 true; n % 3 > 0; {where a}; {tolerated a} {operator} {near}; {tolerated a} {operator} {at}')
# Queries for cursors whose zone changes, in the order of {local}, whose values can be compared as text.
ZONED = [form.replace('LOCAL', 'SELECT {local a} AS at') for form in forms('''
LOCAL FROM {from} ORDER BY at{by}; LOCAL, a.n FROM {from} ORDER BY at{by}, a.n; LOCAL FROM {from} ORDER BY 1{by}, a.id
3 LOCAL, count(*) FROM {from} GROUP BY at ORDER BY at{by}; 2 SELECT DISTINCT {local a} AS at FROM {from} ORDER BY at{by}
SELECT at FROM (LOCAL FROM {from} UNION ALL SELECT {local a} FROM {table2} a) u ORDER BY at{by}
SELECT at, count(*) FROM (LOCAL FROM {from} UNION ALL SELECT {local a} FROM {table2} a) u GROUP BY at ORDER BY at{by}
''')]
ZONED_FROM = forms('''
3 {table} a; {table} a JOIN calendar c ON c.t = {time a}; 2 {table} a JOIN plain p ON p.n = a.k; {table} a, plain p
2 {table} a JOIN plain p ON p.n = CASE WHEN a.id IS NULL THEN 2 ELSE 1 END
''')
LOCAL = forms("3 {0}::date; {0}::timestamp; date_trunc({1}, {0}::timestamp); ({0} + '06:00')::date")
# Of one table: the least query in which a group that comes twice shows.
BUCKETED = [form.replace('{source}', '{table}') for form in QUERIES + ORDERED if '{bucket' in form]
# What rows are ordered by before the time.
MORE = forms('''
k,; {bucket a},; {bucket a} DESC NULLS LAST,; {id},; {time a ref}, k,; k DESC, {time a ref},; {id} DESC, k,
''')

# What dashboards group by, with a unit, a zone, a stride and an origin: most increases with the key in most zones.
BUCKETS = forms('''
9 date_trunc({1}, {0}); 12 {0}::date; (date_trunc({1}, {0} AT TIME ZONE {2}))::date; {0} AT TIME ZONE {2}
date_trunc({1}, {0} AT TIME ZONE {2}) AT TIME ZONE {2}; date_trunc({1}, {0}::timestamp)::timestamptz
date_trunc({1}, {0} AT TIME ZONE {2}); date_trunc({1}, {0}, {2})
date_trunc({1}, {0}::timestamp + '1 day') + '-1 day'; ({0} - interval '04:00')::date
({0} AT TIME ZONE {2} - interval '01:30')::date; {0}::timestamp; {0}::date + 1
date_bin({3}, {0}::timestamp, '2000-01-01'); date_bin({3}, {0}, '2000-01-03')::date
floor(extract(epoch FROM {0}) / 300) * 300; date_part('epoch', {0}::timestamp) / 60; {0}::date::timestamptz
to_timestamp(floor(extract(epoch FROM {0}) / 3600) * 3600); 2 {0}::date::a_date; date_trunc({1}, {0})::a_timestamptz
2 extract(epoch FROM {0})::a_numeric; {0}::backward; {0}::timestamp::a_timestamp; {0}::date::a_date + 1
''')
# Relations with the columns of a table {one} or of two: sub-selects into which conditions may be moved or not.
SOURCES = [form.replace('ALL_OF', f'SELECT {ALL} FROM') for form in forms('''
30 {one}; (ALL_OF {one} OFFSET 0); (SELECT DISTINCT * FROM {one}); (ALL_OF {one} UNION ALL_OF {two})
(SELECT *, count(*) OVER (PARTITION BY k, id, id_v7, id_t, id_hex) FROM {one}); (ALL_OF {one} q WHERE {condition q})
4 (ALL_OF {one} q WHERE {condition q} UNION ALL ALL_OF {two})
2 (ALL_OF {one} UNION ALL ALL_OF {two} q WHERE {condition q})
2 (ALL_OF (SELECT 1 AS part, * FROM (ALL_OF {one}) q UNION ALL (SELECT 2, * FROM (ALL_OF {two}) q OFFSET 0)) q
    WHERE part > 1 AND {condition q} AND {condition q})
(ALL_OF {one} q WHERE {condition q} ORDER BY {time q}, n, {names} LIMIT 9)
2 (SELECT q.* FROM {one} q, calendar c WHERE c.t = {time q})
2 (SELECT q.* FROM {one} q LEFT JOIN calendar c ON c.{calendar} = {time q})
''')]

# FROM clauses of two relations, one of which may be the table of bounds.
JOINS = [form.replace('ORDINARY', UNION) for form in forms('''
{source} a {join} {source2} b ON a.k = b.k AND {condition a b}; 2 {source} a {left} bounds x ON {condition a x}
{source} a {join} {source2} b ON {keys} AND {condition a b}; {source} a {left} {source2} b ON {condition a b}
bounds x CROSS JOIN {source} a; bounds x {left} {source} a ON {condition a x}
3 bounds x {join} {source} a ON {bound} = {same a}
{source} a {left} LATERAL (SELECT * FROM {source2} q WHERE {condition q a} ORDER BY {order}, q.n LIMIT 2) b
    ON {condition a b}
{source} a {join} ORDINARY u ON u.n = a.k; {source} a LEFT JOIN calendar c ON c.{calendar} = {time a}
''')]
# How a new relation {new} of a join is linked to an old one. Conditions that are not equalities stand beside {near}.
LINKS = forms('''
2 {old}.n = {new}.n; {old}.k = {new}.k AND {new}.n < 9; 2 {this} = {that}; {this} = {that} AND {near}
{that} = {this} AND {near}; {that} >= {this} AND {that} < {later} AND {near}; {keys} AND {this} IS NOT NULL
{this} BETWEEN {that} AND {later} AND {near}; {one} - {two} < {day} AND {near}
''')
# The least query in which a row without partner shows.
OUTER_JOINS = forms('''
2 SELECT a.n, b.n, {time b} FROM {table} a {join} {table2} b ON a.n = b.n + 20 WHERE {nulls b}
SELECT a.n, b.n FROM {table} a {join} {table2} b ON a.k = b.k AND b.n < 9 WHERE {nulls a} OR {nulls b}
SELECT a.n, b.n FROM {table} a {join} {table2} b ON {time a} = {time b} WHERE {nulls b}
3 SELECT a.n, b.n FROM {table} a {join} {table2} b ON {time a} = {time b} WHERE {condition b} ORDER BY {time a}, 1, 2
''')
# Conditions of a join, and of any query: most are plain, as an index can be searched by these only.
JOIN_WHERE = forms('{where}; true; 3 {nulls}; {nulls} AND {where}; ({nulls} OR {where})')
WHERE = forms('3 any; 6 {one}; 2 {one} AND {two}; 2 ({one} OR {two}); ({one}) IS NULL; NOT ({one})')

# Queries without any uuid, which must have the same plans, too: of a UNION ALL with a computed column.
ORDINARY = forms('''
SELECT p.n, u.name FROM {from} WHERE {ordinary} ORDER BY u.name, p.n, u.n, u.b
SELECT u.name, count(*) FROM {from} WHERE {ordinary} GROUP BY u.name
SELECT u.name, u.t, count(*) FROM {from} WHERE {ordinary} GROUP BY ROLLUP (u.name, u.t)
SELECT DISTINCT u.name FROM {from} WHERE {ordinary}; SELECT max(u.t), generate_series(1, 2) FROM {from} WHERE {ordinary}
SELECT u.n, rank() OVER (PARTITION BY p.b ORDER BY u.name) FROM {from} WHERE {ordinary}
SELECT u.n FROM {one} u LEFT JOIN calendar c ON c.t = u.t WHERE {ordinary}
SELECT * FROM {one} u WHERE {ordinary} ORDER BY u.name, u.n, u.b
''')
ORDINARY_FROM = forms('''
plain p {join} {one} u ON u.n = p.n; {one} u {join} plain p ON u.n = p.n AND u.t = p.t
plain p LEFT JOIN calendar c ON c.t = p.t {join} {one} u ON u.t = p.t AND u.b = p.b
''')
ORDINARY_WHERE = forms('''
true; u.b = (SELECT 1); u.b = {parameter}; u.name IS NULL; u.t IS NULL OR u.b = 1; NOT u.name > 'm'
''')

# Statements that write to a table a of a kind: not to a foreign one if it is {local}.
WRITES = forms('''
3 UPDATE {writable} a SET w = a.w + 1 WHERE {where a} RETURNING a.n, a.w, {time a}
3 DELETE FROM {writable} a WHERE {where a} RETURNING a.n, {time a}
3 WITH gone AS (DELETE FROM {writable} a WHERE {where a} RETURNING {time a} AS at) SELECT at FROM gone ORDER BY at
2 DELETE FROM {writable} a USING bounds x WHERE {where a x} RETURNING a.n, {time a}
2 UPDATE {local} a SET w = a.w + 1 FROM bounds x WHERE {where a x} RETURNING a.n, {time a}
6 MERGE INTO {mergeable} a USING (SELECT * FROM bounds {row}) x ON {where a x} WHEN MATCHED AND {atom a x} THEN {change}
    WHEN MATCHED THEN DO NOTHING
''')
# What happens between two runs of a prepared statement. What changes an expression changes what the columns mean.
EVENTS = forms(f'''
4 SET LOCAL timezone = '{{zone}}'; SET LOCAL timezone_abbreviations = 'Australia'; SET LOCAL ROLE planner_reader
SET LOCAL timezone_abbreviations = 'India'; CREATE INDEX ON {{leaf}} (id); DROP TABLE {{leaf}} CASCADE
2 ALTER TABLE {{leaf}} DROP CONSTRAINT IF EXISTS {{leaf}}_id_check\\; INSERT INTO {{leaf}} ({NAMES}) SELECT {NAMES}
    FROM {{other}}
3 {{unbind}}\\; UPDATE {{bound}} SET id_z = id_z + interval '40 days' WHERE k < 3
{{unbind}}\\; UPDATE {{bound}} SET id_z = NULL WHERE k < 3
{{unbind}}\\; UPDATE {{bound}} SET id_z = now()\\; ALTER TABLE {{bound}} ADD CONSTRAINT id_z_is CHECK (id_z = {BY_TIME})
    NOT VALID
3 ALTER TABLE {{generated}} ALTER {{column}} SET EXPRESSION AS ({{function}}(ref))
''')

# A query as a pair. total is the number of rows of its table if it is of that alone, else 0; ordered says if its rows
# have an order.
Query = collections.namedtuple('Query', 'pair total ordered', defaults=(0, False))
# A query with what surrounds it: key and time are its pair, the same for one without uuid. prepared is (types, values)
# or None. event is what happens between the runs of a prepared one; after shows what has been written.
Statement = collections.namedtuple('Statement', 'key time prepared total settings ordered cursor event after')


class Writer(Conditions):
    """Writes one random statement on a schema, as a pair."""

    # What names in braces stand for

    def join(self):
        return self.pick('JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN')

    def left(self):
        return self.pick('JOIN', 'LEFT JOIN')

    def calendar(self):
        return self.pick('t', 'u')

    def parameter(self):
        self.parameters.append(('int', '1'))
        return f'${len(self.parameters)}'

    def near(self):
        return self.moved('timestamptz', time_text(self.schema.near + self.pick(-1, 0, 1, 2)))

    def bucket(self, alias):
        """Returns what is computed from a time column."""
        form = self.pick(*BUCKETS, *[''] * (4 if self.in_order else 20))
        kind, time = self.spelled(f'{alias}.id', self.pick('timestamptz', 'timestamptz', 'timestamp') if form else None)
        return computed(Chain(form.replace('{0}', self.pick('{0}', '{0}::timestamptz')),
                              [self.constant(name, kind) for name in ('unit', 'zone', 'stride', 'moment')], kind, '')
                        if form else self.chain(self.pick(1, 1, 1, 2), kind), time)

    def fixed(self, alias):
        """Returns what a query sorts or joins by, and also compares with a constant."""
        kind, time = self.spelled(f'{alias}.id')
        self.fixed_chain = self.chain(self.pick(0, 0, 1, 2), kind)
        return computed(self.fixed_chain, time)

    def partner(self, alias):
        return computed(self.fixed_chain, self.spelled(f'{alias}.id', self.fixed_chain.time)[1])

    def at(self):
        return self.value(self.fixed_chain, (), 'a.id', self.schema.time(), self.fixed_chain.kind)

    def table(self):
        proved = [table for table in self.schema.proved if table in self.schema.rows]
        return self.relation(self.rng.choice(self.in_order and self.maybe(0.9) and proved or list(self.schema.rows)))

    def source(self):
        """Returns a relation, or a sub-select of one or two."""
        form = self.pick(*SOURCES).replace(' q', f' {self.alias()}')
        return self.fill(form, one=self.table(), two=self.table(), names=NAMES,
                         condition=lambda name: self.condition(name, depth=1))

    # Queries, by their shape

    def select(self):
        """Returns a query of any shape."""
        shape = self.pick('one_source', 'one_source', 'two_sources', *['joins'] * 4,
                          *['outer_join', 'microsecond'] * 2, *['listed', 'one_bound'] * 7, *['in_buckets'] * 14,
                          *['newest'] * (16 if self.schema.tolerant else 0))
        return getattr(self, shape)()

    def one_source(self):
        source = self.fill('{source} a')
        table = source[0].removesuffix(' a').removesuffix('_v')
        return self.rows(source, ['a'], ['{where}'], len(self.schema.rows.get(table, ())))

    def two_sources(self):
        """Returns a query of two relations, one of which may be the table of bounds or one with a foreign key."""
        foreign_keys = [f'{{source}} a {{left}} {table}_fk f ON f.ref = {{cast}}' for table in self.schema.referenced]
        form = self.pick(*JOINS, *foreign_keys)
        kind = self.pick(*BOUNDS)
        source = self.fill(form, bound=BOUNDS[kind], keys=('a.id = b.ref', 'a.id_hex = b.ref_hex'),
                           cast=('a.id', 'a.id_hex::uuid'), condition=lambda *scope: self.condition(*scope, depth=1),
                           order=lambda: self.pick(('q.id', 'q.id_hex'), self.time('q')),
                           same=lambda name: self.spelled(f'{name}.id', self.pick(kind, *BOUNDS))[1])
        return self.rows(source, [alias for alias in 'abx' if f' {alias} ' in f' {form} '], JOIN_WHERE)

    def joins(self):
        """Returns a join of up to five tables."""
        source, scope = self.fill('{source} a'), ['a']
        for new in 'bcde'[:self.pick(1, 1, 2, 2, 3, 4)]:
            link = self.link(self.pick(*scope), new)
            source = self.fill('{before} {join} {source} {new} ON {link}', before=source, new=new, link=link,
                               join=self.pick('JOIN', self.join(), self.join()))
            scope.append(new)
        return self.rows(source, scope, JOIN_WHERE)

    def link(self, old, new):
        """Returns the condition that links a new relation of a join to an old one."""
        kind, this = self.spelled(f'{old}.{self.pick("id", "id", "ref")}')
        form = self.pick(*LINKS) + ' AND {condition}' * self.maybe(0.4)
        return self.fill(form, old=old, new=new, near=f'abs({old}.n - {new}.n) < {self.pick(3, 9)}', this=this,
                         that=self.spelled(f'{new}.id', self.pick(None, kind))[1], one=self.time(old),
                         two=self.time(new), day=self.moved('interval', '1 day'), later=self.with_distance(this),
                         keys=(f'{old}.id = {new}.ref', f'{old}.id_hex = {new}.ref_hex'),
                         condition=lambda: self.condition(old, new, depth=1))

    def by(self):
        return self.pick('', ' DESC') + self.pick('', ' NULLS FIRST', ' NULLS LAST')

    def few(self):
        return self.pick('1', '2', '3', '7', '20')

    def tolerant(self):
        return self.pick(*self.schema.tolerant)

    def tolerated(self, alias):
        """Returns a column that is near the time of a key."""
        end = self.pick(*(end for end, (kind, _) in SPELLINGS.items() if 'date' not in kind))
        return f'{alias}.id_{end}', SPELLINGS[end][1].format(f'{alias}.id_{"m" if end[0] == "p" else "t"}')

    def newest(self):
        """Returns a query for the newest rows by such a column."""
        self.in_order = self.maybe(0.5)
        where = self.fill(self.pick(*FILTERS), operator=self.pick('<', '<=', '=', '>=', '>'),
                          at=lambda: self.other_moment(()))
        return Query(self.fill(self.pick(*NEWEST_IN).replace('SOME', self.pick(*NEWEST)), filter=where,
                               id=('a.id', 'a.id_hex'), shown=('a.id', 'a.id_hex::uuid'),
                               limit=lambda: self.moved('bigint', self.pick(0, 1, 9, 200, None))), ordered=True)

    def rows(self, source, scope, where_forms, total=0):
        """Returns a query for rows of a FROM clause with these aliases, and a time of one of them."""
        shown = ', '.join('x.i' if alias == 'x' else f'{alias}.n' for alias in scope)
        order = ' ORDER BY {time}, {shown} LIMIT 30' if self.maybe(0.3) else ''
        where = self.fill(self.pick(*where_forms), where=lambda: self.where(*scope), nulls=lambda: self.nulls(*scope))
        time = self.time(self.key(scope).split('.')[0])
        pair = self.fill('SELECT {shown}, {time} FROM {source} WHERE {where}' + order, source=source, shown=shown,
                         where=where, time=time)
        return Query(pair, total, bool(order))

    def where(self, *scope):
        """Returns the condition of a query."""
        form, key = self.pick(*WHERE), self.key(scope)
        if form == 'any':
            return self.condition(*scope)
        return self.fill(form, one=lambda: self.atom(*scope, key=key), two=lambda: self.atom(*scope, key=key))

    def one_bound(self):
        """Returns the least query in which a bound that is too narrow shows."""
        table, self.plain = self.pick(*self.schema.local, *self.schema.bound), self.maybe(0.7)
        pair = self.fill('SELECT n, {time a} FROM {table} a WHERE {condition}', table=self.relation(table),
                         condition=lambda: self.computed('a.id', ['a'], self.pick(None, None, 0)))
        return Query(pair, len(self.schema.rows[table]))

    def microsecond(self):
        """Returns the least query in which a precise time that is a microsecond off shows."""
        table = self.rng.choice(self.schema.local)
        pair = self.fill('SELECT n, {time a} FROM {table} a WHERE {version}{left} {operator} {near}',
                         version=self.pick(('', ''), ('uuid_is_v7(a.id) AND ', 'a.id_v7 AND ')),
                         table=self.relation(table), left=self.spelled('a.id', 'precise')[1],
                         operator=self.pick('<', '<=', '=', '>=', '>'))
        return Query(pair, len(self.schema.rows[table]))

    def outer_join(self):
        return Query(self.fill(self.pick(*OUTER_JOINS)))

    def in_zones(self):
        """Returns a query for a cursor whose zone changes."""
        kind, time = self.spelled('a.id', 'timestamptz')
        local = computed(Chain(self.pick(*LOCAL), [self.constant(name, kind) for name in ('unit',)], kind, ''), time)
        return Query(self.fill(self.pick(*ZONED).replace('{from}', self.pick(*ZONED_FROM)), local=lambda _: local,
                               by=self.pick('', '', ' DESC')), ordered=True)

    def in_buckets(self):
        """Returns a query that groups or sorts by what is computed, in the order of an index if there is one."""
        self.in_order = True
        return self.listed(BUCKETED)

    def listed(self, queries=(*QUERIES, *ORDERED)):
        """Returns a query that is in a table above."""
        form = self.pick(*queries)
        pair = self.fill(form.replace('{more}', self.pick(*MORE) + ' '), id=('a.id', 'a.id_hex'),
                         itself=('b.id = a.id', 'b.id_hex = a.id_hex'), shown=('a.id', 'a.id_hex::uuid'),
                         operator=self.pick('<', '<=', '=', '>=', '>'),
                         having=lambda: self.of_version_7('a.id', self.compared('a.id', ())))
        return Query(pair, ordered=form.replace('{table}', '{source}') in ORDERED)

    def ordinary(self):
        """Returns a query without any uuid."""
        form = self.pick(*ORDINARY).replace('{from}', self.pick(*ORDINARY_FROM))
        return Query(self.fill(form, one=self.pick(UNION, UNION, 'parted'),
                               ordinary=self.fill(self.pick(*ORDINARY_WHERE))))

    # Statements

    def write(self):
        """Returns an UPDATE, DELETE or MERGE, and a query for what it has written."""
        form = self.pick(*WRITES)
        kind = re.search(r'{(writable|local|mergeable)}', form)[1]
        tables = [table for table in self.schema.writable if table in getattr(self.schema, kind)]
        if not tables:
            return self.write()
        table = self.pick(*tables)
        self.without_columns = '' if self.schema.generated[table] else 'a'
        pair = self.fill(form, **{kind: table}, row=self.pick('WHERE i = 1', 'ORDER BY i LIMIT 1'),
                         change=self.pick('UPDATE SET w = a.w + 1', 'DELETE', 'UPDATE SET w = a.n + 2'))
        return Query(pair), f'SELECT n, w FROM {table}'

    def event(self):
        """Returns what happens between two runs of a prepared statement."""
        leaves = self.schema.leaves
        generated = [leaf for leaf in leaves if leaves[leaf] in ('STORED', 'VIRTUAL')] * (self.schema.version >= 170000)
        bound = self.pick(*self.schema.bound) if self.schema.bound else ''
        unbind = self.pick('DROP CONSTRAINT IF EXISTS id_z_is', 'ALTER id_z DROP NOT NULL', 'DROP CONSTRAINT IF EXISTS '
                           'id_z_is, ADD CONSTRAINT id_z_is CHECK (id_z IS NULL OR id_z IS NOT NULL)')
        form = EVENTS[0] if self.in_order and self.maybe(0.8) else self.pick(
            *(form for form in EVENTS if (generated or 'EXPRESSION' not in form) and (bound or 'bound' not in form)))
        leaf = self.pick(*generated or leaves)
        return self.fill(form, unbind=f'ALTER TABLE {bound} {unbind}', bound=bound, zone=self.pick(*self.schema.zones),
                         leaf=self.pick(*leaves), other=self.pick(*leaves),
                         function='uuid_extract_timestamp' if leaves[leaf] == 'VIRTUAL' else 'uuid_extract_v7_time',
                         generated=leaf, column=self.pick('id_z', 'id_z6', 'id_p'))[0]

    def settings(self):
        chosen = ['enable_seqscan = off'] * self.maybe(0.75) + self.rng.sample(SETTINGS, self.rng.randint(0, 3))
        chosen += PARALLEL * self.maybe(0.02) + [f"timezone = '{self.pick(*self.schema.zones)}'"] * self.maybe(0.7)
        return chosen + [f"plan_cache_mode = force_{self.pick('generic', 'generic', 'custom')}_plan"]

    def prepared(self):
        """Returns the types and values of the statement's parameters; None if it is not to be prepared."""
        if self.parameters:
            return tuple(f"({', '.join(part)})" for part in zip(*self.parameters))
        return ('', '') if self.maybe(0.5 if self.in_order else 0.1) else None

    def zoned(self):
        """Returns a cursor whose zone changes after some rows, in the order of an index if there is one."""
        self.in_order, zone = True, self.schema.zone
        settings = [f'enable_{node} = off' for node in ('seqscan', 'sort', 'hashagg', *self.rng.sample(
            ['hashjoin', 'mergejoin', 'incremental_sort', 'bitmapscan', 'material'], 2))]
        first, *zones = [zone if zone in self.schema.zones and self.maybe(0.3) else self.pick(*self.schema.zones)
                         for _ in range(self.pick(2, 2, 2, 9, 30))]
        zones = [(self.rng.randint(1, 9 if len(zones) == 1 else 2), self.pick(zone, first)) for zone in zones]
        settings += [f"timezone = '{first}'"] + PARALLEL * self.maybe(0.05)
        return Statement(*self.in_zones().pair, None, 0, settings, True, zones, '', '')

    def statement(self):
        if self.maybe(0.1) and set(self.schema.rows) & set(self.schema.proved):
            return self.zoned()
        settings, ordinary, after = self.settings(), self.maybe(0.06), ''
        if ordinary:
            query, settings = self.ordinary(), [setting for setting in settings if setting not in PARALLEL]
        elif self.schema.writable and self.maybe(0.15):
            query, after = self.write()
        else:
            query = self.select()
            if self.in_order and self.maybe(0.8):
                settings += ['enable_seqscan = off', 'enable_sort = off', 'enable_hashagg = off']
                zone = self.schema.zone
                settings += [f"timezone = '{zone}'"] * (zone in self.schema.zones and self.maybe(0.3))
        prepared = self.prepared()
        if ordinary:
            run = f'EXECUTE q {prepared[1]}' if prepared else query.pair[0]
            after = f'EXPLAIN (ANALYZE, VERBOSE, BUFFERS OFF, TIMING OFF, SUMMARY OFF) {run}'
        cursor = not after and self.maybe(0.1)
        return Statement(*query.pair, prepared, query.total, settings, query.ordered, cursor, self.event(), after)
