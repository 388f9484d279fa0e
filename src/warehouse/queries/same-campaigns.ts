import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { SameCampaigns } from '../../model/digest.ts';
import type { Queries } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';

/** Reads which two of the named accounts have the same campaigns and counts, on which days from one to another. */
export async function readSameCampaigns(
  queries: Queries,
  names: readonly string[],
  from: Day,
  to: Day,
): Promise<SameCampaigns[]> {
  return await queries
    .selectFrom('etl.same_campaigns')
    .select([
      'account',
      'label',
      'other',
      'other_label as otherLabel',
      sql<Day[]>`array_agg(day::text order by day)`.as('days'),
    ])
    .where('account', '=', anyOf(names))
    .where('other', '=', anyOf(names))
    .where((eb) => eb.between('day', from, to))
    .groupBy(['account', 'label', 'other', 'other_label'])
    .orderBy('account')
    .orderBy('other')
    .$castTo<SameCampaigns>()
    .execute();
}
