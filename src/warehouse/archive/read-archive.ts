import { zstdDecompressSync } from 'node:zlib';
import type { Day } from '../../model/day.ts';
import type { WindowResponse } from '../../model/window.ts';
import type { Queries } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';
import type { WindowKey } from '../ledger/window-entry.ts';

/** A window with archived responses. */
export type ArchivedWindow = WindowKey & { readonly account: string; readonly timeZone: string };

/**
 * Returns the windows from `from` to `to` with archived responses, oldest day first.
 *
 * @param accounts their names; null for all
 */
export async function archivedWindows(
  queries: Queries,
  {
    from,
    to,
    accounts,
  }: { readonly from: Day; readonly to: Day; readonly accounts: readonly string[] | null },
): Promise<ArchivedWindow[]> {
  return await queries
    .selectFrom('etl.responses as f')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'f.account_id')
    .select(['a.account_id as accountId', 'a.name as account', 'a.time_zone as timeZone', 'f.day'])
    .where((eb) => eb.between('f.day', from, to))
    .where((eb) => (accounts === null ? eb.lit(true) : eb('a.name', '=', anyOf(accounts))))
    .groupBy(['a.account_id', 'f.day'])
    .orderBy('f.day')
    .orderBy('a.name')
    .$narrowType<{ day: Day }>()
    .execute();
}

type ArchivedResponse = Pick<WindowResponse, 'fetchedAt' | 'runId' | 'runDate'> & {
  readonly id: number;
  readonly status: number | null;
  readonly body: Buffer;
};

/**
 * Yields the archived responses of a window, the newest decision first. Leaves out stale responses, and those that were
 * requested once more because a count announced more campaigns than they list.
 */
export async function* readArchived(
  queries: Queries,
  { accountId, day }: WindowKey,
): AsyncGenerator<ArchivedResponse, void> {
  const archived = queries
    .selectFrom('etl.responses as f')
    .innerJoin('etl.response_bodies as b', 'b.sha256', 'f.sha256')
    .innerJoinLateral(
      // By its key: joined at once, Postgres may read all runs before.
      (eb) =>
        eb
          .selectFrom('etl.runs as n')
          .select(['n.run_id', 'n.run_date'])
          .whereRef('n.run_id', '=', 'f.run_id')
          .offset(0)
          .as('r'),
      (join) => join.onTrue(),
    )
    .select([
      'f.response_id as id',
      'f.status',
      'f.fetched_at as fetchedAt',
      'r.run_id as runId',
      'r.run_date as runDate',
      'b.zstd',
    ])
    .where((eb) => eb.and({ 'f.account_id': accountId, 'f.day': day }))
    .where('f.decision', '<>', 'stale')
    // An error that came with Retry-After is an outage, whatever it says: headers aren't archived, but it has no sign.
    .where((eb) => eb.or([eb('f.status', '<=', 299), eb('f.sign', 'is not', null)]))
    .where((eb) => eb.not(eb.and([eb('f.decision', '=', 'discarded'), eb('f.rows', 'is not', null)])))
    .orderBy('f.response_id', 'desc')
    .limit(1);
  for (let before: number | null = null; ; ) {
    const newest: Awaited<ReturnType<typeof archived.executeTakeFirst>> = await (before === null
      ? archived
      : archived.where('f.response_id', '<', before)
    ).executeTakeFirst();
    if (newest === undefined) return;
    const { zstd, ...response } = newest;
    yield { ...response, body: zstdDecompressSync(zstd) };
    before = newest.id;
  }
}
