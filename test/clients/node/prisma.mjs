// Prisma with its adapter for node-postgres: the default of the schema, keys of create(), times as Date.
import {PrismaPg} from '@prisma/adapter-pg';
import {Prisma, PrismaClient} from '@prisma/client';
import {check, checkClient, checkPlan, checkTimeColumn, moment} from './check.mjs';

// One session, so that keys are in order and a prepared statement exists.
const settings = {max: 1};
// [doc: connect]
const adapter = new PrismaPg({...settings, options: '-c TimeZone=UTC'});
const prisma = new PrismaClient({adapter});
// [end]
await prisma.$executeRaw`CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL)`;
await prisma.$executeRaw`CALL add_time_column()`;

const ids = async (query) => (await query).map((row) => row.id);
const orderBy = {id: 'asc'};

async function bounds(first, end) {
  const events = await prisma.event.findMany({where: {id: {gte: first, lt: end}}, orderBy: {id: 'asc'}});
  return events.map((row) => row.id);
}

async function since(date) {
  const events = await prisma.$queryRaw`SELECT id, what FROM event WHERE id >= ${date}::timestamptz ORDER BY id`;
  return events.map((row) => row.id);
}

await checkClient('Prisma', {
  insert: async (whats) => whats.length === 1 ? [await prisma.event.create({data: {what: whats[0]}})]
    : prisma.event.createManyAndReturn({data: whats.map((what) => ({what}))}),
  since,
  between: (from, to) => ids(prisma.$queryRaw`SELECT id FROM event WHERE id <@ tstzrange(${from}, ${to}) ORDER BY id`),
  bounds,
  time: async (id) => (await prisma.$queryRaw`SELECT uuid_extract_time(${id}::uuid) AS time`)[0].time,
  noCast: (date) => prisma.$queryRaw`SELECT id FROM event WHERE id >= ${date}`,
});

await checkTimeColumn('Prisma', {
  insert: (what) => prisma.event.create({data: {what}}),
  since: async (since) => {
    // [doc: query]
    const events = await prisma.event.findMany({where: {createdAt: {gte: since}}, orderBy: {createdAt: 'desc'}});
    // [end]
    return events.reverse();
  },
});

// Prisma prepares no named statement, so its text is prepared here.
const run = (sql) => prisma.$queryRawUnsafe(sql);
await checkPlan('Prisma, >=', run, 'since', Prisma.sql`SELECT id FROM event WHERE id >= ${moment}::timestamptz`.text);
await checkPlan('Prisma, <@', run, 'between',
    Prisma.sql`SELECT id FROM event WHERE id <@ tstzrange(${moment}, ${moment})`.text);

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
