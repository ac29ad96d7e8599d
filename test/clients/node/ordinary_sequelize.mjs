// Sequelize, whose client makes the times.
import {DataTypes, Op, Sequelize} from 'sequelize';
import {ordinary} from './ordinary.mjs';

const {PGDATABASE, PGUSER, PGHOST, PGPORT} = process.env;
const sequelize = new Sequelize(PGDATABASE, PGUSER, undefined,
    {dialect: 'postgres', host: PGHOST, port: PGPORT, logging: false});
const {fn, col} = Sequelize;
const Entry = sequelize.define('entry', {
  id: {type: DataTypes.UUID, primaryKey: true, defaultValue: fn('uuid_v7')},
  what: {type: DataTypes.TEXT, allowNull: false, unique: true},
  n: {type: DataTypes.INTEGER, allowNull: false, defaultValue: 0},
}, {tableName: 'entry', underscored: true, updatedAt: false, indexes: [{fields: ['created_at']}, {fields: ['n']}]});
const newest = [['createdAt', 'DESC'], ['id', 'DESC']];

await ordinary({
  create: () => sequelize.sync(),
  end: () => sequelize.close(),
  insert: (rows) => rows.length > 1 ? Entry.bulkCreate(rows) : Promise.all([Entry.create(rows[0])]),
  upsert: (rows) => Promise.all(rows.map((row) => Entry.upsert(row, {conflictFields: ['what']}))),
  update: (entry, n) => entry.update({n}),
  at: (createdAt) => Entry.findAll({where: {createdAt}}),
  by: (n) => Entry.findAll({where: {n}}),
  day: (since, until) => Entry.findAll({where: {createdAt: {[Op.gte]: since, [Op.lt]: until}}, order: ['createdAt']}),
  page: ({createdAt, id}) => Entry.findAll({order: newest, limit: 50, where: {[Op.or]: [
    {createdAt: {[Op.lt]: createdAt}}, {createdAt, id: {[Op.lt]: id}}]}}),
  days: async (since, until) => {
    const day = fn('date', col('created_at'));
    const rows = await Entry.findAll({attributes: [[fn('count', '*'), 'rows']], raw: true,
      where: {createdAt: {[Op.gte]: since, [Op.lt]: until}}, group: day, order: day});
    return rows.map(({rows}) => Number(rows));
  },
  changes: async () => [],
});
