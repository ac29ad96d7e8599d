// TypeORM with node-postgres.
import {And, DataSource, EntitySchema, LessThan, MoreThanOrEqual, Raw} from 'typeorm';
import {check, checkClient} from './check.mjs';

const {PGDATABASE, PGUSER, PGHOST, PGPORT} = process.env;

// Connects with a schema whose key has these options.
async function connect(id, synchronize) {
  const schema = new EntitySchema({name: 'Event', tableName: 'event', columns: {id, what: {type: 'text'}}});
  const source = new DataSource({type: 'postgres', host: PGHOST, port: Number(PGPORT), username: PGUSER,
    database: PGDATABASE, entities: [schema], synchronize, poolSize: 1});
  return source.initialize();
}

const key = {
  // [doc: schema]
  type: 'uuid', primary: true, default: () => 'uuid_v7()',
  // [end]
};
const source = await connect(key, true);
const repository = source.getRepository('Event');
const order = {id: 'ASC'};
const ids = async (query) => (await query).map((row) => row.id);

async function between(since, until) {
  // [doc: between]
  const events = await repository.find({
    where: {id: Raw((id) => `${id} >= :since::timestamptz AND ${id} < :until::timestamptz`, {since, until})},
    order: {id: 'ASC'},
  });
  // [end]
  return events.map((event) => event.id);
}

async function timeOf(id) {
  // [doc: time]
  const {time} = await repository.createQueryBuilder('event')
      .select('uuid_extract_time(event.id)', 'time').where({id}).getRawOne();
  // [end]
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
const generated = await connect({...key, generated: 'uuid'}, false);
check("TypeORM: generated: 'uuid' would replace the default",
    (await changes(generated)).join() === 'ALTER TABLE "event" ALTER COLUMN "id" SET DEFAULT uuid_generate_v4()',
    await changes(generated));
await generated.destroy();
