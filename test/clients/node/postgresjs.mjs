// postgres.js: the client asks for the types of parameters, and sends a Date as timestamptz.
import postgres from 'postgres';
import {check, checkClient, checkTimeColumn} from './check.mjs';

const sql = postgres({max: 1});
await sql`CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL)`;

async function insert(whats) {
  const rows = whats.map((what) => ({what}));
  const events = await sql`INSERT INTO event ${sql(rows)} RETURNING id, what`;
  return [...events];
}

async function between(since, until) {
  const events = await sql`SELECT id, what FROM event WHERE id >= ${since} AND id < ${until} ORDER BY id`;
  return events.map((row) => row.id);
}

const ids = async (query) => (await query).map((row) => row.id);
await checkClient('postgres.js', {
  insert,
  since: (date) => ids(sql`SELECT id FROM event WHERE id >= ${date}::timestamptz ORDER BY id`),
  between,
  bounds: (first, end) => ids(sql`SELECT id FROM event WHERE id >= ${first} AND id < ${end} ORDER BY id`),
  time: async (id) => (await sql`SELECT uuid_extract_time(${id}) AS time`)[0].time,
});
const range = await ids(sql`SELECT id FROM event
    WHERE id <@ tstzrange(${new Date('2026-03-01T06:00Z')}, ${new Date('2026-03-01T07:00Z')})`);
check('postgres.js: so it is as an argument', range.length === 400, range.length);
const [{types}] = await sql`SELECT array_to_string(parameter_types, ',') AS types FROM pg_prepared_statements
    WHERE statement LIKE 'SELECT id, what FROM event%'`;
check('postgres.js: a Date is sent as timestamptz',
    types === 'timestamp with time zone,timestamp with time zone', types);
await checkTimeColumn('postgres.js', {
  insert: async (what) => (await sql`INSERT INTO event (what) VALUES (${what}) RETURNING id`)[0],
  since: (date) => sql`SELECT id, created_at AS "createdAt" FROM event WHERE created_at >= ${date} ORDER BY created_at`,
});
await sql.end();
