/**
 * The number of cases to try for a property of a `*-always.test.ts`: all in the project `crash`, which sets TEST_ROUNDS,
 * fewer elsewhere.
 */
export function rounds(all: number, elsewhere = Math.ceil(all / 5)): number {
  return process.env.TEST_ROUNDS === 'all' ? all : elsewhere;
}
