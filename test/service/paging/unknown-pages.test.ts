import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/model/errors.ts';
import type { ListClients } from '../../../src/service/operations.ts';
import { walkClients } from '../../../src/service/paging/walk-clients.ts';
import { account } from '../account.ts';
import { listOf, pageOf, upTo, walk } from './lists.ts';

const sign = 'HTTP 404; message: no such page';
const unknown = new Failure('UNKNOWN_ANSWER', `unknown answer (${sign})`, { sign });

describe('a remark on a page', () => {
  const remarking = (change: object = {}) =>
    listOf(upTo(5), (page) => ({
      pages: null,
      ...(page === 2 ? { remarks: ['took: 12', 'HTTP 206'], ...change } : {}),
    }));

  it('costs no page, and no verdict but that the list is complete', async () => {
    expect(await walk(remarking())).toMatchObject({
      pages: [[1, 2], [3, 4], [5]],
      verdict: 'remarked',
      reason: 'the service says "took: 12" (and 1 more remark)',
      failure: null,
    });
  });

  it('is none if somebody accepted it, for this operation and account', async () => {
    const observed: object[] = [];
    const isAccepted = (each: object) => observed.push(each) > 0;
    expect(await walk(remarking(), { answers: { isAccepted } })).toMatchObject({ verdict: 'complete' });
    expect(observed[0]).toEqual({
      kind: 'remark',
      operation: 'getClients',
      sign: 'took: 12',
      account: 'main',
    });
    const oneOfThem = { isAccepted: (each: { readonly sign: string }) => each.sign === 'took: 12' };
    expect(await walk(remarking(), { answers: oneOfThem })).toMatchObject({
      reason: 'the service says "HTTP 206"',
    });
  });

  it('weighs less than a page that is missing, and more than a list that changed', async () => {
    expect(await walk(remarking({ page: 7 }))).toMatchObject({ verdict: 'incomplete' });
    expect(await walk(remarking({ records: pageOf([2, 3]).records }))).toMatchObject({ verdict: 'remarked' });
  });

  it('is kept if the walk starts over, each once', async () => {
    const cutting: ListClients = async (_, { limit = 10, page = 1 }) => {
      const size = Math.min(limit, 2);
      const remarks = page === 1 ? ['took: 12', `limit of ${limit}: cut`] : ['took: 12'];
      return pageOf(upTo(5).slice((page - 1) * size, page * size), { page, pages: 3, limit, remarks });
    };
    expect(await walk(cutting, { parameters: { limit: 3 } })).toMatchObject({
      verdict: 'remarked',
      remarks: ['took: 12', 'limit of 2: cut', 'limit of 3: cut'],
    });
  });
});

describe('an unknown answer in place of a page', () => {
  /** Four clients on two full pages; an unknown answer for one page, and for those after the last. */
  const four = (at: number, said: object = {}) => {
    const mayBeMissing: string[] = [];
    const list: ListClients = async (_, { page = 1 }, missing = false) => {
      if (missing) mayBeMissing.push(String(page));
      if (page === at || page > 2) throw unknown;
      return pageOf(upTo(4).slice((page - 1) * 2, page * 2), { page, pages: 2, limit: 2, ...said });
    };
    return { list, mayBeMissing };
  };

  it.each<[string, object, string]>([
    ['their number says so', {}, 'complete'],
    ['a count says so', { pages: null, counts: { clients: 4 } }, 'complete'],
    ['nothing does', { pages: null }, 'incomplete'],
    ['a count says that there are more', { counts: { clients: 5 } }, 'incomplete'],
  ])('after the last is the end, and requested once, if %s', async (_, said, verdict) => {
    const { list, mayBeMissing } = four(0, said);
    const end = await walk(list);
    expect(end).toMatchObject({ verdict, clients: 4, failure: verdict === 'complete' ? null : { sign } });
    expect(mayBeMissing).toEqual(verdict === 'complete' ? ['3'] : []);
  });

  it('is a failed page before that', async () => {
    const { list, mayBeMissing } = four(2);
    expect(await walk(list)).toMatchObject({
      verdict: 'incomplete',
      reason: `page 2 failed: unknown answer (${sign})`,
      failure: { code: 'UNKNOWN_ANSWER', sign },
    });
    expect(mayBeMissing).toEqual([]);
  });

  it.each([
    [false, ['2', 'no limit']],
    [true, ['2']],
  ])(
    'of the first is requested without a limit, unless it was alerted before: %s',
    async (wasAlerted, expected) => {
      const requests: string[] = [];
      const list: ListClients = async (_, { limit }, missing = false) => {
        requests.push(String(limit ?? 'no limit'));
        // Nobody needs that request twice.
        expect(missing).toBe(limit === undefined);
        throw unknown;
      };
      const answers = { isAlerted: (each: { readonly sign: string }) => wasAlerted && each.sign === sign };
      const walking = Array.fromAsync(
        walkClients({ list, account, parameters: { limit: 2 }, ahead: 4, maxMs: 9_000, answers }),
      );
      await expect(walking).rejects.toBe(unknown);
      expect(requests).toEqual(expected);
    },
  );
});
