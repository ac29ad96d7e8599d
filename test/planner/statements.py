"""Random statements as pairs: with conditions on a key, and with the same ones on the columns beside it."""

import collections

from conditions import Conditions, both, computed
from schemas import NAMES

SETTINGS = ([f'enable_{node}scan = off' for node in ('bitmap', 'bitmap', 'index', 'indexonly')] +
            [f'enable_{node} = off' for node in ('nestloop', 'hashjoin', 'mergejoin', 'material', 'memoize', 'sort',
                                                 'incremental_sort', 'hashagg', 'partition_pruning')] +
            [f'enable_partitionwise_{node} = on' for node in ('join', 'aggregate')] +
            [f'constraint_exclusion = {value}' for value in ('on', 'off')] +
            ['from_collapse_limit = 1', 'join_collapse_limit = 1', 'random_page_cost = 0.1'])
PARALLEL = ['parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0',
            'min_parallel_index_scan_size = 0']

# prepared is (types, values) or None; total is the number of rows of the table if the statement is of that alone, else
# 0; ordered means that the rows have an order; zone is a later one of the session; after shows what has been written.
Statement = collections.namedtuple('Statement', 'id time prepared total settings ordered cursor zone after')

# Queries of one source {0} with a condition {1}. {2} is another condition, {3} the key, {4} a condition of groups, {5}
# the key to show, {6} its time, {7} a direction, {8} more to order by, {9} what is computed from the time, {10} the
# other key's time. Those that end in the time or n have an order, as these and what is shown are equal together.
ROWS = ('SELECT n, ({1}) FROM {0} a',
        'SELECT count(*), min(n), sum(k), count(*) FILTER (WHERE {2}) FROM {0} a WHERE {1}',
        'SELECT k, count(*), bool_or({2}) FROM {0} a GROUP BY k HAVING bool_and({1}) IS NOT TRUE',
        'SELECT min({3})::uuid, max({3})::uuid FROM {0} a WHERE {1}',
        'SELECT {5}, count(*) FROM {0} a GROUP BY id, id_v7, id_t, id_hex HAVING {4}',
        'SELECT min({6}), max({6}) FROM {0} a WHERE {1}',
        'SELECT k, min({6}), max({6}), array_agg({6} ORDER BY {6}{7}) FROM {0} a WHERE {1} GROUP BY k',
        'SELECT n, {6} FROM {0} a WHERE {1} ORDER BY {6}{7} FETCH FIRST 5 ROWS WITH TIES',
        'SELECT {6}, k, count(*), min(n) FROM {0} a WHERE {1} GROUP BY GROUPING SETS (({6}), (k), ({6}, k), ())',
        'SELECT {9}, {6}, count(*) FROM {0} a WHERE {1} GROUP BY ROLLUP ({9}, {6})',
        'SELECT {9} AS at, count(*), grouping({9}) FROM {0} a WHERE {1} GROUP BY CUBE ({9}, k)',
        'SELECT n, rank() OVER (ORDER BY {6}{7}), count(*) OVER (PARTITION BY k ORDER BY {6}) FROM {0} a WHERE {1}',
        "SELECT n, max(n) OVER (ORDER BY {6}{7} RANGE BETWEEN '1 day' PRECEDING AND CURRENT ROW) FROM {0} a WHERE {1}",
        'SELECT max(at) FROM (SELECT {6} AS at FROM {0} a WHERE {1} UNION ALL SELECT b FROM bounds) AS u')
ORDERED = ('SELECT {5}, n FROM {0} a WHERE {1} ORDER BY {3}{7}, n LIMIT 5',
           'SELECT {6} FROM {0} a WHERE {1} ORDER BY {6}{7} LIMIT 7',
           'SELECT {5}, {6} FROM {0} a WHERE {1} ORDER BY {6}{7}, {3}{7} LIMIT 7',
           'SELECT n, {6} FROM {0} a WHERE {1} ORDER BY {6}{7}, n LIMIT 7',
           'SELECT n, {6} FROM {0} a WHERE {1} ORDER BY {8}{6}{7}, n OFFSET 3 LIMIT 20',
           'SELECT n, {6}, k FROM {0} a WHERE {1} ORDER BY k, {6}{7}, n',
           'SELECT DISTINCT {6} AS at FROM {0} a WHERE {1} ORDER BY at{7} LIMIT 7',
           'SELECT DISTINCT ON ({6}) {6}, n FROM {0} a WHERE {1} ORDER BY {6}{7}, n LIMIT 7',
           'SELECT DISTINCT ON (k, {6}) k, {6}, n FROM {0} a WHERE {1} ORDER BY k DESC, {6}{7}, n',
           'SELECT {6} AS at, count(*), min(n) FROM {0} a WHERE {1} GROUP BY {6} ORDER BY {6}{7} LIMIT 7',
           'SELECT {9} AS at, count(*), min(n) FROM {0} a WHERE {1} GROUP BY {9} ORDER BY at{7} LIMIT 7',
           'SELECT id_hex, {6} FROM {0} a WHERE {1} GROUP BY id, id_t, id_hex ORDER BY {6}{7}, id_hex LIMIT 7',
           'SELECT n, {6} AS at FROM {0} a WHERE {1} UNION ALL SELECT n, {10} FROM {0} a ORDER BY at{7}, n LIMIT 9',
           'SELECT n, {6}, {10} FROM {0} a WHERE {1} ORDER BY {10}{7}, {6}, n LIMIT 9')


