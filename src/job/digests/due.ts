import { addDays, type Day } from '../../model/day.ts';
import type {
  CurrentFigures,
  DigestDefinition,
  DigestState,
  Mailed,
  PeriodFigures,
} from '../../model/digest.ts';
import { type DigestKey, periodOf } from '../../model/period.ts';
import type { Account } from '../../model/records.ts';
import type { LedgerEntry, Window } from '../../model/window.ts';
import { asTyped } from '../../support/commands.ts';
import { windowKey, yesterdaysOf } from '../windows/due.ts';

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
  // Loaded and over, confirmed or not.
  const loaded = new Set(ledger.filter(({ state, isOver }) => state !== 'failed' && isOver).map(windowKey));
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

/** The last day that is over for all of these accounts. */
const earliestYesterday = (names: readonly string[], yesterdays: ReadonlyMap<string, Day>): Day =>
  names.map((name) => yesterdays.get(name)!).sort()[0]!;

/** An account that is part of a period: what was mailed of it, what a mail has that nobody got, and what is true. */
export type AccountInPeriod = {
  readonly account: string;
  /** Its first expected day. */
  readonly since: Day;
  readonly now: CurrentFigures;
  readonly mailed: Mailed | undefined;
  readonly waiting: PeriodFigures | undefined;
};

/** A period of a digest, by its last day. Accounts whose first expected day is later are no part of it. */
export type DigestPeriod = { readonly day: Day; readonly accounts: readonly AccountInPeriod[] };

export type DueInput = {
  readonly digest: DigestDefinition;
  readonly state: DigestState;
  /** Periods that may be due and were neither mailed nor skipped, oldest first. */
  readonly unmailed: readonly DigestPeriod[];
  /** Mailed periods of which a day was updated since the last mail, oldest first. */
  readonly updated: readonly DigestPeriod[];
  /** Windows without further attempts in this run: digests don't wait for them. */
  readonly attempted: ReadonlySet<string>;
  /** The first day that a run catches up on, by account: only a dated run attempts earlier ones. */
  readonly catchUpFrom: ReadonlyMap<string, Day>;
};

/** A period of a mail. */
export type DuePeriod = {
  readonly day: Day;
  readonly accounts: readonly Pick<AccountInPeriod, 'account' | 'since'>[];
  /** The mailed figures of these accounts; null if there are none. */
  readonly before: readonly PeriodFigures[] | null;
};

/** One mail: a period in full, and all other news in a table, oldest first. */
export type DueMail = DuePeriod & {
  readonly digest: DigestDefinition;
  readonly number: number;
  /** Time at which the figures of the last mail were read; null if there is none. */
  readonly mailedAt: string | null;
  readonly earlier: readonly DuePeriod[];
};

/** After so many quiet days in a row, a mail says so. */
const maxQuietDays = 7;

/**
 * The mail of a digest; null if there is no reason for one. A reason is a due period, unless it is a quiet day; a period that
 * was mailed in part and is confirmed with other figures; one that moved much. In full is the newest due period that isn't
 * quiet, else the newest correction, else the newest quiet day. What nobody got is mailed again, but alone it is delivered
 * as it was built.
 */
export function planMail(input: DueInput): DueMail | null {
  const { digest, state } = input;
  const due = periodsDue(input);
  const news = input.updated.filter(({ accounts }) => accounts.some(isNews));
  const skipped = quietDaysSkipped(input, due);
  const corrections = news.filter(isReason);
  if (corrections.length === 0 && !due.some((period) => !skipped.includes(period) && isReason(period)))
    return null;
  const calling = due.filter((period) => !isQuietDay(period));
  const byDay = (one: DigestPeriod, other: DigestPeriod) => (one.day < other.day ? -1 : 1);
  const shown = calling.at(-1) ?? corrections.toSorted(byDay).at(-1) ?? due.at(-1)!;
  const earlier = [...due, ...news].filter((period) => period !== shown);
  return {
    digest,
    number: state.number + 1,
    mailedAt: state.mailedAt,
    ...shownPeriod(shown),
    earlier: earlier.sort(byDay).map(tablePeriod),
  };
}

/**
 * The periods of a digest that ended, weren't mailed, and have an account that expected all of it; oldest first. A day before
 * `CATCH_UP_DAYS` is one only if it is quiet: the next mail still names it.
 */
export function periodsDue(input: DueInput): readonly DigestPeriod[] {
  const { every } = input.digest;
  return input.unmailed.filter((period) => {
    const { day, accounts } = period;
    const { from } = periodOf(every, day);
    const isWithinReach = accounts.some(({ account }) => day >= input.catchUpFrom.get(account)!);
    return (
      (isWithinReach || isQuietDay(period)) &&
      accounts.some(({ since }) => since <= from) &&
      accounts.every((account) => isReady(account, input))
    );
  });
}

