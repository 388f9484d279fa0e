import { readdir } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { statusOf } from '../../src/cli/print-status.ts';
import { readState } from '../../src/job/alerts/read-alerts.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { unsentMail } from '../../src/warehouse/outbox/deliveries.ts';
import { callsheet } from '../support/callsheet.ts';
import { atInstant, runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const valley = {
  ACCOUNTS_FILE: '',
  SIDTOKEN: generateDataset().accounts.find(({ name }) => name === 'valley')!.token,
  ACCOUNT_NAME: 'valley',
};

it('a run deletes bodies not referenced for ARCHIVE_DAYS, and a replay leaves a day without its body, and says so', async () => {
  world = await openWorld();
  const load = (days: readonly string[], settings = {}) =>
    runNight(world, '2026-03-03', { ...valley, ...settings }, { days, digest: false });
  const kept = () =>
    world.query(
      `select distinct coalesce(day::text, 'clients') as what, b.sha256 is not null as kept
       from etl.responses left join etl.response_bodies b using (sha256) order by 1`,
    );
  await load(['2026-03-01', '2026-03-02']);
  await world.query(`update etl.response_bodies set referenced_at = referenced_at - interval '3 days'`);
  // Those of the second day are received, and so referenced, again.
  await load(['2026-03-02'], { ARCHIVE_DAYS: '4' });
  await load(['2026-03-02']);
  expect((await kept()).map((row) => row.kept)).toEqual([true, true, true]);
  await load(['2026-03-02'], { ARCHIVE_DAYS: '2' });
  expect(await kept()).toEqual([
    { what: '2026-03-01', kept: false },
    { what: '2026-03-02', kept: true },
    { what: 'clients', kept: true },
  ]);

  await world.query(`update etl.campaign_days set campaign = 'spoilt'`);
  const { code, stderr } = await callsheet(['replay', '--from', '2026-03-01', '--to', '2026-03-02'], {
    ...world.environment,
    ...valley,
  });
  expect(code).toBe(0);
  expect(
    await world.query(`select distinct day::text from etl.campaign_days where campaign = 'spoilt'`),
  ).toEqual([{ day: '2026-03-01' }]);
  expect(stderr).toContain(
    '2 archived windows: 1 loaded, 1 without a readable response in the archive, all others unchanged',
  );
});

it('a night deletes messages of more than 400 days ago, mails none of them again, and forgets no problem', async () => {
  world = await openWorld({ variants: ['hostile-records'] });
  for (const day of ['2026-03-03', '2026-03-04', '2026-03-05']) await runNight(world, day);
  await world.query(`update etl.runs set finished_at = finished_at - interval '2 years'`);
  await world.query(`update etl.mails set built_at = built_at - interval '2 years'`);
  await world.query(`update etl.deliveries set changed_at = changed_at - interval '2 years'`);
  // Of one message it isn't that long ago that nobody knew whether it had arrived.
  await world.query(
    `update etl.deliveries set state = 'unknown', changed_at = now() - interval '40 days' where delivery_id = 1`,
  );
  const mails = async () => (await readdir(world.outbox)).sort();
  const status = () =>
    atInstant(world, '2026-03-05T20:00:00Z', async (app) => {
      const { alerts, accounts } = await readState(app.warehouse, app);
      return [
        alerts.map(({ key, severity, items }) => [key, severity, items]),
        accounts.map(statusOf).map(({ completeThrough, quarantined }) => [completeThrough, quarantined]),
        await unsentMail(app.warehouse, app.config.digests),
      ];
    });
  const before = { mails: await mails(), status: await status() };
  await runNight(world, '2026-03-05');
  expect(await world.query('select day::text from etl.mails where mime is not null')).toEqual([
    { day: '2026-03-02' },
  ]);
  expect({ mails: await mails(), status: await status() }).toEqual(before);
  const { stats } = await runNight(world, '2026-03-06');
  expect(stats.digests).toEqual({ built: 1, corrected: 0, skipped: 0 });
  expect(await mails()).toHaveLength(before.mails.length + 1);
});
