// Kysely with node-postgres.
import {Kysely, PostgresDialect, sql} from 'kysely';
import pg from 'pg';
import {checkClient, checkPlan, checkTimeColumn, moment} from './check.mjs';

const db = new Kysely({dialect: new PostgresDialect({pool: new pg.Pool({max: 1})})});

async function up(db) {
  await db.schema.createTable('event')
      // [doc: migration]
      .addColumn('id', 'uuid', (column) => column.primaryKey().defaultTo(sql`uuid_v7()`))
      // [end]
      .addColumn('what', 'text', (column) => column.notNull())
      .execute();
}

await up(db);
const events = () => db.selectFrom('event').selectAll().orderBy('id');
const since = (date) => {
  const query = events()
      .where('id', '>=', sql`${date}::timestamptz`);
  return query;
};
const between = (since, until) => {
  const query = events()
      .where(sql`id <@ tstzrange(${since}, ${until})`);
  return query;
};
const ids = async (query) => (await query.execute()).map((row) => row.id);

await checkClient('Kysely', {
  insert: (whats) => db.insertInto('event').values(whats.map((what) => ({what}))).returningAll().execute(),
  since: (date) => ids(since(date)),
  between: (from, to) => ids(between(from, to)),
  bounds: (first, end) => ids(events().where('id', '>=', first).where('id', '<', end)),
  time: async (id) => {
    const query = db.selectFrom('event')
        .select(({fn}) => fn('uuid_extract_time', ['id']).as('time'))
        .where('id', '=', id);
    return (await query.executeTakeFirst()).time;
  },
  noCast: (date) => ids(events().where('id', '>=', date)),
});

// Kysely prepares no named statement, so its text is prepared here.
const run = async (text) => (await sql.raw(text).execute(db)).rows;
await checkPlan('Kysely, >=', run, 'since', since(moment).compile().sql);
await checkPlan('Kysely, <@', run, 'between', between(moment, moment).compile().sql);
await checkTimeColumn('Kysely', {
  insert: (what) => db.insertInto('event').values({what}).returningAll().executeTakeFirst(),
  since: (date) => db.selectFrom('event').select(['id', 'created_at as createdAt'])
      .where('created_at', '>=', date).orderBy('created_at').execute(),
});
await db.destroy();
