import { expect, it } from 'vitest';
import type { ListClients } from '../../../src/service/operations.ts';
import { listOf, pageOf, upTo, walk } from './lists.ts';

/** Twelve clients, of which pages of some lengths leave one out after they were cut. */
const hiding = (hidden: { readonly [limit: number]: number }): ListClients => {
  const list = listOf(upTo(12));
  return async (who, parameters) => {
    const page = await list(who, parameters);
    const records = page.records.filter(({ clientId }) => clientId !== hidden[page.limit!]);
    return { ...page, records, rows: records.length };
  };
};

/** Pages of so many, whatever is requested, with the limit that `says` names, and perhaps in another order each time. */
const ignoring = (
  rows: number,
  says: (requested: number) => number,
  idsOf: (walk: number) => readonly number[] = () => upTo(8),
): ListClients => {
  let walks = 0;
  return async (_, { limit = 0, page }) => {
    if (page === undefined) walks++;
    const ids = idsOf(walks);
    const at = (page ?? 1) - 1;
    const pages = Math.ceil(ids.length / rows);
    const counts = { clients: 99 };
    return pageOf(ids.slice(at * rows, (at + 1) * rows), { page: at + 1, pages, limit: says(limit), counts });
  };
};

const short = (page: number, rows: number, limit: number) =>
  `page ${page} has ${rows} of ${limit} clients, and isn't the last`;
const disagree = (found: string) => `walks with different limits disagree: ${found}`;
const fewer = 'clients is 99, and 8 clients are listed';

/** No page has more than four, whatever limit it says. */
const cut: ListClients = async (who, { limit = 0, ...parameters }) => ({
  ...(await listOf(upTo(8))(who, { ...parameters, limit: Math.min(limit, 4) })),
  limit,
});

/** Leaves out client 2 where pages have six; else the first client is on the last page, too. */
const repeating: ListClients = async (who, parameters) => {
  const page = await hiding({ 6: 2, 3: 2 })(who, parameters);
  return page.limit === 6 || page.page !== page.pages
    ? page
    : { ...page, records: [...page.records, ...pageOf([1]).records] };
};

const complete = { outcome: 'complete', problem: null, failure: null };
const incomplete = { outcome: 'incomplete', failure: null };

it.each<[string, ListClients, readonly string[], object]>([
  [
    'half the limit where a page is as long as that, and both show the same clients',
    hiding({ 6: 2, 3: 2 }),
    ['6', '3'],
    { ...complete, restarts: [short(1, 5, 6)], clients: 11 },
  ],
  [
    'the length of the longest page, and half of it where the same first page comes',
    ignoring(4, (limit) => limit),
    ['6', '4', '2'],
    {
      ...incomplete,
      restarts: [short(1, 4, 6), fewer],
      problem: fewer,
    },
  ],
  [
    'another one than before, as long as one alone is known to be doubtful, and two of them agree',
    hiding({ 6: 2 }),
    ['6', '3', '1'],
    {
      ...complete,
      restarts: [short(1, 5, 6), disagree('11 clients with limit 6 and 12 clients with limit 3')],
      clients: 12,
    },
  ],
  [
    'another one than before, and proves nothing where as many clients are others',
    hiding({ 6: 2, 3: 8 }),
    ['6', '3', '1'],
    {
      ...incomplete,
      restarts: [short(1, 5, 6), short(3, 2, 3)],
      problem: disagree('11 clients with limit 6, 11 clients with limit 3 and 12 clients with limit 1'),
    },
  ],
  [
    'a third one, where the first page is the same with two limits',
    cut,
    ['6', '4', '2'],
    {
      ...complete,
      restarts: [short(1, 4, 6), disagree('8 clients with limit 6 and 8 clients with limit 4')],
      clients: 8,
    },
  ],
  [
    'one more than any before, where nothing else is left',
    ignoring(3, () => 1),
    ['6', '3', '4'],
    { ...incomplete, restarts: [fewer, fewer], problem: fewer },
  ],
  [
    'half of the smallest before, where half of the service’s own was tried',
    ignoring(
      10,
      () => 10,
      () => upTo(15),
    ),
    ['6', '5', '2'],
    { ...incomplete, problem: 'clients is 99, and 15 clients are listed' },
  ],
  [
    'another one, and proves nothing where the service’s own is the same, in whatever order the clients are',
    ignoring(
      4,
      () => 6,
      (nth) => upTo(8).map((id) => (id + nth) % 8),
    ),
    ['6', '4', '3'],
    { ...incomplete, restarts: [short(1, 4, 6), short(1, 4, 6)], problem: short(1, 4, 6) },
  ],
  [
    'another one, and is not confirmed by one that is broken',
    repeating,
    ['6', '3', '1'],
    {
      ...incomplete,
      restarts: [short(1, 5, 6), 'client 1 is on two pages'],
      problem: 'client 1 is on two pages',
    },
  ],
])('a doubtful walk is repeated with %s', async (_, list, limits, expected) => {
  const { requests, ...end } = await walk(list, { parameters: { limit: 6 }, sizeFields: ['clients'] });
  expect(requests.filter((each) => !each.includes('/'))).toEqual(limits);
  expect(end).toMatchObject(expected);
});
