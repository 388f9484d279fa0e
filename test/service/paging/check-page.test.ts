import { describe, expect, it } from 'vitest';
import type { ClientPage } from '../../../src/service/operations.ts';
import { checkPage, type PageProblem } from '../../../src/service/paging/check-page.ts';
import { pageOf } from './lists.ts';

const counts = { clients: 5, results: 2 };
const first = pageOf([1, 2], { pages: 3, counts });
const page = (ids: readonly number[], change: Partial<ClientPage> = {}) =>
  pageOf(ids, { page: 2, pages: 3, counts, ...change });
const last = (ids: readonly number[], change: Partial<ClientPage> = {}) => page(ids, { page: 3, ...change });
const seen = new Set([1, 2]);

const incomplete = (reason: string): PageProblem => ({ verdict: 'incomplete', reason });
const changed = (reason: string): PageProblem => ({ verdict: 'changed', reason });
const cut = (number: number, rows: number): PageProblem => ({
  verdict: 'incomplete',
  reason: `page ${number} has ${rows} of 2 clients, and isn't the last`,
  cutTo: rows,
});

describe('against a walk of three pages of two clients', () => {
  it.each<[string, ClientPage, PageProblem | null]>([
    ['nothing, if it has further clients', page([3, 4]), null],
    ['nothing, if some can not be read', page([3], { rows: 2 }), null],
    ['that it has no number', page([3, 4], { page: null }), incomplete('page 2 has no page number')],
    ['that it has another number', page([3, 4], { page: 3 }), incomplete('requested page 2, got page 3')],
    ['that it is the first again', page([1, 2]), incomplete('page 2 has the clients of earlier pages again')],
    [
      'that the list has grown, though over half of it is on earlier pages',
      page([2, 1], { counts: { clients: 7 } }),
      changed('clients changed from 5 to 7'),
    ],
    [
      'that over half of it is on earlier pages',
      page([1, 2, 9]),
      incomplete('page 2 has the clients of earlier pages again'),
    ],
    [
      'that it has no number of pages',
      page([3, 4], { pages: null }),
      incomplete('page 2 has no number of pages'),
    ],
    ['that it is empty', page([]), incomplete('page 2 is empty')],
    ['that it is short', page([3]), cut(2, 1)],
    [
      'that there are other pages, and not that it is short',
      page([3], { pages: 4 }),
      changed('the number of pages changed from 3 to 4'),
    ],
    [
      'that there are fewer pages, and it is the last',
      page([3], { pages: 2 }),
      changed('the number of pages changed from 3 to 2'),
    ],
    ['that no client is left', page([], { pages: 0 }), changed('the number of pages changed from 3 to 0')],
    [
      'that the list has one more client',
      page([3, 2], { counts: { clients: 6 } }),
      changed('clients changed from 5 to 6'),
    ],
    [
      'that the list has one client less',
      page([3, 4], { counts: { clients: 4 } }),
      changed('clients changed from 5 to 4'),
    ],
    ['that a client is on two pages', page([3, 2]), changed('client 2 is on two pages')],
    [
      'that a client is on two pages, though one of them can not be read',
      page([3], { rows: 2, rejects: [{ payload: '{}', reason: 'clientname: too long', id: 1 }] }),
      changed('client 1 is on two pages'),
    ],
    ['nothing, if a count of the page itself is another', page([3, 4], { counts: { results: 1 } }), null],
    ['nothing, if it has no counts', page([3, 4], { counts: {} }), null],
  ])('the second page says %s', (_, second, problem) => {
    expect(checkPage(second, 2, first, 2, seen)).toEqual(problem);
  });

  it('the last page says nothing if it is short or empty, and that the list changed if it has one client of before', () => {
    expect(checkPage(last([5]), 3, first, 2, seen)).toBeNull();
    expect(checkPage(last([]), 3, first, 2, seen)).toBeNull();
    expect(checkPage(last([1]), 3, first, 2, seen)).toEqual(changed('client 1 is on two pages'));
  });

  it.each<[string, ClientPage]>([
    ['is empty', last([], { pages: 2 })],
    ['is the last one there is', page([3, 4], { pages: 2 })],
    ['is the last one there is, with the requested number', last([1, 2], { pages: 2 })],
    ['has no number', last([], { page: null, pages: 2 })],
  ])('the response for a page that is gone %s: the list has shrunk', (_, its) => {
    expect(checkPage(its, 3, first, 2, seen)).toEqual(changed('the number of pages changed from 3 to 2'));
  });

  it('a page after the last is the last one if the list has grown', () => {
    expect(checkPage(page([5], { page: 4, pages: 4 }), 4, first, 2, seen)).toEqual(
      changed('the number of pages changed from 3 to 4'),
    );
  });
});

describe('the first page of a walk', () => {
  const check = (its: ClientPage) => checkPage(its, its.page ?? 1, its, 2, new Set());

  it.each<[string, ClientPage, PageProblem | null]>([
    ['is the only one, and short', pageOf([1]), null],
    ['is the only one, and empty', pageOf([]), null],
    ['is short, and not the only one', pageOf([1], { pages: 3 }), cut(1, 1)],
    ['is short, and one of two that count from 0', pageOf([1], { page: 0, pages: 2 }), cut(0, 1)],
    ['is the only one, and counts from 0', pageOf([1], { page: 0 }), null],
    ['has no number', pageOf([1, 2], { page: null }), incomplete('page 1 has no page number')],
    ['has no number of pages', pageOf([1, 2], { pages: null }), incomplete('page 1 has no number of pages')],
    ['is that of an empty list of 0 pages', pageOf([], { pages: 0 }), null],
    [
      'has clients, and says that there are 0 pages',
      pageOf([1, 2], { pages: 0 }),
      incomplete('page 1 has clients, and says that there are 0 pages'),
    ],
  ])('%s', (_, its, problem) => {
    expect(check(its)).toEqual(problem);
  });
});
