import { addDays, type Day } from '../../model/day.ts';
import type { Window } from '../../model/window.ts';
import { yesterday } from '../../planning/business-day.ts';
import { type ExpectedAccount, windowsDue, windowsOf } from '../../planning/windows-due.ts';
import { beginSince } from '../../warehouse/ledger/accounts.ts';
import { readLedger } from '../../warehouse/ledger/ledger.ts';
import type { KnownAccount } from '../run/accounts.ts';
import type { Run } from '../run/run.ts';
import { reportFailedWindow } from './report-result.ts';
import { syncWindows, type WindowExecutor, type WindowsContext } from './sync-windows.ts';
import { toTasks } from './window-result.ts';

/** The windows of a run: of exactly these days or, null, all that are due. */
export async function planWindows(
  { warehouse, config, clock, runDate }: Pick<Run, 'warehouse' | 'config' | 'clock' | 'runDate'>,
  accounts: readonly ExpectedAccount[],
  days: readonly Day[] | null,
): Promise<Window[]> {
  if (days !== null) return windowsOf(accounts, days);
  const { lookbackDays, catchUpDays } = config.planning;
  // A day more than is healed: an account's zone may be a day behind the run date.
  const ledger = await readLedger(warehouse, addDays(runDate, -catchUpDays - 1));
  return windowsDue({
    accounts,
    ledger,
    now: withinRunDate(clock(), runDate, config.planning.timeZone),
    runDate,
    lookbackDays,
    catchUpDays,
  });
}

/** A retry past midnight is about the days of the first run: the day that has ended since is the next run's. */
function withinRunDate(now: Temporal.Instant, runDate: Day, timeZone: string): Temporal.Instant {
  const end = Temporal.PlainDate.from(runDate).add({ days: 1 }).toZonedDateTime(timeZone).toInstant();
  return Temporal.Instant.compare(now, end) < 0 ? now : end.subtract({ nanoseconds: 1 });
}

/** Expects days of each account from its yesterday on, where none were; gives the accounts with their first day. */
export async function expectDays(
  { warehouse, clock }: Pick<Run, 'warehouse' | 'clock'>,
  accounts: readonly KnownAccount[],
): Promise<KnownAccount[]> {
  const now = clock();
  const expected: KnownAccount[] = [];
  for (const account of accounts) {
    const since = account.since ?? yesterday(now, account.timeZone);
    if (account.since === null) await beginSince(warehouse, account.id, since);
    expected.push({ ...account, since });
  }
  return expected;
}

/** Syncs the windows of a run. */
export async function syncNightlyWindows(
  run: WindowsContext & Pick<Run, 'report'>,
  accounts: readonly KnownAccount[],
  windows: readonly Window[],
  executor: WindowExecutor,
): Promise<void> {
  if (windows.length === 0) run.log.info('nothing is due: every window is synced on this run date');
  let done = 0;
  const reportProgress = () => run.report(progressOf(run, ++done, windows.length));
  const failed = await syncWindows(run, toTasks(accounts, windows, false), executor, (_, { error }) => {
    if (error === null) reportProgress();
  });
  // A window that failed counts as done once its attempts are over.
  for (const each of failed) {
    await reportFailedWindow(run, each);
    reportProgress();
  }
}

function progressOf({ stats: { rows, windows } }: Pick<Run, 'stats'>, done: number, windowsDue: number) {
  return {
    windows: done,
    windowsDue,
    windowsFailed: windows.failed,
    share: done / windowsDue,
    rows: rows.appeared + rows.updated + rows.unchanged,
  };
}
