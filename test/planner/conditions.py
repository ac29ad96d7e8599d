"""Random values and conditions as pairs: on a key, and the same on the columns beside it."""

import collections

from schemas import KEYS, ZONES, quote, time_text

UNITS = ['microseconds', 'milliseconds', 'second', 'minute', *['hour', 'day', 'day', 'week', 'month'] * 3, 'quarter',
         'year', 'decade', 'century', 'millennium']
INTERVALS = ['0', '1 day', '-1 day', '1 month', '-1 month', '1 year 2 mons -3 days 04:05:06.7', '36:00', '-100:00',
             '30 days', '-1 microsecond', '12:00', '7 days', '29 days 23:59:59.999']
TIMES = {'unit': ('text', UNITS), 'zone': ('text', ZONES), 'interval': ('interval', INTERVALS),
         'stride': ('interval', ['1 hour', '1 day', '15 min', '7 days', '00:00:00.001', '1000 days']),
         'days': ('int', ['0', '1', '-1', '30', '400']), 'offset': ('interval', ['05:30', '-167:00', '00:00'])}
# What is computed from a time of a type, and the type of the result.
LOCAL = [("date_trunc([unit], {0})", ''), ("({0} + [interval])", ''), ("({0} - [interval])", ''), ('{0}::date', 'date'),
         ("date_bin([stride], {0}, [moment])", ''), ('extract(epoch FROM {0})', 'numeric'),
         ("date_part('epoch', {0})", 'float8'), ('([moment] - {0})', 'interval'), ('({0} - [moment])', 'interval')]
STEPS = {'timestamptz': LOCAL + [("date_trunc([unit], {0}, [zone])", ''), ('({0} AT TIME ZONE [zone])', 'timestamp'),
                                 ('({0} AT TIME ZONE [offset])', 'timestamp'), ('{0}::timestamp', 'timestamp'),
                                 ('{0}::date', 'date'), ('{0}::timestamptz(0)', '')],
         'timestamp': LOCAL + [('({0} AT TIME ZONE [zone])', 'timestamptz'), ('{0}::timestamptz', 'timestamptz')],
         'date': [('({0} + [days])', ''), ('({0} - [days])', ''), ('{0}::timestamp', 'timestamp'),
                  ('{0}::timestamptz', 'timestamptz'), ('({0} + [interval])', 'timestamp'),
                  ('date_trunc([unit], {0})', 'timestamptz'), ("({0} - date '2020-02-29')", 'int')],
         'interval': [('extract(epoch FROM {0})', 'numeric'), ('({0} + [interval])', ''), ('(-{0})', '')],
         'numeric': [], 'float8': [], 'int': []}
ALIKE = {**dict.fromkeys(['timestamptz', 'timestamp', 'date'], ['timestamptz', 'timestamp', 'date']),
         **dict.fromkeys(['numeric', 'float8', 'int'], ['numeric', 'float8', 'numeric']), 'interval': ['interval']}
EXTREMES = {'timestamptz': ['infinity', '-infinity', '4714-11-24 00:00Z BC', '0044-03-15 BC', '294276-12-31 23:59Z'],
            'timestamp': ['infinity', '-infinity', '4714-11-24 00:00 BC', '0044-03-15 BC', '294276-12-31 23:59:59.9'],
            'date': ['infinity', '-infinity', '4714-11-24 BC', '0044-03-15 BC', '294277-01-01', '5874897-12-31'],
            'interval': ['0', '178000000 years', '-178000000 years', '1 day', '-1 day'],
            'numeric': ['0', '-1e20', '1e20', 'NaN'], 'float8': ['0', '-1e300', 'Infinity', 'NaN'],
            'int': ['0', '-2147483648', '2147483647']}

# What is computed from a time: the form, whose {0} is the time; its constants as (type, text); the type of the result.
Chain = collections.namedtuple('Chain', 'form constants kind')


def both(form, *parts):
    """Fills in a form for each side of a pair: the condition on the key, the one on the time. Text is for both."""
    return tuple(form.format(*(part if isinstance(part, str) else part[side] for part in parts)) for side in (0, 1))


def computed(chain, time, values=None):
    """Returns what is computed from a time, or a pair of both, by constants or by the values that stand for them."""
    values = values or [f'{quote(text)}::{kind}' for kind, text in chain.constants]
    return chain.form.format(time, *values) if isinstance(time, str) else both(chain.form, time, *values)


