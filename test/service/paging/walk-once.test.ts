import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/model/errors.ts';
import type { ClientPage, ListClients } from '../../../src/service/operations.ts';
import { listOf, pageOf, upTo, walk } from './lists.ts';

const down = new Failure('SERVICE_UNAVAILABLE', 'the service is down', '');

/** Five clients on three pages of two; pages after those are empty. */
const five = (change?: Parameters<typeof listOf>[1]) => listOf(upTo(5), change);

const unknownEnd = ['2', '2/2', '2/3', '2/4'];

describe('a walk', () => {
  it('requests the limit alone first, then each page, with all other parameters', async () => {
    expect(await walk(five(), { parameters: { limit: 2, balance: true, search: 'x' } })).toEqual({
      requests: ['2', '2/2', '2/3'],
      pages: [[1, 2], [3, 4], [5]],
      restarts: [],
      outcome: 'complete',
      problem: null,
      failure: null,
      clients: 5,
      counts: {},
    });
  });

  it.each<[string, ListClients, readonly string[], string | null]>([
    [
      'up to one less than their number, where they count from 0',
      async (_, { page = 0 }) => pageOf([page], { page, pages: 3, limit: 1 }),
      ['2', '1/1', '1/2'],
      null,
    ],
    [
      'from the second, where none has its number and page 1 is the first again',
      five(() => ({ page: null })),
      ['2', '2/1', '2/2', '2/3'],
      'responses have no page number',
    ],
    [
      'from page 1, where none has its number and that is another than the first',
      async (_, { page = 0 }) => pageOf(page < 3 ? [page] : [], { page: null, pages: 3, limit: 2 }),
      ['2', '2/1', '2/1', '2/2', '2/3'],
      'responses have no page number',
    ],
    [
      'up to an empty one, where their number is unknown',
      five(() => ({ pages: null })),
      unknownEnd,
      'responses have no number of pages',
    ],
    [
      'up to an empty one, where their number is 0 and there are clients',
      five(() => ({ pages: 0 })),
      unknownEnd,
      'the response says 0 pages and has clients',
    ],
    [
      'no further, where their number is 0 and there are no clients',
      listOf([], () => ({ pages: 0 })),
      ['2'],
      null,
    ],
    ['no further, where the first is empty and the only one', listOf([]), ['2'], null],
  ])('requests the pages %s', async (_, list, requests, problem) => {
    expect(await walk(list)).toMatchObject({ requests, restarts: [], problem });
  });

  it('requests the others, too, where the first of several is empty', async () => {
    const list = five((page) => (page === 1 ? { records: [], rows: 0 } : {}));
    const { requests, pages } = await walk(list);
    expect([requests.slice(0, 3), pages.slice(0, 3)]).toEqual([
      ['2', '2/2', '2/3'],
      [[], [3, 4], [5]],
    ]);
  });

  it('requests a page 1 that fails once more, where the first has no number, and names it', async () => {
    let requests = 0;
    const list = five(() => (++requests > 1 && requests < 4 ? down : { page: null }));
    expect(await walk(list)).toMatchObject({
      requests: ['2', '2/1', '2/1', '2/2', '2/3'],
      problem: 'page 1 failed: the service is down',
    });
  });

  it.each<[string, number | null, readonly string[], string, string]>([
    ['more pages', 4, unknownEnd, 'the number of pages changed from 3 to 4', 'changed'],
    ['fewer pages', 1, unknownEnd.slice(0, 3), 'the number of pages changed from 3 to 1', 'changed'],
    ['0 pages', 0, unknownEnd.slice(0, 3), 'the number of pages changed from 3 to 0', 'changed'],
    [
      'no number of pages',
      null,
      unknownEnd.slice(0, 3),
      'the response for page 2 has no number of pages',
      'incomplete',
    ],
  ])('goes as far as any page says: page 2 says %s', async (_, pages, requests, problem, outcome) => {
    const clients = pages === 4 ? 7 : 5;
    const list = listOf(upTo(clients), (page) => ({ pages: page === 2 ? pages : 3 }));
    const result = await walk(list);
    expect(result.requests.slice(0, requests.length + 1)).toEqual([...requests, pages === null ? '2' : '1']);
    expect(result).toMatchObject({ restarts: [problem, expect.any(String)], outcome });
  });
});

