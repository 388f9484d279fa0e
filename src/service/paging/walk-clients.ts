import { endsRun, Failure } from '../../model/errors.ts';
import { type Account, unreadableReason } from '../../model/records.ts';
import type { WalkVerdict } from '../../model/walk.ts';
import { fetchAhead } from '../../support/concurrency.ts';
import { formatCountOf, formatDuration } from '../../support/english.ts';
import type { ClientListParameters, ClientPage, ListClients } from '../operations.ts';
import { checkPage, firstPageNumber, idsOf, type PageProblem } from './check-page.ts';

export type WalkParameters = Omit<ClientListParameters, 'page'> & { readonly limit: number };

export type WalkInput = {
  readonly list: ListClients;
  readonly account: Account;
  readonly parameters: WalkParameters;
  /** Pages requested at once, or fewer large ones. The walk ends after as many in a row without a new client. */
  readonly ahead: number;
  readonly maxMs: number;
};

/** The end of a walk. Only a complete walk says anything about the clients it didn't see. */
export type WalkEnd = Seen &
  (
    | {
        readonly verdict: 'complete';
        readonly reason: null;
        readonly failure: null;
      }
    | {
        readonly verdict: Exclude<WalkVerdict, 'complete'>;
        readonly reason: string;
        /** Error of the last page that failed; null if none did. */
        readonly failure: Failure | null;
      }
  );

type Seen = {
  /** Ids of all clients on the pages, including kept rejects with a valid id. */
  readonly ids: ReadonlySet<number>;
  /** `ids` has the id of every record. */
  readonly everyIdIsKnown: boolean;
};

/** Bytes of pages that may wait for the load, if all are as long as the first. Several lists are walked at once. */
const maxBytesAhead = 2_000_000;

/** A walk keeps its ids in memory. This is twice the longest list that the warehouse is made for. */
const maxClients = 2_000_000;

/**
 * Walks all pages of the client list (service.md 4.1): yields them in order, then the end with its verdict
 * (design, *Complete walk*). Fetches `ahead` pages at once, or one if their number isn't known. A failed page is
 * left out; a refused token ends the walk. Throws if the first page fails, or if an error ends the run.
 */
export async function* walkClients(input: WalkInput): AsyncGenerator<ClientPage | WalkEnd, void> {
  const { list, account, parameters } = input;
  const deadline = performance.now() + input.maxMs;
  const { page, isLimitRefused } = await fetchFirstPage(list, account, parameters);
  const limit = page.limit || (isLimitRefused ? page.rows : parameters.limit);
  const walk = yield* walkPages(input, page, limit, deadline);
  const cutTo = walk.problems.at(-1)?.cutTo;
  if (cutTo === undefined) {
    yield endOf(walk);
    return;
  }
  // The service cuts its pages: walk again with their length as the limit.
  const again = await pageOrFailure(list(account, { ...parameters, limit: cutTo }));
  if (again instanceof Failure) {
    const failures = [{ page: firstPageNumber(page), failure: again }];
    yield endOf({ ...walk, failures });
    return;
  }
  const second = yield* walkPages(input, again, again.limit || cutTo, deadline, false);
  yield endOf({
    ...second,
    ids: second.ids.union(walk.ids),
    everyIdIsKnown: second.everyIdIsKnown && walk.everyIdIsKnown,
  });
}

type FailedPage = { readonly page: number; readonly failure: Failure };

/** The findings of a walk so far. */
type WalkedPages = {
  readonly ids: Set<number>;
  everyIdIsKnown: boolean;
  readonly problems: PageProblem[];
  readonly failures: FailedPage[];
};

