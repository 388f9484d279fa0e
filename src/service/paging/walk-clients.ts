import { endsRun, Failure } from '../../model/errors.ts';
import { type Account, unreadableReason } from '../../model/records.ts';
import type { WalkVerdict } from '../../model/walk.ts';
import { fetchAhead } from '../../support/concurrency.ts';
import { formatCountOf, formatDuration } from '../../support/english.ts';
import type { Answers } from '../http/attempt.ts';
import type { ClientListParameters, ClientPage, ListClients } from '../operations.ts';
import { checkPage, cut, idsOf, incomplete, type PageProblem, repeated } from './check-page.ts';

export type WalkParameters = Omit<ClientListParameters, 'page'> & { readonly limit: number };

export type WalkInput = {
  readonly list: ListClients;
  readonly account: Account;
  readonly parameters: WalkParameters;
  /** Pages requested at once, or fewer large ones. The walk ends after as many in a row without a new client. */
  readonly ahead: number;
  readonly maxMs: number;
  readonly answers?: Answers;
};

/** The end of a walk. Only a complete walk says anything about the clients it didn't see. */
export type WalkEnd = Seen & {
  readonly verdict: WalkVerdict;
  /** Null if it is complete. */
  readonly reason: string | null;
  /** Error of the last page that failed; null if none did. */
  readonly failure: Failure | null;
};

type Seen = {
  /** Remarks of its pages that nobody accepted, each once. */
  readonly remarks: readonly string[];
  /** Ids of all clients on the pages, including kept rejects with a valid id. */
  readonly ids: ReadonlySet<number>;
  /** `ids` has the id of every record. */
  readonly everyIdIsKnown: boolean;
};

/** Bytes of pages that may wait for the load, if all are as long as the first. Several lists are walked at once. */
const maxBytesAhead = 2_000_000;

/** Remarks kept of a walk. */
const maxRemarks = 50;

/** A walk keeps its ids in memory. This is twice the longest list that the warehouse is made for. */
const maxClients = 2_000_000;

/**
 * Walks all pages of the client list: yields them in order, then the end with its verdict
 * (docs/service-assumptions.md). Fetches `ahead` pages at once, or one if their number isn't known. A failed page is
 * left out; a refused token ends the walk. Throws if the first page fails, or if an error ends the run.
 */
export async function* walkClients(input: WalkInput): AsyncGenerator<ClientPage | WalkEnd, void> {
  const { list, account, parameters } = input;
  const deadline = performance.now() + input.maxMs;
  const { page, isLimitRefused } = await fetchFirstPage(input);
  const limit = page.limit || (isLimitRefused ? page.rows : parameters.limit);
  const walk = yield* walkPages(input, page, limit, deadline);
  const cutTo = walk.problems.find((problem) => problem.cutTo !== undefined)?.cutTo;
  if (cutTo === undefined) {
    yield endOf(walk);
    return;
  }
  // The service cuts its pages: walk again with their length as the limit.
  const again = await pageOrFailure(list(account, { ...parameters, limit: cutTo }));
  if (again instanceof Failure) {
    const failures = [{ page: page.page ?? 1, failure: again }];
    yield endOf({ ...walk, failures });
    return;
  }
  const second = yield* walkPages(input, again, again.limit || cutTo, deadline, false);
  yield endOf({
    ...second,
    ids: second.ids.union(walk.ids),
    remarks: second.remarks.union(walk.remarks),
    everyIdIsKnown: second.everyIdIsKnown && walk.everyIdIsKnown,
  });
}

type FailedPage = { readonly page: number; readonly failure: Failure };

/** The findings of a walk so far. */
type WalkedPages = {
  readonly ids: Set<number>;
  readonly remarks: Set<string>;
  everyIdIsKnown: boolean;
  readonly problems: PageProblem[];
  readonly failures: FailedPage[];
};

/**
 * Yields all pages from `first` on, and ends where the list does (docs/service-assumptions.md): `pages` only says how many to
 * request at once. If `mayStartOver`, stops once a page turns out to be cut.
 */
