import { describe, expect, test } from 'vitest';
import type { VariantName } from '../../support/simulator/variants.ts';
import type { Simulator } from '../../support/simulator.ts';
import {
  DATASET,
  getCampaigns,
  getClients,
  getPage,
  type Received,
  send,
  start,
  tokenOf,
} from '../simulator.ts';

const sidtoken = tokenOf('coast');

/** A short word for a response: how it ended, or what it was. */
function outcome({ status, headers, end, body }: Received): string {
  if (end !== 'whole') return end;
  if (status !== 200) return String(status);
  if (headers['content-type']?.startsWith('text/html')) return 'html';
  return body && (Object.hasOwn(body, 'count') || Object.hasOwn(body, 'reports')) ? 'ok' : '?';
}

async function outcomes(simulator: Simulator, pages: readonly number[]): Promise<string[]> {
  const list: string[] = [];
  for (const page of pages) list.push(outcome(await getPage(simulator, page)));
  return list;
}

describe('a fault that a retry heals', () => {
  test.for<[VariantName, number, string]>([
    ['connection-reset', 5, 'reset'],
    ['body-cut', 4, 'cut'],
    ['body-stalls', 6, 'stalled'],
    ['html-instead', 4, 'html'],
    ['rate-limited-seconds', 5, '429'],
    ['rate-limited-date', 5, '429'],
    ['rate-limited-past', 5, '429'],
    ['rate-limited-long', 5, '429'],
  ])('%s strikes every %ith request, and its retry succeeds', async ([name, n, bad]) => {
    const simulator = await start({ variants: [name] });
    const pages = Array.from({ length: n }, (_, index) => index + 1);
    const good = Array(n - 1).fill('ok');
    expect(await outcomes(simulator, pages)).toEqual([...good, bad]);
    // The retry isn't counted: the next one to be struck is the nth request after it.
    expect(await outcomes(simulator, [n, ...pages.map((page) => page + n)])).toEqual(['ok', ...good, bad]);
    expect(simulator.journal.flatMap(({ injectedBy }) => injectedBy ?? [])).toEqual([name, name]);
    // Each operation counts by itself.
    expect(outcome(await getCampaigns(simulator))).toBe('ok');
  });

  test('strikes one and the same request again and again, but never twice in a row', async () => {
    const simulator = await start({ variants: ['html-instead'] });
    const round = ['ok', 'ok', 'ok', 'html'];
    const expected = [...round, 'ok', ...round, 'ok', ...round];
    expect(await outcomes(simulator, Array(14).fill(7))).toEqual(expected);
  });

  test('strikes as often when requests are concurrent, and none of their retries', async () => {
    const simulator = await start({ variants: ['connection-reset', 'body-cut', 'rate-limited-seconds'] });
    const pages = Array.from({ length: 40 }, (_, index) => index + 1);
    const responses = await Promise.all(pages.map((page) => getPage(simulator, page)));
    const failed = pages.filter((_, index) => outcome(responses[index]!) !== 'ok');
    expect(failed.length).toBeGreaterThan(15);
    const retried = await Promise.all(failed.map((page) => getPage(simulator, page)));
    expect(retried.map(outcome)).toEqual(failed.map(() => 'ok'));
  });
});

describe('a fault in every response', () => {
  test.for<[VariantName, string]>([
    ['html-always', 'html'],
    ['nonsense-json', '?'],
    ['huge-body', 'endless'],
    ['error-in-200', '?'],
    ['redirects', '302'],
    ['rate-limited-forever', '429'],
  ])('%s strikes every request and its retry in both operations: %s', async ([variant, expected]) => {
    const simulator = await start({ variants: [variant] });
    expect(await outcomes(simulator, [1, 1, 2])).toEqual(Array(3).fill(expected));
    expect(outcome(await getCampaigns(simulator))).toBe(expected);
    expect(simulator.journal.map(({ injectedBy }) => injectedBy)).toEqual(Array(4).fill(variant));
  });

  test('redirects lead to an address that responds', async () => {
    const simulator = await start({ variants: ['redirects'] });
    const { location } = (await getPage(simulator, 1)).headers;
    expect((await fetch(new URL(location!, simulator.url))).status).toBe(200);
  });

  test('slow takes 50 ms beside the latency', async () => {
    const timed = async (simulator: Simulator) => {
      const before = performance.now();
      await getPage(simulator, 1);
      return performance.now() - before;
    };
    expect(await timed(await start({ variants: ['slow'] }))).toBeGreaterThan(48);
    expect(await timed(await start({ latencyMs: 120, variants: ['slow'] }))).toBeGreaterThan(165);
  });

  test.for([
    ['getClients.wr', 500],
    ['campaignSummary.wr', 400],
  ] as const)(
    'error-echoes-token: %s fails with %i and repeats the token raw and encoded',
    async ([name, status]) => {
      const simulator = await start({ variants: ['error-echoes-token'] });
      const received = await send<{ error: Record<string, string> }>(simulator, name, {
        sidtoken,
        limit: '7',
      });
      const { error } = received.body;
      expect(received.status).toBe(status);
      expect(error.message).toContain(sidtoken);
      const target = `/api/${name}?sidtoken=${encodeURIComponent(sidtoken)}&limit=7`;
      expect(error.message).toContain(target);
      expect(encodeURIComponent(sidtoken)).not.toBe(sidtoken);
      expect(received.headers['x-request-url']).toBe(target);
    },
  );
});

