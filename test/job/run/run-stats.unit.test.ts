import { expect, it } from 'vitest';
import { createRunStats, type ReportedError, summaryOf } from '../../../src/job/run/run-stats.ts';

const count = <T>(length: number, each: (index: number) => T) =>
  Array.from({ length }, (_, index) => each(index));

/** What `etl.runs` keeps of a run with these errors. */
const keptOf = (...failures: readonly ReportedError[]) =>
  summaryOf({ ...createRunStats(), failures: [...failures] }).failures;

const cause = { code: 'SERVICE_UNAVAILABLE', detail: 'status 503' } as const;
const error = { ...cause, isAsked: false };

it('a cause has as many places in etl.runs with 2,000 accounts and five days as with one account', () => {
  const places = count(10_000, (index) => ({
    step: 'windows' as const,
    account: `office ${index % 2_000}`,
    day: `2026-03-0${1 + (index % 5)}`,
  }));
  expect(keptOf(...places.map((place) => ({ ...error, ...place })))).toEqual([
    { ...cause, errors: 10_000, accounts: 2_000, days: 5, places: places.slice(0, 5) },
  ]);
});

it('each digest that failed has its place there, because each has an alert', () => {
  const digests = count(7, (index) => ({
    ...error,
    step: 'digests' as const,
    account: `digest Office ${index}`,
    day: '2026-03-02',
    digest: `Office ${index}`,
  }));
  const [kept] = keptOf(...digests);
  expect(kept!.places.map(({ digest }) => digest)).toEqual(digests.map(({ digest }) => digest));
});

it('errors of different causes stay apart', () => {
  const place = { step: 'clients', account: 'north', day: null } as const;
  const other = { ...cause, detail: 'status 500' };
  expect(keptOf({ ...error, ...place }, { ...error, ...other, ...place })).toMatchObject([cause, other]);
});
