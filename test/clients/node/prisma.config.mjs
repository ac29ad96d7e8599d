// What Prisma's commands need to do without engines of their own, which would come from elsewhere than the registry.
import {PrismaPg} from '@prisma/adapter-pg';
import {defineConfig} from 'prisma/config';

export default defineConfig({
  schema: 'schema.prisma',
  experimental: {adapter: true},
  engine: 'js',
  // Idle sessions would keep the command from ending.
  adapter: async () => new PrismaPg({idleTimeoutMillis: 1}),
});
