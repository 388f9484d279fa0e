import type { Day } from '../../model/day.ts';
import type { Window } from '../../model/window.ts';
import { addDays } from '../../planning/business-day.ts';
import { windowsAsked, windowsDue } from '../../planning/windows-due.ts';
import { expectSince } from '../../warehouse/ledger/accounts.ts';
import { readLedger } from '../../warehouse/ledger/ledger.ts';
import type { Run } from '../run/run.ts';
import type { KnownAccount } from '../run/select-accounts.ts';

/** The windows of this run; from now on their days ought to be loaded. */
export async function planWindows(
  run: Run,
  accounts: readonly KnownAccount[],
  days: readonly Day[] | null,
): Promise<Window[]> {
  const windows = days ? windowsAsked(accounts, days) : await due(run, accounts);
  for (const account of accounts) {
    const own = windows.filter((window) => window.account === account.name).map((window) => window.day);
    if (own.length > 0) await expectSince(run.warehouse, account.id, own.toSorted()[0]!);
  }
  if (windows.length === 0) run.log.info('nothing is due: all was pulled tonight');
  return windows;
}

async function due(run: Run, accounts: readonly KnownAccount[]): Promise<Window[]> {
  const { lookbackDays, catchUpDays } = run.config.planning;
  // A day more than is healed: a zone may be a day behind the night's.
  const ledger = await readLedger(run.warehouse, addDays(run.runDate, -catchUpDays - 1));
  return windowsDue({ accounts, ledger, now: run.clock(), runDate: run.runDate, lookbackDays, catchUpDays });
}