describe('the limit of a walk', () => {
  it('is the one that the service says', async () => {
    const clamping: ListClients = (who, parameters) => five()(who, { ...parameters, limit: 2 });
    expect(await walk(clamping, { parameters: { limit: 100 } })).toMatchObject({
      requests: ['100', '2/2', '2/3'],
      outcome: 'complete',
    });
  });

  it.each([null, 0])('is the requested one, where the service says %s', async (limit) => {
    expect(await walk(five(() => ({ limit })))).toMatchObject({
      requests: ['2', '2/2', '2/3'],
      outcome: 'complete',
    });
    const short = five((page) => ({ limit, ...(page === 1 && { ...pageOf([1]), pages: 3, limit }) }));
    expect((await walk(short)).requests.slice(0, 3)).toEqual(['2', '2/2', '2/3']);
  });

  it.each(['REQUEST_REFUSED', 'INVALID_RESPONSE'] as const)(
    'is as long as the first page, where it ends in %s and is requested without one',
    async (code) => {
      const refusing: ListClients = async (who, { limit, ...parameters }) => {
        if (limit === 100) throw new Failure(code, 'the limit is too large', '');
        return { ...(await five()(who, { ...parameters, limit: 2 })), limit: null };
      };
      expect(await walk(refusing, { parameters: { limit: 100 } })).toMatchObject({
        requests: ['100', 'no limit', '2/2', '2/3'],
        outcome: 'complete',
      });
    },
  );

  it('is not what a request fails for that fails without it, too: its own error is thrown', async () => {
    const requests: (number | undefined)[] = [];
    const refusing: ListClients = async (_, { limit }) => {
      requests.push(limit);
      throw new Failure('REQUEST_REFUSED', `refused with limit ${limit}`, '');
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

  it('ends at its time, and is not repeated', async () => {
    expect(await walk(endless(), { maxMs: 0 })).toMatchObject({
      pages: [
        [1, 2],
        [3, 4],
      ],
      restarts: [],
      outcome: 'incomplete',
      problem: 'there are more pages after 0 s',
      failure: null,
    });
  });

  it('has all its time from its own beginning, and may use it up with its last page', async () => {
    expect(await walk(five(), { maxMs: performance.now() })).toMatchObject({ outcome: 'complete' });
    expect(await walk(listOf(upTo(4)), { maxMs: 0 })).toMatchObject({ outcome: 'complete' });
  });

  it('has no failure that were worth another walk, though pages before its end failed', async () => {
    const list = endless((page) => (page === 2 ? down : {}));
    expect(await walk(list, { maxMs: 0 })).toMatchObject({
      pages: [
        [1, 2],
        [5, 6],
      ],
      restarts: [],
      problem: 'there are more pages after 0 s',
      failure: null,
    });
  });

  it('ends after two million clients, those that can not be read included', async () => {
    const rejects = Array(999_998);
    expect(await walk(endless(() => ({ rejects, rows: 1_000_000 })))).toMatchObject({
      pages: [
        [1, 2],
        [3, 4],
      ],
      restarts: [],
      problem: 'there are more pages after 2000000 clients',
      clients: 2_000_000,
    });
  });

  it.each<[string, (page: number) => Partial<ClientPage>, string]>([
    ['can be read', () => ({ records: [] }), 'several pages in a row have no further client'],
    [
      'is new',
      (page) => ({ records: pageOf([[1], [2], [2, 1]][page - 2]!).records }),
      'client 1 is on two pages',
    ],
    [
      'is new, while the list changes',
      () => ({ records: [], pages: 9 }),
      'the number of pages changed from 1000 to 9',
    ],
  ])('ends after three pages on which no client %s', async (_, change, problem) => {
    const list = endless((page) => (page === 1 ? {} : change(page)));
    const { requests, ...end } = await walk(list, { ahead: 1 });
    expect(requests.slice(0, 5)).toEqual(['2', '2/2', '2/3', '2/4', '2']);
    expect(end).toMatchObject({ outcome: 'incomplete', problem });
  });
});
