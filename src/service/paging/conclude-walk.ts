import type { Failure } from '../../model/errors.ts';
import type { Account } from '../../model/records.ts';
import { formatList, plural } from '../../support/english.ts';
import type { ClientPage } from '../operations.ts';
import { fingerprint, type Sign } from './walk-proof.ts';

/** One walk, over all pages that could be fetched. */
export type Walked = {
  /**
   * `sound`: nothing speaks against it; `doubtful`: what does may be harmless; `changed`: every page was fetched while
   * the list changed; `broken`: it proves nothing.
   */
  readonly state: 'sound' | 'doubtful' | 'changed' | 'broken';
  /** What speaks against it; null for a sound one. */
  readonly problem: string | null;
  /** Whether another walk may be better: not where the service lacks what a proof needs, nor where a page fails. */
  readonly mayHeal: boolean;
  /** Whether pages may be cut or filtered, whatever else speaks against it. */
  readonly isDoubted: boolean;
  /** Of the first page that failed, after all its attempts; null where each was fetched. */
  readonly failure: Failure | null;
  readonly ids: ReadonlySet<number>;
  /** Clients listed, those that can't be read included. */
  readonly clients: number;
  readonly pages: number;
  /** The count fields of the first page. */
  readonly counts: ClientPage['counts'];
  /** Page size in effect, and rows of the longest page. */
  readonly limit: number;
  readonly longest: number;
  /** The ids of the first page, as a fingerprint: the same in two walks that the service paged alike. */
  readonly firstPage: string;
};

export type FailedPage = { readonly page: number; readonly failure: Failure };

/** What is known of a walk at its end. */
export type EndedWalk = Pick<Walked, 'ids' | 'limit' | 'longest' | 'pages'> & {
  readonly account: Account;
  readonly first: ClientPage;
  /** What its pages speak against. */
  readonly signs: readonly Sign[];
  readonly failed: readonly FailedPage[];
  /** Whether there were pages left that it didn't request. */
  readonly endedEarly: boolean;
  /** Which limit of a walk ended it; null for none. */
  readonly limitReached: string | null;
  /** Records that can't be read. */
  readonly rejects: number;
  /** Count fields known to be the size of the list. */
  readonly sizeFields: readonly string[];
  /** Whether only a part of the list was searched for. */
  readonly isSearch: boolean;
};

/** Says what a walk proves. */
export function concludeWalk(walk: EndedWalk): Walked {
  const { first, failed, ids, limit, limitReached, longest, pages } = walk;
  const clients = ids.size + walk.rejects;
  const unprovable = unprovableBy(first);
  const doubts = [...walk.signs.filter(({ kind }) => kind === 'doubt'), ...sizeDoubts(walk, clients)];
  return {
    ...stateOf(walk, unprovable, doubts[0]),
    mayHeal: unprovable === null && failed.length === 0 && limitReached === null,
    isDoubted: doubts.length > 0,
    // What a limit ended isn't retried, either.
    failure: limitReached === null ? (failed[0]?.failure ?? null) : null,
    ids,
    clients,
    pages,
    counts: first.counts,
    limit,
    longest,
    firstPage: fingerprint(first),
  };
}

function stateOf(
  { account, signs, failed, endedEarly, limitReached }: EndedWalk,
  unprovable: string | null,
  doubt: Sign | undefined,
): Pick<Walked, 'state' | 'problem'> {
  const problemOf = (kind: Sign['kind']) => signs.find((sign) => sign.kind === kind)?.problem;
  const broken = (problem: string) => ({ state: 'broken', problem }) as const;
  if (limitReached !== null) return broken(limitReached);
  if (failed.length > 0) return broken(failedPages(account, failed, endedEarly));
  if (unprovable !== null) return broken(unprovable);
  const problem = problemOf('broken');
  if (problem !== undefined) return broken(problem);
  if (endedEarly) return broken(signs[0]?.problem ?? 'several pages in a row have no further client');
  const [changed, twice] = [problemOf('changed'), problemOf('twice')];
  if (changed !== undefined) return { state: 'changed', problem: changed };
  if (twice !== undefined) return broken(twice);
  return doubt === undefined
    ? { state: 'sound', problem: null }
    : { state: 'doubtful', problem: doubt.problem };
}

/** Why no walk can be proven complete, by its first page; null where one can. */
function unprovableBy(first: ClientPage): string | null {
  if (first.page === null) return 'responses have no page number';
  if (first.pages === null) return 'responses have no number of pages';
  if (first.pages === 0 && first.rows > 0) return 'the response says 0 pages and has clients';
  return null;
}

/**
 * Where fewer clients are listed than a count says. One of unknown meaning only speaks against a single page, which can't
 * be short before the end; and not against a single client, whom no other limit could page in another way.
 */
function sizeDoubts({ first, sizeFields, isSearch }: EndedWalk, clients: number): readonly Sign[] {
  const isOnlyPage = first.pages === 1 && first.rows > 1 && !isSearch;
  return Object.entries(first.counts)
    .filter(([name, count]) => count > clients && (isOnlyPage || sizeFields.includes(name)))
    .map(([name, count]) => ({
      kind: 'doubt',
      problem: `${name} is ${count}, and ${clients} clients are listed`,
    }));
}

const maxNamed = 8;

/** `pages 5 and 6 failed (the service responded with status 500 …)`. */
function failedPages(account: Account, failed: readonly FailedPage[], endedEarly: boolean): string {
  const [{ page, failure }] = failed as readonly [FailedPage, ...FailedPage[]];
  const named = failed.slice(0, maxNamed).map((each) => String(each.page));
  if (failed.length > maxNamed) named.push(`${failed.length - maxNamed} more`);
  const detail = failure.message.replace(`account ${account.name}, clients, page ${page}: `, '');
  const rest = endedEarly ? '; the pages after these were not loaded' : '';
  return `${plural(failed.length, 'page')} ${formatList(named)} failed: ${detail}${rest}`;
}
