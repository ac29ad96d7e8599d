// postgres.js: the client asks for the types of parameters.
import postgres from 'postgres';
import {checkInserts, checkTimeColumn, judge} from './check.mjs';

const sql = postgres({max: 1});
await sql`CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL)`;

await checkInserts('postgres.js', async (whats) =>
  [...await sql`INSERT INTO event ${sql(whats.map((what) => ({what})))} RETURNING id, what`]);
await checkTimeColumn('postgres.js', {
  insert: async (what) => (await sql`INSERT INTO event (what) VALUES (${what}) RETURNING id`)[0],
  since: (date) => sql`SELECT id, created_at AS "createdAt" FROM event WHERE created_at >= ${date} ORDER BY created_at`,
});
await sql.end();
await judge.end();
