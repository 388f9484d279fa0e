import { describe, expect, it } from 'vitest';
import { type ErrorCode, Failure } from '../../../src/model/errors.ts';
import type { ListClients } from '../../../src/service/operations.ts';
import { pageOf, upTo, walk } from './lists.ts';

const pages = 20;

const down = (page: number, code: ErrorCode = 'SERVICE_UNAVAILABLE') =>
  new Failure(code, 'the service is down', { subject: `account main, clients, page ${page}` });

/** Twenty pages of one client each; `fails` says which of them fail, `total` how many each page says there are. */
async function walked(fails: (page: number) => Failure | null, total = (_: number) => pages) {
  const list: ListClients = async (_, { page = 1 }) => {
    const failure = fails(page);
    if (failure !== null) throw failure;
    return pageOf([page], { page, pages: total(page), limit: 1 });
  };
  const { pages: yielded, ...end } = await walk(list, { parameters: { limit: 1 } });
  return { requested: end.requests, yielded: yielded.flat(), end };
}

const allBut = (...missing: number[]) => upTo(pages).filter((page) => !missing.includes(page));

describe('a walk with a page that fails', () => {
  it.each([7, pages])('yields the pages before and after page %i, and its end names it', async (page) => {
    const { requested, yielded, end } = await walked((each) => (each === page ? down(page) : null));
    expect(yielded).toEqual(allBut(page));
    expect(requested).toHaveLength(pages);
    expect(end).toMatchObject({
      verdict: 'incomplete',
      reason: `page ${page} failed: the service is down`,
      failure: { code: 'SERVICE_UNAVAILABLE' },
    });
  });

  it('goes on however many have failed, as long as others came between', async () => {
    const { yielded, end } = await walked((page) => (page > 1 && page % 4 !== 0 ? down(page) : null));
    expect(yielded).toEqual([1, 4, 8, 12, 16, 20]);
    expect(end.reason).toBe('page 19 failed: the service is down (and so did 13 pages before it)');
  });

  it('ends once as many in a row have failed as are requested at once', async () => {
    const { requested, yielded, end } = await walked((page) => (page > 5 ? down(page) : null));
    expect(yielded).toEqual([1, 2, 3, 4, 5]);
    expect(requested).not.toContain(`1/${pages}`);
    expect(end.reason).toBe(
      'page 9 failed: the service is down (and so did 3 pages before it); no new client on 4 pages in a row: the pages after page 9 were not fetched',
    );
  });

  it('goes to its end if the last ones fail, however many in a row', async () => {
    const { requested, end } = await walked((page) => (page > 16 ? down(page) : null));
    expect(requested).toHaveLength(pages);
    expect(end.reason).toBe('page 20 failed: the service is down (and so did 3 pages before it)');
  });

  it('takes one that is refused for gone, if the list has shrunk since: a changed list, and no failure', async () => {
    const shrinks = (page: number) => (page < 10 ? pages : pages - 1);
    const { yielded, end } = await walked(
      (page) => (page === pages ? down(page, 'REQUEST_REFUSED') : null),
      shrinks,
    );
    expect(yielded).toEqual(allBut(pages));
    expect(end).toMatchObject({
      verdict: 'changed',
      reason: 'the number of pages changed from 20 to 19',
      failure: null,
    });
  });

  it('ends at once where the token is refused', async () => {
    const { yielded, end } = await walked((page) => (page === 5 ? down(5, 'TOKEN_REFUSED') : null));
    expect(yielded).toEqual([1, 2, 3, 4]);
    expect(end).toMatchObject({ verdict: 'incomplete', failure: { code: 'TOKEN_REFUSED' } });
  });

  it('throws what would fail every other request, too', async () => {
    await expect(
      walked((page) => (page === 7 ? new Failure('WAREHOUSE_UNAVAILABLE', 'no database') : null)),
    ).rejects.toThrow('no database');
  });
});

describe('a walk with a page none of which can be read', () => {
  it('yields it, and fails as if it had not come', async () => {
    const rejects = [1, 2, 3].map((id) => ({ payload: `{"clientid": ${id}}`, reason: 'no name', id }));
    const list: ListClients = async (_, { page = 1 }) =>
      page === 2
        ? pageOf([], { page, pages: 3, limit: 3, rows: 3, rejects })
        : pageOf([page * 10, page * 10 + 1, page * 10 + 2], { page, pages: 3, limit: 3 });
    expect(await walk(list, { parameters: { limit: 3 } })).toMatchObject({
      pages: [[10, 11, 12], [], [30, 31, 32]],
      verdict: 'incomplete',
      reason: 'page 2 failed: invalid response (no record can be read: no name)',
      failure: { code: 'INVALID_RESPONSE' },
      clients: 9,
    });
  });
});
