import { addDays, type Day } from '../model/day.ts';
import type { AccountTotals, DigestDefinition } from '../model/digest.ts';
import { type DigestKey, daysOf, type Period, periodOf } from '../model/period.ts';
import type { Account } from '../model/records.ts';
import type { LedgerEntry, Window } from '../model/window.ts';
import { yesterday } from './business-day.ts';
import { isSettled, windowKey } from './windows-due.ts';

type LedgerStates = readonly Pick<LedgerEntry, 'account' | 'day' | 'state'>[];

/** From which day on a digest is due, or a week or month may end for it to be due; null: from the first. */
export type DigestStart = Pick<DigestKey, 'name' | 'every'> & { readonly dueFrom: Day | null };

/**
 * Where each digest of the settings begins. One that is new to the settings is due only for what is completed from now on:
 * its readers expect the next digest, not those of the days before they had one.
 */
export function digestStarts(
  digests: readonly DigestDefinition[],
  known: readonly DigestStart[],
  ledger: LedgerStates,
): DigestStart[] {
  const loaded = ledger.filter((entry) => entry.state === 'loaded');
  const days = [...new Set(loaded.map(({ day }) => day))].sort();
  const keys = new Set(loaded.map(windowKey));
  return digests.map((digest) => {
    const { name, every, accounts } = digest;
    const newest = days.findLast((day) => accounts.every((account) => keys.has(windowKey({ account, day }))));
    const dueFrom = newest === undefined ? null : addDays(newest, 1);
    return known.find((start) => isStartOf(digest, start)) ?? { name, every, dueFrom };
  });
}

/** A digest that becomes weekly begins anew. */
export const isStartOf = (
  { name, every }: Pick<DigestDefinition, 'name' | 'every'>,
  start: DigestStart,
): boolean => start.name === name && start.every === every;

export type DueDigestsInput = {
  readonly digests: readonly DigestDefinition[];
  /** The ledger from `ledgerStart` on. */
  readonly ledger: LedgerStates;
  /** Windows whose attempts are over for this run: no reason to wait for them any longer. */
  readonly attempted: readonly Window[];
  /** Digests that were built or skipped. */
  readonly settled: readonly DigestKey[];
  /** Where each digest begins. */
  readonly starts: readonly DigestStart[];
  /** First expected day of each account. Null: none is expected yet, which bounds nothing. */
  readonly since: ReadonlyMap<string, Day | null>;
  /** First of the last `CATCH_UP_DAYS`: no digest is due that ended before; older days only a dated run attempts. */
  readonly earliest: Day;
  /** `DIGEST_CATCH_UP`: how many days, weeks or months, newest first, get a digest of their own. */
  readonly catchUp: number;
};

/** A digest of the period whose last day is `day`. */
export type DueDigest = {
  readonly digest: DigestDefinition;
  readonly day: Day;
  /** Last days of earlier periods that are due but only named, in the newest digest. */
  readonly earlierDays: readonly Day[];
};

export type DueDigests = {
  readonly due: readonly DueDigest[];
  /** Those beyond `catchUp`: named in the newest digest, and skipped. */
  readonly skipped: readonly { readonly digest: DigestDefinition; readonly day: Day }[];
};

/** Which digests are to be built now: oldest first, so that mails arrive in the order of their days. */
export function digestsDue(input: DueDigestsInput): DueDigests {
  const settled = new Set(input.settled.map(digestKey));
  const decided = [...input.ledger.filter((entry) => entry.state === 'loaded'), ...input.attempted];
  const ready = new Set(decided.map(windowKey));
  const days = [...new Set(decided.map((window) => window.day))].sort();

  const perDigest = input.digests.map((digest) => {
    const { name, every } = digest;
    const ends = new Set(days.map((day) => periodOf(every, day).to));
    const open = [...ends].filter((day) => {
      const period = periodOf(every, day);
      return (
        !settled.has(digestKey({ name, every, day })) &&
        isExpected(digest, period, input) &&
        isReady(digest, period, ready, input)
      );
    });
    const own = open.slice(Math.max(0, open.length - input.catchUp));
    const earlierDays = open.slice(0, open.length - own.length);
    return {
      due: own.map((day) => ({ digest, day, earlierDays: day === own.at(-1) ? earlierDays : [] })),
      skipped: earlierDays.map((day) => ({ digest, day })),
    };
  });
  return { due: perDigest.flatMap((one) => one.due), skipped: perDigest.flatMap((one) => one.skipped) };
}

const digestKey = ({ name, every, day }: DigestKey) => `${every} ${day} ${name}`;

/**
 * Whether a digest of the period may ever be due: it ended within `CATCH_UP_DAYS`, since the digest began, and when
 * days of all accounts were expected; and one of them, at least, has all of it.
 */
function isExpected(
  digest: DigestDefinition,
  { from, to }: Period,
  { starts, since, earliest }: DueDigestsInput,
): boolean {
  const start = starts.find((each) => isStartOf(digest, each))?.dueFrom ?? earliest;
  if (to < earliest || to < start) return false;
  const firsts = digest.accounts.map((account) => since.get(account) ?? from);
  return firsts.every((first) => to >= first) && firsts.some((first) => from >= first);
}

