import { toCandidate } from '../../src/job/windows/decide.ts';
import type { CampaignRecord } from '../../src/model/records.ts';
import type { WindowResponse } from '../../src/model/window.ts';
import { serviceResponse } from './service-response.ts';

/** A response that lists these, with nothing beside them, for a day that is over and within LOOKBACK_DAYS. */
export const plainResponse = (
  records: readonly CampaignRecord[],
): Omit<WindowResponse, 'accountId' | 'day' | 'fetchedAt' | 'runId' | 'runDate'> => ({
  ...toCandidate(
    {
      records,
      rejects: [],
      rejectCount: 0,
      rows: records.length,
      counts: {},
      remarks: [],
      emptyBy: null,
    },
    {
      day: '2026-03-02',
      runDate: '2026-03-03',
      accepted: false,
      now: Temporal.Instant.from('2026-03-03T06:30:00Z'),
      timeZone: 'UTC',
      lookbackDays: 3,
      catchUpDays: 61,
    },
  ),
  response: serviceResponse(),
});
