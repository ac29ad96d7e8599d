"""Random statements as pairs: with conditions on a key, and with the same ones on the columns beside it."""

import collections

from schemas import KEYS, NAMES, quote, time_text

SETTINGS = ([f'enable_{node}scan = off' for node in ('bitmap', 'bitmap', 'index', 'indexonly')] +
            [f'enable_{node} = off' for node in ('nestloop', 'hashjoin', 'mergejoin', 'material', 'memoize', 'sort',
                                                 'hashagg', 'partition_pruning')] +
            [f'enable_partitionwise_{node} = on' for node in ('join', 'aggregate')] +
            [f'constraint_exclusion = {value}' for value in ('on', 'off')] +
            ['from_collapse_limit = 1', 'join_collapse_limit = 1', 'random_page_cost = 0.1'])
PARALLEL = ['parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0',
            'min_parallel_index_scan_size = 0']

# total is the number of rows of the table if the statement is of that alone, else 0.
Statement = collections.namedtuple('Statement', 'id time prepared total settings')


def both(form, *parts):
    """Fills in a form for each side of a pair: the condition on the key, the one on the time. Text is for both."""
    return tuple(form.format(*(part if isinstance(part, str) else part[side] for part in parts)) for side in (0, 1))


class Writer:
    """Writes one random statement on a schema, as a pair."""

    def __init__(self, schema):
        self.schema, self.rng, self.pick, self.maybe = schema, schema.rng, schema.pick, schema.maybe
        self.parameters, self.aliases = [], 0
        self.may_prepare = self.maybe(0.35)

    # Values that a condition compares with, in all forms that the planner treats differently

    def moved(self, kind, text):
        """Returns a value as a constant, parameter, function or sub-select."""
        constant = f'{quote(text)}::{kind}'
        form = self.pick(*['{}'] * 3, 'parameter', 'parameter', 'stable({})', 'costly({})', 'changing({})',
                         '(SELECT {})')
        if form != 'parameter':
            return form.format(constant)
        if not self.may_prepare:
            return constant
        self.parameters.append((kind, quote(text)))
        return f'${len(self.parameters)}'

    def moment(self, us, scope):
        """Returns an expression for a time."""
        if 'x' in scope and self.maybe(0.6):
            return 'x.b'
        if us is not None and abs(us) < 10**18 and self.maybe(0.2):
            return f"(timestamptz '{time_text(us)}' + (now() - now()))"
        return self.moved('timestamptz', None if us is None else time_text(us))

    def other_moment(self, scope):
        """Returns an expression for a time that need not be in order with another one."""
        form = self.pick('date {}', 'timestamp {}', '(SELECT b FROM bounds WHERE i = {1})', '', '', '', '', '')
        us = self.schema.time()
        if not form or us is None:
            return self.moment(us, scope)
        text = time_text(us).split(' ')[0] if 'date' in form else time_text(us).split('+')[0]
        return form.format(quote(text), self.pick(0, 1, 2))

    def during(self, scope):
        """Returns an expression for a range."""
        if 'x' in scope and self.maybe(0.5):
            return 'x.r'
        form = self.pick('text', 'text', 'call', 'call', 'row', 'product', 'domain')
        if form == 'call':
            first, end = (self.moment(us, ()) for us in self.schema.two_times())
            return f"tstzrange({first}, {end}, '{self.pick('[)', '[)', '[]', '(]', '()')}')"
        if form == 'row':
            return f'(SELECT r FROM bounds WHERE i = {self.pick(0, 1, 2)})'
        if form == 'product':
            return f'({self.during(())} * {self.during(scope)})'
        text = self.schema.range_text() if self.maybe(0.97) else None
        return f'{quote(text)}::uuid_time_range' if form == 'domain' else self.moved('tstzrange', text)

    def ranges(self, scope):
        """Returns an expression for a multirange."""
        if 'x' in scope and self.maybe(0.5):
            return 'x.m'
        form = self.pick('text', 'text', 'call', 'row', 'difference')
        if form == 'call':
            one, two = (self.moved('tstzrange', self.schema.range_text()) for _ in range(2))
            return f'tstzmultirange({one}, {two})'
        if form == 'row':
            return f'(SELECT m FROM bounds WHERE i = {self.pick(0, 1, 2)})'
        if form == 'difference':
            return f'({self.ranges(())} - {self.ranges(scope)})'
        return self.moved('tstzmultirange', self.schema.ranges_text() if self.maybe(0.97) else None)

    # Conditions

    def compared(self, key, scope):
        operator = self.pick('<', '<=', '>=', '>')
        moment = self.other_moment(scope)
        return both(self.pick('{0} {1} {2}', '{0} {1} {2}', '{2} {1} {0}'), (key, f'{key}_t'), operator, moment)

    def key(self, scope):
        return f"{self.pick(*[name for name in scope if name != 'x'])}.{self.pick(*KEYS, 'id')}"

    def atom(self, scope, key=None):
        """Returns a condition on a key. The reference is `is of version 7 AND …`, and NULL for a NULL key."""
        key = key or self.key(scope)
        kind = self.pick(*['compared', 'range', 'range', 'ranges'] * 3, 'between', 'between', 'any', 'version',
                         'digits', 'prefix', 'null', 'number', *['column'] * 8)
        if kind == 'compared':
            return self.of_version_7(key, self.compared(key, scope))
        if kind in ('range', 'ranges'):
            during = self.during(scope) if kind == 'range' else self.ranges(scope)
            return self.of_version_7(key, both(self.pick('{0} <@ {1}', '{1} @> {0}'), (key, f'{key}_t'), during))
        return getattr(self, kind)(key, scope)

    @staticmethod
    def of_version_7(key, pair):
        # Not AND: from PostgreSQL 17 on, NULL is not in an empty range.
        return pair[0], f'CASE WHEN {key}_v7 IS NOT NULL THEN {key}_v7 AND {pair[1]} END'

    def meaning(self, key, operator, moment):
        """Returns the reference of a comparison with a time."""
        return self.of_version_7(key, ('', f'{key}_t {operator} {moment}'))[1]

    def between(self, key, scope):
        word, (one, two) = self.pick('', '', 'SYMMETRIC'), (self.other_moment(scope) for _ in range(2))
        orders = [(one, two), (two, one)] if word else [(one, two)]
        meant = ' OR '.join(f"{self.meaning(key, '>=', first)} AND {self.meaning(key, '<=', end)}"
                            for first, end in orders)
        return f'({key} BETWEEN {word} {one} AND {two})', f'({meant})'

    def any(self, key, scope):
        operator, (word, joined) = self.pick('<', '>='), self.pick(('ANY', ' OR '), ('ALL', ' AND '))
        ends = [self.moment(self.schema.time(), scope) for _ in range(self.pick(1, 2, 3))]
        meant = joined.join(self.meaning(key, operator, end) for end in ends)
        return f"{key} {operator} {word} (ARRAY[{', '.join(ends)}])", f'({meant})'

    def time_column(self, key):
        """Returns the time extracted from a key, as an expression that the planner may replace by the key."""
        return f'uuid_extract_v7_time({key})', f'{key}_t'

    def column(self, key, scope):
        """Returns a condition on an extracted time, and the same on the column beside it."""
        time = self.time_column(key)
        if self.maybe(0.15):
            operator, value = self.pick('<', '<=', '>', '>='), self.schema.make_key()
            moment = self.moment(self.schema.time(), scope)
            return (f'({time[0]}, {key}) {operator} ({moment}, {quote(value.text)}::uuid)',
                    f'({time[1]}, {key}_hex) {operator} ({moment}, {quote(value.hex)} COLLATE "C")')
        form = self.pick(*['{0} {1} {2}'] * 4, '{2} {1} {0}', '{0} BETWEEN {2} AND {3}', '{0} <@ {4}', '{4} @> {0}',
                         '{0} <@ {5}', '{0} IS NULL', '{0} IS NOT NULL', '{0} IN ({2}, {3})',
                         '({0} >= {2} AND {0} < {3})', '({0} < {2} OR {0} > {3})')
        pair = both(form, time, self.pick('<', '<=', '>=', '>', '=', '<>'), self.other_moment(scope),
                    self.other_moment(scope), self.during(scope) if '{4}' in form else '',
                    self.ranges(scope) if '{5}' in form else '')
        if self.maybe(0.25):
            # The test of the version proves that the function that reads all versions is the same here.
            pair = (f'(uuid_is_v7({key}) AND {pair[0].replace("_v7_time(", "_time(")})', f'({key}_v7 AND {pair[1]})')
        return pair

    def version(self, key, _):
        return f'uuid_is_v7({key})', f'{key}_v7'

    def digits(self, key, _):
        """Compares as UUIDs, by which the planner may prove or refute other conditions."""
        ms, operator = self.rng.choice(self.schema.pool), self.pick('<', '<=', '>=', '>', '=')
        digits = f'{ms:012x}{self.pick("70008000000000000000", "7fffbfffffffffffffff", "4" * 20, "0" * 20)}'
        return f"{key} {operator} '{digits}'::uuid", f"{key}_hex {operator} '{digits}'"

    def prefix(self, key, _):
        value = self.schema.make_key()
        digits = value.hex[:self.pick(0, 1, 8, 11, 12, 13, 17, 32)] if value.hex else None
        text = digits and self.pick(digits, digits.upper(), value.text[:9] if len(digits) == 8 else digits)
        operand = self.moved('text', text)
        return f'{key} ^@ {operand}', f"starts_with({key}_hex, lower(replace({operand}, '-', '')))"

    def null(self, key, _):
        word = self.pick('IS NULL', 'IS NOT NULL')
        return f'{key} {word}', f'{key}_hex {word}'

    def number(self, key, _):
        alias = key.split('.')[0]
        return both(alias + self.pick('.k = 0', '.k = 1', '.k = 4', '.n % 3 = 0', '.n < 20', f'.k < {alias}.n'))

    def condition(self, scope, depth=2):
        """Returns a condition with AND, OR, NOT and whatever else PostgreSQL has for truth values."""
        if depth == 0 or self.maybe(0.25):
            return self.atom(scope)
        one, two = (self.condition(scope, depth - 1) for _ in range(2))
        form = self.pick(*['{0} AND {1}'] * 3, *['({0} OR {1})'] * 2, 'NOT ({0})', 'NOT ({0} OR {1})', '({0}) IS NULL',
                         '({0}) IS NOT TRUE', '({0}) IS FALSE', '(({0}) IS NOT UNKNOWN AND {1})',
                         'CASE WHEN {0} THEN {1} ELSE {2} END', 'coalesce({0}, {1}, true)', '(({0}) = ({1}))',
                         '(({0}) IS DISTINCT FROM ({1}))', 'sub', 'sub', 'sub')
        if form == 'sub':
            return self.sub_select(scope, depth - 1)
        third = self.atom(scope) if '{2}' in form else ''
        return both('(' + form + ')', one, two, third)

    def sub_select(self, scope, depth):
        """Returns a semi-join, an anti-join or a correlated sub-select."""
        outer, inner = self.pick(*[name for name in scope if name != 'x']), self.alias()
        # Not of a foreign table, which is scanned again for each row of a join.
        table = self.rng.choice(self.schema.local)
        inside = self.condition([inner], depth)
        across = self.condition([inner, outer], 0)
        return both(self.pick(f'EXISTS (SELECT FROM {table} {inner} WHERE {inner}.k = {outer}.k AND {{0}} AND {{1}})',
                              f'NOT EXISTS (SELECT FROM {table} {inner} WHERE {inner}.n = {outer}.n AND {{0}})',
                              'EXISTS (SELECT FROM bounds x WHERE {2})',
                              f'{outer}.n IN (SELECT {inner}.n FROM {table} {inner} WHERE {{0}})',
                              f'{outer}.n NOT IN (SELECT {inner}.n FROM {table} {inner} WHERE {{0}})',
                              f'(SELECT count(*) FROM {table} {inner} WHERE {inner}.k = {outer}.k AND {{1}}) > 3'),
                    inside, across, self.atom([outer, 'x']))

    # Statements

    def alias(self):
        self.aliases += 1
        return f'q{self.aliases}'

    def table(self):
        return self.rng.choice(list(self.schema.rows))

    def source(self):
        """Returns a table, or a sub-select into which conditions may be moved or not."""
        table, other, alias = self.table(), self.table(), self.alias()
        inside = self.condition([alias], 1)
        keys, query = 'k, id, id_v7, id_t, id_hex', f'SELECT {NAMES} FROM {table}'
        return both(self.pick(*[table] * 14, f'({query} {alias} WHERE {{0}})', f'({query} OFFSET 0)',
                              f'(SELECT DISTINCT {NAMES} FROM {table})',
                              f'(SELECT *, count(*) OVER (PARTITION BY {keys}) FROM {table})',
                              f'({query} {alias} WHERE {{0}} UNION ALL SELECT {NAMES} FROM {other})',
                              f'({query} UNION SELECT {NAMES} FROM {other})'), inside)

    def join(self):
        """Returns a FROM clause and its aliases."""
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
        return both(form, one, two, self.condition(scope, 1), kind, ('a.id = b.ref', 'a.id_hex = b.ref_hex'),
                    self.pick('JOIN', 'LEFT JOIN'), self.atom(scope), self.condition(['q', 'a'], 1),
                    ('q.id', 'q.id_hex'), ('a.id', 'a.id_hex::uuid')), scope

    def select(self):
        """Returns a query of any shape, and the number of rows of its table if it is of that alone."""
        form = self.pick(*['rows', 'joined'] * 4, *['truth', 'ordered', 'by_time'] * 2, 'count', 'having', 'ends',
                         'ends_of_time', 'grouped')
        source, order = self.source(), self.pick('', ' DESC')
        if form in ('rows', 'joined'):
            source, scope = self.join() if form == 'joined' else (both('{0} a', source), ['a'])
            shown = ', '.join(f'{name}.n' if name != 'x' else 'x.i' for name in scope)
            total = len(self.schema.rows.get(source[0][:-2], ()))
            return both(f'SELECT {shown} FROM {{0}} WHERE {{1}}', source, self.where(scope)), total
        where = self.where(['a'])
        forms = {'truth': 'SELECT n, ({1}) FROM {0} a',
                 'count': 'SELECT count(*), min(n), sum(k), count(*) FILTER (WHERE {2}) FROM {0} a WHERE {1}',
                 'having': 'SELECT k, count(*), bool_or({2}) FROM {0} a GROUP BY k HAVING bool_and({1}) IS NOT TRUE',
                 'ordered': f'SELECT {{5}}, n FROM {{0}} a WHERE {{1}} ORDER BY {{3}}{order}, n '
                            f'LIMIT {self.pick(1, 5, 20)}',
                 'by_time': self.pick('SELECT {6} FROM {0} a WHERE {1} ORDER BY {6}{7} LIMIT 7',
                                      'SELECT {5} FROM {0} a WHERE {1} ORDER BY {6}{7}, {3}{7} LIMIT 7',
                                      'SELECT n, {6} FROM {0} a WHERE {1} ORDER BY {6}{7}, n LIMIT 7'),
                 'ends_of_time': 'SELECT min({6}), max({6}) FROM {0} a WHERE {1}',
                 'ends': 'SELECT min({3})::uuid, max({3})::uuid FROM {0} a WHERE {1}',
                 'grouped': 'SELECT {5}, count(*) FROM {0} a GROUP BY id, id_v7, id_t, id_hex HAVING {4}'}
        having = self.of_version_7('a.id', self.compared('a.id', ()))
        return both(forms[form], source, where, self.atom(['a']), ('a.id', 'a.id_hex'), having,
                    ('a.id', 'a.id_hex::uuid'), self.time_column('a.id'),
                    order + self.pick('', ' NULLS FIRST', ' NULLS LAST')), 0

    def write(self):
        """Returns an UPDATE or DELETE that returns rows."""
        table = self.rng.choice(self.schema.writable)
        if self.maybe(0.4):
            where = self.where(['a', 'x'])
            delete = f'DELETE FROM {table} a USING bounds x WHERE {{0}} RETURNING a.n'
            update = f'UPDATE {table} a SET w = a.w + 1 FROM bounds x WHERE {{0}} RETURNING a.n'
            # A row of a foreign table is updated again if a scan for another row of the join sees the first update.
            return both(self.pick(update if table in self.schema.local else delete, delete), where), 0
        where = self.where(['a'])
        return both(self.pick(f'UPDATE {table} a SET w = a.w + 1 WHERE {{0}} RETURNING a.n, a.w',
                              f'DELETE FROM {table} a WHERE {{0}} RETURNING a.n'), where), 0

    def settings(self):
        chosen = ['enable_seqscan = off'] * self.maybe(0.75) + self.rng.sample(SETTINGS, self.rng.randint(0, 3))
        chosen += PARALLEL * self.maybe(0.02)
        return chosen + [f"plan_cache_mode = force_{self.pick('generic', 'generic', 'custom')}_plan"]

    def where(self, scope):
        """Returns the condition of a query; most are plain, as an index can be searched by these only."""
        form = self.pick(*['any'] * 3, *['{0}', '{0}', '{0} AND {1}', '({0} OR {1})'] * 2, '({0}) IS NULL', 'NOT ({0})')
        key = self.key(scope)
        return self.condition(scope) if form == 'any' else both(form, self.atom(scope, key), self.atom(scope, key))

    def statement(self):
        pair, total = self.write() if self.schema.writable and self.maybe(0.15) else self.select()
        kinds = ', '.join(kind for kind, _ in self.parameters)
        values = ', '.join(value for _, value in self.parameters)
        prepared = (f'({kinds})', f'({values})') if kinds else None
        return Statement(*pair, prepared, total, self.settings())
