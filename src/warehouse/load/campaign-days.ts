import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { CampaignRecord } from '../../model/records.ts';
import type { CurrentRow, DayChange } from '../../model/window.ts';
import { jsons, numbers, texts } from '../db/array-literal.ts';
import type { Queries, Transaction } from '../db/database.ts';
import { anyOf, asExcluded, differs } from '../db/expressions.ts';
import type { Timestamp } from '../db/timestamp.ts';

/** Every row of a day, withdrawn ones included. */
export async function readCurrentRows(queries: Queries, accountId: number, day: Day): Promise<CurrentRow[]> {
  return await queries
    .selectFrom('warehouse.campaign_days')
    .select([
      'callset_id as callsetId',
      'campaign',
      'attempts',
      'busies',
      'connects',
      'live_answers as liveAnswers',
      'extra',
      sql<boolean>`withdrawn_at is not null`.as('withdrawn'),
    ])
    .where('account_id', '=', accountId)
    .where('day', '=', day)
    .execute();
}

/** Writes what changed of a day, and nothing else; first what the restated rows were before. */
export async function applyDayChange(
  transaction: Transaction,
  accountId: number,
  day: Day,
  change: DayChange,
  at: Timestamp,
): Promise<void> {
  const written = [...change.appeared, ...change.updated];
  if (change.restatements.length > 0) await keepRestated(transaction, accountId, day, change, at);
  if (written.length > 0) await upsertRows(transaction, accountId, day, written, change, at);
  if (change.withdrawn.length > 0) await withdrawRows(transaction, accountId, day, change, at);
}

const restatedIds = (change: DayChange) =>
  numbers(change.restatements.map((restatement) => restatement.callsetId));

async function keepRestated(
  transaction: Transaction,
  accountId: number,
  day: Day,
  change: DayChange,
  at: Timestamp,
): Promise<void> {
  const reasons = sql<{ callset_id: number; reason: string }>`unnest(
    ${restatedIds(change)}::bigint[],
    ${texts(change.restatements.map((restatement) => restatement.reason))}::text[])`;
  const before = [
    'campaign',
    'attempts',
    'busies',
    'connects',
    'live_answers',
    'extra',
    'loaded_at',
  ] as const;
  await transaction
    .insertInto('warehouse.campaign_day_restatements')
    .columns(['account_id', 'day', 'callset_id', 'restated_at', 'reason', ...before])
    .expression((eb) =>
      eb
        .selectFrom('warehouse.campaign_days as d')
        .innerJoin(reasons.as<'r'>(sql`r (callset_id, reason)`), 'r.callset_id', 'd.callset_id')
        .select(['d.account_id', 'd.day', 'd.callset_id', at.as('restated_at'), 'r.reason', ...before])
        .where('d.account_id', '=', accountId)
        .where('d.day', '=', day),
    )
    .execute();
}

const countColumns = ['attempts', 'busies', 'connects', 'live_answers'] as const;
const recordColumns = ['campaign', ...countColumns, 'extra'] as const;

/** A new name alone leaves `loaded_at`: since when the counts are these, or what was reported when couldn't be traced. */
async function upsertRows(
  transaction: Transaction,
  accountId: number,
  day: Day,
  records: readonly CampaignRecord[],
  change: DayChange,
  at: Timestamp,
): Promise<void> {
  await transaction
    .insertInto('warehouse.campaign_days')
    .columns(['account_id', 'day', 'callset_id', ...recordColumns, 'loaded_at'])
    .expression((eb) =>
      eb
        .selectFrom(rowsOf(records))
        .select([
          sql<number>`${accountId}::integer`.as('account_id'),
          sql<string>`${day}::date`.as('day'),
          'r.callset_id',
          'r.campaign',
          'r.attempts',
          'r.busies',
          'r.connects',
          'r.live_answers',
          'r.extra',
          at.as('loaded_at'),
        ]),
    )
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'day', 'callset_id']).doUpdateSet({
        ...asExcluded(recordColumns),
        loaded_at: sql`
          case when warehouse.campaign_days.withdrawn_at is not null
              or ${differs('warehouse.campaign_days', countColumns)}
            then excluded.loaded_at else warehouse.campaign_days.loaded_at end`,
        withdrawn_at: null,
        restated_at: restatedAt(change, at),
      }),
    )
    .execute();
}

type RecordRow = {
  callset_id: number;
  campaign: string | null;
  attempts: number | null;
  busies: number | null;
  connects: number | null;
  live_answers: number | null;
  extra: string;
};

/** Campaigns as a table `r` to select from. */
function rowsOf(records: readonly CampaignRecord[]) {
  return sql<RecordRow>`unnest(
    ${numbers(records.map((record) => record.callsetId))}::bigint[],
    ${texts(records.map((record) => record.campaign))}::text[],
    ${numbers(records.map((record) => record.attempts))}::bigint[],
    ${numbers(records.map((record) => record.busies))}::bigint[],
    ${numbers(records.map((record) => record.connects))}::bigint[],
    ${numbers(records.map((record) => record.liveAnswers))}::bigint[],
    ${jsons(records.map((record) => record.extra))}::jsonb[])`.as<'r'>(
    sql`r (callset_id, campaign, attempts, busies, connects, live_answers, extra)`,
  );
}

async function withdrawRows(
  transaction: Transaction,
  accountId: number,
  day: Day,
  change: DayChange,
  at: Timestamp,
): Promise<void> {
  await transaction
    .updateTable('warehouse.campaign_days')
    .set({ withdrawn_at: at, restated_at: restatedAt(change, at) })
    .where('account_id', '=', accountId)
    .where('day', '=', day)
    .where('callset_id', '=', anyOf(change.withdrawn))
    .execute();
}

/** Of a row of `campaign_days` that is written: when its counts last turned out otherwise. */
function restatedAt(change: DayChange, at: Timestamp) {
  const isRestated = sql`warehouse.campaign_days.callset_id = any(${restatedIds(change)}::bigint[])`;
  return sql<string>`case when ${isRestated} then ${at} else warehouse.campaign_days.restated_at end`;
}
