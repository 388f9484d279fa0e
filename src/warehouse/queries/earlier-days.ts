import { sql } from 'kysely';
import type { AccountDays, EarlierDays } from '../../model/window.ts';
import type { Queries } from '../db/database.ts';

/** Reads, by account key, which days before the ones that runs still fetch are neither confirmed nor dismissed. */
export async function readEarlierDays(
  queries: Queries,
  accounts: readonly Pick<AccountDays, 'id' | 'since' | 'completeThrough' | 'catchUpFrom'>[],
): Promise<ReadonlyMap<number, EarlierDays>> {
  const lacking = accounts.filter(
    ({ since, completeThrough, catchUpFrom }) =>
      since !== null && since < catchUpFrom && (completeThrough ?? since) < catchUpFrom,
  );
  if (lacking.length === 0) return new Map();
  const { rows } = await sql<EarlierDays & { id: number }>`
    select g.id, min(day) as first, max(day) as last, count(*)::integer as days
    from unnest(
      ${lacking.map(({ id }) => id)}::bigint[],
      ${lacking.map(({ since, completeThrough }) => completeThrough ?? since)}::date[],
      ${lacking.map(({ catchUpFrom }) => catchUpFrom)}::date[]) g (id, since, reach)
    cross join lateral (select g.since + n as day from generate_series(0, g.reach - g.since - 1) n) d
    where not exists (
      select from etl.windows w
      where w.account_id = g.id and w.day = d.day and (w.state = 'loaded' or w.dismissed_at is not null))
    group by g.id
  `.execute(queries);
  return new Map(rows.map(({ id, ...days }) => [id, days]));
}
