import type { Day } from '../model/day.ts';
import type { DigestDefinition } from '../model/digest.ts';
import { periodOf } from '../model/period.ts';
import type { Account } from '../model/records.ts';
import { yesterday } from './business-day.ts';

export type LaggingAccountsInput = {
  readonly digests: readonly Pick<DigestDefinition, 'name' | 'every' | 'accounts'>[];
  /** All accounts of the settings. */
  readonly accounts: readonly Account[];
  readonly now: Temporal.Instant;
};

/** Accounts for which a digest waits, though the day is over for its others. */
export type LaggingAccounts = {
  readonly digest: string;
  /** The day that is over elsewhere. */
  readonly day: Day;
  readonly accounts: readonly Pick<Account, 'name' | 'timeZone'>[];
};

/**
 * The digests that a run at this time can't build of the day, week or month that has just ended, for some of their accounts are in
 * zones where it hasn't: everybody gets them a run later.
 */
export function laggingAccounts({ digests, accounts, now }: LaggingAccountsInput): LaggingAccounts[] {
  const lastDays = new Map(accounts.map(({ name, timeZone }) => [name, yesterday(now, timeZone)]));
  return digests.flatMap((digest) => {
    const own = accounts.filter(({ name }) => digest.accounts.includes(name));
    const day = own
      .map(({ name }) => lastDays.get(name)!)
      .sort()
      .at(-1);
    const lagging = own.filter(({ name }) => lastDays.get(name) !== day);
    if (day === undefined || lagging.length === 0 || periodOf(digest.every, day).to !== day) return [];
    return { digest: digest.name, day, accounts: lagging };
  });
}
