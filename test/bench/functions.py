"""Times SQL functions, ours beside their peers, in one run on the server that libpq's variables name.

A figure is the median over the repetitions of (time of the query with the function - time of the
same query with an empty C function) / rows. The repetitions of all functions are interleaved, so that
a change of the machine's speed meets all of them.
"""

import argparse
import statistics
import subprocess

MADE = "generate_series(1, {rows}) AS i"
DNS = "'6ba7b810-9dad-11d1-80b4-00c04fd430c8'"

# name, expression, the empty function's call, rows from, what must exist for it.
CASES = [
    ("memory for a uuid", "bench_allocate()", "bench_empty()", MADE, None),
    ("uuid_v7()", "uuid_v7()", "bench_empty()", MADE, None),
    ("core uuidv7()", "pg_catalog.uuidv7()", "bench_empty()", MADE, "uuidv7()"),
    ("pg_uuidv7", "uuid_generate_v7()", "bench_empty()", MADE, "uuid_generate_v7()"),
    ("timescaledb", "generate_uuidv7()", "bench_empty()", MADE, "generate_uuidv7()"),
    ("uuid_v4()", "uuid_v4()", "bench_empty()", MADE, None),
    ("core gen_random_uuid()", "gen_random_uuid()", "bench_empty()", MADE, None),
    ("uuid_v1()", "uuid_v1()", "bench_empty()", MADE, None),
    ("uuid_v6()", "uuid_v6()", "bench_empty()", MADE, None),
    ("uuid-ossp v1", "uuid_generate_v1()", "bench_empty()", MADE, "uuid_generate_v1()"),
    ("uuid_v5(ns, name)", f"uuid_v5({DNS}, name)", "bench_empty(name)", "bench", None),
    ("uuid-ossp v5", f"uuid_generate_v5({DNS}, name)", "bench_empty(name)", "bench", "uuid_generate_v5(uuid,text)"),
    ("uuid_v3(ns, name)", f"uuid_v3({DNS}, name)", "bench_empty(name)", "bench", None),
    ("uuid-ossp v3", f"uuid_generate_v3({DNS}, name)", "bench_empty(name)", "bench", "uuid_generate_v3(uuid,text)"),
    ("uuid_v8_hash('sha256', …)", f"uuid_v8_hash('sha256', {DNS}, name)", "bench_empty(name)", "bench", None),
    ("uuid_extract_time(v7)", "uuid_extract_time(id)", "bench_int8(id)", "bench", None),
    ("core uuid_extract_timestamp(v7)", "uuid_extract_timestamp(id)", "bench_int8(id)", "bench", "uuid_extract_timestamp(uuid)"),
    ("core uuid to text", "id::text", "bench_int8(id)", "bench", None),
    ("uuid_encode(id, 'ulid')", "uuid_encode(id, 'ulid')", "bench_int8(id)", "bench", None),
    ("uuid_encode(id, 'base58')", "uuid_encode(id, 'base58')", "bench_int8(id)", "bench", None),
    ("uuid_encode(id, 'decimal')", "uuid_encode(id, 'decimal')", "bench_int8(id)", "bench", None),
    ("core text to uuid", "usual::uuid", "bench_empty(usual)", "bench", None),
    ("uuid_decode(text, 'ulid')", "uuid_decode(ulid, 'ulid')", "bench_empty(ulid)", "bench", None),
    ("uuid_decode(text, 'base58')", "uuid_decode(base58, 'base58')", "bench_empty(base58)", "bench", None),
    ("uuid_v47_mask(id, key)", "uuid_v47_mask(id, '\\x000102030405060708090a0b0c0d0e0f')", "bench_int8(id)", "bench", None),
    ("uuid_v7_min(t)", "uuid_v7_min(t)", "bench_empty(t)", "bench", None),
    ("timescaledb to_uuidv7_boundary(t)", "to_uuidv7_boundary(t)", "bench_empty(t)", "bench", "to_uuidv7_boundary(timestamptz)"),
]

SETUP = """
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS uuidx;
CREATE OR REPLACE FUNCTION bench_empty() RETURNS uuid LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS '{library}';
CREATE OR REPLACE FUNCTION bench_empty(text) RETURNS uuid LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS '{library}';
CREATE OR REPLACE FUNCTION bench_empty(timestamptz) RETURNS uuid LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS '{library}';
CREATE OR REPLACE FUNCTION bench_int8(uuid) RETURNS int8 LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS '{library}';
CREATE OR REPLACE FUNCTION bench_allocate() RETURNS uuid LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS '{library}';
DO $$
DECLARE
    peer text;
BEGIN
    FOR peer IN SELECT name FROM pg_available_extensions WHERE name IN ('uuid-ossp', 'pg_uuidv7', 'timescaledb') LOOP
        BEGIN
            EXECUTE format('CREATE EXTENSION IF NOT EXISTS %I', peer);
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING '% is left out: %', peer, SQLERRM;
        END;
    END LOOP;
END $$;
CREATE UNLOGGED TABLE bench AS
SELECT name, id, t, id::text AS usual, uuid_encode(id, 'ulid') AS ulid, uuid_encode(id, 'base58') AS base58
FROM (SELECT 'name-' || i AS name, uuid_v7() AS id, clock_timestamp() AS t FROM generate_series(1, {rows}) AS i OFFSET 0) AS made;
VACUUM (FREEZE, ANALYZE) bench;
SELECT count(*) FROM bench;
"""


def psql(sql):
    """Runs SQL in a session of its own and returns what it prints."""
    run = subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1"], input=sql, text=True,
                         stdout=subprocess.PIPE, check=True)
    return run.stdout


def milliseconds(expression, source):
    """Times one query, after a short one of its kind that loads libraries and fills caches."""
    settings = "SET jit = off; SET max_parallel_workers_per_gather = 0;"
    warm_up = f"SELECT count({expression}) FROM (SELECT * FROM {source} LIMIT 1000) AS few;"
    query = f"SELECT count({expression}) FROM {source};"
    output = psql(f"{settings}\n{warm_up}\n\\timing on\n{query}\n")
    return float(output.rsplit("Time: ", 1)[1].split(" ms")[0].replace(",", "."))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", help="the built empty.so")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repetitions", type=int, default=7)
    arguments = parser.parse_args()

    psql(SETUP.format(library=arguments.library, rows=arguments.rows))
    cases = [case for case in CASES
             if case[4] is None or psql(f"SELECT to_regprocedure('{case[4]}')").strip()]
    queries = {(call, source) for _, ours, empty, source, _ in cases for call in (ours, empty)}
    times = {query: [] for query in queries}
    for repetition in range(arguments.repetitions):
        print(f"repetition {repetition + 1} of {arguments.repetitions}", flush=True)
        for call, source in sorted(queries):
            times[call, source].append(milliseconds(call, source.format(rows=arguments.rows)))

    print(psql("SELECT version()").strip())
    print(f"{arguments.rows} rows, {arguments.repetitions} repetitions, ns a call: net of an empty function, "
          "least and most, and gross")
    for name, call, empty, source, _ in cases:
        net = [(a - b) / arguments.rows * 1e6 for a, b in zip(times[call, source], times[empty, source])]
        gross = statistics.median(times[call, source]) / arguments.rows * 1e6
        print(f"{name:36} {statistics.median(net):8.1f}   ({min(net):.1f} to {max(net):.1f})   {gross:.1f}")


main()
