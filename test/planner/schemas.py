"""Random schemas: tables of all kinds that the planner treats differently, with keys of all versions. The keys
are made here, from bits, and their times, versions and digits are stored beside them."""

import collections
import datetime
import random

# Odd ones, and some of a form that only PostgreSQL has, up to 167 hours from UTC.
NEAR_ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Pacific/Kwajalein', 'Australia/Lord_Howe',
              'America/Scoresbysund', 'Africa/Casablanca', 'Pacific/Chatham', 'Antarctica/Troll', 'Antarctica/Casey',
              'America/Goose_Bay', '<A>-99', '<A>3<B>,M3.5.0/-50,M10.5.0/60', 'XXX3YYY,M3.2.0/0:01,M11.1.0/0:01']
ZONES = NEAR_ZONES + ['<A>-100', '<A>100', '<A>-167:59', '<A>167:59', '<A>100<B>-167,J60/0,J300/0',
                      '<A>-167<B>100,J60/0,J300/0']
# When some of these change, and in milliseconds; in some of them, a day begins twice.
CHANGES = {
    '2011-12-30 10:00': 'Pacific/Apia', '1993-08-21 12:00': 'Pacific/Kwajalein',
    '2026-04-04 15:00': 'Australia/Lord_Howe',
    '2025-10-04 15:30': 'Australia/Lord_Howe', '2024-03-31 01:00': 'Europe/Berlin',
    '2026-02-15 02:00': 'Africa/Casablanca', '2026-03-22 02:00': 'Africa/Casablanca',
    '2026-04-04 14:00': 'Pacific/Chatham', '2026-03-29 01:00': 'Antarctica/Troll', '2026-03-05 04:00': ZONES[-2],
    '2026-10-20 01:00': ZONES[-2], '2009-11-01 02:31': 'America/St_Johns', '2010-03-04 15:00': 'Antarctica/Casey',
    '2025-10-26 01:00': 'Europe/Berlin', '2009-11-01 03:01': 'America/Goose_Bay',
    '2026-11-01 02:01': NEAR_ZONES[-1], '2026-03-08 03:01': NEAR_ZONES[-1]}
ZONE_AT = {int(datetime.datetime.fromisoformat(f'{text}+00:00').timestamp() * 1000): zone
           for text, zone in CHANGES.items()}
DAY = 86_400_000_000
# Constraints of ordinary time columns: {c} is the column and {f} the extracted time, {lo} and {hi} are tolerances. The
# last two let no key of another version in.
EQUAL = ['{c} = {f}', '{f} = {c}', '{c} = {f} AND {c} <= {f}', '{c} >= {f} AND {c} <= {f}',
         '{c} IS NOT DISTINCT FROM {f}', '({c} = {f}) IS TRUE']
NEAR = ['{c} >= {f} - {lo} AND {c} <= {f} + {hi}', '{c} BETWEEN {f} - {lo} AND {f} + {hi}',
        '{f} - {lo} <= {c} AND {hi} + {f} >= {c}', '{c} >= {f} - {lo}) CONSTRAINT {c}_too CHECK ({c} <= {f} + {hi}',
        '{f} BETWEEN {c} - {hi} AND {c} + {lo}',
        "{c} > {f} - {lo} - interval '1 us' AND {c} < {f} + {hi} + interval '1 us'"]
LAST_MS = 2**48 - 1
KEYS = ('id', 'ref')
BY_TIME = 'uuid_extract_v7_time(id)'
# Time columns by the end of their name: their type, and how they are computed from the extracted time, which has
# microseconds if the end begins with p: see extractor().
SPELLINGS = {'z': ('timestamptz', '{}'), 'z3': ('timestamptz(3)', '{}'), 'z6': ('timestamptz(6)', '{}'),
             'u': ('timestamp', "({} AT TIME ZONE 'Etc/UTC')"), 'u6': ('timestamp(6)', "({} AT TIME ZONE 'UTC')"),
             'd': ('date', "({} AT TIME ZONE 'Etc/UTC')::date"), 'p': ('timestamptz', '{}'),
             'p4': ('timestamptz(4)', '{}::timestamptz(4)'), 'pu': ('timestamp', "({} AT TIME ZONE 'UTC')"),
             'za': ('a_timestamptz', '{}'), 'ua': ('a_timestamp', "({} AT TIME ZONE 'UTC')"),
             'da': ('a_date', "({} AT TIME ZONE 'Etc/UTC')::date")}


