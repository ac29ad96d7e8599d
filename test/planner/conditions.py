"""Random values and conditions as pairs: on a key or a time column, and the same on the columns beside it."""

import collections
import re

from schemas import KEYS, SPELLINGS, ZONES, extractor, quote, time_text


def forms(text):
    """Returns the forms of a table, each as often as the number before it says. They are in lines, or have a semicolon
    between them; a line that is indented continues the last one. Conditions.fill() replaces the names in braces."""
    parts = re.split(r'\n|(?<!\\); ', text.replace('\n    ', ' ').strip())
    return [part[2] for part in (re.match(r'(?:(\d+) )?(.*)', part) for part in parts)
            for _ in range(int(part[1] or 1))]


UNITS = ['microseconds', 'milliseconds', 'second', 'minute', *['hour', 'day', 'day', 'week', 'month'] * 3, 'quarter',
         'year', 'decade', 'century', 'millennium']
INTERVALS = ['0', '1 day', '-1 day', '1 month', '-1 month', '1 year 2 mons -3 days 04:05:06.7', '36:00', '-100:00',
             '2500 years', '30 days', '-1 microsecond', '12:00', '7 days', '29 days 23:59:59.999']
# EST and IST are in other zones after SET timezone_abbreviations.
TIMES = {'unit': ('text', UNITS), 'zone': ('text', ZONES * 4 + ['EST', 'IST'] * 3 + ['Nowhere/None']),
         'interval': ('interval', INTERVALS),
         'format': ('text', [*['YYYY-MM', 'YYYY', 'yyyy-mm-dd'] * 2, 'Yyyy', 'YYYY-MM-DD HH24', 'IYYY-IW', 'DD']),
         'field': ('text', ['epoch', 'year', 'month', 'day', 'isoyear', 'week', 'dow']),
         'stride': ('interval', ['1 hour', '1 day', '15 min', '7 days', '00:00:00.001', '1000 days']),
         'days': ('int', ['0', '1', '-1', '30', '400', '0', '1', '-1', '30', '400', '200000000']),
         'offset': ('interval', ['05:30', '-167:00', '00:00'])}
# What is computed from a time of a type, and the type of the result.
LOCAL = [("date_trunc([unit], {0})", '')] * 3 + [
    ("({0} + [interval])", ''), ("({0} - [interval])", ''), ('{0}::date', 'date'), ('{0}::date', 'date'),
    ("date_bin([stride], {0}, [moment])", ''), ("date_bin([stride], {0}, (SELECT NULL::{1}))", ''),
    ('extract(epoch FROM {0})', 'numeric'),
    *[('extract(year FROM {0})', 'numeric'), ("to_char({0}, [format])", 'text')] * 3,
    ("date_part([field], {0})", 'float8'),
    ('([moment] - {0})', 'interval'), ('({0} - [moment])', 'interval'), ('{0}::{1}(6)', ''), ('{0}::a_{1}', '')]
STEPS = {'timestamptz': LOCAL + [("date_trunc([unit], {0}, [zone])", '')] * 2 + [
             ('({0} AT TIME ZONE [zone])', 'timestamp'), ('({0} AT TIME ZONE [zone])', 'timestamp'),
             ('({0} AT TIME ZONE [offset])', 'timestamp'), ('{0}::timestamp', 'timestamp'),
             ('{0}::timestamptz(0)', '')],
         'timestamp': LOCAL + [('({0} AT TIME ZONE [zone])', 'timestamptz'), ('{0}::timestamptz', 'timestamptz')],
         'date': [('({0} + [days])', ''), ('({0} - [days])', ''), ('{0}::timestamp', 'timestamp'),
                  ('{0}::timestamptz', 'timestamptz'), ('({0} + [interval])', 'timestamp'),
                  ('date_trunc([unit], {0})', 'timestamptz'), ("({0} - date '2020-02-29')", 'int'),
                  ('{0}::a_date', '')],
         'interval': [*[('extract(epoch FROM {0})', 'numeric'), ("date_part('epoch', {0})", 'float8')] * 2,
                      ('({0} + [interval])', ''), ('(-{0})', '')],
         'numeric': [('{0}::a_numeric', '')], 'float8': [], 'int': [],
         'text': [('({0} COLLATE "C")', ''), ('{0}::varchar', '')]}
