import { addDays, type Day, yesterday } from '../../model/day.ts';
import type { AccountTotals, DigestDefinition, MailedPeriod, UntoldDigest } from '../../model/digest.ts';
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
  periods: readonly DigestKey[],
): DigestDefinition[] {
  const begun = new Set(periods.map(rhythmKey));
  return digests.filter((digest) => !begun.has(rhythmKey(digest)));
}

/** A digest as a key of a map or a set. */
const rhythmKey = ({ name, every }: Pick<DigestKey, 'name' | 'every'>) => `${every} ${name}`;

const yesterdaysOf = (accounts: readonly Account[], now: Temporal.Instant): ReadonlyMap<string, Day> =>
  new Map(accounts.map(({ name, timeZone }) => [name, yesterday(now, timeZone)]));

/** The last day that is over for all of these accounts. */
const earliestYesterday = (names: readonly string[], yesterdays: ReadonlyMap<string, Day>): Day =>
  names.map((name) => yesterdays.get(name)!).sort()[0]!;

export type DueInput = {
  readonly digests: readonly DigestDefinition[];
  /** What was mailed or skipped: `--skip`, `--no-digest`, a new digest and a backfill each write such a row. */
  readonly periods: readonly MailedPeriod[];
  /** The ledger from `ledgerStart` on. */
  readonly ledger: LedgerStates;
  /** Windows without further attempts in this run: digests don't wait for them. */
  readonly attempted: readonly Window[];
  /** First expected day of each account; null if none is expected yet. */
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
  /** It was built and nobody got it: the next mail tells it, but it is no reason for one. */
  readonly isWaiting: boolean;
};

/** One mail: a period in full, and earlier ones and corrections in a table, oldest first. */
export type DueMail = Omit<DuePeriod, 'isWaiting'> & {
  readonly earlier: readonly DuePeriod[];
  /** Digests of these periods that were built and that nobody got. */
  readonly supersedes: readonly UntoldDigest[];
};

/**
 * One mail for each digest: in full is its newest due period; without one, its newest correction. Nobody is mailed about
 * accounts of which no day is expected yet.
 *
 * @param isChanged whether a correction has other figures than the first digest
 */
export function mailsDue(input: DueInput, isChanged: (correction: DuePeriod) => boolean): DueMail[] {
  return input.digests.flatMap((digest) => {
    if (digest.accounts.some((account) => (input.since.get(account) ?? null) === null)) return [];
    const periods = [
      ...correctionsDue(digest, input.periods).filter(isChanged),
      ...periodsDue(digest, input),
    ];
    if (!periods.some(({ isWaiting }) => !isWaiting)) return [];
    const { name, every } = digest;
    const rows = rowsOf(digest, input.periods);
    return {
      ...periods.at(-1)!,
      earlier: periods.slice(0, -1).sort((one, other) => (one.day < other.day ? -1 : 1)),
      supersedes: periods.flatMap(({ day, before }): UntoldDigest | [] => {
        const row = rows.get(day);
        const isBuilt = before === null ? row !== undefined : row?.correctable?.isWaiting === true;
        return isBuilt ? { name, every, day, kind: before === null ? 'first' : 'corrected' } : [];
      }),
    };
  });
}

/** The periods of a digest to mail for the first time, or that nobody got; the oldest first. */
export function periodsDue(digest: DigestDefinition, input: DueInput): DuePeriod[] {
  const rows = rowsOf(digest, input.periods);
  const decided = [...input.ledger.filter(isLoaded), ...input.attempted];
  const ready = new Set(decided.map(windowKey));
  const ends = new Set(decided.map(({ day }) => periodOf(digest.every, day).to));
  return [...ends].sort().flatMap((day) => {
    const period = periodOf(digest.every, day);
    const row = rows.get(day);
    const isSettled = row !== undefined && (row.state === 'skipped' || row.isTold);
    if (isSettled || !isExpected(digest, period, input) || !isReady(digest, period, ready, input)) return [];
    // It was built without the rest, which is there by now.
    const isOutdated = row?.correctable?.isConfirmed === true;
    return [{ digest, day, before: null, isWaiting: row !== undefined && !isOutdated }];
  });
}

/** The corrections of a digest whose rest is there, however late: it was mailed, and incomplete or provisional. */
export function correctionsDue(digest: DigestDefinition, periods: readonly MailedPeriod[]): DuePeriod[] {
  return correctable([digest], periods)
    .filter(({ first }) => first.isTold && first.correctable!.isConfirmed)
    .map(({ first: { day, correctable } }) => ({
      digest,
      day,
      before: correctable!.reported,
      isWaiting: correctable!.isWaiting,
    }));
}

