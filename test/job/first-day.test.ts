import { afterEach, describe, expect, it } from 'vitest';
import { backfill } from '../../src/job/backfill.ts';
import { addDays } from '../../src/model/day.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { callsheet } from '../support/callsheet.ts';
import { atInstant, never, runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const settings = {
  ACCOUNTS_FILE: '',
  SIDTOKEN: generateDataset().accounts.find((each) => each.name === 'valley')!.token,
  ACCOUNT_NAME: 'valley',
};
const night = (day: string, request: Parameters<typeof runNight>[3] = {}) =>
  runNight(world, day, settings, request);
const fill = (day: string, from: string, to: string) =>
  atInstant(
    world,
    `${day}T08:00:00Z`,
    (app) => backfill(app, { command: 'backfill', from, to, accounts: null }, never),
    settings,
  );

const since = async () =>
  (await world.query<{ since: string | null }>('select since::text from warehouse.accounts'))[0]!.since;
const digests = async () =>
  (
    await world.query<{ line: string }>(
      `select to_char(day, 'MM-DD') || ' ' || state as line from etl.digests order by day`,
    )
  ).map(({ line }) => line);
const covered = async (before: string) =>
  (
    await world.query<{ line: string }>(
      `select day || ' ' || state as line from warehouse.coverage where day < $1 order by day`,
      [before],
    )
  ).map(({ line }) => line);

describe('the first day that is expected of an account', () => {
  it('is yesterday of the first undated run, whatever a dated run loaded before', async () => {
    world = await openWorld();
    const dated = await night('2026-03-02', { days: ['2026-02-20'] });
    expect(dated.stats.noMail).toBe('digests begin with the first run without dates');
    expect(await since()).toBeNull();
    // Even where yesterday itself came by date on the same run date.
    await night('2026-03-02', { days: ['2026-03-01'] });
    await night('2026-03-02');
    expect(await since()).toBe('2026-03-01');
    // As if it had failed: it is expected, so that it heals.
    await world.query(`update etl.windows set state = 'failed' where day = '2026-03-01'`);
    expect((await night('2026-03-03')).stats.windows).toMatchObject({ loaded: 2, healed: 1 });
    expect(await since()).toBe('2026-03-01');
    expect(await covered('2026-03-03')).toEqual([
      '2026-02-20 loaded',
      '2026-03-01 loaded',
      '2026-03-02 loaded',
    ]);
  });

  it('is not moved by a dated run, which mails nothing about days before it, nor does a later run', async () => {
    world = await openWorld();
    await night('2026-03-10');
    const old = ['2020-01-01', '2026-03-01'];
    expect((await night('2026-03-11', { days: old })).stats.noMail).toBe('digests begin with 2026-03-09');
    expect(await since()).toBe('2026-03-09');
    await night('2026-03-11');
    await night('2026-03-12');
    expect(await digests()).toEqual(['03-08 skipped', '03-09 built', '03-10 built', '03-11 built']);
    // Nothing before it is missing.
    expect(await covered('2026-03-10')).toEqual([
      '2020-01-01 loaded',
      '2026-03-01 loaded',
      '2026-03-09 loaded',
    ]);
  });

  it('is lowered by a backfill to its first day, and what was loaded before that is not mailed', async () => {
    world = await openWorld();
    await night('2026-03-10');
    await night('2026-03-10', { days: ['2026-03-05'] });
    await fill('2026-03-10', '2026-03-04', '2026-03-06');
    expect(await since()).toBe('2026-03-04');
    expect(await digests()).toEqual([
      '03-04 skipped',
      '03-05 skipped',
      '03-06 skipped',
      '03-08 skipped',
      '03-09 built',
    ]);
  });

  it('lets status end with 0 after a day of years ago was loaded by date, which mails nothing and says so', async () => {
    world = await openWorld();
    const environment = { ...world.environment, ...settings };
    const today = Temporal.Now.plainDateISO('UTC').toString();
    const first = await callsheet(['run'], environment);
    expect(first.stderr).toMatch(/ 1 day loaded, 200 clients new, 1 mail written, nothing to do"}\n$/);
    const dated = await callsheet(['run', '--day', '2020-01-01'], environment);
    expect(dated.code).toBe(0);
    const why = `1 day loaded, no mail (digests begin with ${addDays(today, -1)}), nothing to do"}\n`;
    expect(dated.stderr).toContain(why);
    const { code, stdout } = await callsheet(['status', '--json'], environment);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).accounts).toMatchObject([
      { since: addDays(today, -1), completeThrough: addDays(today, -1), gaps: [] },
    ]);
  });
});

describe('the digest of a dated run', () => {
  it('is built for yesterday, where no run came before, as by a run without dates', async () => {
    world = await openWorld();
    const { stats } = await night('2026-03-03', { days: ['2026-03-02'] });
    expect(stats).toMatchObject({ deliveries: { written: 1 }, noMail: null });
    expect(await since()).toBe('2026-03-02');
    expect(await digests()).toEqual(['03-01 skipped', '03-02 built']);
    const again = await night('2026-03-03', { days: ['2026-03-02'] });
    expect(again.stats.noMail).toBe('digest Campaigns of 2026-03-02 was mailed or skipped before');
    const provisional = await night('2026-03-03', { days: ['2026-03-03'] });
    expect(provisional.stats.noMail).toBe(
      'digest Campaigns of 2026-03-03 waits until all its days are over and loaded',
    );
    expect((await night('2026-03-03')).stats.noMail).toBe('no digest is due');
  });

  it('is built for no day while none is expected, and --no-digest still keeps a later run from building it', async () => {
    world = await openWorld();
    await night('2026-03-03', { days: ['2026-03-01'] });
    await night('2026-03-03', { days: ['2026-03-02'], digest: false });
    expect(await digests()).toEqual(['03-01 skipped', '03-02 skipped']);
    await night('2026-03-03');
    await night('2026-03-04');
    expect(await since()).toBe('2026-03-02');
    expect(await digests()).toEqual(['03-01 skipped', '03-02 skipped', '03-03 built']);
    await night('2026-03-04', { days: ['2026-03-01'] });
    expect(await digests()).toEqual(['03-01 skipped', '03-02 skipped', '03-03 built']);
  });

  it('is built for a day from the first on, within CATCH_UP_DAYS', async () => {
    world = await openWorld({
      faults: [{ operation: 'campaignSummary', day: '2026-03-03', times: 9, kind: 'status-503' }],
    });
    await night('2026-03-03');
    await runNight(world, '2026-03-04', settings, { digest: false });
    const late = await runNight(
      world,
      '2026-03-05',
      { ...settings, CATCH_UP_DAYS: '1', LOOKBACK_DAYS: '1' },
      { days: ['2026-03-03'] },
    );
    expect(late.stats.noMail).toBe('CATCH_UP_DAYS goes back to 2026-03-04');
    expect((await digests()).filter((line) => line.endsWith('built'))).toEqual(['03-02 built']);
    await night('2026-03-05', { days: ['2026-03-04'] });
    expect(await digests()).toContain('03-04 built');
  });
});
