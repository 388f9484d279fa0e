import { sql, type Transaction } from 'kysely';
import type { Day } from '../model/day.ts';
import type { DayChange, StandingRow } from '../model/day-change.ts';
import type { CampaignRecord, Reject } from '../model/records.ts';
import type { LedgerEntry } from '../model/window.ts';
import { applyDayChange, readStandingRows, sumUpDay } from './campaign-days.ts';
import { quarantine } from './rejects.ts';
import type { Tables, Warehouse } from './tables.ts';

/** An answer on its way into the warehouse. */
export type WindowAnswer = {
  readonly accountId: number;
  readonly day: Day;
  readonly records: readonly CampaignRecord[];
  /** Records of the answer that couldn't be read. */
  readonly rejects: readonly Reject[];
  readonly contentHash: string;
  /** Clock of the database just before the request. */
  readonly fetchedAt: string;
  /** Whether the day wasn't over yet when it was asked for. */
  readonly provisional: boolean;
  readonly runId: number;
  readonly night: Day;
};

/** Decides what an answer changes; pure, handed in by the job. */
export type Compare = (
  standing: readonly StandingRow[],
  answer: readonly CampaignRecord[],
  final: boolean,
) => DayChange;

/**
 * Loads a window and enters it in the ledger, in one transaction.
 * It begins with the ledger's row, locked, and goes on only if the answer is newer than the one that stands:
 * so any machine may load any window at any time, and the newest answer wins. Gives `stale` where it isn't.
 */
export async function loadWindow(
  warehouse: Warehouse,
  answer: WindowAnswer,
  compare: Compare,
): Promise<DayChange | 'stale'> {
  return await warehouse.transaction().execute(async (transaction) => {
    const entry = await lockEntry(transaction, answer);
    if (entry.stale) return 'stale';
    const standing = await readStandingRows(transaction, answer.accountId, answer.day);
    const change = compare(standing, answer.records, entry.state === 'loaded');
    await applyDayChange(transaction, answer.accountId, answer.day, change);
    await sumUpDay(transaction, answer.accountId, answer.day, answer.provisional);
    await enter(transaction, answer);
    await quarantine(transaction, { ...answer, operation: 'campaignSummary' }, answer.rejects);
    return change;
  });
}

async function lockEntry(transaction: Transaction<Tables>, answer: WindowAnswer) {
  const { accountId, day, fetchedAt } = answer;
  await sql`
    insert into etl.windows (account_id, day, state) values (${accountId}, ${day}, 'failed')
    on conflict (account_id, day) do nothing
  `.execute(transaction);
  const { rows } = await sql<{ state: LedgerEntry['state']; stale: boolean }>`
    select state, coalesce(fetched_at >= ${fetchedAt}::timestamptz, false) as stale
    from etl.windows where account_id = ${accountId} and day = ${day} for update
  `.execute(transaction);
  return rows[0]!;
}

async function enter(transaction: Transaction<Tables>, answer: WindowAnswer): Promise<void> {
  await sql`
    update etl.windows
    set state = ${answer.provisional ? 'provisional' : 'loaded'},
      fetched_at = ${answer.fetchedAt}::timestamptz, loaded_at = now(), run_id = ${answer.runId},
      same_since_night = case
        when content_hash is distinct from ${answer.contentHash} or state <> 'loaded' then ${answer.night}::date
        else same_since_night end,
      content_hash = ${answer.contentHash}, pulled_night = ${answer.night}::date,
      failed_at = null, failure = null
    where account_id = ${answer.accountId} and day = ${answer.day}
  `.execute(transaction);
}

/** Notes that a window could not be pulled. What stood of it stays. */
export async function noteFailure(
  warehouse: Warehouse,
  window: { readonly accountId: number; readonly day: Day },
  failure: string,
): Promise<void> {
  await sql`
    insert into etl.windows as w (account_id, day, state, failed_at, failure)
    values (${window.accountId}, ${window.day}, 'failed', clock_timestamp(), ${failure})
    on conflict (account_id, day) do update set failed_at = excluded.failed_at, failure = excluded.failure
  `.execute(warehouse);
}

/** The ledger from `since` on, of accounts that are still in the settings. */
export async function readLedger(warehouse: Warehouse, since: Day): Promise<LedgerEntry[]> {
  const rows = await warehouse
    .selectFrom('etl.windows as w')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'w.account_id')
    .select(['a.name as account', 'w.day', 'w.state', 'w.pulled_night as pulledNight'])
    .where('w.day', '>=', since)
    .where('a.until', 'is', null)
    .execute();
  return rows;
}
