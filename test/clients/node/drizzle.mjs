// Drizzle with node-postgres: the default of the schema, keys by returning(), times as Date.
import {asc, gte, lt, sql} from 'drizzle-orm';
import {drizzle} from 'drizzle-orm/node-postgres';
import {pgTable, text, uuid} from 'drizzle-orm/pg-core';

const event = pgTable('event', {
  // [doc: schema]
  id: uuid('id').primaryKey().default(sql`uuid_v7()`),
  // [end]
  what: text('what').notNull(),
});
import pg from 'pg';
import {check, checkFails, checkMade, checkPeriod, checkPlan, checkSince, close, fill, moment} from './check.mjs';

const client = new pg.Client();
await client.connect();
const db = drizzle(client);
// Creates the table, whose key has the type and the default of the schema.
await db.execute(sql`CREATE TABLE ${event} (${sql.identifier(event.id.name)} ${sql.raw(event.id.getSQLType())}
    PRIMARY KEY DEFAULT ${event.id.default}, what text NOT NULL)`);

async function insert(whats) {
  const rows = await db.insert(event).values(whats.map((what) => ({what}))).returning();
  return rows;
}

const start = Date.now();
const made = [];
for (let i = 0; i < 50; ++i) {
  made.push(...await insert([`one ${i}`]));
}
await checkMade('Drizzle, a row at a time', made, start);
const many = Array.from({length: 500}, (_, i) => `many ${i}`);
const rows = await insert(many);
check('Drizzle, many rows: all are back, in order', rows.map((row) => row.what).join() === many.join(), rows);
await checkMade('Drizzle, many rows', rows, start);

await fill();

async function since(date) {
  // [doc: since]
  const rows = await db.select().from(event)
      .where(gte(event.id, sql`${date}::timestamptz`)).orderBy(asc(event.id));
  // [end]
  return rows.map((row) => row.id);
}

async function between(from, to) {
  // [doc: between]
  const rows = await db.select().from(event)
      .where(sql`${event.id} <@ tstzrange(${from}, ${to})`).orderBy(asc(event.id));
  // [end]
  return rows.map((row) => row.id);
}

await checkSince('Drizzle, >=', since);
await checkPeriod('Drizzle, <@', between);

// Named statements, for their plans.
const prepared = db.select().from(event)
    .where(gte(event.id, sql`${sql.placeholder('date')}::timestamptz`)).orderBy(asc(event.id)).prepare('since');
const preparedSince = async (date) => (await prepared.execute({date})).map((row) => row.id);
const preparedPeriod = db.select().from(event)
    .where(sql`${event.id} <@ tstzrange(${sql.placeholder('from')}, ${sql.placeholder('to')})`).prepare('between');
await checkSince('Drizzle, prepared', preparedSince);
await preparedPeriod.execute({from: moment, to: moment});
const run = async (text) => (await client.query(text)).rows;
await checkPlan('Drizzle, >=', run, 'since');
await checkPlan('Drizzle, <@', run, 'between');
await checkSince('Drizzle, prepared, by a generic plan', preparedSince);

await checkFails('Drizzle: a Date without a cast is taken for a UUID', '22P02',
    db.select().from(event).where(lt(event.id, moment)));

// Drizzle stops node-postgres from converting a time to a Date.
const timeOf = async (time) => (await db.select({time}).from(event).orderBy(asc(event.id)).limit(1))[0].time;
check('Drizzle: a time comes as text', typeof await timeOf(sql`uuid_extract_time(${event.id})`) === 'string',
    await timeOf(sql`uuid_extract_time(${event.id})`));
// [doc: time]
const time = sql`uuid_extract_time(${event.id})`.mapWith((text) => new Date(text));
// [end]
const first = await timeOf(time);
check('Drizzle: mapWith makes a Date of it', first?.toISOString?.() === '2026-03-01T00:00:00.000Z', first);

await client.end();
await close();
