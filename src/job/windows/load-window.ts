import { type IsAccepted, openAnomalies } from '../../model/anomaly.ts';
import type { CurrentDay, LoadDecision, WindowResponse, WindowState } from '../../model/window.ts';
import { archiveDecision } from '../../warehouse/archive/archive.ts';
import type { Warehouse } from '../../warehouse/db/database.ts';
import { inTransaction } from '../../warehouse/db/transaction.ts';
import { lockEntry, recordApplied, recordUnapplied } from '../../warehouse/ledger/window-entry.ts';
import { applyDayChange, readCurrentRows } from '../../warehouse/load/campaign-days.ts';
import { quarantine, replaceRejects } from '../../warehouse/load/rejects.ts';
import { decideLoad } from './decide.ts';

/**
 * The outcome of a response. `stale`: a newer one was decided on already. `repeat`: it announces another number than it lists, so it
 * is requested once more. `unchanged`: a replay of the last response changes nothing.
 */
export type LoadOutcome = (LoadDecision | { readonly decision: 'stale' | 'repeat' | 'unchanged' }) & {
  readonly before: WindowState;
  /** The time of the last response, if that is in the future and was ignored; else null. */
  readonly futureFetchedAt: string | null;
};

/**
 * Decides on a response, loads it, records it in the ledger and archives it, in one transaction. It locks the
 * ledger's row first, and continues only if the response is newer than the last one decided on: any machine may
 * load any window at any time, and the newest response wins (docs/concepts.md). One of the archive may also be that last one.
 *
 * @param mayRepeat it may be requested once more
 * @param isAccepted what people said of the service, for this account
 */
export async function loadWindow(
  warehouse: Warehouse,
  window: WindowResponse,
  mayRepeat: boolean,
  isAccepted: IsAccepted = () => false,
): Promise<LoadOutcome> {
  return await inTransaction(warehouse, async (transaction) => {
    const { order, isBodyArchived, hasRejects, futureFetchedAt, ...entry } = await lockEntry(
      transaction,
      window,
    );
    const withStateBefore = <Decided>(decided: Decided) => ({
      ...decided,
      before: entry.state,
      futureFetchedAt,
    });
    const isReplayed = typeof window.response === 'number';
    if (order === 'older' || (order === 'same' && !isReplayed)) {
      if (!isReplayed) await archiveDecision(transaction, window, 'stale');
      return withStateBefore({ decision: 'stale' } as const);
    }
    // A window that was never loaded has no rows.
    const rows = entry.state === 'failed' ? [] : await readCurrentRows(transaction, window);
    const isReplayOfNewest = order === 'same';
    const decision = decideLoad({ ...entry, rows, isReplayOfNewest }, window, isAccepted);
    if (mayRepeat && openAnomalies(decision.anomalies).some(({ code }) => code === 'announced')) {
      await archiveDecision(transaction, window, 'discarded');
      return withStateBefore({ decision: 'repeat' } as const);
    }
    if (isReplayOfNewest && changesNothing(entry, window, decision))
      return withStateBefore({ decision: 'unchanged' } as const);
    if (decision.decision === 'apply') {
      await applyDayChange(transaction, window, decision.change);
      await recordApplied(transaction, window, decision);
    } else await recordUnapplied(transaction, window, decision);
    if (hasRejects || window.rejectCount > 0) await replaceRejects(transaction, window);
    await archiveDecision(transaction, window, archivedAs(decision), isBodyArchived);
    return withStateBefore(decision);
  });
}

function changesNothing(
  entry: Pick<CurrentDay, 'state' | 'contentHash' | 'heldHash'>,
  { contentHash, records }: WindowResponse,
  decision: LoadDecision,
): boolean {
  if (decision.decision === 'ignore') return true;
  if (decision.decision === 'hold') return contentHash === entry.heldHash;
  const { unchanged, withdrawn } = decision.change;
  const hasRows = unchanged === records.length && withdrawn.length === 0;
  return contentHash === entry.contentHash && archivedAs(decision) === entry.state && hasRows;
}

function archivedAs(decision: LoadDecision) {
  if (decision.decision === 'hold') return 'held';
  if (decision.decision === 'ignore') return 'ignored';
  return decision.provisional === null ? 'loaded' : 'provisional';
}

/** Archives a response that was refused as a whole; the rows of its window stay. */
export async function archiveUnreadable(warehouse: Warehouse, window: WindowResponse): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    await quarantine(transaction, { ...window, operation: 'campaignSummary' }, window);
    await archiveDecision(transaction, window, 'unreadable');
  });
}
