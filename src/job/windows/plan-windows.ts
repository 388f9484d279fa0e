import type { Day } from '../../model/day.ts';
import type { Window } from '../../model/window.ts';
import { addDays } from '../../planning/business-day.ts';
import { type ExpectedAccount, windowsDue, windowsOf } from '../../planning/windows-due.ts';
import { expectSince } from '../../warehouse/ledger/accounts.ts';
import { readLedger } from '../../warehouse/ledger/ledger.ts';
import type { Run } from '../run/run.ts';
import type { KnownAccount } from '../run/select-accounts.ts';

/** The windows of a run: of exactly these days or, null, all that are due. */
export async function planWindows(
  run: Pick<Run, 'warehouse' | 'config' | 'clock' | 'runDate'>,
  accounts: readonly ExpectedAccount[],
  days: readonly Day[] | null,
): Promise<Window[]> {
  if (days !== null) return windowsOf(accounts, days);
  const { lookbackDays, catchUpDays } = run.config.planning;
  // A day more than is healed: an account's zone may be a day behind the run date.
  const ledger = await readLedger(run.warehouse, addDays(run.runDate, -catchUpDays - 1));
  return windowsDue({
    accounts,
    ledger,
    now: run.clock(),
    runDate: run.runDate,
    lookbackDays,
    catchUpDays,
  });
}

/** Expects the days of these windows to be loaded from now on. */
export async function expectWindows(
  { warehouse }: Pick<Run, 'warehouse'>,
  accounts: readonly KnownAccount[],
  windows: readonly Window[],
): Promise<void> {
  for (const { id, name } of accounts) {
    const days = windows.filter(({ account }) => account === name).map(({ day }) => day);
    if (days.length > 0) await expectSince(warehouse, id, days.toSorted()[0]!);
  }
}
