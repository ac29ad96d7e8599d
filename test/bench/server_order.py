"""Times UUIDs in server-wide order, in one session and in two at once, on the server that
libpq's variables name.

Each function is timed in chunks, by the clock of the server, and a repetition counts with its median
chunk: what happens once a second, as the write of the mark to the disk, is not in it. A figure is the
median over the repetitions of (time with the function - time with an empty C function) / rows. The
repetitions of all functions, alone and in two sessions, are interleaved, so that a change of the
machine's speed meets all of them. Of two sessions at once only the chunks count during which the other
was busy, too.
"""

import os
import statistics

from harness import EMPTY, Session, Table, net_of, psql, ratio, spread, turns

# name and call. The first is the baseline, the second the base of ratios.
CASES = [
    ("empty function", "bench_empty()"),
    ("uuid_v7()", "uuid_v7()"),
    ("uuid_v7_cluster()", "uuid_v7_cluster()"),
    ("a lock for each value", "bench_locked()"),
]

# Short enough that most end before the scheduler switches.
CHUNKS = 100

# Attempts to let two sessions overlap.
ATTEMPTS = 10

LOCKED = """
CREATE OR REPLACE FUNCTION bench_locked() RETURNS uuid LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS '{locked}';
"""

# Start and end, in seconds.
CHUNK = """SELECT extract(epoch FROM statement_timestamp()), extract(epoch FROM clock_timestamp()), count({call})
FROM generate_series(1, {rows}) AS i;
"""


class PinnedSession(Session):
    """A session with its backend pinned to one processor, and warmed up."""

    def __init__(self, processor):
        super().__init__()
        os.sched_setaffinity(int(self.value("SELECT pg_backend_pid()")), {processor})
        for _, call in CASES:
            self.value(f"SELECT count({call}) FROM generate_series(1, 10000)")

    def start(self, call, rows):
        self.send(CHUNK.format(call=call, rows=rows // CHUNKS) * CHUNKS)

    def chunks(self):
        """The start and end of each chunk."""
        return [tuple(map(float, self.line().split("|")[:2])) for _ in range(CHUNKS)]


def processors():
    """Two processors on different cores if possible."""
    usable = sorted(os.sched_getaffinity(0))
    cores = {}
    for processor in usable:
        siblings = f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list"
        try:
            with open(siblings, encoding="ascii") as file:
                core = file.read()
        except OSError:
            core = processor
        cores.setdefault(core, processor)
    return sorted(cores.values())[:2] if len(cores) > 1 else usable[:2]


def nanoseconds(chunks, rows):
    """Nanoseconds a call, by the median chunk."""
    return statistics.median(end - begin for begin, end in chunks) / (rows // CHUNKS) * 1e9


def busy_chunks(sessions, call, rows):
    """The chunks of each session that overlap with those of all others."""
    for session in sessions:
        session.start(call, rows)
    results = [session.chunks() for session in sessions]
    begin = max(chunks[0][0] for chunks in results)
    end = min(chunks[-1][1] for chunks in results)
    return [[chunk for chunk in chunks if chunk[0] >= begin and chunk[1] <= end] for chunks in results]


def time_calls(sessions, call, rows):
    """Nanoseconds a call in each of several concurrent sessions."""
    for _ in range(ATTEMPTS):
        busy = busy_chunks(sessions, call, rows)
        if all(busy):
            return [nanoseconds(chunks, rows) for chunks in busy]
    raise SystemExit("the sessions did not run at once: try more rows")


def time_all(sessions, rows, repetitions):
    """Nanoseconds a call, a list with one figure for each repetition and session, by number of sessions and name."""
    cases = [(count, *case) for count in range(1, len(sessions) + 1) for case in CASES]
    times = {(count, name): [] for count, name, _ in cases}
    for count, name, call in turns("server order", repetitions, cases):
        times[count, name].append(time_calls(sessions[:count], call, rows))
    return times


def one_session(alone, rows, repetitions):
    (empty, _), (reference, _) = CASES[:2]
    net = {name: net_of(alone[name], alone[empty]) for name in alone}
    return Table(
        "server_order_alone",
        f"{rows:,} rows, {repetitions} repetitions, one session, ns a call: net of an empty function, "
        f"least and most, and gross; net beside {reference}",
        {"function": "", "net ns": ".1f", "least": ".1f", "most": ".1f", "gross ns": ".1f", "ratio": ".2f"},
        [[name, *spread(net[name]), statistics.median(alone[name]), ratio(net[name], net[reference])]
         for name, _ in CASES[1:]])


def million_a_second(times):
    return 1e3 / statistics.median(times)


def two_sessions(alone, together, chosen):
    """A table for two concurrent sessions, by the slower one."""
    empty = CASES[0][0]
    rows = []
    for name, _ in CASES[1:]:
        each = list(zip(*together[name]))
        slower = max((0, 1), key=lambda i, each=each: statistics.median(each[i]))
        net = net_of(each[slower], list(zip(*together[empty]))[slower])
        net_alone = statistics.median(net_of(alone[name], alone[empty]))
        rows.append([name, *spread(net), statistics.median(each[slower]), million_a_second(alone[name]),
                     *map(million_a_second, each), statistics.median(alone[name]) / statistics.median(each[slower]),
                     net_alone / statistics.median(net)])
    return Table(
        "server_order_together",
        f"two sessions at once, on processors {chosen[0]} and {chosen[1]}: ns a call of the slower one, net, least "
        "and most, and gross; million values a second of one alone and of each of the two; the slower beside one "
        "alone, gross and net",
        {"function": "", "net ns": ".1f", "least": ".1f", "most": ".1f", "gross ns": ".1f", "M/s alone": ".1f",
         "first": ".1f", "second": ".1f", "gross ratio": ".2f", "net ratio": ".2f"}, rows)


def measure(empty, locked, rows, repetitions):
    psql(EMPTY.format(library=empty) + LOCKED.format(locked=locked))
    chosen = processors()
    sessions = [PinnedSession(processor) for processor in chosen]
    times = time_all(sessions, rows, repetitions)
    for session in sessions:
        session.close()
    alone = {name: [figure for figure, in times[1, name]] for name, _ in CASES}
    tables = [one_session(alone, rows, repetitions)]
    if len(sessions) > 1:
        tables.append(two_sessions(alone, {name: times[2, name] for name, _ in CASES}, chosen))
    return tables
