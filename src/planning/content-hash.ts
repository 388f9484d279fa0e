import { createHash } from 'node:crypto';
import type { CampaignRecord } from '../model/records.ts';

/**
 * SHA-256 (hex) over the ids and four counts of a response, sorted by id.
 * Names, extra fields and the order of the response leave it as it is: they don't settle, restate or hold a day.
 */
export function contentHash(records: readonly CampaignRecord[]): string {
  const lines = [...records]
    .sort((one, other) => one.callsetId - other.callsetId)
    .map(({ callsetId, attempts, busies, connects, liveAnswers }) =>
      JSON.stringify([callsetId, attempts, busies, connects, liveAnswers]),
    );
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
