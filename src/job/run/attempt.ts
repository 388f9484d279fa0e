import type { Day } from '../../model/day.ts';
import type { WaitingRun } from '../../model/run.ts';
import type { Window } from '../../model/window.ts';
import { isLastAttempt, nextAttempt, retriedFailures } from '../../planning/retry-attempts.ts';
import { windowKey } from '../../planning/windows-due.ts';
import { isDatabaseOutage } from '../../warehouse/failures.ts';
import type { AppContext } from './app-context.ts';
import { createRunStats, type ReportedError, type RunStats, restoreRunStats } from './run-stats.ts';
import type { TokenWatch } from './token-watch.ts';

/** One of the attempts of a run. */
export type Attempt = {
  /** 1 for the first. */
  readonly number: number;
  /** Until when what is retryable is retried; null for one attempt alone. */
  readonly until: Temporal.Instant | null;
  /** The run date of the run, where it was cut off and restarts; null for today's in `TIME_ZONE`. */
  readonly runDate: Day | null;
  /** The run that goes on; null for one that begins. */
  readonly ongoing: OngoingRun | null;
  /** Null where there is one attempt alone. */
  readonly tokenWatch: TokenWatch | null;
};

/** A run between two attempts. */
export type OngoingRun = Pick<WaitingRun, 'run' | 'runDate' | 'attempts'> & {
  /** What it did so far. */
  readonly stats: RunStats;
  /** Whether an error ended its last attempt, so that nobody knows what is left. */
  readonly cutShort: boolean;
};

export const onlyAttempt: Attempt = {
  number: 1,
  until: null,
  runDate: null,
  ongoing: null,
  tokenWatch: null,
};

/** A waiting run as it was recorded, perhaps by another process. */
export function toOngoing({ run, runDate, attempts, summary }: WaitingRun): OngoingRun {
  return {
    run,
    runDate,
    attempts,
    stats: restoreRunStats(summary),
    cutShort: 'ended' in summary,
  };
}

/** What an attempt begins with: the run stats so far, without what it tries again. */
export type AttemptStart = {
  readonly stats: RunStats;
  /** What it tries again; null for everything that is due. */
  readonly only: { readonly lists: readonly string[]; readonly windows: readonly Window[] } | null;
  /** Whether a mail server refused to be used: repeated, a wrong password would lock the login. */
  readonly mailRefused: boolean;
};

/** Pure but for the tokens' sources: what the next attempt takes up. */
export function startAttempt(
  app: Pick<AppContext, 'config' | 'tokens'>,
  { ongoing, tokenWatch }: Pick<Attempt, 'ongoing' | 'tokenWatch'>,
): AttemptStart {
  if (ongoing === null) return { stats: createRunStats(), only: null, mailRefused: false };
  const stats = structuredClone(ongoing.stats);
  if (ongoing.cutShort) return { stats: forgetOutcomes(stats), only: null, mailRefused: false };
  const known = stats.failures.filter(({ account }) =>
    app.config.accounts.some(({ name }) => name === account),
  );
  const taken = retriedBy(app, known).filter(
    ({ code, account }) => code !== 'TOKEN_REFUSED' || tokenWatch?.isNew(account),
  );
  const failures = known.filter((failure) => !taken.includes(failure));
  return {
    stats: { ...stats, failures, windows: { ...stats.windows, failed: windowsOf(failures).length } },
    only: {
      lists: taken.filter(({ day }) => day === null).map(({ account }) => account),
      windows: windowsOf(taken),
    },
    mailRefused: stats.deliveries.failed > stats.mailPutOff,
  };
}

/** Everything that is due is planned again: its errors so far, and its counts of clients, would be counted twice. */
function forgetOutcomes(stats: RunStats): RunStats {
  const { clients, deliveries } = createRunStats();
  return {
    ...stats,
    clients,
    windows: { ...stats.windows, failed: 0 },
    deliveries: { ...stats.deliveries, failed: deliveries.failed },
    failures: [],
    mailPutOff: 0,
  };
}

/** The errors of a run that a later attempt may heal. */
export function retriedBy(
  { config, tokens }: Pick<AppContext, 'config' | 'tokens'>,
  failures: readonly ReportedError[],
): ReportedError[] {
  return retriedFailures({
    failures,
    accounts: config.accounts.map(({ name }) => name),
    tokenMayChange: tokens.mayChange,
  });
}

/**
 * Windows that no further attempt of the run is made at: those of this attempt, and those whose errors stay, without
 * those that are retried.
 */
export function attemptsOver(
  windows: readonly Window[],
  failures: readonly ReportedError[],
  retried: readonly ReportedError[],
): Window[] {
  const waiting = new Set(windowsOf(retried).map(windowKey));
  return [...windows, ...windowsOf(failures)].filter((window) => !waiting.has(windowKey(window)));
}

const windowsOf = (failures: readonly ReportedError[]): Window[] =>
  failures.flatMap(({ account, day }) => (day === null ? [] : [{ account, day }]));

export const accountsRefused = ({ failures }: Pick<RunStats, 'failures'>): string[] =>
  failures.filter(({ code }) => code === 'TOKEN_REFUSED').map(({ account }) => account);

/** The run of an attempt that began, as an error would leave it. */
export function begunAttempt(
  { id, runDate, stats }: Pick<OngoingRun, 'runDate' | 'stats'> & { readonly id: number },
  { ongoing }: Pick<Attempt, 'ongoing'>,
): OngoingRun {
  return {
    run: id,
    runDate,
    attempts: (ongoing?.attempts ?? 0) + 1,
    stats,
    cutShort: true,
  };
}

/** The attempt after this one. */
export function following(attempt: Attempt, ongoing: OngoingRun | null): Attempt {
  return { ...attempt, number: attempt.number + 1, ongoing };
}

/** When to go on after an error that ended an attempt: an outage of the database is retryable. Null for never. */
export function retryAfterError(
  app: Pick<AppContext, 'clock'>,
  attempt: Pick<Attempt, 'number' | 'until'>,
  error: unknown,
): Temporal.Instant | null {
  if (!isDatabaseOutage(error) || isLastAttempt(app.clock(), attempt.until)) return null;
  return nextAttemptOf(app, attempt)!;
}

/** When the attempt after this one begins; undefined where this is the only one. */
export function nextAttemptOf(
  { clock }: Pick<AppContext, 'clock'>,
  { number: attempts, until }: Pick<Attempt, 'number' | 'until'>,
): Temporal.Instant | undefined {
  return until === null ? undefined : nextAttempt({ attempts, now: clock(), until });
}
