// Shared by the programs of this folder: results, rows with known times, and a session of node-postgres that checks
// what the client under test did.
import pg from 'pg';

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

// A time at which the table has a row once given.sql has filled it, and the number of its rows from then on.
export const moment = new Date('2026-03-01T12:35:00Z');
export const rowsSince = 2857;

// Checks a client's insert(texts), which inserts rows and returns them with their keys.
export async function checkInserts(how, insert) {
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
}

// Checks that a tool has created the table with each part of a time column, and that it would change nothing then.
export async function checkCycle(how, kind, changes) {
  const {rows: [{kept}]} = await judge.query("SELECT kept('event')");
  check(`${how}: the table has each part of the time column`, kept === kind, kept);
  check(`${how}: there is nothing to change`, changes.length === 0, changes);
}

// Fills the table, gives it a time column unless it has one, and checks a client's functions:
//   insert(what)         inserts a row and returns it with its key
//   since(date)          returns rows from a Date on by the column, in its order, with id and createdAt
export async function checkTimeColumn(how, {insert, since}) {
  await judge.query("CALL fill('event')");
  const isThere = await judge.query(
      "SELECT FROM pg_attribute WHERE attrelid = 'event'::regclass AND attname = 'created_at'");
  if (isThere.rowCount === 0) {
    await judge.query('CALL add_time_column()');
  }
  const {id} = await insert('timed');
  check(`${how}: a row is inserted without its time`, id[14] === '7', id);
  const rows = await since(moment);
  const times = rows.map((row) => row.createdAt?.getTime?.());
  check(`${how}: the time column is a Date with the time of the key`,
      rows.length > rowsSince && rows.every((row, i) => times[i] === timeOf(row.id)), rows[0]);
  check(`${how}: it selects and orders the rows`,
      times.every((time, i) => time >= (i ? times[i - 1] : moment.getTime())) && rows.some((row) => row.id === id),
      rows.length);
}
