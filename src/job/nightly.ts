import type { Day } from '../model/day.ts';
import type { OnRunProgress } from '../model/progress.ts';
import { followCampaigns } from '../warehouse/load/campaigns.ts';
import { sendErrorAlert, sendRunAlerts } from './alerts/alert.ts';
import { pinged } from './alerts/ping.ts';
import { syncClientLists } from './clients/sync-client-lists.ts';
import { deliverDigests } from './digests/deliver-digests.ts';
import { recordDigests } from './digests/due-digests.ts';
import { makeDigests } from './digests/make-digests.ts';
import type { AppContext } from './run/app-context.ts';
import { pruneArchive } from './run/prune-archive.ts';
import { asOnlyRun, type RunReport } from './run/run.ts';
import type { RunStats } from './run/run-stats.ts';
import { selectAccounts } from './run/select-accounts.ts';
import { inStep, reporter } from './run/step.ts';
import { localExecutor, type WindowExecutor } from './windows/executor.ts';
import { syncNightlyWindows } from './windows/nightly-sync.ts';
import { expectWindows, planWindows } from './windows/plan-windows.ts';
import { toTasks } from './windows/window-result.ts';

export type NightlyRequest = {
  /** As it was typed, for `etl.runs`. */
  readonly command: string;
  /** Exactly these days, due or not; null for whatever is due. */
  readonly days: readonly Day[] | null;
  /** Names of accounts; null for all. */
  readonly accounts: readonly string[] | null;
  /** False skips the digests that are due. */
  readonly digest: boolean;
  /** The scheduled time that it serves. */
  readonly scheduledFor: string | null;
};

/**
 * The nightly job: one pass from the service's pages to the managers' mail.
 * An error of one account or day is reported and doesn't stop the others. Mail can't be taken back, so it is last.
 */
export async function nightly(
  app: AppContext,
  request: NightlyRequest,
  signal: AbortSignal,
  onProgress: OnRunProgress = () => {},
  executor: WindowExecutor = localExecutor,
): Promise<RunReport> {
  const work = () => pass(app, request, signal, onProgress, executor);
  // The watchdog is pinged for full runs only.
  return isWhole(request) ? await pinged(app.ping, work) : await work();
}

const isWhole = ({ days, accounts }: NightlyRequest) => days === null && accounts === null;

async function pass(
  app: AppContext,
  request: NightlyRequest,
  signal: AbortSignal,
  onProgress: OnRunProgress,
  executor: WindowExecutor,
): Promise<RunReport> {
  let alerts: RunStats['alerts'] | undefined;
  try {
    const kind = isWhole(request) ? 'nightly' : 'dated';
    return await asOnlyRun(app, { ...request, kind }, signal, async (begun) => {
      alerts = begun.stats.alerts;
      const run = { ...begun, report: reporter(onProgress) };
      const accounts = await selectAccounts(run, request.accounts);
      await recordDigests(run);
      await inStep(run, 'clients', () => syncClientLists(run, accounts));
      const windows = await inStep(run, 'windows', async () => {
        const planned = await planWindows(run, accounts, request.days);
        await expectWindows(run, accounts, planned);
        if (planned.length === 0) run.log.info('nothing is due: every window is synced on this run date');
        await syncNightlyWindows(run, toTasks(accounts, planned, false), executor);
        await followCampaigns(run.warehouse);
        return planned;
      });
      await inStep(run, 'digests', () => makeDigests(run, windows, request.digest));
      await inStep(run, 'mail', () => deliverDigests(run));
      await inStep(run, 'archive', () => pruneArchive(run));
      await inStep(run, 'alerts', () => sendRunAlerts(run, isWhole(request)));
    });
  } catch (error) {
    if (!alerts?.sent) await sendErrorAlert(app, error, signal);
    throw error;
  }
}
