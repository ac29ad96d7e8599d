"""The steps of Python's ORMs on a table with an ordinary created_at: see ordinary.sh."""
import sys
import uuid
from datetime import datetime, timedelta, timezone

from check import SINCE, UNTIL

OLD = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(days=3)
OLDER = OLD - timedelta(hours=1)


def key_at(time):
    """A key that a client makes."""
    return uuid.UUID(int=int(time.timestamp() * 1000) << 80 | 7 << 76 | 2 << 62 | uuid.uuid4().int >> 66)


def say(step, result):
    """Prints the result of a step, of a long list its length and ends."""
    if isinstance(result, list):
        result = ' '.join(map(str, result if len(result) < 9 else [len(result), result[0], result[-1]]))
    print(f'{step}: {result}')


def take_steps(create, insert, bulk, upsert, update, where, day, page, days, error, load=None):
    """Creates the table, or takes the steps by functions of an ORM, most of which return rows.

    bulk() and upsert() take texts and their n, page() a time and key below which the newest 50 rows are, and days() a
    range whose rows it counts. error is the class of the ORM's errors, and load() inserts a fixture.
    """
    if sys.argv[1] == "create":
        create()
        return
    load = load or insert
    row = insert(what="new")
    say("insert", row.what)
    say("by the time in memory", len(where(created_at=row.created_at)))
    update(row, 5)
    row, = where(n=5)
    say("update", row.what)
    say("by the time read again", len(where(created_at=row.created_at)))
    bulk([f"bulk {n}" for n in range(100)], 3)
    say("bulk", len(where(n=3)))
    upsert(["event 5", "other"], 7)
    say("upsert", len(where(n=7)))
    load(what="old", created_at=OLD, id=key_at(OLD))
    say("old with its key", len(where(created_at=OLD)))
    try:
        load(what="older", created_at=OLDER, id=key_at(datetime.now(timezone.utc)))
        say("old with a new key", len(where(created_at=OLDER)))
    except error as e:
        cause = e.__cause__
        say("old with a new key", cause.pgcode if hasattr(cause, "pgcode") else cause.sqlstate)
    say("day", [row.what for row in day(SINCE, UNTIL)])
    rows = page(UNTIL, uuid.UUID(int=0))
    for _ in range(2):
        rows += page(rows[-1].created_at, rows[-1].id)
    say("pages", [row.what for row in rows])
    say("days", days(SINCE, UNTIL + timedelta(days=1)))
