// TypeORM with node-postgres.
import {DataSource, EntitySchema, MoreThanOrEqual} from 'typeorm';
import {check, checkCycle, checkInserts, checkTimeColumn, judge} from './check.mjs';

const {PGDATABASE, PGUSER, PGHOST, PGPORT} = process.env;

// Connects with a schema that has these columns and what.
async function connect(columns, options) {
  const schema = new EntitySchema({name: 'Event', tableName: 'event', columns: {...columns, what: {type: 'text'}},
    ...options});
  const source = new DataSource({type: 'postgres', host: PGHOST, port: Number(PGPORT), username: PGUSER,
    database: PGDATABASE, entities: [schema], poolSize: 1});
  return source.initialize();
}

// Returns what synchronization would change.
const changes = async (source) => (await source.driver.createSchemaBuilder().log()).upQueries.map(({query}) => query);

const columns = {
  // [doc: schema]
  id: {type: 'uuid', primary: true, default: () => 'uuid_v7()'},
  createdAt: {name: 'created_at', type: 'timestamptz', generatedType: 'STORED',
    asExpression: 'uuid_extract_v7_time(id)', nullable: true, insert: false, update: false},
  // [end]
};
const source = await connect(columns, {
  // [doc: check]
  checks: [{expression: 'uuid_is_v7(id)'}],
  // [end]
});
await source.synchronize();
await checkCycle('TypeORM', 'stored', await changes(source));
const repository = source.getRepository('Event');
await checkInserts('TypeORM', (whats) => repository.save(whats.map((what) => ({what}))));
await checkTimeColumn('TypeORM', {
  insert: (what) => repository.save({what}),
  since: (date) => repository.find({where: {createdAt: MoreThanOrEqual(date)}, order: {createdAt: 'ASC'}}),
});
await source.destroy();

const other = await connect({...columns, id: {...columns.id, generated: 'uuid'}});
const [drop, replace, ...more] = await changes(other);
check("TypeORM: generated: 'uuid' would replace the default, and a model without the CHECK drop it",
    /^ALTER TABLE "event" DROP CONSTRAINT "CHK_\w+"$/.test(drop) && more.length === 0 &&
    replace === 'ALTER TABLE "event" ALTER COLUMN "id" SET DEFAULT uuid_generate_v4()', [drop, replace, more]);
await other.destroy();
await judge.end();
