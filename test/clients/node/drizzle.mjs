// Drizzle with node-postgres and with postgres.js, which sends no Date.
import {asc, gte} from 'drizzle-orm';
import {drizzle} from 'drizzle-orm/node-postgres';
import {drizzle as drizzleWithPostgresJs} from 'drizzle-orm/postgres-js';
// [doc: imports]
import {sql} from 'drizzle-orm';
import {pgTable, text, timestamp, uuid} from 'drizzle-orm/pg-core';
// [end]
import pg from 'pg';
import postgres from 'postgres';
import {check, checkFails, checkInserts, checkTimeColumn, judge, moment} from './check.mjs';

const event = pgTable('event', {
  // [doc: schema]
  id: uuid('id').primaryKey().default(sql`uuid_v7()`),
  createdAt: timestamp('created_at', {withTimezone: true}).generatedAlwaysAs(sql`uuid_extract_timestamp(id)`),
  // [end]
  what: text('what').notNull(),
});
const client = new pg.Client();
await client.connect();
const db = drizzle(client);
// Creates the table, whose key has the type and the default of the schema.
await db.execute(sql`CREATE TABLE ${event} (${sql.identifier(event.id.name)} ${sql.raw(event.id.getSQLType())}
    PRIMARY KEY DEFAULT ${event.id.default}, what text NOT NULL)`);
await db.execute('CALL add_time_column()');
await checkInserts('Drizzle', (whats) => db.insert(event).values(whats.map((what) => ({what}))).returning());
await checkTimeColumn('Drizzle', {
  insert: async (what) => (await db.insert(event).values({what}).returning())[0],
  since: (date) => db.select().from(event).where(gte(event.createdAt, date)).orderBy(asc(event.createdAt)),
});

const connection = postgres({max: 1});
const other = drizzleWithPostgresJs(connection);
const since = (time) => other.select().from(event).where(gte(event.id, sql`${time}::timestamptz`));
const found = await since(moment.toISOString());
check('Drizzle with postgres.js: toISOString()', found.length > 4000, found.length);
await checkFails('Drizzle with postgres.js: a Date fails', 'ERR_INVALID_ARG_TYPE', () => since(moment));
const [row] = await other.insert(event).values({what: 'postgres.js'}).returning();
check('Drizzle with postgres.js: INSERT returns a key', row.id[14] === '7', row);
await connection.end();
await client.end();
await judge.end();
