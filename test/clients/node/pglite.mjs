// PGlite, which is PostgreSQL in WebAssembly: with the plain SQL file, it has the results of the extension.
import {readFileSync} from 'node:fs';
import {PGlite} from '@electric-sql/pglite';
import {check, judge} from './check.mjs';

// [doc: install]
async function open(folder) {
  const db = await PGlite.create(folder);
  const {rows: [{isThere}]} = await db.query(`SELECT to_regnamespace('uuidx') IS NOT NULL AS "isThere"`);
  if (!isThere) {
    await db.exec(`BEGIN; CREATE SCHEMA uuidx; SET LOCAL search_path = uuidx, pg_temp;
        ${readFileSync('uuidx.sql', 'utf8')}; COMMIT`);
  }
  await db.exec('SET search_path = public, uuidx');
  return db;
}
// [end]

let db = await open('./pglite');
const rows = async (sql, values) => (await db.query(sql, values)).rows;
await db.exec('CREATE TABLE note (id uuid PRIMARY KEY DEFAULT uuid_v7(), n int); INSERT INTO note (n) VALUES (1)');
await db.close();
db = await open('./pglite');
await db.exec('INSERT INTO note (n) VALUES (2)');
const [{versions}] = await rows('SELECT array_agg(uuid_extract_version(id) ORDER BY n) AS versions FROM note');
check('PGlite: a folder is opened again', String(versions) === '7,7', versions);
const [{version}] = await rows('SELECT version()');
console.log(`using ${version.split(' on ')[0]}`);

// The same query there and on the server has the same text.
await db.exec('SET TimeZone = UTC');
await judge.query('SET TimeZone = UTC');
const sql = `SELECT CAST(uuid_inspect(id) AS text), uuid_encode(id, 'base58'), uuid_v8_hash('SHA-256', id, 'name'),
      uuid_v7_min(uuid_extract_time(id))
    FROM unnest($1::uuid[]) AS id`;
const ids = [...'134678'].map((version) => `c232ab00-9414-${version}1ec-b3c8-9f6bdeced846`);
const [there, here] = [await rows(sql, [ids]), (await judge.query(sql, [ids])).rows];
check('PGlite: results as on the server', here.length === 6 && JSON.stringify(there) === JSON.stringify(here),
    [there, here]);

await db.exec(`CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL);
    INSERT INTO event SELECT uuid_v7_at(timestamptz '2026-03-01Z' + n * interval '1 minute'), n
      FROM generate_series(0, 9999) AS n;
    ANALYZE event`);
const made = await rows("INSERT INTO event (what) SELECT n FROM generate_series(1, 500) AS n RETURNING id");
check('PGlite: keys increase', made.every(({id}, i) => id[14] === '7' && (i === 0 || made[i - 1].id < id)), made);
const day = "SELECT count(*)::int AS count FROM event WHERE id <@ tstzrange('2026-03-02Z', '2026-03-03Z')";
const [{count: rowsOfDay}] = await rows(day);
check('PGlite: the rows of a day', rowsOfDay === 1440, rowsOfDay);
const plan = (await rows(`EXPLAIN (COSTS OFF) ${day}`)).map((row) => row['QUERY PLAN']).join('\n');
check('PGlite: by the index of the key', /Index.* Scan using event_pkey/.test(plan) && /Index Cond/.test(plan), plan);
await judge.end();
await db.close();
