import type { AccountTotals, CampaignFigures, DigestRow, Part, PeriodParts } from '../../model/digest.ts';
import type { Sums } from '../../model/records.ts';
import { displayName, displayServiceName, percentOf, rounded, tenthsOf } from '../format.ts';
import { type Changes, type Comparison, isMany, minAttempts, partOf, rateOf, sumOf } from './comparison.ts';
import { minus, type Rates, sumUp } from './totals.ts';

export type Measure = 'attempts' | 'rate';

/** Its difference in attempts, and its effect on the rate of all in tenths of a point, as shown. */
type Shown = { readonly [measure in Measure]: number };

/** A campaign or an account: what it has, and its part in the change of all. */
export type FigureRow = Sums &
  Pick<CampaignFigures, 'rates' | 'part' | 'since' | 'noneSince' | 'isUnusual'> &
  Pick<DigestRow, 'account'> & {
    readonly id: string;
    readonly name: string;
    /** The account of a campaign, if there are several. */
    readonly label: string | null;
    readonly effect: Effect;
    /** Null if it isn't compared. */
    readonly shown: Shown | null;
    /** Of an account that changed, the campaign that makes up half of that. */
    readonly campaign: FigureRow | null;
  };

/** `own`: by another rate of its own; `mix`: by another share of the attempts, which has grown or shrunk. */
export type Effect = { readonly own: number; readonly mix: number; readonly hasGrown: boolean };

/** What all others have; their change is null if they aren't compared. */
export type RestRow = {
  readonly attempts: bigint | null;
  readonly rates: Rates;
  readonly shown: Shown | null;
};

/** The rows of a table in their order, and the rest: as shown, they add up to the change. */
export type Ranked = { readonly rows: readonly FigureRow[]; readonly rest: readonly RestRow[] };

/** Rows that moved alike, or the largest of several, and whether they make up half of a change. */
export type Causes = { readonly rows: readonly FigureRow[]; readonly isMost: boolean };

/** What changed and why, and the rows of the table. */
export type Explanation = {
  /** The measures that changed by their bounds or more, the one that exceeds its own most first; empty on a normal day. */
  readonly moved: readonly Measure[];
  readonly causes: { readonly [measure in Measure]: Causes | null };
  /** Of a normal sum: campaigns that moved by its bound, and those that moved by half of it; the largest first. */
  readonly large: readonly FigureRow[];
  /** By accounts if these are many, otherwise by campaigns. */
  readonly table: Ranked;
};

/** Rows of a table; of one more, that is shown, too. */
export const maxRows = 10;

// Smaller changes are chance: in percent, and in tenths of a point.
const minPercent = 10;
const minTenths = 20;

/** Compares the campaigns and accounts of a period, if there is something to compare. */
export function explain(
  { campaigns: read, accounts }: PeriodParts,
  comparison: Comparison | null,
): Explanation {
  const multiples = comparison === null ? { attempts: 0, rate: 0 } : multiplesOf(comparison.total);
  const moved = (['attempts', 'rate'] as const)
    .filter((measure) => multiples[measure] >= 1)
    .sort((one, other) => multiples[other] - multiples[one]);
  const campaigns = read.rows.map((each) => campaignRow(each, accounts.length > 1, comparison));
  const byAccount = accounts.map((each) => accountRow(each, campaigns, comparison));
  const large = moved.includes('attempts') ? [] : largeRows(campaigns, comparison);
  const first = large.length > 0 ? ([...moved, 'attempts'] as const) : moved;
  const table = rank(accounts.length > maxRows ? byAccount : campaigns, first, accounts, comparison);
  // A figure is shown once, or alike: an account may have a single campaign.
  const asShown = (row: FigureRow): FigureRow => {
    const isSame = (each: FigureRow) =>
      each.id === row.id || (each.id === row.account && sizeOf(each, 'attempts') === sizeOf(row, 'attempts'));
    return { ...row, shown: table.rows.find(isSame)?.shown ?? row.shown };
  };
  const causesOf = (measure: Measure): Causes | null => {
    if (!moved.includes(measure)) return null;
    const some = causes(measure, campaigns, comparison!);
    const offices = accounts.length > 1 ? causes(measure, byAccount, comparison!) : null;
    // What few campaigns don't explain, or too many to name, an office may.
    const isEnough = some?.isMost && some.rows.length <= maxNamed;
    const found = offices?.isMost === true && !isEnough ? offices : (some ?? offices);
    return found && { ...found, rows: found.rows.map(asShown) };
  };
  return {
    moved,
    causes: { attempts: causesOf('attempts'), rate: causesOf('rate') },
    large: large.map(asShown),
    table,
  };
}

