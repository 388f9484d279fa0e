import type { Finding } from '../../model/alert.ts';
import type { Account } from '../../model/records.ts';
import type { ClientPage, ListClients } from '../clients.ts';
import { createWalkProof } from '../paging/walk-proof.ts';

/** How the service pages and counts, by its first, second, middle and last two pages: five requests at most. */
export async function examinePaging(
  list: ListClients,
  account: Account,
  pageLimit: number,
): Promise<Finding[]> {
  const { page: first, limit, refused } = await firstPage(list, account, pageLimit);
  const findings = [
    numbering(first),
    pageSize(first, pageLimit, refused),
    balance(first),
    ...first.remarks.map(remark),
  ];
  if (first.page === null || !first.pages || first.pages < 2) return findings;
  const sample: [number, ClientPage][] = [];
  for (const page of sampleOf(first.page, first.page + first.pages - 1)) {
    sample.push([page, await list(account, { limit, balance: true, page })]);
  }
  return [...findings, paging(first, sample), ...counts(first, sample, limit)];
}

/** Numbers of the pages to look at after the first: the second, the middle one, the last two. */
function sampleOf(first: number, last: number): number[] {
  const middle = first + Math.floor((last - first + 1) / 2);
  return [...new Set([first + 1, middle, last - 1, last])].filter((page) => page > first);
}

async function firstPage(list: ListClients, account: Account, pageLimit: number) {
  try {
    const page = await list(account, { limit: pageLimit, balance: true });
    return {
      page,
      limit: page.limit || pageLimit,
      refused: false,
    };
  } catch (refusal) {
    const page = await list(account, { balance: true }).catch(() => Promise.reject(refusal));
    return {
      page,
      limit: page.limit || pageLimit,
      refused: true,
    };
  }
}

const service = (subject: string, message: string): Finding => ({
  area: 'service',
  subject,
  message,
  status: 'ok',
});
const warning = (subject: string, message: string, advice: string): Finding => ({
  area: 'service',
  subject,
  message,
  status: 'warning',
  advice,
});

const unprovable = 'walks load the clients they see and mark none absent; ask the provider of the service';

function numbering({ page, pages }: ClientPage): Finding {
  const subject = 'first page';
  if (page === null) return warning(subject, 'responses have no page number', unprovable);
  if (pages === null) return warning(subject, 'responses have no number of pages', unprovable);
  if (pages === 0) return warning(subject, 'responses say 0 pages', unprovable);
  return service(subject, `pages count from ${page}; there are ${pages}`);
}

function pageSize({ limit, rows, pages }: ClientPage, pageLimit: number, refused: boolean): Finding {
  const subject = 'page size';
  const actual = limit === pageLimit ? rows : limit || rows;
  const advice = `set PAGE_LIMIT=${actual}, the size that the service uses`;
  if (refused)
    return warning(subject, `a limit of ${pageLimit} is refused; without one, pages have ${actual}`, advice);
  if (limit !== null && limit !== pageLimit)
    return warning(subject, `requested ${pageLimit}, the service limits pages to ${limit}`, advice);
  if (rows < pageLimit && (pages ?? 1) > 1)
    return warning(subject, `the response says ${pageLimit}, the page has ${rows}`, advice);
  if (rows > pageLimit)
    return warning(subject, `requested ${pageLimit}, the page has ${rows}: the limit is ignored`, advice);
  return service(subject, `${pageLimit} as requested`);
}

function balance({ records, remarks }: ClientPage): Finding {
  const withBalance = records.filter((client) => client.balance !== null).length;
  if (withBalance > 0) return service('balance', `found in ${withBalance} of ${records.length} clients`);
  if (remarks.length > 0) return service('balance', 'no readable amount');
  return service('balance', 'not reported by the service');
}

function remark(message: string): Finding {
  return warning(
    'balance',
    message,
    'set BALANCE_FIELD to the field that is the balance, or CLIENT_BALANCE=false',
  );
}

function paging(first: ClientPage, sample: readonly (readonly [number, ClientPage])[]): Finding {
  const proof = createWalkProof(first);
  proof.check(first, null);
  const problems = sample
    .map(([number, page]) => proof.check(page, number).problem)
    .filter((each) => each !== null);
  if (problems.length > 0) return warning('further pages', problems.join('; '), unprovable);
  return service('further pages', 'are those requested, and new');
}

/** What each count field of the envelope equals (service.md 2.2 doesn't show it). Nothing depends on it. */
function counts(
  first: ClientPage,
  sample: readonly (readonly [number, ClientPage])[],
  limit: number,
): Finding[] {
  const total = (first.pages! - 1) * first.rows + sample.at(-1)![1].rows;
  const meanings: readonly (readonly [string, (page: ClientPage, before: number) => number | null])[] = [
    ['the clients of the whole list', () => total],
    ['the clients on the page', (page) => page.rows],
    ['the page size', () => limit],
    ['the number of pages', (page) => page.pages],
    ['the page number', (page) => page.page],
    ['the clients up to and with the page', (page, before) => before + page.rows],
  ];
  const before = (number: number) => (number - first.page!) * first.rows;
  const pages = [[first.page!, first] as const, ...sample].map(
    ([number, page]) => [page, before(number)] as const,
  );
  return ['clients', 'results', 'count'].map((name) => {
    if (first.counts[name] === undefined) return service(`envelope: ${name}`, 'not reported');
    const meaning = meanings.find(([, value]) =>
      pages.every(([page, rows]) => page.counts[name] === value(page, rows)),
    );
    return service(
      `envelope: ${name}`,
      meaning ? `is ${meaning[0]}` : `is something else (${first.counts[name]})`,
    );
  });
}
