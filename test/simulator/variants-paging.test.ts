import { describe, expect, test } from 'vitest';
import type { VariantName } from '../../src/simulator/variants.ts';
import { askClients, type ClientsBody, DATASET, idsOf, start, walk } from './ask.ts';

const ALL = DATASET.clients('north').map(({ clientid }) => clientid);

/** The ids of page `page` of the list at rest, from 1. */
function pageOfAll(page: number, limit = 100): number[] {
  return ALL.slice((page - 1) * limit, page * limit);
}

/** A walk of seven pages in this variant. */
async function walkIn(...variants: VariantName[]): Promise<ClientsBody[]> {
  return await walk(await start({ variants }));
}

const numbers = (bodies: readonly ClientsBody[]) => bodies.map(({ page }) => page);
const pages = (bodies: readonly ClientsBody[]) => bodies.map((body) => body.pages);

describe('the numbers of pages', () => {
  test('pages-from-zero: count from 0 in requests and answers, and the records are right', async () => {
    const simulator = await start({ variants: ['pages-from-zero'] });
    const bodies = await walk(simulator, 100, 'north', 0);
    expect(numbers(bodies)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(pages(bodies)).toEqual([7, 7, 7, 7, 7, 7, 7]);
    expect(idsOf(bodies).flat()).toEqual(ALL);
    const { body: zero } = await askClients(simulator, { limit: '100', page: '0' });
    expect(zero).toEqual(bodies[0]);
    expect((await askClients(simulator, { limit: '100', page: '7' })).body).toMatchObject({
      page: 7,
      data: [],
    });
    expect((await askClients(simulator, { limit: '100', page: '-1' })).status).toBe(400);
  });

  test.for<[VariantName, unknown[], unknown[]]>([
    ['pages-missing', [1, 2, 3, 4, 5, 6, 7], Array(7).fill(undefined)],
    ['pages-zero', [1, 2, 3, 4, 5, 6, 7], Array(7).fill(0)],
    ['pages-changes', [1, 2, 3, 4, 5, 6, 7], [7, 7, 7, 8, 8, 8, 8]],
    ['page-missing', Array(7).fill(undefined), Array(7).fill(7)],
    ['page-number-wrong', [1, 2, 4, 4, 5, 7, 7], Array(7).fill(7)],
  ])('%s: other numbers, the right records', async ([variant, expectedNumbers, expectedPages]) => {
    const bodies = await walkIn(variant);
    expect(numbers(bodies)).toEqual(expectedNumbers);
    expect(pages(bodies)).toEqual(expectedPages);
    expect(idsOf(bodies).flat()).toEqual(ALL);
  });

  test('pages-changes: a list of one page stays so', async () => {
    const simulator = await start({ variants: ['pages-changes'] });
    expect((await askClients(simulator, { limit: '620' })).body.pages).toBe(1);
  });
});

describe('lists that never end', () => {
  test.for<[VariantName, number[]]>([
    ['page-repeats', [1, 1, 1, 1, 1, 1, 1]],
    ['page-alternates', [1, 2, 1, 2, 1, 2, 1]],
    ['last-page-forever', [1, 2, 3, 4, 4, 4, 4]],
  ])('%s: other pages under the numbers that were asked for', async ([variant, served]) => {
    const simulator = await start({ variants: [variant] });
    const bodies = await walk(simulator);
    expect(numbers(bodies)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(idsOf(bodies)).toEqual(served.map((page) => pageOfAll(page)));
    const { body: beyond } = await askClients(simulator, { limit: '100', page: '99' });
    expect(beyond).toMatchObject({ page: 99, count: 100 });
  });

  test('empty-page: the page in the middle is empty, each time', async () => {
    const simulator = await start({ variants: ['empty-page'] });
    for (let turn = 0; turn < 2; turn += 1) {
      const bodies = await walk(simulator);
      expect(idsOf(bodies)).toEqual([1, 2, 3, 0, 5, 6, 7].map((page) => (page ? pageOfAll(page) : [])));
      expect(bodies[3]).toMatchObject({ page: 4, pages: 7, count: 0 });
    }
  });
});

describe('the limit', () => {
  test.for<[VariantName, number]>([
    ['limit-clamped', 25],
    ['limit-clamped-silently', 100],
  ])('%s: 25 a page, told as %i', async ([variant, told]) => {
    const simulator = await start({ variants: [variant] });
    const { body } = await askClients(simulator, { limit: '100' });
    expect(body).toMatchObject({ limit: told, pages: 25, count: 25 });
    const { body: last } = await askClients(simulator, { limit: '100', page: '25' });
    expect(idsOf([body, last])).toEqual([pageOfAll(1, 25), pageOfAll(25, 25)]);
    expect((await askClients(simulator, { limit: '10' })).body).toMatchObject({ limit: 10, count: 10 });
    expect((await askClients(simulator)).body).toMatchObject({ limit: 25, count: 25 });
    for (const query of [{ page: '2' }, { limit: '0' }, { limit: 'x' }]) {
      expect((await askClients(simulator, query)).status).toBe(400);
    }
  });

  test.for<[VariantName, number]>([
    ['limit-refused', 400],
    ['limit-refused-in-200', 200],
  ])('%s: status %i for one above 50, and 50 a page without', async ([variant, expected]) => {
    const simulator = await start({ variants: [variant] });
    for (const query of [{ limit: '51' }, { limit: '100', page: '2' }]) {
      const { status, body, text } = await askClients(simulator, query);
      expect(status).toBe(expected);
      expect(body).toEqual({ error: { code: 400, message: expect.stringContaining('limit') } });
      expect(text).not.toMatch(/token|session|log-?in/i);
    }
    const { body: first } = await askClients(simulator);
    expect(first).toMatchObject({ limit: 50, pages: 13 });
    const { body: second } = await askClients(simulator, { limit: '50', page: '2' });
    expect(idsOf([first, second])).toEqual([pageOfAll(1, 50), pageOfAll(2, 50)]);
    expect((await askClients(simulator, { page: '2' })).status).toBe(400);
  });
});

describe('rows that move between pages', () => {
  /** What a walk sees beside the list as it stands: ids it misses, and ids it sees twice. */
  const faultsOf = (bodies: readonly ClientsBody[]) => {
    const seen = idsOf(bodies).flat();
    return {
      missed: ALL.filter((id) => !seen.includes(id)),
      twice: seen.filter((id, index) => seen.indexOf(id) !== index),
      foreign: seen.filter((id) => !ALL.includes(id)),
    };
  };
  const CLEAN = { missed: [], twice: [], foreign: [] };
  const REMOVED = { ...CLEAN, missed: [ALL[100]] };
  const INSERTED = { ...CLEAN, twice: [ALL[99]] };

  test.for<[VariantName, object, object]>([
    ['id-twice', { ...CLEAN, twice: [ALL[0]] }, { ...CLEAN, twice: [ALL[0]] }],
    ['row-removed-once', REMOVED, CLEAN],
    ['row-removed-always', REMOVED, REMOVED],
    ['row-inserted-once', INSERTED, CLEAN],
    ['row-inserted-always', INSERTED, INSERTED],
  ])('%s: what a first and a second walk see', async ([variant, first, second]) => {
    const simulator = await start({ variants: [variant] });
    // The first page may be asked for again before the walk goes on.
    await askClients(simulator, { limit: '100' });
    const bodies = await walk(simulator);
    expect(faultsOf(bodies)).toEqual(first);
    expect(numbers(bodies)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(pages(bodies)).toEqual(Array(7).fill(7));
    expect(faultsOf(await walk(simulator))).toEqual(second);
  });

  test.for<[VariantName, number[]]>([
    ['row-removed-once', [620, 619]],
    ['row-inserted-once', [620, 621]],
  ])('%s: the counts tell of the change, for each account in its own first walk', async ([name, counts]) => {
    const simulator = await start({ variants: [name] });
    const bodies = await walk(simulator);
    expect(bodies.map(({ results }) => results)).toEqual([counts[0], ...Array(6).fill(counts[1])]);
    const { body } = await askClients(simulator, { limit: '100', page: '2' }, 'coast');
    expect(body.results).toBe(380 + counts[1]! - counts[0]!);
  });

  test('a search finds the list at rest', async () => {
    const simulator = await start({ variants: ['row-removed-always'] });
    const query = { limit: '1', page: '2', search: 'clínica' };
    expect((await askClients(simulator, query)).text).toBe((await askClients(await start(), query)).text);
  });
});

test('themes go together, in whatever order they are named', async () => {
  const chosen: VariantName[] = ['limit-clamped', 'page-repeats', 'numbers-as-text', 'pages-from-zero'];
  for (const variants of [chosen, chosen.toReversed()]) {
    const { body } = await askClients(await start({ variants }), { limit: '100', page: '3' });
    expect(body).toMatchObject({ page: '3', pages: '25', limit: '25', count: '25' });
    expect(idsOf([body])[0]).toEqual(pageOfAll(1, 25).map(String));
  }
});