/** The changes as multiples of their bounds; 0 if few attempts changed. */
const multiplesOf = ({ counts: { attempts }, connectRate }: Changes) => ({
  attempts: attempts === null || !isMany(attempts) ? 0 : Math.abs(percentOf(attempts)) / minPercent,
  rate: connectRate === null ? 0 : Math.abs(tenthsOf(connectRate)) / minTenths,
});

function campaignRow(
  { campaign, callsetId, label, ...figures }: CampaignFigures,
  isOneOfMany: boolean,
  comparison: Comparison | null,
): FigureRow {
  return withShown({
    ...figures,
    id: `${figures.account} ${callsetId}`,
    name: displayServiceName(campaign, `#${callsetId}`),
    label: isOneOfMany ? displayName(label) : null,
    effect: effectOf(figures.part, comparison),
    campaign: null,
  });
}

function accountRow(
  { account, label, ...totals }: AccountTotals,
  campaigns: readonly FigureRow[],
  comparison: Comparison | null,
): FigureRow {
  const changes = comparison?.accounts.get(account);
  const part = changes === undefined ? null : partOf(changes);
  const row = withShown({
    ...totals,
    id: account,
    account,
    name: displayName(label, account),
    label: null,
    part,
    since: null,
    noneSince: null,
    isUnusual: { attempts: true, rate: true },
    effect: effectOf(part, comparison),
    campaign: null,
  });
  if (changes === undefined || multiplesOf(changes).attempts < 1) return row;
  const share = (each: FigureRow) => sizeOf(each, 'attempts') / sizeOf(row, 'attempts');
  const [largest = null] = campaigns
    .filter((each) => each.account === account && each.isUnusual.attempts && share(each) >= most)
    .toSorted((one, other) => share(other) - share(one));
  return { ...row, campaign: largest };
}

const withShown = (row: Omit<FigureRow, 'shown'>): FigureRow => ({
  ...row,
  shown: row.part && {
    attempts: rounded(sizeOf(row, 'attempts')),
    rate: rounded(1_000 * sizeOf(row, 'rate')),
  },
});

/** What a row adds to the change of a measure; 0 if it isn't compared. */
function sizeOf({ part, effect }: Pick<FigureRow, 'part' | 'effect'>, measure: Measure): number {
  if (part === null) return 0;
  return measure === 'attempts' ? part.attempts.now - part.attempts.typical : effect.own + effect.mix;
}

/**
 * The effect of a part on the connect rate: the effects of all parts add up to it exactly. For a
 * campaign that began or stopped, the whole effect is mix.
 */
export function effectOf(part: Part | null, comparison: Pick<Comparison, 'total'> | null): Effect {
  const connectRate = comparison?.total.connectRate ?? null;
  if (part === null || connectRate === null) return { own: 0, mix: 0, hasGrown: false };
  const { now, typical } = part.rate;
  const { parts, reference } = connectRate;
  const share = now.attempts / parts.now.attempts;
  const shareBefore = typical.attempts / parts.typical.attempts;
  const rate = rateOf(now) ?? rateOf(typical) ?? 0;
  const rateBefore = rateOf(typical) ?? rate;
  return {
    own: ((share + shareBefore) / 2) * (rate - rateBefore),
    mix: (share - shareBefore) * ((rate + rateBefore) / 2 - reference),
    hasGrown: share > shareBefore,
  };
}

/** The change of a measure; 0 if it isn't compared. */
function changeOf(measure: Measure, { total: { counts, connectRate } }: Comparison): number {
  const change = measure === 'attempts' ? counts.attempts : connectRate;
  return change === null ? 0 : change.now - change.reference;
}

const boundOf = ({ total: { counts } }: Comparison) =>
  Math.max(minAttempts, (minPercent / 100) * (counts.attempts?.reference ?? 0));

/** Campaigns that moved against each other, though their sum is normal; none if no campaign moved much. */
function largeRows(campaigns: readonly FigureRow[], comparison: Comparison | null): FigureRow[] {
  if (comparison === null || comparison.total.counts.attempts === null) return [];
  const size = (row: FigureRow) => Math.abs(sizeOf(row, 'attempts'));
  const movedBy = (least: number) => campaigns.filter((row) => row.isUnusual.attempts && size(row) >= least);
  const bound = boundOf(comparison);
  if (movedBy(bound).length === 0) return [];
  return movedBy(bound / 2).toSorted((one, other) => size(other) - size(one));
}

