// Knex with node-postgres: the default of a migration, keys by returning(), times as Date.
import connect from 'knex';
import {checkCycle, checkInserts, checkTimeColumn, judge} from './check.mjs';

// One session, so that keys are in order.
const knex = connect({client: 'pg', connection: {}, pool: {min: 1, max: 1}});
const down = (knex) => knex.schema.dropTable('event');
const up = (knex) => knex.schema.createTable('event', (table) => {
  // [doc: migration]
  table.uuid('id').primary().defaultTo(knex.raw('uuid_v7()'));
  table.specificType('created_at', 'timestamptz GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED');
  table.check('uuid_is_v7(id)');
  // [end]
  table.text('what').notNullable();
});
const migrationSource = {getMigrations: async () => ['event'], getMigrationName: (name) => name,
  getMigration: () => ({up, down})};
await knex.migrate.latest({migrationSource});
await checkCycle('Knex', 'stored', (await knex.migrate.list({migrationSource}))[1]);
await checkInserts('Knex', (whats) => knex('event').insert(whats.map((what) => ({what}))).returning(['id', 'what']));
await checkTimeColumn('Knex', {
  insert: async (what) => (await knex('event').insert({what}).returning('*'))[0],
  since: (date) => knex('event').select('id', {createdAt: 'created_at'})
      .where('created_at', '>=', date).orderBy('created_at'),
});
await knex.destroy();
await judge.end();
