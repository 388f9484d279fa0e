import type { Config } from '../../config/config.ts';
import { addDays, type Day, isOver, yesterday } from '../../model/day.ts';
import type { UntoldDigest } from '../../model/digest.ts';
import { periodOf } from '../../model/period.ts';
import type { LedgerEntry, Window } from '../../model/window.ts';
import type { Warehouse } from '../../warehouse/db/database.ts';
import { readAccounts } from '../../warehouse/ledger/accounts.ts';
import { readLedger } from '../../warehouse/ledger/ledger.ts';
import { type IncompleteDigest, incompleteDigests } from '../../warehouse/outbox/corrections.ts';
import {
  readDigestStarts,
  settledDigests,
  skipDigests,
  untoldDigests,
} from '../../warehouse/outbox/digests.ts';
import { readAccountTotals } from '../../warehouse/queries/figures.ts';
import type { AppContext } from '../run/app-context.ts';
import type { Run } from '../run/run.ts';
import { earliestDue } from '../windows/due.ts';
import {
  correctionsDue,
  type DueDigestsInput,
  type DueMail,
  type DuePeriod,
  digestKey,
  digestStarts,
  digestsDue,
  isSameAsMailed,
  ledgerStart,
  mailsDue,
  newDigests,
  whyNoneDue,
} from './due.ts';

/** Inserts the first row of each digest that is new in the settings, before this run loads anything. */
export async function recordDigests(run: Run): Promise<void> {
  const { config, warehouse, runDate } = run;
  // The ledger first: if another process loads yesterday in between, it has already recorded its digests.
  const ledger = await readLedger(warehouse, addDays(runDate, -2));
  const added = newDigests(config.digests, await readDigestStarts(warehouse));
  const starts = digestStarts(added, config.accounts, ledger, run.clock());
  await skipDigests(warehouse, starts, 'first', run.id);
}

/** The mails of a run after its attempts at `windows`. */
export async function dueMails(run: Run, windows: readonly Window[]): Promise<DueMail[]> {
  const { config, warehouse, runDate } = run;
  const since = firstDay(config, runDate);
  const incomplete = await incompleteDigests(warehouse, since);
  const told = await withoutConfirmed(
    run,
    await dueCorrections(
      run,
      incomplete.filter(({ isTold }) => isTold),
    ),
  );
  const whole = await dueCorrections(
    run,
    incomplete.filter(({ isTold }) => !isTold),
  );
  const outdated = new Set(whole.map(({ digest: { name, every }, day }) => digestKey({ name, every, day })));
  const untold = (await untoldDigests(warehouse, since)).map((each) => ({
    ...each,
    isOutdated: each.kind === 'first' && outdated.has(digestKey(each)),
  }));
  return mailsDue(await dueDigests(run, runDate, windows, untold), told, untold);
}

/**
 * The open digests that are due, except those with an account that expects no day yet: nobody is mailed about
 * history.
 *
 * @param untold digests that are due again, because nobody got them
 */
export async function dueDigests(
  app: AppContext,
  runDate: Day,
  windows: readonly Window[],
  untold: readonly UntoldDigest[] = [],
): Promise<DuePeriod[]> {
  const accounts = await readAccounts(app.warehouse);
  const expected = new Set(accounts.filter(({ since }) => since !== null).map(({ name }) => name));
  const input = await readDueInput(app, runDate, windows);
  const again = new Set(untold.filter(({ kind }) => kind === 'first').map(digestKey));
  const due = digestsDue({ ...input, settled: input.settled.filter((each) => !again.has(digestKey(each))) });
  return due.filter(({ digest }) => digest.accounts.every((name) => expected.has(name)));
}

/**
 * The digests to build or skip after the attempts at `windows` and at windows with a response held on this run
 * date: an earlier run of this run date attempted those. Days that aren't over don't count.
 */
export async function openDigests(
  app: AppContext,
  runDate: Day,
  windows: readonly Window[],
): Promise<DuePeriod[]> {
  return digestsDue(await readDueInput(app, runDate, windows));
}

/** Why a run has no digest to mail after its attempts at `windows`, for its last line. */
export async function whyNoMail(run: Run, windows: readonly Window[]): Promise<string> {
  const days = windows.map(({ day }) => day);
  return whyNoneDue(days, await readDueInput(run, run.runDate, windows));
}

async function readDueInput(
  app: AppContext,
  runDate: Day,
  windows: readonly Window[],
): Promise<DueDigestsInput> {
  const { config, warehouse } = app;
  const { digests, accounts } = config;
  const now = app.clock();
  const caughtUpFrom = firstDays(config, now);
  const since = ledgerStart(digests, [...caughtUpFrom.values()].sort()[0]!);
  const zones = new Map(accounts.map((account) => [account.name, account.timeZone]));
  const ledger = await readLedger(warehouse, since);
  const starts = await readDigestStarts(warehouse);
  // Digests that no run has recorded yet: only a dry run meets them.
  const added = digestStarts(newDigests(digests, starts), accounts, ledger, now);
  return {
    digests,
    ledger,
    attempted: [...windows, ...ledger.filter((entry) => isHeldOn(runDate, entry))].filter(
      ({ account, day }) => zones.has(account) && isOver(day, zones.get(account)!, now),
    ),
    settled: await settledDigests(warehouse, since),
    starts: [...starts, ...added],
    since: await firstExpectedDays(warehouse),
    caughtUpFrom,
  };
}

const isHeldOn = (runDate: Day, { held, failed, syncedRunDate }: LedgerEntry) =>
  held && !failed && syncedRunDate === runDate;

/** Those of the incomplete digests whose days are whole by now. */
async function dueCorrections(
  { config, warehouse }: Run,
  incomplete: readonly IncompleteDigest[],
): Promise<DuePeriod[]> {
  const first = incomplete.map(({ every, day }) => periodOf(every, day).from).sort()[0];
  if (first === undefined) return [];
  const ledger = await readLedger(warehouse, first);
  return correctionsDue(config.digests, incomplete, ledger, await firstExpectedDays(warehouse));
}

/** Leaves out, and skips, corrections of figures that were confirmed as they were mailed. */
async function withoutConfirmed(
  { warehouse, id }: Run,
  corrections: readonly DuePeriod[],
): Promise<DuePeriod[]> {
  const changed: DuePeriod[] = [];
  for (const each of corrections) {
    const { digest, day, before } = each;
    const { name, every, accounts } = digest;
    const now = await readAccountTotals(warehouse, accounts, periodOf(every, day));
    if (isSameAsMailed(before!, now)) await skipDigests(warehouse, [{ name, every, day }], 'corrected', id);
    else changed.push(each);
  }
  return changed;
}

const firstExpectedDays = async (warehouse: Warehouse) =>
  new Map((await readAccounts(warehouse)).map(({ name, since }) => [name, since]));

/** The first day that a run at `now` catches up on, by account. */
export const firstDays = ({ accounts, planning }: Config, now: Temporal.Instant): Map<string, Day> =>
  new Map(
    accounts.map(({ name, timeZone }) => [name, earliestDue(yesterday(now, timeZone), planning.catchUpDays)]),
  );

/** The first of the last `CATCH_UP_DAYS`. */
export const firstDay = ({ planning }: Config, runDate: Day): Day => addDays(runDate, -planning.catchUpDays);
