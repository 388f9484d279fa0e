import type { Account } from '../../model/account.ts';
import { Failure } from '../../model/failure.ts';
import { fetchAhead } from '../../support/concurrency.ts';
import type { ClientPage, ListClients } from '../clients.ts';
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

export type WalkQuestion = { readonly limit: number; readonly balance: boolean; readonly search?: string };

/** Lists change while they are walked; one that never holds still isn't walked for ever. */
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
  question: WalkQuestion,
  ahead: number,
): AsyncGenerator<WalkItem, void> {
  for (let walk = 1; ; walk++) {
    const { problem, again, ids } = yield* walkOnce(list, account, question, ahead);
    if (problem === null || !again || walk === maxWalks) {
      yield { type: 'end', problem, ids };
      return;
    }
    yield { type: 'restart', problem };
  }
}

/** Why one walk is incomplete, if it is; and whether another one may be complete. */
type OneWalk = {
  readonly problem: string | null;
  readonly again: boolean;
  readonly ids: ReadonlySet<number>;
};

async function* walkOnce(
  list: ListClients,
  account: Account,
  question: WalkQuestion,
  ahead: number,
): AsyncGenerator<WalkItem, OneWalk> {
  const first = await firstPage(list, account, question);
  const proof = createWalkProof(first);
  const { ids } = proof;
  let { problem } = proof.check(first, null);
  yield { type: 'page', page: first };
  if (first.pages === 0 && first.rows === 0) return { problem: null, again: false, ids };

  const never = unproven(first);
  problem = never ?? problem;
  const range = { next: (first.page ?? 1) + 1, last: lastPage(first) };
  if (first.page === null && range.last > 0) range.next = await pageAfter(list, account, question, first);
  // Limit as the service has it: one that it cut short would shift the rows between our pages and its own.
  const limit = first.limit || question.limit;
  const known = Number.isFinite(range.last);
  const pages = fetchAhead(numbers(range), known ? ahead : 1, (page) =>
    list(account, { ...question, limit, page }),
  );
  let barren = 0;
  for await (const [asked, page] of pages) {
    const check = proof.check(page, asked);
    problem ??= check.problem;
    barren = check.news ? 0 : barren + 1;
    // Where the number of pages is unknown, an empty page is the end.
    if (barren === maxBarrenPages || (!known && barren > 0)) break;
    if (known && page.pages !== null)
      range.last = Math.max(range.last, lastPage({ ...page, page: first.page }));
    yield { type: 'page', page };
  }
  return { problem, again: never === null, ids };
}

/** The first request sends `limit` alone: its answer tells the first page's number, whether pages count from 0 or 1. */
async function firstPage(list: ListClients, account: Account, question: WalkQuestion): Promise<ClientPage> {
  try {
    return await list(account, question);
  } catch (error) {
    const refused =
      error instanceof Failure && ['request refused', 'answer not understood'].includes(error.kind);
    if (!refused) throw error;
    // Perhaps it is the limit that it refuses: the largest page isn't shown. Its own is in the answer.
    const { limit: _, ...rest } = question;
    return await list(account, rest).catch(() => {
      throw error;
    });
  }
}

function unproven(first: ClientPage): string | null {
  if (first.page === null) return 'the answers name no page number';
  if (first.pages === null) return 'the answers name no number of pages';
  if (first.pages === 0) return 'the answer says 0 pages and has clients';
  return null;
}

function lastPage({ page, pages }: Pick<ClientPage, 'page' | 'pages'>): number {
  return pages === null || pages === 0 ? Number.POSITIVE_INFINITY : (page ?? 1) + pages - 1;
}

/** Where no answer names its page: if page 1 is the first page again, pages count from 1. */
async function pageAfter(list: ListClients, account: Account, question: WalkQuestion, first: ClientPage) {
  const one = await list(account, { ...question, page: 1 });
  const ids = (page: ClientPage) => page.records.map((client) => client.clientId).join();
  return ids(one) === ids(first) ? 2 : 1;
}

function* numbers(range: { readonly next: number; readonly last: number }): Generator<number, void> {
  for (let page = range.next; page <= range.last; page++) yield page;
}