/** Whether each expected day is loaded, or its attempts are over: those of a day before `CATCH_UP_DAYS` always are. */
function isReady(
  { accounts }: DigestDefinition,
  period: Period,
  ready: ReadonlySet<string>,
  { since, earliest }: DueDigestsInput,
): boolean {
  return daysOf(period).every((day) =>
    accounts.every(
      (account) =>
        ready.has(windowKey({ account, day })) || day < earliest || day < (since.get(account) ?? day),
    ),
  );
}

/** From where on `digestsDue` needs the ledger: the first day of the periods that may be due. */
export function ledgerStart(digests: readonly Pick<DigestDefinition, 'every'>[], earliest: Day): Day {
  return [earliest, ...digests.map(({ every }) => periodOf(every, earliest).from)].sort()[0]!;
}

export type SkippedDigestsInput = {
  readonly digests: readonly Pick<DigestDefinition, 'name' | 'every' | 'accounts'>[];
  /** All accounts of the settings. */
  readonly accounts: readonly Account[];
  /** Windows that are about to be loaded. */
  readonly windows: readonly Window[];
  readonly now: Temporal.Instant;
};

/**
 * The digests that a backfill skips: nobody is mailed about history. What ended yesterday, wherever an account of the
 * digest is, isn't history yet, nor is a week or month that goes on: a run mails it.
 */
export function digestsSkipped({ digests, accounts, windows, now }: SkippedDigestsInput): DigestKey[] {
  const lastDays = new Map(accounts.map(({ name, timeZone }) => [name, yesterday(now, timeZone)]));
  return digests.flatMap((digest) => {
    const earliest = digest.accounts.map((account) => lastDays.get(account)!).sort()[0]!;
    const { name, every } = digest;
    const own = windows.filter(({ account }) => digest.accounts.includes(account));
    const ends = new Set(own.map(({ day }) => periodOf(every, day).to));
    return [...ends].filter((day) => day < earliest).map((day) => ({ name, every, day }));
  });
}

export type DueCorrectionsInput = {
  readonly digests: readonly DigestDefinition[];
  /** First digests that were built, not skipped, and not corrected, of the last `CATCH_UP_DAYS`. */
  readonly reported: readonly {
    readonly name: string;
    readonly day: Day;
    readonly incomplete: boolean;
    readonly reported: readonly AccountTotals[];
  }[];
  readonly ledger: readonly Omit<LedgerEntry, 'failed' | 'held'>[];
  /** Attempts of each loaded window, as they are now. */
  readonly attempts: readonly (Window & { readonly attempts: string | null })[];
};

export type DueCorrection = {
  readonly digest: DigestDefinition;
  readonly day: Day;
  /** What the first digest reported. */
  readonly before: readonly AccountTotals[];
};

/**
 * Which digests of days are to be corrected: an incomplete one as soon as its day is complete; a complete one once the day
 * has settled on other attempts than it reported, by over 1%.
 */
export function correctionsDue(input: DueCorrectionsInput): DueCorrection[] {
  const ledger = new Map(input.ledger.map((entry) => [windowKey(entry), entry]));
  const attempts = new Map(input.attempts.map((window) => [windowKey(window), window.attempts]));
  return input.reported.flatMap(({ name, day, incomplete, reported }) => {
    const digest = dailyDigest(input.digests, name);
    if (digest === undefined || !isCorrectable(input.digests, { name, reported })) return [];
    const entries = digest.accounts.map((account) => ledger.get(windowKey({ account, day })));
    const now = sum(digest.accounts.map((account) => attempts.get(windowKey({ account, day })) ?? null));
    const complete = entries.every((entry) => entry?.state === 'loaded');
    const settled = complete && entries.every((entry) => isSettled(entry!));
    const before = sum(reported.map((totals) => totals.attempts));
    const due = incomplete ? complete : settled && differs(before, now);
    return due ? [{ digest, day, before: reported }] : [];
  });
}

/**
 * Whether a digest may ever be corrected: it is in the settings, and over the same accounts. Over others, it is another
 * digest, and there is nothing to compare.
 */
export function isCorrectable(
  digests: readonly DigestDefinition[],
  { name, reported }: Pick<DueCorrectionsInput['reported'][number], 'name' | 'reported'>,
): boolean {
  const digest = dailyDigest(digests, name);
  return digest !== undefined && sameAccounts(digest, reported);
}

const dailyDigest = (digests: readonly DigestDefinition[], name: string) =>
  digests.find((each) => each.name === name && each.every === 'day');

function sameAccounts({ accounts }: DigestDefinition, reported: readonly AccountTotals[]): boolean {
  return accounts.length === reported.length && reported.every(({ account }) => accounts.includes(account));
}

/** Of decimal texts; what wasn't reported adds nothing. */
const sum = (counts: readonly (string | null)[]) =>
  counts.reduce((total, count) => total + BigInt(count ?? 0), 0n);

/** By over 1%. */
const differs = (before: bigint, now: bigint) => (now > before ? now - before : before - now) * 100n > before;
