import type { Updateable } from 'kysely';
import type { CampaignRecord, Reject } from '../../model/records.ts';
import type { CurrentRow, DayChange } from '../../model/window.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { recordedTime } from '../db/expressions.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Entry, lockEntry, recordApplied, recordHeld, type WindowKey } from '../ledger/window-entry.ts';
import { sumUpDay } from '../load/account-days.ts';
import { applyDayChange, readCurrentRows } from '../load/campaign-days.ts';

/** An archived response, parsed again, with its decision. */
export type DecidedResponse = Entry & {
  readonly decision: 'loaded' | 'provisional' | 'held';
  readonly decidedAt: string;
  readonly records: readonly CampaignRecord[];
  readonly rejects: readonly Reject[];
};

/** What a response changes about the current rows; `final` says that somebody may have read them as final. */
export type Compare = (
  current: readonly CurrentRow[],
  response: DecidedResponse,
  final: boolean,
) => DayChange;

/**
 * Builds a window anew from its responses, oldest first, in one transaction: its rows, restatements, sums and ledger
 * entry, each with the timestamp of the decision. Decisions are followed, not made again.
 *
 * @param read gives the responses; called under the ledger's lock, so that none is decided on in between
 */
export async function rebuildWindow(
  warehouse: Warehouse,
  window: WindowKey,
  read: (reader: Queries) => Promise<readonly DecidedResponse[]>,
  compare: Compare,
): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    await lockEntry(transaction, { ...window, fetchedAt: '-infinity' });
    const responses = await read(transaction);
    const last = await readLastFailure(transaction, window);
    await clearWindow(transaction, window);
    let final = false;
    for (const response of responses) {
      const at = recordedTime(response.decidedAt);
      if (response.decision === 'held') {
        await recordHeld(transaction, response, at);
        continue;
      }
      const change = compare(await readCurrentRows(transaction, window), response, final);
      await applyDayChange(transaction, window, change, at);
      await sumUpDay(transaction, window, response.provisional, at);
      await recordApplied(transaction, response, true, at);
      final = !response.provisional;
    }
    if (last.loaded) await updateEntry(transaction, window, last.failure);
  });
}

/** What no response says of a window: how its last attempt failed. Of one that was never loaded it stays as it is. */
async function readLastFailure(transaction: Transaction, { accountId, day }: WindowKey) {
  const { content_hash, ...failure } = await transaction
    .selectFrom('etl.windows')
    .select(['failed_at', 'failure', 'content_hash'])
    .where((eb) => eb.and({ account_id: accountId, day }))
    .executeTakeFirstOrThrow();
  return { loaded: content_hash !== null, failure };
}

const windowTables = [
  'warehouse.campaign_day_restatements',
  'warehouse.campaign_days',
  'warehouse.account_days',
] as const;

async function clearWindow(transaction: Transaction, window: WindowKey): Promise<void> {
  const { accountId, day } = window;
  for (const table of windowTables)
    await transaction
      .deleteFrom(table)
      .where((eb) => eb.and({ account_id: accountId, day }))
      .execute();
  await updateEntry(transaction, window, {
    state: 'failed',
    content_hash: null,
    same_since_run_date: null,
    held_hash: null,
    held_run_date: null,
    held_since: null,
    campaigns_due: true,
  });
}

async function updateEntry(
  transaction: Transaction,
  { accountId, day }: WindowKey,
  columns: Updateable<Tables['etl.windows']>,
): Promise<void> {
  await transaction
    .updateTable('etl.windows')
    .set(columns)
    .where((eb) => eb.and({ account_id: accountId, day }))
    .execute();
}
