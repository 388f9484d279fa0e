import { hash } from 'node:crypto';
import { addDays, type Day, daysBetween, weekdayOf, yesterday } from '../../model/day.ts';
import type { Account } from '../../model/records.ts';
import type { LedgerEntry, Window } from '../../model/window.ts';

/** An account and its first expected day; null before its first run. */
export type ExpectedAccount = Account & { readonly since: Day | null };

export type DueWindowsInput = {
  readonly accounts: readonly ExpectedAccount[];
  /** At least the last `catchUpDays` of it. */
  readonly ledger: readonly LedgerEntry[];
  readonly now: Temporal.Instant;
  /** The date in `TIME_ZONE` on which the first run began. */
  readonly runDate: Day;
  /** `LOOKBACK_DAYS`: the number of last days, yesterday included, that are synced on every run date. */
  readonly lookbackDays: number;
  /** `CATCH_UP_DAYS`: the number of days, yesterday included, in which a run heals what is missing. */
  readonly catchUpDays: number;
  /** Returns whether somebody was asked on an earlier run date about an answer without records: it is requested once a run date. */
  readonly isAsked: (sign: string) => boolean;
};

/**
 * The windows of an undated run: yesterday and the look-back days; before these, days that are unsettled,
 * failed, held, provisional or missing, and all of them once a week, each account on a weekday of its own. A window is due once a run date, and again if it failed. Newest first: if the run
 * is cut short, yesterday is there.
 */
export function windowsDue({
  accounts,
  ledger,
  now,
  runDate,
  lookbackDays,
  catchUpDays,
  isAsked,
}: DueWindowsInput): Window[] {
  const entries = new Map(ledger.map((entry) => [windowKey(entry), entry]));
  return accounts
    .flatMap(({ name, timeZone, since }) => {
      const last = yesterday(now, timeZone);
      const earliest = catchUpFrom(last, catchUpDays);
      const first = since ?? last;
      const isWeekly = weekdayOf(runDate) === weeklyDayOf(name);
      return daysBetween(first > earliest ? first : earliest, last)
        .map((day) => ({ account: name, day }))
        .filter((window) => {
          const entry = entries.get(windowKey(window));
          if (entry?.errorSign != null && entry.failedRunDate === runDate && isAsked(entry.errorSign))
            return false;
          if (entry === undefined || entry.state === 'failed' || !entry.isOver || entry.failed) return true;
          if (entry.syncedRunDate === runDate) return false;
          const isRecent = window.day === last || !isBeyondLookback(window.day, last, lookbackDays);
          return isRecent || isWeekly || entry.held || !entry.isSettled;
        });
    })
    .sort((one, other) => Number(one.day < other.day) - Number(one.day > other.day));
}

/** The weekday, 1 to 7, on which all days of an account are looked at: spread by its name over the week. */
export const weeklyDayOf = (name: string): number => (hash('sha256', name, 'buffer')[0]! % 7) + 1;

/** Returns whether a run whose yesterday is `last` syncs a day only for a reason of its own. */
export const isBeyondLookback = (day: Day, last: Day, lookbackDays: number): boolean =>
  day <= addDays(last, -lookbackDays);

/** The first day that a run catches up on, if its yesterday is `last`. */
export function catchUpFrom(last: Day, catchUpDays: number): Day {
  return addDays(last, 1 - catchUpDays);
}

/** Returns whether a run of `days` sets an account's first expected day: the first one without dates, or of its yesterday. */
export function setsFirstDay(
  { since, timeZone }: ExpectedAccount,
  days: readonly Day[] | null,
  now: Temporal.Instant,
): boolean {
  if (since !== null) return false;
  return days === null || (days.length === 1 && days[0] === yesterday(now, timeZone));
}

/** The windows of a dated run: these days of each account, due or not. */
export function windowsOf(accounts: readonly Account[], days: readonly Day[]): Window[] {
  return days.flatMap((day) => accounts.map((account) => ({ account: account.name, day })));
}

export type MissingWindowsInput = Pick<DueWindowsInput, 'accounts' | 'now'> & {
  /** At least its days from `from` on. */
  readonly ledger: readonly Pick<LedgerEntry, 'account' | 'day' | 'state' | 'held'>[];
  readonly from: Day;
  readonly to: Day;
};

/** The windows of a backfill: days that are over and not confirmed, or with a held response, newest first, all accounts of a day together. */
export function windowsMissing({ accounts, ledger, now, from, to }: MissingWindowsInput): Window[] {
  const loaded = new Set(ledger.filter(({ state, held }) => state === 'loaded' && !held).map(windowKey));
  const lastDays = yesterdaysOf(accounts, now);
  return windowsOf(accounts, daysBetween(from, to).reverse()).filter(
    (window) => window.day <= lastDays.get(window.account)! && !loaded.has(windowKey(window)),
  );
}

/** The last day that is over, by account. */
export const yesterdaysOf = (accounts: readonly Account[], now: Temporal.Instant): ReadonlyMap<string, Day> =>
  new Map(accounts.map(({ name, timeZone }) => [name, yesterday(now, timeZone)]));

/** A window as a key of a map or a set. */
export const windowKey = ({ account, day }: Window): string => `${day} ${account}`;
