import { type Counts, countNames } from '../model/records.ts';
import type { CurrentDay, LoadCandidate, LoadDecision } from '../model/window.ts';
import { compareDay, listedIn } from './compare-day.ts';

/**
 * The load decision for a response. One that would take most of a day away is more often an error of the service than
 * news: it is held, and applied when it comes again on a later run date, or when somebody accepts it.
 */
export function decideLoad(current: CurrentDay, answer: LoadCandidate): LoadDecision {
  const because = holdReason(current, answer);
  const confirmed =
    current.heldHash === answer.contentHash &&
    (answer.accepted || (current.heldRunDate !== null && current.heldRunDate < answer.runDate));
  if (because !== null && !confirmed) return { decision: 'hold', because };
  return {
    decision: 'apply',
    change: compareDay(current.rows, answer.records, current.state === 'loaded', answer.rejects),
  };
}

function holdReason({ rows }: CurrentDay, { records, rejects }: LoadCandidate): string | null {
  const stand = rows.filter((row) => !row.withdrawn);
  if (stand.length === 0) return null;
  if (records.length + rejects.length === 0) return `it would empty a day of ${stand.length} campaigns`;
  const isListed = listedIn(records, rejects);
  const dropped = stand.filter((row) => !isListed(row.callsetId)).length;
  if (dropped * 2 > stand.length) return `it lacks ${dropped} of ${stand.length} campaigns`;
  if (stand.some(hasCalls) && rejects.length === 0 && !records.some(hasCalls))
    return 'it turns all counts to 0';
  return null;
}

const hasCalls = (counts: Counts) => countNames.some((name) => (counts[name] ?? 0) > 0);
