import type { Account } from '../model/account.ts';
import type { ClientPage, ListClients } from './clients.ts';

/** How a walk ended. An incomplete one loads what it saw, but says nothing about who is absent. */
export type WalkEnd = { readonly complete: true } | { readonly complete: false; readonly problem: string };

export type WalkQuestion = { readonly limit: number; readonly balance: boolean; readonly search?: string };

/**
 * Walks all pages of the client list, a page at a time, and returns whether it saw the whole list.
 * The first request sends `limit` alone: its answer tells the first page's number, whether pages count from 0 or 1.
 */
export async function* walkClients(
  list: ListClients,
  account: Account,
  question: WalkQuestion,
): AsyncGenerator<ClientPage, WalkEnd> {
  const first = await list(account, question);
  yield first;
  if (first.page === null || first.pages === null) {
    return { complete: false, problem: 'the first answer names no page or number of pages' };
  }
  for (let page = first.page + 1; page < first.page + first.pages; page++) {
    const next = await list(account, { ...question, page });
    if (next.page !== page)
      return { complete: false, problem: `asked for page ${page}, got page ${next.page}` };
    if (next.pages !== first.pages) {
      return { complete: false, problem: `the number of pages changed from ${first.pages} to ${next.pages}` };
    }
    yield next;
  }
  return { complete: true };
}
