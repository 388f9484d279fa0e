import type { Account } from '../model/account.ts';
import type { Day } from '../model/day.ts';
import type { LedgerEntry, Window } from '../model/window.ts';
import { yesterday } from './business-day.ts';

export type DuePlan = {
  readonly accounts: readonly Account[];
  readonly ledger: readonly LedgerEntry[];
  readonly now: Temporal.Instant;
  /** The run's own date in `TIME_ZONE`. */
  readonly night: Day;
};

/** The windows of a run without dates: each account's yesterday, pulled at most once a night. */
export function windowsDue({ accounts, ledger, now, night }: DuePlan): Window[] {
  const pulledTonight = new Set(
    ledger
      .filter((entry) => entry.state === 'loaded' && entry.pulledNight === night)
      .map((entry) => windowKey(entry)),
  );
  return accounts
    .map((account) => ({ account: account.name, day: yesterday(now, account.timeZone) }))
    .filter((window) => !pulledTonight.has(windowKey(window)));
}

/** The windows of a run with dates: exactly those days of each account, due or not. */
export function windowsAsked(accounts: readonly Account[], days: readonly Day[]): Window[] {
  return days.flatMap((day) => accounts.map((account) => ({ account: account.name, day })));
}

export function windowKey({ account, day }: Window): string {
  return `${day} ${account}`;
}
