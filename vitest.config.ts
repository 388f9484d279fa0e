import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need a program that no npm package has: `npm run test:pgbouncer`.
    exclude: process.env.TEST_PGBOUNCER ? [] : ['test/pgbouncer/**'],
    globalSetup: ['test/support/postgres-server.ts'],
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // Tests wait on real processes, sockets and databases; two cores suffice for these workers.
    maxWorkers: 3,
  },
});
