import { defineConfig } from 'vitest/config';

// Which project a test belongs to: CONTRIBUTING.md, "Tests".
const unit = [
  'test/{config,digest,mail,model,schedule,service,simulator,support}/**/!(*.integration|*.slow|browser).test.ts',
  'test/**/*.unit.test.ts',
];
const browser = 'test/**/browser.test.ts';
const crash = 'test/{bench,crash}/**/*.test.ts';
/** What takes longer than `npm test` has, and stays beside its subject. */
const slow = 'test/**/*.slow.test.ts';
const properties = 'test/**/*-always{,.unit}.test.ts';
const peers = 'test/peers/**/*.test.ts';

/** They only end what hangs, however busy the machine is. What a test waits for it polls with `expect.poll`. */
const bounds = {
  testTimeout: 1_200_000,
  hookTimeout: 1_200_000,
  expect: { poll: { timeout: 120_000 } },
};

/** A change is red because of what it changes: in CI, properties draw the same cases each time. Elsewhere each run draws new ones. */
const draws = process.env.CI ? ['test/support/same-draws.ts'] : [];

/** Tests that wait on real processes, sockets and databases. */
const onRealParts = {
  ...bounds,
  setupFiles: draws,
  globalSetup: ['test/support/postgres-server.ts'],
  sequence: { groupOrder: 1 },
};

export default defineConfig({
  test: {
    // Tests wait on what they start more than they work: two cores suffice for these workers.
    maxWorkers: 4,
    // Each file has its line; what is slow is known.
    slowTestThreshold: 60_000,
    projects: [
      {
        test: {
          ...bounds,
          name: 'unit',
          include: unit,
          setupFiles: ['test/support/unit-setup.ts', ...draws],
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...onRealParts,
          name: 'integration',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...unit, browser, crash, slow, peers],
        },
      },
      { test: { ...onRealParts, name: 'browser', include: [browser] } },
      {
        test: {
          ...onRealParts,
          name: 'crash',
          include: [crash, slow, properties],
          env: { TEST_ROUNDS: 'all' },
        },
      },
      {
        test: {
          ...onRealParts,
          name: 'peers',
          include: [peers],
          globalSetup: ['test/support/peers-present.ts', ...onRealParts.globalSetup],
        },
      },
    ],
  },
});
