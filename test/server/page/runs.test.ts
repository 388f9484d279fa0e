import { expect, it } from 'vitest';
import { runList } from '../../../src/server/page/runs.ts';
import type { RunRecord } from '../../../src/warehouse/queries/run-history.ts';

const time = {
  now: Temporal.Instant.from('2026-11-21T06:35:00Z'),
  timeZone: 'Europe/Madrid',
  nextRun: null,
};

const unfinished = (retryAt: string | null): RunRecord => ({
  run: 7,
  kind: 'nightly',
  command: 'schedule',
  startedAt: '2026-11-21 06:30:00+00',
  finishedAt: null,
  retryAt,
  atWork: retryAt === null,
  outcome: null,
  exitCode: null,
  summary: null,
  exclusive: true,
});

const textOf = async (runs: readonly RunRecord[]) =>
  (await runList({ ...time, runs, accounts: [] }))
    .toString()
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

it('a run that waits for its next attempt shows when that begins; one whose attempt nobody makes was killed', async () => {
  const waiting = await textOf([unfinished('2026-11-21 06:38:00+00')]);
  expect(waiting).toContain('waiting Sat 21 Nov, 07:30');
  expect(waiting).toContain('next attempt Sat 21 Nov, 07:38');
  expect(await textOf([unfinished('2026-11-21 06:24:00+00')])).toContain('killed');
  expect(await textOf([unfinished(null)])).toContain('in progress');
  expect(await textOf([{ ...unfinished(null), atWork: false }])).toContain('killed');
});
