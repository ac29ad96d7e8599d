// Shared by the programs of this folder: results, rows with known times, and a session of node-postgres that checks
// what the client under test did.
import pg from 'pg';
import {uuidV7Min} from './uuid_v7_min.mjs';

export const judge = new pg.Client();
await judge.connect();

// Prints a result, with details if it failed.
export function check(what, holds, is) {
  console.log(holds ? `ok - ${what}` : `not ok - ${what}: ${is instanceof Error ? is : JSON.stringify(is)}`);
}

// Checks that a query fails with a code, which each client stores elsewhere.
export async function checkFails(what, code, query) {
  try {
    check(what, false, await query());
  } catch (error) {
    const codes = [error, error.cause, error.parent, error.meta?.driverAdapterError?.cause]
        .flatMap((place) => [place?.code, place?.originalCode]);
    check(what, codes.includes(code), error);
  }
}

// Returns the ids of the rows that meet a condition, in order.
async function idsWhere(condition) {
  const {rows} = await judge.query(`SELECT id FROM event WHERE ${condition} ORDER BY id`);
  return rows.map((row) => row.id);
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const timeOf = (id) => parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

// Checks rows that a client has inserted since a time, each with a distinct text, as returned and in that order.
async function checkMade(how, rows, since) {
  const ids = rows.map((row) => row.id);
  const times = ids.map(timeOf);
  const {rows: [{stored}]} = await judge.query(`
      SELECT array_agg(id ORDER BY n) AS stored
      FROM unnest($1::text[]) WITH ORDINALITY AS made (what, n) JOIN event USING (what)`,
  [rows.map((row) => row.what)]);
  check(`${how}: ${ids.length} keys are of version 7`, ids.length > 1 &&
      ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)), ids);
  check(`${how}: they are of now`, times.every((time) => time >= since && time <= Date.now()), [since, times]);
  check(`${how}: they are what the table has`, same(ids, stored), [ids, stored]);
  check(`${how}: each is greater than the one before it`, ids.every((id, i) => i === 0 || ids[i - 1] < id), ids);
}

// A time at which, and a microsecond before and after which, the table has rows once it is filled.
export const moment = new Date('2026-03-01T12:34:56.789Z');
export const next = new Date(moment.getTime() + 1);

// Fills the table with a row every 9 seconds of a day, and some around the moment.
async function fill() {
  await judge.query(`
    INSERT INTO event (id, what)
    SELECT uuid_v7_at('2026-03-01Z'::timestamptz + n * interval '9.000123 s'), 'of the day ' || n
    FROM generate_series(0, 9599) AS n
    UNION ALL
    SELECT uuid_v7_at('${moment.toISOString()}'::timestamptz + n * interval '1 us'), 'of the moment ' || n
    FROM unnest('{-1000, -1, 0, 1, 999, 1000}'::int[]) AS n`);
  await judge.query('VACUUM ANALYZE event');
}

// Checks a query for the ids at or after a Date, in order, by the times in the ids.
export async function checkSince(how, since) {
  for (const date of [moment, next]) {
    const ids = await since(date);
    const right = await idsWhere(`uuid_extract_time(id) >= '${date.toISOString()}'`);
    check(`${how}: ${right.length} rows since ${date.toISOString()}`, same(ids, right) && ids.length > 4000,
        [ids.length, ids[0], right.length, right[0]]);
  }
}

// Checks a query for the ids at or after a Date and before another, in order, by the times in the ids.
export async function checkTimeRange(how, between) {
  for (const [from, to, count] of [[moment, next, 3], [new Date(moment - 1), moment, 2],
    [new Date('2026-03-01T06:00Z'), new Date('2026-03-01T07:00Z'), 400]]) {
    const ids = await between(from, to);
    const right = await idsWhere(`uuid_extract_time(id) >= '${from.toISOString()}'
        AND uuid_extract_time(id) < '${to.toISOString()}'`);
    check(`${how}: ${count} rows from ${from.toISOString()} to ${to.toISOString()}`,
        same(ids, right) && ids.length === count, [ids, right]);
  }
}

