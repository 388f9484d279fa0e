import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Anomaly, HeldCode } from '../../model/anomaly.ts';
import type { Day } from '../../model/day.ts';
import { totalReason } from '../../model/records.ts';
import type { WindowState } from '../../model/window.ts';
import type { Queries } from '../db/database.ts';
import { tableOf } from '../db/expressions.ts';
import type { WindowKey } from '../ledger/window-entry.ts';

/** A loaded day whose anomalies may change by what other days and accounts have. */
export type LoadedDay = WindowKey & {
  readonly name: string;
  readonly state: Exclude<WindowState, 'failed'>;
  readonly isOver: boolean;
  /** Time of the response that was decided on last: the day is marked as long as that is the newest. */
  readonly fetchedAt: string;
  readonly anomalies: readonly Anomaly[];
};

/** A day that has the same campaigns and counts as other accounts, or was marked for it. */
export type AlikeDay = LoadedDay & {
  readonly sameSinceRunDate: Day | null;
  /** Names of the other accounts whose response of that day, loaded or held, is the same; none if there is none any more. */
  readonly others: readonly string[];
};

/** The content hash of a response without campaigns: it is no sign of a shared token. */
export const emptyHash = hash('sha256', '');

/** Reads the days that are alike in several accounts, or were, and that have attempts. */
export async function readAlikeDays(queries: Queries, from: Day, to: Day): Promise<AlikeDay[]> {
  const { rows } = await sql<AlikeDay>`
    with windows as materialized (
      select w.*, a.name
      from warehouse.accounts a
      cross join lateral (
        select * from etl.windows where account_id = a.account_id and day between ${from} and ${to} offset 0) w
      where w.state <> 'failed' and a.last_expected_day is null),
    alike as (
      select w.day, h.hash, array_agg(w.name order by w.account_id) as names
      from windows w cross join lateral (
        select w.content_hash as hash union select w.held_hash where w.held_hash <> ${emptyHash}) h
      where w.active_campaigns > 0
      group by w.day, h.hash having count(*) > 1)
    select ${loadedDay}, w.same_since_run_date as "sameSinceRunDate", coalesce(array_remove(s.names, w.name), '{}') as others
    from windows w
    left join alike s on s.day = w.day and s.hash = w.content_hash
    where s.names is not null or w.anomalies @> '[{"code": "same_campaigns"}]'
  `.execute(queries);
  return rows;
}

const loadedDay = sql`w.account_id as "accountId", w.name, w.day, w.state, w.day_ended as "isOver", w.fetched_at as "fetchedAt", w.anomalies`;

/** A day that has the same campaigns and counts as a day next to it, or was marked for it. */
export type RepeatedDay = LoadedDay & {
  readonly contentHash: string;
  /** That day: the one before, else the one after; null if neither is the same any more. */
  readonly twin: Day | null;
};

/** Reads the days from `from` to `to`, and those next to them, that repeat the figures of a day next to them and have attempts. */
export async function readRepeatedDays(queries: Queries, from: Day, to: Day): Promise<RepeatedDay[]> {
  const { rows } = await sql<RepeatedDay>`
    with windows as materialized (
      select w.*, a.name
      from warehouse.accounts a
      cross join lateral (
        select * from etl.windows
        where account_id = a.account_id and day between ${from}::date - 2 and ${to}::date + 2 offset 0) w
      where w.state <> 'failed' and a.last_expected_day is null),
    days as (
      select w.*,
        case w.content_hash
          when b.content_hash then b.day
          when n.content_hash then n.day end as twin
      from windows w
      left join windows b on b.account_id = w.account_id and b.day = w.day - 1 and b.day_ended
      left join windows n on n.account_id = w.account_id and n.day = w.day + 1 and n.day_ended)
    select ${loadedDay}, w.content_hash as "contentHash", case when w.day_ended and w.active_campaigns > 0 then w.twin end as twin
    from days w
    where w.day between ${from}::date - 1 and ${to}::date + 1
      and ((w.day_ended and w.active_campaigns > 0 and w.twin is not null) or w.anomalies @> '[{"code": "same_figures"}]')
    order by w.account_id, w.day
  `.execute(queries);
  return rows;
}

/** A provisional day, or one that holds a response. */
export type WaitingDay = LoadedDay & {
  /** The first sign against the held response, and all of its anomalies; null if none is held. */
  readonly held: { readonly code: HeldCode; readonly anomalies: readonly Anomaly[] } | null;
  /** Why records of its loaded response can't be read. */
  readonly rejectReasons: readonly string[];
};

