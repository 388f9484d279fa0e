import type { NotNull } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { AccountTotals } from '../../model/digest.ts';
import type { DigestKey } from '../../model/period.ts';
import type { Queries } from '../db/database.ts';
import { reportedTotals } from './reported.ts';
import { isTold } from './told.ts';

export type IncompleteDigest = DigestKey & {
  /** The totals that it reported. */
  readonly reported: readonly AccountTotals[];
  /** Somebody got it. */
  readonly isTold: boolean;
};

/**
 * Returns digests that were incomplete or provisional, sent or to be sent, whose correction is neither skipped nor with anybody
 * yet.
 */
export async function incompleteDigests(warehouse: Queries, since: Day): Promise<IncompleteDigest[]> {
  const digests = await warehouse
    .selectFrom('etl.digests as g')
    .select(['g.name', 'g.every', 'g.day', 'g.reported', isTold('g').$castTo<boolean>().as('isTold')])
    .where('g.kind', '=', 'first')
    .where('g.state', '=', 'built')
    .where((eb) => eb.or([eb('g.incomplete', '=', true), eb('g.provisional', '=', true)]))
    .where('g.day', '>=', since)
    .where('g.reported', 'is not', null)
    .where(({ exists, not, selectFrom }) => {
      const correction = selectFrom('etl.digests as c')
        .whereRef('c.name', '=', 'g.name')
        .whereRef('c.every', '=', 'g.every')
        .whereRef('c.day', '=', 'g.day')
        .where('c.kind', '=', 'corrected')
        .where((eb) => eb.or([eb('c.state', '=', 'skipped'), isTold('c')]));
      return not(exists(correction));
    })
    .where(({ exists, fn, selectFrom }) => {
      const wanted = selectFrom('etl.deliveries as d')
        .where('d.digest_id', '=', fn.coalesce('g.sent_with', 'g.digest_id'))
        .where('d.skipped_at', 'is', null);
      return exists(wanted);
    })
    .orderBy('g.day')
    .orderBy('g.name')
    .$narrowType<{ reported: NotNull }>()
    .execute();
  return digests.map((digest) => ({ ...digest, reported: reportedTotals(digest.reported) }));
}
