"""Times one value per transaction, where a pool of random bits or a reservation does not help."""

import statistics

from functions import available_makers
from harness import EMPTY_CALL, Session, Table, create_empty, psql, spread, turns

# The number of chunks, and of transactions in each.
CHUNKS = 20

# In a procedure, as the round trip would dominate. Returns the median of the chunks in seconds.
PROCEDURE = """
CREATE PROCEDURE bench_transactions_{number}(chunks int, transactions int, INOUT median float8 = NULL)
LANGUAGE plpgsql AS $$
DECLARE
    began timestamptz;
    took float8[];
BEGIN
    FOR chunk IN 1 .. chunks LOOP
        began := clock_timestamp();
        FOR i IN 1 .. transactions LOOP
            PERFORM {call};
            COMMIT;
        END LOOP;
        took := took || extract(epoch FROM clock_timestamp() - began)::float8;
    END LOOP;
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY t) INTO median FROM unnest(took) AS t;
END $$;
"""


def measure(library, transactions, repetitions):
    create_empty(library)
    cases = available_makers()
    calls = [EMPTY_CALL] + [call for _, call, _ in cases]
    psql("".join(PROCEDURE.format(number=number, call=call) for number, call in enumerate(calls)))
    times = {call: [] for call in calls}
    chunk = transactions // CHUNKS
    with Session() as session:
        for number, call in turns("transactions", repetitions, list(enumerate(calls))):
            seconds = float(session.value(f"CALL bench_transactions_{number}({CHUNKS}, {chunk})"))
            times[call].append(seconds / chunk * 1e9)
    return Table("transactions", f"{transactions:,} transactions with one value each, {repetitions} repetitions, ns: "
                 "net of an empty function, least and most, and gross",
                 {"function": "", "net ns": ".0f", "least": ".0f", "most": ".0f", "gross ns": ".0f"},
                 [[name, *spread([ours - empty for ours, empty in zip(times[call], times[EMPTY_CALL])]),
                   statistics.median(times[call])] for name, call, _ in cases])
