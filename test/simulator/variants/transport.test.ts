import { describe, expect, test } from 'vitest';
import type { VariantName } from '../../support/simulator/variants.ts';
import type { Simulator } from '../../support/simulator.ts';
import { getCampaigns, getClients, getPage, type Received, send, start } from '../simulator.ts';

/** A short word for a response: how it ended, or its status. */
function outcome({ status, end }: Received): string {
  return end === 'whole' ? String(status) : end;
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
    ['rate-limited-seconds', 5, '429'],
  ])('%s strikes every %ith request, and its retry succeeds', async ([name, n, bad]) => {
    const simulator = await start({ variants: [name] });
    const pages = Array.from({ length: n }, (_, index) => index + 1);
    const good = Array(n - 1).fill('200');
    expect(await outcomes(simulator, pages)).toEqual([...good, bad]);
    // The retry isn't counted: the next one to be struck is the nth request after it.
    expect(await outcomes(simulator, [n, ...pages.map((page) => page + n)])).toEqual(['200', ...good, bad]);
    // Each operation counts by itself.
    expect(outcome(await getCampaigns(simulator))).toBe('200');
  });

  test('strikes as often when requests are concurrent, and none of their retries', async () => {
    const simulator = await start({ variants: ['connection-reset', 'body-cut', 'rate-limited-seconds'] });
    const pages = Array.from({ length: 40 }, (_, index) => index + 1);
    const responses = await Promise.all(pages.map((page) => getPage(simulator, page)));
    const failed = pages.filter((_, index) => outcome(responses[index]!) !== '200');
    expect(failed.length).toBeGreaterThan(15);
    const retried = await Promise.all(failed.map((page) => getPage(simulator, page)));
    expect(retried.map(outcome)).toEqual(failed.map(() => '200'));
  });
});

test('token-expires: refuses a token after five requests of its account, until another is sent', async () => {
  const sidtoken = 'north-after-the-change';
  const simulator = await start({ variants: ['token-expires'], tokens: { north: [sidtoken] } });
  const statuses: number[] = [];
  for (let count = 0; count < 6; count += 1) statuses.push((await getClients(simulator)).status);
  statuses.push((await getCampaigns(simulator)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 401, 401]);
  for (let count = 0; count < 7; count += 1) {
    expect((await send(simulator, 'getClients.wr', { sidtoken })).status).toBe(200);
  }
  expect((await getClients(simulator, {}, 'coast')).status).toBe(200);
});
