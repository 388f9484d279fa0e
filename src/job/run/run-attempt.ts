import { sendErrorAlert } from '../alerts/send-alerts.ts';
import type { AppContext } from './app-context.ts';
import {
  type Attempt,
  type AttemptStart,
  accountsRefused,
  begunAttempt,
  following,
  retryAfterError,
  startAttempt,
} from './attempt.ts';
import { type AttemptEnd, asOnlyRun, type Run, type RunStart } from './run.ts';

/** What an attempt does; gives when the next one begins, or nothing where the run is over. */
export type AttemptWork = (run: Run, start: AttemptStart) => Promise<Temporal.Instant | undefined>;

/** How an attempt ended, and the exit code of its run; null where a further attempt follows. */
export type AttemptResult = AttemptEnd & { readonly exitCode: number | null };

/**
 * Makes one attempt of a run, as the only run. Where an error ended an attempt that isn't the last, the next one does
 * all of it again; throws that of the last, and what isn't retryable, once `ALERT_TO` has it.
 */
export async function runAttempt(
  app: AppContext,
  request: Pick<RunStart, 'command' | 'scheduledFor' | 'kind'>,
  attempt: Attempt,
  signal: AbortSignal,
  work: AttemptWork,
): Promise<AttemptResult> {
  // Before it is decided which of them are new: a token that changes in between is tried by the next attempt.
  attempt.tokenWatch?.begin(app.config.accounts.map(({ name }) => name));
  const start = startAttempt(app, attempt);
  const alertsBefore = start.stats.alerts.sent;
  const retryAfter = (error: unknown) => retryAfterError(app, attempt, error);
  let ongoing = attempt.ongoing;
  try {
    const runStart = {
      ...request,
      attempt,
      stats: start.stats,
      retryAfter,
    };
    const report = await asOnlyRun(app, runStart, signal, async (run) => {
      ongoing = begunAttempt(run, attempt);
      return await work(run, start);
    });
    if (report.retryAt === null) return { report, error: null, next: null, exitCode: report.exitCode };
    attempt.tokenWatch?.refuse(accountsRefused(report.stats));
    const next = { at: report.retryAt, attempt: following(attempt, { ...ongoing!, cutShort: false }) };
    return { report, error: null, next, exitCode: null };
  } catch (error) {
    const at = retryAfter(error);
    if (at !== null)
      return { report: null, error, next: { at, attempt: following(attempt, ongoing) }, exitCode: null };
    if (start.stats.alerts.sent === alertsBefore) await sendErrorAlert(app, error, signal);
    throw error;
  }
}
