import { addDays, type Day } from '../../model/day.ts';
import type { DigestDefinition } from '../../model/digest.ts';
import type { LedgerEntry, Window } from '../../model/window.ts';
import { isOver } from '../../planning/business-day.ts';
import {
  correctionsDue,
  type DueCorrection,
  type DueDigests,
  digestStarts,
  digestsDue,
  isStartOf,
  ledgerStart,
} from '../../planning/digests-due.ts';
import { readAccounts } from '../../warehouse/ledger/accounts.ts';
import { readLedger } from '../../warehouse/ledger/ledger.ts';
import { readDayAttempts, uncorrectedDigests } from '../../warehouse/outbox/corrections.ts';
import {
  forgetDigestStart,
  readDigestStarts,
  recordDigestStart,
  settledDigests,
} from '../../warehouse/outbox/digests.ts';
import type { Run } from '../run/run.ts';

type DigestContext = Pick<Run, 'config' | 'warehouse' | 'runDate'>;
export type DueContext = DigestContext & Pick<Run, 'clock'>;

/** Records where digests that are new in the settings begin, before this run loads anything; no other is touched. */
export async function recordDigests(run: DigestContext): Promise<void> {
  const { config, warehouse } = run;
  const known = await readDigestStarts(warehouse);
  const isKnown = (digest: Pick<DigestDefinition, 'name' | 'every'>) =>
    known.some((start) => isStartOf(digest, start));
  if (config.digests.every(isKnown)) return;
  const ledger = await readLedger(warehouse, firstDay(run));
  for (const start of digestStarts(config.digests, known, ledger))
    if (!isKnown(start)) await recordDigestStart(warehouse, start);
}

/**
 * Forgets the digests that are gone from the settings, so that one that comes back starts again; only a whole nightly
 * run may, for other processes may have other digests.
 */
export async function forgetDigests({ config, warehouse }: DigestContext): Promise<void> {
  const known = await readDigestStarts(warehouse);
  const gone = known.filter((start) => !config.digests.some((digest) => isStartOf(digest, start)));
  for (const start of gone) await forgetDigestStart(warehouse, start);
}

/**
 * The open digests that are due. While no day is expected of one of its accounts, a digest isn't: a dated run before the
 * first undated one mails nothing.
 */
export async function dueDigests(run: DueContext, windows: readonly Window[]): Promise<DueDigests> {
  const accounts = await readAccounts(run.warehouse);
  const expected = new Set(accounts.filter(({ since }) => since !== null).map(({ name }) => name));
  const digests = run.config.digests.filter((digest) => digest.accounts.every((name) => expected.has(name)));
  return await openDigests({ ...run, config: { ...run.config, digests } }, windows);
}

/**
 * Which digests may be built or skipped after the attempts at `windows`, and at those with a response that was held on this run date:
 * an earlier attempt of the run made them, or one that was cut off. Those at a day that isn't over don't count.
 */
export async function openDigests(run: DueContext, windows: readonly Window[]): Promise<DueDigests> {
  const { config, warehouse } = run;
  const earliest = earliestDay(run);
  const first = [earliest, ...windows.map(({ day }) => day)].sort()[0]!;
  const since = ledgerStart(config.digests, first);
  const now = run.clock();
  const zones = new Map(config.accounts.map((account) => [account.name, account.timeZone]));
  const ledger = await readLedger(warehouse, since);
  return digestsDue({
    digests: config.digests,
    ledger,
    attempted: [...windows, ...ledger.filter((entry) => isHeldOn(run.runDate, entry))].filter(
      ({ account, day }) => zones.has(account) && isOver(day, zones.get(account)!, now),
    ),
    settled: await settledDigests(warehouse, since),
    starts: digestStarts(config.digests, await readDigestStarts(warehouse), ledger),
    since: new Map((await readAccounts(warehouse)).map((account) => [account.name, account.since])),
    earliest,
    catchUp: config.planning.digestCatchUp,
  });
}

const isHeldOn = (runDate: Day, { held, failed, syncedRunDate }: LedgerEntry) =>
  held && !failed && syncedRunDate === runDate;

/** Which digests of the last `CATCH_UP_DAYS` are to be corrected: of days alone. */
export async function dueCorrections(run: DigestContext): Promise<readonly DueCorrection[]> {
  const { config, warehouse } = run;
  const since = firstDay(run);
  const reported = await uncorrectedDigests(warehouse, since);
  if (reported.length === 0) return [];
  return correctionsDue({
    digests: config.digests,
    reported,
    ledger: await readLedger(warehouse, since),
    attempts: await readDayAttempts(warehouse, since),
  });
}

/** Of which a run may still sync a window: a day more, for an account's zone may be a day behind the run date. */
export const earliestDay = (run: Parameters<typeof firstDay>[0]): Day => addDays(firstDay(run), -1);

/** First of the last `CATCH_UP_DAYS`. */
export const firstDay = ({ config, runDate }: DigestContext): Day =>
  addDays(runDate, -config.planning.catchUpDays);
