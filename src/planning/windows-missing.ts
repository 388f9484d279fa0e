import type { Day } from '../model/day.ts';
import type { LedgerEntry, Window } from '../model/window.ts';
import { daysBetween, yesterday } from './business-day.ts';
import { type ExpectedAccount, windowKey } from './windows-due.ts';

export type BackfillPlan = {
  readonly accounts: readonly ExpectedAccount[];
  /** At least its days from `from` on. */
  readonly ledger: readonly Pick<LedgerEntry, 'account' | 'day' | 'state'>[];
  readonly now: Temporal.Instant;
  readonly from: Day;
  readonly to: Day;
};

/** The windows of a backfill: days that are over and not loaded, newest first, all accounts of a day together. */
export function windowsMissing({ accounts, ledger, now, from, to }: BackfillPlan): Window[] {
  const loaded = new Set(ledger.filter((entry) => entry.state === 'loaded').map(windowKey));
  const lastDays = new Map(accounts.map(({ name, timeZone }) => [name, yesterday(now, timeZone)]));
  return daysBetween(from, to)
    .reverse()
    .flatMap((day) => accounts.map(({ name }) => ({ account: name, day })))
    .filter((window) => window.day <= lastDays.get(window.account)! && !loaded.has(windowKey(window)));
}
