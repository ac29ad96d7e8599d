"""PgBouncer in transaction mode: many clients, whose statements use three server sessions in turn."""
import random
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
from check import check, end, increase

connection = psycopg.connect(autocommit=True, prepare_threshold=None)  # PgBouncer before 1.21 cannot prepare
connection.execute("CREATE TABLE ticket (id uuid PRIMARY KEY DEFAULT uuid_v7_server(), what text NOT NULL)")
CLIENTS = [connection, *(psycopg.connect(autocommit=True, prepare_threshold=None) for _ in range(23))]


def call(client, statement):
    """The result of a statement, with its start and end."""
    begun = time.monotonic_ns()
    row = client.execute(statement).fetchone()
    return row, begun, time.monotonic_ns()


def calls(client, statement, number):
    """Several calls of one client in succession."""
    return [call(client, statement) for _ in range(number)]


def out_of_order(made):
    """The calls that began after a call with a greater or equal key had returned."""
    wrong, ended, greatest = [], sorted(made, key=lambda one: one[2]), None
    for (key, *_), begun, _ in sorted(made, key=lambda one: one[1]):
        while ended and ended[0][2] < begun:
            returned = ended.pop(0)[0][0]
            greatest = returned if greatest is None else max(greatest, returned)
        if greatest is not None and greatest >= key:
            wrong.append(key)
    return wrong


# As if the clock had been set back after the last key of one of the three.
connection.execute("SELECT uuid_v7_advance(uuid_v7_at(now() + interval '50 seconds'))")

# Concurrently.
INSERT = "INSERT INTO ticket (what) VALUES ('x') RETURNING id, pg_backend_pid()"
with ThreadPoolExecutor(len(CLIENTS)) as threads:
    made = sum(threads.map(lambda client: calls(client, INSERT, 100), CLIENTS), [])
keys = {key for (key, _), *_ in made}
check('24 clients at once make 2,400 keys', len(keys) == 2400, len(keys))
check('they share three server sessions', len({pid for (_, pid), *_ in made}) == 3)
wrong = out_of_order(made)
check('uuid_v7_server(): what is begun after another has returned has the greater key', not wrong, wrong)

# In turn.
made = [call(random.choice(CLIENTS), INSERT)[0] for _ in range(1000)]
check('statements of alternating clients run in all three sessions', len({pid for _, pid in made}) == 3)
check('uuid_v7_server(): keys are in the order of the statements', increase([key for key, _ in made]))

# One client, whose statements use the sessions in turn.
made = [connection.execute("SELECT uuid_v7(), pg_backend_pid()").fetchone() for _ in range(300)]
sessions = {pid: [key for key, its in made if its == pid] for _, pid in made}
check('uuid_v7(): keys of each server session are in order',
      len(sessions) == 3 and all(map(increase, sessions.values())))
check('uuid_v7(): those of one client need not be', not increase([key for key, _ in made]))
for _ in range(3):
    with connection.transaction():
        made = [connection.execute("SELECT uuid_v7(), pg_backend_pid()").fetchone() for _ in range(100)]
    check('uuid_v7(): those of one transaction are',
          increase([key for key, _ in made]) and len({pid for _, pid in made}) == 1)
made = [connection.execute(INSERT).fetchone()[0] for _ in range(300)]
check('uuid_v7_server(): those of one client are', increase(made))
end()
