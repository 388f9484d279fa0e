import type { WalkVerdict } from '../../model/walk.ts';
import type { ClientPage } from '../operations.ts';

/** A reason why a walk isn't complete (design, *Complete walk*). */
export type PageProblem = {
  readonly verdict: Exclude<WalkVerdict, 'complete'>;
  readonly reason: string;
  /** The length of a page that is shorter than the limit, but isn't the last. */
  readonly cutTo?: number;
};

/**
 * Checks that a page is the requested one, repeats no client and is as long as the limit unless it is the
 * last, and that the list hasn't changed since the first page. Returns null if all of that holds.
 *
 * @param ids the clients of earlier pages
 */
export function checkPage(
  page: ClientPage,
  requested: number,
  first: ClientPage,
  limit: number,
  ids: ReadonlySet<number>,
): PageProblem | null {
  const last = firstPageNumber(first) + (page.pages ?? Number.POSITIVE_INFINITY) - 1;
  const isLast = requested >= last;
  const pagesMoved = page.pages !== null && page.pages !== first.pages;
  const movedTo = changed(`the number of pages changed from ${first.pages} to ${page.pages}`);
  // The list has shrunk and the page is gone: services send anything then.
  if (pagesMoved && requested > last) return movedTo;
  if (page.page === null) return incomplete(`page ${requested} has no page number`);
  if (page.page !== requested) return incomplete(`requested page ${requested}, got page ${page.page}`);
  if (page.pages === null) return incomplete(`page ${requested} has no number of pages`);
  if (page.rows === 0 && !isLast) return incomplete(`page ${requested} is empty`);
  if (pagesMoved) return movedTo;
  const total = changedTotal(first, page);
  if (total !== null) return changed(total);
  const known = idsOf(page).filter((id) => ids.has(id));
  if (known.length * 2 > page.rows && page.rows >= limit)
    return incomplete(`page ${requested} has the clients of earlier pages again`);
  if (known.length > 0) return changed(`client ${known[0]} is on two pages`);
  if (page.pages === 0 && page.rows > 0)
    return incomplete(`page ${requested} has clients, and says that there are 0 pages`);
  if (page.rows < limit && !isLast)
    return {
      ...incomplete(`page ${requested} has ${page.rows} of ${limit} clients, and isn't the last`),
      cutTo: page.rows,
    };
  return null;
}

const incomplete = (reason: string): PageProblem => ({ verdict: 'incomplete', reason });
const changed = (reason: string): PageProblem => ({ verdict: 'changed', reason });

/** A count above the rows of the first page may be the size of the list: service.md 2.2 doesn't say. */
function changedTotal(first: ClientPage, page: ClientPage): string | null {
  for (const [name, total] of Object.entries(first.counts)) {
    const now = page.counts[name];
    if (total > first.rows && now !== undefined && now !== total)
      return `${name} changed from ${total} to ${now}`;
  }
  return null;
}

/** Pages count from 1 unless the first page has another number. */
export function firstPageNumber(first: ClientPage): number {
  return first.page ?? 1;
}

/** Ids of all clients of a page, including rejects with a valid id. */
export function idsOf({ records, rejects }: ClientPage): number[] {
  const rejected = rejects.map(({ id }) => id).filter((id) => id !== null);
  return [...records.map(({ clientId }) => clientId), ...rejected];
}
