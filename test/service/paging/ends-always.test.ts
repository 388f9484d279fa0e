import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/model/errors.ts';
import type { ListClients } from '../../../src/service/operations.ts';
import { rounds } from '../../support/rounds.ts';
import { pageOf, upTo, walk } from './lists.ts';

/** What a service may say of its pages, and do after the last: its document shows none of it. */
const anyService = fc.record({
  clients: fc.integer({ min: 0, max: 40 }),
  base: fc.constantFrom<(0 | 1)[]>(0, 1),
  isNumbered: fc.boolean(),
  pages: fc.constantFrom('right', 'none', '0', '1', 'one more', 'one less'),
  counts: fc.constantFrom('none', 'of the list', 'of the page', 'more than there are'),
  after: fc.constantFrom('empty', 'the last again', 'the first again', 'refused', 'down'),
  /** No page is longer, and none says so. */
  most: fc.option(fc.integer({ min: 1, max: 12 })),
});
type Service = typeof anyService extends fc.Arbitrary<infer Value> ? Value : never;

function listing({ clients, base, isNumbered, pages, counts, after, most }: Service): ListClients {
  return async (_, { limit = 10, page = base }) => {
    const size = Math.min(limit, most ?? limit);
    const there = Math.max(1, Math.ceil(clients / size));
    const index = page - base;
    if (index >= there && after === 'refused') throw new Failure('REQUEST_REFUSED', 'there is no such page');
    if (index >= there && after === 'down') throw new Failure('SERVICE_UNAVAILABLE', 'it is down');
    const shown = index < there || after === 'empty' ? index : after === 'the last again' ? there - 1 : 0;
    const ids = upTo(clients).slice(shown * size, (shown + 1) * size);
    const announced = { right: there, none: null, 0: 0, 1: 1, 'one more': there + 1, 'one less': there - 1 }[
      pages
    ];
    const count = {
      none: null,
      'of the list': clients,
      'of the page': ids.length,
      'more than there are': clients + 1,
    }[counts];
    return pageOf(ids, {
      page: isNumbered ? shown + base : null,
      pages: announced,
      counts: count === null ? {} : { count },
    });
  };
}

const show = (service: Service) => JSON.stringify(service);

describe('whatever a service says of its pages and does after the last', () => {
  it('a walk is complete only if it has all clients, and no count says that there are more', async () => {
    const verdicts: Record<string, number> = { complete: 0, incomplete: 0 };
    await fc.assert(
      fc.asyncProperty(anyService, fc.integer({ min: 1, max: 12 }), async (service, limit) => {
        // Nothing shows that a page is cut if it is said to be the last.
        const isCut = service.most !== null && service.most < limit;
        const isUnderstated = service.pages === '1' || service.pages === 'one less';
        fc.pre(!isCut || !isUnderstated || service.counts === 'of the list');
        const { verdict, clients } = await walk(listing(service), { parameters: { limit } });
        verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
        if (verdict !== 'complete') return;
        expect(clients, show(service)).toBe(service.clients);
        expect(service.counts === 'more than there are', show(service)).toBe(false);
      }),
      { numRuns: rounds(6_000) },
    );
    expect(Math.min(verdicts.complete!, verdicts.incomplete!)).toBeGreaterThan(0);
  });

  it('a walk is complete if the pages end as they may, and nothing speaks against it', async () => {
    const plain = anyService.filter(
      ({ pages, counts, after }) =>
        counts !== 'more than there are' &&
        after !== 'down' &&
        // A list of one full page may as well be one whose service ignores `page`, or refuses what it has.
        (pages === 'right' || (counts === 'of the list' && pages !== 'one more')),
    );
    await fc.assert(
      fc.asyncProperty(plain, fc.integer({ min: 1, max: 12 }), async (service, limit) => {
        // Of a single page, nothing shows that a count is that of the list.
        const isOneFull = service.clients === Math.min(limit, service.most ?? limit);
        fc.pre(service.pages === 'right' || service.after === 'empty' || !isOneFull);
        const end = await walk(listing(service), { parameters: { limit } });
        expect(end, show(service)).toMatchObject({ verdict: 'complete', clients: service.clients });
      }),
      { numRuns: rounds(6_000) },
    );
  });
});
