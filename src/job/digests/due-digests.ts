import type { Day } from '../../model/day.ts';
import type { Window } from '../../model/window.ts';
import { addDays, isOver } from '../../planning/business-day.ts';
import { correctionsDue, type DueCorrection } from '../../planning/corrections-due.ts';
import { digestStarts } from '../../planning/digest-starts.ts';
import { type DueDigests, digestsDue } from '../../planning/digests-due.ts';
import { readLedger } from '../../warehouse/ledger/ledger.ts';
import { readDayAttempts, uncorrectedDigests } from '../../warehouse/outbox/corrections.ts';
import {
  forgetDigestStart,
  readDigestStarts,
  recordDigestStart,
  settledDigests,
} from '../../warehouse/outbox/digests.ts';
import type { AppContext } from '../run/app-context.ts';
import type { Run } from '../run/run.ts';

type DueContext = Pick<AppContext, 'config' | 'warehouse' | 'clock'>;

/** Records where digests that are new in the settings begin, before this run loads anything. */
export async function recordDigests({
  config,
  warehouse,
  runDate,
}: Pick<Run, 'config' | 'warehouse' | 'runDate'>): Promise<void> {
  const known = await readDigestStarts(warehouse);
  const isKnown = (name: string) => known.some((each) => each.name === name);
  const gone = known.filter(({ name }) => !config.digests.some((digest) => digest.name === name));
  for (const { name } of gone) await forgetDigestStart(warehouse, name);
  if (config.digests.every(({ name }) => isKnown(name))) return;
  const ledger = await readLedger(warehouse, firstDay(config, runDate));
  for (const start of digestStarts(config.digests, known, ledger))
    if (!isKnown(start.name)) await recordDigestStart(warehouse, start);
}

/** Which digests are due after the attempts at `windows`; a day that isn't over has none yet. */
export async function dueDigests(
  { config, warehouse, clock }: DueContext,
  runDate: Day,
  windows: readonly Window[],
): Promise<DueDigests> {
  const days = windows.map((window) => window.day);
  const since = [firstDay(config, runDate), ...days].sort()[0]!;
  const now = clock();
  const zones = new Map(config.accounts.map((account) => [account.name, account.timeZone]));
  const ledger = await readLedger(warehouse, since);
  return digestsDue({
    digests: config.digests,
    ledger,
    tried: windows.filter(({ account, day }) => isOver(day, zones.get(account)!, now)),
    settled: await settledDigests(warehouse, since),
    starts: digestStarts(config.digests, await readDigestStarts(warehouse), ledger),
    catchUp: config.planning.digestCatchUp,
  });
}

/** Which digests of the last `CATCH_UP_DAYS` are to be corrected. */
export async function dueCorrections(
  { config, warehouse }: DueContext,
  runDate: Day,
): Promise<readonly DueCorrection[]> {
  const since = firstDay(config, runDate);
  const reported = await uncorrectedDigests(warehouse, since);
  if (reported.length === 0) return [];
  return correctionsDue({
    digests: config.digests,
    reported,
    ledger: await readLedger(warehouse, since),
    attempts: await readDayAttempts(warehouse, since),
  });
}

const firstDay = ({ planning }: AppContext['config'], runDate: Day) =>
  addDays(runDate, -planning.catchUpDays);
