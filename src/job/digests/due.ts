import { addDays, type Day, yesterday } from '../../model/day.ts';
import type { AccountTotals, DigestDefinition, SettledDigest, UntoldDigest } from '../../model/digest.ts';
import { type DigestKey, daysOf, digestName, type Period, periodOf } from '../../model/period.ts';
import { type Account, countNames } from '../../model/records.ts';
import type { LedgerEntry, Window } from '../../model/window.ts';
import { formatList } from '../../support/english.ts';
import { windowKey } from '../windows/due.ts';

type LedgerStates = readonly Pick<LedgerEntry, 'account' | 'day' | 'state' | 'isOver'>[];

/**
 * The period after which each new digest begins: the newest that is over. Yesterday counts once all its accounts are
 * loaded; until then, the digest begins with it.
 *
 * @param accounts all accounts of the settings
 */
export function digestStarts(
  digests: readonly Pick<DigestDefinition, 'name' | 'every' | 'accounts'>[],
  accounts: readonly Account[],
  ledger: LedgerStates,
  now: Temporal.Instant,
): DigestKey[] {
  const loaded = loadedWindows(ledger);
  const yesterdays = yesterdaysOf(accounts, now);
  return digests.map((digest) => {
    const { name, every } = digest;
    const last = earliestYesterday(digest.accounts, yesterdays);
    const isLoaded = digest.accounts.every((account) => loaded.has(windowKey({ account, day: last })));
    const newest = isLoaded ? last : addDays(last, -1);
    const period = periodOf(every, newest);
    return { name, every, day: period.to === newest ? newest : addDays(period.from, -1) };
  });
}

/** Digests without a row: new in the settings, or with a new rhythm. */
export function newDigests(
  digests: readonly DigestDefinition[],
  starts: readonly DigestKey[],
): DigestDefinition[] {
  const begun = new Set(starts.map(rhythmKey));
  return digests.filter((digest) => !begun.has(rhythmKey(digest)));
}

/** A digest as a key of a map or a set. */
const rhythmKey = ({ name, every }: Pick<DigestKey, 'name' | 'every'>) => `${every} ${name}`;

const yesterdaysOf = (accounts: readonly Account[], now: Temporal.Instant): ReadonlyMap<string, Day> =>
  new Map(accounts.map(({ name, timeZone }) => [name, yesterday(now, timeZone)]));

/** The last day that is over for all of these accounts. */
const earliestYesterday = (names: readonly string[], yesterdays: ReadonlyMap<string, Day>): Day =>
  names.map((name) => yesterdays.get(name)!).sort()[0]!;

export type DueDigestsInput = {
  readonly digests: readonly DigestDefinition[];
  /** The ledger from `ledgerStart` on. */
  readonly ledger: LedgerStates;
  /** Windows without further attempts in this run: digests don't wait for them. */
  readonly attempted: readonly Window[];
  /** Digests that were built or skipped, and who has them. */
  readonly settled: readonly SettledDigest[];
  /** The period after which each digest begins. */
  readonly starts: readonly DigestKey[];
  /** First expected day of each account; null if none is expected yet, which limits nothing. */
  readonly since: ReadonlyMap<string, Day | null>;
  /**
   * The first day that a run catches up on, by account: no digest of an earlier period is due, because only a
   * dated run attempts those days.
   */
  readonly caughtUpFrom: ReadonlyMap<string, Day>;
};

/** A period of a digest that is to be mailed: for the first time, or as a correction. */
export type DuePeriod = {
  readonly digest: DigestDefinition;
  /** The last day of the period. */
  readonly day: Day;
  /** The totals of the first digest, if this is its correction; otherwise null. */
  readonly before: readonly AccountTotals[] | null;
};

/** The periods to mail for the first time, of each digest the oldest first. */
export function digestsDue(input: DueDigestsInput): DuePeriod[] {
  const settled = new Set(input.settled.map(digestKey));
  const starts = startDays(input);
  const decided = [...input.ledger.filter(isLoaded), ...input.attempted];
  const ready = new Set(decided.map(windowKey));
  const days = [...new Set(decided.map((window) => window.day))].sort();

  return input.digests.flatMap((digest) => {
    const { name, every } = digest;
    const ends = new Set(days.map((day) => periodOf(every, day).to));
    const open = [...ends].filter((day) => {
      const period = periodOf(every, day);
      return (
        !settled.has(digestKey({ name, every, day })) &&
        isExpected(digest, period, starts, input) &&
        isReady(digest, period, ready, input)
      );
    });
    return open.map((day) => ({ digest, day, before: null }));
  });
}

/** One mail: a period in full, and earlier ones and corrections in a table, oldest first. */
export type DueMail = DuePeriod & {
  readonly earlier: readonly DuePeriod[];
  /** Digests of these periods that were built and that nobody got. */
  readonly supersedes: readonly UntoldDigest[];
};

/** A digest that nobody got. Outdated: it was built incomplete, and its days are whole by now. */
export type OpenDigest = UntoldDigest & { readonly isOutdated: boolean };

