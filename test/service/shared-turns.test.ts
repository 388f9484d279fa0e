import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Agreement, createSharedTurns } from '../../src/service/http/shared-turns.ts';

const never = new AbortController().signal;

/** An agreement without a database: who reserves gets what comes next. */
function agree(): Agreement & { readonly asked: number[]; readonly postponed: number[] } {
  const [asked, postponed]: [number[], number[]] = [[], []];
  let next = 0;
  return {
    asked,
    postponed,
    async reserve(starts, apartMs) {
      asked.push(starts);
      const first = Math.max(next, performance.now());
      next = first + starts * apartMs;
      return first - performance.now();
    },
    async postpone(ms) {
      postponed.push(ms);
      next = Math.max(next, performance.now() + ms);
    },
  };
}

/** Does `work`, and again where a busy machine held the process up meanwhile: then starts lapse, as they should. */
async function notHeldUp<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const delays = monitorEventLoopDelay({ resolution: 1 });
    delays.enable();
    const result = await work();
    delays.disable();
    if (delays.max < 15_000_000) return result;
  }
}

describe('turns that processes share', () => {
  it('come no more often than the rate, however many processes take them', async () => {
    const starts = await notHeldUp(async () => {
      const agreement = agree();
      const processes = [1, 2, 3].map(() => createSharedTurns(100, agreement));
      return await Promise.all(
        processes.flatMap((turns) =>
          Array.from({ length: 15 }, async () => {
            await turns.next(never);
            return performance.now();
          }),
        ),
      );
    });
    starts.sort((one, other) => one - other);
    // 44 after the first, 10.5 ms apart; each may be 20 ms late.
    expect(starts.at(-1)! - starts[0]!).toBeGreaterThan(44 * 10.5 - 21);
  });

  it('are reserved for a quarter of a second at most, and no more than are wanted', async () => {
    const asked = await notHeldUp(async () => {
      const agreement = agree();
      const turns = createSharedTurns(40, agreement);
      await Promise.all(Array.from({ length: 12 }, () => turns.next(never)));
      await turns.next(never);
      return agreement.asked;
    });
    // The first alone, for it asks at once.
    expect(asked).toEqual([1, 10, 1, 1]);
  });

  it('lapse where a process is held up: they don’t come all at once', async () => {
    const agreement = agree();
    const turns = createSharedTurns(40, agreement);
    const all = Promise.all(
      Array.from({ length: 10 }, async () => {
        await turns.next(never);
        return performance.now();
      }),
    );
    await delay(10);
    const heldUpUntil = performance.now() + 200;
    while (performance.now() < heldUpUntil);
    const starts = (await all).sort((one, other) => one - other);
    const together = starts.filter((start) => start > heldUpUntil && start < heldUpUntil + 20);
    expect(together.length).toBeLessThanOrEqual(2);
  });

  it('wait, all of them, when one is told that there are too many', async () => {
    const agreement = agree();
    const [one, other] = [createSharedTurns(40, agreement), createSharedTurns(40, agreement)];
    const asked = performance.now();
    one.pause(150);
    expect(agreement.postponed).toEqual([150]);
    await Promise.all([one.next(never), other.next(never)]);
    expect(performance.now() - asked).toBeGreaterThanOrEqual(149);
  });

  it('end with the reason of the signal, and with the error of whoever can’t reserve', async () => {
    const stop = new AbortController();
    const turns = createSharedTurns(1, agree());
    await turns.next(never);
    const waiting = turns.next(stop.signal);
    setImmediate(() => stop.abort(new Error('enough')));
    await expect(waiting).rejects.toThrow(/enough|aborted/);
    const lost = createSharedTurns(1, { ...agree(), reserve: () => Promise.reject(new Error('away')) });
    await expect(lost.next(never)).rejects.toThrow('away');
  });
});
