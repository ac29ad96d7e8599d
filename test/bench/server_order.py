"""Times UUIDs in the order of the whole server, in one session and in two at once, on the server that
libpq's variables name.

Each function is timed in chunks, by the clock of the server, and a repetition counts with its median
chunk: what happens once a second, as the write of the mark to the disk, is not in it. A figure is the
median over the repetitions of (time with the function - time with an empty C function) / rows. The
repetitions of all functions, alone and in two sessions, are interleaved, so that a change of the
machine's speed meets all of them. Of two sessions at once only the chunks count during which the other
was busy, too.
"""

import argparse
import os
import statistics
import subprocess

# name and call. The first is the baseline, the second what the others are compared with.
CASES = [
    ("empty function", "bench_empty()"),
    ("uuid_v7()", "uuid_v7()"),
    ("uuid_v7_cluster()", "uuid_v7_cluster()"),
    ("a lock for each value", "bench_locked()"),
]

# Short enough that most of them are over before the system gives the processor to somebody else.
CHUNKS = 100

SETUP = """
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS uuidx;
CREATE OR REPLACE FUNCTION bench_empty() RETURNS uuid LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS '{empty}';
CREATE OR REPLACE FUNCTION bench_locked() RETURNS uuid LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS '{locked}';
SET client_min_messages = notice;
"""

# When it began and when the last value was made, in seconds.
CHUNK = """SELECT extract(epoch FROM statement_timestamp()), extract(epoch FROM clock_timestamp()), count({call})
FROM generate_series(1, {rows}) AS i;
"""


class Session:
    """A session that stays, with its backend on one processor."""

    def __init__(self):
        self.psql = subprocess.Popen(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1"], text=True, bufsize=1,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.send("SET jit = off; SET max_parallel_workers_per_gather = 0;\n")

    def send(self, sql):
        self.psql.stdin.write(sql)
        self.psql.stdin.flush()

    def line(self):
        line = self.psql.stdout.readline().strip()
        if not line:
            raise SystemExit("psql has ended")
        return line

    def value(self, sql):
        self.send(f"{sql};\n")
        return self.line()

    def stay_on(self, processor):
        os.sched_setaffinity(int(self.value("SELECT pg_backend_pid()")), {processor})

    def start(self, call, rows):
        self.send(CHUNK.format(call=call, rows=rows // CHUNKS) * CHUNKS)

    def chunks(self):
        """The begin and the end of each chunk."""
        return [tuple(map(float, self.line().split("|")[:2])) for _ in range(CHUNKS)]


def processors():
    """Two processors that do not share a core, where there are; else any two."""
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


def time_calls(sessions, call, rows):
    """Nanoseconds a call in each of the sessions, which call it at once."""
    for session in sessions:
        session.start(call, rows)
    results = [session.chunks() for session in sessions]
    begin = max(chunks[0][0] for chunks in results)
    end = min(chunks[-1][1] for chunks in results)
    busy = [[chunk for chunk in chunks if chunk[0] >= begin and chunk[1] <= end] for chunks in results]
    if not all(busy):
        raise SystemExit("the sessions did not run at once: try more rows")
    return [nanoseconds(chunks, rows) for chunks in busy]


def net_of(times, empty):
    """What each repetition took more than the empty function."""
    return [ours - baseline for ours, baseline in zip(times, empty)]


def spread(values):
    return f"{statistics.median(values):8.1f}   ({min(values):.1f} to {max(values):.1f})"


def million_a_second(times):
    return 1e3 / statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("empty", help="the built empty.so")
    parser.add_argument("locked", help="the built locked.so, which the server has preloaded")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repetitions", type=int, default=21)
    arguments = parser.parse_args()
    rows = arguments.rows

    chosen = processors()
    sessions = [Session() for _ in chosen]
    sessions[0].send(SETUP.format(empty=arguments.empty, locked=arguments.locked))
    sessions[0].value("SELECT 'ready'")
    for session, processor in zip(sessions, chosen):
        session.stay_on(processor)
        for _, call in CASES:
            # Loads libraries and fills caches.
            session.value(f"SELECT count({call}) FROM generate_series(1, 10000)")

    alone = {name: [] for name, _ in CASES}
    at_once = {name: [[] for _ in sessions] for name, _ in CASES}
    for repetition in range(arguments.repetitions):
        print(f"repetition {repetition + 1} of {arguments.repetitions}", flush=True)
        for name, call in CASES:
            alone[name] += time_calls(sessions[:1], call, rows)
        if len(sessions) > 1:
            for name, call in CASES:
                for times, figure in zip(at_once[name], time_calls(sessions, call, rows)):
                    times.append(figure)

    print(sessions[0].value("SELECT version()"))
    (empty, _), (reference, _) = CASES[:2]
    net = {name: net_of(alone[name], alone[empty]) for name, _ in CASES[1:]}
    print(f"{rows} rows, {arguments.repetitions} repetitions, one session, ns a call: net of an empty function, "
          f"least and most, and gross; beside {reference}")
    for name, _ in CASES[1:]:
        ratio = statistics.median(net[name]) / statistics.median(net[reference])
        print(f"{name:36} {spread(net[name])}   {statistics.median(alone[name]):.1f}   {ratio:.2f}")

    if len(sessions) < 2:
        print("two sessions at once are left out: there is one processor")
        return
    print(f"two sessions at once, on processors {chosen[0]} and {chosen[1]}: ns a call of the slower one, net, least "
          "and most, and gross; million values a second of one alone and of each of the two; the slower beside one "
          "alone, gross and net")
    for name, _ in CASES[1:]:
        slower = max((0, 1), key=lambda i: statistics.median(at_once[name][i]))
        times = at_once[name][slower]
        slower_net = net_of(times, at_once[empty][slower])
        share = statistics.median(alone[name]) / statistics.median(times)
        share_net = statistics.median(net[name]) / statistics.median(slower_net)
        print(f"{name:36} {spread(slower_net)}   {statistics.median(times):.1f}   "
              f"{million_a_second(alone[name]):.1f}   {' '.join(f'{million_a_second(t):.1f}' for t in at_once[name])}   "
              f"{share:.2f} {share_net:.2f}")


main()
