"""Times the functions of sql/portable/uuidx.sql beside home-made ones, and its queries by time, in one run on the
server that libpq's variables name. Calls are timed as in functions.py, statements with their planning."""

import datetime
import pathlib
import statistics

from functions import nanoseconds
from harness import EMPTY, Session, Table, psql, ratio, turns
from time_queries import UTC, lowest_v7

ROWS = 2000  # of the table sample, in portable.sql

# The flavours of portable.sql by schema; the first has all functions, the others those with a home-made form.
FLAVOURS = {"plain": "uuidx.sql", "plpgsql": "PL/pgSQL", "sql": "SQL"}
CALLS = {
    "bench_empty()": ["uuid_v7()"],
    "bench_empty(t)": ["uuid_v7_at(t)", "uuid_v7_min(t)", "uuid_v7_at(t, 7)", "uuid_v6_at(t)", "uuid_v6_min(t)"],
    "bench_int8(id)": ["uuid_extract_time(id)", "uuid_extract_time_precise(id)", "uuid_is_v7(id)", "uuid_inspect(id)",
                       "uuid_encode(id, 'ulid')", "uuid_encode(id, 'base58')", "uuid_to_typeid(id, 'user')"],
    "bench_int8(v1)": ["uuid_extract_time(v1)", "uuid_v1_to_v6(v1)", "uuid_to_v7(v1)"],
    "bench_empty(name)": ["uuid_v3(id, name)", "uuid_v8_hash('sha256', id, name)"],
    "bench_empty(ulid)": ["uuid_decode(ulid, 'ulid')"],
}
HOME_MADE = ["uuid_v7()", "uuid_v7_at(t)", "uuid_v7_min(t)", "uuid_extract_time(id)"]

QUERIES = {
    "constants of type uuid": "id >= {low} AND id < {high}",
    "home-made bounds, PL/pgSQL": "id >= plpgsql.uuid_v7_min({a}) AND id < plpgsql.uuid_v7_min({b})",
    "home-made bounds, SQL": "id >= sql.uuid_v7_min({a}) AND id < sql.uuid_v7_min({b})",
    "id >= uuid_v7_min(a) AND id < uuid_v7_min(b)": "id >= uuid_v7_min({a}) AND id < uuid_v7_min({b})",
    "id >= a AND id < b": "id >= {a} AND id < {b}",
    "id <@ tstzrange(a, b)": "id <@ tstzrange({a}, {b})",
}
# One after all rows, one with 10,800 rows.
DAYS = [datetime.datetime(year, 1, 6, tzinfo=UTC) for year in (2027, 2026)]


def calls(repetitions):
    """Times net of an empty function, and of a statement without the call."""
    cases = [(schema, call, empty) for empty, ours in CALLS.items() for call in ours for schema in FLAVOURS
             if schema == "plain" or call in HOME_MADE]
    times = {case: [] for case in cases}
    with Session() as session:
        for case in turns("portable", repetitions, cases):
            schema, call, empty = case
            many, _ = nanoseconds(session, (empty, f"{schema}.{call}"), "sample", ROWS)
            one, none = (float(session.value(f"SELECT statement_us($$SELECT {what} FROM sample LIMIT 1$$, 100)"))
                         for what in (f"{schema}.{call}", "1"))
            times[case].append((many / 1000, one - none))
    medians = {case: [statistics.median(runs) for runs in zip(*taken)] for case, taken in times.items()}
    return Table("portable", f"us a call: one of {ROWS:,} in a statement, and the only one, with its planning",
                 {"call": "", **{f"{name}, {which}": ".2f" for name in FLAVOURS.values() for which in ("many", "one")}},
                 [[call, *(us for schema in FLAVOURS for us in medians.get((schema, call, empty), (None, None)))]
                  for empty, ours in CALLS.items() for call in ours])


def queries(repetitions):
    cases = {}
    for name, condition in QUERIES.items():
        for day in DAYS:
            a, b = day, day + datetime.timedelta(days=1)
            cases[name, day] = "SELECT n FROM public.event WHERE " + condition.format(
                a=f"'{a}'::timestamptz", b=f"'{b}'::timestamptz", low=lowest_v7(a), high=lowest_v7(b))
    times = {case: [] for case in cases}
    with Session() as session:
        # Not in public, which has the operators of the extension.
        session.send("SET search_path = plain;\n")
        for case in turns("portable: queries", repetitions, cases):
            times[case].append(float(session.value(f"SELECT public.statement_us($${cases[case]}$$, 20)")))
    return Table("portable_queries", "us a query of one day with its planning; ratios to constants",
                 {"condition": "", "no row": ".1f", "ratio": ".2f", "10,800 rows": ".0f", "their ratio": ".2f"},
                 [[name, *(figure for day in DAYS for figure in (
                     statistics.median(times[name, day]), ratio(times[name, day], times[next(iter(QUERIES)), day])))]
                  for name in QUERIES])


def measure(library, repetitions):
    psql(EMPTY.format(library=library) + f"\\i {pathlib.Path(__file__).with_suffix('.sql')}\n")
    return [calls(repetitions), queries(repetitions)]