/** Yields all pages from `first` on. If `mayStartOver`, stops at a short page that isn't the last. */
async function* walkPages(
  { list, account, parameters, ahead, maxMs }: WalkInput,
  first: ClientPage,
  limit: number,
  deadline: number,
  mayStartOver = true,
): AsyncGenerator<ClientPage, WalkedPages> {
  const walk: WalkedPages = {
    ids: new Set(),
    everyIdIsKnown: true,
    problems: [],
    failures: [],
  };
  const take = (page: ClientPage, number: number): PageProblem | null => {
    const problem = checkPage(page, number, first, limit, walk.ids);
    if (problem !== null) walk.problems.push(problem);
    const unreadable = unreadableReason(page);
    if (unreadable !== null) {
      const subject = `account ${account.name}, clients, page ${number}`;
      const failure = new Failure('INVALID_RESPONSE', `invalid response (${unreadable})`, { subject });
      walk.failures.push({ page: number, failure });
    }
    // Only the first rejects are kept: the ids of the others are unknown.
    if (page.rejectCount > page.rejects.length || page.rejects.some(({ id }) => id === null))
      walk.everyIdIsKnown = false;
    for (const id of idsOf(page)) walk.ids.add(id);
    return problem;
  };
  const giveUp = (reason: string) => walk.problems.push({ verdict: 'incomplete', reason });

  const firstProblem = take(first, firstPageNumber(first));
  yield first;
  if (first.pages === 0 && first.rows === 0) return walk;
  if (mayStartOver && firstProblem?.cutTo !== undefined) return walk;

  const lastNumber = (page: ClientPage) =>
    page.pages ? firstPageNumber(first) + page.pages - 1 : Number.POSITIVE_INFINITY;
  let last = lastNumber(first);
  let newestLast = last;
  const isEndKnown = Number.isFinite(last);
  // Without a number, the first page may be 0 or 1: page 1 is next.
  let next = first.page === null ? 1 : first.page + 1;
  // Not a generator: a generator that has ended stays ended, but `last` may still grow.
  const numbers: Iterator<number, void> = {
    next: () => (next <= last ? { value: next++ } : { value: undefined, done: true }),
  };
  const atOnce = isEndKnown ? Math.min(ahead, Math.ceil(maxBytesAhead / first.response.body.byteLength)) : 1;
  const fetchPage = (page: number) => pageOrFailure(list(account, { ...parameters, limit, page }));
  let fruitless = 0;
  for await (const [number, page] of fetchAhead(numbers, atOnce, fetchPage)) {
    if (page instanceof Failure) {
      // The list has shrunk since: there is no such page any more.
      if (page.code === 'REQUEST_REFUSED' && number > newestLast) continue;
      walk.failures.push({ page: number, failure: page });
      if (page.code === 'TOKEN_REFUSED') return walk;
      fruitless++;
    } else {
      const before = walk.ids.size;
      const problem = take(page, number);
      fruitless = walk.ids.size > before ? 0 : fruitless + 1;
      yield page;
      if (mayStartOver && problem?.cutTo !== undefined) return walk;
      if (page.rows === 0 && !isEndKnown) return walk;
      if (page.pages) newestLast = lastNumber(page);
      if (isEndKnown) last = Math.max(last, newestLast);
    }
    if (number >= last) continue;
    if (fruitless >= ahead)
      giveUp(`no new client on ${ahead} pages in a row: the pages after page ${number} were not fetched`);
    else if (walk.ids.size >= maxClients) giveUp(`there are more pages after ${maxClients} clients`);
    else if (performance.now() >= deadline) giveUp(`there are more pages after ${formatDuration(maxMs)}`);
    else continue;
    return walk;
  }
  return walk;
}

function endOf({ ids, everyIdIsKnown, problems, failures }: WalkedPages): WalkEnd {
  const seen = { ids, everyIdIsKnown };
  const problem = problems.find(({ verdict }) => verdict === 'incomplete') ?? problems[0];
  const failed = failures.at(-1);
  if (failed !== undefined) {
    const reason = describeFailed(failed, failures.length - 1);
    return {
      ...seen,
      verdict: 'incomplete',
      reason: problem === undefined ? reason : `${reason}; ${problem.reason}`,
      failure: failed.failure,
    };
  }
  if (problem !== undefined)
    return {
      ...seen,
      verdict: problem.verdict,
      reason: problem.reason,
      failure: null,
    };
  return {
    ...seen,
    verdict: 'complete',
    reason: null,
    failure: null,
  };
}

function describeFailed({ page, failure }: FailedPage, before: number): string {
  const others = before === 0 ? '' : ` (and so did ${formatCountOf(before, 'page')} before it)`;
  return `page ${page} failed: ${failure.detail}${others}`;
}

/**
 * Requests the first page without `page`: the response says whether pages count from 0 or 1. If it is refused or
 * invalid, `limit` may be too large (service.md shows no maximum): requests it again without `limit`.
 */
async function fetchFirstPage(
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

/** Returns the page or its Failure. Throws an error that ends the run, and any that isn't a Failure. */
async function pageOrFailure(page: Promise<ClientPage>): Promise<ClientPage | Failure> {
  try {
    return await page;
  } catch (error) {
    if (error instanceof Failure && !endsRun(error)) return error;
    throw error;
  }
}
