import { describe, expect, it } from 'vitest';
import type { ClientPage } from '../../../src/service/operations.ts';
import { createWalkProof, type Sign } from '../../../src/service/paging/walk-proof.ts';
import { pageOf } from './lists.ts';

const paging = { limit: 2, lastPage: 3 };
const counts = { clients: 5, results: 2 };
const first = pageOf([1, 2], { pages: 3, counts });
const page = (ids: readonly number[], change: Partial<ClientPage> = {}) =>
  pageOf(ids, { page: 2, pages: 3, counts, ...change });

const broken = (problem: string): Sign => ({ kind: 'broken', problem });
const changed = (problem: string): Sign => ({ kind: 'changed', problem });
const doubt = (problem: string): Sign => ({ kind: 'doubt', problem });
const twice = (id: number): Sign => ({ kind: 'twice', problem: `client ${id} is on two pages` });

describe('against a walk of three pages of two clients', () => {
  it.each<[string, ClientPage, readonly Sign[]]>([
    ['nothing, where it has further clients', page([3, 4]), []],
    ['nothing, where some can not be read', page([3], { rows: 2 }), []],
    [
      'that it has no number',
      page([3, 4], { page: null }),
      [broken('the response for page 2 has no page number')],
    ],
    ['that it has another number', page([3, 4], { page: 3 }), [broken('requested page 2, got page 3')]],
    ['that it is the first again', page([1, 2]), [broken('page 2 is page 1 again')]],
    [
      'that it has no number of pages',
      page([3, 4], { pages: null }),
      [broken('the response for page 2 has no number of pages')],
    ],
    ['that it is empty', page([]), [broken('page 2 is empty')]],
    ['that it is short', page([3]), [doubt("page 2 has 1 of 2 clients, and isn't the last")]],
    [
      'that there are other pages, and not that it is short',
      page([3], { pages: 4 }),
      [changed('the number of pages changed from 3 to 4')],
    ],
    [
      'that there are others in the list, and one twice',
      page([3, 2], { counts: { clients: 6 } }),
      [changed('clients changed from 5 to 6: the list changed'), twice(2)],
    ],
    ['nothing, where a count of the page itself is another', page([3, 4], { counts: { results: 1 } }), []],
    ['nothing, where it has no counts', page([3, 4], { counts: {} }), []],
  ])('the second page says %s', (_, second, signs) => {
    const proof = createWalkProof(first, paging);
    expect(proof.check(second, 2).signs).toEqual(signs);
    expect(proof.signs).toEqual(signs);
  });

  it('the last page says nothing where it is short, and casts doubt where it is empty', () => {
    const last = (ids: readonly number[]) => page(ids, { page: 3 });
    expect(createWalkProof(first, paging).check(last([5]), 3).signs).toEqual([]);
    expect(createWalkProof(first, paging).check(last([]), 3).signs).toEqual([
      doubt('page 3, the last one, is empty'),
    ]);
  });

  it('the first page casts doubt where it is short, unless it is the only one, or their number is unknown', () => {
    const one = pageOf([1], { pages: 3 });
    expect(createWalkProof(one, paging).signs).toEqual([
      doubt("page 1 has 1 of 2 clients, and isn't the last"),
    ]);
    expect(createWalkProof(one, { limit: 2, lastPage: 1 }).signs).toEqual([]);
    expect(createWalkProof(pageOf([]), { limit: 2, lastPage: 1 }).signs).toEqual([]);
    expect(createWalkProof(one, { limit: 2, lastPage: Number.POSITIVE_INFINITY }).signs).toEqual([]);
  });

  it('a first page without a number is page 1', () => {
    const proof = createWalkProof({ ...first, page: null }, paging);
    expect(proof.check(page([1, 2]), 2).signs).toEqual([broken('page 2 is page 1 again')]);
    expect(createWalkProof(pageOf([1], { page: null }), paging).signs).toEqual([
      doubt("page 1 has 1 of 2 clients, and isn't the last"),
    ]);
  });

  it('a page has new clients or not, whatever it says', () => {
    const proof = createWalkProof(first, paging);
    expect(proof.check(page([2, 1]), 2).hasNewClients).toBe(false);
    expect(proof.check(page([2, 3], { page: 9 }), 2).hasNewClients).toBe(true);
    expect(proof.ids.size).toBe(3);
  });
});
