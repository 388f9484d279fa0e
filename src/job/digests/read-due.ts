import type { Config } from '../../config/config.ts';
import { addDays, type Day, isOver, yesterday } from '../../model/day.ts';
import { periodOf } from '../../model/period.ts';
import type { LedgerEntry, Window } from '../../model/window.ts';
import { readAccounts } from '../../warehouse/ledger/accounts.ts';
import { readLedger } from '../../warehouse/ledger/ledger.ts';
import { skipDigests } from '../../warehouse/outbox/digests.ts';
import { readPeriods } from '../../warehouse/outbox/periods.ts';
import { readAccountTotals } from '../../warehouse/queries/figures.ts';
import type { AppContext } from '../run/app-context.ts';
import type { Run } from '../run/run.ts';
import { earliestDue } from '../windows/due.ts';
import {
  correctionsDue,
  type DueInput,
  type DueMail,
  type DuePeriod,
  digestStarts,
  isSameAsMailed,
  ledgerStart,
  mailsDue,
  newDigests,
  periodsDue,
  whyNoneDue,
} from './due.ts';

/** Inserts the first row of each digest that is new in the settings, before this run loads anything. */
export async function recordDigests(run: Run): Promise<void> {
  const { config, warehouse, runDate } = run;
  // The ledger first: if another process loads yesterday in between, it has already recorded its digests.
  const ledger = await readLedger(warehouse, addDays(runDate, -2));
  const added = newDigests(config.digests, await readPeriods(warehouse, runDate));
  const starts = digestStarts(added, config.accounts, ledger, run.clock());
  await skipDigests(warehouse, starts, 'first', run.id);
}

/** The mails of a run after its attempts at `windows`. Corrections of what was confirmed as it was mailed are skipped. */
export async function dueMails(run: Run, windows: readonly Window[]): Promise<DueMail[]> {
  const { warehouse, id } = run;
  const input = await readDue(run, run.runDate, windows);
  const same = new Set<string>();
  for (const correction of input.digests.flatMap((digest) => correctionsDue(digest, input.periods))) {
    const { digest, day, before } = correction;
    const { name, every, accounts } = digest;
    const now = await readAccountTotals(warehouse, accounts, periodOf(every, day));
    if (!isSameAsMailed(before!, now)) continue;
    await skipDigests(warehouse, [{ name, every, day }], 'corrected', id);
    same.add(keyOf(correction));
  }
  return mailsDue(input, (correction) => !same.has(keyOf(correction)));
}

const keyOf = ({ digest: { name, every }, day }: DuePeriod) => `${every} ${day} ${name}`;

/** The digests to build or skip after the attempts at `windows`, of accounts without an expected day, too. */
export async function openDigests(
  app: AppContext,
  runDate: Day,
  windows: readonly Window[],
): Promise<DuePeriod[]> {
  const input = await readDue(app, runDate, windows);
  return input.digests.flatMap((digest) => periodsDue(digest, input));
}

/** Why a run has no digest to mail after its attempts at `windows`, for its last line. */
export async function whyNoMail(run: Run, windows: readonly Window[]): Promise<string> {
  const days = windows.map(({ day }) => day);
  return whyNoneDue(days, await readDue(run, run.runDate, windows));
}

/**
 * Reads what is due after the attempts at `windows` and at windows with a response held on this run date: an earlier run of
 * this run date attempted those. Days that aren't over don't count.
 */
export async function readDue(
  app: Pick<AppContext, 'config' | 'warehouse' | 'clock'>,
  runDate: Day,
  windows: readonly Window[],
): Promise<DueInput> {
  const { config, warehouse } = app;
  const { digests, accounts } = config;
  const now = app.clock();
  const caughtUpFrom = firstDays(config, now);
  const since = ledgerStart(digests, [...caughtUpFrom.values()].sort()[0]!);
  const zones = new Map(accounts.map((account) => [account.name, account.timeZone]));
  const ledger = await readLedger(warehouse, since);
  const periods = await readPeriods(warehouse, since);
  // Digests that no run has recorded yet: only a dry run meets them.
  const added = digestStarts(newDigests(digests, periods), accounts, ledger, now);
  return {
    digests,
    ledger,
    attempted: [...windows, ...ledger.filter((entry) => isHeldOn(runDate, entry))].filter(
      ({ account, day }) => zones.has(account) && isOver(day, zones.get(account)!, now),
    ),
    periods: [
      ...periods,
      ...added.map(
        (key) =>
          ({
            ...key,
            state: 'skipped',
            isTold: false,
            recipients: [],
            isStart: true,
            correctable: null,
          }) as const,
      ),
    ],
    since: new Map((await readAccounts(warehouse)).map(({ name, since }) => [name, since])),
    caughtUpFrom,
  };
}

const isHeldOn = (runDate: Day, { held, failed, syncedRunDate }: LedgerEntry) =>
  held && !failed && syncedRunDate === runDate;

/** The first day that a run at `now` catches up on, by account. */
export const firstDays = ({ accounts, planning }: Config, now: Temporal.Instant): Map<string, Day> =>
  new Map(
    accounts.map(({ name, timeZone }) => [name, earliestDue(yesterday(now, timeZone), planning.catchUpDays)]),
  );
