import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/model/errors.ts';
import type { Finding } from '../../../src/model/finding.ts';
import { examinePage } from '../../../src/service/examine/examine-page.ts';
import { ok, warning } from '../../../src/service/examine/findings.ts';
import type { ClientPage, ListClients } from '../../../src/service/operations.ts';
import { account } from '../account.ts';
import { listOf, pageOf, upTo } from '../paging/lists.ts';

const setLimit = (limit: number) => `set PAGE_LIMIT=${limit}, the page size of the service`;

async function examined(list: ListClients, pageLimit = 10) {
  const requests: object[] = [];
  const recording: ListClients = async (who, parameters) => {
    requests.push(parameters);
    return await list(who, parameters);
  };
  const findings = await examinePage(recording, account, { pageLimit, balance: true });
  const find = (subject: string) => findings.find((finding) => finding.subject === subject);
  return { requests, findings, find };
}

it('the examination of the client list takes two pages', async () => {
  const { requests, findings } = await examined(
    listOf(upTo(64), () => ({ counts: { clients: 64, count: 10 } })),
  );
  expect(requests).toEqual([
    { limit: 10, balance: true },
    { limit: 10, page: 8, balance: true },
  ]);
  expect(findings).toEqual([
    ok('page size', '10 as requested'),
    ok('pages', 'numbered from 1, 7 according to the field pages; page 8 is empty'),
    ok('counts', 'clients is 64, more than the page has; count counts the page'),
    ok('balance', 'none found'),
  ]);
});

describe('of its pages is said', () => {
  const endless: ListClients = async (_, { page = 1 }) => pageOf([page], { page, pages: 1 });
  const gone = new Failure('REQUEST_REFUSED', 'there is no such page');
  it.each<[string, ListClients, string]>([
    [
      'that the next is refused',
      listOf([1], (page) => (page > 1 ? gone : {})),
      'is refused (there is no such page)',
    ],
    ['that the first comes again', async () => pageOf([1]), 'is the first again'],
    ['that there are more than they say', endless, 'has more clients'],
    [
      'that the last one comes again',
      async (_, { page = 1 }) => pageOf([page], { page, pages: 3 }),
      'has clients: those of the last one, or more',
    ],
    ['how they come without numbers', listOf([1], () => ({ page: null, pages: null })), 'is empty'],
  ])('%s', async (_, list, what) => {
    const { find } = await examined(list);
    expect(find('pages')!.message).toMatch(new RegExp(`; page \\d ${what.replace(/[()]/g, '\\$&')}$`));
    expect(find('pages')!.status).toBe(what === 'has more clients' ? 'warning' : 'ok');
  });
});

it('a count of more clients than the only page has keeps walks from being complete, and is warned of', async () => {
  const { find } = await examined(listOf([1, 2], () => ({ counts: { clients: 9 } })));
  expect(find('counts')).toMatchObject({
    status: 'warning',
    message: 'clients is 9, more than the page has',
    advice: expect.stringContaining('client lists stay incomplete while clients exceeds'),
  });
});

describe('the page size is', () => {
  const refusing: ListClients = async (_, { limit }) => {
    if (limit === 10) throw new Failure('REQUEST_REFUSED', 'the limit is too large');
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

  it('not known where the service refuses the list without a limit, too', async () => {
    const list: ListClients = async (_, { limit }) => {
      throw new Failure('REQUEST_REFUSED', limit ? 'no such account' : 'no limit');
    };
    await expect(examined(list)).rejects.toThrow('no such account');
  });

  it('not asked for twice where the service is down', async () => {
    let requests = 0;
    const list: ListClients = async () => {
      requests++;
      throw new Failure('SERVICE_UNAVAILABLE', 'down');
    };
    await expect(examined(list)).rejects.toThrow('down');
    expect(requests).toBe(1);
  });
});

describe('the balance is', () => {
  const advice =
    'if it is about the balance, set BALANCE_FIELD to its field, or CLIENT_BALANCE=false; else ask the provider';
  const [one, other] = pageOf([1, 2]).records as [ClientPage['records'][0], ClientPage['records'][0]];

  it.each<[string, Partial<ClientPage>, readonly Finding[]]>([
    [
      'found in as many clients as have one',
      { records: [{ ...one, balance: '1.50' }, other] },
      [ok('balance', 'found in 1 of 2 clients')],
    ],
    [
      'not found, and what could not be kept of the records is said',
      { logged: ['several fields name a balance'] },
      [ok('balance', 'none found'), warning('records', 'several fields name a balance', advice)],
    ],
  ])('%s', async (_, change, expected) => {
    const { findings } = await examined(async () => pageOf([1, 2], change));
    expect(findings.slice(-expected.length)).toEqual(expected);
  });
});
