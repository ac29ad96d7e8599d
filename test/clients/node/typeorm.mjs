// TypeORM with node-postgres.
import {DataSource, EntitySchema, MoreThanOrEqual} from 'typeorm';
import {check, checkInserts, checkTimeColumn, judge} from './check.mjs';

const {PGDATABASE, PGUSER, PGHOST, PGPORT} = process.env;

// Connects with a schema that has these columns and what.
async function connect(columns, synchronize) {
  const schema = new EntitySchema({name: 'Event', tableName: 'event', columns: {...columns, what: {type: 'text'}}});
  const source = new DataSource({type: 'postgres', host: PGHOST, port: Number(PGPORT), username: PGUSER,
    database: PGDATABASE, entities: [schema], synchronize, poolSize: 1});
  return source.initialize();
}

const key = {type: 'uuid', primary: true, default: () => 'uuid_v7()'};
const source = await connect({id: key}, true);
const repository = source.getRepository('Event');
await checkInserts('TypeORM', (whats) => repository.save(whats.map((what) => ({what}))));

// Returns what synchronization would change.
const changes = async (source) => (await source.driver.createSchemaBuilder().log()).upQueries.map(({query}) => query);
check('TypeORM: the default needs no change', (await changes(source)).length === 0, await changes(source));
await source.destroy();
const generated = await connect({id: {...key, generated: 'uuid'}}, false);
check("TypeORM: generated: 'uuid' would replace the default",
    (await changes(generated)).join() === 'ALTER TABLE "event" ALTER COLUMN "id" SET DEFAULT uuid_generate_v4()',
    await changes(generated));
await generated.destroy();

const timed = await connect({
  // [doc: schema]
  id: {type: 'uuid', primary: true, default: () => 'uuid_v7()'},
  createdAt: {name: 'created_at', type: 'timestamptz', insert: false, update: false},
  // [end]
}, false);
const timedEvents = timed.getRepository('Event');
await checkTimeColumn('TypeORM', {
  insert: (what) => timedEvents.save({what}),
  since: (date) => timedEvents.find({where: {createdAt: MoreThanOrEqual(date)}, order: {createdAt: 'ASC'}}),
});
await timed.destroy();
await judge.end();
