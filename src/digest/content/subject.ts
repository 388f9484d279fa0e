import { displayName, type Format, rate } from '../format.ts';
import { countChangeText } from './comparison.ts';
import type { Facts, PeriodFacts } from './facts.ts';
import { periodWords } from './period-words.ts';
import { hasFigures } from './totals.ts';

/** Inboxes on a screen show so much, phones its beginning. */
const maxLength = 78;

/**
 * `Managers, Thu 19 Nov: 61.0% connected, 12,480 attempts (−18%)`. If the digest is corrected or incomplete, or its
 * figures are provisional, that is first. What doesn't fit is left out.
 */
export function subject(facts: Facts, format: Format): string {
  const { short } = periodWords(facts.period, format);
  const marks = marksOf(facts, format);
  const start = marks.length === 0 ? '' : `${marks.join(', ')}: `;
  const line = (name: string, headline: string) => `${start}${name}, ${short}: ${headline}`;
  const all = headlines(facts, format);
  const name = displayName(facts.name);
  const fitting = all.find((each) => line(name, each).length <= maxLength);
  if (fitting !== undefined) return line(name, fitting);
  const shortest = all.at(-1)!;
  const left = Math.max(10, maxLength - line('', shortest).length);
  return line(displayName(facts.name, '', left), shortest);
}

function marksOf({ before, lacking, provisional }: Facts, { words }: Format): string[] {
  return [
    ...(before === null ? [] : [words.subject.corrected]),
    ...(lacking.length === 0 ? [] : [words.subject.incomplete]),
    ...(lacking.length > 0 || provisional.length === 0 ? [] : [words.subject.provisional]),
  ];
}

/** `61.0% connected, 12,480 attempts (−18%)`. */
export const headline = (facts: PeriodFacts, format: Format) => headlines(facts, format)[0]!;

/** The figures, from the longest wording to the shortest. */
function headlines(facts: PeriodFacts, format: Format): readonly string[] {
  const { subject: words, counts, campaigns: noun } = format.words;
  const { attempts, campaigns, unreportedAttempts, rates } = facts.totals;
  if (!facts.accounts.some(hasFigures)) return [words.nothingLoaded];
  if (attempts === null)
    return [`${format.countOf(campaigns, noun)}, ${words.attemptsNotReported}`, words.attemptsNotReported];
  if (attempts === 0n && unreportedAttempts > 0) return [words.attemptsNotReported];
  if (attempts === 0n) return [facts.lacking.length > 0 ? words.noneSoFar : words.noAttempts];
  const volume = `${format.count(attempts)} ${counts.attempts}`;
  const { comparison, period } = facts;
  const change =
    comparison === null || comparison.leftOut.length > 0
      ? null
      : countChangeText(comparison.total.counts.attempts, period, format);
  const changed = change === null ? volume : `${volume} (${change})`;
  const connected =
    rate(rates.connects.part, rates.connects.attempts) === null
      ? words.connectsNotReported
      : words.connected(format.rate(rates.connects));
  return [`${connected}, ${changed}`, changed];
}
