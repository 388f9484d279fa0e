import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { DayChange, StandingRow } from '../model/day-change.ts';
import type { CampaignRecord } from '../model/records.ts';
import { jsons, numbers, texts } from './array-literal.ts';
import type { Moment } from './moment.ts';
import type { Queries, Transaction } from './warehouse.ts';

/** Every row of a day, withdrawn ones included. */
export async function readStandingRows(
  transaction: Queries,
  accountId: number,
  day: Day,
): Promise<StandingRow[]> {
  const { rows } = await transaction.query<StandingRow>(sql`
    select callset_id as "callsetId", campaign, attempts, busies, connects, live_answers as "liveAnswers", extra,
      withdrawn_at is not null as withdrawn
    from warehouse.campaign_days where account_id = ${accountId} and day = ${day}
  `);
  return rows;
}

/** Writes what changed of a day, and nothing else; first what the restated rows said before. */
export async function applyDayChange(
  transaction: Transaction,
  accountId: number,
  day: Day,
  change: DayChange,
  at: Moment,
): Promise<void> {
  await keepRestated(transaction, accountId, day, change, at);
  // The ledger's row is locked, so that nobody else writes rows of this day: what hasn't stood can be inserted as it is.
  if (change.appeared.length > 0) await insertRows(transaction, accountId, day, change.appeared, at);
  if (change.updated.length > 0) await updateRows(transaction, accountId, day, change, at);
  if (change.withdrawn.length > 0) await withdrawRows(transaction, accountId, day, change, at);
}

const restatedIds = (change: DayChange) =>
  numbers(change.restatements.map((restatement) => restatement.callsetId));

async function keepRestated(
  transaction: Transaction,
  accountId: number,
  day: Day,
  change: DayChange,
  at: Moment,
) {
  if (change.restatements.length === 0) return;
  await transaction.query(sql`
    insert into warehouse.campaign_day_restatements
      (account_id, day, callset_id, restated_at, reason,
       campaign, attempts, busies, connects, live_answers, extra, loaded_at)
    select d.account_id, d.day, d.callset_id, ${at}, r.reason,
      d.campaign, d.attempts, d.busies, d.connects, d.live_answers, d.extra, d.loaded_at
    from unnest(
      ${restatedIds(change)}::bigint[],
      ${change.restatements.map((restatement) => restatement.reason)}::text[]) r (callset_id, reason)
    join warehouse.campaign_days d using (callset_id)
    where d.account_id = ${accountId} and d.day = ${day}
  `);
}

async function insertRows(
  transaction: Transaction,
  accountId: number,
  day: Day,
  records: readonly CampaignRecord[],
  at: Moment,
) {
  await transaction.query(sql`
    insert into warehouse.campaign_days
      (account_id, day, callset_id, campaign, attempts, busies, connects, live_answers, extra, loaded_at)
    select ${accountId}::integer, ${day}::date, r.*, ${at} from ${rowsOf(records)} r
  `);
}

async function updateRows(
  transaction: Transaction,
  accountId: number,
  day: Day,
  change: DayChange,
  at: Moment,
) {
  await transaction.query(sql`
    update warehouse.campaign_days d
    set campaign = r.campaign, attempts = r.attempts, busies = r.busies, connects = r.connects,
      live_answers = r.live_answers, extra = r.extra,
      -- Since when the counts are these: a new name alone leaves it, or what was reported when could not be told.
      loaded_at = case
        when d.withdrawn_at is null and (d.attempts, d.busies, d.connects, d.live_answers)
          is not distinct from (r.attempts, r.busies, r.connects, r.live_answers)
        then d.loaded_at else ${at} end,
      withdrawn_at = null,
      restated_at = case when d.callset_id = any(${restatedIds(change)}::bigint[]) then ${at} else d.restated_at end
    from ${rowsOf(change.updated)} r (callset_id, campaign, attempts, busies, connects, live_answers, extra)
    where d.account_id = ${accountId} and d.day = ${day} and d.callset_id = r.callset_id
  `);
}

function rowsOf(records: readonly CampaignRecord[]) {
  return sql`unnest(
    ${numbers(records.map((record) => record.callsetId))}::bigint[],
    ${texts(records.map((record) => record.campaign))}::text[],
    ${numbers(records.map((record) => record.attempts))}::bigint[],
    ${numbers(records.map((record) => record.busies))}::bigint[],
    ${numbers(records.map((record) => record.connects))}::bigint[],
    ${numbers(records.map((record) => record.liveAnswers))}::bigint[],
    ${jsons(records.map((record) => record.extra))}::jsonb[])`;
}

async function withdrawRows(
  transaction: Transaction,
  accountId: number,
  day: Day,
  change: DayChange,
  at: Moment,
) {
  await transaction.query(sql`
    update warehouse.campaign_days
    set withdrawn_at = ${at},
      restated_at = case when callset_id = any(${restatedIds(change)}::bigint[]) then ${at} else restated_at end
    where account_id = ${accountId} and day = ${day} and callset_id = any(${numbers(change.withdrawn)}::bigint[])
  `);
}

/** Brings the day's sums in line with its rows; a row that didn't change isn't written. */
export async function sumUpDay(
  transaction: Transaction,
  accountId: number,
  day: Day,
  provisional: boolean,
  at: Moment,
): Promise<void> {
  await transaction.query(sql`
    insert into warehouse.account_days as s
      (account_id, day, campaigns, attempts, busies, connects, live_answers, provisional, loaded_at)
    select ${accountId}::integer, ${day}::date, count(*),
      coalesce(sum(attempts), 0), coalesce(sum(busies), 0), coalesce(sum(connects), 0),
      coalesce(sum(live_answers), 0), ${provisional}, ${at}
    from warehouse.campaign_days
    where account_id = ${accountId} and day = ${day} and withdrawn_at is null
    on conflict (account_id, day) do update
      set campaigns = excluded.campaigns, attempts = excluded.attempts, busies = excluded.busies,
        connects = excluded.connects, live_answers = excluded.live_answers,
        provisional = excluded.provisional, loaded_at = excluded.loaded_at
      where (s.campaigns, s.attempts, s.busies, s.connects, s.live_answers, s.provisional) is distinct from
        (excluded.campaigns, excluded.attempts, excluded.busies, excluded.connects, excluded.live_answers,
         excluded.provisional)
  `);
}
