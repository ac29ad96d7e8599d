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


def ends(rows):
    """How many rows there are, and the texts of the first and the last."""
    return f'{len(rows)} {rows[0].what} {rows[-1].what}'


def take_steps(create, insert, bulk, upsert, update, where, day, page, days, error, load=None):
    """Creates the table, or takes the steps by functions of an ORM, most of which return rows.

    bulk() and upsert() take texts and their n, page() a time and key below which the newest 50 rows are, and days() a
    range whose rows it counts. error is the class of the ORM's errors, and load() inserts a fixture.
    """
    if sys.argv[1] == "create":
        create()
        return
    print("day:", ends(day(SINCE, UNTIL)))
    rows = page(UNTIL, uuid.UUID(int=0))
    for _ in range(2):
        rows += page(rows[-1].created_at, rows[-1].id)
    print("pages:", ends(rows))
    print("days:", *days(SINCE, UNTIL + timedelta(days=1)))
    load = load or insert
    row = insert(what="new")
    print("insert:", row.what)
    print("by the time in memory:", len(where(created_at=row.created_at)))
    update(row, 5)
    row, = where(n=5)
    print("update:", row.what)
    print("by the time read again:", len(where(created_at=row.created_at)))
    bulk([f"bulk {n}" for n in range(100)], 3)
    print("bulk:", len(where(n=3)))
    upsert(["event 5", "other"], 7)
    print("upsert:", len(where(n=7)))
    load(what="old", created_at=OLD, id=key_at(OLD))
    print("old with its key:", len(where(created_at=OLD)))
    try:
        load(what="older", created_at=OLDER, id=key_at(datetime.now(timezone.utc)))
        print("old with a new key:", len(where(created_at=OLDER)))
    except error as e:
        cause = e.__cause__
        print("old with a new key:", cause.pgcode if hasattr(cause, "pgcode") else cause.sqlstate)
