import { accountName, type Format } from '../format.ts';
import { minAttemptsOfRate, whyLeftOut } from './comparison.ts';
import type { Facts } from './facts.ts';
import { differenceOf, type Explanation, type Measure, type Moved, rateOf, totalEffect } from './movers.ts';
import { maxNames } from './notes.ts';
import { periodWords } from './period-words.ts';

/** Campaigns or accounts that a sentence names. */
const maxNamed = 3;

/**
 * The headline: the largest change and its cause, then the other change; or that the period is normal. Null if there is
 * nothing to compare.
 */
export function insightLine(facts: Facts, format: Format): string | null {
  const { comparison, explanation } = facts;
  if (comparison === null || explanation === null) return null;
  const [first, second] = explanation.moved;
  const sentence = first === undefined ? normalSentence(facts, format) : movedSentence(first, facts, format);
  if (sentence === null) return null;
  const also = alsoSentence(first, second, facts, format);
  const { leftOut } = comparison;
  if (leftOut.length === 0) return sentence + also;
  const { insight } = format.words;
  return (
    insight.without(leftOutNames(facts, format), `${sentence[0]!.toLowerCase()}${sentence.slice(1)}`) + also
  );
}

/** The accounts that aren't compared; many are counted. */
function leftOutNames({ comparison }: Facts, format: Format): string {
  const { leftOut } = comparison!;
  return leftOut.length > maxNamed
    ? format.countOf(leftOut.length, format.words.accounts)
    : format.list(leftOut.map(accountName));
}

/** The accounts that aren't compared, each with the reason. */
export function leftOutReasons({ comparison, day }: Facts, format: Format): string {
  const reasons = Map.groupBy(comparison!.leftOut, (account) => whyLeftOut(account, day, format));
  const all = [...reasons].map(([why, some]) => {
    const names = format.list(format.shortened(some.map(accountName), maxNames));
    return why === null ? names : `${names} (${why})`;
  });
  return format.list(all);
}

/** `A normal Thursday: 15,901 attempts, 58.9% connected.` If large campaigns moved against each other, it says so. */
function normalSentence({ comparison, explanation, period }: Facts, format: Format): string | null {
  const { counts, connectRate } = comparison!.total;
  if (counts.attempts === null) return null;
  const { insight } = format.words;
  const { basis, name } = periodWords(period, format);
  const attempts = format.count(counts.attempts.now);
  const figures =
    connectRate === null
      ? insight.attemptsAlone(attempts)
      : insight.figures(attempts, format.rateOf(connectRate.now));
  const normal = `${insight.normal[period.every](period.every === 'day' ? name : basis)}: ${figures}`;
  const large = largeCampaigns(explanation!, format);
  return `${large === null ? normal : insight.but(normal, large)}.`;
}

/** Campaigns that moved against each other, though their sum is normal; null if none moved much. */
function largeCampaigns({ large }: Explanation, format: Format): string | null {
  if (large.length === 0) return null;
  return format.list(large.slice(0, maxNamed).map((moved) => causeOf(moved, 'attempts', format)));
}

/** The largest change: `18% more attempts than on a typical Thursday (+2,427), mostly Renewals (+2,960, since 5 Oct).` */
function movedSentence(measure: Measure, facts: Facts, format: Format): string {
  const { insight } = format.words;
  const { total } = facts.comparison!;
  const { basis } = periodWords(facts.period, format);
  const { every } = facts.period;
  if (measure === 'rate') {
    const change = total.connectRate!;
    const phrase = change.now > change.reference ? insight.higherRate : insight.lowerRate;
    return withCause(
      `${phrase(format.pointsSize(change))} ${insight.rateThan[every](basis)}`,
      measure,
      facts,
      format,
    );
  }
  const change = total.counts.attempts!;
  const percent = format.percentSize(change);
  const phrase = change.now > change.reference ? insight.more : insight.fewer;
  const sentence =
    percent === null
      ? `${insight.instead(format.count(change.now), format.count(Math.round(change.reference)))} (${basis})`
      : `${phrase(percent)} ${insight.than[every](basis)} (${format.difference(change.now - change.reference)})`;
  return withCause(sentence, measure, facts, format);
}

