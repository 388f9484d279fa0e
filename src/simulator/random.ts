import { hash } from 'node:crypto';

/** Numbers from 0 (included) to 1 (excluded). */
export type Draws = readonly [number, number, number, number, number, number, number, number];

/**
 * Eight numbers that depend on the keys alone. Figures are drawn by what they are about, not as the next numbers of a
 * sequence: any day of any year costs the same, and the order of requests can't change a response.
 */
export function drawsFor(...keys: readonly (number | string)[]): Draws {
  const digest = hash('sha256', keys.join(' '), 'buffer');
  return Array.from(
    { length: 8 },
    (_, index) => digest.readUInt32LE(index * 4) / 2 ** 32,
  ) as unknown as Draws;
}

/** Moves a draw into the range from `low` (included) to `high` (excluded). */
export function between(low: number, high: number, draw: number): number {
  return low + (high - low) * draw;
}
