/**
 * How many cases a property of a `*-always.test.ts` is held against: all of them in the project `crash`, whose setting
 * TEST_ROUNDS is, and a fifth elsewhere.
 */
export function rounds(all: number): number {
  return process.env.TEST_ROUNDS === 'all' ? all : Math.ceil(all / 5);
}
