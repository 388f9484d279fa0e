import type { NotNull } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { AccountTotals } from '../../model/digest.ts';
import type { Queries } from '../db/database.ts';

export type ReportedDigest = {
  readonly name: string;
  readonly day: Day;
  readonly incomplete: boolean;
  /** The totals that it reported. */
  readonly reported: readonly AccountTotals[];
};

/** Digests of days that were sent, or will be, and of which nobody decided yet whether they need a correction. */
export async function uncorrectedDigests(warehouse: Queries, since: Day): Promise<ReportedDigest[]> {
  return await warehouse
    .selectFrom('etl.digests as g')
    .select(['g.name', 'g.day', 'g.incomplete', 'g.reported'])
    .where('g.kind', '=', 'first')
    .where('g.state', '=', 'built')
    .where('g.every', '=', 'day')
    .where('g.day', '>=', since)
    .where('g.reported', 'is not', null)
    .where(({ exists, not, selectFrom }) => {
      const correction = selectFrom('etl.digests as c')
        .whereRef('c.name', '=', 'g.name')
        .whereRef('c.every', '=', 'g.every')
        .whereRef('c.day', '=', 'g.day')
        .where('c.kind', '=', 'corrected');
      return not(exists(correction));
    })
    .where(({ exists, selectFrom }) => {
      const wanted = selectFrom('etl.deliveries as d')
        .whereRef('d.digest_id', '=', 'g.digest_id')
        .where('d.skipped_at', 'is', null);
      return exists(wanted);
    })
    .orderBy('g.day')
    .orderBy('g.name')
    .$narrowType<{ reported: NotNull }>()
    .execute();
}

export type IncompleteDigest = Pick<ReportedDigest, 'name' | 'day' | 'reported'> & {
  /** Labels of the accounts that were missing. */
  readonly lacking: readonly string[];
};

/** Digests of days that went out incomplete and were not corrected yet. */
export async function incompleteDigests(warehouse: Queries, since: Day): Promise<IncompleteDigest[]> {
  const digests = (await uncorrectedDigests(warehouse, since)).filter(({ incomplete }) => incomplete);
  return digests.map(({ name, day, reported }) => ({
    name,
    day,
    reported,
    lacking: reported.filter(({ state }) => state !== 'loaded').map(({ label }) => label),
  }));
}

/** Attempts of each window that is loaded, from `since` on. */
export async function readDayAttempts(
  warehouse: Queries,
  since: Day,
): Promise<{ account: string; day: Day; attempts: string | null }[]> {
  return await warehouse
    .selectFrom('warehouse.account_days as d')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'd.account_id')
    .select(['a.name as account', 'd.day', 'd.attempts'])
    .where('d.day', '>=', since)
    .execute();
}
