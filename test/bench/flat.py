"""Measures whether the cost of a value depends on the number of values."""

import statistics

from functions import available_makers
from harness import EMPTY_CALL, Session, Table, create_empty, net_of, psql, spread, turns

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


def nanoseconds(session, call, values, at_least):
    """Nanoseconds a value; short statements are repeated up to the given number of values."""
    often = max(1, at_least // values)
    statement = STATEMENT.format(call=call, thousands=values // 1000)
    return float(session.value(f"SELECT bench_time('{statement}', {often})")) / often / values * 1e9


def measure(library, largest, repetitions, at_least):
    create_empty(library)
    psql(TIMER)
    cases = available_makers()
    calls = [EMPTY_CALL] + [call for _, call, _ in cases]
    sizes = [10**power for power in range(3, 10) if 10**power <= largest]
    times = {(call, values): [] for values in sizes for call in calls}
    with Session() as session:
        for call in calls:
            nanoseconds(session, call, 1000, 1000)  # loads libraries
        for call, values in turns("cost of a value", repetitions, times):
            times[call, values].append(nanoseconds(session, call, values, at_least))
    return Table("flat", f"ns a value in statements of n values, {repetitions} repetitions: net of an empty function, "
                 "least and most, and gross",
                 {"function": "", "n": ",", "net ns": ".1f", "least": ".1f", "most": ".1f", "gross ns": ".1f"},
                 [[name, values, *spread(net_of(times[call, values], times[EMPTY_CALL, values])),
                   statistics.median(times[call, values])] for name, call, _ in cases for values in sizes])
