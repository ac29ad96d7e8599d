// node-postgres: keys by RETURNING, times as Date, parameters without a type, and the bound of JavaScript.
import pg from 'pg';
import {check, checkFails, checkInserts, checkTimeColumn, judge, moment, next} from './check.mjs';

const client = new pg.Client();
await client.connect();
await client.query('CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL)');
const ids = async (query, values) => (await client.query(query, values)).rows.map((row) => row.id);

// Returns the lowest version 7 UUID of a Date's millisecond, as doc/clients.md describes it.
function uuidV7Min(date) {
  const hex = date.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

// Checks queries from a Date on and before another, by their plans also.
async function checkTimeRanges() {
  const text = 'SELECT id FROM event WHERE id >= $1::timestamptz AND id < $2::timestamptz ORDER BY id';
  for (const [from, to, count] of [[moment, next, 3], [new Date(moment - 1), moment, 2],
    [new Date('2026-03-01T06:00Z'), new Date('2026-03-01T07:00Z'), 400]]) {
    const {rows} = await judge.query(`SELECT id FROM event WHERE uuid_extract_time(id) >= $1
        AND uuid_extract_time(id) < $2 ORDER BY id`, [from, to]);
    const right = rows.map((row) => row.id).join();
    for (const [how, query, values] of [
      ['with casts', {name: 'cast', text, values: [from, to]}],
      ['as arguments of a range',
        {name: 'range', text: 'SELECT id FROM event WHERE id <@ tstzrange($1, $2) ORDER BY id', values: [from, to]}],
      ['as arguments of a function',
        'SELECT id FROM event WHERE id >= uuid_v7_min($1) AND id < uuid_v7_min($2) ORDER BY id', [from, to]],
      ['as bounds', 'SELECT id FROM event WHERE id >= $1 AND id < $2 ORDER BY id', [from, to].map(uuidV7Min)],
    ]) {
      const found = await ids(query, values);
      check(`node-postgres: Dates ${how}: ${count} rows`, found.length === count && found.join() === right, found);
    }
  }
  await client.query('SET plan_cache_mode = force_generic_plan');
  for (const name of ['cast', 'range']) {
    const {rows} = await client.query(`EXPLAIN (COSTS OFF) EXECUTE "${name}"(NULL, NULL)`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    check(`node-postgres: the generic plan of ${name} uses the index`, /Index Cond: .*\$1/.test(plan), plan);
  }
  await client.query('RESET plan_cache_mode');
}

await checkInserts('node-postgres', async (whats) =>
  (await client.query('INSERT INTO event (what) SELECT unnest($1::text[]) RETURNING id, what', [whats])).rows);
await checkTimeColumn('node-postgres', {
  insert: async (what) => (await client.query('INSERT INTO event (what) VALUES ($1) RETURNING id', [what])).rows[0],
  since: async (date) => (await client.query(
      'SELECT id, created_at AS "createdAt" FROM event WHERE created_at >= $1 ORDER BY created_at', [date])).rows,
});
await checkTimeRanges();
await checkFails('node-postgres: a Date without a cast is taken for a UUID', '22P02',
    () => ids('SELECT id FROM event WHERE id >= $1', [moment]));
await checkFails('node-postgres: an interval is taken for a time', '42883',
    () => ids('SELECT id FROM event WHERE id >= now() - $1', ['1 day']));

// The client's bound, also in the first and the last millisecond of version 7 that a Date has.
const {rows: bounds} = await judge.query(`
    SELECT time, uuid_v7_min(time) AS id FROM (
      SELECT to_timestamp(floor(random() * 253e9) / 1000) AS time FROM generate_series(1, 2000)
      UNION ALL VALUES ('1970-01-01 00:00Z'::timestamptz), ('9999-12-31 23:59:59.999Z')) AS times`);
check('uuidV7Min is uuid_v7_min for 2,002 times',
    bounds.length === 2002 && bounds.every(({time, id}) => uuidV7Min(time) === id), bounds);
await client.end();
await judge.end();
