import { Failure } from '../../model/failure.ts';
import type { Account } from '../../model/records.ts';
import { fetchAhead } from '../../support/concurrency.ts';
import type { ClientListParameters, ClientPage, ListClients } from '../operations.ts';
import { createWalkProof } from './walk-proof.ts';

/** The end of the last walk. An incomplete one proves nothing about clients that it did not see. */
export type WalkEnd = {
  readonly type: 'end';
  /** Why the walk is incomplete; null for a complete one. */
  readonly problem: string | null;
  /** Ids of the clients on its pages. */
  readonly ids: ReadonlySet<number>;
};

/** What a walk yields: its pages in order; `restart` where the list is walked again from the start; `end`, last. */
export type WalkItem =
  | { readonly type: 'page'; readonly page: ClientPage }
  | { readonly type: 'restart'; readonly problem: string }
  | WalkEnd;

export type WalkParameters = Omit<ClientListParameters, 'page'> & { readonly limit: number };

/** Lists change while they are walked; one that never stops changing isn't walked for ever. */
const maxWalks = 3;

/** Pages in a row without a new client: what follows is a repetition, whatever `pages` says. */
const maxBarrenPages = 3;

/**
 * Walks all pages of the client list (service.md 4.1) and says whether it saw the whole list.
 * Pages after the first are fetched `ahead` at once, and yielded in order.
 */
export async function* walkClients(
  list: ListClients,
  account: Account,
  parameters: WalkParameters,
  ahead: number,
): AsyncGenerator<WalkItem, void> {
  for (let walk = 1; ; walk++) {
    const { problem, mayHeal, ids } = yield* walkOnce(list, account, parameters, ahead);
    if (problem === null || !mayHeal || walk === maxWalks) {
      yield { type: 'end', problem, ids };
      return;
    }
    yield { type: 'restart', problem };
  }
}

/** How one walk ended; `mayHeal` says whether another one may be complete. */
type WalkResult = Omit<WalkEnd, 'type'> & { readonly mayHeal: boolean };

async function* walkOnce(
  list: ListClients,
  account: Account,
  parameters: WalkParameters,
  ahead: number,
): AsyncGenerator<WalkItem, WalkResult> {
  const { page: first } = await fetchFirstPage(list, account, parameters);
  const { ids, check } = createWalkProof(first);
  yield { type: 'page', page: first };
  if (first.pages === 0 && first.rows === 0) return { problem: null, mayHeal: false, ids };

  const unprovable = unprovableBy(first);
  let problem = unprovable;
  let last = lastPage(first.page, first.pages);
  const next = first.page === null ? await pageAfter(list, account, parameters, first) : first.page + 1;
  // Limit as the service has it: one that it cut short would shift the rows between our pages and its own.
  const limit = first.limit || parameters.limit;
  const isEndKnown = Number.isFinite(last);
  function* numbers() {
    for (let page = next; page <= last; page++) yield page;
  }
  const pages = fetchAhead(numbers(), isEndKnown ? ahead : 1, (page) =>
    list(account, { ...parameters, limit, page }),
  );
  let barren = 0;
  for await (const [requested, page] of pages) {
    const checked = check(page, requested);
    problem ??= checked.problem;
    barren = checked.hasNewClients ? 0 : barren + 1;
    // Where the number of pages is unknown, an empty page is the end.
    if (barren === maxBarrenPages || (!isEndKnown && barren > 0)) break;
    if (isEndKnown && page.pages !== null) {
      last = Math.max(last, lastPage(first.page, page.pages));
    }
    yield { type: 'page', page };
  }
  return { problem, mayHeal: unprovable === null, ids };
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

/** Why no walk can be proven complete, by its first page; null where one can. */
function unprovableBy(first: ClientPage): string | null {
  if (first.page === null) return 'responses have no page number';
  if (first.pages === null) return 'responses have no number of pages';
  if (first.pages === 0) return 'the response says 0 pages and has clients';
  return null;
}

function lastPage(first: number | null, pages: number | null): number {
  return pages === null || pages === 0 ? Number.POSITIVE_INFINITY : (first ?? 1) + pages - 1;
}

/** Where no response has its page number: if page 1 is the first page again, pages count from 1. */
async function pageAfter(
  list: ListClients,
  account: Account,
  parameters: WalkParameters,
  first: ClientPage,
): Promise<number> {
  const one = await list(account, { ...parameters, page: 1 });
  const ids = (page: ClientPage) => page.records.map((client) => client.clientId).join();
  return ids(one) === ids(first) ? 2 : 1;
}