# A time of a joined row, whose cost depends on an array.
OF_ARRAY = "CASE WHEN '1' = ANY (string_to_array(x.i::text, '')) THEN x.b ELSE x.b - interval '1 day' END"
ALIKE = {**dict.fromkeys(['timestamptz', 'timestamp', 'date'], ['timestamptz', 'timestamp', 'date']),
         **dict.fromkeys(['numeric', 'float8', 'int'], ['numeric', 'float8', 'float4']), 'interval': ['interval'],
         'text': ['text']}
EXTREMES = {'timestamptz': ['infinity', '-infinity', '4714-11-24 00:00Z BC', '0044-03-15 BC', '294276-12-31 23:59Z'],
            'timestamp': ['infinity', '-infinity', '4714-11-24 00:00 BC', '0044-03-15 BC', '294276-12-31 23:59:59.9'],
            'date': ['infinity', '-infinity', '4714-11-24 BC', '0044-03-15 BC', '294277-01-01', '5874897-12-31'],
            'interval': ['0', '178000000 years', '-178000000 years', '1 day', '-1 day'],
            'numeric': ['0', '-1e20', '1e20', 'NaN'], 'float8': ['0', '-1e300', 'Infinity', 'NaN'],
            'float4': ['0', '-1e30', '60', 'NaN'],
            'int': ['0', '-2147483648', '2147483647'], 'text': ['', '2026-03', 'z', '1146894', '11468944-0']}
SPELLINGS_OF = {'timestamptz': ('z', 'z', 'z3', 'z6', 'za', 'p', 'p', 'p4'),
                'timestamp': ('u', 'u6', 'ua', 'pu'), 'precise': ('p',), 'date': ('d', 'da')}
BOUNDS = {'timestamptz': 'x.b', 'timestamp': 'x.u', 'date': 'x.d'}  # times of the table of bounds

