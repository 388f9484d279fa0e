import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSharedRate, type StartReservations } from '../../../src/service/http/shared-rate.ts';

const never = new AbortController().signal;

/** Reservations without a database: each gets the next starts. */
function createReservations(): StartReservations & {
  readonly reserved: number[];
  readonly postponed: number[];
} {
  const reserved: number[] = [];
  const postponed: number[] = [];
  let next = 0;
  return {
    reserved,
    postponed,
    async reserve(starts, apartMs) {
      reserved.push(starts);
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

describe('a rate that processes share', () => {
  it('is never exceeded, however many processes share it', async () => {
    const reservations = createReservations();
    const began = performance.now();
    const processes = [1, 2, 3].map(() => createSharedRate(100, reservations));
    const starts = await Promise.all(
      processes.flatMap((rate) =>
        Array.from({ length: 15 }, async () => {
          await rate.acquire(never);
          return performance.now();
        }),
      ),
    );
    // 44 after the first, 10.5 ms apart.
    expect(Math.max(...starts) - began).toBeGreaterThan(44 * 10.5 - 1);
  });

  it('reserves starts for at most a quarter of a second, and no more than are needed', async () => {
    const reservations = createReservations();
    const rate = createSharedRate(40, reservations);
    await Promise.all(Array.from({ length: 12 }, () => rate.acquire(never)));
    await rate.acquire(never);
    const [first, second, ...others] = reservations.reserved;
    // The first alone, because it reserves at once.
    expect([first, second, others.at(-1)]).toEqual([1, 10, 1]);
    // More than two, if starts lapse on a busy machine.
    expect(others.length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...others)).toBeLessThanOrEqual(10);
  });

  it('lets reserved starts lapse where a process was held up, so that they don’t all happen at once', async () => {
    const reservations = createReservations();
    const rate = createSharedRate(40, reservations);
    const all = Promise.all(
      Array.from({ length: 10 }, async () => {
        await rate.acquire(never);
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

  it('holds back a start that was reserved before the pause', async () => {
    let inMs = 30;
    const rate = createSharedRate(40, {
      reserve: async () => inMs,
      postpone: async (ms) => {
        inMs = ms;
      },
    });
    const acquired = rate.acquire(never);
    await new Promise(setImmediate);
    const paused = performance.now();
    rate.pause(150);
    await acquired;
    expect(performance.now() - paused).toBeGreaterThanOrEqual(149);
  });

  it('goes on where the pause can not be shared', async () => {
    const rate = createSharedRate(40, {
      ...createReservations(),
      postpone: () => Promise.reject(new Error('away')),
    });
    rate.pause(1);
    await rate.acquire(never);
  });

  it('pauses all processes when one of them pauses', async () => {
    const reservations = createReservations();
    const [one, other] = [createSharedRate(40, reservations), createSharedRate(40, reservations)];
    const paused = performance.now();
    one.pause(150);
    expect(reservations.postponed).toEqual([150]);
    await Promise.all([one.acquire(never), other.acquire(never)]);
    expect(performance.now() - paused).toBeGreaterThanOrEqual(149);
  });

  it('ends waiting with the reason of the signal, and with the error of a failed reservation', async () => {
    const stop = new AbortController();
    const rate = createSharedRate(1, createReservations());
    await rate.acquire(never);
    const waiting = rate.acquire(stop.signal);
    setImmediate(() => stop.abort(new Error('enough')));
    await expect(waiting).rejects.toThrow(/enough|aborted/);
    const lost = createSharedRate(1, {
      ...createReservations(),
      reserve: () => Promise.reject(new Error('away')),
    });
    await expect(lost.acquire(never)).rejects.toThrow('away');
  });
});
