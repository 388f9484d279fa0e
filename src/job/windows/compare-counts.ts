import type { CountedResponse } from '../../model/window.ts';

const minAgreeing = 3;

/**
 * The counts of a response that announce more campaigns than it lists. What `campaigns` and `reports` count isn't shown
 * (service.md 2.3): one is trusted if it was the number of rows in most of the account's earlier responses.
 *
 * @param earlier responses with two rows or more, the last twenty at most
 */
export function disagreeingCounts(
  { rows, counts }: CountedResponse,
  earlier: readonly CountedResponse[],
): string[] {
  return Object.keys(counts).filter((name) => {
    const agreeing = earlier.filter((response) => response.counts[name] === response.rows).length;
    const isTrusted = agreeing >= minAgreeing && agreeing * 2 > earlier.length;
    return isTrusted && counts[name]! > rows;
  });
}
