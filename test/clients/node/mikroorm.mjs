// MikroORM, which writes values into the statement.
import {EntitySchema, MikroORM} from '@mikro-orm/postgresql';
import {check, checkInserts, checkTimeColumn, judge} from './check.mjs';

const {PGDATABASE, PGUSER, PGHOST, PGPORT} = process.env;
const Event = new EntitySchema({name: 'Event', tableName: 'event', properties: {
  // [doc: schema]
  id: {type: 'uuid', primary: true, defaultRaw: 'uuid_v7()'},
  createdAt: {type: 'datetime', formula: (alias) => `uuid_extract_v7_time(${alias}.id)`},
  // [end]
  what: {type: 'text'},
}});
const orm = await MikroORM.init({entities: [Event], host: PGHOST, port: Number(PGPORT), user: PGUSER,
  dbName: PGDATABASE, pool: {min: 1, max: 1}});
await orm.schema.createSchema();
const {rows: [{column_default: made}]} = await judge.query(
    "SELECT column_default FROM information_schema.columns WHERE table_name = 'event' AND column_name = 'id'");
check('MikroORM: the schema has the default', made === 'uuid_v7()', made);

async function insert(whats) {
  const em = orm.em.fork();
  const events = whats.map((what) => em.create(Event, {what}));
  await em.flush();
  return events;
}

await checkInserts('MikroORM', insert);
await checkTimeColumn('MikroORM', {
  insert: async (what) => (await insert([what]))[0],
  since: (date) => orm.em.fork().find(Event, {createdAt: {$gte: date}}, {orderBy: {createdAt: 'asc'}}),
});
await orm.close();
await judge.end();
