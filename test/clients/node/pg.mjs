// node-postgres: keys by RETURNING, times as Date, and parameters without a type.
import pg from 'pg';
import {check, checkFails, checkMade, checkPeriod, checkPlan, checkSince, close, fill, moment} from './check.mjs';

const client = new pg.Client();
await client.connect();
await client.query(`
  CREATE TABLE event (
      id   uuid PRIMARY KEY DEFAULT uuid_v7(),
      what text NOT NULL
  )`);

async function insert(what) {
  // [doc: insert]
  const {rows: [event]} = await client.query('INSERT INTO event (what) VALUES ($1) RETURNING id', [what]);
  const madeAt = new Date(parseInt(event.id.replace('-', '').slice(0, 12), 16));
  // [end]
  return {id: event.id, what, madeAt};
}

const start = Date.now();
const made = [];
for (let i = 0; i < 50; ++i) {
  made.push(await insert(`one ${i}`));
}
await checkMade('node-postgres, a row at a time', made, start);

const {rows: times} = await client.query(
    'SELECT uuid_extract_time(id) AS time FROM unnest($1::uuid[]) AS id', [made.map((row) => row.id)]);
check('node-postgres: the time that JavaScript reads in a key is uuid_extract_time, as Date',
    times.length === 50 && times.every(({time}, i) => time.getTime() === made[i].madeAt.getTime()),
    [made, times]);

const many = Array.from({length: 500}, (_, i) => `many ${i}`);
const {rows} = await client.query('INSERT INTO event (what) SELECT unnest($1::text[]) RETURNING id, what', [many]);
check('node-postgres, many rows: all are back, in order', rows.map((row) => row.what).join() === many.join(), rows);
await checkMade('node-postgres, many rows', rows, start);

await fill();

async function since(date) {
  // [doc: since]
  const {rows} = await client.query({
    name: 'since',
    text: 'SELECT id, what FROM event WHERE id >= $1::timestamptz ORDER BY id',
    values: [date],
  });
  // [end]
  return rows.map((row) => row.id);
}

async function between(from, to) {
  const {rows} = await client.query({
    name: 'between',
    text: 'SELECT id, what FROM event WHERE id <@ tstzrange($1, $2) ORDER BY id',
    values: [from, to],
  });
  return rows.map((row) => row.id);
}

await checkSince('node-postgres, >=', since);
await checkPeriod('node-postgres, <@', between);
const run = async (sql) => (await client.query(sql)).rows;
await checkPlan('node-postgres, >=', run, 'since');
await checkPlan('node-postgres, <@', run, 'between');
await checkSince('node-postgres, >= by a generic plan', since);

// Without the cast, the server gets only a text, and gives it the type of the other side.
await checkFails('node-postgres: a Date without a cast is taken for a UUID', '22P02',
    client.query('SELECT id FROM event WHERE id >= $1', [moment]));
await checkFails('node-postgres: so is an interval, for a time', '42883',
    client.query('SELECT id FROM event WHERE id >= now() - $1', ['1 day']));
const sinceYesterday = await client.query('SELECT id FROM event WHERE id >= now() - $1::interval', ['1 day']);
check('node-postgres: an interval with a cast', sinceYesterday.rows.length >= 550, sinceYesterday.rows.length);
const minimum = await client.query('SELECT id FROM event WHERE id >= uuid_v7_min($1) ORDER BY id', [moment]);
check('node-postgres: the argument of a function needs no cast',
    minimum.rows.map((row) => row.id).join() === (await since(moment)).join(), minimum.rows.length);

// Pages by the key, a text that the server rightly takes for a UUID.
const pages = [];
let last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
for (let page = 0; page < 12; ++page) {
  const {rows} = await client.query('SELECT id FROM event WHERE id < $1 ORDER BY id DESC LIMIT 997', [last]);
  pages.push(...rows.map((row) => row.id));
  last = rows.at(-1)?.id;
}
const all = (await run('SELECT id FROM event ORDER BY id DESC')).map((row) => row.id);
check('node-postgres: pages have each row once', pages.join() === all.join() && all.length > 10000,
    [pages.length, all.length]);

// A pool alternates between sessions: only the keys of uuid_v7_cluster() stay in order.
const pool = new pg.Pool({max: 2});
const sessions = [await pool.connect(), await pool.connect()];
const keys = [];
for (let i = 0; i < 200; ++i) {
  const {rows: [row]} = await sessions[i % 2].query('SELECT uuid_v7_cluster() AS id, pg_backend_pid() AS session');
  keys.push(row);
}
check('node-postgres: uuid_v7_cluster() is in order across the sessions of a pool',
    keys.every((row, i) => i === 0 || (keys[i - 1].id < row.id && keys[i - 1].session !== row.session)), keys);
sessions.forEach((session) => session.release());
await pool.end();

await client.end();
await close();
