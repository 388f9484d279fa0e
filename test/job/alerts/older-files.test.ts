import { expect, it, onTestFinished } from 'vitest';
import { createFileChangeReport } from '../../../src/job/alerts/between-runs.ts';
import { readState } from '../../../src/job/alerts/read-alerts.ts';
import { atInstant } from '../../support/nights.ts';
import { openWorld } from '../../support/world.ts';

it('a process that stops runs on no older file any more, but another replica that does says so again', async () => {
  const world = await openWorld();
  onTestFinished(() => world.close());
  const changedAt = Temporal.Instant.from('2026-03-04T10:51:00Z');
  await atInstant(world, '2026-03-04T12:00:00Z', async (app) => {
    const replica = () => createFileChangeReport(app, () => [{ path: '/srv/.env', changedAt }]);
    const titles = async () =>
      (await readState(app.warehouse, app)).alerts
        .filter(({ code }) => code === 'FILES_CHANGED')
        .map(({ title }) => title);
    const [one, other] = [replica(), replica()];
    for (const each of [one, other]) await each.report();
    expect(await titles()).toEqual(['/srv/.env changed on 4 Mar at 10:51']);
    await one.end();
    expect(await titles()).toEqual([]);
    await other.report();
    expect(await titles()).toEqual(['/srv/.env changed on 4 Mar at 10:51']);
  });
});
