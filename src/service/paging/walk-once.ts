import { Failure, isOfOne } from '../../model/errors.ts';
import type { Account } from '../../model/records.ts';
import { fetchAhead } from '../../support/concurrency.ts';
import { formatDuration } from '../../support/english.ts';
import type { ClientListParameters, ClientPage, ListClients } from '../operations.ts';
import { concludeWalk, type EndedWalk, type FailedPage, type Walked } from './conclude-walk.ts';
import { createWalkProof, fingerprint, type WalkProof } from './walk-proof.ts';

export type WalkParameters = Omit<ClientListParameters, 'page'> & { readonly limit: number };

/** What one walk needs. */
export type WalkInput = {
  readonly list: ListClients;
  readonly account: Account;
  readonly parameters: WalkParameters;
  /** Pages requested at once, and how many in a row may fail before the walk ends. */
  readonly ahead: number;
  /** Count fields that are known to be the size of the account's list. */
  readonly sizeFields: readonly string[];
  /** How long the walks over a list may take, all together. */
  readonly maxMs: number;
};

type PageItem = { readonly type: 'page'; readonly page: ClientPage };

/** Pages in a row without a new client: what follows is a repetition, whatever `pages` says. */
const maxBarrenPages = 3;

/** Ids of a walk are in memory until its end; twice as many as any list that the warehouse is made for. */
const maxClients = 2_000_000;

/**
 * Walks all pages once, and yields those that come, in their order. A page that fails after all its attempts is left
 * out, and those after it are still fetched, until `ahead` in a row fail or the token is refused. Ends before the last
 * page, too, once the walks have taken `maxMs`.
 * Throws where the first page fails, or with an error that would fail everything else, too.
 *
 * @param began when the first walk did, by this process's own clock
 */
export async function* walkOnce(input: WalkInput, began: number): AsyncGenerator<PageItem, Walked> {
  const { list, account, parameters, sizeFields } = input;
  const { page: first, isLimitRefused } = await fetchFirstPage(list, account, parameters);
  // Limit as the service has it: one that it cut short would shift the rows between our pages and its own.
  const limit = first.limit || (isLimitRefused ? first.rows : parameters.limit);
  const proof = createWalkProof(first, { limit, lastPage: lastPageOf(first.page, first.pages) });
  const progress: Progress = {
    pages: 1,
    longest: first.rows,
    rejects: first.rejectCount,
    failed: [],
    endedEarly: false,
    limitReached: null,
  };
  yield { type: 'page', page: first };
  const isEmpty = first.pages === 0 && first.rows === 0;
  if (!isEmpty) yield* furtherPages({ ...input, first, limit, began }, proof, progress);
  const { ids, signs } = proof;
  const isSearch = parameters.search !== undefined;
  return concludeWalk({
    ...progress,
    account,
    first,
    limit,
    ids,
    signs,
    sizeFields,
    isSearch,
  });
}

/** What a walk counts on its way. */
type Progress = {
  -readonly [name in 'pages' | 'longest' | 'rejects' | 'endedEarly' | 'limitReached']: EndedWalk[name];
} & {
  readonly failed: FailedPage[];
};

async function* furtherPages(
  {
    list,
    account,
    parameters,
    ahead,
    first,
    limit,
    maxMs,
    began,
  }: WalkInput & { readonly first: ClientPage; readonly limit: number; readonly began: number },
  proof: WalkProof,
  progress: Progress,
): AsyncGenerator<PageItem, void> {
  let last = lastPageOf(first.page, first.pages);
  const isEndKnown = Number.isFinite(last);
  const fetchPage = (page: number) => fetched(list(account, { ...parameters, limit, page }));
  let next = first.page === null ? await pageAfter(fetchPage, first) : first.page + 1;
  // No generator: one that has ended stays so, and a later page may say that there are more.
  const numbers: Iterator<number, void> = {
    next: () => (next <= last ? { value: next++ } : { value: undefined, done: true }),
  };
  let barren = 0;
  let failedInRow = 0;
  for await (const [requested, page] of fetchAhead(numbers, isEndKnown ? ahead : 1, fetchPage)) {
    if (page instanceof Failure) {
      progress.failed.push({ page: requested, failure: page });
      if (++failedInRow < ahead && page.code !== 'TOKEN_REFUSED') continue;
      progress.endedEarly = requested < last;
      return;
    }
    failedInRow = 0;
    barren = proof.check(page, requested).hasNewClients ? 0 : barren + 1;
    if (barren === maxBarrenPages) {
      progress.endedEarly = requested < last;
      return;
    }
    // Where the number of pages is unknown, an empty page is the end.
    if (!isEndKnown && barren > 0) return;
    if (page.pages) last = Math.max(last, lastPageOf(first.page, page.pages));
    progress.pages++;
    progress.longest = Math.max(progress.longest, page.rows);
    progress.rejects += page.rejectCount;
    yield { type: 'page', page };
    if (requested < last)
      progress.limitReached = limitReached(
        performance.now() - began,
        maxMs,
        proof.ids.size + progress.rejects,
      );
    if (progress.limitReached !== null) return;
  }
}

/** Why a walk doesn't go on, though there are pages with new clients: a service may make them up for ever. */
function limitReached(ms: number, maxMs: number, clients: number): string | null {
  if (clients >= maxClients) return `there are more pages after ${maxClients} clients`;
  if (ms >= maxMs) return `there are more pages after ${formatDuration(maxMs)}`;
  return null;
}

/**
 * Requests the first page with `limit` alone: its response says whether pages count from 0 or 1. Where that is refused,
 * it may be the limit, for the largest page isn't shown: then without one, and the service's own is in the response.
 */
export async function fetchFirstPage(
  list: ListClients,
  account: Account,
  parameters: WalkParameters,
): Promise<{ readonly page: ClientPage; readonly isLimitRefused: boolean }> {
  try {
    return { page: await list(account, parameters), isLimitRefused: false };
  } catch (error) {
    const isRefused =
      error instanceof Failure && ['REQUEST_REFUSED', 'INVALID_RESPONSE'].includes(error.code);
    if (!isRefused) throw error;
    const { limit: _, ...rest } = parameters;
    const page = await list(account, rest).catch(() => Promise.reject(error));
    return { page, isLimitRefused: true };
  }
}

/** The page, or why it failed; rejects with an error that isn't of this page alone. */
async function fetched(page: Promise<ClientPage>): Promise<ClientPage | Failure> {
  try {
    return await page;
  } catch (error) {
    if (!isOfOne(error)) throw error;
    return error;
  }
}

export function lastPageOf(first: number | null, pages: number | null): number {
  return pages === null || pages === 0 ? Number.POSITIVE_INFINITY : (first ?? 1) + pages - 1;
}

/** Where no response has its page number: if page 1 is the first page again, pages count from 1. */
async function pageAfter(
  fetchPage: (page: number) => Promise<ClientPage | Failure>,
  first: ClientPage,
): Promise<number> {
  const one = await fetchPage(1);
  // Requested once more by the walk, which reports it.
  if (one instanceof Failure) return 1;
  return fingerprint(one) === fingerprint(first) ? 2 : 1;
}
