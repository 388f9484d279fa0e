import { expect, it } from 'vitest';
import { backfill } from '../../src/job/backfill.ts';
import type { AppContext } from '../../src/job/run/app-context.ts';
import { withWorkers } from '../../src/queue/with-workers.ts';
import { atInstant, never } from '../support/nights.ts';
import { openWorld } from '../support/world.ts';
import { setUpQueue } from './workers.ts';

it('a run without workers logs a warning, then ends with a line that suggests what to do, and leaves no job', async () => {
  const world = await openWorld();
  await setUpQueue(world.databaseUrl);
  const warnings: string[] = [];
  const request = { command: 'backfill', from: '2026-03-01', to: '2026-03-02', accounts: null };
  const work = (app: AppContext) => {
    const log = Object.assign(Object.create(app.log), {
      child: () => log,
      warn: (...words: unknown[]) => warnings.push(String(words.at(-1))),
    });
    // Far apart: on a busy machine, a look at the workers may take seconds.
    const limits = { warnMs: 300, giveUpMs: 10_000 };
    return withWorkers(
      { ...app, log },
      (shared, executor) => backfill(shared, request, never, executor),
      limits,
    );
  };
  await expect(atInstant(world, '2026-03-11T06:30:00Z', work)).rejects.toMatchObject({
    code: 'NO_WORKER',
    exitCode: 75,
    detail: expect.stringMatching(/^no worker has taken a window for \d[\w ]*$/),
    advice: 'start one with npm start -- worker, then run again; loaded windows stay loaded',
  });
  expect(warnings).toEqual([
    expect.stringMatching(/^no worker has taken a window for \d[\w ]*: start one with npm start -- worker$/),
  ]);
  expect(await world.query(`select from etl_queue.job where name = 'windows'`)).toEqual([]);
  expect(await world.query('select outcome, exit_code from etl.runs')).toEqual([
    { outcome: 'failed', exit_code: 75 },
  ]);
  await world.close();
});
