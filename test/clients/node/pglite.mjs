// PGlite, which is PostgreSQL in WebAssembly: with the plain SQL file, it has the results of the extension.
import {readFileSync} from 'node:fs';
import {PGlite} from '@electric-sql/pglite';
import {check, judge} from './check.mjs';

const db = new PGlite();
const rows = async (sql, values) => (await db.query(sql, values)).rows;
// [doc: install]
await db.exec(`BEGIN; CREATE SCHEMA uuidx; SET LOCAL search_path = uuidx, pg_temp;
    ${readFileSync('uuidx.sql', 'utf8')}; COMMIT; SET search_path = public, uuidx`);
// [end]
const [{version}] = await rows('SELECT version()');
console.log(`using ${version.split(' on ')[0]}`);

// Runs a query there and on the server, whose text must be the same.
async function checkSame(what, sql, values) {
  const there = await rows(sql, values);
  const {rows: here} = await judge.query(sql, values);
  check(`PGlite: ${what} as on the server`, here.length > 0 && JSON.stringify(there) === JSON.stringify(here),
      [there, here]);
}

await db.exec('SET TimeZone = UTC');
await judge.query('SET TimeZone = UTC');
// A UUID of each version, the nil UUID, and the max UUID.
const ids = [...'134678'].map((version) => `c232ab00-9414-${version}1ec-b3c8-9f6bdeced846`)
    .concat('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
await checkSame('fields and times', `SELECT CAST(uuid_inspect(id) AS text), CAST(uuid_extract_time_precise(id) AS text)
    FROM unnest($1::uuid[]) AS id`, [ids]);
await checkSame('other text formats', `
    SELECT written, uuid_decode(written, format), uuid_from_typeid(uuid_to_typeid(id, 'user'))
    FROM unnest($1::uuid[]) AS id,
      unnest('{ulid,base32hex,base58,base64url,hex,urn,decimal}'::text[]) AS format,
      LATERAL uuid_encode(id, format) AS written`, [ids]);
await checkSame('UUIDs of names', `
    SELECT uuid_v3(id, 'name'), uuid_v8_hash('SHA-256', id, 'name'), uuid_v7_at('2026-03-01Z', id, 'name')
    FROM unnest($1::uuid[]) AS id`, [ids]);
await checkSame('bounds', `
    SELECT uuid_v7_min(ts), uuid_v7_max(ts), uuid_v6_min(ts), uuid_v6_max(ts), uuid_v7_lower(tstzrange(ts, NULL))
    FROM unnest('{-infinity,1969-12-31Z,2026-03-01 12:34:56.789123Z,5236-04-01Z,infinity}'::timestamptz[]) AS ts`);

await db.exec(`CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL);
    INSERT INTO event SELECT uuid_v7_at(timestamptz '2026-03-01Z' + n * interval '1 minute'), n
      FROM generate_series(0, 9999) AS n;
    ANALYZE event`);
const start = Date.now();
const made = await rows("INSERT INTO event (what) SELECT n FROM generate_series(1, 500) AS n RETURNING id");
check('PGlite: keys increase', made.every(({id}, i) => id[14] === '7' && (i === 0 || made[i - 1].id < id)), made);
const since = 'SELECT count(*)::int AS count FROM event WHERE id >= $1::timestamptz';
const [{count}] = await rows(since, [new Date(start)]);
check('PGlite: they are found by their time', count === 500, count);
const day = "SELECT count(*)::int AS count FROM event WHERE id <@ tstzrange('2026-03-02Z', '2026-03-03Z')";
const [{count: rowsOfDay}] = await rows(day);
check('PGlite: the rows of a day', rowsOfDay === 1440, rowsOfDay);
const plan = (await rows(`EXPLAIN (COSTS OFF) ${day}`)).map((row) => row['QUERY PLAN']).join('\n');
check('PGlite: by the index of the key', /Index.* Scan using event_pkey/.test(plan) && /Index Cond/.test(plan), plan);
await judge.end();
await db.close();
