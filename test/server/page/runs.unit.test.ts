import { expect, it } from 'vitest';
import { createRunStats, summaryOf } from '../../../src/job/run/run-stats.ts';
import type { Overview } from '../../../src/server/page/overview.ts';
import { runList } from '../../../src/server/page/runs.ts';

const days = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'];

/** The cause that the page shows of a run in which all of these failed alike. */
function causeOf(places: readonly { account: string; day: string | null }[]): string {
  const error = {
    code: 'SERVICE_UNAVAILABLE',
    detail: 'status 503',
    step: 'windows',
    isAsked: false,
  } as const;
  const failures = places.map((place) => ({ ...error, ...place }));
  const run = {
    run: 1,
    kind: 'nightly',
    command: 'run',
    startedAt: '2026-11-21T06:30:00Z',
    finishedAt: '2026-11-21T06:31:00Z',
    retryAt: null,
    isRunning: false,
    outcome: 'partial',
    exitCode: 75,
    exclusive: true,
    summary: summaryOf({ ...createRunStats(), failures }),
  };
  const overview = {
    runs: [run],
    accounts: [{ name: 'valley', label: 'Valley' }],
    now: Temporal.Instant.from('2026-11-21T12:00:00Z'),
    timeZone: 'UTC',
  } as unknown as Overview;
  return /<p class="cause">(.*?)<\/p>/.exec(String(runList(overview)))![1]!;
}

const failed = (accounts: readonly string[], ofDays: readonly (string | null)[]) =>
  causeOf(accounts.flatMap((account) => ofDays.map((day) => ({ account, day }))));

it('the cause of a run counts accounts as accounts and days as days, and lists up to three places', () => {
  expect(failed(['valley'], days)).toBe('Valley, 5 days: status 503');
  expect(failed(['valley', 'coast'], days)).toBe('Valley and 1 more, 5 days: status 503');
  expect(failed(['valley', 'a', 'b', 'c', 'd'], days.slice(0, 1))).toBe(
    'Valley and 4 more, 1 day: status 503',
  );
  expect(failed(['valley', 'a', 'b', 'c', 'd'], [null])).toBe('Valley and 4 more: status 503');
  expect(failed(['valley'], days.slice(0, 2))).toBe('Valley, Mon 16 Nov; Valley, Tue 17 Nov: status 503');
});
