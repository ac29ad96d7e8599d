"""Times SQL functions beside their peers, in one run on the server that libpq's variables name.

Each function is timed in chunks, by the clock of the server, in turns with chunks of the same query with an empty C
function: a change of the machine's speed meets both. A repetition counts with the median of what a chunk took more than
its neighbor, and a figure is the median over the repetitions, which are interleaved for all functions.
"""

import statistics

from harness import EMPTY_CALL, Session, Table, create_empty, create_peers, exists, psql, spread, turns

# Short enough that most end before the scheduler switches.
CHUNKS = 20

MADE = "generate_series(1, {rows}) AS i"
DNS = "'6ba7b810-9dad-11d1-80b4-00c04fd430c8'"

# The generators that all parts measure: name, call, required function.
MAKERS = [
    ("uuid_v7()", "uuid_v7()", None),
    ("core uuidv7()", "pg_catalog.uuidv7()", "uuidv7()"),
    ("pg_uuidv7", "uuid_generate_v7()", "uuid_generate_v7()"),
    ("timescaledb", "generate_uuidv7()", "generate_uuidv7()"),
    ("uuid_v7_server()", "uuid_v7_server()", None),
    ("uuid_v4()", "uuid_v4()", None),
    ("core gen_random_uuid()", "gen_random_uuid()", None),
]

# name, expression, the empty function's call, source of rows, required function.
CASES = [
    *((name, call, EMPTY_CALL, MADE, needs) for name, call, needs in MAKERS),
    ("pgcrypto gen_random_uuid()", "public.gen_random_uuid()", EMPTY_CALL, MADE, "public.gen_random_uuid()"),
    ("uuid-ossp v4", "uuid_generate_v4()", EMPTY_CALL, MADE, "uuid_generate_v4()"),
    ("uuid_v1()", "uuid_v1()", EMPTY_CALL, MADE, None),
    ("uuid_v6()", "uuid_v6()", EMPTY_CALL, MADE, None),
    ("uuid-ossp v1", "uuid_generate_v1()", EMPTY_CALL, MADE, "uuid_generate_v1()"),
    ("uuid_v5(ns, name)", f"uuid_v5({DNS}, name)", "bench_empty(name)", "bench", None),
    ("uuid_extract_time(v7)", "uuid_extract_time(id)", "bench_int8(id)", "bench", None),
    ("uuid_encode(id, 'ulid')", "uuid_encode(id, 'ulid')", "bench_int8(id)", "bench", None),
    ("uuid_encode(id, 'base58')", "uuid_encode(id, 'base58')", "bench_int8(id)", "bench", None),
    ("uuid_encode(id, 'decimal')", "uuid_encode(id, 'decimal')", "bench_int8(id)", "bench", None),
    ("uuid_to_typeid(id, 'user')", "uuid_to_typeid(id, 'user')", "bench_int8(id)", "bench", None),
    ("uuid_decode(text, 'ulid')", "uuid_decode(ulid, 'ulid')", "bench_empty(ulid)", "bench", None),
    ("uuid_decode(text, 'base58')", "uuid_decode(base58, 'base58')", "bench_empty(base58)", "bench", None),
    ("uuid_from_typeid(text, 'user')", "uuid_from_typeid(typeid, 'user')", "bench_empty(typeid)", "bench", None),
]

SETUP = """
CREATE UNLOGGED TABLE bench AS
SELECT name, id, uuid_encode(id, 'ulid') AS ulid, uuid_encode(id, 'base58') AS base58,
    uuid_to_typeid(id, 'user') AS typeid
FROM (SELECT 'name-' || i AS name, uuid_v7() AS id FROM generate_series(1, {rows}) AS i OFFSET 0) AS made;
VACUUM (FREEZE, ANALYZE) bench;
SELECT count(*) FROM bench;
"""

COLUMNS = {"function": "", "net ns": ".1f", "least": ".1f", "most": ".1f", "gross ns": ".1f"}

# The aggregate is computed before the clock is read.
CHUNK = "SELECT extract(epoch FROM clock_timestamp() - statement_timestamp()), count({call}) FROM {source};\n"


def seconds(session, call, source):
    session.send(CHUNK.format(call=call, source=source))
    return float(session.line().split("|")[0])


def nanoseconds(session, calls, source, rows):
    """Nanoseconds a call, net of the first of the two calls and gross, after short queries that load libraries."""
    for call in calls:
        session.value(f"SELECT count({call}) FROM (SELECT * FROM {source} LIMIT 1000) AS few")
    pairs = [[seconds(session, call, source) / rows * 1e9 for call in calls] for _ in range(CHUNKS)]
    return statistics.median(ours - empty for empty, ours in pairs), statistics.median(ours for _, ours in pairs)


def generating():
    """The names of all functions that generate values."""
    return [name for name, _, _, source, _ in CASES if source == MADE]


def available_makers():
    """The generators that this server has."""
    create_peers("pg_uuidv7", "timescaledb")
    return [maker for maker in MAKERS if maker[2] is None or exists(maker[2])]


def measure(library, rows, repetitions):
    create_empty(library)
    create_peers("uuid-ossp", "pgcrypto", "pg_uuidv7", "timescaledb")
    chunk = rows // CHUNKS
    psql(SETUP.format(rows=chunk))
    cases = [case for case in CASES if case[4] is None or exists(case[4])]
    times = {case: [] for case in cases}
    with Session() as session:
        for case in turns("functions", repetitions, cases):
            _, call, empty, source, _ = case
            times[case].append(nanoseconds(session, (empty, call), source.format(rows=chunk), chunk))
    return Table("functions", f"{rows:,} rows, {repetitions} repetitions, ns a call: net of an empty function, "
                 "least and most, and gross", COLUMNS,
                 [[case[0], *spread([net for net, _ in runs]), statistics.median(gross for _, gross in runs)]
                  for case, runs in times.items()])
