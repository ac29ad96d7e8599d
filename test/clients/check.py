"""Shared by the Python programs: results, and facts about keys and the rows of given.sql."""
import sys
import time
import uuid
from datetime import datetime, timezone

# The day that the programs query, and its rows in given.sql.
SINCE = datetime(2026, 1, 10, tzinfo=timezone.utc)
UNTIL = datetime(2026, 1, 11, tzinfo=timezone.utc)
ROWS = [f'event {n}' for n in range(9 * 288, 10 * 288)]
failed = False


def check(what, is_so, seen=''):
    """Prints a result, with details if it failed."""
    global failed
    failed = failed or not is_so
    print(f'ok - {what}' if is_so else f'not ok - {what}: {str(seen)[:500]}')


def clock():
    """Unix time in whole milliseconds, as in keys."""
    return time.time_ns() // 1_000_000


def is_new(key, since):
    """True if a key is a uuid.UUID of version 7, generated between that reading of the clock and now."""
    return key.version == 7 and key.variant == uuid.RFC_4122 and since <= key.int >> 80 <= clock()


def increase(keys):
    """True if each key is greater than the previous one."""
    return len(keys) > 1 and all(one < next_one for one, next_one in zip(keys, keys[1:]))


def end():
    """Ends the program, with an error if a check failed."""
    sys.exit(failed)
