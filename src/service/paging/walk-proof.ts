import { createHash } from 'node:crypto';
import type { ClientPage } from '../operations.ts';

/**
 * Something that speaks against a walk. `broken`: a page can't be the one that was requested. `twice`: a client is on
 * two pages, because of a change where the list says that it changed. `changed`: the list changed while it was walked.
 * `doubt`: pages may be cut or filtered, which a walk with another limit shows.
 */
export type Sign = { readonly kind: 'broken' | 'twice' | 'changed' | 'doubt'; readonly problem: string };

/** How the list is paged in this walk. */
export type Paging = {
  /** Rows that a page before the last is expected to have. */
  readonly limit: number;
  /** The number of the page that is the last, as the first page has it; infinite where that is unknown. */
  readonly lastPage: number;
};

/**
 * Collects the proof that a walk saw the whole list: each page as requested, no id twice, `pages` and the total
 * unchanged, none empty or short before the end. The document doesn't say how any of these behave (service.md 2.2).
 */
export function createWalkProof(first: ClientPage, { limit, lastPage }: Paging) {
  const ids = new Set<number>();
  const pagesByIds = new Map<string, number>();
  const signs: Sign[] = [];

  function add(page: ClientPage, number: number): void {
    for (const { clientId } of page.records) ids.add(clientId);
    pagesByIds.set(fingerprint(page), number);
  }

  function signsOf(page: ClientPage, requested: number): Sign[] {
    const broken = brokenBecause(page, requested);
    if (broken !== null) return [{ kind: 'broken', problem: broken }];
    const found: Sign[] = [];
    const changed = changeBetween(first, page);
    if (changed !== null) found.push({ kind: 'changed', problem: changed });
    // A page has no id twice: one that is in already is on an earlier page.
    const twice = page.records.find(({ clientId }) => ids.has(clientId));
    if (twice !== undefined)
      found.push({ kind: 'twice', problem: `client ${twice.clientId} is on two pages` });
    return found.length > 0 ? found : doubtsAbout(page, requested);
  }

  function brokenBecause(page: ClientPage, requested: number): string | null {
    const samePage = page.records.length > 0 ? pagesByIds.get(fingerprint(page)) : undefined;
    if (page.page === null) return `the response for page ${requested} has no page number`;
    if (page.page !== requested) return `requested page ${requested}, got page ${page.page}`;
    if (samePage !== undefined) return `page ${requested} is page ${samePage} again`;
    if (page.pages === null) return `the response for page ${requested} has no number of pages`;
    if (page.rows === 0 && requested < lastPage) return `page ${requested} is empty`;
    return null;
  }

  function doubtsAbout(page: ClientPage, number: number): Sign[] {
    // An empty list may have 0 pages; any other whose end is unknown can't be proven, whatever its pages are.
    if (lastPage === Number.POSITIVE_INFINITY) return [];
    if (number < lastPage && page.rows < limit)
      return [
        { kind: 'doubt', problem: `page ${number} has ${page.rows} of ${limit} clients, and isn't the last` },
      ];
    if (number === lastPage && page.rows === 0 && page !== first)
      return [{ kind: 'doubt', problem: `page ${number}, the last one, is empty` }];
    return [];
  }

  add(first, first.page ?? 1);
  for (const doubt of doubtsAbout(first, first.page ?? 1)) signs.push(doubt);
  return {
    /** Ids of the clients on the first page, and on those that were checked. */
    ids: ids as ReadonlySet<number>,
    /** What speaks against the pages so far, in their order. */
    signs: signs as readonly Sign[],
    /** Checks a further page: its own signs, and whether it has clients that those before hadn't. */
    check(page: ClientPage, requested: number) {
      const found = signsOf(page, requested);
      const before = ids.size;
      for (const sign of found) signs.push(sign);
      add(page, requested);
      return { signs: found as readonly Sign[], hasNewClients: ids.size > before };
    },
  };
}

export type WalkProof = ReturnType<typeof createWalkProof>;

/** A page is known by the hash of its ids: ten thousand pages of ids themselves would fill the memory. */
export function fingerprint({ records }: ClientPage): string {
  const ids = records.map((client) => client.clientId).join();
  return createHash('sha256').update(ids).digest('base64');
}

/** Why the list changed between the two pages; null where nothing says so. */
function changeBetween(first: ClientPage, page: ClientPage): string | null {
  if (page.pages !== first.pages) return `the number of pages changed from ${first.pages} to ${page.pages}`;
  for (const [name, total] of Object.entries(first.counts)) {
    const now = page.counts[name];
    // A count that exceeds the rows of the first page may be the size of the whole list.
    if (total > first.rows && now !== undefined && now !== total)
      return `${name} changed from ${total} to ${now}: the list changed`;
  }
  return null;
}
