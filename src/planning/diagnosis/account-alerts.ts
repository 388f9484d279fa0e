import type { Day } from '../../model/day.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { WalkState } from '../../model/walk.ts';
import { formatCountOf, formatDays, plural } from '../../support/english.ts';
import { isOver, yesterday } from '../business-day.ts';
import { walkConcerns } from '../walk-status.ts';
import type { FoundAlert } from './diagnose.ts';
import { heldDays, quarantined, suspiciousDays } from './response-alerts.ts';
import type { LastRun } from './run-alerts.ts';
import { beyondCatchUp, dismiss, loadSteps, typed } from './steps.ts';

/** A day whose last attempt failed. */
export type FailedDay = { readonly day: Day; readonly code: ErrorCode; readonly line: string };

/** Records of a day, or of the client list, that couldn't be read for the same reason. */
export type QuarantinedRecords = {
  /** Null for clients. */
  readonly day: Day | null;
  readonly reason: string;
  readonly records: number;
  /** What they say of attempts, as far as that can be read. */
  readonly attempts: number;
  /** The beginning of one. */
  readonly example: string;
};

/** What the warehouse says of one account. Days are in the account's zone, oldest first. */
export type AccountState = {
  readonly name: string;
  readonly timeZone: string;
  /** Where its token is set: a setting, a variable or a file. */
  readonly tokenPlace: string;
  /** First day that is expected; null before the first run. */
  readonly since: Day | null;
  /** First expected day that a run of now still catches up on. */
  readonly firstCaughtUp: Day;
  /** Days whose last attempt failed, loaded before or not. */
  readonly failed: readonly FailedDay[];
  /** Days up to yesterday that are missing or provisional, and whose last attempt didn't fail. */
  readonly missing: readonly Day[];
  readonly held: readonly Day[];
  readonly suspicious: readonly {
    readonly day: Day;
    readonly reason: SuspiciousReason;
    readonly detail: string | null;
  }[];
  readonly quarantined: readonly QuarantinedRecords[];
  readonly walk: WalkState;
};

export type SuspiciousReason = 'no calls' | 'unreported' | 'notice' | 'counts';

/** What alerts about an account are made of. */
export type AccountContext = {
  readonly account: AccountState;
  readonly now: Temporal.Instant;
  readonly lastRun: LastRun | null;
  /** What happens by itself with what is retried, as a sentence. */
  readonly nextAttempt: string;
};

/** What an account needs a run or a person for, beside errors. */
export function accountAlerts(context: AccountContext): FoundAlert[] {
  const { account } = context;
  return [
    ...missingDays(context),
    ...heldDays(account),
    ...suspiciousDays(account),
    ...quarantined(account),
    ...missingClients(account),
  ];
}

function missingDays(context: AccountContext): FoundAlert[] {
  const { name, missing, firstCaughtUp } = context.account;
  const days = missing.filter((day) => !awaitsRun(day, context));
  if (days.length === 0) return [];
  const old = days.filter((day) => day < firstCaughtUp);
  const key = `DAYS_NOT_LOADED/${name}`;
  return [
    {
      code: 'DAYS_NOT_LOADED',
      key,
      account: name,
      severity: 'error',
      title: `${name}: ${formatDays(days)} ${plural(days.length, "isn't", "aren't")} loaded`,
      cause: [
        `No run has loaded ${plural(days.length, 'it since it was', 'them since they were')} over.`,
        ...(old.length < days.length ? [context.nextAttempt] : []),
        ...beyondCatchUp(old),
      ].join(' '),
      days,
      affects: days,
      retried: old.length === 0,
      steps: loadSteps(context.account, days, key),
    },
  ];
}

/** Whether a day isn't loaded only because it ended after the last run began, or because that run is still at work. */
function awaitsRun(day: Day, { account: { timeZone }, now, lastRun }: AccountContext): boolean {
  if (lastRun === null) return false;
  const isYesterday = day === yesterday(now, timeZone);
  if (isYesterday && (lastRun.state === 'in progress' || lastRun.state === 'waiting')) return true;
  if (isOver(day, timeZone, lastRun.startedAt)) return false;
  return isYesterday || Temporal.Instant.compare(now, lastRun.nextScheduledAt) < 0;
}

function missingClients({ name, walk }: AccountState): FoundAlert[] {
  const concern = walkConcerns(walk).find(({ kind }) => kind === 'unbelievable');
  if (concern === undefined) return [];
  const { missing, since } = concern;
  return [
    {
      code: 'CLIENTS_MISSING',
      key: `CLIENTS_MISSING/${name}`,
      account: name,
      severity: 'warning',
      title: `${name}: ${formatCountOf(missing, 'client')} ${plural(missing, 'is', 'are')} missing since ${since}`,
      cause:
        'That is over half of the list, and more often an error of the service than news, so nobody is marked absent. It is over when a complete walk has them again.',
      days: [],
      affects: [since],
      retried: true,
      steps: [
        typed('To see what the service lists', 'doctor'),
        dismiss('If they are gone', `CLIENTS_MISSING/${name}`),
      ],
    },
  ];
}
