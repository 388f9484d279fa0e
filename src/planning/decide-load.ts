import { createHash } from 'node:crypto';
import { type CampaignRecord, type Counts, countNames } from '../model/records.ts';
import type { CurrentDay, LoadCandidate, LoadDecision } from '../model/window.ts';
import { compareDay, listedIn } from './compare-day.ts';

/**
 * The load decision for a response. One that would take most of a day away is more often an error of the service than
 * news: it is held, and applied when the service returns it again on a later run date, or when somebody accepts it.
 */
export function decideLoad(current: CurrentDay, response: LoadCandidate): LoadDecision {
  const because = holdReason(current, response);
  const confirmed =
    current.heldHash === response.contentHash &&
    (response.accepted || (current.heldRunDate !== null && current.heldRunDate < response.runDate));
  if (because !== null && !confirmed) return { decision: 'hold', because };
  return {
    decision: 'apply',
    change: compareDay(current.rows, response.records, current.state === 'loaded', response.rejects),
  };
}

function holdReason({ rows }: CurrentDay, { records, rejects }: LoadCandidate): string | null {
  const current = rows.filter((row) => !row.withdrawn);
  if (current.length === 0) return null;
  if (records.length + rejects.length === 0) return `it would empty a day of ${current.length} campaigns`;
  const isListed = listedIn(records, rejects);
  const dropped = current.filter((row) => !isListed(row.callsetId)).length;
  if (dropped * 2 > current.length) return `it lacks ${dropped} of ${current.length} campaigns`;
  if (current.some(hasCalls) && rejects.length === 0 && !records.some(hasCalls))
    return 'it turns all counts to 0';
  return null;
}

const hasCalls = (counts: Counts) => countNames.some((name) => (counts[name] ?? 0) > 0);

/**
 * SHA-256 (hex) over the ids and four counts of a response, sorted by id.
 * Names, extra fields and the order of the records don't change it: they don't settle, restate or hold a day.
 */
export function contentHash(records: readonly CampaignRecord[]): string {
  const lines = [...records]
    .sort((one, other) => one.callsetId - other.callsetId)
    .map(({ callsetId, attempts, busies, connects, liveAnswers }) =>
      JSON.stringify([callsetId, attempts, busies, connects, liveAnswers]),
    );
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
