import type { Day } from '../../model/day.ts';
import { accountName, type Format } from '../format.ts';
import { type CountChange, minAttemptsOfRate, rateOf, whyLeftOut } from './comparison.ts';
import { type FigureRow, type Measure, maxNamed } from './explanation.ts';
import type { PeriodFacts } from './facts.ts';
import { periodWords } from './period-words.ts';

/**
 * The headline: the largest change and its cause, then the other change; or that the period is normal. Null if there is
 * nothing to compare.
 *
 * @param withFigures whether a normal period has its figures in the sentence
 */
export function insightLine(facts: PeriodFacts, format: Format, withFigures = true): string | null {
  const { comparison, explanation } = facts;
  if (comparison === null) return null;
  const { insight } = format.words;
  const [first, second] = explanation.moved;
  const large =
    explanation.large.length === 0 ? null : namesOf(explanation.large.slice(0, maxNamed), 'attempts', format);
  const sentences: string[] = [];
  if (first !== undefined) {
    sentences.push(changeSentence(first, facts, format));
    if (second !== undefined) sentences.push(changeSentence(second, facts, format, first));
    else if (large !== null) sentences.push(insight.butAttempts(large));
  } else if (comparison.total.counts.attempts !== null) {
    sentences.push(`${normalSentence(facts, format, withFigures)}.`);
    if (large !== null) sentences.push(insight.whatMoved(large));
  }
  const text = sentences.join(' ');
  const { leftOut } = comparison;
  if (text === '' || leftOut.length === 0) return text || null;
  const names =
    leftOut.length > maxNamed
      ? format.countOf(leftOut.length, format.words.accounts)
      : format.list(leftOut.map(accountName));
  return insight.without(names, `${text[0]!.toLowerCase()}${text.slice(1)}`);
}

/** The accounts that aren't compared, each with the reason. */
export function leftOutReasons({ comparison, period }: PeriodFacts, format: Format): string {
  const reasons = Map.groupBy(comparison!.leftOut, (account) => whyLeftOut(account, period.to, format));
  const all = [...reasons].map(([why, some]) => {
    const names = format.names(some.map(accountName));
    return why === null ? names : `${names} (${why})`;
  });
  return format.list(all);
}

/** `A normal Thursday: 15,901 attempts, 58.9% connected`. */
function normalSentence(
  { comparison, explanation, period }: PeriodFacts,
  format: Format,
  withFigures: boolean,
): string {
  const { counts, connectRate } = comparison!.total;
  const { insight } = format.words;
  const { basis } = periodWords(period, format);
  const plain = insight.normal[period.every](period.every === 'day' ? format.longWeekday(period.to) : basis);
  const normal = explanation.large.length > 0 ? insight.overall(plain) : plain;
  if (!withFigures) return normal;
  const attempts = format.count(counts.attempts!.now);
  const figures =
    connectRate === null
      ? insight.attemptsAlone(attempts)
      : insight.figures(attempts, format.rateOf(connectRate.now));
  return `${normal}: ${figures}`;
}

/** `Renewals (+300) and Surveys (+280)`; of several in one office, this stands before them. */
function namesOf(rows: readonly FigureRow[], measure: Measure, format: Format): string {
  const [{ label, account }] = rows as [FigureRow];
  const isOneOffice = rows.length > 1 && label !== null && rows.every((row) => row.account === account);
  const shown = isOneOffice ? rows.map((row) => ({ ...row, label: null })) : rows;
  const names = format.list(shown.map((row) => nameOf(row, measure, format)));
  return isOneOffice ? `${label}: ${names}` : names;
}

/**
 * `18% more attempts than on a typical Thursday (+2,427), mostly Renewals (+2,960, since 5 Oct).`
 *
 * @param first the measure of the sentence before
 */