class Writer(Conditions):
    """Writes one random statement on a schema, as a pair."""

    def table(self):
        return self.rng.choice(list(self.schema.rows))

    def source(self):
        """Returns a table, or a sub-select into which conditions may be moved or not."""
        table, other, alias = self.table(), self.table(), self.alias()
        inside = self.condition([alias], 1)
        keys, query = 'k, id, id_v7, id_t, id_hex', f'SELECT {NAMES} FROM {table}'
        return both(self.pick(*[table] * 30, f'({query} {alias} WHERE {{0}})', f'({query} OFFSET 0)',
                              f'(SELECT DISTINCT {NAMES} FROM {table})',
                              f'(SELECT *, count(*) OVER (PARTITION BY {keys}) FROM {table})',
                              *[f'({query} {alias} WHERE {{0}} UNION ALL SELECT {NAMES} FROM {other})'] * 2,
                              f'({query} UNION ALL SELECT {NAMES} FROM {other} {alias} WHERE {{0}})',
                              f'({query} {alias} WHERE {{0}} ORDER BY {{1}}, n, {NAMES} LIMIT 9)',
                              f'({query} UNION SELECT {NAMES} FROM {other})'), inside, self.time_column(f'{alias}.id'))

    def join(self):
        """Returns a FROM clause of two tables, or of one and of bounds, and its aliases."""
        one, two = self.source(), self.source()
        kind, scope = self.pick('JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN'), ['a', 'b']
        form = self.pick('{0} a {3} {1} b ON a.k = b.k AND {2}', '{0} a {3} {1} b ON {4} AND {2}',
                         '{0} a {5} {1} b ON {2}', '{0} a {5} bounds x ON {6}', '{0} a {5} bounds x ON {6}',
                         'bounds x {5} {0} a ON {6}',
                         '{0} a {5} LATERAL (SELECT * FROM {1} q WHERE {7} ORDER BY {8}, q.n LIMIT 2) b ON {2}',
                         'bounds x CROSS JOIN {0} a',
                         *[f'{{0}} a {{5}} {table}_fk f ON f.ref = {{9}}' for table in self.schema.referenced])
        if ' b ' not in form:
            scope = ['a', 'x'] if ' x ' in form else ['a']
        order = self.pick(('q.id', 'q.id_hex'), self.time_column('q.id'))
        return both(form, one, two, self.condition(scope, 1), kind, ('a.id = b.ref', 'a.id_hex = b.ref_hex'),
                    self.pick('JOIN', 'LEFT JOIN'), self.atom(scope), self.condition(['q', 'a'], 1), order,
                    ('a.id', 'a.id_hex::uuid')), scope

    def joins(self):
        """Returns a FROM clause of up to five tables, and its aliases."""
        pair, scope = both('{0} a', self.source()), ['a']
        for new in 'bcde'[:self.pick(1, 1, 2, 2, 3, 4)]:
            old, kind = self.pick(*scope), self.pick('JOIN', 'JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN')
            near = f'abs({old}.n - {new}.n) < {self.pick(3, 9)}'
            times = [self.time_column(f'{name}.{self.pick("id", "id", "ref")}') for name in (old, new)]
            link = self.pick(f'{old}.n = {new}.n', f'{old}.k = {new}.k AND {new}.n < 9', f'{{0}} = {{1}} AND {near}',
                             f'{{1}} = {{0}} AND {near}', f'{{1}} >= {{0}} AND {{1}} < {{2}} AND {near}',
                             f'{{0}} BETWEEN {{1}} AND {{2}} AND {near}', f'{{0}} - {{1}} < {{3}} AND {near}',
                             '{4} = {5} AND {0} IS NOT NULL')
            on = both(link, *times, self.with_distance(times[0]), self.moved('interval', '1 day'),
                      (f'{old}.id', f'{old}.id_hex'), (f'{new}.ref', f'{new}.ref_hex'))
            if self.maybe(0.5):
                on = both('{0} AND {1}', on, self.condition([old, new], 1))
            pair = both(f'{{0}} {kind} {{1}} {new} ON {{2}}', pair, self.source(), on)
            scope.append(new)
        return pair, scope

    def select(self):
        """Returns a query of any shape, the number of rows of its table if it is of that alone, and if it orders."""
        form = self.pick('rows', 'rows', 'join', 'joins', 'joins', *['form'] * 6, *['computed'] * 8)
        if form == 'computed':
            # The least query in which a bound that is too narrow shows.
            table, self.plain = self.rng.choice(self.schema.local), self.maybe(0.7)
            return both('SELECT n, {0} FROM {1} a WHERE {2}', self.time_column('a.id'), table,
                        self.computed('a.id', ['a'])), len(self.schema.rows[table]), False
        if form != 'form':
            source, scope = getattr(self, form)() if form != 'rows' else (both('{0} a', self.source()), ['a'])
            shown = ', '.join(f'{name}.n' if name != 'x' else 'x.i' for name in scope)
            total = len(self.schema.rows.get(source[0][:-2], ()))
            query = 'SELECT {2} FROM {0} WHERE {1} ORDER BY {3}, {2} LIMIT 30' if self.maybe(0.3) else (
                'SELECT {2} FROM {0} WHERE {1}')
            time = self.time_column(f'{self.pick(*[name for name in scope if name != "x"])}.id')
            return both(query, source, self.where(scope), shown, time), total, 'ORDER BY' in query
        form = self.pick(*ROWS, *ORDERED)
        order = self.pick('', ' DESC') + self.pick('', ' NULLS FIRST', ' NULLS LAST')
        chain, having = self.chain(self.pick(1, 1, 2)), self.of_version_7('a.id', self.compared('a.id', ()))
        time, other = self.time_column('a.id'), self.time_column('a.ref')
        more = self.pick('k, ', '{0}, ', '{0} DESC NULLS LAST, ', '{1}, ', '{2}, k, ', 'k DESC, {2}, ', '{1} DESC, k, ')
        return both(form, self.source(), self.where(['a']), self.atom(['a']), ('a.id', 'a.id_hex'), having,
                    ('a.id', 'a.id_hex::uuid'), time, order,
                    both(more, computed(chain, time), ('a.id', 'a.id_hex'), other),
                    computed(chain, time), other), 0, form in ORDERED

    def write(self):
        """Returns an UPDATE, DELETE or MERGE, and a query for what it has written."""
        table = self.rng.choice(self.schema.writable)
        after, returned = f'SELECT n, w FROM {table}', self.time_column('a.id')
        if table in self.schema.mergeable and self.maybe(0.4):
            source = self.pick('(SELECT * FROM bounds WHERE i = 1) x', '(SELECT * FROM bounds ORDER BY i LIMIT 1) x')
            what = self.pick('UPDATE SET w = a.w + 1', 'DELETE', 'UPDATE SET w = a.n + 2')
            return both(f'MERGE INTO {table} a USING {source} ON {{0}} WHEN MATCHED AND {{1}} THEN {what} '
                        'WHEN MATCHED THEN DO NOTHING', self.where(['a', 'x']), self.atom(['a', 'x'])), after
        if self.maybe(0.4):
            where = self.where(['a', 'x'])
            delete = f'DELETE FROM {table} a USING bounds x WHERE {{0}} RETURNING a.n, {{1}}'
            update = f'UPDATE {table} a SET w = a.w + 1 FROM bounds x WHERE {{0}} RETURNING a.n, {{1}}'
            # A row of a foreign table is updated again if a scan for another row of the join sees the first update.
            return both(self.pick(update if table in self.schema.local else delete, delete), where, returned), after
        return both(self.pick(f'UPDATE {table} a SET w = a.w + 1 WHERE {{0}} RETURNING a.n, a.w, {{1}}',
                              f'DELETE FROM {table} a WHERE {{0}} RETURNING a.n, {{1}}',
                              f'WITH gone AS (DELETE FROM {table} a WHERE {{0}} RETURNING {{1}} AS at) '
                              'SELECT at FROM gone ORDER BY at'), self.where(['a']), returned), after

    def settings(self):
        chosen = ['enable_seqscan = off'] * self.maybe(0.75) + self.rng.sample(SETTINGS, self.rng.randint(0, 3))
        chosen += PARALLEL * self.maybe(0.02) + [f"timezone = '{self.pick(*self.schema.zones)}'"] * self.maybe(0.7)
        return chosen + [f"plan_cache_mode = force_{self.pick('generic', 'generic', 'custom')}_plan"]

    def where(self, scope):
        """Returns the condition of a query; most are plain, as an index can be searched by these only."""
        form = self.pick(*['any'] * 3, *['{0}'] * 6, *['{0} AND {1}', '({0} OR {1})'] * 2, '({0}) IS NULL', 'NOT ({0})')
        key = self.key(scope)
        return self.condition(scope) if form == 'any' else both(form, self.atom(scope, key), self.atom(scope, key))

    def statement(self):
        total, ordered, after = 0, False, ''
        if self.schema.writable and self.maybe(0.15):
            pair, after = self.write()
        else:
            pair, total, ordered = self.select()
        kinds = ', '.join(kind for kind, _ in self.parameters)
        values = ', '.join(value for _, value in self.parameters)
        prepared = (f'({kinds})', f'({values})') if kinds else None
        cursor, zone = not after and self.maybe(0.1), self.pick(*self.schema.zones)
        return Statement(*pair, prepared, total, self.settings(), ordered, cursor, zone, after)
