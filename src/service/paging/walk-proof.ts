import { createHash } from 'node:crypto';
import type { ClientPage } from '../clients.ts';

/** What is wrong with a page, seen in the light of the pages before it. */
export type PageCheck = {
  /** The first fault found; null where the page fits. */
  readonly problem: string | null;
  /** Whether it brought a client that wasn't seen before. */
  readonly news: boolean;
};

export type WalkProof = {
  /** Ids of every client on the pages that were checked. */
  readonly ids: ReadonlySet<number>;
  /** @param asked the number that was asked for; null for the first request, which asks for none */
  check(page: ClientPage, asked: number | null): PageCheck;
};

/**
 * Collects the proof that a walk saw the whole list: each page as asked for, no id twice, `pages` and the total
 * unchanged, none empty before the end. The document doesn't say how any of these behave (service.md 2.2).
 */
export function createWalkProof(first: ClientPage): WalkProof {
  const ids = new Set<number>();
  const pagesByIds = new Map<string, number | null>();
  const totals = totalsOf(first);

  return {
    ids,
    check(page, asked) {
      const pageIds = page.records.map((client) => client.clientId);
      const print = fingerprint(pageIds);
      const before = ids.size;
      // A page has no id twice: one that is in already stood on an earlier page.
      const twice = pageIds.find((id) => ids.has(id));
      for (const id of pageIds) ids.add(id);
      const repeated = pagesByIds.has(print) && pageIds.length > 0;
      const problem =
        (asked !== null && page.page === null && `the answer for page ${asked} names no page number`) ||
        (asked !== null && page.page !== asked && `asked for page ${asked}, got page ${page.page}`) ||
        (repeated && `page ${asked} is page ${pagesByIds.get(print) ?? 'one'} again`) ||
        (twice !== undefined && `client ${twice} is on two pages`) ||
        (page.pages !== first.pages && `the number of pages changed from ${first.pages} to ${page.pages}`) ||
        (asked !== null && page.rows === 0 && `page ${asked} is empty`) ||
        changedTotal(totals, page);
      if (!repeated) pagesByIds.set(print, asked ?? page.page);
      return { problem: problem || null, news: ids.size > before };
    },
  };
}

/** A page is known by its ids (128 bits of their hash): ten thousand pages of ids themselves would fill the memory. */
function fingerprint(ids: readonly number[]): string {
  return createHash('sha256').update(ids.join()).digest('base64').slice(0, 22);
}

/** Count fields that may tell the size of the whole list: on the first page they are more than its rows. */
function totalsOf({ counts, rows }: ClientPage): ReadonlyMap<string, number> {
  return new Map(Object.entries(counts).filter(([, count]) => count > rows));
}

function changedTotal(totals: ReadonlyMap<string, number>, { counts }: ClientPage): string | false {
  for (const [name, known] of totals) {
    const now = counts[name];
    if (now !== undefined && now !== known)
      return `${name} changed from ${known} to ${now}: the list changed`;
  }
  return false;
}
