// Drizzle, with times of the server in milliseconds, as those of a Date.
import {and, desc, eq, gte, lt, sql} from 'drizzle-orm';
import {drizzle} from 'drizzle-orm/node-postgres';
import {index, integer, pgTable, text, timestamp, uuid} from 'drizzle-orm/pg-core';
import {generateDrizzleJson, generateMigration, pushSchema} from 'drizzle-kit/api';
import pg from 'pg';
import {ordinary} from './ordinary.mjs';

const entry = pgTable('entry', {
  id: uuid('id').primaryKey().default(sql`uuid_v7()`),
  createdAt: timestamp('created_at', {withTimezone: true, precision: 3}).notNull().defaultNow(),
  what: text('what').notNull().unique(),
  n: integer('n').notNull().default(0),
}, (table) => [index('entry_created_at').on(table.createdAt), index('entry_n').on(table.n)]);
const {id, createdAt, what, n} = entry;
const client = new pg.Client();
await client.connect();
const db = drizzle(client);
const day = sql`date(${createdAt})`;
const rowsWhere = (condition) => db.select().from(entry).where(condition);

await ordinary({
  create: async () => {
    for (const statement of await generateMigration(generateDrizzleJson({}), generateDrizzleJson({entry}))) {
      await db.execute(statement);
    }
  },
  end: () => client.end(),
  insert: (rows) => db.insert(entry).values(rows).returning(),
  upsert: (rows) => db.insert(entry).values(rows).onConflictDoUpdate({target: what, set: {n: sql`excluded.n`}}),
  update: (row, n) => db.update(entry).set({n}).where(eq(id, row.id)),
  at: (time) => rowsWhere(eq(createdAt, time)),
  by: (number) => rowsWhere(eq(n, number)),
  day: (since, until) => rowsWhere(and(gte(createdAt, since), lt(createdAt, until))).orderBy(createdAt),
  page: (row) => rowsWhere(sql`(${createdAt}, ${id}) < (${row.createdAt.toISOString()}, ${row.id})`)
      .orderBy(desc(createdAt), desc(id)).limit(50),
  days: async (since, until) => (await db.select({rows: sql`count(*)::int`}).from(entry)
      .where(and(gte(createdAt, since), lt(createdAt, until))).groupBy(day).orderBy(day)).map(({rows}) => rows),
  changes: async () => (await pushSchema({entry}, db, ['public'], ['entry'])).statementsToExecute,
});
