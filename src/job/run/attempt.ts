import type { Day } from '../../model/day.ts';
import type { WaitingRun } from '../../model/run.ts';
import type { Window } from '../../model/window.ts';
import { isLastAttempt, nextAttempt, retriedFailures } from '../../planning/retry-attempts.ts';
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
    stats: restoreRunStats(summary ?? {}),
    cutShort: 'ended' in (summary ?? {}),
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
  const kept = stats.failures.filter((error) => error.step === 'mail' || isOfAccount(app, error));
  const taken = retriedBy(app, kept).filter(
    ({ code, account }) => code !== 'TOKEN_REFUSED' || tokenWatch?.isNew(account),
  );
  const failures = kept.filter((failure) => !taken.includes(failure));
  const lists = taken.filter(({ step }) => step === 'clients');
  return {
    stats: {
      ...stats,
      failures,
      clients: withoutWalks(stats.clients, lists),
      windows: { ...stats.windows, failed: windowsOf(failures).length },
    },
    only: { lists: lists.map(({ account }) => account), windows: windowsOf(taken) },
    mailRefused: stats.deliveries.failed > stats.mailPutOff,
  };
}

/**
 * Whether it is the error of an account's client list or window, which only those have that are synced again. Each
 * attempt follows all campaigns and builds all digests that are due, and finds their errors anew; what becomes of the
 * errors of mail is settled where it is known which deliveries are open.
 */
function isOfAccount({ config }: Pick<AppContext, 'config'>, { step, account, day }: ReportedError): boolean {
  const isSynced = step === 'clients' || (step === 'windows' && day !== null);
  return isSynced && config.accounts.some(({ name }) => name === account);
}

/** The counts of clients without those of lists that are walked again; what changed in the warehouse stays counted. */
function withoutWalks(clients: RunStats['clients'], lists: readonly ReportedError[]): RunStats['clients'] {
  const without = { ...clients };
  for (const { walked } of lists) {
    if (!walked) continue;
    without.pages -= walked.pages;
    without.listed -= walked.clients;
    without.incompleteWalks--;
  }
  return without;
}

/** Everything that is due is planned again: its errors so far, and its counts of walks, would be counted twice. */
function forgetOutcomes(stats: RunStats): RunStats {
  return {
    ...stats,
    clients: { ...stats.clients, pages: 0, listed: 0, incompleteWalks: 0 },
    windows: { ...stats.windows, failed: 0 },
    deliveries: { ...stats.deliveries, failed: 0 },
    failures: stats.failures.filter(({ step }) => step === 'mail'),
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

/** Windows that failed, and that no further attempt of the run is made at. */
export function attemptsOver(
  failures: readonly ReportedError[],
  retried: readonly ReportedError[],
): Window[] {
  return windowsOf(failures.filter((failure) => !retried.includes(failure)));
}

const windowsOf = (failures: readonly ReportedError[]): Window[] =>
  failures.flatMap(({ step, account, day }) =>
    step !== 'windows' || day === null ? [] : [{ account, day }],
  );

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