/** Parts of a change: a cause has a fifth of it at least, equal ones are within a fifth of the larger, most is half. */
const minShare = 0.2;
const equalShare = 0.8;
const most = 0.5;

/** More equal ones are counted. */
export const maxNamed = 3;

/** A row that fell or rose as all did isn't why: on a holiday the largest lose most. */
const minBeyondAll = 1.5;

/** The largest rows that moved as the total did, and beyond what is usual of them, until they make up half of its change. */
function causes(measure: Measure, rows: readonly FigureRow[], comparison: Comparison): Causes | null {
  const change = changeOf(measure, comparison);
  const share = (row: FigureRow) => sizeOf(row, measure) / change;
  const sum = (some: readonly FigureRow[]) => some.reduce((total, row) => total + share(row), 0);
  const reference = comparison.total.counts.attempts?.reference ?? 0;
  const candidates = rows
    .filter((row) => row.isUnusual[measure] && share(row) > 0)
    .filter(
      (row) =>
        measure === 'rate' || share(row) * reference >= minBeyondAll * (row.part?.attempts.typical ?? 0),
    )
    .toSorted((one, other) => share(other) - share(one));
  let named: FigureRow[] = [];
  while (sum(named) < most) {
    const [largest] = candidates.slice(named.length);
    if (largest === undefined) break;
    const equals = candidates.slice(named.length).filter((row) => share(row) >= equalShare * share(largest));
    const isCause = share(largest) >= minShare || (named.length === 0 && sum(equals) >= most);
    if (!isCause || (named.length > 0 && named.length + equals.length > maxNamed)) break;
    named = [...named, ...equals];
  }
  return named.length === 0 ? null : { rows: named, isMost: sum(named) >= most };
}

/** The rows of a table: those that moved most first, if anything did, otherwise those with the most attempts. */
function rank(
  rows: readonly FigureRow[],
  moved: readonly Measure[],
  accounts: readonly AccountTotals[],
  comparison: Comparison | null,
): Ranked {
  const change = (measure: Measure) => (comparison === null ? 0 : changeOf(measure, comparison));
  const bounds = { attempts: comparison === null ? 1 : boundOf(comparison), rate: minTenths / 1_000 };
  const weight = (row: FigureRow) =>
    Math.max(
      0,
      ...moved.map((each) => Math.abs(sizeOf(row, each)) / Math.max(Math.abs(change(each)), bounds[each])),
    );
  const attempts = (row: FigureRow) => Number(row.attempts ?? 0n);
  const sorted = rows.toSorted(
    (one, other) => weight(other) - weight(one) || attempts(other) - attempts(one),
  );
  const shown = sorted.slice(0, sorted.length === maxRows + 1 ? maxRows + 1 : maxRows);
  const compared = shown.filter(({ part }) => part !== null);
  const [byAttempts, byRate] = (['attempts', 'rate'] as const).map((measure) => {
    const sizes = compared.map((row) => sizeOf(row, measure));
    const unit = { attempts: 1, rate: 1_000 }[measure];
    return apportion([...sizes, change(measure) - sumOf(sizes)].map((size) => unit * size));
  }) as [number[], number[]];
  const shownAt = (index: number) => ({ attempts: byAttempts[index]!, rate: byRate[index]! });
  const rest = [true, false].flatMap((isCompared): RestRow[] => {
    const isOfGroup = ({ account }: { readonly account: string }) =>
      (comparison?.accounts.has(account) ?? false) === isCompared;
    const left = minus(sumUp(accounts.filter(isOfGroup)), shown.filter(isOfGroup));
    const change = isCompared ? shownAt(compared.length) : null;
    const isEmpty = (left.attempts ?? 0n) === 0n && (change?.attempts ?? 0) === 0;
    return isEmpty ? [] : [{ ...left, shown: change }];
  });
  return {
    rows: shown.map((row) => (row.part === null ? row : { ...row, shown: shownAt(compared.indexOf(row)) })),
    rest,
  };
}

/** Rounds parts so that they add up to their rounded sum: the largest remainders are rounded up. */
export function apportion(exact: readonly number[]): number[] {
  const whole = exact.map((each) => Math.floor(Number(each.toFixed(6))));
  const remainders = exact.map((each, index) => each - whole[index]!);
  const largest = [...exact.keys()].sort((one, other) => remainders[other]! - remainders[one]!);
  const up = new Set(largest.slice(0, Math.max(0, rounded(sumOf(exact)) - sumOf(whole))));
  return whole.map((each, index) => (up.has(index) ? each + 1 : each));
}