/**
 * One mail for each digest: in full is its newest due period; without one, its newest correction. What nobody got is
 * part of the next mail, but no reason for one unless it is outdated: it is still to be delivered as it was built.
 */
export function mailsDue(
  due: readonly DuePeriod[],
  corrections: readonly DuePeriod[],
  untold: readonly OpenDigest[],
): DueMail[] {
  const byKey = new Map(untold.map((each) => [`${each.kind} ${digestKey(each)}`, each]));
  const untoldOf = ({ digest: { name, every }, day, before }: DuePeriod) =>
    byKey.get(`${before === null ? 'first' : 'corrected'} ${digestKey({ name, every, day })}`);
  const ofDigests = Map.groupBy([...corrections, ...due], ({ digest }) => digest);
  return [...ofDigests.values()].flatMap((periods) => {
    if (!periods.some((period) => untoldOf(period)?.isOutdated ?? true)) return [];
    return {
      ...periods.at(-1)!,
      earlier: periods.slice(0, -1).sort((one, other) => (one.day < other.day ? -1 : 1)),
      supersedes: periods.flatMap((period) => untoldOf(period) ?? []),
    };
  });
}

export const digestKey = ({ name, every, day }: DigestKey) => `${every} ${day} ${name}`;

/** The last day of the period after which each digest begins. */
const startDays = ({ starts }: DueDigestsInput): ReadonlyMap<string, Day> =>
  new Map(starts.map((start) => [rhythmKey(start), start.day]));

/**
 * A digest of a period may be due if the period ended within `CATCH_UP_DAYS` and after the digest began, days of
 * all its accounts were expected, and at least one account has all of it.
 */
function isExpected(
  digest: DigestDefinition,
  { from, to }: Period,
  starts: ReadonlyMap<string, Day>,
  { since, caughtUpFrom }: DueDigestsInput,
): boolean {
  const start = starts.get(rhythmKey(digest));
  if (start !== undefined && to <= start) return false;
  if (digest.accounts.every((account) => to < caughtUpFrom.get(account)!)) return false;
  const firsts = digest.accounts.map((account) => since.get(account) ?? from);
  return firsts.every((first) => to >= first) && firsts.some((first) => from >= first);
}

/** Each expected day is loaded, or no further attempt at it follows, as for all days before `CATCH_UP_DAYS`. */
function isReady(
  { accounts }: DigestDefinition,
  period: Period,
  ready: ReadonlySet<string>,
  { since, caughtUpFrom }: DueDigestsInput,
): boolean {
  return daysOf(period).every((day) =>
    accounts.every(
      (account) =>
        ready.has(windowKey({ account, day })) ||
        day < caughtUpFrom.get(account)! ||
        day < (since.get(account) ?? day),
    ),
  );
}

/** Why no digest with the newest of these days is due; without days, with any. */
export function whyNoneDue(days: readonly Day[], input: DueDigestsInput): string {
  const newest = days.toSorted().at(-1);
  if (input.digests.length === 0) return 'no digest has a recipient';
  const starts = startDays(input);
  const reasons = input.digests.map((digest) =>
    newest === undefined
      ? whoHas(digest, newestOf(digest, input.settled))
      : whyNotDue(digest, periodOf(digest.every, newest), starts, input),
  );
  const [first, second, ...others] = [...new Set(reasons.filter((reason) => reason !== null))];
  if (first === undefined) return 'no digest is due';
  const rest = others.length === 0 ? [] : [`${others.length} more`];
  return [first, ...(second === undefined ? [] : [second]), ...rest].join('; ');
}

/** The newest period of a digest that anybody has. */
const newestOf = ({ name, every }: DigestDefinition, settled: readonly SettledDigest[]) =>
  settled
    .filter((each) => rhythmKey(each) === rhythmKey({ name, every }) && each.recipients.length > 0)
    .sort((one, other) => (one.day < other.day ? -1 : 1))
    .at(-1);

/** Who has a digest, and how those get it whom the settings name since; null if nobody has it. */
function whoHas({ to }: DigestDefinition, settled: SettledDigest | undefined): string | null {
  if (settled === undefined || settled.recipients.length === 0) return null;
  const { name, day, recipients } = settled;
  const said = `digest ${digestName(settled)} went to ${formatList(recipients)} before`;
  const known = new Set(recipients.map((recipient) => recipient.toLowerCase()));
  const others = to.filter((recipient) => !known.has(recipient.toLowerCase()));
  if (others.length === 0) return said;
  return `${said}: "digest --day ${day} --digest ${name}" sends it to ${formatList(others)}`;
}

