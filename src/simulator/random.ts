/** What a draw is keyed by: the same keys give the same number, in whatever order they are asked. */
export type Key = string | number;

// Every figure is a hash of what it is about, not the next number of a sequence: any day of any year
// costs the same, and the order of questions cannot change an answer.

function mix(state: number, value: number): number {
  let hash = Math.imul(state ^ value, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function mixKey(state: number, key: Key): number {
  if (typeof key === 'number') return mix(mix(state, key | 0), 0x6e756d);
  let hash = state;
  for (let index = 0; index < key.length; index += 1) hash = mix(hash, key.charCodeAt(index));
  return mix(hash, 0x747874);
}

/** A whole number from 0 to 2^32 − 1 that hangs on the seed and the keys alone. */
export function drawBits(seed: number, ...keys: readonly Key[]): number {
  let hash = mix(0x9e3779b9, seed | 0);
  for (const key of keys) hash = mixKey(hash, key);
  return hash >>> 0;
}

/** A number from 0 (included) to 1 (excluded). */
export function draw(seed: number, ...keys: readonly Key[]): number {
  return drawBits(seed, ...keys) / 2 ** 32;
}

/** A number from `low` (included) to `high` (excluded). */
export function drawBetween(low: number, high: number, seed: number, ...keys: readonly Key[]): number {
  return low + (high - low) * draw(seed, ...keys);
}

/** One element of a list that is not empty. */
export function pick<T>(list: readonly T[], seed: number, ...keys: readonly Key[]): T {
  return list[Math.floor(draw(seed, ...keys) * list.length)] as T;
}

/** The list in an order that hangs on the seed and the keys. */
export function shuffle<T>(list: readonly T[], seed: number, ...keys: readonly Key[]): T[] {
  return list
    .map((item, index) => ({ item, rank: draw(seed, ...keys, index) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
