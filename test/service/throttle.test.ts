import { describe, expect, it } from 'vitest';
import { createThrottle } from '../../src/service/http/throttle.ts';

const never = new AbortController().signal;

describe('the throttle', () => {
  it('holds the number at once, in the order of asking', async () => {
    const throttle = createThrottle({ concurrency: 3, ratePerSecond: null }, never);
    let [now, most] = [0, 0];
    const begun: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        throttle.admit(async () => {
          begun.push(index);
          most = Math.max(most, ++now);
          await new Promise(setImmediate);
          now--;
        }),
      ),
    );
    expect(most).toBe(3);
    expect(begun).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  it('starts no more a second than the rate, however many wait', async () => {
    const throttle = createThrottle({ concurrency: 8, ratePerSecond: 50 }, never);
    const asked = performance.now();
    const starts = await Promise.all(
      Array.from({ length: 6 }, () => throttle.admit(async () => performance.now())),
    );
    starts.sort((one, other) => one - other);
    for (const [index, start] of starts.entries()) {
      // 20 ms apart from the first that could be; a timer may fire a millisecond early.
      expect(start - asked).toBeGreaterThanOrEqual(20 * index - index - 1);
    }
  });

  it('lets nothing start while it pauses, and frees the place of work that failed', async () => {
    const throttle = createThrottle({ concurrency: 1, ratePerSecond: null }, never);
    await expect(throttle.admit(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    const asked = performance.now();
    throttle.pause(80);
    expect((await throttle.admit(async () => performance.now())) - asked).toBeGreaterThanOrEqual(79);
  });

  it('ends the waiting with the reason of the signal', async () => {
    const stop = new AbortController();
    const throttle = createThrottle({ concurrency: 1, ratePerSecond: null }, stop.signal);
    throttle.pause(60_000);
    const waiting = throttle.admit(async () => {});
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow(/enough|aborted/);
  });
});
