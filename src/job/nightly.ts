import type { Day } from '../model/day.ts';
import type { OnRunProgress } from '../model/run.ts';
import { formatCountOf } from '../support/english.ts';
import { pruneBodies } from '../warehouse/archive/archive.ts';
import { followCampaigns } from '../warehouse/load/campaigns.ts';
import { pinged } from './alerts/ping.ts';
import { sendErrorAlert, sendRunAlerts } from './alerts/send-alerts.ts';
import { syncClientLists } from './clients/sync-client-lists.ts';
import { deliverDigests } from './digests/deliver-digests.ts';
import { forgetDigests, recordDigests } from './digests/due-digests.ts';
import { makeDigests } from './digests/make-digests.ts';
import { warnOfLagging } from './digests/warn-of-lagging.ts';
import { retireAccounts, selectAccounts } from './run/accounts.ts';
import type { AppContext } from './run/app-context.ts';
import { campaignsErrorReporter } from './run/error-of-one.ts';
import { asOnlyRun, type Run, type RunReport, type RunRequest } from './run/run.ts';
import type { RunStats } from './run/run-stats.ts';
import { inStep, reporter } from './run/step.ts';
import { expectDays, planWindows, syncNightlyWindows } from './windows/nightly-windows.ts';
import { localExecutor, type WindowExecutor } from './windows/sync-windows.ts';

export type NightlyRequest = Required<RunRequest> & {
  /** Exactly these days, due or not; null for whatever is due. */
  readonly days: readonly Day[] | null;
  /** Names of accounts; null for all. */
  readonly accounts: readonly string[] | null;
  /** False skips the digests that are due. */
  readonly digest: boolean;
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
  async function run(): Promise<RunReport> {
    let alerts: RunStats['alerts'] | undefined;
    try {
      return await asOnlyRun(
        app,
        { ...request, kind: isFull(request) ? 'nightly' : 'dated' },
        signal,
        async (begun) => {
          alerts = begun.stats.alerts;
          await pass({ ...begun, report: reporter(onProgress) }, request, executor);
        },
      );
    } catch (error) {
      if (!alerts?.sent) await sendErrorAlert(app, error, signal);
      throw error;
    }
  }
  // The watchdog is pinged for full runs only.
  return isFull(request) ? await pinged(app.ping, run) : await run();
}

const isFull = ({ days, accounts }: NightlyRequest) => days === null && accounts === null;

async function pass(run: Run, request: NightlyRequest, executor: WindowExecutor): Promise<void> {
  const selected = await selectAccounts(run, request.accounts);
  if (isFull(request)) {
    await retireAccounts(run);
    await forgetDigests(run);
  }
  await recordDigests(run);
  // Only an undated run says from when on days are expected.
  const accounts = request.days === null ? await expectDays(run, selected) : selected;
  if (isFull(request) && request.digest) warnOfLagging(run);
  await inStep(run, 'clients', () => syncClientLists(run, accounts));
  const windows = await inStep(run, 'windows', async () => {
    const planned = await planWindows(run, accounts, request.days);
    await syncNightlyWindows(run, accounts, planned, executor);
    await followCampaigns(run.warehouse, campaignsErrorReporter(run));
    return planned;
  });
  await inStep(run, 'digests', () => makeDigests(run, windows, request.digest));
  await inStep(run, 'mail', () => deliverDigests(run));
  await inStep(run, 'archive', () => pruneArchive(run));
  await inStep(run, 'alerts', () => sendRunAlerts(run, isFull(request)));
}

/** Deletes response bodies not referenced for `ARCHIVE_DAYS`; without the setting, none. */
async function pruneArchive({
  warehouse,
  config,
  log,
}: Pick<Run, 'warehouse' | 'config' | 'log'>): Promise<void> {
  const { archiveDays } = config.planning;
  if (archiveDays === null) return;
  const { bodies, bytes } = await pruneBodies(warehouse, archiveDays);
  if (bodies === 0) return;
  const size = bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
  log.info(
    { bodies, bytes },
    `archive: ${formatCountOf(bodies, 'body', 'bodies')} deleted (${size}), not referenced for ${archiveDays} days`,
  );
}
