import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { describeStep } from '../../src/cli/print-dry-run.ts';
import { dryRun } from '../../src/job/dry-run.ts';
import { nightly } from '../../src/job/nightly.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { changing } from '../support/changing.ts';
import { atInstant, never, runNight, undated } from '../support/nights.ts';
import { mailsLongAgo, openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const valley = {
  ACCOUNTS_FILE: '',
  SIDTOKEN: generateDataset().accounts.find(({ name }) => name === 'valley')!.token,
  ACCOUNT_NAME: 'valley',
};
const night = (day: string, settings: World['environment'] = {}, request = {}) =>
  runNight(world, day, { ...valley, ...settings }, request);

it('an empty list for the newest day is doubtful after ten days without runs, too: the same run loads the weeks before it', async () => {
  const { changes, dataset } = changing();
  world = await openWorld({ dataset });
  for (const day of ['2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06']) await night(day);
  // A Monday: of the two before, this run loads one.
  changes.campaigns = (list, _, day) => (day === '2026-03-16' ? [] : list);
  expect((await night('2026-03-17')).stats.windows).toMatchObject({ loaded: 12 });
  const days = await world.query(
    `select state, reason_code from warehouse.coverage where day between '2026-03-06' and '2026-03-16' order by day`,
  );
  expect(days.slice(0, -1)).toEqual(days.slice(0, -1).map(() => ({ state: 'loaded', reason_code: null })));
  expect(days.at(-1)).toEqual({ state: 'provisional', reason_code: 'NO_CALLS' });
  const [mail] = await world.query(`select subject from etl.mails order by mail_id desc limit 1`);
  expect(mail!.subject).toMatch(/^Provisional/);
});

/** The settings of an account in this zone, where Callsheet itself is in UTC. */
async function isIn(timeZone: string): Promise<World['environment']> {
  const file = path.join(world.folder, 'accounts-elsewhere.json');
  await writeFile(file, JSON.stringify([{ name: 'valley', sidtoken: valley.SIDTOKEN, time_zone: timeZone }]));
  return { ACCOUNTS_FILE: file, SIDTOKEN: '', ACCOUNT_NAME: '' };
}
const built = () => world.query(`select day::text, state from etl.mailed_periods where mail_id is not null`);

it('a day that is over where the account is, and not yet where Callsheet is, is the first expected one, loaded and mailed', async () => {
  world = await openWorld();
  const settings = { ...valley, ...(await isIn('Pacific/Auckland')) };
  // It is 3 in the morning of the fourth.
  await atInstant(world, '2026-03-03T14:00:00Z', (app) => nightly(app, undated, never), settings);
  expect(
    await world.query(`select first_expected_day::text, w.day::text, w.state,
      (select max(day)::text from warehouse.client_balances) as balances from warehouse.accounts join etl.windows w using (account_id)`),
  ).toEqual([
    { first_expected_day: '2026-03-03', day: '2026-03-03', state: 'loaded', balances: '2026-03-04' },
  ]);
  expect(await built()).toEqual([{ day: '2026-03-03', state: 'whole' }]);
});

it('a day that is not over yet where the account is is provisional, synced again, and in no digest before', async () => {
  world = await openWorld();
  // At half past six in UTC it is half past ten in the evening before.
  const settings = await isIn('America/Los_Angeles');
  await night('2026-03-04', settings, { days: ['2026-03-03'] });
  const state = () => world.query('select state from etl.windows');
  expect([await state(), await built()]).toEqual([[{ state: 'provisional' }], []]);
  await night('2026-03-05', settings);
  expect(await state()).toEqual([{ state: 'loaded' }]);
  expect(await built()).toEqual([{ day: '2026-03-03', state: 'whole' }]);
  expect(await world.query('select from warehouse.campaign_day_restatements')).toEqual([]);
});

it('a retry walks the client lists that the killed run before it left, and no list twice', async () => {
  world = await openWorld();
  await night('2026-03-03');
  const walked = async (number: number) => (await night('2026-03-04', {}, { number })).stats.clients.pages;
  expect([await walked(2), await walked(3)]).toEqual([2, 0]);
});

it('responses are ordered by the clock of the database, whatever time it is where Callsheet runs', async () => {
  world = await openWorld();
  await night('2026-03-03');
  const late = `select abs(extract(epoch from fetched_at - now())) > 600 as late from etl.responses group by 1`;
  expect(await world.query(late)).toEqual([{ late: false }]);
});

it('a dry run shows each difference and each mail, and writes nothing', async () => {
  const { changes, dataset } = changing();
  world = await openWorld({ dataset });
  const settings = { ...valley, ...(await mailsLongAgo(world, ['valley'])) };
  const request = { ...undated, days: ['2026-03-02', '2026-03-03'] };
  const shown = () =>
    atInstant(
      world,
      '2026-03-05T06:30:00Z',
      async (app) => {
        const lines: string[] = [];
        for await (const step of dryRun(app, request, never)) lines.push(...describeStep(step));
        return lines.join('\n');
      },
      settings,
    );
  const first = await shown();
  expect(first).toMatch(/^clients of valley: 200 listed, 200 new, 0 changed$/m);
  expect(first).toMatch(/^2026-03-02 valley: \d+ new, 0 changed, 0 withdrawn/m);
  expect(first).toMatch(/^ {2}new +\d+ {2}attempts \d+, busies \d+/m);
  expect(first).toMatch(/^digest Campaigns of 2026-03-03, with .* to ana@example.com$/m);
  for (const table of ['warehouse.clients', 'etl.windows', 'etl.runs'])
    expect(await world.query(`select from ${table}`)).toEqual([]);
  expect(await readdir(world.outbox).catch(() => [])).toEqual([]);

  await runNight(world, '2026-03-05', settings, request);
  changes.campaigns = (list, _, day) =>
    day === '2026-03-02'
      ? list.slice(0, 1)
      : list.slice(1).map((each) => ({ ...each, attempts: each.attempts + 5 }));
  const second = await shown();
  expect(second).toMatch(
    /^2026-03-02 valley: held: \d+ attempts instead of [\d,]+, 1 campaign instead of \d+; if accepted: 0 new, 0 changed, \d+ withdrawn/m,
  );
  expect(second).toMatch(/^2026-03-03 valley: 0 new, \d+ changed, 1 withdrawn, \d+ of these restated/m);
  expect(second).toMatch(/^ {2}restated +\d+ {2}attempts (\d+) → (\d+)/m);
  expect(second).not.toContain('digest ');
  expect(await world.query('select from warehouse.campaign_day_restatements')).toEqual([]);
});
