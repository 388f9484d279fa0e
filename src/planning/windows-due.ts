import { addDays, type Day } from '../model/day.ts';
import type { Account } from '../model/records.ts';
import type { LedgerEntry, Window } from '../model/window.ts';
import { daysBetween, yesterday } from './business-day.ts';

/** An account, and the first day that ought to be loaded; null before its first run. */
export type ExpectedAccount = Account & { readonly since: Day | null };

export type DuePlan = {
  readonly accounts: readonly ExpectedAccount[];
  /** At least the last `catchUpDays` of it. */
  readonly ledger: readonly LedgerEntry[];
  readonly now: Temporal.Instant;
  /** The run's own date in `TIME_ZONE`. */
  readonly runDate: Day;
  /** `LOOKBACK_DAYS`: the last days, yesterday among them, that are synced on every run date. */
  readonly lookbackDays: number;
  /** `CATCH_UP_DAYS`: how far back, yesterday included, a run heals what is missing. */
  readonly catchUpDays: number;
};

/**
 * The windows of a run without dates: yesterday; the last days; and beyond these whatever hasn't settled, failed,
 * is held, provisional or missing. Each at most once a run date, unless it failed. Newest first: should the run be
 * short, yesterday is there.
 */
export function windowsDue(plan: DuePlan): Window[] {
  const entries = new Map(plan.ledger.map((entry) => [windowKey(entry), entry]));
  const windows = plan.accounts.flatMap((account) =>
    expectedDays(account, plan).map((day) => ({ account: account.name, day })),
  );
  return windows
    .filter((window) => isDue(window, entries.get(windowKey(window)), plan))
    .sort((one, other) => (one.day < other.day ? 1 : one.day > other.day ? -1 : 0));
}

function expectedDays({ since, timeZone }: ExpectedAccount, { now, catchUpDays }: DuePlan): Day[] {
  const last = yesterday(now, timeZone);
  const earliest = addDays(last, 1 - catchUpDays);
  const first = since ?? last;
  return daysBetween(first > earliest ? first : earliest, last);
}

function isDue(window: Window, entry: LedgerEntry | undefined, plan: DuePlan): boolean {
  if (entry === undefined || entry.state !== 'loaded' || entry.failed) return true;
  if (entry.syncedRunDate === plan.runDate) return false;
  const account = plan.accounts.find((each) => each.name === window.account)!;
  const last = yesterday(plan.now, account.timeZone);
  const lookedBackOn = window.day === last || window.day > addDays(last, -plan.lookbackDays);
  return lookedBackOn || entry.held || !isSettled(entry);
}

/** Whether the counts have been the same on two run dates. */
export function isSettled({ syncedRunDate, sameSinceRunDate }: LedgerEntry): boolean {
  return syncedRunDate !== null && sameSinceRunDate !== null && syncedRunDate > sameSinceRunDate;
}

/** The windows of a run with dates: exactly those days of each account, due or not. */
export function windowsAsked(accounts: readonly Account[], days: readonly Day[]): Window[] {
  return days.flatMap((day) => accounts.map((account) => ({ account: account.name, day })));
}

export function windowKey({ account, day }: Window): string {
  return `${day} ${account}`;
}
