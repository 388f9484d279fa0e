import { type DiagnosisInput, diagnose } from '../../../src/job/alerts/diagnose.ts';
import type {
  AccountState,
  LastRun,
  UndeliveredMessage,
  WarehouseState,
} from '../../../src/job/alerts/state.ts';
import type { WalkState } from '../../../src/model/walk.ts';

/** A warehouse in which nothing is wrong, at noon of 21 November 2026, and what may be wrong with it. */

const completeWalk: WalkState = {
  verdict: 'complete',
  runDate: '2026-11-21',
  reason: null,
  errorCode: null,
  completeAt: '2026-11-21 06:30:00+00',
  completeRunDate: '2026-11-21',
  incompleteSince: null,
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
};

export const account = (changes: Partial<AccountState> = {}): AccountState => ({
  name: 'coast',
  label: changes.name ?? 'coast',
  timeZone: 'UTC',
  tokenPlace: 'SIDTOKEN',
  since: '2026-03-01',
  completeThrough: '2026-11-20',
  firstCaughtUp: '2026-11-07',
  yesterday: '2026-11-20',
  days: [],
  failed: [],
  missing: [],
  held: [],
  quarantined: [],
  walk: completeWalk,
  ...changes,
});

export const lastRun = (changes: Partial<LastRun> = {}): LastRun => ({
  run: 7,
  startedAt: Temporal.Instant.from('2026-11-21T06:30:00Z'),
  state: 'ended',
  retryAt: null,
  nextScheduledAt: Temporal.Instant.from('2026-11-22T06:30:00Z'),
  error: null,
  digestErrors: [],
  ...changes,
});

export const message = (changes: Partial<UndeliveredMessage> = {}): UndeliveredMessage => ({
  digest: 'Campaigns',
  every: 'day',
  day: '2026-11-20',
  recipient: 'ana@example.com',
  state: 'refused',
  reply: 'the reply',
  cause: null,
  ...changes,
});

export const wellState: WarehouseState = {
  accounts: [account()],
  sameCampaigns: [],
  isBackfilling: false,
  deliveries: [],
  incomplete: [],
  lastRun: lastRun(),
  recorded: new Map(),
};

export function diagnosed(changes: Partial<WarehouseState>, others: Partial<DiagnosisInput> = {}) {
  const now = Temporal.Instant.from('2026-11-21T12:00:00Z');
  return diagnose({ state: { ...wellState, ...changes }, now, timeZone: 'Europe/Berlin', ...others });
}

/** The alerts of one account. */
export const ofAccount = (changes: Partial<AccountState>, others: Partial<WarehouseState> = {}) =>
  diagnosed({ accounts: [account(changes)], ...others });
