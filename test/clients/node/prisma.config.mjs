// Configures Prisma's commands without its engines, which are not in npm's registry.
import {PrismaPg} from '@prisma/adapter-pg';
import {defineConfig} from 'prisma/config';

export default defineConfig({
  schema: 'schema.prisma',
  experimental: {adapter: true},
  engine: 'js',
  // Idle sessions would prevent the command from ending.
  adapter: async () => new PrismaPg({idleTimeoutMillis: 1}),
});
