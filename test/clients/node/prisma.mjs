// Prisma with its adapter for node-postgres: the default of the schema, keys of create(), times as Date.
import {PrismaPg} from '@prisma/adapter-pg';
import {Prisma, PrismaClient} from '@prisma/client';
import {check, checkFails, checkMade, checkPeriod, checkPlan, checkSince, close, fill, moment} from './check.mjs';

// One session, so that keys are in order and a prepared statement exists.
const settings = {max: 1};
// [doc: connect]
const adapter = new PrismaPg({...settings, options: '-c TimeZone=UTC'});
const prisma = new PrismaClient({adapter});
// [end]

// The table exists, by SQL that Prisma generated from the schema.
async function insert(what) {
  const event = await prisma.event.create({data: {what}});
  return event;
}

const start = Date.now();
const made = [];
for (let i = 0; i < 50; ++i) {
  made.push(await insert(`one ${i}`));
}
await checkMade('Prisma, create', made, start);
const many = Array.from({length: 500}, (_, i) => `many ${i}`);
const rows = await prisma.event.createManyAndReturn({data: many.map((what) => ({what}))});
check('Prisma, createManyAndReturn: all are back, in order', rows.map((row) => row.what).join() === many.join(), rows);
await checkMade('Prisma, createManyAndReturn', rows, start);

await fill();

async function since(date) {
  const rows = await prisma.$queryRaw`SELECT id, what FROM event WHERE id >= ${date}::timestamptz ORDER BY id`;
  return rows.map((row) => row.id);
}

async function between(from, to) {
  const rows = await prisma.$queryRaw`SELECT id, what FROM event WHERE id <@ tstzrange(${from}, ${to}) ORDER BY id`;
  return rows.map((row) => row.id);
}

async function findBetween(from, to) {
  // [doc: find]
  const [{first, end}] = await prisma.$queryRaw`SELECT uuid_v7_min(${from}) AS first, uuid_v7_min(${to}) AS end`;
  const rows = await prisma.event.findMany({where: {id: {gte: first, lt: end}}, orderBy: {id: 'asc'}});
  // [end]
  return rows.map((row) => row.id);
}

await checkSince('Prisma, $queryRaw with >=', since);
await checkPeriod('Prisma, $queryRaw with <@', between);
await checkPeriod('Prisma, findMany', findBetween);

// Prisma prepares no named statement, so its text is prepared here.
const run = (sql) => prisma.$queryRawUnsafe(sql);
await checkPlan('Prisma, >=', run, 'since', Prisma.sql`SELECT id FROM event WHERE id >= ${moment}::timestamptz`.text);
await checkPlan('Prisma, <@', run, 'between',
    Prisma.sql`SELECT id FROM event WHERE id <@ tstzrange(${moment}, ${moment})`.text);

await checkFails('Prisma: a Date without a cast is taken for a UUID', '22P02',
    prisma.$queryRaw`SELECT id FROM event WHERE id >= ${moment}`);

// The adapter writes a Date in UTC without the zone, and reads any as UTC.
const utc = prisma;
const local = new PrismaClient({adapter: new PrismaPg(settings)});
const momentIn = async (client, date) => (await client.$queryRaw`
    SELECT uuid_extract_time(id) AS time FROM event WHERE id >= ${date}::timestamptz ORDER BY id LIMIT 1`)[0].time;
const [inUtc, inLocal] = [await momentIn(utc, moment), await momentIn(local, moment.toISOString())];
check('Prisma: a Date comes back as it is in a session in UTC', inUtc.getTime() === moment.getTime(), inUtc);
check('Prisma: it is off in another zone', inLocal.getTime() - moment === -3.5 * 3600000, inLocal);
const idIn = async (client, date) => (await client.$queryRaw`
    SELECT id FROM event WHERE id >= ${date}::timestamptz ORDER BY id LIMIT 1`)[0].id;
const right = await idIn(utc, moment);
check('Prisma: so is a Date as a parameter', await idIn(local, moment) > right, right);
check('Prisma: toISOString() is right in any zone', await idIn(local, moment.toISOString()) === right, right);

await local.$disconnect();
await prisma.$disconnect();
await close();
