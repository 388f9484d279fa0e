import { zstdDecompressSync } from 'node:zlib';
import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { Queries } from './warehouse.ts';

/** A window of which answers are archived, and whether every body that a rebuild needs is still there. */
export type ArchivedWindow = {
  readonly accountId: number;
  readonly account: string;
  readonly day: Day;
  readonly whole: boolean;
};

/**
 * The windows from `from` to `to` that were ever loaded: oldest first, as they followed each other. One that was
 * loaded before its first archived answer isn't whole, nor one whose bodies were pruned.
 */
export async function archivedWindows(warehouse: Queries, from: Day, to: Day): Promise<ArchivedWindow[]> {
  const { rows } = await warehouse.query<ArchivedWindow>(sql`
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
      from etl.fetches f left join etl.bodies b using (sha256)
      where day between ${from} and ${to} and decided in ('loaded', 'provisional', 'held')
      group by account_id, day) f
    full join (select account_id, day from warehouse.account_days where day between ${from} and ${to}) d
      using (account_id, day)
    join warehouse.accounts a using (account_id)
    order by day, account
  `);
  return rows;
}

/** An answer of a window that was decided on. */
export type ArchivedAnswer = {
  readonly decided: 'loaded' | 'provisional' | 'held';
  readonly fetchedAt: string;
  readonly decidedAt: string;
  readonly runId: number;
  readonly night: Day;
  readonly body: string;
};

/** The answers of a window in the order in which they were decided on, which is that of their requests. */
export async function readAnswers(
  warehouse: Queries,
  accountId: number,
  day: Day,
): Promise<ArchivedAnswer[]> {
  const { rows } = await warehouse.query<Omit<ArchivedAnswer, 'body'> & { zstd: Buffer }>(sql`
    select decided, fetched_at as "fetchedAt", decided_at as "decidedAt", run_id as "runId", night, zstd
    from etl.fetches join etl.bodies using (sha256) join etl.runs using (run_id)
    where account_id = ${accountId} and day = ${day} and decided in ('loaded', 'provisional', 'held')
    order by fetched_at
  `);
  return rows.map(({ zstd, ...row }) => ({ ...row, body: zstdDecompressSync(zstd).toString() }));
}

/** The accounts whose clients were ever walked. */
export async function walkedAccounts(warehouse: Queries): Promise<{ id: number; name: string }[]> {
  const { rows } = await warehouse.query<{ id: number; name: string }>(sql`
    select account_id as id, name from warehouse.accounts
    where account_id in (select account_id from etl.walks) order by name
  `);
  return rows;
}

/** A walk as it was entered. */
export type ArchivedWalk = {
  readonly id: number;
  readonly accountId: number;
  readonly night: Day;
  readonly day: Day;
  readonly startedAt: string;
  readonly complete: boolean;
};

/** All walks of an account in their order, and whether they are all of them, with every body still there. */
export async function readWalks(
  warehouse: Queries,
  accountId: number,
): Promise<{ readonly walks: readonly ArchivedWalk[]; readonly whole: boolean }> {
  const { rows: walks } = await warehouse.query<ArchivedWalk>(sql`
    select walk_id as id, account_id as "accountId", night, day, started_at as "startedAt", complete
    from etl.walks where account_id = ${accountId} order by walk_id
  `);
  const { rows } = await warehouse.query<{ whole: boolean }>(sql`
    with pages as (
      select sha256, decided_at from etl.fetches
      where walk = any(${walks.map((walk) => walk.id)}::bigint[]) and decided = 'loaded')
    select not exists (select from pages where sha256 not in (select sha256 from etl.bodies))
      and not exists (
        select from warehouse.client_versions
        where account_id = ${accountId} and valid_from < (select min(decided_at) from pages)) as whole
  `);
  return { walks, whole: rows[0]!.whole };
}

/** Pages that were loaded in one transaction. */
export type ArchivedLoad = { readonly decidedAt: string; readonly bodies: readonly string[] };

/** The loads of a walk, one after the other, so that no more than one is in memory. */
export async function* readLoads(warehouse: Queries, walkId: number): AsyncGenerator<ArchivedLoad, void> {
  const { rows: loads } = await warehouse.query<{ decidedAt: string }>(sql`
    select decided_at as "decidedAt" from etl.fetches
    where walk = ${walkId} and decided = 'loaded' group by decided_at order by min(fetch_id)
  `);
  for (const { decidedAt } of loads) {
    const { rows } = await warehouse.query<{ zstd: Buffer }>(sql`
      select zstd from etl.fetches join etl.bodies using (sha256)
      where walk = ${walkId} and decided = 'loaded' and decided_at = ${decidedAt}::timestamptz
      order by fetch_id
    `);
    yield { decidedAt, bodies: rows.map(({ zstd }) => zstdDecompressSync(zstd).toString()) };
  }
}
