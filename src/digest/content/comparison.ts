import type { AccountTotals, Part, PeriodParts, RateParts, Typical } from '../../model/digest.ts';
import type { Period } from '../../model/period.ts';
import type { CountName } from '../../model/records.ts';
import { type Format, percentOf } from '../format.ts';
import { byCount, hasFigures } from './totals.ts';

/** A period compared with what is typical of it, over the accounts that are confirmed and have a typical. */
export type Comparison = {
  readonly total: Changes;
  /** The same for each of these accounts, by its name. */
  readonly accounts: ReadonlyMap<string, Changes>;
  /** The accounts that the total leaves out: a change stands only next to the sum that it is of. */
  readonly leftOut: readonly AccountTotals[];
};

export type Changes = {
  readonly counts: { readonly [name in CountName]: CountChange | null };
  readonly connectRate: RateChange | null;
};

/** A number now and typically. */
export type CountChange = { readonly now: number; readonly reference: number };

/** A rate now and typically, from 0 to 1, and its parts. */
export type RateChange = CountChange & { readonly parts: Part['rate'] };

type Pair = { readonly now: AccountTotals; readonly typical: Typical };

type Compared = Pick<PeriodParts, 'accounts' | 'typical'>;

/** The accounts whose period is confirmed, with what is typical of it. */
export function comparedPairs({ accounts, typical }: Compared): Pair[] {
  const known = new Map(typical.map((each) => [each.account, each]));
  return accounts.flatMap((now) => {
    const own = known.get(now.account);
    return own === undefined || isUnconfirmed(now) ? [] : [{ now, typical: own }];
  });
}

/** The account's figures lack something, or aren't confirmed yet. */
export const isUnconfirmed = ({ state, provisionalDays }: AccountTotals) =>
  state !== 'loaded' || provisionalDays.length > 0;

/** An account that reports no connects is in no connect rate. */
export const isRated = ({ now }: Pair) => now.rates.connects.part !== null;

/** Null if there is nothing to compare. */
export function compare(figures: Compared): Comparison | null {
  const pairs = comparedPairs(figures);
  if (pairs.length === 0) return null;
  const compared = new Set(pairs.map(({ now }) => now.account));
  return {
    total: changesOf(pairs),
    accounts: new Map(pairs.map((pair) => [pair.now.account, changesOf([pair])])),
    leftOut: figures.accounts.filter(({ account }) => !compared.has(account)),
  };
}

/** The share of typical attempts from which accounts mark a digest (docs/concepts.md). */
const markingShare = 0.05;

/**
 * The accounts that mark a digest as incomplete or provisional: those that lack something or aren't confirmed, if they
 * typically make 5% of the attempts. Of a new account nothing is typical, so it marks none but a digest of new ones.
 */
export function markingAccounts({ accounts, typical }: Compared): readonly AccountTotals[] {
  const unconfirmed = accounts.filter(isUnconfirmed);
  if (accounts.length === 1 || typical.length === 0) return unconfirmed;
  const attempts = new Map(typical.map((each) => [each.account, each.attempts]));
  const known = unconfirmed.filter(({ account }) => attempts.has(account));
  const own = sumOf(known.map(({ account }) => attempts.get(account)!));
  return known.length > 0 && own >= markingShare * sumOf([...attempts.values()]) ? known : [];
}

function changesOf(pairs: readonly Pair[]): Changes {
  return { counts: byCount((name) => countChange(name, pairs)), connectRate: rateChange(pairs) };
}

/** Null if one of the accounts doesn't report it, or typically doesn't: the change is of the sum. */
function countChange(name: CountName, pairs: readonly Pair[]): CountChange | null {
  if (pairs.some(({ now, typical }) => now[name] === null || typical[name] === null)) return null;
  return {
    now: sumOf(pairs.map(({ now }) => Number(now[name]))),
    reference: sumOf(pairs.map(({ typical }) => typical[name]! * scaleOf(typical))),
  };
}

/** A month is compared per day with calls: the one before counts with as many days as this one has. */
const scaleOf = ({ callingDays }: Typical) =>
  callingDays === null ? 1 : callingDays.now / callingDays.typical;

/**
 * Divides connects by attempts, over the same accounts on both sides: each weighs as much as it calls. Null if there are few
 * attempts on either side.
 */
function rateChange(pairs: readonly Pair[]): RateChange | null {
  const rated = pairs.filter(isRated);
  if (rated.some(({ typical }) => typical.connectRate === null)) return null;
  const now = addParts(
    rated.map(({ now: { rates } }) => ({
      part: Number(rates.connects.part),
      attempts: Number(rates.connects.attempts),
    })),
  );
  const typical = addParts(rated.map(({ typical }) => typical.connectRate!));
  if (Math.min(now.attempts, typical.attempts) < minAttemptsOfChange) return null;
  return {
    now: now.part / now.attempts,
    reference: typical.part / typical.attempts,
    parts: { now, typical },
  };
}

const addParts = (all: readonly RateParts[]): RateParts => ({
  part: sumOf(all.map(({ part }) => part)),
  attempts: sumOf(all.map(({ attempts }) => attempts)),
});

const noParts: RateParts = { part: 0, attempts: 0 };

/** The part of an account in the change of the total, like that of a campaign. */
export const partOf = ({ counts: { attempts }, connectRate }: Changes): Part => ({
  attempts: { now: attempts?.now ?? 0, typical: attempts?.reference ?? 0 },
  rate: connectRate?.parts ?? { now: noParts, typical: noParts },
});

export const rateOf = ({ part, attempts }: RateParts) => (attempts === 0 ? null : part / attempts);

/** Rates of fewer attempts differ by chance: that of one row, and those of a change. */
export const minAttemptsOfRate = 20;
const minAttemptsOfChange = 100;

/** Smaller changes of attempts are chance. */
export const minAttempts = 20;

export const isMany = ({ now, reference }: CountChange) =>
  Math.abs(Math.round(now) - Math.round(reference)) >= minAttempts;

/** `+4%`; `+12`, if that is few; `typically 12`, if a percentage would say nothing. */
export function countChangeText(
  change: CountChange | null,
  { every }: Pick<Period, 'every'>,
  format: Format,
): string | null {
  if (change === null) return null;
  const percent = format.percent(change);
  if (percent === null)
    return `${format.words.typically[every]} ${format.count(Math.round(change.reference))}`;
  const isFew = !isMany(change) && Math.abs(percentOf(change)) >= 10;
  return isFew ? format.difference(Math.round(change.now) - Math.round(change.reference)) : percent;
}

/** Days with figures, after which an account is new no longer, whatever is typical of it. */
const newDays = 56;

/** Why an account isn't compared: `not loaded`, `provisional`, `new since 14 Oct`; null if nothing is typical of it. */
export function whyLeftOut(account: AccountTotals, to: string, format: Format): string | null {
  const { words } = format;
  if (!hasFigures(account)) return words.notLoaded;
  if (account.state !== 'loaded') return words.incompleteDay;
  if (account.provisionalDays.length > 0) return words.provisionalDay;
  const { since } = account;
  const isNew = since !== null && Temporal.PlainDate.from(since).until(to).days < newDays;
  return isNew ? words.compared.newSince(format.days(since, since)) : null;
}

export const sumOf = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
