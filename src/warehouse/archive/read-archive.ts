import { zstdDecompressSync } from 'node:zlib';
import { sql } from 'kysely';
import type { Anomaly } from '../../model/anomaly.ts';
import type { Day } from '../../model/day.ts';
import { type ServiceResponse, textOf } from '../../model/records.ts';
import type { ConfirmedDay } from '../../model/window.ts';
import type { Queries } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';
import type { Entry, WindowKey } from '../ledger/window-entry.ts';
import type { Walk } from '../load/client-walks.ts';

/** A window that was loaded. `whole`: every body that a rebuild needs is still archived. */
export type ArchivedWindow = WindowKey & { readonly account: string; readonly whole: boolean };

/** The decisions that change the ledger. */
const followed = ['loaded', 'provisional', 'held', 'kept'] as const;

/**
 * Returns the windows from `from` to `to` that were ever loaded, oldest first. A window isn't whole if it was
 * loaded before its first archived response, or if one of its bodies was pruned. Uses only joins: a subquery for
 * each row could read the whole table each time.
 */
export async function archivedWindows(
  queries: Queries,
  { from, to }: { readonly from: Day; readonly to: Day },
): Promise<ArchivedWindow[]> {
  const { rows } = await sql<ArchivedWindow>`
    with responses as (
      select account_id, day, bool_and(b.sha256 is not null) as whole, min(decided_at) as since
      from etl.responses f left join etl.response_bodies b using (sha256)
      where day between ${from} and ${to} and decision = ${anyOf(followed)}
      group by account_id, day
    ), rows as (
      select account_id, day, min(loaded_at) as since
      from (
        select account_id, day, loaded_at from etl.campaign_days where day >= ${from} and day <= ${to}
        union all
        select account_id, day, loaded_at from warehouse.campaign_day_restatements where day >= ${from} and day <= ${to}
      ) r
      group by account_id, day
    )
    select account_id as "accountId", a.name as account, day,
      coalesce(f.whole and coalesce(r.since >= f.since, true), false) as whole
    from responses f
    full join (select account_id, day from etl.windows where state <> 'failed' and day between ${from} and ${to}) d
      using (account_id, day)
    left join rows r using (account_id, day)
    join warehouse.accounts a using (account_id)
    order by day, account
  `.execute(queries);
  return rows;
}

/** A response that changed the ledger of a window. */
export type FollowedResponse = Pick<Entry, 'fetchedAt' | 'isLastChance' | 'runId' | 'runDate' | 'isOver'> & {
  readonly anomalies: readonly Anomaly[];
  readonly decision: (typeof followed)[number];
  readonly decidedAt: string;
  readonly body: string;
};

/**
 * Returns the responses that changed the ledger of a window, in the order of their ids: a response gets its id
 * under the ledger's lock, so a wrong clock doesn't change the order.
 */
export async function readFollowed(
  queries: Queries,
  { accountId, day }: WindowKey,
): Promise<FollowedResponse[]> {
  const rows = await queries
    .selectFrom('etl.responses as f')
    .innerJoin('etl.response_bodies as b', 'b.sha256', 'f.sha256')
    .innerJoin('etl.runs as r', 'r.run_id', 'f.run_id')
    .select([
      'f.decision',
      'f.fetched_at as fetchedAt',
      'f.decided_at as decidedAt',
      'f.last_chance as isLastChance',
      'f.over as isOver',
      'f.anomalies',
      'r.run_id as runId',
      'r.run_date as runDate',
      'b.zstd',
    ])
    .where((eb) => eb.and({ 'f.account_id': accountId, 'f.day': day }))
    .where('f.decision', '=', anyOf(followed))
    .orderBy('f.response_id')
    .$narrowType<Pick<FollowedResponse, 'decision' | 'isOver' | 'isLastChance'>>()
    .execute();
  return rows.map(({ zstd, ...row }) => ({ ...row, body: decompress(zstd) }));
}

/** The newest response of a window, if it was invalid or had records that couldn't be read. */
export type RereadableResponse = WindowKey &
  Pick<Entry, 'fetchedAt' | 'runId' | 'runDate'> & {
    readonly id: number;
    readonly account: string;
    readonly timeZone: string;
    readonly parameters: Readonly<Record<string, string>>;
    readonly status: number | null;
    /** Nothing of it was loaded. */
    readonly refused: boolean;
  };

/**
 * Returns the newest response of each window from `from` to `to`, oldest day first, if it was invalid or had
 * rejects, and no newer one was decided on. Leaves out stale responses, and those that were requested once more
 * because a count exceeded their rows.
 */
