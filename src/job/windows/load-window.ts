import type { LoadDecision, WindowState } from '../../model/window.ts';
import { readConfirmed } from '../../warehouse/archive/read-archive.ts';
import type { Transaction, Warehouse } from '../../warehouse/db/database.ts';
import { transactionTime } from '../../warehouse/db/expressions.ts';
import { inTransaction } from '../../warehouse/db/transaction.ts';
import { type LockedEntry, lockEntry } from '../../warehouse/ledger/window-entry.ts';
import { readCurrentRows } from '../../warehouse/load/campaign-days.ts';
import { quarantine, replaceRejects } from '../../warehouse/load/rejects.ts';
import { archiveResponse, followDecision, type WindowResponse } from '../../warehouse/load/windows.ts';
import { decideLoad, needsConfirmed } from './decide.ts';

/**
 * The outcome of a response. `stale`: a newer one was decided on already. `repeat`: a count announces more
 * campaigns than it lists, so it is requested once more.
 */
export type Loaded = (LoadDecision | { readonly decision: 'stale' } | { readonly decision: 'repeat' }) & {
  /** The state of the window before. */
  readonly before: WindowState;
  /** The time of the last response, if that is in the future and was ignored; else null. */
  readonly futureFetchedAt: string | null;
};

/** Circumstances of a load decision. */
export type LoadOptions = {
  /** Somebody looked at the held response and accepted it. */
  readonly accepted: boolean;
  /** It may be requested once more. */
  readonly repeatable: boolean;
};

/**
 * Decides on a response, loads it, records it in the ledger and archives it, in one transaction. It locks the
 * ledger's row first, and continues only if the response is newer than the last one decided on: any machine may
 * load any window at any time, and the newest response wins.
 */
export async function loadWindow(
  warehouse: Warehouse,
  window: WindowResponse,
  options: LoadOptions,
): Promise<Loaded> {
  return await inTransaction(warehouse, async (transaction) => {
    const entry = await lockEntry(transaction, window, window.response.sha256);
    const { state: before, futureFetchedAt } = entry;
    if (entry.response !== 'newer') {
      await archiveResponse(transaction, window, 'stale');
      return { decision: 'stale', before, futureFetchedAt };
    }
    const decided = await decideAndFollow(transaction, entry, window, options);
    return { ...decided, before, futureFetchedAt };
  });
}

/** Decides on a response under the lock of its ledger row, follows the decision and archives both. */
export async function decideAndFollow(
  transaction: Transaction,
  entry: LockedEntry,
  window: WindowResponse,
  { accepted, repeatable }: LoadOptions,
): Promise<LoadDecision | { readonly decision: 'repeat' }> {
  // A window that was never loaded has no rows.
  const rows = entry.state === 'failed' ? [] : await readCurrentRows(transaction, window);
  const candidate = { ...window, accepted };
  const confirmed = needsConfirmed(candidate) ? await readConfirmed(transaction, window) : [];
  const decision = decideLoad({ ...entry, rows }, candidate, confirmed);
  if (repeatable && decision.anomalies.some(({ code, known }) => code === 'announced' && !known)) {
    await archiveResponse(transaction, window, 'discarded');
    return { decision: 'repeat' };
  }
  if (entry.hasRejects || window.rejectCount > 0) await replaceRejects(transaction, window, transactionTime);
  await followDecision(transaction, window, decision, transactionTime);
  const { bodyKept } = entry;
  await archiveResponse(transaction, { ...window, bodyKept }, archivedAs(decision), decision.anomalies);
  return decision;
}

function archivedAs(decision: LoadDecision) {
  if (decision.decision === 'hold') return 'held';
  if (decision.decision === 'keep') return 'kept';
  return decision.provisional === null ? 'loaded' : 'provisional';
}

/** Archives a response that was refused as a whole; the rows of its window stay. */
export async function keepUnreadable(warehouse: Warehouse, window: WindowResponse): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    await quarantine(transaction, { ...window, operation: 'campaignSummary' }, window, transactionTime);
    await archiveResponse(transaction, window, 'unreadable');
  });
}
