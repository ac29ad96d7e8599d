"""Measures whether the cost of a value and the backend's memory depend on the number of values."""

import statistics

from harness import EMPTY, Session, Table, create_peers, exists, net_of, psql, spread, turns

EMPTY_CALL = "bench_empty()"

# name, call and required function.
CASES = [
    ("uuid_v7()", "uuid_v7()", None),
    ("uuid_v7_server()", "uuid_v7_server()", None),
    ("uuid_v4()", "uuid_v4()", None),
    ("core uuidv7()", "pg_catalog.uuidv7()", "uuidv7()"),
    ("pg_uuidv7", "uuid_generate_v7()", "uuid_generate_v7()"),
    ("core gen_random_uuid()", "gen_random_uuid()", None),
]

# A join of two series, as one long series would be written to a file.
STATEMENT = "SELECT count({call}) FROM generate_series(1, {thousands}) AS a, generate_series(1, 1000) AS b"

# Timed on the server, as the round trip would dominate a short statement.
TIMER = """
CREATE FUNCTION bench_time(statement text, repetitions int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    began timestamptz := clock_timestamp();
BEGIN
    FOR i IN 1 .. repetitions LOOP
        EXECUTE statement;
    END LOOP;
    RETURN extract(epoch FROM clock_timestamp() - began);
END $$;
"""


def sizes(largest):
    return [10**power for power in range(3, 10) if 10**power <= largest]


def statement(call, values):
    return STATEMENT.format(call=call, thousands=values // 1000)


def nanoseconds(session, call, values, at_least):
    """Nanoseconds a value; short statements are repeated up to the given number of values."""
    often = max(1, at_least // values)
    seconds = float(session.value(f"SELECT bench_time('{statement(call, values)}', {often})"))
    return seconds / often / values * 1e9


def costs(cases, largest, repetitions, at_least):
    calls = [EMPTY_CALL] + [call for _, call, _ in cases]
    times = {(call, values): [] for values in sizes(largest) for call in calls}
    with Session() as session:
        for call in calls:
            session.value(statement(call, 1000))
        for call, values in turns("cost of a value", repetitions, times):
            times[call, values].append(nanoseconds(session, call, values, at_least))
    return Table("flat", f"ns a value in statements of n values, {repetitions} repetitions: net of an empty function, "
                 "least and most, and gross",
                 {"function": "", "n": ",", "net ns": ".1f", "least": ".1f", "most": ".1f", "gross ns": ".1f"},
                 [[name, values, *spread(net_of(times[call, values], times[EMPTY_CALL, values])),
                   statistics.median(times[call, values])] for name, call, _ in cases for values in sizes(largest)])


def resident_kilobytes(pid):
    """None if the system does not provide it."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
    except (OSError, StopIteration):
        return None


def memory(session):
    """kB of the session's memory contexts, and of its process."""
    contexts = session.value("SELECT sum(total_bytes) / 1024 FROM pg_backend_memory_contexts")
    return float(contexts), resident_kilobytes(session.value("SELECT pg_backend_pid()"))


def grown(call, largest):
    """Memory of a new session after 1,000 values, and after many: contexts, contexts, process, process."""
    with Session() as session:
        memory(session)
        session.value(statement(call, 1000))
        contexts, resident = memory(session)
        session.value(statement(call, largest))
        contexts_after, resident_after = memory(session)
    return [contexts, contexts_after, resident, resident_after]


def memories(cases, largest):
    return Table("memory", f"kB of a new session after 1,000 values, and after {largest:,} more: its memory contexts, "
                 "and its process (VmRSS)",
                 {"function": "", "contexts": ",.0f", "contexts after": ",.0f", "process": ",", "process after": ","},
                 [[name, *grown(call, largest)] for name, call, _ in [("empty function", EMPTY_CALL, None), *cases]])


def measure(library, largest, repetitions, at_least):
    psql(EMPTY.format(library=library) + TIMER)
    create_peers("pg_uuidv7")
    cases = [case for case in CASES if case[2] is None or exists(case[2])]
    return [costs(cases, largest, repetitions, at_least), memories(cases, largest)]
