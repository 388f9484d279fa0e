/**
 * The number of cases to try for a property of a `*-always.test.ts`: all in the project `crash`, which sets TEST_ROUNDS, a
 * fifth elsewhere.
 */
export function rounds(all: number): number {
  return process.env.TEST_ROUNDS === 'all' ? all : Math.ceil(all / 5);
}
