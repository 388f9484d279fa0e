import type { Finding } from '../../model/alert.ts';
import type { Account } from '../../model/records.ts';
import type { ClientPage, ListClients } from '../operations.ts';
import { fetchFirstPage, lastPageOf } from '../paging/walk-once.ts';
import { createWalkProof } from '../paging/walk-proof.ts';
import { ok, warning } from './findings.ts';

/** A page after the first, and the number that was requested. */
type SampledPage = { readonly number: number; readonly page: ClientPage };

/** How the service pages and counts, by its first, second, middle and last two pages: five requests at most. */
export async function examinePaging(
  list: ListClients,
  account: Account,
  pageLimit: number,
): Promise<Finding[]> {
  const parameters = { limit: pageLimit, balance: true };
  const { page: first, isLimitRefused } = await fetchFirstPage(list, account, parameters);
  const limit = first.limit || pageLimit;
  const findings = [numbering(first), pageSize(first, pageLimit, isLimitRefused), ...balance(first)];
  const pages = first.pages ?? 0;
  if (first.page === null || pages < 2) return findings;
  const sample: SampledPage[] = [];
  for (const number of sampleOf(first.page, first.page + pages - 1)) {
    sample.push({ number, page: await list(account, { ...parameters, limit, page: number }) });
  }
  return [...findings, furtherPages(first, sample, limit), ...envelope(first, sample, limit)];
}

/** Numbers of the pages to look at after the first: the second, the middle one, the last two. */
function sampleOf(first: number, last: number): number[] {
  const middle = first + Math.floor((last - first + 1) / 2);
  return [...new Set([first + 1, middle, last - 1, last])].filter((page) => page > first);
}

const unprovable = 'walks load the clients they see and mark none absent; ask the provider of the service';

function numbering({ page, pages, rows }: ClientPage): Finding {
  const subject = 'first page';
  if (page === null) return warning(subject, 'responses have no page number', unprovable);
  if (pages === null) return warning(subject, 'responses have no number of pages', unprovable);
  if (pages === 0 && rows > 0) return warning(subject, 'responses say 0 pages', unprovable);
  return ok(subject, `pages count from ${page}; there are ${pages}`);
}

function pageSize({ limit, rows, pages }: ClientPage, pageLimit: number, isLimitRefused: boolean): Finding {
  const actual = limit === pageLimit ? rows : limit || rows;
  const warn = (message: string) =>
    warning('page size', message, `set PAGE_LIMIT=${actual}, the size that the service uses`);
  if (isLimitRefused) return warn(`a limit of ${pageLimit} is refused; without one, pages have ${actual}`);
  if (limit !== null && limit !== pageLimit) {
    return warn(`requested ${pageLimit}, the service limits pages to ${limit}`);
  }
  if (rows < pageLimit && (pages ?? 1) > 1) {
    return warn(`the response says ${pageLimit}, the page has ${rows}`);
  }
  if (rows > pageLimit) return warn(`requested ${pageLimit}, the page has ${rows}: the limit is ignored`);
  return ok('page size', `${pageLimit} as requested`);
}

function balance({ records, remarks }: ClientPage): Finding[] {
  const withBalance = records.filter((client) => client.balance !== null).length;
  const unreported = remarks.length > 0 ? 'no readable amount' : 'not reported by the service';
  const found = withBalance > 0 ? `found in ${withBalance} of ${records.length} clients` : unreported;
  const advice = 'set BALANCE_FIELD to the field that is the balance, or CLIENT_BALANCE=false';
  return [ok('balance', found), ...remarks.map((remark) => warning('balance', remark, advice))];
}

function furtherPages(first: ClientPage, sample: readonly SampledPage[], limit: number): Finding {
  const lastPage = lastPageOf(first.page, first.pages);
  const { check } = createWalkProof(first, { limit, lastPage });
  const problems = sample
    .flatMap(({ number, page }) => check(page, number).signs)
    // A short page is the page size's own finding.
    .filter(({ kind }) => kind !== 'doubt')
    .map(({ problem }) => problem);
  if (problems.length > 0) return warning('further pages', problems.join('; '), unprovable);
  return ok('further pages', 'are those requested, and new');
}

/** What each count field of the envelope equals (service.md 2.2 doesn't show it). Nothing depends on it. */
function envelope(first: ClientPage, sample: readonly SampledPage[], limit: number): Finding[] {
  const pages = [{ number: first.page!, page: first }, ...sample];
  const total = (first.pages! - 1) * first.rows + pages.at(-1)!.page.rows;
  const before = (number: number) => (number - first.page!) * first.rows;
  const meanings: { readonly [meaning: string]: (sampled: SampledPage) => number | null } = {
    'the clients of the whole list': () => total,
    'the clients on the page': ({ page }) => page.rows,
    'the page size': () => limit,
    'the number of pages': ({ page }) => page.pages,
    'the page number': ({ page }) => page.page,
    'the clients up to and with the page': ({ number, page }) => before(number) + page.rows,
  };
  return ['clients', 'results', 'count'].map((name) => {
    const subject = `envelope: ${name}`;
    if (first.counts[name] === undefined) return ok(subject, 'not reported');
    const meaning = Object.keys(meanings).find((each) =>
      pages.every((sampled) => sampled.page.counts[name] === meanings[each]!(sampled)),
    );
    return ok(subject, `is ${meaning ?? `something else (${first.counts[name]})`}`);
  });
}
