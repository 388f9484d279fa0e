import type { Day } from '../../model/day.ts';
import type { Window } from '../../model/window.ts';
import { addDays, isOver } from '../../planning/business-day.ts';
import { correctionsOwed, type OwedCorrection } from '../../planning/corrections-owed.ts';
import { digestStarts } from '../../planning/digest-starts.ts';
import { digestsOwed, type OwedDigests } from '../../planning/digests-owed.ts';
import { readLedger } from '../../warehouse/ledger/ledger.ts';
import { readDayAttempts, uncorrectedDigests } from '../../warehouse/outbox/corrections.ts';
import {
  enterDigestStart,
  forgetDigestStart,
  readDigestStarts,
} from '../../warehouse/outbox/digest-starts.ts';
import { settledDigests } from '../../warehouse/outbox/digests.ts';
import type { Parts } from '../run/parts.ts';
import type { Run } from '../run/run.ts';

type Asking = Pick<Parts, 'config' | 'warehouse' | 'clock'>;

/** Enters where the digests begin that are new to the settings: before anything of this run is loaded. */
export async function enterDigests({ config, warehouse, night }: Run): Promise<void> {
  const known = await readDigestStarts(warehouse);
  const isKnown = (name: string) => known.some((each) => each.name === name);
  const gone = known.filter(({ name }) => !config.digests.some((digest) => digest.name === name));
  for (const { name } of gone) await forgetDigestStart(warehouse, name);
  if (config.digests.every(({ name }) => isKnown(name))) return;
  const ledger = await readLedger(warehouse, firstDay(config, night));
  for (const start of digestStarts(config.digests, known, ledger))
    if (!isKnown(start.name)) await enterDigestStart(warehouse, start);
}

/** Which digests are owed once the tries of `windows` are over; a day that isn't over is nobody's news yet. */
export async function owedDigests(
  { config, warehouse, clock }: Asking,
  night: Day,
  windows: readonly Window[],
): Promise<OwedDigests> {
  const days = windows.map((window) => window.day);
  const since = [firstDay(config, night), ...days].sort()[0]!;
  const now = clock();
  const zones = new Map(config.accounts.map((account) => [account.name, account.timeZone]));
  const ledger = await readLedger(warehouse, since);
  return digestsOwed({
    digests: config.digests,
    ledger,
    tried: windows.filter(({ account, day }) => isOver(day, zones.get(account)!, now)),
    settled: await settledDigests(warehouse, since),
    starts: digestStarts(config.digests, await readDigestStarts(warehouse), ledger),
    catchUp: config.planning.digestCatchUp,
  });
}

/** Which digests of the last `CATCH_UP_DAYS` are to be corrected. */
export async function owedCorrections(
  { config, warehouse }: Asking,
  night: Day,
): Promise<readonly OwedCorrection[]> {
  const since = firstDay(config, night);
  const told = await uncorrectedDigests(warehouse, since);
  if (told.length === 0) return [];
  return correctionsOwed({
    digests: config.digests,
    told,
    ledger: await readLedger(warehouse, since),
    attempts: await readDayAttempts(warehouse, since),
  });
}

const firstDay = ({ planning }: Parts['config'], night: Day) => addDays(night, -planning.catchUpDays);
