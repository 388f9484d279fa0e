import { describe, expect, it } from 'vitest';
import { type ErrorCode, Failure } from '../../../src/model/errors.ts';
import type { ListClients } from '../../../src/service/operations.ts';
import { type WalkEnd, walkClients } from '../../../src/service/paging/walk-clients.ts';
import { account } from '../account.ts';
import { pageOf, upTo } from './lists.ts';

const pages = 20;

const down = (page: number, code: ErrorCode = 'SERVICE_UNAVAILABLE') =>
  new Failure(code, `account main, clients, page ${page}: the service is down`, 'wait');

/** Twenty pages of one client each; `fails` says which of them fail. */
async function walked(fails: (page: number) => Failure | null, sizeFields: readonly string[] = []) {
  const requested: number[] = [];
  const list: ListClients = async (_, { page = 1 }) => {
    requested.push(page);
    const failure = fails(page);
    if (failure !== null) throw failure;
    return pageOf([page], { page, pages, limit: 1, counts: { clients: 21, results: 20 } });
  };
  const input = { list, account, parameters: { limit: 1 }, ahead: 4, sizeFields, maxMs: 60_000 };
  const yielded: number[] = [];
  let restarts = 0;
  let end: WalkEnd | null = null;
  for await (const item of walkClients(input)) {
    if (item.type === 'page') yielded.push(item.page.page!);
    if (item.type === 'restart') restarts++;
    if (item.type === 'end') end = item;
  }
  return { requested, yielded, restarts, end: end! };
}

const allBut = (...missing: number[]) => upTo(pages).filter((page) => !missing.includes(page));

describe('a walk with a page that fails', () => {
  it.each([7, pages])('yields the pages before and after page %i, and its end names it', async (page) => {
    const { yielded, restarts, end } = await walked((each) => (each === page ? down(page) : null));
    expect(yielded).toEqual(allBut(page));
    expect(restarts).toBe(0);
    expect(end).toMatchObject({
      outcome: 'incomplete',
      problem: `page ${page} failed: the service is down`,
      failure: { code: 'SERVICE_UNAVAILABLE' },
    });
  });

  it('names several failed pages', async () => {
    const { yielded, end } = await walked((page) => (page % 6 === 0 ? down(page) : null));
    expect(yielded).toEqual(allBut(6, 12, 18));
    expect(end.problem).toBe('pages 6, 12 and 18 failed: the service is down');
  });

  it('ends once as many in a row have failed as are requested at once', async () => {
    const { requested, yielded, end } = await walked((page) => (page > 5 ? down(page) : null));
    expect(yielded).toEqual([1, 2, 3, 4, 5]);
    expect(Math.max(...requested)).toBeLessThan(pages);
    expect(end.problem).toBe(
      'pages 6, 7, 8 and 9 failed: the service is down; the pages after these were not loaded',
    );
  });

  it('ends at once where the token is refused', async () => {
    const { yielded, end } = await walked((page) => (page === 5 ? down(5, 'TOKEN_REFUSED') : null));
    expect(yielded).toEqual([1, 2, 3, 4]);
    expect(end).toMatchObject({ outcome: 'incomplete', failure: { code: 'TOKEN_REFUSED' } });
  });

  it('throws where it is the first, for then there is nothing to yield', async () => {
    await expect(walked((page) => (page === 1 ? down(1) : null))).rejects.toThrow('the service is down');
  });

  it('throws what would fail every other request, too', async () => {
    await expect(
      walked((page) => (page === 7 ? new Failure('WAREHOUSE_UNAVAILABLE', 'no database', '') : null)),
    ).rejects.toThrow('no database');
  });
});

describe('a count that is known to be the size of the list', () => {
  it('proves nothing while it is unknown, and is reported with the end of the walk', async () => {
    const { end } = await walked(() => null);
    expect(end).toMatchObject({
      outcome: 'complete',
      counts: { clients: 21, results: 20 },
      pages: 20,
      clients: 20,
    });
  });

  it('speaks against a walk that lists fewer clients', async () => {
    const { restarts, end } = await walked(() => null, ['clients']);
    expect(restarts).toBe(2);
    // This service pages the same, whatever the limit: no two walks prove each other.
    expect(end).toMatchObject({ outcome: 'incomplete', problem: 'clients is 21, and 20 clients are listed' });
    expect((await walked(() => null, ['results'])).end.outcome).toBe('complete');
  });
});
