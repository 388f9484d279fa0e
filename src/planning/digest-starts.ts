import { addDays, type Day } from '../model/day.ts';
import type { DigestDefinition } from '../model/digest.ts';
import type { LedgerEntry } from '../model/window.ts';

/** From which day on a digest is due; null: from the first. */
export type DigestStart = { readonly name: string; readonly dueFrom: Day | null };

/**
 * Where each digest of the settings begins. One that is new to the settings is due only for days completed from now on:
 * its readers expect the next digest, not those of the days before they had one.
 */
export function digestStarts(
  digests: readonly DigestDefinition[],
  known: readonly DigestStart[],
  ledger: readonly Pick<LedgerEntry, 'account' | 'day' | 'state'>[],
): DigestStart[] {
  const loaded = Map.groupBy(
    ledger.filter((entry) => entry.state === 'loaded'),
    (entry) => entry.day,
  );
  return digests.map(({ name, accounts }) => {
    const start = known.find((each) => each.name === name);
    if (start) return start;
    const complete = [...loaded].filter(([, entries]) =>
      accounts.every((account) => entries.some((entry) => entry.account === account)),
    );
    const newest = complete
      .map(([day]) => day)
      .sort()
      .at(-1);
    return { name, dueFrom: newest === undefined ? null : addDays(newest, 1) };
  });
}
