import { daysBetween, yesterday } from '../../model/business-day.ts';
import { addDays, type Day } from '../../model/day.ts';
import type { Account } from '../../model/records.ts';
import type { LedgerEntry, Window } from '../../model/window.ts';

/** An account, and the first day that ought to be loaded; null before its first run. */
export type ExpectedAccount = Account & { readonly since: Day | null };

export type DueWindowsInput = {
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
export function windowsDue(input: DueWindowsInput): Window[] {
  const entries = new Map(input.ledger.map((entry) => [windowKey(entry), entry]));
  return input.accounts
    .flatMap((account) => {
      const last = yesterday(input.now, account.timeZone);
      const windows = expectedDays(account, last, input).map((day) => ({ account: account.name, day }));
      return windows.filter((window) => isDue(window.day, last, entries.get(windowKey(window)), input));
    })
    .sort((one, other) => Number(one.day < other.day) - Number(one.day > other.day));
}

function expectedDays({ since }: ExpectedAccount, last: Day, { catchUpDays }: DueWindowsInput): Day[] {
  const earliest = earliestDue(last, catchUpDays);
  const first = since ?? last;
  return daysBetween(first > earliest ? first : earliest, last);
}

function isDue(
  day: Day,
  last: Day,
  entry: LedgerEntry | undefined,
  { runDate, lookbackDays }: DueWindowsInput,
): boolean {
  if (entry === undefined || entry.state !== 'loaded' || entry.failed) return true;
  if (entry.syncedRunDate === runDate) return false;
  return day === last || day > addDays(last, -lookbackDays) || entry.held || !isSettled(entry);
}

/** The first day that a run catches up on, whose yesterday is `last`. */
export function earliestDue(last: Day, catchUpDays: number): Day {
  return addDays(last, 1 - catchUpDays);
}

/**
 * How many days later a run still catches up on `day`, which is synced now: 0 or less where this is the last time
 * that a run syncs it by itself. It is stored with the response, because settings, zone and time are other ones later.
 */
export function catchUpLeft(
  day: Day,
  { now, timeZone, catchUpDays }: Pick<DueWindowsInput, 'now' | 'catchUpDays'> & Pick<Account, 'timeZone'>,
): number {
  const earliest = earliestDue(yesterday(now, timeZone), catchUpDays);
  return Temporal.PlainDate.from(earliest).until(day).days;
}

/**
 * Whether the counts have been the same on two run dates; or the day was beyond `CATCH_UP_DAYS` when it was synced
 * (Meaning: settled). The last day within them is as good as beyond: no later run would sync it, and it would settle
 * never. `warehouse.coverage` shows the same as `settling`.
 */
export function isSettled({
  syncedRunDate,
  sameSinceRunDate,
  catchUpLeft,
}: Pick<LedgerEntry, 'syncedRunDate' | 'sameSinceRunDate' | 'catchUpLeft'>): boolean {
  if (syncedRunDate === null || sameSinceRunDate === null) return false;
  return syncedRunDate > sameSinceRunDate || (catchUpLeft !== null && catchUpLeft <= 0);
}

/** The windows of a run with dates: exactly those days of each account, due or not. */
export function windowsOf(accounts: readonly Account[], days: readonly Day[]): Window[] {
  return days.flatMap((day) => accounts.map((account) => ({ account: account.name, day })));
}

export type MissingWindowsInput = Pick<DueWindowsInput, 'accounts' | 'now'> & {
  /** At least its days from `from` on. */
  readonly ledger: readonly Pick<LedgerEntry, 'account' | 'day' | 'state'>[];
  readonly from: Day;
  readonly to: Day;
};

/** The windows of a backfill: days that are over and not loaded, newest first, all accounts of a day together. */
export function windowsMissing({ accounts, ledger, now, from, to }: MissingWindowsInput): Window[] {
  const loaded = new Set(ledger.filter((entry) => entry.state === 'loaded').map(windowKey));
  const lastDays = new Map(accounts.map(({ name, timeZone }) => [name, yesterday(now, timeZone)]));
  return windowsOf(accounts, daysBetween(from, to).reverse()).filter(
    (window) => window.day <= lastDays.get(window.account)! && !loaded.has(windowKey(window)),
  );
}

/** A window as a key of a map or a set. */
export const windowKey = ({ account, day }: Window): string => `${day} ${account}`;