export async function rereadableResponses(
  queries: Queries,
  { from, to }: { readonly from: Day; readonly to: Day },
): Promise<RereadableResponse[]> {
  const { rows } = await sql<RereadableResponse>`
    with newest as (
      select distinct on (account_id, day) *, decision in ('unreadable', 'discarded') as refused
      from etl.responses
      where day between ${from} and ${to} and decision <> 'stale' and not (decision = 'discarded' and rows is not null)
      order by account_id, day, response_id desc)
    select n.response_id as id, account_id as "accountId", day, a.name as account, a.time_zone as "timeZone",
      n.request as parameters, n.status, n.refused, n.fetched_at as "fetchedAt",
      r.run_id as "runId", r.run_date as "runDate"
    from newest n
    join etl.response_bodies b using (sha256)
    join etl.runs r using (run_id)
    join warehouse.accounts a using (account_id)
    left join etl.windows w using (account_id, day)
    left join (select distinct account_id, day from etl.rejects where current) q using (account_id, day)
    where (w.fetched_at is null or w.fetched_at <= n.fetched_at or w.fetched_at > now())
      and (n.refused or q.day is not null)
    order by day, a.name
  `.execute(queries);
  return rows;
}

/** Returns the body of a response as it was archived. */
export async function readBody(
  queries: Queries,
  responseId: number,
): Promise<Pick<ServiceResponse, 'body' | 'sha256'>> {
  const { zstd, sha256 } = await queries
    .selectFrom('etl.responses as f')
    .innerJoin('etl.response_bodies as b', 'b.sha256', 'f.sha256')
    .select(['b.zstd', 'b.sha256'])
    .where('f.response_id', '=', responseId)
    .executeTakeFirstOrThrow();
  return { body: zstdDecompressSync(zstd), sha256 };
}

/**
 * Returns what responses of earlier run dates confirmed: of the two weeks before the day, and of days since `knownSince`.
 * Nothing that arrived on this run date counts, so the order in which days arrive changes no decision.
 */
export async function readConfirmed(
  queries: Queries,
  { accountId, day, runDate, knownSince }: WindowKey & Pick<Entry, 'runDate'> & { readonly knownSince: Day },
): Promise<ConfirmedDay[]> {
  const { rows } = await sql<ConfirmedDay>`
    select day, rows, "hasCalls", unreported, anomalies
    from (
      select distinct on (f.day) f.day, f.decision, f.rows, f.has_calls as "hasCalls", f.unreported, f.anomalies
      from etl.responses f join etl.runs r using (run_id)
      where f.account_id = ${accountId} and (f.day >= ${knownSince} or f.day between ${day}::date - 14 and ${day}::date)
        and f.decision in ('loaded', 'provisional') and r.run_date < ${runDate}
      order by f.day, f.response_id desc) newest
    where decision = 'loaded'
  `.execute(queries);
  return rows;
}

/** Returns the accounts whose client list was ever walked, sorted by name. */
export async function walkedAccounts(queries: Queries): Promise<{ id: number; name: string }[]> {
  return await queries
    .selectFrom('warehouse.accounts as a')
    .select(['a.account_id as id', 'a.name'])
    .where((eb) => eb.exists(eb.selectFrom('etl.walks as w').whereRef('w.account_id', '=', 'a.account_id')))
    .orderBy('a.name')
    .execute();
}

export type ArchivedWalk = Walk & { readonly day: Day; readonly complete: boolean };

/**
 * Returns all walks of an account in order. `whole`: every page loaded since the first client version is
 * archived.
 */
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
      sql<boolean>`verdict is not distinct from 'complete'`.as('complete'),
    ])
    .where('account_id', '=', accountId)
    .orderBy('started_at')
    .orderBy('walk_id')
    .execute();
  const { rows } = await sql<{ whole: boolean }>`
    with pages as (
      select bool_and(b.sha256 is not null) as whole, min(decided_at) as since
      from etl.responses f left join etl.response_bodies b using (sha256)
      where walk = ${anyOf(walks.map((walk) => walk.id))} and decision = 'loaded'
    ), versions as (
      select min(valid_from) as since from warehouse.client_versions where account_id = ${accountId})
    select coalesce(p.whole, true) and coalesce(v.since >= p.since, true) as whole
    from pages p cross join versions v
  `.execute(queries);
  return { walks, whole: rows[0]!.whole };
}

/** Pages that were loaded in one transaction. */
export type ArchivedLoad = { readonly decidedAt: string; readonly bodies: readonly string[] };

/**
 * Yields the loads of a walk one by one, so that only one is in memory. The range of ids limits each query to its
 * load: without it, each would read the whole walk.
 */
export async function* readLoads(queries: Queries, walkId: number): AsyncGenerator<ArchivedLoad, void> {
  const loadedPages = queries
    .selectFrom('etl.responses as f')
    .where('f.walk', '=', walkId)
    .where('f.decision', '=', 'loaded');
  const loads = await loadedPages
    .select(({ fn }) => [
      'f.decided_at as decidedAt',
      fn.min('f.response_id').as('first'),
      fn.max('f.response_id').as('last'),
    ])
    .groupBy('f.decided_at')
    .orderBy('first')
    .execute();
  for (const { decidedAt, first, last } of loads) {
    const pages = await loadedPages
      .innerJoin('etl.response_bodies as b', 'b.sha256', 'f.sha256')
      .select('b.zstd')
      .where((eb) => eb.between('f.response_id', first, last))
      .where('f.decided_at', '=', decidedAt)
      .orderBy('f.response_id')
      .execute();
    yield { decidedAt, bodies: pages.map(({ zstd }) => decompress(zstd)) };
  }
}

function decompress(zstd: Buffer): string {
  return textOf(zstdDecompressSync(zstd));
}
