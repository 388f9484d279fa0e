import { describe, expect, it } from 'vitest';
import { account } from '../account.ts';
import { connect, startRawServer } from '../raw-server.ts';

/** A page of over half a million values, in a megabyte. */
const manyValues = 8;

const bodyOf = (page: number) =>
  page === manyValues
    ? `{"data":[],"x":[[${'0,'.repeat(500_000)}0]]}`
    : `{"data":[],"x":"${'x'.repeat(page * 100)}"}`;

/** Pages whose number has as many hundreds of bytes; page 9 is refused. */
async function start(settings: Parameters<typeof connect>[1], signal = new AbortController().signal) {
  const requests: number[] = [];
  const server = await startRawServer([
    (request, response) => {
      const page = Number(new URL(request.url!, 'http://localhost').searchParams.get('page'));
      requests.push(page);
      response.writeHead(page === 9 ? 400 : 200).end(bodyOf(page));
    },
  ]);
  const service = connect(server.url, { requestTimeoutMs: 20_000, retries: 0, ...settings }, { signal });
  const list = (page: number, inUse?: Promise<unknown>) =>
    service.listClients(account, { limit: 1, page }, inUse);
  return { requests, list, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/**
 * One request at a time, so that the next one is sent when the attempt before it is over, and four hundred bytes for
 * each of two that are ahead.
 */
const small = { concurrency: 1, maxResponseBytes: 800 };

describe('a response that is larger than its part of the memory', () => {
  it('is requested again once those before it are not in use any more, and holds back no small one', async () => {
    await using service = await start(small);
    const used = Promise.withResolvers<void>();
    await service.list(1, used.promise);
    const large = service.list(5);
    for (const page of [2, 3]) await service.list(page);
    expect(service.requests).toEqual([1, 5, 2, 3]);
    used.resolve();
    await large;
    expect(service.requests).toEqual([1, 5, 2, 3, 5]);
  });

  it('is requested once where nothing is before it, or those before it are returned, or have failed', async () => {
    await using service = await start(small);
    await service.list(5);
    await service.list(1);
    await service.list(9).catch(() => {});
    await service.list(5);
    expect(service.requests).toEqual([5, 1, 9, 5]);
  });

  it('waits, too, where it is not large, but much is built of it', async () => {
    await using service = await start({ concurrency: 1 });
    const used = Promise.withResolvers<void>();
    await service.list(1, used.promise);
    const costly = service.list(manyValues);
    for (const page of [2, 3]) await service.list(page);
    used.resolve();
    await costly;
    expect(service.requests).toEqual([1, manyValues, 2, 3, manyValues]);
  });

  it('ends waiting with the reason of the signal', async () => {
    const stop = new AbortController();
    await using service = await start(small, stop.signal);
    await service.list(1, new Promise(() => {}));
    const large = service.list(5);
    await service.list(2);
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(large).rejects.toBe(reason);
  });
});
