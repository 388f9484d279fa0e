import { createHash } from 'node:crypto';
import type { ClientPage } from '../operations.ts';

/**
 * Collects the proof that a walk saw the whole list: each page as requested, no id twice, `pages` and the total
 * unchanged, none empty before the end. The document doesn't say how any of these behave (service.md 2.2).
 */
export function createWalkProof(first: ClientPage) {
  const ids = new Set<number>();
  const pagesByIds = new Map<string, number | 'one'>();

  function add(page: ClientPage, number: number | 'one'): void {
    for (const { clientId } of page.records) ids.add(clientId);
    const print = fingerprint(page);
    if (!pagesByIds.has(print)) pagesByIds.set(print, number);
  }

  function problemOf(page: ClientPage, requested: number): string | null {
    const samePage = page.records.length > 0 ? pagesByIds.get(fingerprint(page)) : undefined;
    // A page has no id twice: one that is in already is on an earlier page.
    const twice = page.records.find(({ clientId }) => ids.has(clientId));
    if (page.page === null) return `the response for page ${requested} has no page number`;
    if (page.page !== requested) return `requested page ${requested}, got page ${page.page}`;
    if (samePage !== undefined) return `page ${requested} is page ${samePage} again`;
    if (twice !== undefined) return `client ${twice.clientId} is on two pages`;
    if (page.pages !== first.pages) return `the number of pages changed from ${first.pages} to ${page.pages}`;
    if (page.rows === 0) return `page ${requested} is empty`;
    return changedTotal(first, page);
  }

  add(first, first.page ?? 'one');
  return {
    /** Ids of the clients on the first page, and on those that were checked. */
    ids: ids as ReadonlySet<number>,
    /** The first problem of a further page, null where it fits those before; and whether it has clients they hadn't. */
    check(page: ClientPage, requested: number) {
      const problem = problemOf(page, requested);
      const before = ids.size;
      add(page, requested);
      return { problem, hasNewClients: ids.size > before };
    },
  };
}

/** A page is known by its ids (128 bits of their hash): ten thousand pages of ids themselves would fill the memory. */
function fingerprint({ records }: ClientPage): string {
  const ids = records.map((client) => client.clientId).join();
  return createHash('sha256').update(ids).digest('base64').slice(0, 22);
}

/** A count that exceeds the rows of the first page may be the size of the whole list. */
function changedTotal(first: ClientPage, page: ClientPage): string | null {
  for (const [name, total] of Object.entries(first.counts)) {
    const now = page.counts[name];
    if (total > first.rows && now !== undefined && now !== total) {
      return `${name} changed from ${total} to ${now}: the list changed`;
    }
  }
  return null;
}
