import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/model/errors.ts';
import type { ListClients } from '../../../src/service/operations.ts';
import { rounds } from '../../support/rounds.ts';
import { pageOf, upTo, walk } from './lists.ts';

/** A service that pages its list badly, and says as little of it as the document lets it. */
type Paging = {
  readonly clients: number;
  readonly base: 0 | 1;
  /** How many rows of a page are sent, of those that it should have; the response says nothing of it. */
  readonly cut: (size: number) => number;
  /** Pages by this limit, whatever is requested. */
  readonly ownLimit: number | null;
  /** Every so many-th client is left out after the pages were cut. */
  readonly hidden: number | null;
  /** The page that always fails. */
  readonly failing: number | null;
  /** What happens to the list before a request, by its number. */
  readonly changes: readonly { readonly request: number; readonly insert: boolean; readonly at: number }[];
};

/** The list, and the ids that it showed from the first request to the last. */
function serve({ clients, base, cut, ownLimit, hidden, failing, changes }: Paging) {
  const ids = upTo(clients);
  const throughout = new Set(ids.filter((id) => hidden === null || id % hidden !== 0));
  let requests = 0;
  const change = () => {
    requests++;
    for (const { request, insert, at } of changes) {
      if (request !== requests) continue;
      if (insert) ids.splice(at, 0, 10_000 + requests * 100 + at);
      else for (const id of ids.splice(at, 1)) throughout.delete(id);
    }
  };
  const list: ListClients = async (_, { limit = 10, page = base }) => {
    change();
    if (page === failing) throw new Failure('SERVICE_UNAVAILABLE', `page ${page} is down`);
    const size = ownLimit ?? limit;
    const from = (page - base) * size;
    const shown = ids
      .slice(from, from + Math.min(size, cut(size)))
      .filter((id) => hidden === null || id % hidden !== 0);
    const pages = Math.max(1, Math.ceil(ids.length / size));
    return pageOf(shown, { page, pages, limit, counts: { results: ids.length } });
  };
  return { list, throughout };
}

const whole = (size: number) => size;

const anyPaging = fc.record({
  clients: fc.integer({ min: 0, max: 60 }),
  base: fc.constantFrom<(0 | 1)[]>(0, 1),
  cut: fc.oneof(
    fc.constant(whole),
    fc.integer({ min: 2, max: 20 }).map((rows) => () => rows),
    fc.constantFrom(2, 3).map((part) => (size: number) => Math.max(2, Math.ceil(size / part))),
  ),
  ownLimit: fc.option(fc.integer({ min: 1, max: 20 }), { freq: 4 }),
  hidden: fc.option(fc.integer({ min: 2, max: 7 }), { freq: 2 }),
  failing: fc.option(fc.integer({ min: 2, max: 6 }), { freq: 5 }),
  changes: fc.oneof(
    // One before a request: a removal and an insertion between the same two pages leave no trace in any response.
    fc.uniqueArray(
      fc.record({ request: fc.integer({ min: 2, max: 20 }), insert: fc.boolean(), at: fc.nat(30) }),
      { maxLength: 2, selector: ({ request }) => request },
    ),
    // Never the same in two requests.
    fc.boolean().map((insert) => upTo(200).map((request) => ({ request, insert, at: 0 }))),
  ),
});

describe('whatever a service does with its pages, a walk', () => {
  it('is only called complete when it saw every client that was listed from its beginning to its end', async () => {
    const verdicts: Record<string, number> = { complete: 0, changed: 0, incomplete: 0 };
    await fc.assert(
      fc.asyncProperty(anyPaging, fc.integer({ min: 1, max: 25 }), async (paging, limit) => {
        const { list, throughout } = serve(paging);
        // Pages longer than the requested limit show nothing: only one that is ignored downwards can be seen.
        const parameters = { limit: limit + (paging.ownLimit ?? 0) };
        const { pages, ...end } = await walk(list, { parameters });
        // A service that cuts the only page, or pages of its own length, says nothing that shows it.
        fc.pre(paging.cut === whole || (pages.length > 1 && paging.ownLimit === null));
        verdicts[end.verdict]!++;
        if (end.verdict === 'complete') expect([...throughout].filter((id) => !end.ids.has(id))).toEqual([]);
        else expect(end.reason).toMatch(/\w/);
      }),
      { numRuns: rounds(4_000) },
    );
    // Each is said of some, or this proves nothing.
    for (const count of Object.values(verdicts)) expect(count).toBeGreaterThan(0);
  });

  it('ends, however inconsistent the pages are', async () => {
    const anyResponse = fc.record({
      page: fc.option(fc.nat(5)),
      pages: fc.option(fc.constantFrom(0, 1, 3, 7, 1_000_000)),
      limit: fc.option(fc.nat(20)),
      ids: fc.array(fc.nat(30), { maxLength: 5 }),
      counts: fc.dictionary(fc.constantFrom('clients', 'results', 'count'), fc.nat(40)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyResponse, { minLength: 1, maxLength: 12 }), async (responses) => {
        let requests = 0;
        const list: ListClients = async () => {
          const { ids, ...rest } = responses[requests++ % responses.length]!;
          return pageOf(ids, rest);
        };
        await walk(list, { parameters: { limit: 5 } });
        expect(requests).toBeLessThan(400);
      }),
      { numRuns: rounds(500) },
    );
  });

  it('is never incomplete because clients come or go meanwhile, whatever the service says of a page that is gone', async () => {
    const verdicts: Record<string, number> = { complete: 0, changed: 0, incomplete: 0 };
    const anyChange = fc.record({
      request: fc.integer({ min: 2, max: 8 }),
      insert: fc.boolean(),
      at: fc.nat(30),
      clients: fc.integer({ min: 1, max: 9 }),
    });
    const sayings = ['empty', 'the last page', 'the last page under its number', 'refused'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 20, max: 60 }),
        anyChange,
        fc.constantFrom(...sayings),
        async (clients, { request, insert, at, clients: count }, gone) => {
          const changes = upTo(count).map(() => ({ request, insert, at }));
          const quiet = { base: 1, cut: whole, ownLimit: null, hidden: null, failing: null } as const;
          const { list } = serve({ ...quiet, clients, changes });
          const overrun: ListClients = async (who, parameters) => {
            const its = await list(who, parameters);
            const { page = 1 } = parameters;
            if (page <= its.pages! || gone === 'empty') return its;
            if (gone === 'refused') throw new Failure('REQUEST_REFUSED', 'there is no such page');
            const { records, rows, page: number } = await list(who, { ...parameters, page: its.pages! });
            return { ...its, records, rows, page: gone === 'the last page' ? number : page };
          };
          const end = await walk(overrun, { parameters: { limit: 10 } });
          // If the page that is gone is requested first of all after the change, nothing else shows it.
          fc.pre(gone !== 'refused' || request < Math.ceil(clients / 10));
          verdicts[end.verdict]!++;
          expect(end).toMatchObject({ verdict: expect.not.stringMatching('incomplete') });
        },
      ),
      { numRuns: rounds(2_000) },
    );
    expect(verdicts).toEqual({ complete: expect.any(Number), changed: expect.any(Number), incomplete: 0 });
    expect(verdicts.changed).toBeGreaterThan(0);
  });
});
