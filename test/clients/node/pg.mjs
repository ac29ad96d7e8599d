// node-postgres: keys by RETURNING, times as Date, and parameters without a type.
import pg from 'pg';
import {check, checkClient, checkFails, checkPlan, checkTimeColumn, moment} from './check.mjs';
import {uuidV7Min} from './uuid_v7_min.mjs';

const client = new pg.Client();
await client.connect();
await client.query('CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL)');

const ids = async (query, values) => (await client.query(query, values)).rows.map((row) => row.id);
const run = async (sql) => (await client.query(sql)).rows;

// The client's bound, also in the first and the last millisecond of version 7 that a Date has.
const {rows: bounds} = await client.query(`
    SELECT time, uuid_v7_min(time) AS id FROM (
      SELECT to_timestamp(floor(random() * 253e9) / 1000) AS time FROM generate_series(1, 2000)
      UNION ALL VALUES ('1970-01-01 00:00Z'::timestamptz), ('9999-12-31 23:59:59.999Z')) AS times`);
check('uuidV7Min is uuid_v7_min for 2,002 times',
    bounds.length === 2002 && bounds.every(({time, id}) => uuidV7Min(time) === id), bounds);

// Inserts a row as the page does.
async function insertOne(what) {
  const {rows: [event]} = await client.query('INSERT INTO event (what) VALUES ($1) RETURNING id', [what]);
  const generatedAt = new Date(parseInt(event.id.replace('-', '').slice(0, 12), 16));
  const {rows: [{time}]} = await client.query('SELECT uuid_extract_time($1) AS time', [event.id]);
  check('node-postgres: the time that JavaScript reads in a key', time.getTime() === generatedAt.getTime(),
      [time, generatedAt]);
}

async function since(date) {
  const {rows} = await client.query({
    name: 'since',
    text: 'SELECT id, what FROM event WHERE id >= $1::timestamptz ORDER BY id',
    values: [date],
  });
  return rows.map((row) => row.id);
}

await checkClient('node-postgres', {
  insert: async (whats) =>
    (await client.query('INSERT INTO event (what) SELECT unnest($1::text[]) RETURNING id, what', [whats])).rows,
  since,
  between: (from, to) => ids({
    name: 'between', text: 'SELECT id FROM event WHERE id <@ tstzrange($1, $2) ORDER BY id', values: [from, to]}),
  bounds: (first, end) => ids('SELECT id FROM event WHERE id >= $1 AND id < $2 ORDER BY id', [first, end]),
  time: async (id) => (await client.query('SELECT uuid_extract_time($1) AS time', [id])).rows[0].time,
  noCast: (date) => ids('SELECT id FROM event WHERE id >= $1', [date]),
});
await insertOne('first');
await checkPlan('node-postgres, >=', run, 'since');
await checkPlan('node-postgres, <@', run, 'between');

await checkFails('node-postgres: an interval is taken for a time', '42883',
    () => ids('SELECT id FROM event WHERE id >= now() - $1', ['1 day']));
const sinceYesterday = await ids('SELECT id FROM event WHERE id >= now() - $1::interval', ['1 day']);
check('node-postgres: an interval with a cast', sinceYesterday.length >= 550, sinceYesterday.length);
const minimum = await ids('SELECT id FROM event WHERE id >= uuid_v7_min($1) ORDER BY id', [moment]);
check('node-postgres: the argument of a function needs no cast', minimum.join() === (await since(moment)).join(),
    minimum.length);
await checkTimeColumn('node-postgres', {
  insert: async (what) => (await client.query('INSERT INTO event (what) VALUES ($1) RETURNING id', [what])).rows[0],
  since: async (date) => (await client.query(
      'SELECT id, created_at AS "createdAt" FROM event WHERE created_at >= $1 ORDER BY created_at', [date])).rows,
});

// A pool alternates between sessions: only the keys of uuid_v7_server() stay in order.
const pool = new pg.Pool({max: 2});
const sessions = [await pool.connect(), await pool.connect()];
const keys = [];
for (let i = 0; i < 200; ++i) {
  const {rows: [row]} = await sessions[i % 2].query('SELECT uuid_v7_server() AS id, pg_backend_pid() AS session');
  keys.push(row);
}
check('node-postgres: uuid_v7_server() is in order across the sessions of a pool',
    keys.every((row, i) => i === 0 || (keys[i - 1].id < row.id && keys[i - 1].session !== row.session)), keys);
sessions.forEach((session) => session.release());
await pool.end();
await client.end();
