import { describe, expect, it } from 'vitest';
import { createRequestOrder } from '../../../src/service/http/request-order.ts';

const settled = async (promise: Promise<unknown>) => {
  const pending = Symbol('pending');
  await new Promise(setImmediate);
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
};

describe('the order of requests', () => {
  it('lets the oldest be first, whichever of the others are done with', async () => {
    const order = createRequestOrder(new AbortController().signal);
    const [one, two, three] = [order.enter(), order.enter(), order.enter()];
    const first = () => [one, two, three].map((place) => place.isFirst());
    expect(first()).toEqual([true, false, false]);
    const turn = three.untilFirst();
    two.leave();
    expect([first(), await settled(turn)]).toEqual([[true, false, false], false]);
    one.leave();
    expect([first(), await settled(turn)]).toEqual([[false, false, true], true]);
    await three.untilFirst();
  });

  it('ends waiting with the reason of the signal, and lets nobody wait after it', async () => {
    const stop = new AbortController();
    const order = createRequestOrder(stop.signal);
    const [one, two, three] = [order.enter(), order.enter(), order.enter()];
    const waiting = two.untilFirst();
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    two.leave();
    await expect(three.untilFirst()).rejects.toBe(reason);
    await one.untilFirst();
  });
});
