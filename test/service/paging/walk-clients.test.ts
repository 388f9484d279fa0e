import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/model/errors.ts';
import type { ClientPage, ListClients } from '../../../src/service/operations.ts';
import { type WalkEnd, walkClients } from '../../../src/service/paging/walk-clients.ts';
import { account } from '../account.ts';
import { pageOf } from './lists.ts';

type Service = {
  readonly clients: number;
  readonly base: number;
  /** The largest page; null: as many as are requested. */
  readonly clamp: number | null;
  readonly counts: (page: ClientPage, before: number) => { [name: string]: number };
};

/** A client list as some service might page it. */
function paging({ clients, base, clamp, counts }: Service): ListClients {
  return async (_, { limit = 10, page = base }) => {
    const size = Math.min(limit, clamp ?? limit);
    const from = (page - base) * size;
    const ids = idsOf(clients).slice(from, from + size);
    const pages = Math.max(1, Math.ceil(clients / size));
    const content = pageOf(ids, { page, pages, limit: size });
    return { ...content, counts: counts(content, from) };
  };
}

async function walked(list: ListClients, limit = 10, ahead = 4) {
  const ids: number[] = [];
  let end: WalkEnd | null = null;
  const input = { list, account, parameters: { limit, balance: true }, ahead, maxMs: 60_000 };
  for await (const item of walkClients(input)) {
    expect(end, 'the end comes last').toBeNull();
    if ('verdict' in item) end = item;
    else ids.push(...item.records.map((client) => client.clientId));
  }
  const { ids: seen, verdict, reason, failure } = end!;
  expect(ids.filter((id) => !seen.has(id))).toEqual([]);
  expect(verdict === 'complete').toBe(reason === null);
  return { ids, end: { verdict, reason, failure } };
}

const complete = { verdict: 'complete', reason: null, failure: null };

/** The ids of so many clients, from 0. */
const idsOf = (count: number) => Array.from({ length: count }, (_, id) => id);

describe('a walk over a list that does not change', () => {
  const anyService = fc.record({
    clients: fc.integer({ min: 0, max: 120 }),
    base: fc.constantFrom(0, 1),
    clamp: fc.option(fc.integer({ min: 1, max: 30 })),
    counts: fc.constantFrom<Service['counts']>(
      () => ({}),
      (page, before) => ({ results: page.records.length, count: before + page.records.length }),
      (page) => ({ clients: page.pages!, results: page.rows, count: page.records.length }),
    ),
  });

  it('is complete and sees every client once, however the service pages and counts', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyService,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 9 }),
        async (service, limit, ahead) => {
          expect(await walked(paging(service), limit, ahead)).toEqual({
            ids: idsOf(service.clients),
            end: complete,
          });
        },
      ),
    );
  });

  it('is complete where the limit is refused, and the list is requested without one', async () => {
    const list = paging({ clients: 55, base: 1, clamp: null, counts: () => ({}) });
    const refusing: ListClients = async (who, parameters) => {
      if ((parameters.limit ?? 0) > 10) throw new Failure('REQUEST_REFUSED', 'limit too large');
      return await list(who, parameters);
    };
    expect(await walked(refusing, 100)).toEqual({ ids: idsOf(55), end: complete });
  });

  it('never requests more pages ahead than it may', async () => {
    const list = paging({ clients: 200, base: 1, clamp: null, counts: () => ({}) });
    let [now, max] = [0, 0];
    const counting: ListClients = async (who, parameters) => {
      max = Math.max(max, ++now);
      await new Promise(setImmediate);
      now--;
      return await list(who, parameters);
    };
    await walked(counting, 10, 3);
    expect(max).toBe(3);
  });
});

