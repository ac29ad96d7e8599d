// node-postgres: keys by RETURNING, times as Date, and parameters without a type.
import pg from 'pg';
import {check, checkFails, checkInserts, checkTimeColumn, judge, moment, rowsSince} from './check.mjs';

const client = new pg.Client();
await client.connect();
await client.query('CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL)');
await checkInserts('node-postgres', async (whats) =>
  (await client.query('INSERT INTO event (what) SELECT unnest($1::text[]) RETURNING id, what', [whats])).rows);
await checkTimeColumn('node-postgres', {
  insert: async (what) => (await client.query('INSERT INTO event (what) VALUES ($1) RETURNING id', [what])).rows[0],
  since: async (date) => (await client.query(
      'SELECT id, created_at AS "createdAt" FROM event WHERE created_at >= $1 ORDER BY created_at', [date])).rows,
});
const since = (condition) => client.query(`SELECT FROM event WHERE ${condition}`, [moment]);
const {rowCount} = await since('id >= $1::timestamptz');
check('node-postgres: with a cast, a Date is a time', rowCount > rowsSince, rowCount);
await checkFails('node-postgres: without, it is taken for a UUID', '22P02', () => since('id >= $1'));
await client.end();
await judge.end();
