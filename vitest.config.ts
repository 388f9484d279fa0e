import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/postgres-server.ts'],
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // Tests wait on real processes, sockets and databases; two cores suffice for these workers.
    maxWorkers: 3,
  },
});
