// Kysely with node-postgres.
import {Kysely, PostgresDialect, sql} from 'kysely';
import pg from 'pg';
import {checkInserts, checkTimeColumn, judge} from './check.mjs';

const db = new Kysely({dialect: new PostgresDialect({pool: new pg.Pool({max: 1})})});
await db.schema.createTable('event')
    // [doc: migration]
    .addColumn('id', 'uuid', (column) => column.primaryKey().defaultTo(sql`uuid_v7()`))
    // [end]
    .addColumn('what', 'text', (column) => column.notNull())
    .execute();
await checkInserts('Kysely', (whats) =>
  db.insertInto('event').values(whats.map((what) => ({what}))).returningAll().execute());
await checkTimeColumn('Kysely', {
  insert: (what) => db.insertInto('event').values({what}).returningAll().executeTakeFirst(),
  since: (date) => db.selectFrom('event').select(['id', 'created_at as createdAt'])
      .where('created_at', '>=', date).orderBy('created_at').execute(),
});
await db.destroy();
await judge.end();
