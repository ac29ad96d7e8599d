// Knex with node-postgres: the default of a migration, keys by returning(), times as Date.
import knex from 'knex';
import {checkClient, checkPlan, checkTimeColumn, moment} from './check.mjs';

// One session, so that keys are in order and a prepared statement exists.
const db = knex({client: 'pg', connection: {}, pool: {min: 1, max: 1}});

async function up(knex) {
  await knex.schema.createTable('event', (table) => {
    // [doc: migration]
    table.uuid('id').primary().defaultTo(knex.raw('uuid_v7()'));
    // [end]
    table.text('what').notNullable();
  });
}

await up(db);
const since = (date) =>
  db('event').where('id', '>=', db.raw('?::timestamptz', [date])).orderBy('id');
const between = (from, to) =>
  db('event').whereRaw('id <@ tstzrange(?, ?)', [from, to]).orderBy('id');
const ids = async (query) => (await query).map((row) => row.id);

await checkClient('Knex', {
  insert: (whats) => db('event').insert(whats.map((what) => ({what}))).returning(['id', 'what']),
  since: (date) => ids(since(date)),
  between: (from, to) => ids(between(from, to)),
  bounds: (first, end) => ids(db('event').where('id', '>=', first).where('id', '<', end).orderBy('id')),
  time: async (id) => (await db('event').where({id}).first(db.raw('uuid_extract_time(id) AS time'))).time,
  noCast: (date) => ids(db('event').where('id', '>=', date)),
});

// Knex prepares no named statement, so its text is prepared here.
const textOf = (query) => query.toSQL().toNative().sql;
const run = async (sql) => (await db.raw(sql)).rows;
await checkPlan('Knex, >=', run, 'since', textOf(since(moment)));
await checkPlan('Knex, <@', run, 'between', textOf(between(moment, moment)));
await checkTimeColumn('Knex', {
  insert: async (what) => (await db('event').insert({what}).returning('*'))[0],
  since: (date) => db('event').select('id', {createdAt: 'created_at'})
      .where('created_at', '>=', date).orderBy('created_at'),
});
await db.destroy();