def extractor(end):
    """Returns the function that extracts the time of a time column."""
    return 'uuid_extract_time_precise' if end[0] == 'p' else 'uuid_extract_v7_time'


COLUMNS, TIMES = {'n': 'int', 'k': 'int', 'w': 'int'}, {}
for KEY in KEYS:
    COLUMNS |= {KEY: 'uuid', f'{KEY}_v7': 'boolean', f'{KEY}_t': 'timestamptz', f'{KEY}_m': 'timestamptz',
                f'{KEY}_hex': 'text COLLATE "C"'}
    TIMES |= {f'{KEY}_{end}': (kind, form.format(f'{extractor(end)}({KEY})'))
              for end, (kind, form) in SPELLINGS.items()}
NAMES = ', '.join(COLUMNS)
ALL = ', '.join([*COLUMNS, *TIMES])

# us is the time, of version 7 only; micros also has the microseconds, and is there for versions 1 and 6, too.
Value = collections.namedtuple('Value', 'text v7 us micros hex')


def time_text(us):
    """Returns a time as PostgreSQL writes it; Python's end with the year 9999."""
    if us in (float('-inf'), float('inf')):
        return 'infinity' if us > 0 else '-infinity'
    days, rest = divmod(us, DAY)
    cycle, day = divmod(days + 719_162, 146_097)  # the calendar repeats after 400 years
    date = datetime.date.fromordinal(day + 1)
    seconds, micros = divmod(rest, 1_000_000)
    return (f'{date.year + 400 * cycle:04}-{date:%m-%d} '
            f'{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{micros:06}+00')


def quote(text):
    return 'NULL' if text is None else "'" + str(text) + "'"


def quote_time(us):
    return quote(None if us is None else time_text(us))


def key_columns(value):
    """Returns a key's columns."""
    v7 = 'NULL' if value.v7 is None else value.v7
    return f'{quote(value.text)}, {v7}, {quote_time(value.us)}, {quote_time(value.micros)}, {quote(value.hex)}'


def micros_of(digits):
    """Returns the time in the digits of a UUID in microseconds; None if its version has none."""
    version = digits[12] if digits[16] in '89ab' else ''
    if version == '7':
        return int(digits[:12], 16) * 1000 + (int(digits[13:16], 16) * 1000 + 999) // 4096
    ticks = {'1': digits[13:16] + digits[8:12] + digits[:8], '6': digits[:12] + digits[13:16]}.get(version)
    return int(ticks, 16) // 10 - 12_219_292_800_000_000 if ticks else None


def has(check, value):
    """True if a CHECK of (form, first time, end) lets a key in."""
    form, first, end = check
    if value.v7 is None or (not value.v7 and 'extract' in form):
        return True
    inside = value.v7 and first <= value.us < end
    return not inside if form.startswith('NOT') else inside


def unique():
    """Returns a limit that lets each key in once, and no NULL."""
    seen = set()
    return lambda key: key.text and key.text not in seen and not seen.add(key.text)


