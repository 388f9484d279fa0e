import { describe, expect, test } from 'vitest';
import type { VariantName } from '../../support/simulator/variants.ts';
import { type ClientsBody, getClients, idsOf, NORTH, start, walk } from '../simulator.ts';

const ALL = NORTH.map(({ clientid }) => clientid);

/** The ids of a page of the unchanged list, from 1. */
function pageOfAll(page: number, limit = 100): number[] {
  return ALL.slice((page - 1) * limit, page * limit);
}

const ONE_TO_SEVEN = [1, 2, 3, 4, 5, 6, 7];

describe('page numbers', () => {
  test('pages-from-zero: count from 0 in requests and responses, and the records are right', async () => {
    const simulator = await start({ variants: ['pages-from-zero'] });
    const bodies = await walk(simulator, 100, 0);
    expect(bodies.map(({ page, pages }) => [page, pages])).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((page) => [page, 7]),
    );
    expect(idsOf(bodies).flat()).toEqual(ALL);
    expect((await getClients(simulator, { limit: '100', page: '0' })).body).toEqual(bodies[0]);
    expect((await getClients(simulator, { limit: '100', page: '7' })).body).toMatchObject({
      page: 7,
      data: [],
    });
    expect((await getClients(simulator, { limit: '100', page: '-1' })).status).toBe(400);
  });

  test.for<[VariantName, unknown[], unknown[]]>([
    ['pages-missing', ONE_TO_SEVEN, Array(7).fill(undefined)],
    ['pages-zero', ONE_TO_SEVEN, Array(7).fill(0)],
    ['pages-changes', ONE_TO_SEVEN, [7, 7, 7, 8, 8, 8, 8]],
    ['page-missing', Array(7).fill(undefined), Array(7).fill(7)],
    ['page-number-wrong', [1, 2, 4, 4, 5, 7, 7], Array(7).fill(7)],
  ])('%s: are %j of %j, and the records are right', async ([variant, page, pages]) => {
    const bodies = await walk(await start({ variants: [variant] }));
    expect(bodies.map((body) => body.page)).toEqual(page);
    expect(bodies.map((body) => body.pages)).toEqual(pages);
    expect(idsOf(bodies).flat()).toEqual(ALL);
  });
});

describe('a limit', () => {
  test.for<[VariantName, number]>([
    ['limit-clamped', 25],
    ['limit-clamped-silently', 100],
  ])('%s: of 100 gives 25 a page, and %i in the response', async ([variant, limit]) => {
    const simulator = await start({ variants: [variant] });
    const { body } = await getClients(simulator, { limit: '100' });
    expect(body).toMatchObject({ limit, pages: 25, count: 25 });
    const { body: last } = await getClients(simulator, { limit: '100', page: '25' });
    expect(idsOf([body, last])).toEqual([pageOfAll(1, 25), pageOfAll(25, 25)]);
    expect((await getClients(simulator, { limit: '10' })).body).toMatchObject({ limit: 10, count: 10 });
    expect((await getClients(simulator)).body).toMatchObject({ limit: 25, count: 25 });
    for (const query of [{ page: '2' }, { limit: '0' }, { limit: 'x' }]) {
      expect((await getClients(simulator, query)).status).toBe(400);
    }
  });

  test.for<[VariantName, number]>([
    ['limit-refused', 400],
    ['limit-refused-in-200', 200],
  ])('%s: above 50 is refused with status %i, and 50 is the default', async ([variant, expected]) => {
    const simulator = await start({ variants: [variant] });
    for (const query of [{ limit: '51' }, { limit: '100', page: '2' }]) {
      const { status, body, text } = await getClients(simulator, query);
      expect(status).toBe(expected);
      expect(body).toEqual({ error: { code: 400, message: expect.stringContaining('limit') } });
      expect(text).not.toMatch(/token|session|log-?in/i);
    }
    const { body: first } = await getClients(simulator);
    expect(first).toMatchObject({ limit: 50, pages: 13 });
    const { body: second } = await getClients(simulator, { limit: '50', page: '2' });
    expect(idsOf([first, second])).toEqual([pageOfAll(1, 50), pageOfAll(2, 50)]);
    expect((await getClients(simulator, { page: '2' })).status).toBe(400);
  });
});

describe('pages that lack some of their clients', () => {
  const sizesOf = (bodies: readonly ClientsBody[]) =>
    bodies.map(({ limit, pages, data }) => [limit, pages, data.length]);

  test('pages-cut: have 60 clients at most, those of the requested limit', async () => {
    const simulator = await start({ variants: ['pages-cut'] });
    const bodies = await walk(simulator);
    expect(sizesOf(bodies)).toEqual([...Array(6).fill([100, 7, 60]), [100, 7, 20]]);
    expect(idsOf(bodies)[1]).toEqual(pageOfAll(2).slice(0, 60));
    expect(idsOf(await walk(simulator, 60)).flat()).toEqual(ALL);
  });
});

describe('a list whose rows move between pages', () => {
  /** What a walk sees other than the unchanged list. */
  const differences = (bodies: readonly ClientsBody[]) => {
    const seen = idsOf(bodies).flat();
    return {
      missed: ALL.filter((id) => !seen.includes(id)),
      twice: seen.filter((id, index) => seen.indexOf(id) !== index),
      unknown: seen.filter((id) => !ALL.includes(id)),
    };
  };
  const NONE = { missed: [], twice: [], unknown: [] };
  const REMOVED = { ...NONE, missed: [ALL[100]] };
  const INSERTED = { ...NONE, twice: [ALL[99]] };
  const TWICE = { ...NONE, twice: [ALL[0]] };

  test.for<[VariantName, first: object, second: object, results: number[]]>([
    ['id-twice', TWICE, TWICE, Array(7).fill(621)],
    ['row-removed-once', REMOVED, NONE, [620, ...Array(6).fill(619)]],
    ['row-removed-always', REMOVED, REMOVED, [620, ...Array(6).fill(619)]],
    ['row-inserted-once', INSERTED, NONE, [620, ...Array(6).fill(621)]],
    ['row-inserted-always', INSERTED, INSERTED, [620, ...Array(6).fill(621)]],
  ])(
    '%s: is seen by a first walk as %j, and by a second as %j',
    async ([variant, first, second, results]) => {
      const simulator = await start({ variants: [variant] });
      // The first page may be requested again before the walk goes on.
      await getClients(simulator, { limit: '100' });
      const bodies = await walk(simulator);
      expect(differences(bodies)).toEqual(first);
      expect(bodies.map(({ page, pages }) => [page, pages])).toEqual(ONE_TO_SEVEN.map((page) => [page, 7]));
      expect(bodies.map((body) => body.results)).toEqual(results);
      expect(differences(await walk(simulator))).toEqual(second);
      // Each account has its own first walk.
      const { body } = await getClients(simulator, { limit: '100', page: '2' }, 'coast');
      expect(body.results).toBe(380 + results[6]! - 620);
    },
  );
});
