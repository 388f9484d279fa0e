import { zstdDecompressSync } from 'node:zlib';
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Queries } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';
import type { WindowKey } from '../ledger/window-entry.ts';
import type { Walk } from '../load/client-walks.ts';

/** A window of which responses are archived, and whether every body that a rebuild needs is still there. */
export type ArchivedWindow = WindowKey & { readonly account: string; readonly whole: boolean };

/**
 * The windows from `from` to `to` that were ever loaded: oldest first, as they followed each other. One that was
 * loaded before its first archived response isn't whole, nor one whose bodies were pruned.
 */
export async function archivedWindows(queries: Queries, from: Day, to: Day): Promise<ArchivedWindow[]> {
  const { rows } = await sql<ArchivedWindow>`
    select account_id as "accountId", a.name as account, day,
      coalesce(f.whole, false) and not exists (
        select from warehouse.campaign_days r
        where r.account_id = f.account_id and r.day = f.day and r.loaded_at < f.since
      ) and not exists (
        select from warehouse.campaign_day_restatements r
        where r.account_id = f.account_id and r.day = f.day and r.loaded_at < f.since
      ) as whole
    from (
      select account_id, day, bool_and(b.sha256 is not null) as whole, min(decided_at) as since
      from etl.responses f left join etl.response_bodies b using (sha256)
      where day between ${from} and ${to} and decision in ('loaded', 'provisional', 'held')
      group by account_id, day) f
    full join (select account_id, day from warehouse.account_days where day between ${from} and ${to}) d
      using (account_id, day)
    join warehouse.accounts a using (account_id)
    order by day, account
  `.execute(queries);
  return rows;
}

/** A response of a window that was decided on. */
export type ArchivedResponse = {
  readonly decision: 'loaded' | 'provisional' | 'held';
  readonly fetchedAt: string;
  readonly decidedAt: string;
  readonly runId: number;
  readonly runDate: Day;
  readonly body: string;
};

/** The responses of a window in the order in which they were decided on, which is that of their requests. */
export async function readResponses(
  queries: Queries,
  { accountId, day }: WindowKey,
): Promise<ArchivedResponse[]> {
  const rows = await queries
    .selectFrom('etl.responses as f')
    .innerJoin('etl.response_bodies as b', 'b.sha256', 'f.sha256')
    .innerJoin('etl.runs as r', 'r.run_id', 'f.run_id')
    .select([
      'f.decision',
      'f.fetched_at as fetchedAt',
      'f.decided_at as decidedAt',
      'r.run_id as runId',
      'r.run_date as runDate',
      'b.zstd',
    ])
    .where((eb) => eb.and({ 'f.account_id': accountId, 'f.day': day }))
    .where('f.decision', 'in', ['loaded', 'provisional', 'held'])
    .orderBy('f.fetched_at')
    .$narrowType<Pick<ArchivedResponse, 'decision'>>()
    .execute();
  return rows.map(({ zstd, ...row }) => ({ ...row, body: decompress(zstd) }));
}

/** The accounts whose clients were ever walked. */
export async function walkedAccounts(queries: Queries): Promise<{ id: number; name: string }[]> {
  return await queries
    .selectFrom('warehouse.accounts')
    .select(['account_id as id', 'name'])
    .where('account_id', 'in', (eb) => eb.selectFrom('etl.walks').select('account_id'))
    .orderBy('name')
    .execute();
}

/** A walk as it was recorded. */
export type ArchivedWalk = Walk & { readonly day: Day; readonly complete: boolean };

/** All walks of an account in their order, and whether they are all of them, with every body still there. */
export async function readWalks(
  queries: Queries,
  accountId: number,
): Promise<{ readonly walks: readonly ArchivedWalk[]; readonly whole: boolean }> {
  const walks = await queries
    .selectFrom('etl.walks')
    .select([
      'walk_id as id',
      'account_id as accountId',
      'run_date as runDate',
      'day',
      'started_at as startedAt',
      sql<boolean>`outcome is not distinct from 'complete'`.as('complete'),
    ])
    .where('account_id', '=', accountId)
    .orderBy('walk_id')
    .execute();
  const { rows } = await sql<{ whole: boolean }>`
    with pages as (
      select sha256, decided_at from etl.responses
      where walk = ${anyOf(walks.map((walk) => walk.id))} and decision = 'loaded')
    select not exists (
        select from pages where not exists (select from etl.response_bodies where response_bodies.sha256 = pages.sha256))
      and not exists (
        select from warehouse.client_versions
        where account_id = ${accountId} and valid_from < (select min(decided_at) from pages)) as whole
  `.execute(queries);
  return { walks, whole: rows[0]!.whole };
}

/** Pages that were loaded in one transaction. */
export type ArchivedLoad = { readonly decidedAt: string; readonly bodies: readonly string[] };

/** The loads of a walk, one after the other, so that no more than one is in memory. */
export async function* readLoads(queries: Queries, walkId: number): AsyncGenerator<ArchivedLoad, void> {
  const loadedPages = queries
    .selectFrom('etl.responses as f')
    .where('f.walk', '=', walkId)
    .where('f.decision', '=', 'loaded');
  const loads = await loadedPages
    .select('f.decided_at as decidedAt')
    .groupBy('f.decided_at')
    .orderBy(({ fn }) => fn.min('f.response_id'))
    .execute();
  for (const { decidedAt } of loads) {
    const pages = await loadedPages
      .innerJoin('etl.response_bodies as b', 'b.sha256', 'f.sha256')
      .select('b.zstd')
      .where('f.decided_at', '=', decidedAt)
      .orderBy('f.response_id')
      .execute();
    yield { decidedAt, bodies: pages.map(({ zstd }) => decompress(zstd)) };
  }
}

function decompress(zstd: Buffer): string {
  return zstdDecompressSync(zstd).toString();
}
