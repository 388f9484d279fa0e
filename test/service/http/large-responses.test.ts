import { describe, expect, it, vi } from 'vitest';
import { account } from '../account.ts';
import { connect, startRawServer } from '../raw-server.ts';

/** Pages whose number has as many hundreds of bytes; page 9 is refused. */
async function start(settings: Parameters<typeof connect>[1], signal = new AbortController().signal) {
  const requests: number[] = [];
  const server = await startRawServer([
    (request, response) => {
      const page = Number(new URL(request.url!, 'http://localhost').searchParams.get('page'));
      requests.push(page);
      response.writeHead(page === 9 ? 400 : 200).end(`{"data":[],"x":"${'x'.repeat(page * 100)}"}`);
    },
  ]);
  const service = connect(server.url, { requestTimeoutMs: 20_000, retries: 0, ...settings }, { signal });
  const list = (page: number, inUse?: Promise<unknown>) =>
    service.listClients(account, { limit: 1, page }, inUse);
  return { requests, list, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Two hundred bytes for each of eight requests. */
const small = { concurrency: 4, maxResponseBytes: 1_600 };

describe('a response that is larger than its part of the memory', () => {
  it('is requested again once those before it are not in use any more, and holds back no small one', async () => {
    await using service = await start(small);
    const used = Promise.withResolvers<void>();
    await service.list(1, used.promise);
    const large = service.list(5);
    await vi.waitUntil(() => service.requests.length === 2, { interval: 5, timeout: 20_000 });
    await service.list(0);
    expect(service.requests).toEqual([1, 5, 0]);
    used.resolve();
    await large;
    expect(service.requests).toEqual([1, 5, 0, 5]);
  });

  it('is requested once where those before it are returned, or have failed', async () => {
    await using service = await start(small);
    await service.list(1);
    await service.list(9).catch(() => {});
    await service.list(5);
    expect(service.requests).toEqual([1, 9, 5]);
  });

  it('waits, too, where it is not large, but much is built of it', async () => {
    // Of each response, three values: the object, its list, and what is beside that.
    await using service = await start({ concurrency: 250_000, maxResponseBytes: 500_000_000 });
    const used = Promise.withResolvers<void>();
    await service.list(1, used.promise);
    const costly = service.list(2);
    await vi.waitUntil(() => service.requests.length === 2, { interval: 5, timeout: 20_000 });
    used.resolve();
    await costly;
    expect(service.requests).toEqual([1, 2, 2]);
  });

  it('ends waiting with the reason of the signal', async () => {
    const stop = new AbortController();
    await using service = await start(small, stop.signal);
    await service.list(1, new Promise(() => {}));
    const large = service.list(5);
    await vi.waitUntil(() => service.requests.length === 2, { interval: 5, timeout: 20_000 });
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(large).rejects.toBe(reason);
  });
});
