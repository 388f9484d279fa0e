import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/model/errors.ts';
import type { ListClients } from '../../../src/service/operations.ts';
import { listOf, pageOf, upTo, walk } from './lists.ts';

/** No page has more than so many of eight clients, whatever limit it says. */
const capped =
  (most: number): ListClients =>
  async (who, { limit = 0, ...parameters }) => ({
    ...(await listOf(upTo(8))(who, { ...parameters, limit: Math.min(limit, most) })),
    limit,
  });

/** Each page is that of the requested limit without its last clients. */
const cut = (left: (limit: number) => number, clients = 12): ListClients => {
  const list = listOf(upTo(clients));
  return async (who, parameters) => {
    const page = await list(who, parameters);
    const records = page.records.slice(0, left(page.limit!));
    return { ...page, records, rows: records.length };
  };
};

const short = (page: number, rows: number, limit: number) =>
  `page ${page} has ${rows} of ${limit} clients, and isn't the last`;
const startsOf = (requests: readonly string[]) => requests.filter((each) => !each.includes('/'));

describe('a walk whose pages are shorter than its limit', () => {
  it('starts over with their length, at the first such page, and may be complete then', async () => {
    const parameters = { limit: 6 };
    expect(await walk(capped(4), { parameters })).toMatchObject({
      requests: ['6', '4', '4/2', '4/3'],
      pages: [
        [1, 2, 3, 4],
        [1, 2, 3, 4],
        [5, 6, 7, 8],
      ],
      verdict: 'complete',
      reason: null,
      clients: 8,
    });
    expect(
      await walk(
        cut((limit) => Math.min(limit, 4)),
        { parameters },
      ),
    ).toMatchObject({
      requests: ['6', '4', '4/2', '4/3', '4/4'],
      verdict: 'complete',
      clients: 12,
    });
  });

  it('starts over at a later page, too, and requests none of those after it', async () => {
    const parameters = { limit: 4 };
    const list = listOf(upTo(40), (page, limit) =>
      limit === 4 && page === 2 ? { records: pageOf([5, 6, 7]).records, rows: 3 } : {},
    );
    const { requests, pages, ...end } = await walk(list, { parameters, ahead: 2 });
    expect(startsOf(requests)).toEqual(['4', '3']);
    expect(requests.filter((each) => each.startsWith('4'))).toEqual(['4', '4/2', '4/3']);
    expect(end).toMatchObject({ verdict: 'complete', clients: 40 });
  });

  it('starts over once: pages that are short again make it incomplete, and are all loaded', async () => {
    const parameters = { limit: 6 };
    const halved = await walk(
      cut((limit) => Math.ceil(limit / 2)),
      { parameters },
    );
    expect(startsOf(halved.requests)).toEqual(['6', '3']);
    expect(halved).toMatchObject({
      pages: [
        [1, 2, 3],
        [1, 2],
        [4, 5],
        [7, 8],
        [10, 11],
      ],
      verdict: 'incomplete',
      reason: short(1, 2, 3),
      failure: null,
      clients: 9,
    });
  });

  it('is incomplete if the first page fails the second time, and keeps what it saw', async () => {
    const list: ListClients = async (who, parameters) => {
      if (parameters.limit === 4) throw new Failure('SERVICE_UNAVAILABLE', 'down');
      return await capped(4)(who, parameters);
    };
    expect(await walk(list, { parameters: { limit: 6 } })).toMatchObject({
      requests: ['6', '4'],
      pages: [[1, 2, 3, 4]],
      verdict: 'incomplete',
      reason: `page 1 failed: down; ${short(1, 4, 6)}`,
      failure: { code: 'SERVICE_UNAVAILABLE' },
      clients: 4,
    });
  });
});
