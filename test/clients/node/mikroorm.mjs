// MikroORM, which writes values into the statement.
import {EntitySchema, MikroORM, raw} from '@mikro-orm/postgresql';
import {check, checkClient, checkTimeColumn} from './check.mjs';

const {PGDATABASE, PGUSER, PGHOST, PGPORT} = process.env;
const Event = new EntitySchema({name: 'Event', tableName: 'event', properties: {
  id: {type: 'uuid', primary: true, defaultRaw: 'uuid_v7()'},
  what: {type: 'text'},
}});
const orm = await MikroORM.init({entities: [Event], host: PGHOST, port: Number(PGPORT), user: PGUSER,
  dbName: PGDATABASE, pool: {min: 1, max: 1}});
await orm.schema.createSchema();
const em = orm.em.fork();
const orderBy = {id: 'asc'};
const ids = async (query) => (await query).map((row) => row.id);

async function between(since, until) {
  const events = await em.find(Event, {[raw('id <@ tstzrange(?, ?)', [since, until])]: []}, {orderBy: {id: 'asc'}});
  return events.map((event) => event.id);
}

async function timeOf(id) {
  const {time} = await em.createQueryBuilder(Event)
      .select(raw('uuid_extract_time(id) AS time')).where({id}).execute('get');
  return new Date(time);
}

await checkClient('MikroORM', {
  insert: async (whats) => {
    const events = whats.map((what) => em.create(Event, {what}));
    await em.flush();
    return events;
  },
  since: (date) => ids(em.find(Event, {id: {$gte: raw('?::timestamptz', [date])}}, {orderBy})),
  between,
  bounds: (first, end) => ids(em.find(Event, {id: {$gte: first, $lt: end}}, {orderBy})),
  time: timeOf,
  noCast: (date) => em.count(Event, {id: {$gte: date}}),
});
const [{column_default: made}] = await em.execute(
    "SELECT column_default FROM information_schema.columns WHERE table_name = 'event' AND column_name = 'id'");
check('MikroORM: the schema has the default', made === 'uuid_v7()', made);
await orm.close();

const TimedEvent = new EntitySchema({name: 'TimedEvent', tableName: 'event', properties: {
  // [doc: schema]
  id: {type: 'uuid', primary: true, defaultRaw: 'uuid_v7()'},
  createdAt: {type: 'datetime', formula: (alias) => `uuid_extract_v7_time(${alias}.id)`},
  // [end]
  what: {type: 'text'},
}});
const timed = await MikroORM.init({entities: [TimedEvent], host: PGHOST, port: Number(PGPORT), user: PGUSER,
  dbName: PGDATABASE, pool: {min: 1, max: 1}});
await checkTimeColumn('MikroORM', {
  insert: async (what) => {
    const own = timed.em.fork();
    const event = own.create(TimedEvent, {what});
    await own.flush();
    return event;
  },
  since: (date) => timed.em.fork().find(TimedEvent, {createdAt: {$gte: date}}, {orderBy: {createdAt: 'asc'}}),
});
await timed.close();
