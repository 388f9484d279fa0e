import { zstdDecompressSync } from 'node:zlib';
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import { textOf } from '../../model/records.ts';
import type { EarlierDay, WindowResponse } from '../../model/window.ts';
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

/** An archived response of a window. */
type ArchivedResponse = Pick<WindowResponse, 'fetchedAt' | 'runId' | 'runDate'> & {
  readonly id: number;
  readonly status: number | null;
  readonly body: string;
  /** It was read as a list when it came, be it one or not. */
  readonly wasRead: boolean;
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
    .select(({ eb }) => eb('f.rows', 'is not', null).$castTo<boolean>().as('wasRead'))
    .where((eb) => eb.and({ 'f.account_id': accountId, 'f.day': day }))
    .where('f.decision', '<>', 'stale')
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
    yield { ...response, body: textOf(zstdDecompressSync(zstd)) };
    before = newest.id;
  }
}

/** Days of an account that say what is its service's way, counted back from the run date. */
const evidenceDays = 62;

/**
 * Returns what the responses that were loaded up to a run date say of their days: of the last 62, and of the two weeks before `day`.
 * A load asks for earlier run dates alone, so the order in which days arrive changes no decision. Held responses are no evidence: a
 * service that errs for a week does so for days that it had listed completely before.
 *
 * @param day null for the last 62 days alone
 */
export async function readEarlierDays(
  queries: Queries,
  {
    accountIds,
    day,
    through,
  }: { readonly accountIds: readonly number[]; readonly day: Day | null; readonly through: Day },
): Promise<(EarlierDay & { readonly accountId: number })[]> {
  const { rows } = await sql<EarlierDay & { readonly accountId: number }>`
    with loaded as (
      select f.account_id, f.day, f.response_id, f.decision, f.rows, f.has_calls, f.unreported, f.anomalies, r.run_date
      from etl.responses f join etl.runs r using (run_id)
      where f.account_id = ${anyOf(accountIds)}
        and (f.day > ${through}::date - ${evidenceDays}::integer or f.day between ${day}::date - 14 and ${day}::date)
        and f.decision in ('loaded', 'provisional') and r.run_date <= ${through}),
    run_dates as (
      select account_id, day, jsonb_object_agg(code, dates) as run_dates
      from (
        select l.account_id, l.day, k.anomaly ->> 'code' as code, jsonb_agg(distinct l.run_date) as dates
        from loaded l cross join lateral jsonb_array_elements(l.anomalies) k (anomaly)
        group by 1, 2, 3) c
      group by 1, 2)
    select distinct on (l.account_id, l.day) l.account_id as "accountId", l.day, l.decision = 'loaded' as "isConfirmed", l.rows,
      l.has_calls as "hasCalls", l.unreported, l.anomalies, coalesce(d.run_dates, '{}') as "runDates"
    from loaded l
    left join run_dates d on d.account_id = l.account_id and d.day = l.day
    order by l.account_id, l.day, l.response_id desc
  `.execute(queries);
  return rows;
}

/** Returns whether the service at an address sent any account a list in the last `days`. */
export async function hasSentList(queries: Queries, service: string, days: number): Promise<boolean> {
  const list = await queries
    .selectFrom('etl.responses as f')
    .innerJoin('etl.runs as r', 'r.run_id', 'f.run_id')
    .select('f.response_id')
    .where((eb) => eb.and({ 'r.service': service, 'f.status': 200 }))
    .where('f.decision', '<>', 'discarded')
    .where('f.fetched_at', '>', sql<string>`now() - make_interval(days => ${days})`)
    .limit(1)
    .executeTakeFirst();
  return list !== undefined;
}