async function* walkPages(
  { list, account, parameters, ahead, maxMs, answers = {} }: WalkInput,
  first: ClientPage,
  limit: number,
  deadline: number,
  mayStartOver = true,
): AsyncGenerator<ClientPage, WalkedPages> {
  const walk: WalkedPages = {
    ids: new Set(),
    remarks: new Set(),
    everyIdIsKnown: true,
    problems: [],
    failures: [],
  };
  const { ids, remarks, problems, failures } = walk;
  const fetchPage = (page: number, mayBeMissing = false) =>
    pageOrFailure(list(account, { ...parameters, limit, page }, mayBeMissing));
  const isUnaccepted = (sign: string) =>
    !answers.isAccepted?.({ kind: 'remark', operation: 'getClients', sign, account: account.name });
  const lastOf = (page: ClientPage) => (page.pages ? base + page.pages - 1 : Number.POSITIVE_INFINITY);
  let base = first.page ?? 1;
  let last = lastOf(first);
  /** The last page that had new clients, and how many did. */
  let lastNewPage = { page: first, number: base };
  let pagesWithNew = 0;
  let withoutId = 0;

  /** Checks a page and remembers its clients; returns whether the walk has to start over. */
  function take(page: ClientPage, number: number): boolean {
    const before = ids.size;
    const problem = checkPage(page, number, first, { last: page.pages ? lastOf(page) : last, limit }, ids);
    if (problem !== null) problems.push(problem);
    for (const remark of page.remarks.filter(isUnaccepted))
      if (remarks.size < maxRemarks) remarks.add(remark);
    const unreadable = unreadableReason(page);
    if (unreadable !== null) {
      const subject = `account ${account.name}, clients, page ${number}`;
      const failure = new Failure('INVALID_RESPONSE', `invalid response (${unreadable})`, { subject });
      failures.push({ page: number, failure });
    }
    // Only the first rejects are kept: the ids of the others are unknown.
    withoutId += page.rejectCount - page.rejects.filter(({ id }) => id !== null).length;
    for (const id of idsOf(page)) ids.add(id);
    if (ids.size > before) {
      lastNewPage = { page, number };
      pagesWithNew++;
    }
    return mayStartOver && problem?.cutTo !== undefined;
  }
  const repeatsOthers = (page: ClientPage) =>
    page.rows > 0 && page.rejectCount === 0 && idsOf(page).every((id) => ids.has(id));
  /** A count that says that there are more clients, and whether one says that these are all. */
  const counted = () => {
    const listed = ids.size + withoutId;
    // A count next to matches may be one of all clients.
    const counts = parameters.search === undefined ? Object.entries(lastNewPage.page.counts) : [];
    return {
      more: counts.find(([, count]) => count > listed),
      // A count that equals a full page may be the page's, not the list's.
      all: counts.some(([, count]) => count === listed && (count > limit || lastNewPage.page.rows < limit)),
    };
  };
  const isWhole = () => lastNewPage.page.rows < limit && counted().more === undefined;
  const end = () => {
    walk.everyIdIsKnown = withoutId === 0;
    const { more } = counted();
    if (more !== undefined && problems.length + failures.length === 0)
      problems.push(incomplete(`${more[0]} says ${more[1]}, and ${ids.size + withoutId} were listed`));
    return walk;
  };

  const isCut = take(first, base);
  yield first;
  if (isCut || (first.rows === 0 && !(first.pages! > 1))) return end();
  let next = base + 1;
  if (first.page === null && !(last === base && isWhole())) {
    // Without a number, the first page may be 0 or 1.
    const one = await fetchPage(1);
    if (one instanceof Failure || !repeatsOthers(one)) {
      base = 0;
      last = lastOf(first);
      next = 1;
    }
  }

  if (yield* announcedPages()) return end();
  if (problems.length + failures.length === 0) yield* pagesToTheEnd();
  return end();

  /** The pages that `pages` announces, several at once: it may grow meanwhile. Returns whether the walk ends with them. */
  async function* announcedPages(): AsyncGenerator<ClientPage, boolean> {
    if (!Number.isFinite(last)) return false;
    let newestLast = last;
    let fruitless = 0;
    const atOnce = Math.min(ahead, Math.ceil(maxBytesAhead / first.response.body.byteLength));
    // Not a generator: a generator that has ended stays ended, but `last` may still grow.
    const numbers: Iterator<number, void> = {
      next: () => (next <= last ? { value: next++ } : { value: undefined, done: true }),
    };
    for await (const [number, page] of fetchAhead(numbers, atOnce, fetchPage)) {
      if (page instanceof Failure) {
        // The list has shrunk since: there is no such page any more.
        if (isRefused(page) && number > newestLast) continue;
        failures.push({ page: number, failure: page });
        if (page.code === 'TOKEN_REFUSED') return true;
        fruitless++;
      } else {
        const before = ids.size;
        const isCut = take(page, number);
        fruitless = ids.size > before ? 0 : fruitless + 1;
        yield page;
        if (isCut) return true;
        if (page.pages) newestLast = lastOf(page);
        last = Math.max(last, newestLast);
      }
      if (number < last && givesUpAfter(number, fruitless)) return true;
    }
    return false;
  }

  /** A full last page may have another one after it, whatever `pages` says, and so may a short one without `pages`. */
  async function* pagesToTheEnd(): AsyncGenerator<ClientPage, void> {
    for (let number = next; !(number > last && isWhole()); number++) {
      if (givesUpAfter(number - 1, 0)) return;
      const { more, all } = counted();
      const serviceSaysEnd = (number > last || all) && more === undefined;
      const page = await fetchPage(number, serviceSaysEnd);
      if (page instanceof Failure) {
        if (!isRefused(page) || !serviceSaysEnd) failures.push({ page: number, failure: page });
        return;
      }
      if (page.rows === 0) return;
      if (repeatsOthers(page)) {
        // A service that ignores `page` repeats the only page that it has ever shown.
        if (!serviceSaysEnd && pagesWithNew === 1 && lastNewPage.page.rows === limit)
          problems.push(repeated(number));
        return;
      }
      const isCut = lastNewPage.page.rows < limit;
      if (isCut) problems.push(cut(lastNewPage.number, lastNewPage.page.rows, limit));
      take(page, number);
      yield page;
      if (isCut && mayStartOver) return;
    }
  }

  /** Stops the walk after a page, though more may follow, if a bound is reached. Returns whether it did. */
  function givesUpAfter(number: number, fruitless: number): boolean {
    const giveUp = (reason: string) => {
      problems.push(incomplete(reason));
      return true;
    };
    if (fruitless >= ahead)
      return giveUp(
        `no new client on ${ahead} pages in a row: the pages after page ${number} were not fetched`,
      );
    if (ids.size >= maxClients) return giveUp(`there are more pages after ${maxClients} clients`);
    if (performance.now() >= deadline) return giveUp(`there are more pages after ${formatDuration(maxMs)}`);
    return false;
  }
}