/** Reads the provisional days that are over, and those that hold a response, however old. */
export async function readWaitingDays(queries: Queries): Promise<WaitingDay[]> {
  const { rows } = await sql<WaitingDay>`
    select ${loadedDay}, 
      case when w.held_hash is not null then json_build_object('code', w.held_code, 'anomalies', (
        select f.anomalies from etl.responses f
        where f.account_id = w.account_id and f.day = w.day and f.decision = 'held'
        order by f.response_id desc limit 1)) end as held,
      array(
        select distinct r.reason from etl.rejects r
        where r.account_id = w.account_id and r.day = w.day and r.current and r.reason <> ${totalReason}) as "rejectReasons"
    from (
      select w.*, a.name from etl.windows w join warehouse.accounts a using (account_id)
      where a.last_expected_day is null and (w.state = 'provisional' or w.held_hash is not null) and w.state <> 'failed') w
    where w.day_ended
    order by w.account_id, w.day
  `.execute(queries);
  return rows;
}

/** Reads the items of each dismissed alert about records in quarantine. */
export async function readDismissedRecords(queries: Queries): Promise<ReadonlySet<string>> {
  const dismissed = await queries
    .selectFrom('etl.alerts')
    .select('dismissed')
    .where('alert', '=', 'RECORDS_QUARANTINED')
    .execute();
  return new Set(dismissed.flatMap((alert) => alert.dismissed));
}

/** Ends that responses are held: their anomalies are known by now. */
export async function dropHeld(queries: Queries, held: readonly LoadedDay[]): Promise<void> {
  if (held.length === 0) return;
  const days = tableOf(held, 'h', {
    account_id: ['integer', ({ accountId }) => accountId],
    day: ['date', ({ day }) => day],
    fetched_at: ['timestamptz', ({ fetchedAt }) => fetchedAt],
  });
  await sql`
    update etl.windows w
    set held_hash = null, held_code = null, held_reason = null, held_since = null, updated_at = now()
    from ${days}
    where w.account_id = h.account_id and w.day = h.day and w.fetched_at = h.fetched_at
  `.execute(queries);
}

/** Reads the accounts of each dismissed alert about the same campaigns: they share them on purpose. */
export async function readSharedOnPurpose(queries: Queries): Promise<readonly (readonly string[])[]> {
  const dismissed = await queries
    .selectFrom('etl.alerts')
    .select('dismissed')
    .where('alert', 'like', 'SAME\\_CAMPAIGNS/%')
    .execute();
  return dismissed.map((alert) => alert.dismissed);
}

/** A day whose anomalies changed by what other days and accounts have, and why it is provisional now; null if it isn't. */
export type MarkedDay = Pick<LoadedDay, 'accountId' | 'day' | 'fetchedAt'> & {
  readonly anomalies: readonly Anomaly[];
  readonly provisional: string | null;
};

/**
 * Writes the marks of days, with the load decision on their newest response: a replay follows it.
 *
 * @param lastChance no later run fetches this day or earlier ones automatically: they settle once they are confirmed
 */
export async function writeMarks(
  queries: Queries,
  marked: readonly MarkedDay[],
  lastChance: Day,
): Promise<void> {
  if (marked.length === 0) return;
  const days = tableOf(marked, 'm', {
    account_id: ['integer', ({ accountId }) => accountId],
    day: ['date', ({ day }) => day],
    fetched_at: ['timestamptz', ({ fetchedAt }) => fetchedAt],
    anomalies: ['jsonb', ({ anomalies }) => JSON.stringify(anomalies)],
    provisional: ['text', ({ provisional }) => provisional],
  });
  await sql`
    with given as (
      select *, case when provisional is null then 'loaded' else 'provisional' end as state from ${days}),
    marks as (
      update etl.windows w
      set state = m.state, anomalies = m.anomalies, provisional_reason = m.provisional, updated_at = now(),
        confirmed_at = case m.state when 'loaded' then coalesce(w.confirmed_at, now()) end,
        settled = m.state = 'loaded'
          and (w.settled or w.same_since_run_date < w.synced_run_date or w.day <= ${lastChance}::date)
      from given m
      where w.account_id = m.account_id and w.day = m.day and w.fetched_at = m.fetched_at
      returning w.account_id, w.day, w.state, w.anomalies),
    complete as (
      update etl.complete_through c set complete_through_day = f.day - 1
      from (
        select m.account_id, min(m.day) as day
        from marks m join warehouse.accounts s using (account_id)
        where m.state = 'provisional' and m.day >= s.first_expected_day
        group by m.account_id) f
      where c.account_id = f.account_id and c.complete_through_day >= f.day)
    update etl.responses r
    set decision = m.state, anomalies = m.anomalies
    from marks m
    where r.response_id = (
      select max(n.response_id) from etl.responses n
      where n.account_id = m.account_id and n.day = m.day and n.decision in ('loaded', 'provisional'))
  `.execute(queries);
}
