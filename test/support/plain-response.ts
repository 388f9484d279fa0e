import { contentHash, hasCalls, mostlyUnreported } from '../../src/job/windows/decide.ts';
import type { CampaignRecord } from '../../src/model/records.ts';
import type { WindowResponse } from '../../src/warehouse/load/windows.ts';
import { serviceResponse } from './service-response.ts';

/** A response that lists these, with nothing beside them, for a day that is over and within LOOKBACK_DAYS. */
export const plainResponse = (
  records: readonly CampaignRecord[],
): Omit<WindowResponse, 'accountId' | 'day' | 'fetchedAt' | 'runId' | 'runDate'> => ({
  records,
  rejects: [],
  rejectCount: 0,
  envelope: { rows: records.length, counts: {}, notice: null },
  contentHash: contentHash(records),
  unreported: mostlyUnreported(records),
  hasCalls: records.some(hasCalls),
  isOver: true,
  isBeyondLookback: false,
  isLastChance: false,
  knownSince: '2026-01-01',
  response: serviceResponse(),
});