function whyNotDue(
  digest: DigestDefinition,
  { to }: Period,
  starts: ReadonlyMap<string, Day>,
  input: DueDigestsInput,
): string {
  const { name, every, accounts } = digest;
  const firsts = accounts.map((account) => input.since.get(account) ?? null);
  if (firsts.includes(null)) return 'digests begin with the first run without dates';
  const first = firsts.sort().at(-1)!;
  if (to < first) return `digests begin with ${first}`;
  const start = starts.get(rhythmKey(digest));
  if (start !== undefined && to <= start) return `digest ${name} begins after ${start}`;
  const caughtUpFrom = accounts.map((account) => input.caughtUpFrom.get(account)!).sort()[0]!;
  if (to < caughtUpFrom) return `CATCH_UP_DAYS goes back to ${caughtUpFrom}`;
  const key = { name, every, day: to };
  const settled = input.settled.find((each) => digestKey(each) === digestKey(key));
  if (settled !== undefined)
    return whoHas(digest, settled) ?? `digest ${digestName(key)} was built or skipped before`;
  return `digest ${digestName(key)} waits until all its days are over and loaded`;
}

/** The first day of the ledger that `digestsDue` needs: that of the periods that may be due. */
export function ledgerStart(digests: readonly Pick<DigestDefinition, 'every'>[], earliest: Day): Day {
  return [earliest, ...digests.map(({ every }) => periodOf(every, earliest).from)].sort()[0]!;
}

export type SkippedDigestsInput = {
  readonly digests: readonly Pick<DigestDefinition, 'name' | 'every' | 'accounts'>[];
  /** All accounts of the settings. */
  readonly accounts: readonly Account[];
  /** The windows to load. */
  readonly windows: readonly Window[];
  readonly now: Temporal.Instant;
};

/**
 * The digests that a backfill skips: nobody is mailed about history. A period that ended yesterday in the zone of
 * any of its accounts isn't history yet, nor is a current week or month: a run mails those.
 */
export function digestsSkipped({ digests, accounts, windows, now }: SkippedDigestsInput): DigestKey[] {
  const yesterdays = yesterdaysOf(accounts, now);
  const byAccount = Map.groupBy(windows, ({ account }) => account);
  return digests.flatMap((digest) => {
    const earliest = earliestYesterday(digest.accounts, yesterdays);
    const { name, every } = digest;
    const own = digest.accounts.flatMap((account) => byAccount.get(account) ?? []);
    const days = new Set(own.map(({ day }) => day));
    const ends = new Set([...days].map((day) => periodOf(every, day).to));
    return [...ends].filter((day) => day < earliest).map((day) => ({ name, every, day }));
  });
}

/** An incomplete digest, and the totals it reported. */
export type IncompleteDigest = DigestKey & { readonly reported: readonly AccountTotals[] };

/** Digests that were incomplete or provisional, and whose expected days are confirmed now. */
export function correctionsDue(
  digests: readonly DigestDefinition[],
  incomplete: readonly IncompleteDigest[],
  ledger: LedgerStates,
  since: DueDigestsInput['since'],
): DuePeriod[] {
  const confirmed = new Set(ledger.filter(({ state }) => state === 'loaded').map(windowKey));
  const isConfirmed = (account: string, day: Day) =>
    confirmed.has(windowKey({ account, day })) || day < (since.get(account) ?? day);
  return correctable(digests, incomplete).flatMap(({ digest, first: { every, day, reported } }) => {
    const days = daysOf(periodOf(every, day));
    if (!digest.accounts.every((account) => days.every((each) => isConfirmed(account, each)))) return [];
    return [{ digest, day, before: reported }];
  });
}

/** Returns whether a digest had all days, and reported what the warehouse says now. */
export const isSameAsMailed = (mailed: readonly AccountTotals[], now: readonly AccountTotals[]): boolean => {
  const before = new Map(mailed.map((account) => [account.account, account]));
  return now.every(({ account, campaigns, ...sums }) => {
    const earlier = before.get(account);
    const isSame = countNames.every((name) => earlier?.[name] === sums[name]);
    return earlier?.state === 'loaded' && earlier.campaigns === campaigns && isSame;
  });
};

/**
 * The incomplete digests that may be corrected, each with its definition in the settings. If its accounts changed, it
 * is a different digest: there is nothing to compare.
 */
export function correctable(
  digests: readonly DigestDefinition[],
  incomplete: readonly IncompleteDigest[],
): { readonly digest: DigestDefinition; readonly first: IncompleteDigest }[] {
  const byRhythm = new Map(digests.map((digest) => [rhythmKey(digest), digest]));
  return incomplete.flatMap((first) => {
    const digest = byRhythm.get(rhythmKey(first));
    if (digest === undefined || !sameAccounts(digest, first.reported)) return [];
    return [{ digest, first }];
  });
}

function sameAccounts({ accounts }: DigestDefinition, reported: readonly AccountTotals[]): boolean {
  const names = new Set(accounts);
  return accounts.length === reported.length && reported.every(({ account }) => names.has(account));
}

/** It is loaded and over, confirmed or not. */
const isLoaded = ({ state, isOver }: LedgerStates[number]) => state !== 'failed' && isOver;

const loadedWindows = (ledger: LedgerStates) => new Set(ledger.filter(isLoaded).map(windowKey));
