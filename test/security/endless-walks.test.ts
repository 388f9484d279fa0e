import { expect, it } from 'vitest';
import type { ClientPage, ListClients } from '../../src/service/operations.ts';
import { walkClients } from '../../src/service/paging/walk-clients.ts';
import { callsheet } from '../support/callsheet.ts';
import { serviceResponse } from '../support/service-response.ts';
import { mailsLongAgo, openWorld } from '../support/world.ts';

const account = { name: 'main', label: 'main', timeZone: 'UTC' };

/** A list that says it has a thousand million pages, with the clients that `idsOf` makes up for each. */
function endless(idsOf: (page: number) => readonly number[]) {
  const requested: number[] = [];
  const list: ListClients = async (_, { page = 1 }) => {
    requested.push(page);
    const records = idsOf(page).map((clientId) => ({ clientId }));
    const content = {
      page,
      pages: 1e9,
      limit: 2,
      rows: 2,
      counts: {},
      rejects: [],
      remarks: [],
      notice: null,
    };
    return { ...content, records, response: serviceResponse() } as unknown as ClientPage;
  };
  return { list, requested };
}

async function walk(list: ListClients, maxMs: number) {
  const input = { list, account, parameters: { limit: 2 }, ahead: 4, maxMs };
  return await Array.fromAsync(walkClients(input));
}

it('a walk ends after as many pages without a new client as are requested at once, whatever the number of pages', async () => {
  const { list, requested } = endless((page) => (page <= 5 ? [page * 2, page * 2 + 1] : [2, 3]));
  const items = await walk(list, 60_000);
  expect(items).toHaveLength(5 + 4 + 1);
  expect(items.at(-1)).toMatchObject({
    verdict: 'incomplete',
    reason: 'page 6 has the clients of earlier pages again',
    ids: { size: 10 },
  });
  expect(requested.length).toBeLessThanOrEqual(5 + 4 + 4);
});

it('a walk with new clients for ever ends when its time is over', async () => {
  const { list, requested } = endless((page) => [page * 2, page * 2 + 1]);
  const items = await walk(list, 0);
  expect(items).toHaveLength(3);
  expect(items.at(-1)).toMatchObject({
    verdict: 'incomplete',
    reason: 'there are more pages after 0 s',
    failure: null,
    ids: { size: 4 },
  });
  expect(requested.length).toBeLessThanOrEqual(6);
});

it('the pages before are loaded, and the digest goes out', async () => {
  const world = await openWorld({
    intercept: async ({ operation }, next) => {
      const response = await next();
      if (operation !== 'getClients') return response;
      return { ...response, envelope: { ...response.envelope, pages: 1e9 } };
    },
  });
  try {
    const environment = { ...world.environment, ...(await mailsLongAgo(world)) };
    const { code, stderr } = await callsheet(['run', '--day', '2026-03-02'], environment);
    expect(code).toBe(75);
    expect(stderr).toContain("can't be proven complete");
    const [counts] = await world.query(`
      select (select count(distinct account_id)::int from warehouse.clients) as accounts,
        (select count(*)::int from etl.digests where state = 'built') as digests`);
    expect(counts).toEqual({ accounts: 3, digests: 1 });
  } finally {
    await world.close();
  }
});
