"""asyncpg, which gets the types of parameters from the server."""
import asyncio

import asyncpg
from check import INDEX_CONDITION, ROWS, SINCE, UNTIL, check, clock, end, increase, is_new


async def main():
    since, until = SINCE, UNTIL
    start = clock()
    connection = await asyncpg.connect()
    await connection.execute("CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL)")
    id = await connection.fetchval("INSERT INTO event (what) VALUES ($1) RETURNING id", "first")
    what = await connection.fetchval("SELECT what FROM event WHERE id = $1", id)
    check('INSERT returns a new key', is_new(id, start), id)
    check('a uuid.UUID finds its row', what == 'first')

    await connection.executemany("INSERT INTO event (what) VALUES ($1)", [(f"row {n}",) for n in range(100)])
    await connection.copy_records_to_table("event", columns=["what"], records=[(f"row {n}",) for n in range(1000)])
    ids = [row["id"] for row in await connection.fetch("SELECT id FROM event ORDER BY ctid")]
    check('executemany and COPY make keys in order', len(ids) == 1101 and increase(ids))
    check('a list of uuid.UUID finds its rows', await connection.fetchval(
        "SELECT count(*) FROM event WHERE id = ANY($1)", ids) == 1101)

    await connection.execute("CALL fill('event')")
    rows = await connection.fetch(
        "SELECT id, what FROM event WHERE id >= $1::timestamptz AND id < $2::timestamptz ORDER BY id", since, until)
    check('a time range has its rows', [row["what"] for row in rows] == ROWS, rows)
    plan = await connection.fetchval("SELECT generic_plan('SELECT id, what FROM event WHERE id >= $1%')")
    check('both parameters are times', plan.startswith('{"timestamp with time zone","timestamp with time zone"}'), plan)
    check('the prepared statement asks the index for any time range', INDEX_CONDITION in plan, plan)

    rows_of_range = await connection.fetch(
        "SELECT id, what FROM event WHERE id <@ $1::tstzrange ORDER BY id", asyncpg.Range(since, until))
    check('a range has the same rows', rows_of_range == rows)

    for operator, operand in (('>=', since), ('<@', asyncpg.Range(since, until))):
        try:
            await connection.fetch(f"SELECT FROM event WHERE id {operator} $1", operand)
            check(f'without a cast, id {operator} $1 fails', False, 'it did not')
        except (asyncpg.DataError, asyncpg.PostgresError) as error:
            check(f'without a cast, id {operator} $1 fails', True)
            print(f'# {type(error).__name__}: {error}')
    await connection.close()


asyncio.run(main())
end()
