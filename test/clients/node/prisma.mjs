// Prisma with its adapter for node-postgres: the default of the schema, keys of create(), times as Date.
import {PrismaPg} from '@prisma/adapter-pg';
import {PrismaClient} from '@prisma/client';
import {check, checkInserts, checkTimeColumn, judge, moment} from './check.mjs';

// One session, so that keys are in order.
const settings = {max: 1};
// [doc: connect]
const adapter = new PrismaPg({...settings, options: '-c TimeZone=UTC'});
const prisma = new PrismaClient({adapter});
// [end]
await prisma.$executeRaw`CREATE TABLE event (id uuid PRIMARY KEY DEFAULT uuid_v7(), what text NOT NULL)`;
await prisma.$executeRaw`CALL add_time_column()`;
await checkInserts('Prisma', async (whats) => whats.length === 1 ?
  [await prisma.event.create({data: {what: whats[0]}})] :
  prisma.event.createManyAndReturn({data: whats.map((what) => ({what}))}));
await checkTimeColumn('Prisma', {
  insert: (what) => prisma.event.create({data: {what}}),
  since: async (since) => {
    const events = await prisma.event.findMany({where: {createdAt: {gte: since}}, orderBy: {createdAt: 'desc'}});
    return events.reverse();
  },
});

// The adapter writes a Date in UTC without the zone, and reads any as UTC.
const local = new PrismaClient({adapter: new PrismaPg(settings)});
const first = (client) => client.event.findFirst({where: {createdAt: {gte: moment}}, orderBy: {createdAt: 'asc'}});
const [inUtc, inLocal] = [await first(prisma), await first(local)];
check('Prisma: a Date comes back as it is in a session in UTC', inUtc.createdAt.getTime() === moment.getTime(), inUtc);
check('Prisma: it is off in another zone', inLocal.id > inUtc.id, inLocal);
await local.$disconnect();
await prisma.$disconnect();
await judge.end();
