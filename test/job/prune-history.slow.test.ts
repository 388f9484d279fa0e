import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ActiveAlert } from '../../src/model/alert.ts';
import type { AccountStatus } from '../../src/warehouse/queries/status.ts';
import { callsheet } from '../support/callsheet.ts';
import { runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

/** Three nights that look as if they were two years ago, and then a night that prunes. */
let world: World;
let before: { readonly mails: readonly string[]; readonly status: unknown };

beforeAll(async () => {
  world = await openWorld({ variants: ['hostile-records'] });
  for (const day of ['2026-03-03', '2026-03-04', '2026-03-05']) await runNight(world, day);
  await world.query(`update etl.runs set finished_at = finished_at - interval '2 years'`);
  await world.query(`update etl.digests set built_at = built_at - interval '2 years'`);
  await world.query(`update etl.deliveries set changed_at = changed_at - interval '2 years'`);
  // Of one message it isn't that long ago that nobody knew whether it had arrived.
  await world.query(
    `update etl.deliveries set state = 'unknown', changed_at = now() - interval '40 days' where delivery_id = 1`,
  );
  before = { mails: await mails(), status: await status() };
  await runNight(world, '2026-03-05');
});
afterAll(() => world.close());

const keptDays = async () =>
  (
    await world.query<{ day: string }>('select day::text from etl.digests where mime is not null order by 1')
  ).map(({ day }) => day);
const command = (...args: string[]) => callsheet(args, world.environment);
const mails = async () => (await readdir(world.outbox)).sort();
/** What is wrong, what is loaded and what wasn't sent, as `status` reports it. */
const status = async () => {
  const { alerts, accounts, unsent } = JSON.parse((await command('status', '--json')).stdout);
  return [
    alerts.map(({ key, severity, affects }: ActiveAlert) => [key, severity, affects.length]),
    accounts.map(({ account, completeThrough, quarantined }: AccountStatus) => [
      account,
      completeThrough,
      quarantined,
    ]),
    unsent,
  ];
};

it('a night deletes messages of more than 400 days ago, and mails none of them again', async () => {
  expect(await keptDays()).toEqual(['2026-03-02']);
  expect(await mails()).toEqual(before.mails);
  expect(await command('digest', '--day', '2026-03-03')).toMatchObject({
    code: 0,
    stdout: '2026-03-03: nothing left to send; --resend sends it again\n',
  });
});

it('alerts, coverage, quarantine and unsent mail are what they were', async () => {
  expect(await status()).toEqual(before.status);
});

it('what is no longer kept can not be sent again, and the command says what to do', async () => {
  const ended = await command('digest', '--day', '2026-03-03', '--resend');
  expect([ended.code, ended.stdout]).toEqual([64, '']);
  expect(ended.stderr).toBe(
    'callsheet: the message of Campaigns of 2026-03-03 is no longer kept: --preview builds it anew, as files to send by hand\n',
  );
  expect(await mails()).toEqual(before.mails);
});

it('the next night mails its own day alone', async () => {
  const report = await runNight(world, '2026-03-06');
  expect(report.stats.digests).toEqual({ built: 1, corrected: 0, skipped: 0 });
  expect((await mails()).length).toBe(before.mails.length + 1);
});
