import { Failure, isOfOne } from '../../model/failure.ts';
import type { Account } from '../../model/records.ts';
import { fetchAhead } from '../../support/concurrency.ts';
import { formatList, plural } from '../../support/english.ts';
import type { ClientListParameters, ClientPage, ListClients } from '../operations.ts';
import { createWalkProof, fingerprint, type Sign } from './walk-proof.ts';

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
};

/** One walk, over all pages that could be fetched. */
export type Walked = {
  /**
   * `sound`: nothing speaks against it; `doubtful`: what does may be harmless; `changed`: every page was fetched while
   * the list changed; `broken`: it proves nothing.
   */
  readonly state: 'sound' | 'doubtful' | 'changed' | 'broken';
  /** What speaks against it; null for a sound one. */
  readonly problem: string | null;
  /** Whether another walk may be better: not where the service lacks what a proof needs, nor where a page fails. */
  readonly mayHeal: boolean;
  /** Whether pages may be cut or filtered, whatever else speaks against it. */
  readonly isDoubted: boolean;
  /** Of the first page that failed, after all its attempts; null where each was fetched. */
  readonly failure: Failure | null;
  readonly ids: ReadonlySet<number>;
  /** Clients listed, those that can't be read included. */
  readonly clients: number;
  readonly pages: number;
  /** The count fields of the first page. */
  readonly counts: ClientPage['counts'];
  /** Page size in effect, and rows of the longest page. */
  readonly limit: number;
  readonly longest: number;
  /** The ids of the first page, as a fingerprint: the same in two walks that the service paged alike. */
  readonly firstPage: string;
};

type PageItem = { readonly type: 'page'; readonly page: ClientPage };

type FailedPage = { readonly page: number; readonly failure: Failure };

/** Pages in a row without a new client: what follows is a repetition, whatever `pages` says. */
const maxBarrenPages = 3;

/**
 * Walks all pages once, and yields those that come, in their order. A page that fails after all its attempts is left
 * out, and those after it are still fetched, until `ahead` in a row fail or the token is refused.
 * Throws where the first page fails, or with an error that would fail everything else, too.
 */
