import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/model/errors.ts';
import { listOf, pageOf, upTo, walk } from './lists.ts';

describe('the size of a list', () => {
  const counts = { results: 9 };

  it.each<[string, Parameters<typeof walk>, string | null]>([
    [
      'is doubted where it is a single page of several',
      [listOf([1, 2], () => ({ counts }))],
      'results is 9, and 2 clients are listed',
    ],
    ['is not doubted where it is a single client', [listOf([1], () => ({ counts }))], null],
    ['is not doubted where it has several pages', [listOf(upTo(4), () => ({ counts }))], null],
    [
      'is not doubted where it was searched',
      [listOf([1, 2], () => ({ counts })), { parameters: { limit: 2, search: 'x' } }],
      null,
    ],
  ])('%s, and a count says more', async (_, [list, input], problem) => {
    const { restarts } = await walk(list, input);
    expect(restarts[0] ?? null).toBe(problem);
  });

  it('is reached by clients that can not be read, too', async () => {
    const reject = { payload: '{}', reason: 'clientid: none', id: null };
    const list = listOf(upTo(4), (page) => ({
      counts: { clients: 4 },
      ...(page === 2 && { records: pageOf([3]).records, rejects: [reject] }),
    }));
    expect(await walk(list, { sizeFields: ['clients'] })).toMatchObject({
      pages: [[1, 2], [3]],
      outcome: 'complete',
      clients: 4,
      counts: { clients: 4 },
    });
  });
});

describe('pages that fail', () => {
  it.each([
    [9, 'pages 2, 3, 4, 5, 6, 7, 8 and 9 failed: the service is down'],
    [10, 'pages 2, 3, 4, 5, 6, 7, 8, 9 and 1 more failed: the service is down'],
    [11, 'pages 2, 3, 4, 5, 6, 7, 8, 9 and 2 more failed: the service is down'],
  ])('up to page %i are named, up to eight of them', async (last, problem) => {
    const list = listOf(upTo(24), (page) =>
      page > 1 && page <= last
        ? new Failure('SERVICE_UNAVAILABLE', `account main, clients, page ${page}: the service is down`, '')
        : {},
    );
    expect((await walk(list, { ahead: 20 })).problem).toBe(problem);
  });

  it('at the end are the last that there were, however many in a row', async () => {
    const list = listOf(upTo(6), (page) => (page > 1 ? new Failure('SERVICE_UNAVAILABLE', 'down', '') : {}));
    expect(await walk(list, { ahead: 2 })).toMatchObject({
      requests: ['2', '2/2', '2/3'],
      problem: 'pages 2 and 3 failed: down',
    });
  });
});
