// MikroORM, which writes values into the statement.
import {EntitySchema, MikroORM} from '@mikro-orm/postgresql';
import {check, checkCycle, checkInserts, checkTimeColumn, judge} from './check.mjs';

const {PGDATABASE, PGUSER, PGHOST, PGPORT} = process.env;
const schema = {name: 'Event', tableName: 'event', properties: {
  // [doc: schema]
  id: {type: 'uuid', primary: true, defaultRaw: 'uuid_v7()'},
  createdAt: {type: 'datetime', columnType: 'timestamptz', nullable: true,
    generated: '(uuid_extract_v7_time(id)) stored'},
  // [end]
  what: {type: 'text'},
},
// [doc: check]
checks: [{expression: 'uuid_is_v7(id) IS TRUE'}],
// [end]
};
const Event = new EntitySchema(schema);
const connect = (entity) => MikroORM.init({entities: [entity], host: PGHOST, port: Number(PGPORT), user: PGUSER,
  dbName: PGDATABASE, pool: {min: 1, max: 1}});
const changes = async (orm) => (await orm.schema.getUpdateSchemaSQL()).match(/.*\bevent\b.*/g) ?? [];
const orm = await connect(Event);
await orm.schema.updateSchema({dropTables: false});
await checkCycle('MikroORM', 'stored', await changes(orm));
const without = await connect(new EntitySchema({...schema, checks: []}));
const updated = (await changes(without)).join();
check('MikroORM: updateSchema drops a CHECK that the model lacks',
    /^alter table "event" drop constraint \S+;$/.test(updated), updated);
await without.close();

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
