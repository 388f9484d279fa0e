import { describe, expect, it } from 'vitest';
import {
  answeredLate,
  days,
  everything,
  invalidResponse,
  leftBy,
  requestRefused,
  runsTheSame,
  spoilsTheSame,
} from '../queue/left-by.ts';

describe.concurrent('a run whose windows a worker syncs', () => runsTheSame(1));

describe.concurrent('a backfill whose windows workers sync', () => {
  it('loads, counts and requests the same as a backfill without workers', async () => {
    const alone = await leftBy(['backfill', ...days], 0);
    expect(alone.code).toBe(0);
    expect(await leftBy(['backfill', ...days], 2)).toEqual(alone);
  });
});

describe.concurrent('with workers, an error of the service is recorded, counted and reported as without, where it is', () => {
  spoilsTheSame(answeredLate, requestRefused, invalidResponse, everything);
});