function changeSentence(measure: Measure, facts: PeriodFacts, format: Format, first?: Measure): string {
  const { insight, campaigns, accounts } = format.words;
  const { causes } = facts.explanation!;
  const change = changePhrase(measure, facts, format, first !== undefined);
  const found = causes[measure];
  if (found === null) {
    const { up, down } = facts.campaigns;
    const { now, reference } = measureOf(measure, facts);
    const [some, others] = now > reference ? [up, down] : [down, up];
    const isMost = some[measure] > 1 && some[measure] > others[measure];
    return isMost ? insight.inMost[measure](change) : `${change}.`;
  }
  const { rows, isMost } = found;
  const before = first === undefined ? null : causes[first];
  const isSame = before !== null && rows.every(({ id }) => before.rows.some((row) => row.id === id));
  if (isSame) return insight.sameReason(change);
  const phrase = isMost ? insight.mostly : insight.partly;
  const [largest] = rows;
  if (rows.length > maxNamed) {
    const nouns = largest!.id === largest!.account ? accounts : campaigns;
    return phrase(
      change,
      insight.largest(format.countOf(rows.length, nouns), nameOf(largest!, measure, format)),
    );
  }
  return phrase(change, namesOf(rows, measure, format));
}

/** `18% more attempts than on a typical Thursday (+2,427)`; as a further sentence without what it is compared with. */
function changePhrase(measure: Measure, facts: PeriodFacts, format: Format, isFurther: boolean): string {
  const { insight } = format.words;
  const { period } = facts;
  const { basis } = periodWords(period, format);
  const change = measureOf(measure, facts);
  const { now, reference } = change;
  const isUp = now > reference;
  const than = (words: typeof insight.than) => (isFurther ? '' : ` ${words[period.every](basis)}`);
  if (measure === 'rate') {
    const phrase = isUp ? insight.higherRate : insight.lowerRate;
    return `${phrase(format.pointsSize(change))}${than(insight.rateThan)}`;
  }
  const percent = format.percentSize(change);
  if (percent === null) {
    const [count, typical] = [now, reference].map((each) => format.count(Math.round(each)));
    return `${insight.instead(count!, typical!)}${isFurther ? '' : ` (${basis})`}`;
  }
  const phrase = isUp ? insight.more : insight.fewer;
  return `${phrase(percent)}${than(insight.than)} (${format.difference(now - reference)})`;
}

function measureOf(measure: Measure, { comparison }: PeriodFacts): CountChange {
  const { counts, connectRate } = comparison!.total;
  return measure === 'attempts' ? counts.attempts! : connectRate!;
}

/** `Renewals (North office, −2,100, none since 22 Oct)`, `Renewals (61.0% → 50.2%)`. */
function nameOf(row: FigureRow, measure: Measure, format: Format): string {
  const reason = measure === 'attempts' ? format.difference(row.shown!.attempts) : rateReason(row, format);
  const details = [
    row.label,
    reason,
    whyText(row, format),
    row.campaign && campaignText(row.campaign, format),
  ];
  return `${row.name} (${details.filter((each) => each !== null).join(', ')})`;
}

/** `Renewals since 5 Oct`: what changed in an account. */
export const campaignText = (row: FigureRow, format: Format) =>
  [row.name, whyText(row, format)].filter((each) => each !== null).join(' ');

/** `since 5 Oct`, `none since 22 Oct`. */
export function whyText({ since, noneSince }: FigureRow, format: Format): string | null {
  const { insight } = format.words;
  const date = (day: Day) => format.days(day, day);
  if (since !== null) return insight.since(date(since));
  return noneSince === null ? null : insight.noneSince(date(noneSince));
}

/** Its own rate, or how much it called with it, whichever did more to the rate of all. */
function rateReason({ part, effect }: FigureRow, format: Format): string | null {
  const { insight } = format.words;
  const { now, typical } = part!.rate;
  if (Math.abs(effect.own) >= Math.abs(effect.mix)) {
    const known = [typical, now].filter(({ attempts }) => attempts >= minAttemptsOfRate);
    return known.length === 0 ? null : known.map((parts) => format.rateOf(rateOf(parts)!)).join(' → ');
  }
  const [rate, rateBefore] = [rateOf(now), rateOf(typical)];
  const value = format.rateOf(rate ?? rateBefore ?? 0);
  if (rate === null || rateBefore === null) return insight.at(value);
  return effect.hasGrown ? insight.moreCalls(value) : insight.fewerCalls(value);
}
