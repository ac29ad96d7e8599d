// Drizzle with node-postgres and with postgres.js, which sends no Date.
import {asc, gte} from 'drizzle-orm';
import {drizzle} from 'drizzle-orm/node-postgres';
import {drizzle as drizzleWithPostgresJs} from 'drizzle-orm/postgres-js';
// [doc: imports]
import {sql} from 'drizzle-orm';
import {check, pgTable, text, timestamp, uuid} from 'drizzle-orm/pg-core';
// [end]
import {generateDrizzleJson, generateMigration, pushSchema} from 'drizzle-kit/api';
import pg from 'pg';
import postgres from 'postgres';
import {check as checkThat, checkCycle, checkFails, checkInserts, checkTimeColumn, judge, moment, rowsSince}
  from './check.mjs';

const columns = {
  // [doc: schema]
  id: uuid('id').primaryKey().default(sql`uuid_v7()`),
  createdAt: timestamp('created_at', {withTimezone: true}).generatedAlwaysAs(sql`uuid_extract_v7_time(id)`),
  // [end]
  what: text('what').notNull(),
};
const event = pgTable('event', columns,
// [doc: check]
(table) => [check('event_id_v7', sql`uuid_is_v7(${table.id})`)],
// [end]
);
const client = new pg.Client();
await client.connect();
const db = drizzle(client);
for (const statement of await generateMigration(generateDrizzleJson({}), generateDrizzleJson({event}))) {
  await db.execute(statement);
}
const push = async (event) => (await pushSchema({event}, db, ['public'], ['event'])).statementsToExecute.join();
await checkCycle('Drizzle', 'stored', await push(event));
const pushed = await push(pgTable('event', columns));
checkThat('Drizzle: push drops a CHECK that the model lacks', /^ALTER TABLE "event" DROP CONSTRAINT \S+$/.test(pushed),
    pushed);
await checkInserts('Drizzle', (whats) => db.insert(event).values(whats.map((what) => ({what}))).returning());
await checkTimeColumn('Drizzle', {
  insert: async (what) => (await db.insert(event).values({what}).returning())[0],
  since: (date) => db.select().from(event).where(gte(event.createdAt, date)).orderBy(asc(event.createdAt)),
});

const connection = postgres({max: 1});
const other = drizzleWithPostgresJs(connection);
const since = (time) => other.select().from(event).where(gte(event.id, sql`${time}::timestamptz`));
const found = await since(moment.toISOString());
checkThat('Drizzle with postgres.js: toISOString()', found.length > rowsSince, found.length);
await checkFails('Drizzle with postgres.js: a Date fails', 'ERR_INVALID_ARG_TYPE', () => since(moment));
const [row] = await other.insert(event).values({what: 'postgres.js'}).returning();
checkThat('Drizzle with postgres.js: INSERT returns a key', row.id[14] === '7', row);
await connection.end();
await client.end();
await judge.end();
