import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Busy, shareReads } from '../../src/server/read.ts';

/** Reads that end when they are told to, by their keys. */
function gatedReads(options: { maxAtOnce: number; keepMs: number }) {
  const begun: string[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const read = shareReads(async (key) => {
    begun.push(key);
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
    return `${key} ${begun.length}`;
  }, options);
  return { read, begun, gates };
}

it('concurrent callers share one result, and a later one gets a new result', async () => {
  const { read, gates } = gatedReads({ maxAtOnce: 1, keepMs: 0 });
  const together = [read('a'), read('a'), read('a')];
  gates[0]!.resolve();
  expect(await Promise.all(together)).toEqual(['a 1', 'a 1', 'a 1']);
  const later = read('a');
  gates[1]!.resolve();
  expect(await later).toBe('a 2');
});

it('a failure is thrown to all concurrent callers, and not to a later one', async () => {
  const { read, gates } = gatedReads({ maxAtOnce: 1, keepMs: 60_000 });
  const together = [read('a'), read('a')];
  gates[0]!.reject(new Error('the first fails'));
  const results = await Promise.allSettled(together);
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
  const later = read('a');
  gates[1]!.resolve();
  expect(await later).toBe('a 2');
});

it('a result is given to later callers while it is kept, the newest results first', async () => {
  const { read, begun, gates } = gatedReads({ maxAtOnce: 2, keepMs: 60_000 });
  for (const [index, key] of ['a', 'b', 'c'].entries()) {
    const reading = read(key);
    gates[index]!.resolve();
    await reading;
  }
  expect(await Promise.all([read('b'), read('c')])).toEqual(['b 2', 'c 3']);
  expect(begun).toEqual(['a', 'b', 'c']);
  const again = read('a');
  expect(begun).toEqual(['a', 'b', 'c', 'a']);
  gates[3]!.resolve();
  expect(await again).toBe('a 4');
});

it('one key more than are read at once is refused, until one of them has ended', async () => {
  const { read, begun, gates } = gatedReads({ maxAtOnce: 2, keepMs: 0 });
  const first = read('a');
  const second = read('b');
  await expect(read('c')).rejects.toBeInstanceOf(Busy);
  const beside = read('a');
  expect(begun).toEqual(['a', 'b']);
  gates[0]!.resolve();
  await first;
  await turn();
  const third = read('c');
  expect(begun).toEqual(['a', 'b', 'c']);
  for (const gate of gates) gate.resolve();
  await Promise.all([second, beside, third]);
});
