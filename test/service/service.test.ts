import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { account } from './account.ts';
import { connect, startRawServer, status, token, validBody } from './raw-server.ts';

/** The query of each request, and its headers. */
function recording(body: string) {
  const requests: { path: string; query: object; headers: IncomingHttpHeaders }[] = [];
  const listener: RequestListener = ({ url, headers }, response) => {
    const { pathname, searchParams } = new URL(url!, 'http://localhost');
    const query = Object.fromEntries(searchParams);
    requests.push({ path: pathname, query, headers });
    response.end(body);
  };
  return { requests, listener };
}

describe('a request to the service', () => {
  const headers = expect.objectContaining({
    'content-type': 'application/x-www-form-urlencoded',
    'cache-control': 'no-cache',
    'user-agent': `callsheet/${manifest.version}`,
  });

  it('for clients has the token and every given parameter, the content type of the document, and who sends it, past caches', async () => {
    const { requests, listener } = recording('{"data":[]}');
    await using server = await startRawServer([listener]);
    await connect(server.url).listClients(account, { limit: 7, page: 2, search: 'a b&c', balance: true });
    const query = { sidtoken: token, limit: '7', page: '2', search: 'a b&c', balance: 'true' };
    expect(requests).toEqual([{ path: '/getClients.wr', query, headers }]);
  });

  it.each([
    ['same-day', '12-31-2025'],
    ['next-day', '01-01-2026'],
  ] as const)(
    'for campaigns ends with the %s of its range, where WINDOW_END is that',
    async (windowEnd, enddate) => {
      const { requests, listener } = recording(validBody);
      await using server = await startRawServer([listener]);
      const range = { from: '2025-12-30', to: '2025-12-31', callsetId: 42 };
      await connect(server.url, { windowEnd }).summarizeCampaigns(account, range);
      const query = { sidtoken: token, startdate: '12-30-2025', enddate, callsetid: '42' };
      expect(requests).toEqual([{ path: '/campaignSummary.wr', query, headers }]);
    },
  );

  it('that is refused is an error that names account and page, or account and days', async () => {
    await using server = await startRawServer([status(400)]);
    const service = connect(server.url);
    const page = service.listClients(account, { limit: 5, page: 0 });
    await expect(page).rejects.toThrow('account main, clients, page 0: unknown answer (HTTP 400)');
    const days = service.summarizeCampaigns(account, { from: '2025-12-30', to: '2025-12-31' });
    await expect(days).rejects.toThrow('account main, campaigns of 2025-12-30 to 2025-12-31: unknown');
  });
});

/** Twenty pages of one client, and empty ones after them. */
const page = (url: string) => {
  const number = Number(new URL(url, 'http://localhost').searchParams.get('page') ?? 1);
  const body = {
    page: number,
    pages: 20,
    limit: 1,
    count: 20,
    data: number > 20 ? [] : [{ clientid: number }],
  };
  return { number, body: JSON.stringify(body) };
};

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
    const service = connect(server.url);
    const walk = Array.fromAsync(service.walkClients(account, { limit: 1 }));
    await expect.poll(() => requests.length, { interval: 5 }).toBeGreaterThanOrEqual(9);
    expect(requests.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    held.resolve();
    expect((await walk).at(-1)).toMatchObject({ verdict: 'complete', ids: { size: 20 } });
  });

  it('requests fewer pages at once if they are large: 2 MB, by the size of the first page', async () => {
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
        response.end(number === 1 ? body + ' '.repeat(750_000) : body);
      },
    ]);
    const service = connect(server.url);
    await Array.fromAsync(service.walkClients(account, { limit: 1 }));
    expect(beforeSecond).toEqual([1, 2, 3, 4]);
  });
});
