import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/model/alert.ts';
import { Failure } from '../../../src/model/errors.ts';
import { examinePaging } from '../../../src/service/examine/examine-paging.ts';
import type { ClientPage, ListClients } from '../../../src/service/operations.ts';
import { account } from '../account.ts';
import { listOf, pageOf, upTo } from '../paging/lists.ts';

const ok = (subject: string, message: string): Finding => ({
  area: 'service',
  status: 'ok',
  subject,
  message,
});
const warning = (subject: string, message: string, advice: string): Finding => ({
  area: 'service',
  status: 'warning',
  subject,
  message,
  advice,
});

const unprovable = 'walks load the clients they see and mark none absent; ask the provider of the service';
const setLimit = (limit: number) => `set PAGE_LIMIT=${limit}, the size that the service uses`;

async function examined(list: ListClients, pageLimit = 10) {
  const requests: object[] = [];
  const recording: ListClients = async (who, parameters) => {
    requests.push(parameters);
    return await list(who, parameters);
  };
  const findings = await examinePaging(recording, account, pageLimit);
  const find = (subject: string) => findings.find((finding) => finding.subject === subject);
  return { requests, findings, find };
}

describe('the examination of the client list', () => {
  it('takes five pages at most, and says what each count of the envelope is', async () => {
    const list = listOf(upTo(64), (page) => ({ counts: { clients: 64, results: page === 7 ? 4 : 10 } }));
    const { requests, findings } = await examined(list);
    expect(requests).toEqual([
      { limit: 10, balance: true },
      ...[2, 4, 6, 7].map((page) => ({ limit: 10, balance: true, page })),
    ]);
    expect(findings).toEqual([
      ok('first page', 'pages count from 1; there are 7'),
      ok('page size', '10 as requested'),
      ok('balance', 'not reported by the service'),
      ok('further pages', 'are those requested, and new'),
      ok('envelope: clients', 'is the clients of the whole list'),
      ok('envelope: results', 'is the clients on the page'),
      ok('envelope: count', 'not reported'),
    ]);
  });

  it.each([
    [1, []],
    [2, [2]],
    [3, [2, 3]],
    [4, [2, 3, 4]],
    [12, [2, 7, 11, 12]],
  ])('requests of %i pages, beside the first, %j', async (pages, numbers) => {
    const { requests } = await examined(listOf(upTo(pages * 10)));
    expect(requests.slice(1).map((each) => 'page' in each && each.page)).toEqual(numbers);
  });

  it('follows a service whose pages count from 0, and that has a limit of its own', async () => {
    const list: ListClients = async (_, { page = 0 }) =>
      pageOf([page * 2, page * 2 + 1], { page, pages: 4, limit: 2, counts: { count: page * 2 + 2 } });
    const { requests, find } = await examined(list);
    expect(requests).toEqual([
      { limit: 10, balance: true },
      ...[1, 2, 3].map((page) => ({ limit: 2, balance: true, page })),
    ]);
    expect(find('first page')).toEqual(ok('first page', 'pages count from 0; there are 4'));
    expect(find('further pages')).toEqual(ok('further pages', 'are those requested, and new'));
    expect(find('envelope: count')).toEqual(ok('envelope: count', 'is the clients up to and with the page'));
  });

  it.each<[string, Partial<ClientPage>]>([
    ['responses have no page number', { page: null }],
    ['responses have no number of pages', { pages: null }],
    ['responses say 0 pages', { pages: 0 }],
  ])('ends with the first page where %s', async (message, change) => {
    const { requests, findings } = await examined(listOf(upTo(30), () => change));
    expect(requests).toHaveLength(1);
    expect(findings).toEqual([
      warning('first page', message, unprovable),
      ok('page size', '10 as requested'),
      ok('balance', 'not reported by the service'),
    ]);
  });
});

it('an empty list may have 0 pages', async () => {
  expect((await examined(listOf([], () => ({ pages: 0 })))).find('first page')).toEqual(
    ok('first page', 'pages count from 1; there are 0'),
  );
});

