import type { Day } from '../../model/day.ts';
import type { CurrentDay, DayChange } from '../../model/day-change.ts';
import { mostlyUnreadable } from '../../model/records.ts';
import { isOver, yesterday } from '../../planning/business-day.ts';
import { contentHash } from '../../planning/content-hash.ts';
import { decideLoad } from '../../planning/decide-load.ts';
import { msSince } from '../../support/clock.ts';
import { isLoadedByOther } from '../../warehouse/ledger/ledger.ts';
import { databaseClock } from '../../warehouse/ledger/runs.ts';
import { keepUnreadable, loadWindow } from '../../warehouse/load/windows.ts';
import type { Run } from '../run/run.ts';
import type { KnownAccount } from '../run/select-accounts.ts';

export type WindowTask = {
  readonly account: KnownAccount;
  readonly day: Day;
  /** Whether somebody accepted the answer that is held. */
  readonly accepted: boolean;
  /** Whether a window that another run has loaded by now is left alone. */
  readonly missingOnly: boolean;
};

/** What became of a window that was pulled: numbers and words alone, so that it can be told elsewhere. */
export type WindowResult = {
  readonly became: 'loaded' | 'held' | 'stale' | 'unreadable' | 'left alone';
  readonly provisional: boolean;
  readonly campaigns: number;
  readonly rejects: number;
  /** Rows of the warehouse, by what the answer changed in them. */
  readonly rows: Readonly<Record<'appeared' | 'updated' | 'withdrawn' | 'restated' | 'unchanged', number>>;
  /** Why it is held back. */
  readonly because: string | null;
  readonly healed: boolean;
  readonly ms: number;
};

/** What a run is to the pulling of one of its windows. */
export type SyncContext = Pick<Run, 'warehouse' | 'service' | 'clock' | 'id' | 'runDate'>;

/** One window: asked for, judged by what stands, loaded and entered in one transaction. */
export async function syncWindow(run: SyncContext, pull: WindowTask): Promise<WindowResult> {
  const { account, day } = pull;
  const began = performance.now();
  if (pull.missingOnly && (await isLoadedByOther(run.warehouse, run.id, account.id, day))) return leftAlone;
  const fetchedAt = await databaseClock(run.warehouse);
  const provisional = !isOver(day, account.timeZone, run.clock());
  const summary = await run.service.summarizeCampaigns(account, { from: day, to: day });
  const { records, rejects } = summary;
  const source = {
    accountId: account.id,
    day,
    fetchedAt,
    runId: run.id,
    rejects,
    response: summary.response,
  };
  const came = { ...leftAlone, provisional, campaigns: records.length, rejects: rejects.length };
  if (mostlyUnreadable(summary)) {
    await keepUnreadable(run.warehouse, source);
    return { ...came, became: 'unreadable', ms: msSince(began) };
  }
  const judged = { records, rejects, contentHash: contentHash(records), runDate: run.runDate };
  const { before, outcome } = await loadWindow(
    run.warehouse,
    { ...judged, ...source, provisional },
    (current) => decideLoad(current, { ...judged, accepted: pull.accepted }),
  );
  const told = { ...came, ms: msSince(began) };
  if (outcome.decision === 'stale') return { ...told, became: 'stale' };
  if (outcome.decision === 'hold') return { ...told, became: 'held', because: outcome.because };
  return { ...told, became: 'loaded', rows: rowsOf(outcome.change), healed: isHealed(run, pull, before) };
}

const noRows = { appeared: 0, updated: 0, withdrawn: 0, restated: 0, unchanged: 0 };
const leftAlone: WindowResult = {
  ...{ became: 'left alone', provisional: false, campaigns: 0, rejects: 0, rows: noRows },
  ...{ because: null, healed: false, ms: 0 },
};

function rowsOf({ appeared, updated, withdrawn, restatements, unchanged }: DayChange): WindowResult['rows'] {
  const [restated, lost] = [restatements.length, withdrawn.length];
  return { appeared: appeared.length, updated: updated.length, withdrawn: lost, restated, unchanged };
}

/** Not yesterday, which nobody could have loaded before; nor history, which nobody expected before this run. */
function isHealed({ clock }: SyncContext, { account, day }: WindowTask, before: CurrentDay): boolean {
  const wasExpected = account.since !== null && day >= account.since;
  return before.state === 'failed' && wasExpected && day < yesterday(clock(), account.timeZone);
}