test.for<[VariantName, min: number, max: number]>([
  ['rate-limited-seconds', 1, 1],
  ['rate-limited-date', 1, 2],
  ['rate-limited-past', -61, -60],
  ['rate-limited-long', 86_400, 86_400],
])('%s has a Retry-After of %i to %i seconds', async ([variant, min, max]) => {
  const simulator = await start({ variants: [variant] });
  for (const page of [1, 2, 3, 4]) await getPage(simulator, page);
  const before = Date.now();
  const retryAfter = (await getPage(simulator, 5)).headers['retry-after']!;
  const after = Date.now();
  const isDate = variant === 'rate-limited-date' || variant === 'rate-limited-past';
  expect(retryAfter).toMatch(isDate ? /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/ : /^\d+$/);
  const secondsFrom = (time: number) =>
    isDate ? (Date.parse(retryAfter) - time) / 1_000 : Number(retryAfter);
  expect(secondsFrom(before)).toBeGreaterThanOrEqual(min);
  expect(secondsFrom(after)).toBeLessThanOrEqual(max);
});

describe('a token', () => {
  const NEW = 'north-after-the-change';

  test.for<[VariantName, number, unknown]>([
    ['token-refused-401', 401, { error: { code: 401, message: expect.stringContaining('sidtoken') } }],
    ['token-refused-403', 403, { error: { code: 403, message: 'Access denied.' } }],
    ['token-refused-in-200', 200, { error: 'Invalid session token' }],
  ])('%s: is refused, whosever it is, in both operations', async ([variant, status, body]) => {
    const simulator = await start({ variants: [variant] });
    for (const { name } of DATASET.accounts) {
      expect(await getClients(simulator, {}, name)).toMatchObject({ status, body });
      expect(await getCampaigns(simulator, '2026-11-18', '2026-11-18', {}, name)).toMatchObject({
        status,
        body,
      });
    }
    expect(await send(simulator, 'getClients.wr', {})).toMatchObject({ status, body });
    expect(simulator.journal[0]).toMatchObject({ account: 'north', injectedBy: variant });
  });

  test('token-expires: is refused after five requests of its account, until another is sent', async () => {
    const simulator = await start({ variants: ['token-expires'], tokens: { north: [NEW] } });
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) statuses.push((await getClients(simulator)).status);
    statuses.push((await getCampaigns(simulator)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 401, 401]);
    for (let count = 0; count < 7; count += 1) {
      expect((await send(simulator, 'getClients.wr', { sidtoken: NEW })).status).toBe(200);
    }
    expect((await getClients(simulator, {}, 'coast')).status).toBe(200);
    expect((await getClients(simulator)).status).toBe(401);
  });

  test('token-expires with token-refused-in-200: only the expired one is refused, in that manner', async () => {
    const variants: VariantName[] = ['token-refused-in-200', 'token-expires'];
    const simulator = await start({ variants, tokens: { north: [NEW] } });
    for (let count = 0; count < 5; count += 1)
      expect((await getClients(simulator)).body).toHaveProperty('data');
    expect(await getClients(simulator)).toMatchObject({
      status: 200,
      body: { error: 'Invalid session token' },
    });
    expect((await send(simulator, 'getClients.wr', { sidtoken: NEW })).body).toHaveProperty('data');
  });
});
