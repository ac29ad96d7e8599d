// Sequelize with node-postgres. It writes values into the statement.
import {DataTypes, Op, Sequelize} from 'sequelize';
import {check, checkClient, checkTimeColumn} from './check.mjs';

const {PGDATABASE, PGUSER, PGHOST, PGPORT} = process.env;
const sequelize = new Sequelize(PGDATABASE, PGUSER, undefined,
    {dialect: 'postgres', host: PGHOST, port: PGPORT, logging: false, pool: {max: 1}});
const {cast, col, fn, literal} = Sequelize;
const Event = sequelize.define('event', {
  id: {type: DataTypes.UUID, primaryKey: true, defaultValue: fn('uuid_v7')},
  what: DataTypes.TEXT,
}, {tableName: 'event', timestamps: false});
await sequelize.sync();
const ids = async (query) => (await query).map((row) => row.id);
const order = ['id'];

async function between(since, until) {
  const events = await Event.findAll({
    where: {id: {[Op.gte]: cast(since, 'timestamptz'), [Op.lt]: cast(until, 'timestamptz')}},
    order: ['id'],
  });
  return events.map((event) => event.id);
}

async function timeOf(id) {
  const event = await Event.findByPk(id, {attributes: ['id', [fn('uuid_extract_time', col('id')), 'time']]});
  const time = event.get('time');
  return time;
}

await checkClient('Sequelize', {
  insert: (whats) => whats.length === 1 ? Event.create({what: whats[0]}).then((event) => [event])
    : Event.bulkCreate(whats.map((what) => ({what}))),
  since: (date) => ids(Event.findAll({where: {id: {[Op.gte]: fn('uuid_v7_min', date)}}, order})),
  between,
  bounds: (first, end) => ids(Event.findAll({where: {id: {[Op.gte]: first, [Op.lt]: end}}, order})),
  time: timeOf,
  noCast: (date) => Event.count({where: {id: {[Op.gte]: date}}}),
});
const count = await Event.count({where: literal('id <@ tstzrange(:since, :until)'),
  replacements: {since: new Date('2026-03-01T06:00Z'), until: new Date('2026-03-01T07:00Z')}});
check('Sequelize, literal with replacements', count === 400, count);
const {id} = await sequelize.getQueryInterface().describeTable('event');
check('Sequelize: sync writes the default', id.defaultValue === 'uuid_v7()', id);
const TimedEvent = sequelize.define('timed', {
  // [doc: model]
  id: {type: DataTypes.UUID, primaryKey: true, defaultValue: fn('uuid_v7')},
  createdAt: {type: DataTypes.DATE, field: 'created_at'},
  // [end]
  what: DataTypes.TEXT,
}, {tableName: 'event', timestamps: false});
await checkTimeColumn('Sequelize', {
  insert: (what) => TimedEvent.create({what}),
  since: (date) => TimedEvent.findAll({where: {createdAt: {[Op.gte]: date}}, order: ['createdAt']}),
});
await sequelize.close();