/** The other change, after a blank: `The connect rate fell by 2.5 points, mostly for the same reason.` */
function alsoSentence(
  first: Measure | undefined,
  measure: Measure | undefined,
  facts: Facts,
  format: Format,
): string {
  if (first === undefined) return '';
  const { insight } = format.words;
  const { total } = facts.comparison!;
  if (measure === undefined) {
    const large = first === 'rate' ? largeCampaigns(facts.explanation!, format) : null;
    return large === null ? '' : ` ${insight.butAttempts(large)}.`;
  }
  if (measure === 'rate') {
    const change = total.connectRate!;
    const phrase = change.now > change.reference ? insight.rateRose : insight.rateFell;
    return ` ${withCause(phrase(format.pointsSize(change)), measure, facts, format, first)}`;
  }
  const change = total.counts.attempts!;
  const percent = format.percentSize(change);
  const phrase = change.now > change.reference ? insight.rose : insight.fell;
  const sentence =
    percent === null
      ? insight.attemptsBecame(format.count(Math.round(change.reference)), format.count(change.now))
      : `${phrase(percent)} (${format.difference(change.now - change.reference)})`;
  return ` ${withCause(sentence, measure, facts, format, first)}`;
}

/** Names what makes up half of a change, or how many campaigns moved the same way. */
function withCause(
  sentence: string,
  measure: Measure,
  facts: Facts,
  format: Format,
  first: Measure | null = null,
): string {
  const { insight, campaigns } = format.words;
  const named = causes(measure, facts);
  if (named === null) {
    const { movers } = facts;
    const isUp = changeOf(measure, facts) > 0;
    const some = format.count((isUp ? movers.up : movers.down)[measure]);
    const all = format.countOf(movers.count, campaigns);
    const phrase = {
      attempts: isUp ? insight.moreIn : insight.fewerIn,
      rate: isUp ? insight.raisedBy : insight.loweredBy,
    }[measure];
    return `${sentence}: ${phrase(some, all)}.`;
  }
  const before = first === null ? null : causes(first, facts);
  const isSame = before !== null && named.every((each) => before.includes(each));
  if (isSame) return `${insight.sameReason(sentence)}.`;
  return `${insight.mostly(sentence, format.list(named.map((each) => causeOf(each, measure, format))))}.`;
}

function changeOf(measure: Measure, { comparison }: Facts): number {
  const { counts, connectRate } = comparison!.total;
  const { now, reference } = measure === 'attempts' ? counts.attempts! : connectRate!;
  return now - reference;
}

/** A row that fell or rose as all did isn't why: on a holiday the largest lose most. */
const minBeyondAll = 1.5;

/** The fewest rows that make up half of a change; null if three don't. */
function causes(measure: Measure, facts: Facts): readonly Moved[] | null {
  const change = changeOf(measure, facts);
  const share = (row: Moved) => (measure === 'attempts' ? differenceOf(row) : totalEffect(row)) / change;
  const reference = facts.comparison!.total.counts.attempts?.reference ?? 0;
  const largest = facts
    .explanation!.rows.filter(
      (row) => measure === 'rate' || share(row) * reference >= minBeyondAll * row.attempts.typical,
    )
    .toSorted((one, other) => share(other) - share(one))
    .slice(0, maxNamed);
  let sum = 0;
  for (const [index, row] of largest.entries()) {
    sum += share(row);
    if (sum >= 0.5) return largest.slice(0, index + 1);
  }
  return null;
}

/** `Renewals (North office, −2,100, none since 22 Oct)`, `Renewals (61.0% → 50.2%)`. */
function causeOf(moved: Moved, measure: Measure, format: Format): string {
  const reason =
    measure === 'attempts' ? [format.difference(differenceOf(moved))] : [rateReason(moved, format)];
  const details = [moved.label, ...reason, whyText(moved, format)].filter((each) => each !== null);
  return `${moved.name} (${details.join(', ')})`;
}

/** `since 5 Oct`, `none since 22 Oct`. */
export function whyText({ since, noneSince }: Moved, format: Format): string | null {
  const { insight } = format.words;
  if (since !== null) return insight.since(format.days(since, since));
  return noneSince === null ? null : insight.noneSince(format.days(noneSince, noneSince));
}

/** Its own rate, or how much it called with it, whichever did more to the rate of all. */
function rateReason({ rate, effect }: Moved, format: Format): string | null {
  const { insight } = format.words;
  if (Math.abs(effect.own) >= Math.abs(effect.mix)) return ownRates(rate, format);
  const [now, typical] = [rateOf(rate.now), rateOf(rate.typical)];
  const value = format.rateOf(now ?? typical ?? 0);
  if (now === null || typical === null) return insight.at(value);
  return effect.hasGrown ? insight.moreCalls(value) : insight.fewerCalls(value);
}

/** `61.0% → 50.2%`; the one rate that is known; null if none is. */
export function ownRates({ now, typical }: Moved['rate'], format: Format): string | null {
  const known = [typical, now]
    .filter(({ attempts }) => attempts >= minAttemptsOfRate)
    .map((parts) => format.rateOf(rateOf(parts)!));
  return known.length === 0 ? null : known.join(' → ');
}
