"""psycopg 3."""
from datetime import datetime, timezone

import psycopg
from check import ROWS, SINCE, UNTIL, check, clock, end, is_new
from psycopg.types.range import Range

connection = psycopg.connect(autocommit=True)
start = clock()
connection.execute("CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL)")
cursor = connection.execute("INSERT INTO event (what) VALUES (%s) RETURNING id", ["first"])
id, = cursor.fetchone()
cursor = connection.execute("SELECT what FROM event WHERE id = %s", [id])
check('INSERT returns a new key', is_new(id, start), id)
check('a uuid.UUID finds its row', cursor.fetchall() == [('first',)])
connection.execute("DELETE FROM event")

connection.execute("CALL fill('event')")
since, until = SINCE, UNTIL
cursor = connection.execute("SELECT id, what FROM event WHERE id >= %s AND id < %s ORDER BY id", [since, until])
rows = cursor.fetchall()
check('a time range has its rows', [what for _, what in rows] == ROWS, rows)

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