/** Each expected day is loaded and over, or no further attempt at it follows, as for all days before `CATCH_UP_DAYS`. */
const isReady = (
  { account, now: { lackingDays } }: AccountInPeriod,
  { attempted, catchUpFrom }: DueInput,
): boolean =>
  lackingDays.every((day) => attempted.has(windowKey({ account, day })) || day < catchUpFrom.get(account)!);

/** A day without calls, like that weekday before as far as it is known: an account that joined may have no past. */
const isQuietDay = ({ accounts }: DigestPeriod) =>
  accounts.every(({ now }) => now.isQuiet) && accounts.some(({ now }) => now.wasQuiet);

/** The due periods that get no mail of their own: quiet days, unless they are many, or it would be the first mail. */
function quietDaysSkipped(
  { digest, state }: DueInput,
  due: readonly DigestPeriod[],
): readonly DigestPeriod[] {
  if (digest.quietDays === 'mail' || state.mailedAt === null) return [];
  const quiet = due.filter(isQuietDay);
  return quiet.length < maxQuietDays ? quiet : [];
}

/** The mailed figures of an account aren't true any more. */
export const isNews = ({ mailed, now }: AccountInPeriod): boolean =>
  mailed !== undefined &&
  mailed.content !== now.content &&
  !mailed.skipped.some((content) => content === null || content === now.content);

/** It lacked something, or wasn't confirmed, when it was mailed. */
export const isInPart = ({ state }: PeriodFigures) => state !== 'whole';

/**
 * A period is a reason for a mail, even if the last one built of it gets delivered: it was mailed in part and is confirmed now,
 * or its sums moved much, whatever it lacks.
 */
function isReason({ accounts }: DigestPeriod): boolean {
  const built = accounts.flatMap(({ waiting, mailed, now }) => {
    const last = waiting ?? mailed;
    return last === undefined ? [] : [{ last, now }];
  });
  if (built.length === 0) return true;
  if (built.every(({ last, now }) => last.content === now.content)) return false;
  const isConfirmed = built.every(({ now }) => now.state === 'whole');
  return (isConfirmed && built.some(({ last }) => isInPart(last))) || hasMoved(built);
}

/** Smaller changes go with the next mail: the share of what was mailed, and the number. */
const minMovedShare = 0.1;
const minMoved = 20;

function hasMoved(built: readonly { readonly last: PeriodFigures; readonly now: PeriodFigures }[]): boolean {
  return (['attempts', 'connects'] as const).some((count) => {
    const [before, after] = (['last', 'now'] as const).map((side) =>
      built.reduce((sum, each) => sum + Number(each[side][count] ?? 0), 0),
    ) as [number, number];
    const moved = Math.abs(after - before);
    return moved >= minMoved && moved >= minMovedShare * before;
  });
}

/** A period in full: all of its accounts, also those that joined since it was mailed. */
export function shownPeriod({ day, accounts }: DigestPeriod): DuePeriod {
  const mailed = accounts.flatMap((account) => account.mailed ?? []);
  return { day, accounts, before: accounts.some(isNews) ? mailed : null };
}

/** A period in the table: the accounts that were mailed or, if none was, all. */
function tablePeriod({ day, accounts }: DigestPeriod): DuePeriod {
  const known = accounts.filter(({ mailed }) => mailed !== undefined);
  if (known.length === 0) return { day, accounts, before: null };
  return { day, accounts: known, before: known.map(({ mailed }) => mailed!) };
}

/** Why a run mails nothing: for its last line. */
export function whyNoneDue(digests: readonly DueInput[], day: Day): string {
  if (digests.length === 0) return 'no digest has a recipient';
  if (digests.some((input) => quietDaysSkipped(input, periodsDue(input)).length > 0))
    return 'no digest is due: the next one names the days without calls';
  const once = 'each period is mailed once, from the start of its digest on, within CATCH_UP_DAYS';
  return `no digest is due: ${once}; by hand: ${asTyped('digest', '--day', day)}`;
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
  return digests.flatMap((digest) => {
    const earliest = earliestYesterday(digest.accounts, yesterdays);
    const { name, every } = digest;
    return endsOf(digest, windows)
      .filter((day) => day < earliest)
      .map((day) => ({ name, every, day }));
  });
}

/** The last days of a digest's periods that have any of these windows. */
export function endsOf(
  { every, accounts }: Pick<DigestDefinition, 'every' | 'accounts'>,
  windows: readonly Window[],
): Day[] {
  const own = new Set(accounts);
  const days = new Set(windows.filter(({ account }) => own.has(account)).map(({ day }) => day));
  return [...new Set([...days].map((day) => periodOf(every, day).to))].sort();
}