class Schema:
    """Tables of random kinds, and random values for them."""

    def __init__(self, seed, foreign, version):
        self.rng = random.Random(seed)
        self.seed, self.name = seed, f's{seed}'
        self.foreign, self.version = foreign, version
        # Of a session: PostgreSQL cannot read the hours that it writes for the others, as it does for foreign tables.
        self.zones = ZONES
        # The functions that extract a time.
        self.extracts = ['uuid_extract_time'] + ['uuid_extract_timestamp'] * (version >= 180000)
        base = self.rng.choice([0, 1_645_557_742_000, 1_767_225_600_000, LAST_MS - 10**6, *ZONE_AT])
        self.zone = ZONE_AT.get(base)  # one that changes at a time of the keys
        steps = self.rng.sample([0, 1, 2, 3, 10, 999, 1000, 60_000, 1_800_000, 3_600_000, 43_200_000, 86_400_000,
                                 604_800_000, 2_592_000_000], 7)
        steps = [step * (self.pick(1, 1, -1) if base else 1) for step in steps]
        steps += self.rng.sample(range(DAY // 500), 3)
        self.pool = sorted({min(max(base + step, 0), LAST_MS) for step in [*steps, -1, -2, -60_000]}
                           | {0, 1, 2, LAST_MS})
        self.near = self.rng.choice(self.pool) * 1000 + self.rng.randrange(1, 998)  # about the time of many keys
        self.rows = {}  # of each table
        self.writable, self.referenced, self.local, self.mergeable = [], [], [], []
        self.proved = []  # whose keys are all of version 7, and not NULL
        self.leaves = {}  # all that have rows, and how their time columns are generated
        self.generated = {}  # how the time columns of a table are; '' if it has none
        self.kind = ''  # the same for the table that is being made
        self.ordinary = {}  # how the ordinary time columns of the table that is being made are defined
        self.bound = []  # tables that have such ones
        self.tolerant = []  # those of them whose columns of the id are proved to be near its time
        self.loose = False  # some time columns have other times than the keys
        self.sql = [f'CREATE SCHEMA {self.name}', f'SET search_path = {self.name}, public', 'CREATE DOMAIN key AS uuid',
                    'CREATE TEMP TABLE given (id_far bigint, ref_far bigint, '
                    f"{', '.join(map(' '.join, COLUMNS.items()))})",
                    f"SET timezone = '{self.rng.choice(['UTC', 'Europe/Berlin', 'America/St_Johns'])}'"]
        for table in 'abc'[:self.rng.randint(2, 3)]:
            self.make_table(table)
        self.make_bounds()
        self.sql += [f'GRANT USAGE ON SCHEMA {self.name} TO planner_reader',
                     f'GRANT SELECT ON ALL TABLES IN SCHEMA {self.name} TO planner_reader']

    def maybe(self, share):
        return self.rng.random() < share

    def pick(self, *choices):
        return self.rng.choice(choices)

    # Values

    def make_key(self):
        """Returns a key of any version whose first digits are a time of the pool."""
        if self.maybe(0.06):
            return Value(None, None, None, None, None)
        near = self.maybe(0.25)
        ms = self.near // 1000 if near else self.rng.choice(self.pool)
        version, variant = self.pick(*'777777714680f'), self.pick(*'889ab889ab889ab07ce')
        bits = self.pick('0', 'f', None)
        tail = [bits * size if bits else f'{self.rng.getrandbits(4 * size):0{size}x}' for size in (3, 15)]
        # The first or the last step of a microsecond.
        step = (self.near % 1000 + self.pick(0, 1, 2)) * 4096 // 1000 - self.pick(0, 1)
        tail[0] = f'{step:03x}' if near else tail[0]
        digits = f'{ms:012x}{version}{tail[0]}{variant}{tail[1]}'
        digits = self.pick('0' * 32, 'f' * 32) if self.maybe(0.03) else digits
        v7 = digits[12] == '7' and digits[16] in '89ab'
        text = '-'.join(digits[i:j] for i, j in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))
        # PostgreSQL's function, which virtual columns must use, reads version 1, too.
        if self.kind == 'VIRTUAL' and version == '1' and variant in '89ab':
            return self.make_key()
        return Value(text, v7, micros_of(digits[:13] + '000' + digits[16:]) if v7 else None, micros_of(digits), digits)

    def make_rows(self, limits=()):
        """Returns rows whose ids meet all limits; many of the second keys are ids of earlier tables."""
        ids = [row[0] for rows in self.rows.values() for row in rows if self.kind != 'VIRTUAL' or row[0].v7]
        keys = (self.make_key() for _ in range(self.rng.randint(40, 160)))
        limits = [*limits, *[lambda key: key.v7] * (self.ordinary != {} and self.usual)]
        return [(key, self.rng.choice(ids) if ids and self.maybe(0.6) else self.make_key())
                for key in keys if all(limit(key) for limit in limits)]

    def time(self):
        """Returns a time at or beside a time of the keys, or far from all; None for NULL."""
        if self.maybe(0.15):
            return self.pick(None, float('-inf'), float('inf'), -1, -10 * DAY, 568_971_820_800_000_000,
                             9_224_318_015_999_000_000)
        if self.maybe(0.3):
            return self.near + self.pick(-1, 0, 0, 1, 1, 2)
        return self.rng.choice(self.pool) * 1000 + self.pick(0, 0, 0, 0, 1, -1, 500, 1000, -1000)

    def two_times(self):
        """Returns two times in order; None means unbounded."""
        first, end = self.time(), self.time()
        return (first, end) if None in (first, end) or first <= end else (end, first)

    def range_text(self, ends=None):
        first, end = ends or self.two_times()
        inner = ','.join('' if us is None else '"' + time_text(us) + '"' for us in (first, end))
        return 'empty' if self.maybe(0.1) else self.pick('[', '(') + inner + self.pick(']', ')')

    def ranges_text(self):
        """Returns a multirange: most have ranges with keys between them, others any ranges."""
        if self.maybe(0.6):
            times = sorted(self.rng.sample(self.pool, self.pick(4, 4, 6)))
            texts = [self.range_text((first * 1000, end * 1000)) for first, end in zip(times[::2], times[1::2])]
        else:
            texts = [self.range_text() for _ in range(self.pick(0, 1, 2, 5, 12))]
        return '{' + ','.join(text for text in texts if text != 'empty') + '}'

    # Tables

    def columns(self, key_type='uuid', shuffle=False):
        """Returns column definitions, shuffled and with a dropped column for a table that is attached."""
        names = [f'{name} {key_type if name in KEYS else kind}' for name, kind in COLUMNS.items()]
        for name, (kind, form) in TIMES.items() if self.kind else ():
            if self.ordinary:
                names.append(f'{name} {kind}{self.ordinary[name]}')
                continue
            # A virtual column may only call functions of PostgreSQL, of which none has microseconds, and has no domain.
            virtual = self.kind == 'VIRTUAL' and 'precise' not in form and not kind.startswith('a_')
            form = form.replace('v7_time', 'timestamp') if virtual else form
            names.append(f'{name} {kind}' + f" GENERATED ALWAYS AS ({form}) {'VIRTUAL' if virtual else 'STORED'}" *
                         (self.kind != 'PLAIN'))
        if shuffle:
            self.rng.shuffle(names)
        return ', '.join(names)

    def bind(self):
        """Defines ordinary time columns, which constraints bind to the time: most as a proof must be."""
        near = self.maybe(0.6)
        self.far = [self.pick(0, 1000, 60_000_000, 3_600_000_000, DAY) if near else 0 for _ in range(2)]
        lower, upper = (f"interval '{us // 1_000_000} s {us % 1_000_000} us'" for us in self.far)
        for name, (kind, form) in TIMES.items():
            key = name.split('_')[0]
            # Dates are equal, as days have no tolerance.
            strict = key == 'id' and self.usual
            form = self.pick(*NEAR if near and 'date' not in kind else EQUAL if strict else EQUAL[:-2]).format(
                c=name, f=form.format(f'{extractor(name[len(key) + 1:])}({key})'), lo=lower, hi=upper)
            self.ordinary[name] = ' NOT NULL' * strict + f' CONSTRAINT {name}_is CHECK ({form})'

    def ordinary_times(self):
        """Returns the values of ordinary time columns of rows in the table given."""
        for name, (kind, form) in TIMES.items():
            key, end = name.split('_')
            time = f"{key}_{'m' if end[0] == 'p' else 't'}"
            far = '' if 'date' in kind else f" + {key}_far * interval '1 us'"
            other = quote_time(self.pick(None, self.near))
            yield f"CASE WHEN {time} IS NOT NULL THEN {form.format(time)}{far} ELSE {other} END"

    def insert(self, table, rows, start=0):
        """Inserts rows; the numbers n are unique in a table and its children."""
        lines, more = [], ''
        for n, row in enumerate(rows, start):
            keys = ', '.join(map(key_columns, row))
            if self.ordinary:
                # Many are as far from the time as they may be.
                more = ''.join(f'{self.pick(-first, 0, end, self.rng.randint(-first, end) // 1000 * 1000)}, '
                               for first, end in [self.far] * 2)
            lines.append(f'({more}{n}, {n * 7919 % 5}, 0, {keys})')
        if not lines:
            return
        self.loose |= self.ordinary != {} and (any(self.far) or not all(key.v7 for row in rows for key in row))
        into, values = f'INSERT INTO {table} ({NAMES}', ',\n'.join(lines)
        if self.ordinary:
            self.sql += ['DELETE FROM given', f'INSERT INTO given VALUES\n{values}',
                         f"{into}, {', '.join(TIMES)}) SELECT {NAMES}, {', '.join(self.ordinary_times())} FROM given"]
        else:
            self.sql.append(f'{into}) VALUES\n{values}')

    def indexes(self, table):
        """Creates random indexes on a table."""
        moment = f"timestamptz '{time_text(self.rng.choice(self.pool) * 1000)}'"
        during = f"'{self.range_text()}'::tstzrange"
        for key in KEYS:
            if self.maybe(0.8):
                kind = self.pick(f'({key})', f'({key})', f'({key} DESC)', f'({key}, n)',
                                 f'({key}) WHERE uuid_is_v7({key})')
                self.sql.append(f'CREATE INDEX ON {table} {kind}')
        kinds = ['(id NULLS FIRST)', '(k, id)', '(id, k DESC)', '(ref, id)',
                 *['(k, id_z)', '(id_z)', '(id_z, k)', '(k, id_d)'] * (self.ordinary != {} or self.kind == 'STORED'),
                 '(id) INCLUDE (n, id_t, k)', '(id) WHERE uuid_is_v7(id)', '(k) WHERE uuid_is_v7(id)',
                 *['(id uuid_reverse_ops)', '(k, id uuid_reverse_ops)'] * 2,
                 f'(id) WHERE id >= {moment}', f'(n) WHERE id < {moment}', f'(id) WHERE id <@ {during}',
                 f'((id <@ {during}))', f'((id >= {moment}))', '(uuid_extract_time(id))', f'({BY_TIME})', '(id_t)',
                 f'(k, {BY_TIME})', f"(date_trunc('day', {BY_TIME} AT TIME ZONE 'UTC'))",
                 'USING hash (id)', 'USING brin (id)', 'USING brin (id uuid_minmax_multi_ops)',
                 'USING brin (id uuid_bloom_ops)', f'USING brin ({BY_TIME}, (n + 1))']
        for kind in self.rng.sample(kinds, self.rng.randint(0, 3)):
            self.sql.append(f'CREATE INDEX ON {table} {kind}')

    def make_table(self, table):
        kinds = [*['plain'] * 6, *['by_range', 'inherited', 'view'] * 2, 'by_list', 'by_hash', 'stored', 'materialized']
        kinds += ['foreign'] * 2 * (self.foreign and table != 'a')
        kind = self.rng.choice(kinds)
        self.kind = self.pick('', 'STORED', 'STORED', *['PLAIN'] * 5, *['VIRTUAL'] * 2 * (self.version >= 180000))
        self.usual, self.ordinary = self.maybe(0.8), {}
        if self.kind == 'PLAIN':
            self.bind()
        getattr(self, 'make_' + kind)(table)
        self.generated[table] = '' if kind in ('view', 'materialized') else self.kind
        self.bound += [table] * (self.ordinary != {} and kind not in ('view', 'materialized', 'foreign'))
        self.tolerant += [table] * (table in self.bound and table in self.proved and self.usual and any(self.far))
        columns = ', '.join(f'{form}::{kind} AS {name}' for name, (kind, form) in TIMES.items())
        self.sql.append(f"CREATE VIEW {table}_v {self.pick('', 'WITH (security_invoker)')} AS "
                        f"SELECT {NAMES}, {columns} FROM {table}")
        if kind not in ('view', 'materialized'):
            self.writable.append(table)
        if kind != 'foreign':
            self.local.append(table)
        if kind not in ('view', 'foreign'):
            self.indexes(table)
            self.mergeable += [table] * (kind not in ('materialized', 'inherited'))
        if self.maybe(0.8) and kind not in ('view', 'foreign'):
            self.sql.append(f"{self.pick('VACUUM ANALYZE', 'ANALYZE')} {table}")

    def make_plain(self, table, kind=None, using=''):
        # Most as the manual says: with a primary key whose version is checked.
        limits, options, usual = [], '', self.maybe(0.7)
        if usual:
            limits, options = [lambda key: key.v7 is not False], ', CHECK (uuid_is_v7(id))'
        elif self.maybe(0.5):
            options, limits = self.pick((', CHECK (uuid_is_v7(id))', [lambda key: key.v7 is not False]),
                                        (', CHECK (uuid_extract_version(id) = 7)',
                                         [lambda key: key.text is None or key.v7 or key.hex[16] not in '89ab']),
                                        (', CHECK (id IS NOT NULL)', [lambda key: key.text]),
                                        (', CHECK (uuid_is_v7(id))', [lambda key: key.v7 is not False]),
                                        (', CHECK (uuid_is_v7(id) IS TRUE)', [lambda key: key.v7]))
        if usual or self.maybe(0.3):
            limits.append(unique())
            options += ', PRIMARY KEY (id)'
            self.proved += [table] * ('uuid_is_v7' in options)
        self.rows[table] = self.make_rows(limits)
        kind = self.pick('', '', 'UNLOGGED', 'TEMP') if kind is None else kind
        columns = self.columns(self.pick('uuid', 'uuid', 'uuid' if usual or self.kind == 'VIRTUAL' else 'key'))
        self.leaves[table] = self.kind
        self.sql.append(f'CREATE {kind} TABLE {table} ({columns}{options}) {using}')
        self.insert(table, self.rows[table])
        if self.maybe(0.2):
            self.sql += [f'ALTER TABLE {table} ENABLE ROW LEVEL SECURITY', f'CREATE POLICY few ON {table} '
                         f"USING (k < 3 OR {BY_TIME} < '{time_text(self.pool[5] * 1000)}')"]
        if 'PRIMARY KEY' in options and kind == '' and not using and self.maybe(0.7):
            self.referenced.append(table)
            self.sql.append(f'CREATE TABLE {table}_fk (ref uuid REFERENCES {table} (id) ON DELETE CASCADE)')
            self.sql.append(f'INSERT INTO {table}_fk SELECT id FROM {table} WHERE k < 3')

    def make_stored(self, table):
        self.make_plain(table, '', 'USING heap_too')

    def make_leaf(self, table, leaf, bounds, check=''):
        """Creates a table with columns in another order and attaches it as a partition."""
        using = self.pick('', '', 'USING heap_too')
        self.sql += [f'CREATE TABLE {leaf} (gone int, {self.columns(shuffle=True)}{check}) {using}',
                     f'ALTER TABLE {leaf} DROP COLUMN gone']
        if self.maybe(0.3):
            self.indexes(leaf)
        self.leaves[leaf] = self.kind
        self.sql.append(f'ALTER TABLE {table} ATTACH PARTITION {leaf} {bounds}')

    def divide(self, table, by, default, check=''):
        """Makes partitions of a table by its id or its time, for all keys but NULL; that needs a default partition."""
        cuts, more = sorted(self.rng.sample(self.pool[1:], self.rng.randint(1, 4))), ', MINVALUE' * (by == 'id, k')
        cuts = cuts[::-1] if 'reverse' in by else cuts
        bounds = [quote(time_text(ms * 1000) if by in (BY_TIME, 'id_z') else f'{ms:012x}70008000000000000000')
                  for ms in cuts]
        ends = [f'MINVALUE{more}', *(bound + more for bound in bounds), f'MAXVALUE{more}'.replace('MIN', 'MAX')]
        pairs = list(zip(ends, ends[1:]))
        if default:
            self.make_leaf(table, f'{table}_rest', 'DEFAULT', check)
            self.rng.shuffle(pairs)
            pairs = pairs[1:]
        for i, (first, end) in enumerate(pairs):
            self.make_leaf(table, f'{table}_{i}', f'FOR VALUES FROM ({first}) TO ({end})', check)

    def make_by_range(self, table):
        by = self.pick('id', 'id', 'id', 'id uuid_reverse_ops', 'id, k', BY_TIME, *['id_z'] * 4 * (self.ordinary != {}))
        default = self.maybe(0.6) or by == BY_TIME or by == 'id_z' and not self.usual
        check = self.make_parent(table, f'RANGE ({by})')
        self.divide(table, by, default, check)
        self.fill_parts(table, check, by == 'id' and not default, default)

    def make_parent(self, table, by):
        """Creates a partitioned table; returns the constraint of its partitions on the key."""
        check = self.pick('', f', CONSTRAINT {table}_id_check CHECK (uuid_is_v7(id))')
        self.sql.append(f'CREATE TABLE {table} ({self.columns()}{check}) PARTITION BY {by}')
        return check

    def fill_parts(self, table, check, primary=False, nulls=True):
        """Inserts the rows of a partitioned table, whose key may be primary."""
        nulls = nulls and not primary and self.maybe(0.4)
        limits = [unique()] * primary + [lambda key: key.text] * (not nulls)
        self.rows[table] = self.make_rows(limits + [lambda key: key.v7 is not False] * (check != ''))
        self.insert(table, self.rows[table])
        if not nulls:
            self.sql.append(f"ALTER TABLE {table} {'ADD PRIMARY KEY (id)' if primary else 'ALTER id SET NOT NULL'}")
        self.proved += [table] * 4 * (check != '' and not nulls)

    def make_by_list(self, table):
        """Makes partitions by a list of another column, some of them divided again, by the id or its time."""
        check = self.make_parent(table, 'LIST (k)')
        if self.maybe(0.2):
            self.sql.append(f'CREATE TABLE {table}_none PARTITION OF {table} FOR VALUES IN (5) PARTITION BY RANGE (id)')
        for i, ks in enumerate(('0, 1', '2', '3, 4')):
            if self.maybe(0.7):
                by = self.pick('id', BY_TIME)
                self.sql.append(f'CREATE TABLE {table}{i} PARTITION OF {table} '
                                f'FOR VALUES IN ({ks}) PARTITION BY RANGE ({by})')
                self.divide(f'{table}{i}', by, True, check)
            else:
                self.make_leaf(table, f'{table}{i}', f'FOR VALUES IN ({ks})', check)
        self.fill_parts(table, check)

    def make_by_hash(self, table):
        check = self.make_parent(table, 'HASH (id)')
        for i in range(3):
            self.make_leaf(table, f'{table}_{i}', f'FOR VALUES WITH (MODULUS 3, REMAINDER {i})', check)
        self.fill_parts(table, check, self.maybe(0.5))

    def make_inherited(self, table):
        """Makes children, each with a CHECK on the time; the other rows are in the parent."""
        self.sql.append(f'CREATE TABLE {table} ({self.columns()})')
        left, number = self.make_rows(), 0
        self.rows[table] = left
        for i in range(self.rng.randint(1, 3)):
            first, end = sorted(self.rng.sample(self.pool, 2))
            times = [f"timestamptz '{time_text(ms * 1000)}'" for ms in (first, end)]
            form = self.pick('id >= {} AND id < {}', 'id <@ tstzrange({}, {})', 'tstzrange({}, {}) @> id',
                             'NOT id <@ tstzrange({}, {})', 'NOT (id >= {} AND id < {})',
                             'uuid_extract_v7_time(id) >= {} AND uuid_extract_v7_time(id) < {}')
            check = (form, first * 1000, end * 1000)
            rows = [row for row in left if has(check, row[0]) and self.maybe(0.7)]
            left = [row for row in left if row not in rows]
            self.sql.append(f'CREATE TABLE {table}_{i} ({self.columns(shuffle=True)}, CHECK ({form.format(*times)}))')
            self.sql.append(f'ALTER TABLE {table}_{i} INHERIT {table}')
            self.insert(f'{table}_{i}', rows, number)
            self.indexes(f'{table}_{i}')
            self.leaves[f'{table}_{i}'] = self.kind
            number += len(rows)
        self.insert(table, left, number)

    def make_foreign(self, table):
        self.make_plain(f'{table}_there', '')
        self.indexes(f'{table}_there')
        del self.leaves[f'{table}_there']  # on which the other server's session may hold locks
        self.kind, self.ordinary = self.kind and 'PLAIN', {}
        self.sql.append(f"CREATE FOREIGN TABLE {table} ({self.columns()}) SERVER {self.pick('plain', 'same')} "
                        f"OPTIONS (schema_name '{self.name}', table_name '{table}_there')")
        self.rows[table] = self.rows.pop(f'{table}_there')
        self.zones = NEAR_ZONES

    def make_view(self, table):
        """Makes a view of a table, of two, or of computed columns."""
        self.make_plain(f'{table}_1')
        self.indexes(f'{table}_1')
        self.rows[table] = self.rows.pop(f'{table}_1')
        some = ', '.join(f'CASE WHEN k > 1 THEN {name} END AS {name}' if name.startswith(KEYS) else name
                         for name in COLUMNS)
        query = f'SELECT {NAMES} FROM {table}_1'
        form = self.pick(query, f'{query} WHERE k < 3', f'SELECT {some} FROM {table}_1',
                         f'{query} UNION ALL SELECT {NAMES} FROM {table}_2')
        if 'UNION' in form:
            self.make_plain(f'{table}_2')
            self.indexes(f'{table}_2')
            del self.rows[f'{table}_2']
        self.sql.append(f"CREATE VIEW {table} {self.pick('', 'WITH (security_barrier)')} AS {form}")

    def make_materialized(self, table):
        self.make_plain(f'{table}_1', '')
        self.rows[table] = self.rows.pop(f'{table}_1')
        using = self.pick('', 'USING heap_too')
        self.sql.append(f'CREATE MATERIALIZED VIEW {table} {using} AS SELECT {NAMES} FROM {table}_1')
        self.kind, self.ordinary = '', {}

    def make_bounds(self):
        """Makes tables of times and ranges, to be joined."""
        days = ', '.join(map(quote_time, [*(ms * 1000 for ms in self.pool), self.near, self.near + 1]))
        self.sql += ['CREATE TABLE calendar (t timestamptz PRIMARY KEY, u timestamp UNIQUE)',
                     f"INSERT INTO calendar SELECT t, t AT TIME ZONE 'UTC' FROM unnest(ARRAY[{days}]::timestamptz[]) t",
                     'CREATE TABLE bounds (i int, b timestamptz, u timestamp, d date, r tstzrange, m tstzmultirange)']
        indexes = ['(b)', '(u)', '(d)', 'USING gist (r)', 'USING brin (b)']
        self.sql += [f'CREATE INDEX ON bounds {index}' for index in self.rng.sample(indexes, self.rng.randint(0, 3))]
        for i in range(self.rng.randint(3, 9)):
            moment = self.time()
            during, ranges = (text if self.maybe(0.9) else None for text in (self.range_text(), self.ranges_text()))
            self.sql.append(f"INSERT INTO bounds SELECT {i}, b, b AT TIME ZONE 'UTC', (b AT TIME ZONE 'UTC')::date, "
                            f'{quote(during)}, {quote(ranges)} FROM timestamptz({quote_time(moment)}) b')
