import { sql } from 'kysely';
import type { Anomaly } from '../../model/anomaly.ts';
import type { Day } from '../../model/day.ts';
import type { CountName } from '../../model/records.ts';
import type { WindowState } from '../../model/window.ts';
import type { Queries } from '../db/database.ts';
import { tableOf } from '../db/expressions.ts';
import { minSameAttempts, type WindowKey } from '../ledger/window-entry.ts';

/** A loaded day of the ledger, as the review of an account's days reads it. */
export type ReviewedDay = WindowKey & {
  readonly account: string;
  readonly state: Exclude<WindowState, 'failed'>;
  readonly isOver: boolean;
  /** Time of the response that was decided on last: the day is marked as long as that is the newest. */
  readonly fetchedAt: string;
  readonly contentHash: string;
  /** The content of the newest response, if it is held. */
  readonly heldHash: string | null;
  readonly campaigns: number;
  readonly hasCalls: boolean;
  /** It has so many attempts that another day has the same by no chance. */
  readonly isDistinct: boolean;
  /** Counts that most of its campaigns leave out. */
  readonly unreported: readonly CountName[];
  readonly anomalies: readonly Anomaly[];
  readonly sameSinceRunDate: Day | null;
  readonly syncedRunDate: Day | null;
};

const hasCalls = (window: string) =>
  sql.raw(
    `coalesce(${window}.attempts, 0) + coalesce(${window}.busies, 0) + coalesce(${window}.connects, 0) + coalesce(${window}.live_answers, 0) > 0`,
  );

const reviewed = sql`w.account_id as "accountId", a.name as account, w.day, w.state, w.day_ended as "isOver",
  w.fetched_at as "fetchedAt", w.content_hash as "contentHash", w.held_hash as "heldHash", w.listed_campaigns as campaigns,
  ${hasCalls('w')} as "hasCalls", coalesce(w.attempts >= ${minSameAttempts}, false) as "isDistinct", w.unreported, w.anomalies,
  w.same_since_run_date as "sameSinceRunDate", w.synced_run_date as "syncedRunDate"`;

/**
 * Reads the days from `from` on of each account of which one may be anomalous beside others, or has an anomaly; and of the days before,
 * the last two confirmed ones of each weekday and the last seven confirmed ones with campaigns, however old. Oldest first.
 */
export async function readReviewedDays(queries: Queries, from: Day): Promise<ReviewedDay[]> {
  const { rows } = await sql<ReviewedDay>`
    with accounts as materialized (
      select a.account_id, a.name
      from warehouse.accounts a
      where a.last_expected_day is null and exists (
        select from etl.windows w
        left join etl.windows b on b.account_id = w.account_id and b.day = w.day - 1
        left join etl.windows q on q.account_id = w.account_id and q.day = w.day - 7
        where w.account_id = a.account_id and w.day >= ${from} and w.state <> 'failed' and w.day_ended
          and (w.anomalies <> '[]'
            or (w.unreported <> '{}' and w.listed_campaigns > 0)
            or (w.attempts >= ${minSameAttempts} and w.content_hash in (b.content_hash, b.held_hash))
            -- A quiet weekday costs one row: the week before was as quiet.
            or (not ${hasCalls('w')} and (q.state = 'loaded' and not ${hasCalls('q')}) is not true)))),
    evidence as (
      select w.*
      from accounts a
      cross join lateral (
        select * from etl.windows
        where account_id = a.account_id and day >= ${from} and state <> 'failed' offset 0) w
      union
      select w.*
      from accounts a
      cross join generate_series(1, 7) weekday
      cross join lateral (
        select * from etl.windows
        where account_id = a.account_id and day < ${from} and state = 'loaded' and extract(isodow from day) = weekday
        order by day desc limit 2) w
      union
      select w.*
      from accounts a
      cross join lateral (
        select * from etl.windows
        where account_id = a.account_id and day < ${from} and state = 'loaded' and listed_campaigns > 0
        order by day desc limit 7) w)
    select ${reviewed}
    from evidence w join accounts a using (account_id)
    order by w.account_id, w.day
  `.execute(queries);
  return rows;
}

/** Reads the provisional days that are over, however old. */
export async function readProvisionalDays(queries: Queries): Promise<ReviewedDay[]> {
  const { rows } = await sql<ReviewedDay>`
    select ${reviewed}
    from etl.windows w join warehouse.accounts a using (account_id)
    where w.state = 'provisional' and w.day_ended
    order by w.account_id, w.day
  `.execute(queries);
  return rows;
}

/** A day whose anomalies changed, or what confirms them, and why it is provisional now; null if it isn't. */
export type MarkedDay = Pick<ReviewedDay, 'accountId' | 'day' | 'fetchedAt' | 'anomalies'> & {
  readonly provisional: string | null;
};

/**
 * Writes what became of days, with the load decision on their newest response.
 *
 * @param lastChance no later run fetches this day or earlier ones: they settle once they are confirmed
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
      returning w.account_id, w.day, w.state),
    complete as (
      update etl.complete_through c set complete_through_day = f.day - 1
      from (
        select m.account_id, min(m.day) as day
        from marks m join warehouse.accounts s using (account_id)
        where m.state = 'provisional' and m.day >= s.first_expected_day
        group by m.account_id) f
      where c.account_id = f.account_id and c.complete_through_day >= f.day)
    update etl.responses r
    set decision = m.state
    from marks m
    where r.response_id = (
      select max(n.response_id) from etl.responses n
      where n.account_id = m.account_id and n.day = m.day and n.decision in ('loaded', 'provisional'))
  `.execute(queries);
}
