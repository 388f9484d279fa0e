import type { Config } from '../../config/config.ts';
import { isOver } from '../../model/business-day.ts';
import { addDays, type Day } from '../../model/day.ts';
import type { LedgerEntry, Window } from '../../model/window.ts';
import { readAccounts } from '../../warehouse/ledger/accounts.ts';
import { readLedger } from '../../warehouse/ledger/ledger.ts';
import { incompleteDigests } from '../../warehouse/outbox/corrections.ts';
import { readDigestStarts, settledDigests, skipDigests } from '../../warehouse/outbox/digests.ts';
import type { AppContext } from '../run/app-context.ts';
import type { Run } from '../run/run.ts';
import {
  correctionsDue,
  type DueCorrection,
  type DueDigest,
  type DueDigests,
  digestStart,
  digestsDue,
  ledgerStart,
  newDigests,
} from './due.ts';

/** Gives each digest that is new to the settings its first row, before this run loads anything; no other is touched. */
export async function recordDigests(run: Run): Promise<void> {
  const { config, warehouse, runDate } = run;
  // The ledger first: another process that loads yesterday in between has recorded its digests before.
  const ledger = await readLedger(warehouse, addDays(runDate, -2));
  const added = newDigests(config.digests, await readDigestStarts(warehouse));
  const starts = added.map((digest) => digestStart(digest, config.accounts, ledger, run.clock()));
  await skipDigests(warehouse, starts, run.id);
}

/**
 * The open digests that are due. While no day is expected of one of its accounts, a digest isn't: a dated run before the
 * first undated one mails nothing.
 */
export async function dueDigests(
  app: AppContext,
  runDate: Day,
  windows: readonly Window[],
): Promise<DueDigests> {
  const accounts = await readAccounts(app.warehouse);
  const expected = new Set(accounts.filter(({ since }) => since !== null).map(({ name }) => name));
  const isExpected = ({ digest }: Pick<DueDigest, 'digest'>) =>
    digest.accounts.every((name) => expected.has(name));
  const { due, skipped } = await openDigests(app, runDate, windows);
  return { due: due.filter(isExpected), skipped: skipped.filter(isExpected) };
}

/**
 * Which digests may be built or skipped after the attempts at `windows`, and at those with a response that was held on this run date:
 * an earlier attempt of the run made them, or one that was cut off. Those at a day that isn't over don't count.
 */
export async function openDigests(
  app: AppContext,
  runDate: Day,
  windows: readonly Window[],
): Promise<DueDigests> {
  const { config, warehouse } = app;
  const { digests, accounts } = config;
  const earliest = earliestDay(config, runDate);
  const first = [earliest, ...windows.map(({ day }) => day)].sort()[0]!;
  const since = ledgerStart(digests, first);
  const now = app.clock();
  const zones = new Map(accounts.map((account) => [account.name, account.timeZone]));
  const ledger = await readLedger(warehouse, since);
  const starts = await readDigestStarts(warehouse);
  // Those that no run has recorded yet: this is a dry run.
  const added = newDigests(digests, starts).map((digest) => digestStart(digest, accounts, ledger, now));
  return digestsDue({
    digests,
    ledger,
    attempted: [...windows, ...ledger.filter((entry) => isHeldOn(runDate, entry))].filter(
      ({ account, day }) => zones.has(account) && isOver(day, zones.get(account)!, now),
    ),
    settled: await settledDigests(warehouse, since),
    starts: [...starts, ...added],
    since: new Map((await readAccounts(warehouse)).map((account) => [account.name, account.since])),
    earliest,
    catchUp: config.planning.digestCatchUp,
  });
}

const isHeldOn = (runDate: Day, { held, failed, syncedRunDate }: LedgerEntry) =>
  held && !failed && syncedRunDate === runDate;

/** Which digests of the last `CATCH_UP_DAYS` are to be corrected: of days alone. */
export async function dueCorrections({ config, warehouse, runDate }: Run): Promise<readonly DueCorrection[]> {
  const since = firstDay(config, runDate);
  const incomplete = await incompleteDigests(warehouse, since);
  if (incomplete.length === 0) return [];
  return correctionsDue(config.digests, incomplete, await readLedger(warehouse, since));
}

/** The first day that a run may still sync: a day more, because an account's zone may be a day behind the run date. */
export const earliestDay = (config: Config, runDate: Day): Day => addDays(firstDay(config, runDate), -1);

/** First of the last `CATCH_UP_DAYS`. */
export const firstDay = ({ planning }: Config, runDate: Day): Day => addDays(runDate, -planning.catchUpDays);
