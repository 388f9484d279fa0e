import type { Day } from '../model/day.ts';
import type { AccountTotals, DigestDefinition } from '../model/digest.ts';
import type { LedgerEntry, Window } from '../model/window.ts';
import { windowKey } from './windows-due.ts';

export type CorrectionPlan = {
  readonly digests: readonly DigestDefinition[];
  /** First digests that were built, not skipped, and not corrected, of the last `CATCH_UP_DAYS`. */
  readonly reported: readonly ReportedTotals[];
  readonly ledger: readonly Pick<
    LedgerEntry,
    'account' | 'day' | 'state' | 'syncedRunDate' | 'sameSinceRunDate'
  >[];
  /** Attempts of each loaded window, as they are now. */
  readonly attempts: readonly (Window & { readonly attempts: number })[];
};

type ReportedTotals = {
  readonly name: string;
  readonly day: Day;
  readonly incomplete: boolean;
  readonly reported: readonly AccountTotals[];
};

export type DueCorrection = {
  readonly digest: DigestDefinition;
  readonly day: Day;
  /** What the first digest reported. */
  readonly before: readonly AccountTotals[];
};

/**
 * Which digests are to be corrected: an incomplete one as soon as its day is complete; a complete one once the day
 * has settled on other attempts than it reported, by over 1%.
 */
export function correctionsDue(plan: CorrectionPlan): DueCorrection[] {
  const ledger = new Map(plan.ledger.map((entry) => [windowKey(entry), entry]));
  const attempts = new Map(plan.attempts.map((window) => [windowKey(window), window.attempts]));
  return plan.reported.flatMap(({ name, day, incomplete, reported }) => {
    const digest = plan.digests.find((each) => each.name === name);
    // Over other accounts than before, it is another digest: there is nothing to compare.
    if (digest === undefined || !sameAccounts(digest, reported)) return [];
    const entries = digest.accounts.map((account) => ledger.get(windowKey({ account, day })));
    const now = digest.accounts.reduce(
      (sum, account) => sum + (attempts.get(windowKey({ account, day })) ?? 0),
      0,
    );
    const complete = entries.every((entry) => entry?.state === 'loaded');
    const settled = complete && entries.every((entry) => isSettled(entry!));
    const due = incomplete ? complete : settled && isOther(sumOf(reported), now);
    return due ? [{ digest, day, before: reported }] : [];
  });
}

function sameAccounts({ accounts }: DigestDefinition, reported: readonly AccountTotals[]): boolean {
  return accounts.length === reported.length && reported.every(({ account }) => accounts.includes(account));
}

/** Reported the same on two run dates. */
function isSettled({ syncedRunDate, sameSinceRunDate }: CorrectionPlan['ledger'][number]): boolean {
  return syncedRunDate !== null && sameSinceRunDate !== null && sameSinceRunDate < syncedRunDate;
}

const sumOf = (reported: readonly AccountTotals[]) =>
  reported.reduce((sum, { attempts }) => sum + (attempts ?? 0), 0);

const isOther = (before: number, now: number) => Math.abs(now - before) * 100 > before;
