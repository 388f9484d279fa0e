import type { Failure } from '../../model/errors.ts';
import { formatList } from '../../support/english.ts';
import type { ClientPage } from '../operations.ts';
import type { Walked } from './conclude-walk.ts';
import { type WalkInput, walkOnce } from './walk-once.ts';

/** The end of the last walk. One that isn't complete proves nothing about clients that it did not see. */
export type WalkEnd = WalkOutcome & {
  readonly type: 'end';
  /** Ids of the clients on its pages. */
  readonly ids: ReadonlySet<number>;
  /** What shows which counts are the list's size: those of the first page, beside the pages and clients listed. */
  readonly counts: ClientPage['counts'];
  readonly pages: number;
  /** Those that can't be read included. */
  readonly clients: number;
};

/**
 * `complete`: every client was seen. `changed`: every page was fetched, while the list changed in each walk.
 * `incomplete`: anything else; the problem names the page, and `failure` is that of the first page that failed, if any.
 */
export type WalkOutcome =
  | { readonly outcome: 'complete'; readonly problem: null; readonly failure: null }
  | { readonly outcome: 'changed'; readonly problem: string; readonly failure: null }
  | { readonly outcome: 'incomplete'; readonly problem: string; readonly failure: Failure | null };

/** What a walk yields: its pages in order; `restart` where the list is walked again from the start; `end`, last. */
export type WalkItem =
  | { readonly type: 'page'; readonly page: ClientPage }
  | { readonly type: 'restart'; readonly problem: string }
  | WalkEnd;

/** Lists change while they are walked; one that never stops changing isn't walked for ever. */
const maxWalks = 3;

/**
 * Walks all pages of the client list (service.md 4.1) and says whether it saw the whole list (design, *Complete walk*).
 * Pages after the first are fetched `ahead` at once, and yielded in order. A walk against which nothing speaks is
 * complete. Where pages may be cut or filtered, the list is walked again with another limit: two walks that the service
 * paged differently, and that list the same ids, are complete. What no response can show stays unseen: a client removed
 * and another inserted between the same two pages may hide a third. So one complete walk makes nobody absent.
 * Throws where the first page fails: then there is nothing to yield.
 */
export async function* walkClients(input: WalkInput): AsyncGenerator<WalkItem, void> {
  const began = performance.now();
  const walks: Walked[] = [];
  let { limit } = input.parameters;
  for (;;) {
    const walked = yield* walkOnce({ ...input, parameters: { ...input.parameters, limit } }, began);
    walks.push(walked);
    const end = outcomeOf(walks);
    if (end !== null) {
      const { ids, counts, pages, clients } = walked;
      yield {
        ...end,
        type: 'end',
        ids,
        counts,
        pages,
        clients,
      };
      return;
    }
    limit = nextLimit(walks, limit);
    yield { type: 'restart', problem: walked.problem ?? differing(walks) };
  }
}

/** What the walks so far prove; null where another one may prove more. */
function outcomeOf(walks: readonly Walked[]): WalkOutcome | null {
  const last = walks.at(-1)!;
  const isDoubted = walks.some((walked) => walked.isDoubted);
  if (isDoubted ? walks.some((walked) => agree(walked, last)) : last.state === 'sound')
    return { outcome: 'complete', problem: null, failure: null };
  if (last.mayHeal && walks.length < maxWalks) return null;
  if (last.state === 'changed' && !isDoubted)
    return { outcome: 'changed', problem: last.problem!, failure: null };
  return { outcome: 'incomplete', problem: last.problem ?? differing(walks), failure: last.failure };
}

/**
 * Whether two walks prove each other complete. Their limits alone don't prove it: a service may ignore the limit, and leave
 * out the same clients both times.
 */
function agree(one: Walked, other: Walked): boolean {
  const areWhole = [one, other].every(({ state }) => state === 'sound' || state === 'doubtful');
  if (!areWhole || one.limit === other.limit || one.firstPage === other.firstPage) return false;
  return one.ids.size === other.ids.size && one.ids.isSubsetOf(other.ids);
}

function nextLimit(walks: readonly Walked[], requested: number): number {
  if (walks.some(({ isDoubted }) => isDoubted)) return otherLimit(walks, requested);
  // Page breaks elsewhere, so that a client that a change hid at one of them is seen this time.
  return walks.at(-1)!.state === 'changed' ? Math.max(1, requested - 1) : requested;
}

/** The length of the longest page, or half of the limit where that is no change; never one that was tried. */
function otherLimit(walks: readonly Walked[], requested: number): number {
  const { limit, longest } = walks.at(-1)!;
  const tried = [requested, ...walks.map((walked) => walked.limit)].sort((one, other) => one - other);
  const candidates = [longest, Math.floor(limit / 2), Math.floor(tried[0]! / 2)];
  return candidates.find((each) => each > 0 && !tried.includes(each)) ?? tried.at(-1)! + 1;
}

function differing(walks: readonly Walked[]): string {
  const found = walks.map(({ clients, limit }) => `${clients} clients with limit ${limit}`);
  return `walks with different limits disagree: ${formatList(found)}`;
}