export async function* walkOnce(input: WalkInput): AsyncGenerator<PageItem, Walked> {
  const { list, account, parameters, ahead } = input;
  const { page: first, isLimitRefused } = await fetchFirstPage(list, account, parameters);
  // Limit as the service has it: one that it cut short would shift the rows between our pages and its own.
  const limit = first.limit || (isLimitRefused ? first.rows : parameters.limit);
  const lastPage = lastPageOf(first.page, first.pages);
  const proof = createWalkProof(first, { limit, lastPage });
  const walk = {
    first,
    limit,
    failed: [] as FailedPage[],
    endedEarly: false,
    pages: 1,
    longest: first.rows,
    rejects: first.rejects.length,
  };
  const conclude = () => concluded(input, { ...walk, signs: proof.signs, ids: proof.ids });
  yield { type: 'page', page: first };
  if (first.pages === 0 && first.rows === 0) return conclude();

  let last = lastPage;
  const fetchPage = (page: number) => fetched(list(account, { ...parameters, limit, page }));
  const next = first.page === null ? await pageAfter(fetchPage, first) : first.page + 1;
  const isEndKnown = Number.isFinite(last);
  function* numbers() {
    for (let page = next; page <= last; page++) yield page;
  }
  const results = fetchAhead(numbers(), isEndKnown ? ahead : 1, fetchPage);
  let barren = 0;
  let failedInRow = 0;
  for await (const [requested, page] of results) {
    if (page instanceof Failure) {
      walk.failed.push({ page: requested, failure: page });
      walk.endedEarly = ++failedInRow === ahead || page.kind === 'token refused';
      if (walk.endedEarly) break;
      continue;
    }
    failedInRow = 0;
    barren = proof.check(page, requested).hasNewClients ? 0 : barren + 1;
    walk.endedEarly = barren === maxBarrenPages;
    // Where the number of pages is unknown, an empty page is the end.
    if (walk.endedEarly || (!isEndKnown && barren > 0)) break;
    if (isEndKnown && page.pages !== null) last = Math.max(last, lastPageOf(first.page, page.pages));
    walk.pages++;
    walk.longest = Math.max(walk.longest, page.rows);
    walk.rejects += page.rejects.length;
    yield { type: 'page', page };
  }
  return conclude();
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
      error instanceof Failure && ['request refused', 'answer not understood'].includes(error.kind);
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

type WalkSoFar = Pick<Walked, 'ids' | 'limit' | 'longest' | 'pages'> & {
  readonly first: ClientPage;
  readonly signs: readonly Sign[];
  readonly failed: readonly FailedPage[];
  readonly endedEarly: boolean;
  readonly rejects: number;
};

function concluded(input: WalkInput, walk: WalkSoFar): Walked {
  const { first, failed, ids, limit, longest, pages } = walk;
  const clients = ids.size + walk.rejects;
  const unprovable = unprovableBy(first);
  const doubts = [...walk.signs.filter(({ kind }) => kind === 'doubt'), ...sizeDoubts(input, walk, clients)];
  return {
    ...stateOf(input, walk, unprovable, doubts),
    mayHeal: unprovable === null && failed.length === 0,
    isDoubted: doubts.length > 0,
    failure: failed[0]?.failure ?? null,
    ids,
    clients,
    pages,
    counts: first.counts,
    limit,
    longest,
    firstPage: fingerprint(first),
  };
}

function stateOf(
  { account }: WalkInput,
  { signs, failed, endedEarly }: WalkSoFar,
  unprovable: string | null,
  doubts: readonly Sign[],
): Pick<Walked, 'state' | 'problem'> {
  const problemOf = (kind: Sign['kind']) => signs.find((sign) => sign.kind === kind)?.problem;
  const broken = (problem: string) => ({ state: 'broken', problem }) as const;
  if (failed.length > 0) return broken(failedPages(account, failed, endedEarly));
  if (unprovable !== null) return broken(unprovable);
  const problem = problemOf('broken');
  if (problem !== undefined) return broken(problem);
  if (endedEarly)
    return broken(signs[0]?.problem ?? `${maxBarrenPages} pages in a row have no further client`);
  const [changed, twice] = [problemOf('changed'), problemOf('twice')];
  // Pages that may be cut miss more than a change explains.
  if (changed !== undefined && doubts.length > 0) return broken(changed);
  if (changed !== undefined) return { state: 'changed', problem: changed };
  if (twice !== undefined) return broken(twice);
  const [doubt] = doubts;
  return doubt === undefined
    ? { state: 'sound', problem: null }
    : { state: 'doubtful', problem: doubt.problem };
}

/** Why no walk can be proven complete, by its first page; null where one can. */
function unprovableBy(first: ClientPage): string | null {
  if (first.page === null) return 'responses have no page number';
  if (first.pages === null) return 'responses have no number of pages';
  if (first.pages === 0 && first.rows > 0) return 'the response says 0 pages and has clients';
  return null;
}

/**
 * Where fewer clients are listed than a count says. One of unknown meaning only speaks against a single page, which can't
 * be short before the end; and not against a single client, whom no other limit could page in another way.
 */
function sizeDoubts(
  { sizeFields, parameters }: WalkInput,
  { first }: WalkSoFar,
  clients: number,
): readonly Sign[] {
  const isOnlyPage = first.pages === 1 && first.rows > 1 && parameters.search === undefined;
  return Object.entries(first.counts)
    .filter(([name, count]) => count > clients && (isOnlyPage || sizeFields.includes(name)))
    .map(([name, count]) => ({
      kind: 'doubt',
      problem: `${name} is ${count}, and ${clients} clients are listed`,
    }));
}

const maxNamed = 8;

/** `pages 5 and 6 failed (the service responded with status 500 …)`. */
function failedPages(account: Account, failed: readonly FailedPage[], endedEarly: boolean): string {
  const [{ page, failure }] = failed as readonly [FailedPage, ...FailedPage[]];
  const named = failed.slice(0, maxNamed).map((each) => String(each.page));
  if (failed.length > maxNamed) named.push(`${failed.length - maxNamed} more`);
  const detail = failure.message.replace(`account ${account.name}, clients, page ${page}: `, '');
  const rest = endedEarly ? '; the pages after these were not loaded' : '';
  return `${plural(failed.length, 'page')} ${formatList(named)} failed: ${detail}${rest}`;
}
