import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Failure } from '../../model/errors.ts';
import type {
  CampaignRecord,
  CountName,
  Reject,
  ServiceResponse,
  SummaryEnvelope,
} from '../../model/records.ts';
import type {
  CountedResponse,
  CurrentDay,
  DayChange,
  WindowDecision,
  WindowState,
} from '../../model/window.ts';
import { keepFetches } from '../archive/archive.ts';
import { readCounted } from '../archive/read-archive.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { asExcluded, clockTime, transactionTime } from '../db/expressions.ts';
import type { Decision } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Entry, lockEntry, recordApplied, recordHeld, type WindowKey } from '../ledger/window-entry.ts';
import { sumUpDay } from './account-days.ts';
import { applyDayChange, readCurrentRows } from './campaign-days.ts';
import { quarantine } from './rejects.ts';

/** The response for a window on its way into the warehouse. */
export type WindowResponse = Entry & {
  readonly records: readonly CampaignRecord[];
  /** Records of the response that couldn't be read. */
  readonly rejects: readonly Reject[];
  readonly envelope: SummaryEnvelope;
  /** Counts that most of the campaigns don't report. */
  readonly unreported: readonly CountName[];
  /** The response as it is archived. */
  readonly response: ServiceResponse;
};

/** What was decided on a response; `stale`: a newer one was decided on already. */
export type Loaded = (WindowDecision | { readonly decision: 'stale' }) & {
  /** State of the window before it. */
  readonly before: WindowState;
  /** Of the last response that was decided on, where it is in the future and was ignored for that; else null. */
  readonly futureFetchedAt: string | null;
};

/**
 * Loads a window, records it in the ledger and archives the response, in one transaction.
 * It begins with the ledger's row, locked, and goes on only if the response is newer than the last that was decided
 * on: so any machine may load any window at any time, and the newest response wins.
 *
 * @param decide the decision; pure, handed in by the job
 */
export async function loadWindow(
  warehouse: Warehouse,
  window: WindowResponse,
  decide: (current: CurrentDay, earlier: readonly CountedResponse[]) => WindowDecision,
): Promise<Loaded> {
  return await inTransaction(warehouse, async (transaction) => {
    const { stale, futureFetchedAt, ...entry } = await lockEntry(transaction, window);
    const before = entry.state;
    if (stale) {
      await archive(transaction, window, 'stale');
      return { decision: 'stale', before, futureFetchedAt };
    }
    // One that was never loaded has no rows.
    const rows = before === 'failed' ? [] : await readCurrentRows(transaction, window);
    const decided = decide(
      { ...entry, rows },
      await readCounted(transaction, window.accountId, window.envelope),
    );
    if (decided.decision === 'repeat') {
      await archive(transaction, window, 'discarded');
      return { ...decided, before, futureFetchedAt };
    }
    await quarantine(transaction, { ...window, operation: 'campaignSummary' }, window.rejects);
    if (decided.decision === 'hold') {
      await recordHeld(transaction, window, transactionTime);
      await archive(transaction, window, 'held', decided.disagreeing);
    } else {
      await applyDayChange(transaction, window, decided.change, transactionTime);
      await sumUpDay(transaction, window, window.provisional, transactionTime);
      const written = changedIds(decided.change);
      await recordApplied(transaction, window, transactionTime);
      const decision = window.provisional ? 'provisional' : 'loaded';
      await archive(transaction, window, decision, decided.disagreeing, written);
    }
    return { ...decided, before, futureFetchedAt };
  });
}

async function archive(
  transaction: Transaction,
  window: WindowResponse,
  decision: Decision,
  disagreeing: readonly string[] = [],
  writtenIds: readonly number[] = [],
): Promise<void> {
  const envelope = { ...window.envelope, unreported: window.unreported, disagreeing };
  await keepFetches(transaction, [{ ...window, walk: null, envelope, decision, writtenIds }]);
}

/** Ids of the rows that a change writes. */
export function changedIds({ appeared, updated, withdrawn }: DayChange): number[] {
  return [...[...appeared, ...updated].map((record) => record.callsetId), ...withdrawn];
}

/** Archives a response that was refused as a whole; the rows of its window stay. */
export async function keepUnreadable(warehouse: Warehouse, window: WindowResponse): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    await quarantine(transaction, { ...window, operation: 'campaignSummary' }, window.rejects);
    await archive(transaction, window, 'unreadable');
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
  return { ...entry, rows: await readCurrentRows(warehouse, { accountId, day }) };
}

/** Records that a window could not be synced, and why; its rows stay. False where its account was erased meanwhile. */
export async function recordFailure(
  warehouse: Queries,
  { accountId, day }: WindowKey,
  { code, detail }: Pick<Failure, 'code' | 'detail'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await warehouse
    .insertInto('etl.windows')
    .columns(['account_id', 'day', 'state', 'failed_at', 'failure', 'failure_code'])
    .expression((eb) =>
      eb
        .selectFrom('warehouse.accounts')
        .select([
          'account_id',
          sql<Day>`${day}::date`.as('day'),
          eb.val<'failed'>('failed').as('state'),
          clockTime.as('failed_at'),
          eb.val(detail).as('failure'),
          eb.val(code).as('failure_code'),
        ])
        .where('account_id', '=', accountId)
        .forKeyShare(),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'day'])
        .doUpdateSet(asExcluded(['failed_at', 'failure', 'failure_code'])),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows! > 0n;
}
