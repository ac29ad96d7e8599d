// node-pg-migrate: what a migration creates.
import {mkdirSync, writeFileSync} from 'node:fs';
import {runner} from 'node-pg-migrate';
import {checkCycle, judge} from './check.mjs';

const up = (pgm) => pgm.createTable('event', {
  // [doc: migration]
  id: {type: 'uuid', primaryKey: true, default: pgm.func('uuid_v7()'), check: 'uuid_is_v7(id)'},
  created_at: {type: 'timestamptz', expressionGenerated: 'uuid_extract_v7_time(id)'},
  // [end]
  what: {type: 'text', notNull: true},
});
mkdirSync('migrations');
writeFileSync('migrations/1_event.mjs', `export const up = ${up};`);
const options = {dbClient: judge, dir: 'migrations', migrationsTable: 'migration', log() {}};
for (const direction of ['up', 'down', 'up']) {
  await runner({...options, direction});
}
await checkCycle('node-pg-migrate', 'stored', await runner({...options, direction: 'up'}));
await judge.end();
