import type { Day } from '../model/day.ts';
import type { Window } from '../model/window.ts';
import { addDays, isOver } from '../planning/business-day.ts';
import { digestsOwed, type OwedDigests } from '../planning/digests-owed.ts';
import { readLedger } from '../warehouse/ledger.ts';
import { settledDigests } from '../warehouse/outbox.ts';
import type { Parts } from './parts.ts';

/** Which digests are owed once the tries of `windows` are over; a day that isn't over is nobody's news yet. */
export async function owedDigests(
  { config, warehouse, clock }: Pick<Parts, 'config' | 'warehouse' | 'clock'>,
  night: Day,
  windows: readonly Window[],
): Promise<OwedDigests> {
  const { digestCatchUp, catchUpDays } = config.planning;
  const days = windows.map((window) => window.day);
  const since = [addDays(night, -catchUpDays), ...days].sort()[0]!;
  const now = clock();
  const zones = new Map(config.accounts.map((account) => [account.name, account.timeZone]));
  return digestsOwed({
    digests: config.digests,
    ledger: await readLedger(warehouse, since),
    tried: windows.filter(({ account, day }) => isOver(day, zones.get(account)!, now)),
    settled: await settledDigests(warehouse, since),
    catchUp: digestCatchUp,
  });
}
