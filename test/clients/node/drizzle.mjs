// Drizzle with node-postgres and with postgres.js, which sends no Date.
import {and, asc, eq, gte, lt} from 'drizzle-orm';
import {drizzle} from 'drizzle-orm/node-postgres';
import {drizzle as drizzleWithPostgresJs} from 'drizzle-orm/postgres-js';
// [doc: imports]
import {sql} from 'drizzle-orm';
import {pgTable, text, timestamp, uuid} from 'drizzle-orm/pg-core';
// [end]
import pg from 'pg';
import postgres from 'postgres';
import {check, checkClient, checkFails, checkPlan, checkTimeColumn, moment, next} from './check.mjs';

const event = pgTable('event', {
  id: uuid('id').primaryKey().default(sql`uuid_v7()`),
  what: text('what').notNull(),
});
const client = new pg.Client();
await client.connect();
const db = drizzle(client);
// Creates the table, whose key has the type and the default of the schema.
await db.execute(sql`CREATE TABLE ${event} (${sql.identifier(event.id.name)} ${sql.raw(event.id.getSQLType())}
    PRIMARY KEY DEFAULT ${event.id.default}, what text NOT NULL)`);

// Returns the ids of a time range, by either driver.
const betweenWith = (db) => async (since, until) => {
  const rows = await db.select().from(event)
      .where(sql`${event.id} <@ tstzrange(${since.toISOString()}, ${until.toISOString()})`).orderBy(asc(event.id));
  return rows.map((row) => row.id);
};

async function since(date) {
  const rows = await db.select().from(event)
      .where(gte(event.id, sql`${date.toISOString()}::timestamptz`)).orderBy(asc(event.id));
  return rows.map((row) => row.id);
}

async function bounds(first, end) {
  const rows = await db.select().from(event).where(and(gte(event.id, first), lt(event.id, end))).orderBy(asc(event.id));
  return rows.map((row) => row.id);
}

// Returns the time of a row's key.
async function timeOf(id) {
  const time = sql`uuid_extract_time(${event.id})`.mapWith((text) => new Date(text));
  return (await db.select({time}).from(event).where(eq(event.id, id)))[0].time;
}

await checkClient('Drizzle', {
  insert: (whats) => db.insert(event).values(whats.map((what) => ({what}))).returning(),
  since,
  between: betweenWith(db),
  bounds,
  time: timeOf,
  noCast: (date) => db.select().from(event).where(lt(event.id, date)),
});

// Named statements, for their plans.
const prepared = db.select().from(event)
    .where(gte(event.id, sql`${sql.placeholder('date')}::timestamptz`)).orderBy(asc(event.id)).prepare('since');
await prepared.execute({date: moment});
const preparedTimeRange = db.select().from(event)
    .where(sql`${event.id} <@ tstzrange(${sql.placeholder('from')}, ${sql.placeholder('to')})`).prepare('between');
await preparedTimeRange.execute({from: moment, to: moment});
const run = async (text) => (await client.query(text)).rows;
await checkPlan('Drizzle, >=', run, 'since');
await checkPlan('Drizzle, <@', run, 'between');

// Drizzle stops node-postgres from converting a time to a Date.
const [{time}] = await db.select({time: sql`uuid_extract_time(${event.id})`}).from(event).limit(1);
check('Drizzle: without mapWith, a time is text', typeof time === 'string', time);

const connection = postgres({max: 1});
const other = drizzleWithPostgresJs(connection);
const found = await betweenWith(other)(moment, next);
check('Drizzle with postgres.js: toISOString()', found.length === 3, found);
await checkFails('Drizzle with postgres.js: a Date fails', 'ERR_INVALID_ARG_TYPE',
    () => other.select().from(event).where(gte(event.id, sql`${moment}::timestamptz`)));
const [row] = await other.insert(event).values({what: 'postgres.js'}).returning();
check('Drizzle with postgres.js: INSERT returns a key', row.id[14] === '7', row);
await connection.end();

const timed = pgTable('event', {
  // [doc: schema]
  id: uuid('id').primaryKey().default(sql`uuid_v7()`),
  createdAt: timestamp('created_at', {withTimezone: true}).generatedAlwaysAs(sql`uuid_extract_timestamp(id)`),
  // [end]
  what: text('what').notNull(),
});
await checkTimeColumn('Drizzle', {
  insert: async (what) => (await db.insert(timed).values({what}).returning())[0],
  since: (date) => db.select().from(timed).where(gte(timed.createdAt, date)).orderBy(asc(timed.createdAt)),
});
await client.end();
