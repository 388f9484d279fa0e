import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { CampaignRecord, Reject, ServiceResponse } from '../../model/records.ts';
import type { CurrentDay, DayChange, LoadDecision } from '../../model/window.ts';
import { keepFetches } from '../archive/archive.ts';
import type { Queries, Warehouse } from '../db/database.ts';
import { asExcluded } from '../db/expressions.ts';
import type { Decision } from '../db/tables.ts';
import { transactionTime } from '../db/timestamp.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Entry, lockEntry, recordApplied, recordHeld } from '../ledger/window-entry.ts';
import { sumUpDay } from './account-days.ts';
import { applyDayChange, readCurrentRows } from './campaign-days.ts';
import { quarantine } from './rejects.ts';

/** A response on its way into the warehouse. */
export type WindowAnswer = Entry & {
  readonly records: readonly CampaignRecord[];
  /** Records of the response that couldn't be read. */
  readonly rejects: readonly Reject[];
  /** The response as it is archived. */
  readonly response: ServiceResponse;
};

/** What became of a response, and what was current before it. */
export type Loaded = {
  readonly before: CurrentDay;
  readonly outcome: LoadDecision | { readonly decision: 'stale' };
};

/**
 * Loads a window, records it in the ledger and archives the response, in one transaction.
 * It begins with the ledger's row, locked, and goes on only if the response is newer than the last that was decided
 * on: so any machine may load any window at any time, and the newest response wins.
 *
 * @param decide the load decision; pure, handed in by the job
 */
export async function loadWindow(
  warehouse: Warehouse,
  answer: WindowAnswer,
  decide: (current: CurrentDay) => LoadDecision,
): Promise<Loaded> {
  const { accountId, day } = answer;
  return await inTransaction(warehouse, async (transaction) => {
    const archive = (decision: Decision, writtenIds: readonly number[]) =>
      keepFetches(transaction, [{ ...answer, walk: null, decision, writtenIds }]);
    const entry = await lockEntry(transaction, answer);
    // One that was never loaded has no rows.
    const rows = entry.state === 'failed' ? [] : await readCurrentRows(transaction, accountId, day);
    const before = { ...entry, rows };
    if (entry.stale) {
      await archive('stale', []);
      return { before, outcome: { decision: 'stale' } };
    }
    const loadDecision = decide(before);
    await quarantine(transaction, { ...answer, operation: 'campaignSummary' }, answer.rejects);
    if (loadDecision.decision === 'hold') {
      await recordHeld(transaction, answer, transactionTime);
      await archive('held', []);
    } else {
      const { change } = loadDecision;
      await applyDayChange(transaction, accountId, day, change, transactionTime);
      await sumUpDay(transaction, accountId, day, answer.provisional, transactionTime);
      const written = writtenIds(change);
      await recordApplied(transaction, answer, written.length > 0, transactionTime);
      await archive(answer.provisional ? 'provisional' : 'loaded', written);
    }
    return { before, outcome: loadDecision };
  });
}

function writtenIds({ appeared, updated, withdrawn }: DayChange): number[] {
  return [...[...appeared, ...updated].map((record) => record.callsetId), ...withdrawn];
}

/** Archives a response that was refused as a whole; the rows of its window stay. */
export async function keepUnreadable(
  warehouse: Warehouse,
  answer: Pick<WindowAnswer, 'accountId' | 'day' | 'runId' | 'fetchedAt' | 'rejects' | 'response'>,
): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    await quarantine(transaction, { ...answer, operation: 'campaignSummary' }, answer.rejects);
    await keepFetches(transaction, [{ ...answer, walk: null, decision: 'unreadable', writtenIds: [] }]);
  });
}

/** The current state of a window, without a lock: to look at. Null is an account that isn't there yet. */
export async function readCurrentDay(
  warehouse: Queries,
  accountId: number | null,
  day: Day,
): Promise<CurrentDay> {
  const entry = await warehouse
    .selectFrom('etl.windows')
    .select(['state', 'held_hash as heldHash', 'held_run_date as heldRunDate'])
    .where('account_id', '=', accountId)
    .where('day', '=', day)
    .executeTakeFirst();
  if (accountId === null || entry === undefined)
    return { state: 'failed', heldHash: null, heldRunDate: null, rows: [] };
  return { ...entry, rows: await readCurrentRows(warehouse, accountId, day) };
}

/** Records that a window could not be synced; its rows stay. */
export async function recordFailure(
  warehouse: Queries,
  window: { readonly accountId: number; readonly day: Day },
  failure: string,
): Promise<void> {
  await warehouse
    .insertInto('etl.windows')
    .values({
      account_id: window.accountId,
      day: window.day,
      state: 'failed',
      failed_at: sql`clock_timestamp()`,
      failure,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'day']).doUpdateSet(asExcluded(['failed_at', 'failure'])),
    )
    .execute();
}
