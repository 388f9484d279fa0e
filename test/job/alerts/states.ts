import { diagnose } from '../../../src/job/alerts/diagnose.ts';
import {
  type AccountState,
  type LastRun,
  nothingKnown,
  type RunningRun,
  type WarehouseState,
} from '../../../src/job/alerts/state.ts';
import type { UndeliveredMessage } from '../../../src/model/digest.ts';
import type { ErrorCode } from '../../../src/model/errors.ts';
import type { WalkState } from '../../../src/model/walk.ts';
import type { DayState } from '../../../src/model/window.ts';

/** A warehouse in which nothing is wrong, at noon of 21 November 2026, and what may be wrong with it. */

const completeWalk: WalkState = {
  verdict: 'complete',
  runDate: '2026-11-21',
  reason: null,
  errorCode: null,
  errorStatus: null,
  signs: [],
  completeAt: '2026-11-21 06:30:00+00',
  completeRunDate: '2026-11-21',
  incompleteSince: null,
  incompleteRunDates: 0,
  implausibleMissing: 0,
  implausibleSince: null,
};

export const incompleteWalk: WalkState = {
  ...completeWalk,
  verdict: 'incomplete',
  reason: 'page 7 could not be fetched',
  completeAt: '2026-11-17 06:30:00+00',
  completeRunDate: '2026-11-17',
  incompleteSince: '2026-11-18',
  incompleteRunDates: 4,
};

/** A day that is simply loaded, but for these changes. */
export const dayState = (day: string, changes: Partial<DayState> = {}): DayState => ({
  day,
  state: 'loaded',
  isOver: true,
  held: false,
  settling: false,
  restated: false,
  code: null,
  status: null,
  sign: null,
  reason: null,
  heldCode: null,
  heldReason: null,
  anomalies: [],
  attempts: 20,
  typicalAttempts: null,
  ...changes,
});

/** A day whose last attempt failed. */
export const failedDay = (
  day: string,
  code: ErrorCode,
  reason: string,
  state: DayState['state'] = 'failed',
): DayState =>
  dayState(day, {
    state,
    code,
    reason,
    status: /status (\d+)|\((E\w+)\)/.exec(reason)?.slice(1).find(Boolean) ?? null,
  });

export const missingDays = (...days: string[]): DayState[] =>
  days.map((day) => dayState(day, { state: 'missing' }));

export const heldDays = (...days: string[]): DayState[] =>
  days.map((day) =>
    dayState(day, {
      held: true,
      heldCode: 'halved',
      heldReason: `3${day.at(-1)} attempts instead of 120, 1 campaign instead of 4`,
    }),
  );

export const account = (changes: Partial<AccountState> = {}): AccountState => ({
  id: 1,
  name: 'coast',
  label: changes.name ?? 'coast',
  timeZone: 'UTC',
  token: 'SIDTOKEN in /srv/.env',
  since: '2026-03-01',
  completeThrough: '2026-11-20',
  catchUpFrom: '2026-11-07',
  daysWithoutCampaigns: 0,
  cutAt: null,
  yesterday: '2026-11-20',
  days: [],
  earlier: null,
  quarantined: [],
  walk: completeWalk,
  ...changes,
});

export const lastRun = (changes: Partial<LastRun> = {}): LastRun => ({
  run: 7,
  startedAt: Temporal.Instant.from('2026-11-21T06:30:00Z'),
  runDate: '2026-11-21',
  isInterrupted: false,
  retryAt: null,
  error: null,
  digestErrors: [],
  ...changes,
});

/** A nightly run that is running. */
export const running = (startedAt: string, run = 8): RunningRun => ({
  run,
  kind: 'nightly',
  command: 'schedule',
  startedAt: Temporal.Instant.from(startedAt),
});

export const message = (changes: Partial<UndeliveredMessage> = {}): UndeliveredMessage => ({
  digest: 'Campaigns',
  every: 'day',
  day: '2026-11-20',
  recipient: 'ana@example.com',
  state: 'failed',
  reply: 'the reply',
  step: 'message',
  code: 554,
  run: 7,
  ...changes,
});

export const wellState: WarehouseState = {
  ...nothingKnown,
  accounts: [account()],
  testAddress: 'ops@example.com',
  lastRun: lastRun(),
  nextRunAt: Temporal.Instant.from('2026-11-22T06:30:00Z'),
  recipients: 'DIGEST_TO in /srv/.env',
};

export function diagnosed(changes: Partial<WarehouseState>) {
  const now = Temporal.Instant.from('2026-11-21T12:00:00Z');
  return diagnose({ ...wellState, ...changes }, now, 'Europe/Berlin');
}

/** The alerts of one account. */
export const ofAccount = (changes: Partial<AccountState>, others: Partial<WarehouseState> = {}) =>
  diagnosed({ accounts: [account(changes)], ...others });
