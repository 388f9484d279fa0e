import type { Day } from '../model/day.ts';
import type { OnRunProgress } from '../model/run.ts';
import { isLastAttempt } from '../planning/retry-attempts.ts';
import { followCampaigns } from '../warehouse/load/campaigns.ts';
import { pinged } from './alerts/ping.ts';
import { alertRefusedTokens, sendErrorAlert, sendRunAlerts } from './alerts/send-alerts.ts';
import { syncClientLists } from './clients/sync-client-lists.ts';
import { deliverDigests } from './digests/deliver-digests.ts';
import { forgetDigests, recordDigests } from './digests/due-digests.ts';
import { makeDigests } from './digests/make-digests.ts';
import { warnOfLagging } from './digests/warn-of-lagging.ts';
import { prune } from './prune.ts';
import { retireAccounts, selectAccounts } from './run/accounts.ts';
import type { AppContext } from './run/app-context.ts';
import {
  type Attempt,
  type AttemptStart,
  accountsRefused,
  attemptsOver,
  begunAttempt,
  following,
  nextAttemptOf,
  onlyAttempt,
  retriedBy,
  retryAfterError,
  startAttempt,
} from './run/attempt.ts';
import { campaignsErrorReporter } from './run/error-of-one.ts';
import { type AttemptEnd, asOnlyRun, type Run, type RunReport, type RunRequest } from './run/run.ts';
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
 * for windows to be tried again are built by a later attempt, incomplete ones by the last. Where an error ended an
 * attempt that isn't the last, the next one does all of it again; throws that of the last, and what isn't retryable.
 */
export async function attemptNightly(
  app: AppContext,
  request: NightlyRequest,
  attempt: Attempt,
  signal: AbortSignal,
  onProgress: OnRunProgress = () => {},
  executor: WindowExecutor = localExecutor,
): Promise<AttemptEnd> {
  // Before it is decided which of them are new: a token that changes in between is tried by the next attempt.
  attempt.tokenWatch?.begin(app.config.accounts.map(({ name }) => name));
  const start = startAttempt(app, attempt);
  const retryAfter = (error: unknown) => retryAfterError(app, attempt, error);
  let ongoing = attempt.ongoing;

  async function run(): Promise<AttemptEnd & { readonly exitCode: number | null }> {
    const alertsBefore = start.stats.alerts.sent;
    try {
      const report = await asOnlyRun(
        app,
        {
          ...request,
          kind: isFull(request) ? 'nightly' : 'dated',
          attempt,
          stats: start.stats,
          retryAfter,
        },
        signal,
        async (begun) => {
          ongoing = begunAttempt(begun, attempt);
          const run = { ...begun, report: reporter(onProgress) };
          return await pass(run, request, executor, { attempt, clock: app.clock }, start);
        },
      );
      if (report.retryAt === null) return { report, error: null, next: null, exitCode: report.exitCode };
      attempt.tokenWatch?.refuse(accountsRefused(report.stats));
      const next = { at: report.retryAt, attempt: following(attempt, { ...ongoing!, cutShort: false }) };
      return { report, error: null, next, exitCode: null };
    } catch (error) {
      const at = retryAfter(error);
      if (at === null) {
        if (start.stats.alerts.sent === alertsBefore) await sendErrorAlert(app, error, signal);
        throw error;
      }
      return { report: null, error, next: { at, attempt: following(attempt, ongoing) }, exitCode: null };
    }
  }
  // The watchdog is pinged for full runs only.
  return isFull(request) ? await pinged(app.ping, attempt.number === 1, run) : await run();
}

/** Whether it looks at everything. */
export const isFull = ({ days, accounts }: NightlyRequest) => days === null && accounts === null;

async function pass(
  run: Run,
  request: NightlyRequest,
  executor: WindowExecutor,
  // Waits go by the clock of the process; a run's own may be that of the database.
  { attempt, clock }: { readonly attempt: Attempt } & Pick<AppContext, 'clock'>,
  { only, mailRefused }: AttemptStart,
): Promise<Temporal.Instant | undefined> {
  const selected = await selectAccounts(run, request.accounts);
  if (isFull(request)) {
    await retireAccounts(run);
    await forgetDigests(run);
  }
  await recordDigests(run);
  // Only an undated run says from when on days are expected.
  const accounts = request.days === null ? await expectDays(run, selected) : selected;
  if (isFull(request) && request.digest && only === null) warnOfLagging(run);
  const lists = accounts.filter(({ name }) => only === null || only.lists.includes(name));
  await inStep(run, 'clients', () => syncClientLists(run, lists));
  const windows = await inStep(run, 'windows', async () => {
    const planned = only?.windows ?? (await planWindows(run, accounts, request.days));
    if (only === null || planned.length > 0) await syncNightlyWindows(run, accounts, planned, executor);
    await followCampaigns(run.warehouse, campaignsErrorReporter(run));
    return planned;
  });
  const last = isLastAttempt(clock(), attempt.until);
  const retried = last ? [] : retriedBy(run, run.stats.failures);
  const { built, corrected } = run.stats.digests;
  const over = request.digest ? attemptsOver(run.stats.failures, retried) : windows;
  await inStep(run, 'digests', () => makeDigests(run, over, request.digest));
  const isNews = run.stats.digests.built > built || run.stats.digests.corrected > corrected;
  if (isNews || last || !mailRefused) await inStep(run, 'mail', () => deliverDigests(run));
  if (!last && (retried.length > 0 || run.stats.mailPutOff > 0)) {
    await alertRefusedTokens(run);
    return nextAttemptOf({ clock }, attempt);
  }
  await inStep(run, 'archive', () => prune(run));
  await inStep(run, 'alerts', () => sendRunAlerts(run, isFull(request)));
  return undefined;
}
