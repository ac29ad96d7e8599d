"""psycopg 3, and what Python computes by itself."""
from datetime import datetime, timedelta, timezone
from uuid import UUID

import psycopg
from check import ROWS, SINCE, UNTIL, check, clock, end, is_new
from psycopg.types.range import Range


def uuid_v7_min(time):
    """Returns the lowest version 7 UUID at or after a datetime with a zone."""
    milliseconds = -((datetime(1970, 1, 1, tzinfo=timezone.utc) - time) // timedelta(milliseconds=1))
    return UUID(int=milliseconds << 80 | 0x7000_8000_000000000000)


connection = psycopg.connect(autocommit=True)
start = clock()
connection.execute("CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL)")
cursor = connection.execute("INSERT INTO event (what) VALUES (%s) RETURNING id", ["first"])
id, = cursor.fetchone()
cursor = connection.execute("SELECT what FROM event WHERE id = %s", [id])
check('INSERT returns a new key', is_new(id, start), id)
check('a uuid.UUID finds its row', cursor.fetchall() == [('first',)])
time = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=id.int >> 80)
check('Python reads the time of a key', connection.execute("SELECT uuid_extract_time(%s)", [id]).fetchone() == (time,))
bounds = connection.execute("""SELECT time, uuid_v7_min(time) FROM (
    SELECT to_timestamp(0) + random() * 253e15 * interval '1 us' AS time FROM generate_series(1, 2000)
    UNION ALL SELECT to_timestamp(0) + n * interval '1 us' FROM unnest('{0, 1, 999, 1000}'::int[]) AS n
    UNION ALL VALUES (timestamptz '9999-12-31 23:59:59.999Z')) AS times""").fetchall()
wrong = [(at, bound) for at, bound in bounds if uuid_v7_min(at) != bound]
check('uuid_v7_min is that of the server', len(bounds) == 2005 and not wrong, wrong)

cursor = connection.execute("INSERT INTO event (what) VALUES (%s) RETURNING uuid_to_typeid(id, 'event')", ["new"])
typeid, = cursor.fetchone()
cursor = connection.execute("SELECT what FROM event WHERE id = uuid_from_typeid(%s, 'event')", [typeid])
check('a TypeID finds its row', typeid.startswith('event_') and cursor.fetchall() == [('new',)], typeid)
secret = bytes(range(16))
cursor = connection.execute("SELECT uuid_v47_mask(%s, %s)", [id, secret])
mask, = cursor.fetchone()
cursor = connection.execute("SELECT what FROM event WHERE id = uuid_v47_unmask(%s, %s)", [mask, secret])
check('a mask finds its row', mask.version == 4 and cursor.fetchall() == [('first',)], mask)
connection.execute("DELETE FROM event")

connection.execute("CALL fill('event')")
since, until = SINCE, UNTIL
cursor = connection.execute("SELECT id, what FROM event WHERE id >= %s AND id < %s ORDER BY id", [since, until])
rows = cursor.fetchall()
check('a time range has its rows', [what for _, what in rows] == ROWS, rows)

cursor = connection.execute("SELECT id, what FROM event WHERE id >= %s AND id < %s ORDER BY id",
                            [uuid_v7_min(since), uuid_v7_min(until)])
check('the bounds of Python have the same rows', cursor.fetchall() == rows)

cursor = connection.execute("SELECT id, what FROM event WHERE id <@ %s ORDER BY id", [Range(since, until)])
check('a range has the same rows', cursor.fetchall() == rows)

connection.execute("CALL add_time_column()")
# [doc: time_column]
cursor = connection.execute("INSERT INTO event (what) VALUES (%s) RETURNING id, created_at", ["new"])
id, created_at = cursor.fetchone()
cursor = connection.execute("SELECT what FROM event WHERE created_at >= %s AND created_at < %s ORDER BY created_at",
                            [since, until])
# [end]
check('a time column finds the rows of a time range', [what for what, in cursor] == ROWS)
check('INSERT returns it', created_at == datetime.fromtimestamp((id.int >> 80) / 1000, timezone.utc), created_at)
end()
