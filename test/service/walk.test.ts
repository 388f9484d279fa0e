import type { RequestListener } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { account } from './account.ts';
import { connect, startRawServer } from './raw-server.ts';

/** Twenty pages of one client, of which the list is said to have 21. */
const page = (url: string) => {
  const number = Number(new URL(url, 'http://localhost').searchParams.get('page') ?? 1);
  const body = { page: number, pages: 20, limit: 1, count: 21, data: [{ clientid: number }] };
  return { number, body: JSON.stringify(body) };
};
const list: RequestListener = (request, response) => response.end(page(request.url!).body);

describe('the walk of a service', () => {
  it('has twice as many pages ahead as requests at once, while the one before them is awaited', async () => {
    const held = Promise.withResolvers<void>();
    const requests: number[] = [];
    await using server = await startRawServer([
      async (request, response) => {
        const { number, body } = page(request.url!);
        requests.push(number);
        if (number === 2) await held.promise;
        response.end(body);
      },
    ]);
    const service = connect(server.url, { requestTimeoutMs: 20_000 });
    const walk = Array.fromAsync(service.walkClients(account, { limit: 1 }));
    await vi.waitUntil(() => requests.length >= 9, { interval: 5, timeout: 20_000 });
    expect(requests.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    held.resolve();
    const end = (await walk).at(-1)!;
    expect(end).toMatchObject({ verdict: 'complete', ids: { size: 20 } });
  });

  it('requests fewer pages at once if they are large: 16 MB, by the size of the first page', async () => {
    const fourth = Promise.withResolvers<void>();
    const requests: number[] = [];
    let beforeSecond: number[] = [];
    await using server = await startRawServer([
      async (request, response) => {
        const { number, body } = page(request.url!);
        requests.push(number);
        if (number === 4) response.once('finish', () => fourth.resolve());
        if (number === 2) {
          await fourth.promise;
          beforeSecond = requests.toSorted();
        }
        response.end(body + ' '.repeat(6_000_000));
      },
    ]);
    const service = connect(server.url, { requestTimeoutMs: 20_000 });
    const end = (await Array.fromAsync(service.walkClients(account, { limit: 1 }))).at(-1)!;
    expect(beforeSecond).toEqual([1, 2, 3, 4]);
    expect(end).toMatchObject({ verdict: 'complete', ids: { size: 20 } });
  });

  it('has a time of its own', async () => {
    await using server = await startRawServer([list]);
    const endAfter = async (limits: { maxWalkMs?: number }) => {
      const service = connect(server.url, {}, { limits });
      return (await Array.fromAsync(service.walkClients(account, { limit: 1 }))).at(-1);
    };
    expect(await endAfter({})).toMatchObject({ verdict: 'complete' });
    expect(await endAfter({ maxWalkMs: 0 })).toMatchObject({ reason: 'there are more pages after 0 s' });
  });
});
