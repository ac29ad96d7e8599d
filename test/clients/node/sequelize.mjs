// Sequelize with node-postgres. It writes values into the statement.
import {DataTypes, Op, Sequelize} from 'sequelize';
import {check, checkInserts, checkTimeColumn, judge} from './check.mjs';

const {PGDATABASE, PGUSER, PGHOST, PGPORT} = process.env;
const sequelize = new Sequelize(PGDATABASE, PGUSER, undefined,
    {dialect: 'postgres', host: PGHOST, port: PGPORT, logging: false, pool: {max: 1}});
const {fn} = Sequelize;
const options = {tableName: 'event', timestamps: false};
const Event = sequelize.define('event', {
  id: {type: DataTypes.UUID, primaryKey: true, defaultValue: fn('uuid_v7')},
  what: DataTypes.TEXT,
}, options);
await sequelize.sync();
const {id} = await sequelize.getQueryInterface().describeTable('event');
check('Sequelize: sync writes the default', id.defaultValue === 'uuid_v7()', id);
await checkInserts('Sequelize', (whats) => whats.length === 1 ?
  Event.create({what: whats[0]}).then((event) => [event]) : Event.bulkCreate(whats.map((what) => ({what}))));

const TimedEvent = sequelize.define('timed', {
  // [doc: model]
  id: {type: DataTypes.UUID, primaryKey: true, defaultValue: fn('uuid_v7')},
  createdAt: {type: DataTypes.DATE, field: 'created_at'},
  // [end]
  what: DataTypes.TEXT,
}, options);
await checkTimeColumn('Sequelize', {
  insert: (what) => TimedEvent.create({what}),
  since: (date) => TimedEvent.findAll({where: {createdAt: {[Op.gte]: date}}, order: ['createdAt']}),
});
await sequelize.close();
await judge.end();
