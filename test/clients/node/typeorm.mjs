// TypeORM with node-postgres.
import {And, DataSource, EntitySchema, LessThan, MoreThanOrEqual, Raw} from 'typeorm';
import {check, checkClient, checkTimeColumn} from './check.mjs';

const {PGDATABASE, PGUSER, PGHOST, PGPORT} = process.env;

// Connects with a schema that has these columns and what.
async function connect(columns, synchronize) {
  const schema = new EntitySchema({name: 'Event', tableName: 'event', columns: {...columns, what: {type: 'text'}}});
  const source = new DataSource({type: 'postgres', host: PGHOST, port: Number(PGPORT), username: PGUSER,
    database: PGDATABASE, entities: [schema], synchronize, poolSize: 1});
  return source.initialize();
}

const key = {
  type: 'uuid', primary: true, default: () => 'uuid_v7()',
};
const source = await connect({id: key}, true);
const repository = source.getRepository('Event');
const order = {id: 'ASC'};
const ids = async (query) => (await query).map((row) => row.id);

async function between(since, until) {
  const events = await repository.find({
    where: {id: Raw((id) => `${id} >= :since::timestamptz AND ${id} < :until::timestamptz`, {since, until})},
    order: {id: 'ASC'},
  });
  return events.map((event) => event.id);
}

async function timeOf(id) {
  const {time} = await repository.createQueryBuilder('event')
      .select('uuid_extract_time(event.id)', 'time').where({id}).getRawOne();
  return time;
}

await checkClient('TypeORM', {
  insert: (whats) => repository.save(whats.map((what) => ({what}))),
  since: (since) => ids(repository.createQueryBuilder('event')
      .where('event.id >= :since::timestamptz', {since}).orderBy('event.id').getMany()),
  between,
  bounds: (first, end) => ids(repository.find({where: {id: And(MoreThanOrEqual(first), LessThan(end))}, order})),
  time: timeOf,
  noCast: (date) => repository.countBy({id: MoreThanOrEqual(date)}),
});

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