# Comparisons of what is computed from a time with values in order, and with the key beside both.
PLAIN = '{left} {operator} {one}'
COMPARISONS = forms('''
4 {left} {operator} {one}; {one} {operator} {left}; {left} BETWEEN {one} AND {two}; {left} NOT BETWEEN {one} AND {two}
({left} >= {one} AND {left} < {two}); ({left} < {one} OR {left} > {two}); NOT {left} {operator} {one}
{left} IN ({one}, {two}); {left} NOT IN ({one}, {two}); coalesce({left}, {two}) {operator} {one}
{left} {operator} ANY (ARRAY[{one}, {two}]); {left} {operator} ALL (ARRAY[{one}, {two}]); 3 {left} = ANY ({list})
{left} IS DISTINCT FROM {one}; {left} IS NOT DISTINCT FROM {one}; ({left} {operator} {one} OR {left} IS NULL)
({left} {less} {one} OR ({left} = {one} AND {key} {less} {id})); 2 ({left}, {key}) {less} ({one}, {id})
({left} {less}= {one} AND ({left} {less} {one} OR {key} {less} {id}))
({k}, {left}) {less} ({few}, {one}); ({k}, {left}) {less}= ({few}, {one}); ({few}, {one}) {less} ({k}, {left})
2 ({k}, {left}, {key}) {less} ({few}, {one}, {id}); ({w}, {k}, {left}, {key}) {less}= (0, {few}, {one}, {id})
''')
NULLS = forms('''
3 {left} IS NULL; {left} IS NOT NULL; {left} IS NOT DISTINCT FROM NULL; NOT ({left} IS NOT NULL)
({left} {operator} {one} OR {left} IS NULL); ({left} {operator} {one}) IS NOT TRUE
''')
IN_RANGES = forms('{left} <@ {during}; {during} @> {left}; {left} <@ {ranges}')
# Conditions of others, with their scope.
LOGIC = forms('''
3 ({one} AND {two}); 2 ({one} OR {two}); NOT ({one}); NOT ({one} OR {two}); ({one}) IS NULL; ({one}) IS NOT TRUE
({one}) IS FALSE; (({one}) IS NOT UNKNOWN AND {two}); CASE WHEN {one} THEN {two} ELSE {one} END
coalesce({one}, {two}, true); (({one}) = ({two})); (({one}) IS DISTINCT FROM ({two})); 3 sub-select
''')
# Semi-joins, anti-joins and correlated sub-selects: of {inner} below {outer}.
SUB_SELECTS = forms('''
EXISTS (SELECT FROM {inner} WHERE i.k = {outer}.k AND {inside} AND {across})
EXISTS (SELECT FROM {inner} WHERE {across}); NOT EXISTS (SELECT FROM {inner} WHERE i.n = {outer}.n AND {inside})
EXISTS (SELECT FROM bounds x WHERE {bound}); NOT EXISTS (SELECT FROM {inner} WHERE {across} AND i.n < 9)
{outer}.n IN (SELECT i.n FROM {inner} WHERE {inside}); EXISTS (SELECT FROM {inner} WHERE {theirs} = {ours})
NOT EXISTS (SELECT FROM {inner} WHERE {theirs} = {ours})
{ours} IN (SELECT {theirs} FROM {inner} WHERE {inside}); {outer}.n NOT IN (SELECT i.n FROM {inner} WHERE {inside})
(SELECT count(*) FROM {inner} WHERE i.k = {outer}.k AND {across}) > 3
(SELECT max({theirs}) FROM {inner} WHERE {across}) > {ours}; {ours} = (SELECT max({theirs}) FROM {inner})
({outer}.k, {ours}) IN (SELECT i.k, max({theirs}) FROM {inner} WHERE {inside} GROUP BY i.k)
2 {ours} IN (SELECT b FROM bounds); {outer}.n < 30 AND {ours} = ANY (SELECT u FROM bounds)
''')

