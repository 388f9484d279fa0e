import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/model/errors.ts';
import type { ClientPage, ListClients } from '../../../src/service/operations.ts';
import { type WalkEnd, walkClients } from '../../../src/service/paging/walk-clients.ts';
import { account } from '../account.ts';
import { listOf, pageOf, upTo, walk } from './lists.ts';

const down = new Failure('SERVICE_UNAVAILABLE', 'the service is down');

/** Five clients on three pages of two; pages after those are empty. */
const five = (change?: Parameters<typeof listOf>[1]) => listOf(upTo(5), change);

const unknownEnd = ['2', '2/2', '2/3', '2/4'];

describe('a walk', () => {
  it('requests the limit alone first, then each page, with all other parameters', async () => {
    expect(await walk(five(), { parameters: { limit: 2, balance: true, search: 'x' } })).toMatchObject({
      requests: ['2', '2/2', '2/3'],
      pages: [[1, 2], [3, 4], [5]],
      verdict: 'complete',
      reason: null,
      failure: null,
      clients: 5,
    });
  });

  it.each<[string, ListClients, readonly string[]]>([
    [
      'up to one less than their number, where they count from 0',
      async (_, { page = 0 }) => pageOf(page < 3 ? [page] : [], { page, pages: 3, limit: 1 }),
      ['2', '1/1', '1/2', '1/3'],
    ],
    [
      'from page 1, where none has its number: it may be the first again',
      five(() => ({ page: null })),
      ['2', '2/1', '2/2', '2/3'],
    ],
    ['up to an empty one, where their number is unknown', five(() => ({ pages: null })), unknownEnd],
    ['up to an empty one, where 0 are said, and there are clients', five(() => ({ pages: 0 })), unknownEnd],
    [
      'up to the largest number that any of them says',
      five((page) => ({ pages: page === 2 ? 4 : 3 })),
      unknownEnd,
    ],
  ])('requests the pages %s', async (_, list, requests) => {
    expect(await walk(list)).toMatchObject({ requests });
  });
});

describe('the limit of a walk', () => {
  it('is the one that the service says', async () => {
    const clamping: ListClients = (who, parameters) => five()(who, { ...parameters, limit: 2 });
    expect(await walk(clamping, { parameters: { limit: 100 } })).toMatchObject({
      requests: ['100', '2/2', '2/3'],
      verdict: 'complete',
    });
  });

  it.each([null, 0])('is the requested one, where the service says %s', async (limit) => {
    expect(await walk(five(() => ({ limit })))).toMatchObject({
      requests: ['2', '2/2', '2/3'],
      verdict: 'complete',
    });
  });

  it.each(['REQUEST_REFUSED', 'INVALID_RESPONSE'] as const)(
    'is as long as the first page, where it ends in %s and is requested without one',
    async (code) => {
      const refusing: ListClients = async (who, { limit, ...parameters }) => {
        if (limit === 100) throw new Failure(code, 'the limit is too large');
        return { ...(await five()(who, { ...parameters, limit: 2 })), limit: null };
      };
      expect(await walk(refusing, { parameters: { limit: 100 } })).toMatchObject({
        requests: ['100', 'no limit', '2/2', '2/3'],
        verdict: 'complete',
      });
    },
  );

  it('is not what a request fails for that fails without it, too: its own error is thrown', async () => {
    const requests: (number | undefined)[] = [];
    const refusing: ListClients = async (_, { limit }) => {
      requests.push(limit);
      throw new Failure('REQUEST_REFUSED', `refused with limit ${limit}`);
    };
    await expect(walk(refusing)).rejects.toThrow('refused with limit 2');
    expect(requests).toEqual([2, undefined]);
  });

  it.each([down, new Error('a bug of ours')])(
    'is not what a request fails for with another error: %s',
    async (error) => {
      let requests = 0;
      const failing: ListClients = async () => {
        requests++;
        throw error;
      };
      await expect(walk(failing)).rejects.toBe(error);
      expect(requests).toBe(1);
    },
  );
});

describe('a walk that would not end', () => {
  /** As many pages as are requested, of two clients each. */
  const endless = (change: (page: number) => Partial<ClientPage> | Failure = () => ({})) =>
    listOf(upTo(2_000), change);

  it('ends at its time', async () => {
    expect(await walk(endless(), { maxMs: 0 })).toMatchObject({
      pages: [
        [1, 2],
        [3, 4],
      ],
      verdict: 'incomplete',
      reason: 'there are more pages after 0 s',
      failure: null,
    });
  });

  it('ends after two million clients', async () => {
    const requested: number[] = [];
    const list: ListClients = async (_, { page = 1 }) => {
      requested.push(page);
      const records = Array.from({ length: 1_000_000 }, (__, index) => ({ clientId: page * 1e6 + index }));
      return {
        ...pageOf([]),
        page,
        pages: 9,
        rows: 1e6,
        records: records as unknown as ClientPage['records'],
      };
    };
    const input = { list, account, parameters: { limit: 1e6 }, ahead: 1, maxMs: 600_000 };
    let end: WalkEnd | undefined;
    for await (const item of walkClients(input)) if ('verdict' in item) end = item;
    expect([requested, end!.reason]).toEqual([[1, 2], 'there are more pages after 2000000 clients']);
  });

  it.each<[string, (page: number) => Partial<ClientPage>, string]>([
    [
      'can be read',
      () => ({ records: [] }),
      'no new client on 3 pages in a row: the pages after page 4 were not fetched',
    ],
    [
      'is new',
      (page) => ({ records: pageOf([[1], [2], [2, 1]][page - 2]!).records }),
      'page 4 has the clients of earlier pages again',
    ],
  ])('ends after as many pages as are requested at once on which no client %s', async (_, change, reason) => {
    const list = endless((page) => (page === 1 ? {} : change(page)));
    const { requests, ...end } = await walk(list, { ahead: 3 });
    expect(requests.slice(0, 4)).toEqual(['2', '2/2', '2/3', '2/4']);
    expect(requests.length).toBeLessThanOrEqual(7);
    expect(end).toMatchObject({ verdict: 'incomplete', reason });
    expect(end.pages).toHaveLength(4);
  });
});
