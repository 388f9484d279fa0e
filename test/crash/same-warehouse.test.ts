import { describe, expect, it } from 'vitest';
import {
  answeredLate,
  days,
  everything,
  leftBy,
  nonsense,
  requestRefused,
  runsTheSame,
  spoilsTheSame,
} from '../queue/left-by.ts';

describe.concurrent('a run whose windows a worker pulls', () => runsTheSame(1));

describe.concurrent('a backfill whose windows workers pull', () => {
  it('leaves, counts and asks the same as one by itself', async () => {
    const alone = await leftBy(['backfill', ...days], 0);
    expect(alone.code).toBe(0);
    expect(await leftBy(['backfill', ...days], 2)).toEqual(alone);
  });
});

describe.concurrent('what the service spoils is entered, counted and told as ever, where it is', () => {
  spoilsTheSame(answeredLate, requestRefused, nonsense, everything);
});
