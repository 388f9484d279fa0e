import type { Day } from '../model/day.ts';
import type { OnRunProgress } from '../model/run.ts';
import type { Window } from '../model/window.ts';
import { isLastAttempt } from '../planning/retry-attempts.ts';
import { followCampaigns } from '../warehouse/load/campaigns.ts';
import { pinged } from './alerts/ping.ts';
import { alertRefusedTokens, sendRunAlerts } from './alerts/send-alerts.ts';
import { syncClientLists } from './clients/sync-client-lists.ts';
import { deliverDigests } from './digests/deliver-digests.ts';
import { forgetDigests, recordDigests } from './digests/due-digests.ts';
import { makeDigests } from './digests/make-digests.ts';
import { warnOfLagging } from './digests/warn-of-lagging.ts';
import { prune } from './prune.ts';
import { type KnownAccount, retireAccounts, selectAccounts } from './run/accounts.ts';
import type { AppContext } from './run/app-context.ts';
import {
  type Attempt,
  type AttemptStart,
  attemptsOver,
  nextAttemptOf,
  onlyAttempt,
  retriedBy,
} from './run/attempt.ts';
import { campaignsErrorReporter } from './run/error-of-one.ts';
import type { AttemptEnd, Run, RunReport, RunRequest } from './run/run.ts';
import { type AttemptWork, runAttempt } from './run/run-attempt.ts';
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
  const { report } = await attemptNightly(app, request, onlyAttempt, signal, onProgress, executor);
  // Alone, it ends with a report or throws.
  return report!;
}

/**
 * One attempt of the nightly job: the first one does all of it, a later one what is still retryable. Digests that wait
 * for windows to be tried again are built by a later attempt, incomplete ones by the last.
 */
export async function attemptNightly(
  app: AppContext,
  request: NightlyRequest,
  attempt: Attempt,
  signal: AbortSignal,
  onProgress: OnRunProgress = () => {},
  executor: WindowExecutor = localExecutor,
): Promise<AttemptEnd> {
  const { command, scheduledFor } = request;
  const start = {
    command,
    scheduledFor,
    kind: isFull(request) ? 'nightly' : 'dated',
  } as const;
  const work: AttemptWork = (run, { only, mailRefused }) =>
    syncAndMail({
      run: { ...run, report: reporter(onProgress) },
      request,
      executor,
      // Waits go by the clock of the process; a run's own may be that of the database.
      clock: app.clock,
      attempt,
      only,
      mailRefused,
    });
  const made = () => runAttempt(app, start, attempt, signal, work);
  // The watchdog is pinged for full runs only.
  return isFull(request) ? await pinged(app.ping, attempt.number === 1, made) : await made();
}

/** Whether it looks at everything. */
export const isFull = ({ days, accounts }: NightlyRequest) => days === null && accounts === null;

/** An attempt at work. */
type Night = Pick<AttemptStart, 'only' | 'mailRefused'> &
  Pick<AppContext, 'clock'> & {
    readonly run: Run;
    readonly request: NightlyRequest;
    readonly executor: WindowExecutor;
    readonly attempt: Attempt;
  };

/** The steps of an attempt, in their order; gives when the next attempt begins, or nothing where the run is over. */
async function syncAndMail(night: Night): Promise<Temporal.Instant | undefined> {
  const { run, request, attempt, only, clock } = night;
  const accounts = await recordSettings(night);
  const lists = accounts.filter(({ name }) => only === null || only.lists.includes(name));
  await inStep(run, 'clients', () => syncClientLists(run, lists));
  const windows = await inStep(run, 'windows', () => syncDueWindows(night, accounts));
  const isLast = isLastAttempt(clock(), attempt.until);
  const retried = isLast ? [] : retriedBy(run, run.stats.failures);
  const over = request.digest ? attemptsOver(run.stats.failures, retried) : windows;
  const before = builtSoFar(run.stats);
  await inStep(run, 'digests', () => makeDigests(run, over, request.digest));
  const hasNews = builtSoFar(run.stats) > before;
  if (hasNews || isLast || !night.mailRefused) await inStep(run, 'mail', () => deliverDigests(run));
  if (!isLast && (retried.length > 0 || run.stats.mailPutOff > 0)) {
    await alertRefusedTokens(run);
    return nextAttemptOf({ clock }, attempt);
  }
  await inStep(run, 'archive', () => prune(run));
  await inStep(run, 'alerts', () => sendRunAlerts(run, isFull(request)));
  return undefined;
}

/** Records the accounts and digests of the settings; gives the accounts of the run, with their first day. */
async function recordSettings({ run, request, only }: Night): Promise<KnownAccount[]> {
  const selected = await selectAccounts(run, request.accounts);
  if (isFull(request)) {
    await retireAccounts(run);
    await forgetDigests(run);
  }
  await recordDigests(run);
  // Only an undated run says from when on days are expected.
  const accounts = request.days === null ? await expectDays(run, selected) : selected;
  if (isFull(request) && request.digest && only === null) warnOfLagging(run);
  return accounts;
}

/** Syncs what is due, or is tried again, and then the campaigns; gives the windows that it synced. */
async function syncDueWindows(
  { run, request, executor, only }: Night,
  accounts: readonly KnownAccount[],
): Promise<readonly Window[]> {
  const windows = only?.windows ?? (await planWindows(run, accounts, request.days));
  if (only === null || windows.length > 0) await syncNightlyWindows(run, accounts, windows, executor);
  await followCampaigns(run.warehouse, campaignsErrorReporter(run));
  return windows;
}

const builtSoFar = ({ digests }: Pick<RunStats, 'digests'>) => digests.built + digests.corrected;
