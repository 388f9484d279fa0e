import { expect, it } from 'vitest';
import { runList } from '../../../src/server/page/runs.ts';
import type { RunRecord } from '../../../src/warehouse/queries/run-history.ts';

const time = {
  now: Temporal.Instant.from('2026-11-21T06:35:00Z'),
  timeZone: 'Europe/Madrid',
  nextRun: null,
};

const record = (what: Partial<RunRecord>): RunRecord => ({
  run: 7,
  kind: 'nightly',
  command: 'schedule',
  startedAt: '2026-11-21 06:30:00+00',
  finishedAt: null,
  retryAt: null,
  atWork: false,
  outcome: null,
  exitCode: null,
  summary: null,
  exclusive: true,
  ...what,
});

const textOf = async (runs: readonly RunRecord[]) =>
  (await runList({ ...time, runs, nights: [], accounts: [] }))
    .toString()
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

it('a run without an outcome is in progress or was killed', async () => {
  expect(await textOf([record({ atWork: true })])).toContain('in progress');
  expect(await textOf([record({ atWork: false })])).toContain('killed');
});

it('the newest run shows when it is retried, unless that is long past', async () => {
  const failed = (retryAt: string) => record({ outcome: 'failed', retryAt: `2026-11-21 ${retryAt}+00` });
  expect(await textOf([failed('06:38:00')])).toContain('next retry Sat 21 Nov, 07:38');
  expect(await textOf([failed('06:24:00')])).not.toContain('next retry');
  expect(await textOf([record({ run: 8 }), failed('06:38:00')])).not.toContain('next retry');
});
