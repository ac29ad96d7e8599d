"""psycopg 2, which substitutes parameters in the statement."""
import uuid

import psycopg2
from check import ROWS, SINCE, UNTIL, check, clock, end, increase, is_new

start = clock()
cursor = psycopg2.connect("").cursor()
cursor.execute("SELECT uuid_v7()")
text, = cursor.fetchone()
check('without register_uuid a key is a text', isinstance(text, str), text)
try:
    cursor.execute("SELECT %s", [uuid.UUID(text)])
    check('and a uuid.UUID cannot be sent', False)
except psycopg2.ProgrammingError as error:
    check('and a uuid.UUID cannot be sent', "can't adapt" in str(error), error)
# [doc: register]
import psycopg2.extras

psycopg2.extras.register_uuid()  # for all connections
# [end]
connection = psycopg2.connect("")
connection.autocommit = True
cursor = connection.cursor()
cursor.execute("CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL)")
cursor.execute("INSERT INTO event (what) VALUES (%s) RETURNING id", ["first"])
id, = cursor.fetchone()
cursor.execute("SELECT what FROM event WHERE id = %s", [id])
check('INSERT returns a new key', is_new(id, start), id)
check('a uuid.UUID finds its row', cursor.fetchall() == [('first',)])

ids = psycopg2.extras.execute_values(cursor, "INSERT INTO event (what) VALUES %s RETURNING id",
                                     [["a"], ["b"], ["c"]], fetch=True)
ids = [id for id, in ids]
check('execute_values returns new keys in order', len(ids) == 3 and increase([id, *ids]), ids)
cursor.executemany("INSERT INTO event (what) VALUES (%s)", [[f"row {n}"] for n in range(100)])
cursor.execute("SELECT id FROM event WHERE what LIKE 'row %' ORDER BY ctid")
many = [id for id, in cursor]
check('executemany makes keys in order', len(many) == 100 and increase([*ids, *many]))
cursor.execute("SELECT count(*) FROM event WHERE id = ANY(%s)", [ids + many])
check('a list of uuid.UUID finds its rows', cursor.fetchone() == (103,))

cursor.execute("CALL fill('event')")
since, until = SINCE, UNTIL
cursor.execute("SELECT id, what FROM event WHERE id >= %s AND id < %s ORDER BY id", [since, until])
rows = cursor.fetchall()
check('a time range has its rows', [what for _, what in rows] == ROWS, rows)
cursor.execute("""SELECT id, what FROM event
    WHERE uuid_extract_time(id) >= %s AND uuid_extract_time(id) < %s ORDER BY id""", [since, until])
check('a time range finds the rows by their times', rows == cursor.fetchall())

cursor.execute("SELECT id, what FROM event WHERE id <@ %s ORDER BY id",
               [psycopg2.extras.DateTimeTZRange(since, until)])
check('a range has the same rows', cursor.fetchall() == rows)

cursor.execute("EXPLAIN SELECT FROM event WHERE id >= %s AND id < %s", [since, until])
plan = ' '.join(line for line, in cursor)
check('the index is asked for a time range', "Index Cond: ((id >= '" in plan and "::uuid) AND (id < '" in plan, plan)

try:
    cursor.execute("SELECT FROM event WHERE id >= %s", [since.isoformat()])
    check('a text is taken for a UUID', False)
except psycopg2.errors.InvalidTextRepresentation as error:
    check('a text is taken for a UUID', 'type uuid' in str(error), error)
cursor.execute("SELECT what FROM event WHERE id >= %s::timestamptz AND id < %s::timestamptz ORDER BY id",
               [since.isoformat(), until.isoformat()])
check('with a cast it is a time', [what for what, in cursor] == ROWS)
end()
