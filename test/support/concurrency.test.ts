import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eachConcurrently } from '../../src/support/concurrency.ts';

const never = new AbortController().signal;

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work that the pool starts and the test ends. */
function bench() {
  const begun: number[] = [];
  const open = new Map<number, PromiseWithResolvers<void>>();
  return {
    begun,
    work(item: number) {
      begun.push(item);
      const ending = Promise.withResolvers<void>();
      open.set(item, ending);
      return ending.promise;
    },
    async finish(item: number) {
      open.get(item)!.resolve();
      await settle();
    },
    async fail(item: number, reason: Error) {
      open.get(item)!.reject(reason);
      await settle();
    },
  };
}

test('every item is worked on once, in order, and never more at once than allowed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 30 }),
      fc.integer({ min: 1, max: 8 }),
      fc.infiniteStream(fc.nat({ max: 4 })),
      async (count, concurrency, waits) => {
        const items = Array.from({ length: count }, (_, index) => index);
        const begun: number[] = [];
        let running = 0;
        let maxRunning = 0;
        await eachConcurrently(items, concurrency, never, async (item) => {
          begun.push(item);
          maxRunning = Math.max(maxRunning, ++running);
          for (let wait = waits.next().value; wait > 0; wait--) await Promise.resolve();
          running--;
        });
        expect(begun).toEqual(items);
        expect(running).toBe(0);
        expect(maxRunning).toBeLessThanOrEqual(concurrency);
      },
    ),
  );
});

test('items are drawn from a source only when there is room for them', async () => {
  let drawn = 0;
  function* source() {
    while (drawn < 5) yield ++drawn;
  }
  const { work, finish } = bench();
  const done = eachConcurrently(source(), 2, never, work);
  expect(drawn).toBe(2);
  for (let item = 1; item <= 5; item++) await finish(item);
  expect(drawn).toBe(5);
  await done;
});

describe('after a failure', () => {
  test('no further item is taken, what is in flight ends first, and the failure is thrown', async () => {
    const { begun, work, finish, fail } = bench();
    const reason = new Error('broken');
    let outcome: unknown = 'open';
    const done = eachConcurrently([1, 2, 3, 4, 5], 3, never, work).then(
      () => 'done',
      (error: unknown) => error,
    );
    done.then((ended) => {
      outcome = ended;
    });
    await fail(2, reason);
    await finish(1);
    expect(begun).toEqual([1, 2, 3]);
    expect(outcome).toBe('open');
    await finish(3);
    expect(await done).toBe(reason);
    expect(begun).toEqual([1, 2, 3]);
  });
});

describe('an aborted signal', () => {
  test('takes no further item, waits for those in flight, and throws its reason', async () => {
    const { begun, work, finish } = bench();
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const done = eachConcurrently([1, 2, 3, 4], 2, controller.signal, work);
    const outcome = done.catch((error: unknown) => error);
    controller.abort(reason);
    await finish(1);
    expect(begun).toEqual([1, 2]);
    await finish(2);
    expect(await outcome).toBe(reason);
    expect(begun).toEqual([1, 2]);
  });
});
