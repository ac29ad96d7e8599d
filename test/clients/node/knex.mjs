// Knex with node-postgres: the default of a migration, keys by returning(), times as Date.
import knex from 'knex';
import {check, checkFails, checkMade, checkPeriod, checkPlan, checkSince, close, fill, moment} from './check.mjs';

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

async function insert(whats) {
  const rows = await db('event').insert(whats.map((what) => ({what}))).returning(['id', 'what']);
  return rows;
}

const start = Date.now();
const made = [];
for (let i = 0; i < 50; ++i) {
  made.push(...await insert([`one ${i}`]));
}
await checkMade('Knex, a row at a time', made, start);
const many = Array.from({length: 500}, (_, i) => `many ${i}`);
const rows = await insert(many);
check('Knex, many rows: all are back, in order', rows.map((row) => row.what).join() === many.join(), rows);
await checkMade('Knex, many rows', rows, start);

await fill();

const sinceQuery = (date) =>
  // [doc: since]
  db('event').where('id', '>=', db.raw('?::timestamptz', [date])).orderBy('id');
  // [end]
const betweenQuery = (from, to) =>
  db('event').whereRaw('id <@ tstzrange(?, ?)', [from, to]).orderBy('id');

const ids = async (query) => (await query).map((row) => row.id);
await checkSince('Knex, >=', (date) => ids(sinceQuery(date)));
await checkPeriod('Knex, <@', (from, to) => ids(betweenQuery(from, to)));

// Knex prepares no named statement, so its text is prepared here.
const textOf = (query) => query.toSQL().toNative().sql;
const run = async (sql) => (await db.raw(sql)).rows;
await checkPlan('Knex, >=', run, 'since', textOf(sinceQuery(moment)));
await checkPlan('Knex, <@', run, 'between', textOf(betweenQuery(moment, moment)));

await checkFails('Knex: a Date without a cast is taken for a UUID', '22P02', db('event').where('id', '>=', moment));

await db.destroy();
await close();