describe('a walk that proves nothing', () => {
  const still = { clients: 55, base: 1, clamp: null, counts: () => ({}) };
  /** The list with some responses changed; `nth` counts the requests from 1. */
  const changed = (
    change: (page: ClientPage, requested: number | undefined, nth: number) => Partial<ClientPage>,
  ): ListClients => {
    let nth = 0;
    return async (who, parameters) => {
      const page = await paging(still)(who, parameters);
      return { ...page, ...change(page, parameters.page, ++nth) };
    };
  };
  const first10 = async () => (await paging(still)(account, { limit: 10 })).records;

  it.each<[string, () => ListClients, RegExp]>([
    [
      'another page than the requested one',
      () => changed((page, requested) => (requested === 3 ? { page: 9 } : page)),
      /requested page 3, got page 9/,
    ],
    [
      'a page without its number',
      () => changed((page, requested) => (requested === 3 ? { page: null } : page)),
      /page 3 has no page number/,
    ],
    [
      'an empty page before the end',
      () => changed((page, requested) => (requested === 3 ? { records: [], rows: 0 } : page)),
      /page 3 is empty/,
    ],
    ['no number of pages', () => changed(() => ({ pages: null })), /has no number of pages/],
    ['0 pages', () => changed(() => ({ pages: 0 })), /there are 0 pages/],
    ['no page numbers', () => changed(() => ({ page: null })), /has no page number/],
  ])('reports %s, and still sees the clients that there are', async (_, list, reason) => {
    const { ids, end } = await walked(list());
    expect(end).toMatchObject({ verdict: 'incomplete', reason: expect.stringMatching(reason) });
    expect(ids.length).toBeGreaterThanOrEqual(45);
  });

  it.each<[string, ListClients, RegExp]>([
    [
      'a total falls: somebody may have moved to a page before',
      changed((_, requested) => ({ counts: { clients: requested === 4 ? 54 : 55 } })),
      /^clients changed from 55 to 54$/,
    ],
    [
      'a total grows',
      changed((_, requested) => ({ counts: { clients: requested === 4 ? 56 : 55 } })),
      /^clients changed from 55 to 56$/,
    ],
    [
      'the number of pages moves',
      changed((page, requested) => (requested === 3 ? { pages: 9 } : page)),
      /^the number of pages changed from 6 to 9$/,
    ],
    [
      'a client is on two pages',
      changed((page, requested) =>
        requested === 3
          ? { records: page.records.map((client) => ({ ...client, clientId: client.clientId - 1 })) }
          : page,
      ),
      /^client 19 is on two pages$/,
    ],
  ])('ends as changed, after one walk, where %s', async (_, list, reason) => {
    const { ids, end } = await walked(list);
    expect(ids).toHaveLength(55);
    expect(end).toEqual({ verdict: 'changed', reason: expect.stringMatching(reason), failure: null });
  });

  it('is incomplete where a page fails while the list changes', async () => {
    const list = changed((page, requested) => (requested === 3 ? { pages: 9 } : page));
    const failing: ListClients = async (who, parameters) => {
      if (parameters.page === 5) throw new Failure('SERVICE_UNAVAILABLE', 'down');
      return await list(who, parameters);
    };
    expect((await walked(failing)).end).toMatchObject({
      verdict: 'incomplete',
      reason: 'page 5 failed: down; the number of pages changed from 6 to 9',
    });
  });

  it('ends where a page repeats, whatever the number of pages says', async () => {
    const records = await first10();
    let requests = 0;
    const list = changed(() => {
      requests++;
      return { records, pages: 1_000_000 };
    });
    const { end } = await walked(list);
    expect(end).toMatchObject({
      verdict: 'incomplete',
      reason: 'page 2 has the clients of earlier pages again',
    });
    expect(requests).toBeLessThan(40);
  });

  it('ends where two pages alternate', async () => {
    const a = await first10();
    const b = a.map((client) => ({ ...client, clientId: client.clientId + 100 }));
    const list = changed((_, requested = 1) => ({ records: requested % 2 === 1 ? a : b, pages: 1_000_000 }));
    expect((await walked(list)).end).toMatchObject({
      verdict: 'incomplete',
      reason: 'page 3 has the clients of earlier pages again',
    });
  });

  it('ends for every list, however inconsistent it is', async () => {
    const anyResponse = fc.record({
      page: fc.option(fc.nat(5)),
      pages: fc.option(fc.constantFrom(0, 1, 3, 7, 1_000_000)),
      limit: fc.option(fc.nat(20)),
      ids: fc.array(fc.nat(30), { maxLength: 5 }),
      counts: fc.dictionary(fc.constantFrom('clients', 'results', 'count'), fc.nat(40)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyResponse, { minLength: 1, maxLength: 12 }), async (responses) => {
        let requests = 0;
        const list: ListClients = async () => {
          const { ids, ...rest } = responses[requests++ % responses.length]!;
          return pageOf(ids, rest);
        };
        await walked(list, 5, 3);
        expect(requests).toBeLessThan(400);
      }),
    );
  });
});
