// Knex with node-postgres: the default of a migration, keys by returning(), times as Date.
import connect from 'knex';
import {checkInserts, checkTimeColumn, judge} from './check.mjs';

// One session, so that keys are in order.
const knex = connect({client: 'pg', connection: {}, pool: {min: 1, max: 1}});
await knex.schema.createTable('event', (table) => {
  // [doc: migration]
  table.uuid('id').primary().defaultTo(knex.raw('uuid_v7()'));
  // [end]
  table.text('what').notNullable();
});
await checkInserts('Knex', (whats) => knex('event').insert(whats.map((what) => ({what}))).returning(['id', 'what']));
await checkTimeColumn('Knex', {
  insert: async (what) => (await knex('event').insert({what}).returning('*'))[0],
  since: (date) => knex('event').select('id', {createdAt: 'created_at'})
      .where('created_at', '>=', date).orderBy('created_at'),
});
await knex.destroy();
await judge.end();
