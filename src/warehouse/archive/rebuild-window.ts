import type { Day } from '../../model/day.ts';
import type { CampaignRecord, Reject } from '../../model/records.ts';
import type { CurrentRow, DayChange } from '../../model/window.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { recordedTime } from '../db/timestamp.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Entry, lockEntry, recordApplied, recordHeld } from '../ledger/window-entry.ts';
import { sumUpDay } from '../load/account-days.ts';
import { applyDayChange, readCurrentRows } from '../load/campaign-days.ts';

/** An archived response, parsed again, with its decision. */
export type DecidedAnswer = Entry & {
  readonly decision: 'loaded' | 'provisional' | 'held';
  readonly decidedAt: string;
  readonly records: readonly CampaignRecord[];
  readonly rejects: readonly Reject[];
};

/** What an answer changes about the rows that stand; `final` says that somebody may have read them as final. */
export type Compare = (current: readonly CurrentRow[], answer: DecidedAnswer, final: boolean) => DayChange;

/**
 * Builds a window anew from its answers, oldest first, in one transaction: its rows, restatements, sums and ledger
 * entry, each stamped with the instant of the decision. Decisions are followed, not made again.
 *
 * @param read gives the responses; called under the ledger's lock, so that none is decided on in between
 */
export async function rebuildWindow(
  warehouse: Warehouse,
  window: { readonly accountId: number; readonly day: Day },
  read: (reader: Queries) => Promise<readonly DecidedAnswer[]>,
  compare: Compare,
): Promise<void> {
  const { accountId, day } = window;
  await inTransaction(warehouse, async (transaction) => {
    await lockEntry(transaction, { ...window, fetchedAt: '-infinity' });
    const answers = await read(transaction);
    const noted = await clearWindow(transaction, window);
    let final = false;
    for (const answer of answers) {
      const at = recordedTime(answer.decidedAt);
      if (answer.decision === 'held') {
        await recordHeld(transaction, answer, at);
        continue;
      }
      const current = await readCurrentRows(transaction, accountId, day);
      await applyDayChange(transaction, accountId, day, compare(current, answer, final), at);
      await sumUpDay(transaction, accountId, day, answer.provisional, at);
      await recordApplied(transaction, answer, true, at);
      final = !answer.provisional;
    }
    await recordNoted(transaction, window, noted);
  });
}

/** What the ledger knows of a window that no response brought. */
type Noted = {
  readonly failed_at: string | null;
  readonly failure: string | null;
  readonly content_hash: string | null;
};

async function clearWindow(
  transaction: Transaction,
  { accountId, day }: { readonly accountId: number; readonly day: Day },
): Promise<Noted> {
  const noted = await transaction
    .selectFrom('etl.windows')
    .select(['failed_at', 'failure', 'content_hash'])
    .where('account_id', '=', accountId)
    .where('day', '=', day)
    .executeTakeFirstOrThrow();
  for (const table of windowTables)
    await transaction.deleteFrom(table).where('account_id', '=', accountId).where('day', '=', day).execute();
  await transaction
    .updateTable('etl.windows')
    .set({
      state: 'failed',
      content_hash: null,
      same_since_run_date: null,
      held_hash: null,
      held_run_date: null,
      held_since: null,
      campaigns_due: true,
    })
    .where('account_id', '=', accountId)
    .where('day', '=', day)
    .execute();
  return noted;
}

const windowTables = [
  'warehouse.campaign_day_restatements',
  'warehouse.campaign_days',
  'warehouse.account_days',
] as const;

async function recordNoted(
  transaction: Transaction,
  { accountId, day }: { readonly accountId: number; readonly day: Day },
  { failed_at, failure, content_hash }: Noted,
): Promise<void> {
  if (content_hash === null) return;
  await transaction
    .updateTable('etl.windows')
    .set({ failed_at, failure })
    .where('account_id', '=', accountId)
    .where('day', '=', day)
    .execute();
}
