import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Anomaly } from '../../model/anomaly.ts';
import type { Day } from '../../model/day.ts';
import type { WindowState } from '../../model/window.ts';
import type { Queries } from '../db/database.ts';
import { tableOf } from '../db/expressions.ts';
import type { WindowKey } from '../ledger/window-entry.ts';

/** A loaded day that has the same campaigns and counts as other accounts, or was marked for it. */
export type AlikeDay = WindowKey & {
  readonly name: string;
  readonly state: Exclude<WindowState, 'failed'>;
  readonly isOver: boolean;
  /** Of the response that was decided on last: the day is marked as long as that is the newest. */
  readonly fetchedAt: string;
  readonly sameSinceRunDate: Day | null;
  readonly anomalies: readonly Anomaly[];
  /** Names of the other accounts whose response of that day, loaded or held, is the same; none if there is none any more. */
  readonly others: readonly string[];
  /** The same for its held response; null if none is held. */
  readonly othersOfHeld: readonly string[] | null;
  readonly heldRunDate: Day | null;
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
    select w.account_id as "accountId", w.name, w.day, w.state, w.day_ended as "isOver", w.fetched_at as "fetchedAt",
      w.same_since_run_date as "sameSinceRunDate", w.anomalies, coalesce(array_remove(s.names, w.name), '{}') as others,
      case when w.held_hash is not null then coalesce(array_remove(t.names, w.name), '{}') end as "othersOfHeld",
      w.held_run_date as "heldRunDate"
    from windows w
    left join alike s on s.day = w.day and s.hash = w.content_hash
    left join alike t on t.day = w.day and t.hash = w.held_hash
    where s.names is not null or w.held_hash is not null or w.anomalies @> '[{"code": "same_campaigns"}]'
  `.execute(queries);
  return rows;
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

/** A day whose anomalies changed by what other accounts have, and why it is provisional now; null if it isn't. */
export type MarkedDay = Pick<AlikeDay, 'accountId' | 'day' | 'fetchedAt'> & {
  readonly anomalies: readonly Anomaly[];
  readonly provisional: string | null;
};

/** Sets from which run date on a held response counts as repeated; null if repetition doesn't apply it. */
export async function writeHeldRunDates(
  queries: Queries,
  held: readonly (Pick<AlikeDay, 'accountId' | 'day' | 'fetchedAt'> & { readonly heldRunDate: Day | null })[],
): Promise<void> {
  if (held.length === 0) return;
  const days = tableOf(held, 'h', {
    account_id: ['integer', ({ accountId }) => accountId],
    day: ['date', ({ day }) => day],
    fetched_at: ['timestamptz', ({ fetchedAt }) => fetchedAt],
    run_date: ['date', ({ heldRunDate }) => heldRunDate],
  });
  await sql`
    update etl.windows w set held_run_date = h.run_date
    from ${days}
    where w.account_id = h.account_id and w.day = h.day and w.fetched_at = h.fetched_at
  `.execute(queries);
}

/** Writes the marks of days, with the load decision on their newest response: a replay follows it. */
export async function writeMarks(queries: Queries, marked: readonly MarkedDay[]): Promise<void> {
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
      set state = m.state, confirmed_at = case m.state when 'loaded' then coalesce(w.confirmed_at, now()) end, settled = w.settled and m.state = 'loaded', anomalies = m.anomalies, provisional_reason = m.provisional, updated_at = now()
      from given m
      where w.account_id = m.account_id and w.day = m.day and w.fetched_at = m.fetched_at
      returning w.account_id, w.day, w.state, w.anomalies),
    accounts as (
      update warehouse.accounts a set complete_through_day = f.day - 1
      from (
        select m.account_id, min(m.day) as day
        from marks m join warehouse.accounts s using (account_id)
        where m.state = 'provisional' and m.day >= s.first_expected_day
        group by m.account_id) f
      where a.account_id = f.account_id and a.complete_through_day >= f.day)
    update etl.responses r
    set decision = m.state, anomalies = m.anomalies
    from marks m
    where r.response_id = (
      select max(n.response_id) from etl.responses n
      where n.account_id = m.account_id and n.day = m.day and n.decision in ('loaded', 'provisional'))
  `.execute(queries);
}
