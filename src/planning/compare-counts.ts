import type { SummaryEnvelope } from '../model/records.ts';
import type { ComparedCounts, CountHistory } from '../model/window.ts';

/** In how many responses a count has to be the number of rows before it is expected to be. */
export const provenAfter = 3;

/**
 * Holds the counts of an envelope against its rows. What `campaigns` and `reports` count isn't shown (service.md 2.3):
 * one that was the number of rows in every response before, over several, is taken to be that. The same disagreement
 * about a day on a later run date shows that it isn't, and ends the comparison (design, *A good response*).
 */
export function compareCounts(
  { counts, rows }: Pick<SummaryEnvelope, 'counts' | 'rows'>,
  history: readonly CountHistory[],
): ComparedCounts {
  const known = history.filter(
    ({ name, agreed, ended }) =>
      counts[name] !== undefined && counts[name] !== rows && agreed >= provenAfter && !ended,
  );
  return {
    disagreeing: known.filter(({ sameBefore }) => !sameBefore).map(({ name }) => name),
    ended: known.filter(({ sameBefore }) => sameBefore).map(({ name }) => name),
  };
}

/** `campaigns is 20 and reports is 20, with 10 listed`. */
export function describeDisagreement(
  { counts, rows }: Pick<SummaryEnvelope, 'counts' | 'rows'>,
  names: readonly string[],
): string {
  return `${names.map((name) => `${name} is ${counts[name]}`).join(' and ')}, with ${rows} listed`;
}