# What is computed from a time: the form, whose {0} is the time; its constants as (type, text); the types of the time
# and of the result.
Chain = collections.namedtuple('Chain', 'form constants time kind')


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
        self.in_order = False  # what it computes from a time should be in the order of an index
        self.plain = False  # mostly constants, and forms that an index can serve
        self.without_columns = ''  # the alias of a table that has no time columns

    def fill(self, form, **given):
        """Returns the pair of a form. {NAME ARGUMENT ...} stands for a given value, or for what the method NAME
        returns, once for each spelling: {time a} is the same all over a form, and {time2 a} is another one."""
        values = {}
        for text in re.findall(r'{([^}]*)}', form):
            name, *arguments = text.split()
            if text not in values:
                value = given[name] if name in given else getattr(self, name.rstrip('23'))
                value = value(*arguments) if callable(value) else value
                values[text] = (value, value) if isinstance(value, str) else value
        return tuple(re.sub(r'{([^}]*)}', lambda match, i=i: values[match[1]][i], form) for i in (0, 1))

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
            return self.pick('x.b', 'x.b', 'x.b', f'({OF_ARRAY})')
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
            return self.pick('x.r', 'x.r', 'x.r', f'tstzrange({OF_ARRAY}, NULL)')
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

    def atom(self, *scope, key=None):
        """Returns a condition on a key."""
        key = key or self.key(scope)
        kind = self.pick('compared', 'range', 'between', 'between', 'any', 'version', 'digits', 'prefix',
                         'null', 'number', *['column'] * 5, *['computed'] * 8)
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
        return both(alias + self.pick('.k = 0', '.k = 1', '.k = 4', '.n % 3 = 0', '.n < 20', f'.k < {alias}.n',
                                      ' IS NULL', ' IS NOT NULL'))

    # Conditions on a time column, and on what is computed from it

    def spelled(self, key, kind=None):
        """Returns the type of a time column, and a spelling of it, which the planner may replace by the key."""
        end = self.pick(*SPELLINGS_OF[kind]) if kind else self.pick('z', 'z', 'p', *SPELLINGS)
        kind, form = SPELLINGS[end]
        call = form.format(f'{extractor(end)}({key})')
        names = [f'{key}_{end}'] * (5 if key.split('.')[0] != self.without_columns else 0)
        meant = form.format(f'{key}_{"m" if end[0] == "p" else "t"}')
        return kind.split('(')[0].removeprefix('a_'), (self.pick(*names, call, call, f'{call}::{kind}', meant), meant)

    def time(self, alias, name='id'):
        return self.spelled(f'{alias}.{name}')[1]

    def chain(self, length, kind='timestamptz'):
        """Returns a computation of some steps from a time of a type."""
        form, constants, time = '{0}', [], kind
        for _ in range(length):
            if not STEPS[kind]:
                break
            step, result = self.pick(*STEPS[kind])
            form = step.replace('{1}', kind).replace('{0}', form)
            while '[' in form:
                name = form[form.index('[') + 1:form.index(']')]
                constant = self.constant(name, kind)
                constants.append(constant)
                form = form.replace(f'[{name}]', f'{{{len(constants)}}}', 1)
            kind = result or kind
        return Chain(form, constants, time, kind)

    def constant(self, name, kind):
        """Returns the type and the text of a constant in a chain."""
        if name == 'moment':
            return kind, time_text(self.rng.choice(self.schema.pool) * 1000).split('+')[0] + '+00'
        if name == 'zone' and self.in_order and self.schema.zone in self.schema.zones and self.maybe(0.7):
            return 'text', self.schema.zone
        return TIMES[name][0], self.pick(*TIMES[name][1])

    def value(self, chain, scope, key, us, kind):
        """Returns what a computed time is compared with: the same of another time, or an extreme of a type."""
        others = [alias for alias in scope if alias not in ('x', key.split('.')[0])]
        if others and self.maybe(0.5):
            same = kind == chain.kind and (chain.constants or self.maybe(0.5))
            value = computed(chain, self.spelled(self.key(others), chain.time)[1]) if same or (
                kind not in SPELLINGS_OF) else self.spelled(self.key(others), kind)[1]
            return self.with_distance(value) if kind == 'timestamptz' else value
        if 'x' in scope and self.maybe(0.6):
            return computed(chain, BOUNDS[chain.time]) if kind == chain.kind else BOUNDS.get(kind, f'NULL::{kind}')
        if self.maybe(0.1):
            return self.moved(kind, self.pick(*EXTREMES[kind], None))
        if us is None:
            return self.moved(kind, None)
        value = computed(chain, f"{chain.time} '{time_text(us)}'")
        return self.moved_value(kind, value if kind == chain.kind else f'({value})::{kind}')

    def with_distance(self, time):
        interval = self.moved('interval', self.pick(*INTERVALS)) if self.maybe(0.5) else ''
        return both(self.pick('({0} + {1})', '({0} - {1})') if interval else '{0}', time, interval)

    def column(self, key, scope):
        return self.computed(key, scope, 0)

    def computed(self, key, scope, length=None, choices=()):
        """Returns a condition on what is computed from an extracted time, and the same on the column beside it."""
        kind, time = self.spelled(key)
        chain = self.chain(self.pick(1, 1, 1, 2, 2, 3) if length is None else length, kind)
        left = computed(chain, time, [self.moved(kind, text) if self.maybe(0.2) else f'{quote(text)}::{kind}'
                                      for kind, text in chain.constants])
        form = PLAIN if self.plain and self.maybe(0.6) else self.pick(*choices or (
            COMPARISONS + NULLS + IN_RANGES * (chain.kind == 'timestamptz')))
        # PostgreSQL converts what is in a list, and dates that are out of range are an error.
        alike = ' IN ' in form or 'coalesce' in form or ('ARRAY' in form and len(scope) > 1)
        if 'list' in form and chain.kind not in BOUNDS:
            form = PLAIN
        kind = chain.kind if alike else self.pick(chain.kind, chain.kind, *ALIKE[chain.kind])
        one, two = (self.value(chain, scope, key, us, kind) for us in self.schema.two_times())
        id_ = self.schema.make_key()
        pair = self.fill(form, left=left, one=one, two=two, operator=self.pick('<', '<=', '>', '>=', '=', '=', '<>'),
                         less=self.pick('<', '>'), key=(key, f'{key}_hex'),
                         list=lambda: self.list(kind), few=lambda: self.moved('int', self.pick(*range(5))),
                         k=key.split('.')[0] + '.k', w=key.split('.')[0] + '.w',
                         id=(f'{quote(id_.text)}::uuid', f'{quote(id_.hex)} COLLATE "C"'),
                         during=lambda: self.during(scope), ranges=lambda: self.ranges(scope))
        if not choices and self.maybe(0.25):
            # The test of the version proves that a function that reads other versions, too, is the same here.
            other = self.pick(*self.schema.extracts)
            pair = (f'(uuid_is_v7({key}) AND {pair[0].replace("uuid_extract_v7_time(" + key, other + "(" + key)})',
                    f'({key}_v7 AND {pair[1]})')
        return pair

    def list(self, kind):
        """Returns an array of times or dates, some of which are too long for a condition on each."""
        times = [self.schema.time() for _ in range(self.pick(0, 1, 2, 3, 250))]
        texts = ['NULL' if us is None else f'"{time_text(us)}"' for us in times]
        return self.moved(f'{self.pick(kind, *ALIKE[kind])}[]', f"{{{','.join(texts)}}}")

    def nulls(self, *scope):
        """Returns a condition that is true for a time that is NULL, as that of a row without partner is."""
        name = self.pick(*[name for name in scope if name != 'x'])
        return self.computed(f'{name}.id', scope, self.pick(0, 0, 0, 1), NULLS)

    def condition(self, *scope, depth=2):
        """Returns a condition with AND, OR, NOT and whatever else PostgreSQL has for truth values."""
        if depth == 0 or self.maybe(0.25):
            return self.atom(*scope)
        form, less = self.pick(*LOGIC), depth - 1
        if form == 'sub-select':
            return self.sub_select(scope, less)
        return self.fill(form, one=self.condition(*scope, depth=less), two=lambda: self.condition(*scope, depth=less))

    def sub_select(self, scope, depth):
        """Returns a semi-join, an anti-join or a correlated sub-select."""
        outer, inner = self.pick(*[name for name in scope if name != 'x']), self.alias()
        kind, ours = self.spelled(f'{outer}.id')
        # Not of a foreign table, which is scanned again for each row of a join.
        table = self.relation(self.rng.choice(self.schema.local))
        return self.fill(self.pick(*SUB_SELECTS).replace(' i.', f' {inner}.'), outer=outer, inner=f'{table} {inner}',
                         ours=ours, theirs=lambda: self.spelled(f'{inner}.id', self.pick(kind, 'timestamptz'))[1],
                         inside=lambda: self.condition(inner, depth=depth), bound=lambda: self.atom(outer, 'x'),
                         across=lambda: self.condition(inner, outer, depth=0))

    def relation(self, table):
        """Returns a relation that has a table's columns and time columns: the table or a view."""
        return self.pick(table, table, f'{table}_v') if self.schema.generated[table] else f'{table}_v'

    def alias(self):
        self.aliases += 1
        return f'q{self.aliases}'