// Checks a client's functions and ends the checking session:
//   insert(texts)        inserts rows and returns them with their keys
//   since(date)          returns the ids from a Date on
//   between(from, to)    returns the ids from a Date on and before another
//   bounds(first, end)   the same by UUIDs, in the client's own filter
//   time(id)             returns the time of a row's key as a Date
//   noCast(date)         compares the id with a Date, which fails
export async function checkClient(how, {insert, since, between, bounds, time, noCast}) {
  const start = Date.now();
  const made = [];
  for (let i = 0; i < 50; ++i) {
    made.push(...await insert([`one ${i}`]));
  }
  await checkMade(`${how}, a row at a time`, made, start);
  const many = Array.from({length: 500}, (_, i) => `many ${i}`);
  const rows = await insert(many);
  check(`${how}, many rows: all are back, in order`, rows.map((row) => row.what).join() === many.join(), rows);
  await checkMade(`${how}, many rows`, rows, start);
  await fill();
  await checkSince(`${how}, since`, since);
  await checkTimeRange(`${how}, range`, between);
  await checkTimeRange(`${how}, own filter`, (from, to) => bounds(uuidV7Min(from), uuidV7Min(to)));
  const [{id}] = rows;
  const read = await time(id);
  check(`${how}: the time of a key is a Date`, read?.getTime?.() === timeOf(id), [id, read]);
  if (noCast) {
    await checkFails(`${how}: a Date without a cast is taken for a UUID`, '22P02', () => noCast(moment));
  }
  await judge.end();
}

// Gives the table of checkClient() a time column, and checks a client's functions for it:
//   insert(what)         inserts a row and returns it with its key
//   since(date)          returns rows from a Date on by the column, in its order, with id and createdAt
export async function checkTimeColumn(how, {insert, since}) {
  const session = new pg.Client();
  await session.connect();
  const isThere = await session.query(
      "SELECT FROM pg_attribute WHERE attrelid = 'event'::regclass AND attname = 'created_at'");
  if (isThere.rowCount === 0) {
    await session.query('CALL add_time_column()');
  }
  await session.end();
  const {id} = await insert('timed');
  check(`${how}: a row is inserted without its time`, id[14] === '7', id);
  const rows = await since(moment);
  const times = rows.map((row) => row.createdAt?.getTime?.());
  check(`${how}: the time column is a Date with the time of the key`,
      rows.length > 4000 && rows.every((row, i) => times[i] === timeOf(row.id)), rows[0]);
  check(`${how}: it selects and orders the rows`,
      times.every((time, i) => time >= (i ? times[i - 1] : moment.getTime())) && rows.some((row) => row.id === id),
      rows.length);
}

// Checks that a prepared statement with times as parameters can use the index of the key for any times: for a third of
// the rows, which PostgreSQL expects of one comparison, a sequential scan may be cheaper.
// Runs SQL with a function of the session that prepared it, or that prepares a text now.
export async function checkPlan(how, run, name, text) {
  if (text) {
    await run(`PREPARE ${name} AS ${text}`);
  }
  const [{types}] = await run(`SELECT array_to_string(parameter_types, ',') AS types
      FROM pg_prepared_statements WHERE name = '${name}'`);
  await run('SET plan_cache_mode = force_generic_plan');
  await run('SET enable_seqscan = off');
  const nothing = types.replace(/[^,]+/g, 'NULL');
  const lines = await run(`EXPLAIN (COSTS OFF) EXECUTE ${name}(${nothing})`);
  const plan = lines.map((row) => row['QUERY PLAN']).join('\n');
  check(`${how}: its parameters are of type timestamptz`, /^(timestamp with time zone,?)+$/.test(types), types);
  check(`${how}: its generic plan uses the index of the key`,
      /Index.* Scan (using|on) event_pkey/.test(plan) && /Index Cond: .*\$1/.test(plan), plan);
}