function endOf({ ids, remarks, everyIdIsKnown, problems, failures }: WalkedPages): WalkEnd {
  const seen = { ids, remarks: [...remarks], everyIdIsKnown };
  const problem =
    problems.find(({ verdict }) => verdict === 'incomplete') ?? remarked(seen.remarks) ?? problems[0];
  const { verdict = 'complete', reason = null } = problem ?? {};
  const failed = failures.at(-1);
  if (failed === undefined) return { ...seen, verdict, reason, failure: null };
  const before = failures.length - 1;
  const others = before === 0 ? '' : ` (and so did ${formatCountOf(before, 'page')} before it)`;
  const failedPage = `page ${failed.page} failed: ${failed.failure.detail}${others}`;
  return {
    ...seen,
    verdict: 'incomplete',
    reason: reason === null ? failedPage : `${failedPage}; ${reason}`,
    failure: failed.failure,
  };
}

function remarked([remark, ...others]: readonly string[]): PageProblem | null {
  if (remark === undefined) return null;
  const further = others.length === 0 ? '' : ` (and ${formatCountOf(others.length, 'more remark')})`;
  return { verdict: 'remarked', reason: `the service says "${remark}"${further}` };
}

/**
 * Requests the first page without `page`: the response says whether pages count from 0 or 1. If it is no page, `limit` may be too large (the document shows no maximum): requests it again without `limit`.
 */
async function fetchFirstPage({
  list,
  account,
  parameters,
  answers = {},
}: WalkInput): Promise<{ readonly page: ClientPage; readonly isLimitRefused: boolean }> {
  try {
    return { page: await list(account, parameters), isLimitRefused: false };
  } catch (error) {
    if (!(error instanceof Failure) || !isRefused(error)) throw error;
    const { sign } = error;
    // On an earlier run date, it was the same without a limit.
    if (sign !== null && answers.isAlerted?.({ kind: 'empty', operation: 'getClients', sign })) throw error;
    const { limit: _, ...rest } = parameters;
    const page = await list(account, rest, true).catch(() => Promise.reject(error));
    return { page, isLimitRefused: true };
  }
}

/** Returns whether an answer came that isn't a page. */
const isRefused = ({ code }: Failure) =>
  code === 'UNKNOWN_ANSWER' || code === 'INVALID_RESPONSE' || code === 'REQUEST_REFUSED';

/** Returns the page or its Failure. Throws an error that ends the run, and any that isn't a Failure. */
async function pageOrFailure(page: Promise<ClientPage>): Promise<ClientPage | Failure> {
  try {
    return await page;
  } catch (error) {
    if (error instanceof Failure && !endsRun(error)) return error;
    throw error;
  }
}
