// TypeORM, with times of the server in milliseconds, as those of a Date.
import {And, DataSource, EntitySchema, LessThan, MoreThanOrEqual} from 'typeorm';
import {ordinary} from './ordinary.mjs';

const {PGDATABASE, PGUSER, PGHOST, PGPORT} = process.env;
const schema = new EntitySchema({name: 'Entry', tableName: 'entry', columns: {
  id: {type: 'uuid', primary: true, default: () => 'uuid_v7()'},
  createdAt: {name: 'created_at', type: 'timestamptz', precision: 3, createDate: true},
  what: {type: 'text', unique: true},
  n: {type: 'integer', default: 0},
}, indices: [{columns: ['createdAt']}, {columns: ['n']}]});
const source = await new DataSource({type: 'postgres', host: PGHOST, port: Number(PGPORT), username: PGUSER,
  database: PGDATABASE, entities: [schema]}).initialize();
const repository = source.getRepository('Entry');

await ordinary({
  create: () => source.synchronize(),
  end: () => source.destroy(),
  insert: (rows) => repository.save(rows),
  upsert: (rows) => repository.upsert(rows, ['what']),
  update: (row, n) => repository.save({...row, n}),
  at: (createdAt) => repository.findBy({createdAt}),
  by: (n) => repository.findBy({n}),
  day: (since, until) => repository.find({where: {createdAt: And(MoreThanOrEqual(since), LessThan(until))},
    order: {createdAt: 'ASC'}}),
  page: ({createdAt, id}) => repository.createQueryBuilder('e').where('(e.createdAt, e.id) < (:createdAt, :id)',
      {createdAt, id}).orderBy({'e.createdAt': 'DESC', 'e.id': 'DESC'}).take(50).getMany(),
  days: async (since, until) => (await repository.createQueryBuilder('e').select('count(*)::int', 'rows')
      .where('e.createdAt >= :since AND e.createdAt < :until', {since, until}).groupBy('date(e.createdAt)')
      .orderBy('date(e.createdAt)').getRawMany()).map(({rows}) => rows),
  changes: async () => (await source.driver.createSchemaBuilder().log()).upQueries.map(({query}) => query),
});