class Conditions:
    """Writes random conditions on a schema."""

    def __init__(self, schema):
        self.schema, self.rng, self.pick, self.maybe = schema, schema.rng, schema.pick, schema.maybe
        self.parameters, self.aliases = [], 0
        self.may_prepare = self.maybe(0.35)
        self.plain = False  # mostly constants, and forms that an index can serve

    # Values that a condition compares with, in all forms that the planner treats differently

    def moved(self, kind, text):
        """Returns a value as a constant, parameter, function or sub-select."""
        return self.moved_value(kind, f'{quote(text)}::{kind}')

    def moved_value(self, kind, value):
        form = self.pick(*['{}'] * (30 if self.plain else 3), 'parameter', 'parameter', 'stable({})', 'costly({})',
                         'changing({})', '(SELECT {})')
        if form != 'parameter':
            return form.format(value)
        if not self.may_prepare:
            return value
        self.parameters.append((kind, value))
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

    # Conditions on a key itself. The reference is `is of version 7 AND …`, and NULL for a NULL key.

    def compared(self, key, scope):
        operator = self.pick('<', '<=', '>=', '>')
        moment = self.other_moment(scope)
        return both(self.pick('{0} {1} {2}', '{0} {1} {2}', '{2} {1} {0}'), (key, f'{key}_t'), operator, moment)

    def key(self, scope):
        return f"{self.pick(*[name for name in scope if name != 'x'])}.{self.pick(*KEYS, 'id')}"

    def atom(self, scope, key=None):
        """Returns a condition on a key."""
        key = key or self.key(scope)
        kind = self.pick('compared', 'range', 'between', 'between', 'any', 'version', 'digits', 'prefix',
                         'null', 'number', *['column'] * 4, *['computed'] * 8)
        if kind == 'compared':
            return self.of_version_7(key, self.compared(key, scope))
        if kind == 'range':
            return self.of_version_7(key, both(self.pick('{0} <@ {1}', '{1} @> {0}'), (key, f'{key}_t'),
                                               self.during(scope)))
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

    # Conditions on the time column, and on what is computed from it

    def time_column(self, key):
        """Returns the time extracted from a key, as an expression that the planner may replace by the key."""
        return f'uuid_extract_v7_time({key})', f'{key}_t'

    def chain(self, length):
        """Returns a computation of some steps."""
        form, constants, kind = '{0}', [], 'timestamptz'
        for _ in range(length):
            if not STEPS[kind]:
                break
            step, result = self.pick(*STEPS[kind])
            form = step.replace('{0}', form)
            while '[' in form:
                name = form[form.index('[') + 1:form.index(']')]
                constant = self.constant(name, kind)
                constants.append(constant)
                form = form.replace(f'[{name}]', f'{{{len(constants)}}}', 1)
            kind = result or kind
        return Chain(form, constants, kind)

    def constant(self, name, kind):
        """Returns the type and the text of a constant in a chain."""
        if name == 'moment':
            return kind, time_text(self.rng.choice(self.schema.pool) * 1000).split('+')[0] + '+00'
        return TIMES[name][0], self.pick(*TIMES[name][1])

    def value(self, chain, scope, key, us, kind):
        """Returns what a computed time is compared with: the same of another time, or an extreme of a type."""
        others = [alias for alias in scope if alias not in ('x', key.split('.')[0])]
        if others and self.maybe(0.5):
            value = computed(chain, self.time_column(self.key(others)))
            return self.with_distance(value) if chain.kind == 'timestamptz' else value
        if 'x' in scope and self.maybe(0.6):
            return computed(chain, 'x.b')
        if self.maybe(0.1):
            return self.moved(kind, self.pick(*EXTREMES[kind], None))
        if us is None:
            return self.moved(kind, None)
        value = computed(chain, f"timestamptz '{time_text(us)}'")
        return self.moved_value(kind, value if kind == chain.kind else f'({value})::{kind}')

    def with_distance(self, time):
        interval = self.moved('interval', self.pick(*INTERVALS)) if self.maybe(0.5) else ''
        return both(self.pick('({0} + {1})', '({0} - {1})') if interval else '{0}', time, interval)

    def column(self, key, scope):
        return self.computed(key, scope, 0)

    def computed(self, key, scope, length=None):
        """Returns a condition on what is computed from an extracted time, and the same on the column beside it."""
        time, chain = self.time_column(key), self.chain(self.pick(1, 1, 1, 2, 2, 3) if length is None else length)
        id_ = self.schema.make_key()
        ids = (f'{key} {{0}} {quote(id_.text)}::uuid', f'{key}_hex {{0}} {quote(id_.hex)} COLLATE "C"')
        left = computed(chain, time, [self.moved(kind, text) if self.maybe(0.2) else f'{quote(text)}::{kind}'
                                      for kind, text in chain.constants])
        operator, less = self.pick('<', '<=', '>', '>=', '=', '=', '<>'), self.pick('<', '>')
        page = [part.format(less) for part in ids]
        form = self.pick(*['{0} {1} {2}'] * (40 if self.plain else 4), '{2} {1} {0}', '{0} BETWEEN {2} AND {3}',
                         '{0} NOT BETWEEN {2} AND {3}', '({0} >= {2} AND {0} < {3})', '({0} < {2} OR {0} > {3})',
                         '{0} IN ({2}, {3})', '{0} NOT IN ({2}, {3})', '{0} {1} ANY (ARRAY[{2}, {3}])',
                         '{0} {1} ALL (ARRAY[{2}, {3}])', '{0} IS NULL', '{0} IS NOT NULL',
                         '({0} {1} {2} OR {0} IS NULL)', 'NOT {0} {1} {2}',
                         '{0} IS DISTINCT FROM {2}', '({0} {5} {2} OR ({0} = {2} AND {4}))',
                         '({0} {5}= {2} AND ({0} {5} {2} OR {4}))', *['({6}) {5} ({7})'] * 2,
                         *['{0} <@ {8}', '{8} @> {0}', '{0} <@ {9}'] * (chain.kind == 'timestamptz'))
        # PostgreSQL converts what is in a list, and dates that are out of range are an error.
        alike = ' IN ' in form or ('ARRAY' in form and len(scope) > 1)
        kind = chain.kind if alike else self.pick(chain.kind, chain.kind, *ALIKE[chain.kind])
        one, two = (self.value(chain, scope, key, us, kind) for us in self.schema.two_times())
        rows = both('{0}, {1}', left, (key, f'{key}_hex')), both('{0}, {1}', two, (
            f'{quote(id_.text)}::uuid', f'{quote(id_.hex)} COLLATE "C"'))
        pair = both(form, left, operator, one, two, page, less, *rows, self.during(scope) if '{8}' in form else '',
                    self.ranges(scope) if '{9}' in form else '')
        if self.maybe(0.25):
            # The test of the version proves that a function that reads other versions, too, is the same here.
            other = self.pick(*self.schema.extracts)
            pair = (f'(uuid_is_v7({key}) AND {pair[0].replace("uuid_extract_v7_time(" + key, other + "(" + key)})',
                    f'({key}_v7 AND {pair[1]})')
        return pair

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
        inside, across = self.condition([inner], depth), self.condition([inner, outer], 0)
        return both(self.pick(f'EXISTS (SELECT FROM {table} {inner} WHERE {inner}.k = {outer}.k AND {{0}} AND {{1}})',
                              f'EXISTS (SELECT FROM {table} {inner} WHERE {{1}})',
                              f'NOT EXISTS (SELECT FROM {table} {inner} WHERE {inner}.n = {outer}.n AND {{0}})',
                              f'NOT EXISTS (SELECT FROM {table} {inner} WHERE {{1}} AND {inner}.n < 9)',
                              'EXISTS (SELECT FROM bounds x WHERE {2})',
                              f'{{3}} IN (SELECT {{4}} FROM {table} {inner} WHERE {{0}})',
                              f'{outer}.n IN (SELECT {inner}.n FROM {table} {inner} WHERE {{0}})',
                              f'{outer}.n NOT IN (SELECT {inner}.n FROM {table} {inner} WHERE {{0}})',
                              f'(SELECT count(*) FROM {table} {inner} WHERE {inner}.k = {outer}.k AND {{1}}) > 3',
                              f'(SELECT max({{4}}) FROM {table} {inner} WHERE {{1}}) > {{3}}'),
                    inside, across, self.atom([outer, 'x']), self.time_column(f'{outer}.id'),
                    self.time_column(f'{inner}.id'))

    def alias(self):
        self.aliases += 1
        return f'q{self.aliases}'
