"""psycopg 2, which substitutes parameters in the statement."""
import psycopg2
from check import ROWS, SINCE, UNTIL, check, clock, end, increase, is_new

cursor = psycopg2.connect("").cursor()
cursor.execute("SELECT uuid_v7()")
text, = cursor.fetchone()
check('without register_uuid a key is a text', isinstance(text, str), text)
# [doc: register]
import psycopg2.extras

psycopg2.extras.register_uuid()  # for all connections
# [end]
start = clock()
connection = psycopg2.connect("")
connection.autocommit = True
cursor = connection.cursor()
cursor.execute("CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL)")
ids = psycopg2.extras.execute_values(cursor, "INSERT INTO event (what) VALUES %s RETURNING id",
                                     [["a"], ["b"], ["c"]], fetch=True)
ids = [id for id, in ids]
check('execute_values returns new keys in order', len(ids) == 3 and increase(ids) and is_new(ids[0], start), ids)
cursor.execute("SELECT what FROM event WHERE id = %s", [ids[0]])
check('a uuid.UUID finds its row', cursor.fetchall() == [('a',)])
cursor.execute("CALL fill('event')")
cursor.execute("SELECT what FROM event WHERE id >= %s AND id < %s ORDER BY id", [SINCE, UNTIL])
check('a time range has its rows', [what for what, in cursor] == ROWS)
end()