describe('the page size is', () => {
  const refusing: ListClients = async (_, { limit }) => {
    if (limit === 10) throw new Failure('REQUEST_REFUSED', 'the limit is too large', '');
    return pageOf(upTo(5));
  };

  it.each<[string, ListClients, Finding]>([
    [
      'refused, where the first page comes without a limit alone',
      refusing,
      warning('page size', 'a limit of 10 is refused; without one, pages have 5', setLimit(5)),
    ],
    [
      'another one, where the service says so',
      async () => pageOf(upTo(5), { limit: 6 }),
      warning('page size', 'requested 10, the service limits pages to 6', setLimit(6)),
    ],
    [
      'another one, where the service says 0',
      async () => pageOf(upTo(5), { limit: 0 }),
      warning('page size', 'requested 10, the service limits pages to 0', setLimit(5)),
    ],
    [
      'another one, where the first of several pages is shorter than the service says',
      listOf(upTo(20), (page) => (page === 1 ? pageOf(upTo(9), { pages: 2, limit: 10 }) : {})),
      warning('page size', 'the response says 10, the page has 9', setLimit(9)),
    ],
    [
      'ignored, where the page is longer',
      async () => pageOf(upTo(11)),
      warning('page size', 'requested 10, the page has 11: the limit is ignored', setLimit(11)),
    ],
    [
      'as requested, where the only page is shorter',
      async () => pageOf(upTo(9)),
      ok('page size', '10 as requested'),
    ],
    [
      'as requested, where a shorter page says nothing of how many there are',
      async () => pageOf(upTo(9), { pages: null, limit: 10 }),
      ok('page size', '10 as requested'),
    ],
  ])('%s', async (_, list, finding) => {
    expect((await examined(list)).find('page size')).toEqual(finding);
  });
});

describe('the balance is', () => {
  const advice = 'set BALANCE_FIELD to the field that is the balance, or CLIENT_BALANCE=false';
  const [one, other] = pageOf([1, 2]).records as [ClientPage['records'][0], ClientPage['records'][0]];

  it.each<[string, Partial<ClientPage>, readonly Finding[]]>([
    [
      'found in as many clients as have one',
      { records: [{ ...one, balance: '1.50' }, other] },
      [ok('balance', 'found in 1 of 2 clients')],
    ],
    [
      'not readable, and why',
      { remarks: ['several fields name a balance'] },
      [ok('balance', 'no readable amount'), warning('balance', 'several fields name a balance', advice)],
    ],
  ])('%s', async (_, change, expected) => {
    const { findings } = await examined(async () => pageOf([1, 2], change));
    expect(findings.filter(({ subject }) => subject === 'balance')).toEqual(expected);
  });
});

describe('further pages', () => {
  it('are not those requested where something speaks against them, but may be short', async () => {
    const list = listOf(upTo(60), (page) => {
      if (page === 2) return { page: 3 };
      if (page === 4) return { ...pageOf([]), page, pages: 6 };
      if (page === 5) return pageOf([41], { page, pages: 6, limit: 10 });
      return page === 6 ? { pages: 7 } : {};
    });
    expect((await examined(list)).find('further pages')).toEqual(
      warning(
        'further pages',
        'requested page 2, got page 3; page 4 is empty; the number of pages changed from 6 to 7',
        unprovable,
      ),
    );
  });
});

describe('a count of the envelope is', () => {
  it.each<[string, (page: number) => number]>([
    ['the clients of the whole list', () => 34],
    ['the clients on the page', (page) => (page === 4 ? 4 : 10)],
    ['the page size', () => 10],
    ['the number of pages', () => 4],
    ['the page number', (page) => page],
    ['the clients up to and with the page', (page) => (page === 4 ? 34 : page * 10)],
    ['something else (7)', (page) => page + 6],
  ])('%s', async (meaning, count) => {
    const { find } = await examined(listOf(upTo(34), (page) => ({ counts: { count: count(page) } })));
    expect(find('envelope: count')).toEqual(ok('envelope: count', `is ${meaning}`));
  });
});
