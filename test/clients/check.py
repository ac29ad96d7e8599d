"""What the programs in Python share: results, and what is known of keys and of the rows of given.sql."""
import sys
import time
import uuid
from datetime import datetime, timezone

# The day that the programs ask for, its rows in given.sql, and how an index is asked for any such period.
SINCE = datetime(2026, 1, 10, tzinfo=timezone.utc)
UNTIL = datetime(2026, 1, 11, tzinfo=timezone.utc)
ROWS = [f'event {n}' for n in range(9 * 288, 10 * 288)]
INDEX_CONDITION = 'Index Cond: ((id >= uuid_v7_min($1)) AND (id < uuid_v7_min($2)))'
failed = False


def check(what, is_so, seen=''):
    """Says a result, with what was seen where it is not so."""
    global failed
    failed = failed or not is_so
    print(f'ok - {what}' if is_so else f'not ok - {what}: {str(seen)[:500]}')


def clock():
    """Unix time in whole milliseconds, as keys have it."""
    return time.time_ns() // 1_000_000


def is_new(key, since):
    """Whether a key is a uuid.UUID of version 7, made between that reading of the clock and now."""
    return key.version == 7 and key.variant == uuid.RFC_4122 and since <= key.int >> 80 <= clock()


def increase(keys):
    """Whether each of several keys is greater than the one before it."""
    return len(keys) > 1 and all(one < next_one for one, next_one in zip(keys, keys[1:]))


def end():
    """Ends the program: with an error where a check failed."""
    sys.exit(failed)
