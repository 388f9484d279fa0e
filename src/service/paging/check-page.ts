import type { WalkVerdict } from '../../model/walk.ts';
import type { ClientPage } from '../operations.ts';

/** A reason why a walk isn't complete (docs/service-assumptions.md). */
export type PageProblem = {
  readonly verdict: Exclude<WalkVerdict, 'complete'>;
  readonly reason: string;
  /** The length of a page that is shorter than the limit, but isn't the last. */
  readonly cutTo?: number;
};

/**
 * Checks that a page is the requested one, repeats no client and is as long as the limit unless it is the
 * last, and that the list hasn't changed since the first page. Returns null if all of that holds. A number that
 * the response leaves out contradicts nothing.
 *
 * @param last  number of the last page, as far as this page or the first says it; else infinite
 * @param ids   the clients of earlier pages
 */
export function checkPage(
  page: ClientPage,
  requested: number,
  first: ClientPage,
  { last, limit }: { readonly last: number; readonly limit: number },
  ids: ReadonlySet<number>,
): PageProblem | null {
  const isBeforeLast = Number.isFinite(last) && requested < last;
  const pagesMoved = page.pages !== null && Boolean(first.pages) && page.pages !== first.pages;
  const movedTo = changed(`the number of pages changed from ${first.pages} to ${page.pages}`);
  // The list has shrunk and the page is gone: services send anything then.
  if (pagesMoved && requested > last) return movedTo;
  if (page.page !== null && page.page !== requested)
    return requested > last
      ? changed(`page ${page.page} has other clients than before`)
      : incomplete(`requested page ${requested}, got page ${page.page}`);
  if (page.rows === 0 && isBeforeLast) return incomplete(`page ${requested} is empty`);
  if (pagesMoved) return movedTo;
  // A count above the rows of the first page may be the size of the list: the service's document doesn't say (docs/service-assumptions.md).
  for (const [name, total] of Object.entries(first.counts)) {
    const now = page.counts[name];
    if (total > first.rows && now !== undefined && now !== total)
      return changed(`${name} changed from ${total} to ${now}`);
  }
  const known = idsOf(page).filter((id) => ids.has(id));
  // On a page after the last, clients that moved there are no repetition.
  if (known.length * 2 > page.rows && page.rows >= limit && requested <= last) return repeated(requested);
  if (known.length > 0) return changed(`client ${known[0]} is on two pages`);
  return page.rows < limit && isBeforeLast ? cut(requested, page.rows, limit) : null;
}

export const incomplete = (reason: string): PageProblem => ({ verdict: 'incomplete', reason });
const changed = (reason: string): PageProblem => ({ verdict: 'changed', reason });

export const repeated = (page: number): PageProblem =>
  incomplete(`page ${page} has the clients of earlier pages again`);

export const cut = (page: number, rows: number, limit: number): PageProblem => ({
  ...incomplete(`page ${page} has ${rows} of ${limit} clients, and isn't the last`),
  cutTo: rows,
});

/** Ids of all clients of a page, including rejects with a valid id. */
export function idsOf({ records, rejects }: ClientPage): number[] {
  const rejected = rejects.map(({ id }) => id).filter((id) => id !== null);
  return [...records.map(({ clientId }) => clientId), ...rejected];
}
