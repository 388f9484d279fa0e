import { describe, expect, it } from 'vitest';
import { type ErrorCode, Failure } from '../../../src/model/errors.ts';
import type { ClientPage, ListClients } from '../../../src/service/operations.ts';
import { listOf, pageOf, upTo, walk } from './lists.ts';

const counts = { clients: 5, results: 2 };
const clients = (...ids: number[]) => ({ records: pageOf(ids).records, rows: ids.length });
const unreadable = (id: number) => [{ payload: '{}', reason: 'clientname: too long', id }];
const again = 'page 2 has the clients of earlier pages again';

describe('a walk of five clients on three pages', () => {
  it.each<[string, Partial<ClientPage>, verdict: string, reason: string | null]>([
    ['is as announced', {}, 'complete', null],
    ['has no counts', { counts: {} }, 'complete', null],
    ['has another count of itself', { counts: { results: 1 } }, 'complete', null],
    ['has a client that can’t be read', { ...clients(3), rows: 2, rejects: unreadable(4) }, 'complete', null],
    ['has no page number', { page: null }, 'complete', null],
    ['is another page', { page: 3 }, 'incomplete', 'requested page 2, got page 3'],
    ['has no number of pages', { pages: null }, 'complete', null],
    ['is empty', clients(), 'incomplete', 'page 2 is empty'],
    [
      'has a remark',
      { remarks: ['HTTP 206', 'a: x'] },
      'remarked',
      'the service says "HTTP 206" \\(and 1 more remark\\)',
    ],
    ['is the first again', clients(1, 2), 'incomplete', again],
    ['is over half on earlier pages', clients(1, 2, 9), 'incomplete', again],
    ['says 4 pages', { pages: 4 }, 'changed', 'the number of pages changed from 3 to 4'],
    ['is the last now', { ...clients(3), pages: 2 }, 'changed', 'the number of pages changed from 3 to 2'],
    ['has a client of page 1', clients(3, 2), 'changed', 'client 2 is on two pages'],
    [
      'has an unreadable client of page 1',
      { ...clients(3), rows: 2, rejects: unreadable(1) },
      'changed',
      'client 1 is on two pages',
    ],
    ['counts one client more', { counts: { clients: 6 } }, 'changed', 'clients changed from 5 to 6'],
    ['counts one client less', { counts: { clients: 4 } }, 'changed', 'clients changed from 5 to 4'],
    [
      'is known, but the list grew',
      { ...clients(2, 1), counts: { clients: 7 } },
      'changed',
      'clients changed',
    ],
  ])('whose second page %s', async (_, second, verdict, reason) => {
    const list = listOf(upTo(5), (page) => ({ counts, ...(page === 2 ? second : {}) }));
    expect(await walk(list)).toMatchObject({
      verdict,
      reason: reason && expect.stringMatching(`^${reason}`),
    });
  });

  it.each<[string, Partial<ClientPage>, verdict: string]>([
    ['is short', {}, 'complete'],
    ['is empty', clients(), 'complete'],
    ['has a client of before', clients(1), 'changed'],
    ['is gone: the response is the last one', { ...clients(3, 4), page: 2, pages: 2 }, 'changed'],
    ['is gone: the response is empty', { ...clients(), page: null, pages: 2 }, 'changed'],
  ])('whose last page %s', async (_, last, verdict) => {
    expect(await walk(listOf(upTo(5), (page) => (page === 3 ? last : {})))).toMatchObject({ verdict });
  });

  it.each<[string, Partial<ClientPage>, verdict: string]>([
    ['has no number', { page: null }, 'complete'],
    ['has no number of pages', { pages: null }, 'complete'],
    ['is one of 0 pages', { pages: 0 }, 'complete'],
    ['is empty', clients(), 'incomplete'],
  ])('whose first page %s goes on to the last', async (_, first, verdict) => {
    const end = await walk(listOf(upTo(5), (page) => (page === 1 ? first : {})));
    expect(end).toMatchObject({ verdict });
    expect(end.pages.flat()).toEqual(expect.arrayContaining([3, 4, 5]));
  });
});

it.each<[string, ListClients]>([
  ['is short', listOf([1])],
  ['is empty', listOf([])],
  ['is one of 0 pages', listOf([], () => ({ pages: 0 }))],
  ['counts from 0', async () => pageOf([1], { page: 0 })],
])('a walk whose only page %s is complete after one request', async (_, list) => {
  expect(await walk(list)).toMatchObject({ requests: ['2'], verdict: 'complete' });
});

describe('the end of a list of which nothing says where it is', () => {
  const silent = { page: null, pages: null } as const;
  const failing = (at: number, code: ErrorCode, said: Partial<ClientPage> = silent) =>
    listOf(upTo(4), (page) => (page === at ? new Failure(code, 'no such page') : said));

  it('is no repetition of the only page that came: `page` may be ignored', async () => {
    expect(await walk(async () => pageOf([1, 2], silent))).toMatchObject({
      verdict: 'incomplete',
      reason: again,
    });
  });

  it('is no refusal in the middle', async () => {
    expect(await walk(failing(2, 'REQUEST_REFUSED'))).toMatchObject({
      verdict: 'incomplete',
      failure: { code: 'REQUEST_REFUSED' },
      clients: 2,
    });
  });

  it.each(['TOKEN_REFUSED', 'SERVICE_UNAVAILABLE'] as const)(
    'is never %s, whatever is said',
    async (code) => {
      expect(await walk(failing(3, code, {}))).toMatchObject({ verdict: 'incomplete', failure: { code } });
    },
  );

  it.each<[string, Partial<ClientPage>]>([
    ['the number of pages', {}],
    ['a count', { ...silent, counts: { clients: 4 } }],
  ])('is a refusal after %s', async (_, said) => {
    expect(await walk(failing(3, 'REQUEST_REFUSED', said))).toMatchObject({
      verdict: 'complete',
      clients: 4,
    });
  });
});
