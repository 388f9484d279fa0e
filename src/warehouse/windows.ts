import sql from 'sql-template-tag';
import type { HeardAnswer } from '../model/answer.ts';
import type { Day } from '../model/day.ts';
import type { DayChange, StandingDay, Verdict } from '../model/day-change.ts';
import type { CampaignRecord, Reject } from '../model/records.ts';
import { type Decision, keepFetches } from './archive.ts';
import { applyDayChange, readStandingRows, sumUpDay } from './campaign-days.ts';
import { followCampaigns } from './campaigns.ts';
import { transactionTime } from './moment.ts';
import { quarantine } from './rejects.ts';
import { inTransaction } from './transaction.ts';
import type { Queries, Warehouse } from './warehouse.ts';
import { type Entry, enterApplied, enterHeld, lockEntry } from './window-entry.ts';

/** An answer on its way into the warehouse. */
export type WindowAnswer = Entry & {
  readonly records: readonly CampaignRecord[];
  /** Records of the answer that couldn't be read. */
  readonly rejects: readonly Reject[];
  /** The answer as it is archived. */
  readonly answer: HeardAnswer;
};

/** What became of an answer, and what stood before it. */
export type Loaded = {
  readonly before: StandingDay;
  readonly outcome: Verdict | { readonly decision: 'stale' };
};

/**
 * Loads a window, enters it in the ledger and archives the answer, in one transaction.
 * It begins with the ledger's row, locked, and goes on only if the answer is newer than the last that was decided
 * on: so any machine may load any window at any time, and the newest answer wins.
 *
 * @param judge decides what becomes of the answer; pure, handed in by the job
 */
export async function loadWindow(
  warehouse: Warehouse,
  answer: WindowAnswer,
  judge: (standing: StandingDay) => Verdict,
): Promise<Loaded> {
  const { accountId, day } = answer;
  return await inTransaction(warehouse, async (transaction) => {
    const archive = (decided: Decision, wrote: readonly number[]) =>
      keepFetches(transaction, [{ ...answer, walk: null, decided, wrote }]);
    const entry = await lockEntry(transaction, answer);
    const before = { ...entry, rows: await readStandingRows(transaction, accountId, day) };
    if (entry.stale) {
      await archive('stale', []);
      return { before, outcome: { decision: 'stale' } };
    }
    const verdict = judge(before);
    await quarantine(transaction, { ...answer, operation: 'campaignSummary' }, answer.rejects);
    if (verdict.decision === 'hold') {
      await enterHeld(transaction, answer, transactionTime);
      await archive('held', []);
    } else {
      const { change } = verdict;
      await applyDayChange(transaction, accountId, day, change, transactionTime);
      await sumUpDay(transaction, accountId, day, answer.provisional, transactionTime);
      await enterApplied(transaction, answer, transactionTime);
      await archive(answer.provisional ? 'provisional' : 'loaded', writtenIds(change));
      await followCampaigns(transaction, accountId, day, change);
    }
    return { before, outcome: verdict };
  });
}

function writtenIds({ appeared, updated, withdrawn }: DayChange): number[] {
  return [...[...appeared, ...updated].map((record) => record.callsetId), ...withdrawn];
}

/** Keeps an answer that was refused as a whole; what stood of its window stands. */
export async function keepUnreadable(
  warehouse: Warehouse,
  answer: Pick<WindowAnswer, 'accountId' | 'day' | 'runId' | 'fetchedAt' | 'rejects' | 'answer'>,
): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    await quarantine(transaction, { ...answer, operation: 'campaignSummary' }, answer.rejects);
    await keepFetches(transaction, [{ ...answer, walk: null, decided: 'unreadable', wrote: [] }]);
  });
}

/** What stands of a window now, without a lock: to look at. Null is an account that isn't there yet. */
export async function readStandingDay(
  warehouse: Queries,
  accountId: number | null,
  day: Day,
): Promise<StandingDay> {
  const { rows } = await warehouse.query<Omit<StandingDay, 'rows'>>(sql`
    select state, held_hash as "heldHash", held_night as "heldNight"
    from etl.windows where account_id = ${accountId} and day = ${day}
  `);
  const entry = rows[0] ?? { state: 'failed', heldHash: null, heldNight: null };
  return { ...entry, rows: accountId === null ? [] : await readStandingRows(warehouse, accountId, day) };
}

/** Notes that a window could not be pulled. What stood of it stays. */
export async function noteFailure(
  warehouse: Queries,
  window: { readonly accountId: number; readonly day: Day },
  failure: string,
): Promise<void> {
  await warehouse.query(sql`
    insert into etl.windows as w (account_id, day, state, failed_at, failure)
    values (${window.accountId}, ${window.day}, 'failed', clock_timestamp(), ${failure})
    on conflict (account_id, day) do update set failed_at = excluded.failed_at, failure = excluded.failure
  `);
}