/** The rows of a digest's own rhythm, by their last days. */
const rowsOf = ({ name, every }: DigestDefinition, periods: readonly MailedPeriod[]) =>
  new Map(periods.filter((row) => row.name === name && row.every === every).map((row) => [row.day, row]));

export const digestKey = ({ name, every, day }: DigestKey) => `${every} ${day} ${name}`;

/** The last day of the period after which a digest begins. */
const startOf = (digest: DigestDefinition, { periods }: DueInput): Day | undefined =>
  [...rowsOf(digest, periods).values()].find(({ isStart }) => isStart)?.day;

/**
 * A digest of a period may be due if the period ended within `CATCH_UP_DAYS` and after the digest began, days of
 * all its accounts were expected, and at least one account has all of it.
 */
function isExpected(digest: DigestDefinition, { from, to }: Period, input: DueInput): boolean {
  const { since, caughtUpFrom } = input;
  const start = startOf(digest, input);
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
  { since, caughtUpFrom }: DueInput,
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
export function whyNoneDue(days: readonly Day[], input: DueInput): string {
  const newest = days.toSorted().at(-1);
  if (input.digests.length === 0) return 'no digest has a recipient';
  const reasons = input.digests.map((digest) =>
    newest === undefined
      ? whoHas(digest, newestOf(digest, input.periods))
      : whyNotDue(digest, periodOf(digest.every, newest), input),
  );
  const [first, second, ...others] = [...new Set(reasons.filter((reason) => reason !== null))];
  if (first === undefined) return 'no digest is due';
  const rest = others.length === 0 ? [] : [`${others.length} more`];
  return [first, ...(second === undefined ? [] : [second]), ...rest].join('; ');
}

/** The newest period of a digest that anybody has. */
const newestOf = (digest: DigestDefinition, periods: readonly MailedPeriod[]) =>
  [...rowsOf(digest, periods).values()]
    .filter(({ recipients }) => recipients.length > 0)
    .sort((one, other) => (one.day < other.day ? -1 : 1))
    .at(-1);

/** Who has a digest, and how those get it whom the settings name since; null if nobody has it. */
function whoHas({ to }: DigestDefinition, row: MailedPeriod | undefined): string | null {
  if (row === undefined || row.recipients.length === 0) return null;
  const { name, day, recipients } = row;
  const said = `digest ${digestName(row)} went to ${formatList(recipients)} before`;
  const known = new Set(recipients.map((recipient) => recipient.toLowerCase()));
  const others = to.filter((recipient) => !known.has(recipient.toLowerCase()));
  if (others.length === 0) return said;
  return `${said}: "digest --day ${day} --digest ${name}" sends it to ${formatList(others)}`;
}

function whyNotDue(digest: DigestDefinition, { to }: Period, input: DueInput): string {
  const { name, every, accounts } = digest;
  const firsts = accounts.map((account) => input.since.get(account) ?? null);
  if (firsts.includes(null)) return 'digests begin with the first run without dates';
  const first = firsts.sort().at(-1)!;
  if (to < first) return `digests begin with ${first}`;
  const start = startOf(digest, input);
  if (start !== undefined && to <= start) return `digest ${name} begins after ${start}`;
  const caughtUpFrom = accounts.map((account) => input.caughtUpFrom.get(account)!).sort()[0]!;
  if (to < caughtUpFrom) return `CATCH_UP_DAYS goes back to ${caughtUpFrom}`;
  const key = { name, every, day: to };
  const row = rowsOf(digest, input.periods).get(to);
  if (row !== undefined)
    return whoHas(digest, row) ?? `digest ${digestName(key)} was built or skipped before`;
  return `digest ${digestName(key)} waits until all its days are over and loaded`;
}

/** The first day of the ledger that `periodsDue` needs: that of the periods that may be due. */
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
 * The periods that may be corrected, each with its definition in the settings. If the accounts of a digest changed, it is a
 * different one: there is nothing to compare.
 */
export function correctable(
  digests: readonly DigestDefinition[],
  periods: readonly MailedPeriod[],
): { readonly digest: DigestDefinition; readonly first: MailedPeriod }[] {
  const byRhythm = new Map(digests.map((digest) => [rhythmKey(digest), digest]));
  return periods.flatMap((first) => {
    const digest = byRhythm.get(rhythmKey(first));
    if (digest === undefined || first.correctable === null) return [];
    const names = new Set(digest.accounts);
    const { reported } = first.correctable;
    const isSame = names.size === reported.length && reported.every(({ account }) => names.has(account));
    return isSame ? [{ digest, first }] : [];
  });
}

/** It is loaded and over, confirmed or not. */
const isLoaded = ({ state, isOver }: LedgerStates[number]) => state !== 'failed' && isOver;

const loadedWindows = (ledger: LedgerStates) => new Set(ledger.filter(isLoaded).map(windowKey));
