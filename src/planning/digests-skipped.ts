import type { Day } from '../model/day.ts';
import type { DigestDefinition } from '../model/digest.ts';
import type { Account } from '../model/records.ts';
import type { Window } from '../model/window.ts';
import { yesterday } from './business-day.ts';

export type HistoryPlan = {
  readonly digests: readonly Pick<DigestDefinition, 'name' | 'accounts'>[];
  /** All accounts of the settings. */
  readonly accounts: readonly Account[];
  /** Windows that are about to be loaded. */
  readonly windows: readonly Window[];
  readonly now: Temporal.Instant;
};

/**
 * The digests that a backfill skips: nobody is mailed about history. Yesterday, wherever an account of the digest is,
 * is no history yet but the news of a run.
 */
export function digestsSkipped({
  digests,
  accounts,
  windows,
  now,
}: HistoryPlan): { readonly name: string; readonly day: Day }[] {
  const lastDays = new Map(accounts.map(({ name, timeZone }) => [name, yesterday(now, timeZone)]));
  return digests.flatMap((digest) => {
    const news = digest.accounts.map((account) => lastDays.get(account)!).sort()[0]!;
    const days = windows.filter(({ account, day }) => digest.accounts.includes(account) && day < news);
    return [...new Set(days.map(({ day }) => day))].map((day) => ({ name: digest.name, day }));
  });
}
