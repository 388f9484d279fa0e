import { afterEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { accept } from '../../src/job/accept.ts';
import { type NightlyRequest, nightly } from '../../src/job/nightly.ts';
import { createContext } from '../../src/job/run/app-context.ts';
import { addDays } from '../../src/model/day.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { createLogger } from '../../src/support/logger.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { callsheet } from '../support/callsheet.ts';
import { changing } from '../support/changing.ts';
import { mailsLongAgo, openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

const undated: NightlyRequest = {
  command: 'run',
  days: null,
  accounts: null,
  digest: true,
  scheduledFor: null,
};

/** One night's run at half past six of that day, by the real parts, with the time chosen. */
async function night(day: string, settings: World['environment'] = {}, request = undated) {
  const redactor = createRedactor();
  const loaded = loadConfig({ ...world.environment, ...settings }, { service: true }, redactor);
  const clock = () => Temporal.Instant.from(`${day}T06:30:00Z`);
  const app = createContext(loaded, world.databaseUrl, createLogger('silent', 'json', redactor), clock);
  const never = new AbortController().signal;
  try {
    if (request.command === 'accept')
      return await accept(app, { ...request, day: request.days![0]!, account: null }, never);
    return await nightly(app, request, never);
  } finally {
    await app.warehouse.destroy();
  }
}

const one = (name: string) => ({
  ACCOUNTS_FILE: '',
  SIDTOKEN: generateDataset().accounts.find((each) => each.name === name)!.token,
  ACCOUNT_NAME: name,
});
const loadedDays = async () =>
  (
    await world.query<{ day: string }>(
      `select distinct day::text from etl.windows where state = 'loaded' order by 1`,
    )
  ).map((row) => row.day);

describe('run after run', () => {
  it('three missed nights heal in one run, and that is logged; each day gets its digest', async () => {
    world = await openWorld();
    expect((await night('2026-03-02')).stats.windows).toMatchObject({ loaded: 3, healed: 0 });
    const healed = await night('2026-03-06');
    expect(healed.stats.windows).toMatchObject({ loaded: 15, healed: 9, failed: 0 });
    expect(await loadedDays()).toEqual([
      '2026-03-01',
      '2026-03-02',
      '2026-03-03',
      '2026-03-04',
      '2026-03-05',
    ]);
    const digests = await world.query('select day::text, state from etl.digests order by day');
    expect(digests).toEqual([
      { day: '2026-02-28', state: 'skipped' },
      { day: '2026-03-01', state: 'built' },
      { day: '2026-03-02', state: 'built' },
      { day: '2026-03-03', state: 'built' },
      { day: '2026-03-04', state: 'built' },
      { day: '2026-03-05', state: 'built' },
    ]);
  });

  it('a day settles when its counts are the same on two run dates, and is not synced after the look-back', async () => {
    world = await openWorld();
    const tasks = [];
    for (const day of ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06']) {
      await night(day, { ...one('valley'), LOOKBACK_DAYS: '2' });
      tasks.push(world.simulator.journal.filter((entry) => entry.operation === 'campaignSummary').length);
    }
    expect(tasks).toEqual([1, 3, 5, 7, 9]);
    const settling = await world.query(
      'select day::text from warehouse.coverage where settling order by day',
    );
    expect(settling.map((row) => row.day)).toEqual(['2026-03-05']);
  });

  it('a figure that changes late is restated, withdrawn and returned, and its earlier values stay on record', async () => {
    const { changes, dataset } = changing();
    world = await openWorld({ dataset });
    await night('2026-03-03', one('valley'));
    const [first] = generateDataset().campaigns(
      'valley',
      Temporal.PlainDate.from('2026-03-02'),
      Temporal.PlainDate.from('2026-03-02'),
    );
    changes.campaigns = (list) =>
      list.map((each) =>
        each.callsetid === first!.callsetid ? { ...each, attempts: each.attempts + 1 } : each,
      );
    await night('2026-03-04', one('valley'));
    changes.campaigns = (list) => list.filter((each) => each.callsetid !== first!.callsetid);
    await night('2026-03-05', one('valley'));
    changes.campaigns = (list) => list;
    expect(
      (await night('2026-03-06', { ...one('valley'), LOOKBACK_DAYS: '5' })).stats.rows.restated,
    ).toBeGreaterThan(0);
    const history = await world.query(
      `select reason, attempts::int from warehouse.campaign_day_restatements where day = '2026-03-02' and callset_id = $1 order by restated_at`,
      [first!.callsetid],
    );
    expect(history).toEqual([
      { reason: 'changed', attempts: first!.attempts },
      { reason: 'withdrawn', attempts: first!.attempts + 1 },
      { reason: 'returned', attempts: first!.attempts + 1 },
    ]);
  });

  it('a response that would empty a day is held, logged, and applied on the next run date or by accept', async () => {
    const { changes, dataset } = changing();
    world = await openWorld({ dataset });
    await night('2026-03-03', one('valley'));
    changes.campaigns = (list, _, day) => (day === '2026-03-02' ? [] : list);
    expect((await night('2026-03-04', one('valley'))).stats.windows).toMatchObject({ held: 1, loaded: 1 });
    expect(await world.query('select held from warehouse.coverage where held')).toHaveLength(1);
    const current = `select count(*)::int as rows from warehouse.campaign_days where day = '2026-03-02'`;
    expect((await world.query(current))[0]!.rows).toBeGreaterThan(0);
    const acceptance = { ...undated, command: 'accept', days: ['2026-03-02'] };
    expect((await night('2026-03-04', one('valley'), acceptance)).stats.windows).toMatchObject({
      held: 0,
      loaded: 1,
    });
    expect(await world.query(current)).toEqual([{ rows: 0 }]);

    changes.campaigns = (list, _, day) => (day === '2026-03-02' || day === '2026-03-03' ? [] : list);
    expect((await night('2026-03-05', one('valley'))).stats.windows.held).toBe(1);
    expect((await night('2026-03-06', one('valley'))).stats.windows.held).toBe(0);
  });

  it.each([
    ['UTC', '2026-03-03'],
    // There it is half past ten in the evening before.
    ['America/Los_Angeles', '2026-03-04'],
  ])(
    'a day fetched before it was over in %s is provisional, synced again, and in no digest before',
    async (zone, early) => {
      world = await openWorld({ now: () => Temporal.Instant.from('2026-03-03T12:00:00Z') });
      const settings = { ...one('valley'), TIME_ZONE: zone };
      await night(early, settings, { ...undated, days: ['2026-03-03'] });
      expect(await world.query('select state from etl.windows')).toEqual([{ state: 'provisional' }]);
      const incomplete = () => world.query(`select incomplete from etl.digests where state = 'built'`);
      expect(await incomplete()).toEqual([]);
      await night(addDays(early, 1), settings);
      expect(await world.query('select state from etl.windows')).toEqual([{ state: 'loaded' }]);
      expect(await world.query('select 1 from warehouse.campaign_day_restatements')).toEqual([]);
      expect(await incomplete()).toEqual([{ incomplete: false }]);
    },
  );
});

describe('clients, run after run', () => {
  it('have versions of their names without gaps or overlaps, and balances where they change', async () => {
    const { changes, dataset } = changing();
    world = await openWorld({ dataset });
    const [client] = dataset.clients('valley');
    const names = ['First', 'First', 'Second', 'First'];
    for (const [index, clientname] of names.entries()) {
      changes.clients = (list) =>
        list.map((each) =>
          each.clientid === client!.clientid
            ? { ...each, clientname, balance: `${index < 2 ? 5 : index}.00` }
            : each,
        );
      await night(`2026-03-0${index + 2}`, one('valley'));
    }
    const versions = await world.query(
      `select name, lead(valid_from) over (order by valid_from) is not distinct from valid_to as joined
       from warehouse.client_versions where client_id = $1 order by valid_from`,
      [client!.clientid],
    );
    expect(versions).toEqual([
      { name: 'First', joined: true },
      { name: 'Second', joined: true },
      { name: 'First', joined: true },
    ]);
    const balances = await world.query(
      'select day::text, balance from warehouse.client_balances where client_id = $1 order by day',
      [client!.clientid],
    );
    expect(balances).toEqual([
      { day: '2026-03-02', balance: '5.00' },
      { day: '2026-03-04', balance: '2.00' },
      { day: '2026-03-05', balance: '3.00' },
    ]);
  });

  it('are absent after two run dates without them, not when over half would go, and return as the same row', async () => {
    const { changes, dataset } = changing();
    world = await openWorld({ dataset });
    const [gone] = dataset.clients('valley');
    const absent = () =>
      world.query('select client_id::int as id from warehouse.clients where absent_since is not null');
    await night('2026-03-02', one('valley'));
    changes.clients = (list) => list.filter((each) => each.clientid !== gone!.clientid);
    await night('2026-03-03', one('valley'));
    await night('2026-03-03', one('valley'));
    expect(await absent()).toEqual([]);
    expect((await night('2026-03-04', one('valley'))).stats.clients.absent).toBe(1);
    expect(await absent()).toEqual([{ id: gone!.clientid }]);
    changes.clients = (list) => list.slice(0, 20);
    await night('2026-03-05', one('valley'));
    await night('2026-03-06', one('valley'));
    expect(await absent()).toEqual([]);
    changes.clients = (list) => list;
    await night('2026-03-07', one('valley'));
    expect(await absent()).toEqual([]);
    expect(await world.query('select count(*)::int as clients from warehouse.clients')).toEqual([
      { clients: 200 },
    ]);
  });
});

describe('accounts', () => {
  it('that are gone from the settings retire without a gap, and go on when they come back', async () => {
    world = await openWorld();
    await night('2026-03-02');
    await night('2026-03-04', one('north'));
    const coverage = `select account, max(day)::text as last from warehouse.coverage where state = 'missing' group by 1`;
    expect((await world.query(coverage)).map((row) => row.account)).toEqual(['north']);
    expect(
      await world.query(`select name from warehouse.accounts where until = '2026-03-01' order by 1`),
    ).toEqual([{ name: 'coast' }, { name: 'valley' }]);
    await night('2026-03-06');
    expect(
      await world.query(
        `select day::text from etl.windows where state = 'loaded' group by day having count(*) < 3`,
      ),
    ).toEqual([]);
  });
});

describe('status', () => {
  it('ends with 75 and prints what is missing and what to type, for people and for machines', async () => {
    world = await openWorld();
    const empty = await callsheet(['status'], world.environment);
    expect(empty).toMatchObject({ code: 75, stdout: expect.stringContaining('No nightly run yet') });
    await night('2026-03-02');
    const { code, stdout } = await callsheet(['status'], world.environment);
    expect(code).toBe(75);
    expect(stdout).toMatch(/^account +complete through +not loaded/m);
    expect(stdout).toMatch(/^north +2026-03-01 +\d+/m);
    expect(stdout).toMatch(
      /Days not loaded: 3 accounts, \d+ days from 2026-03-02 to .*\n(?:.*\n)+? +npm start -- run\n.*\n +npm start -- backfill --from 2026-03-02 --to \S+ --account coast --account north --account valley\n/,
    );
    const machines = JSON.parse((await callsheet(['status', '--json'], world.environment)).stdout);
    expect(machines).toMatchObject({
      alerts: [
        {
          code: 'DAYS_NOT_LOADED',
          accounts: ['coast', 'north', 'valley'],
          steps: [
            { command: ['run'] },
            { command: expect.arrayContaining(['backfill', '--from', '2026-03-02']) },
            {},
          ],
        },
      ],
      accounts: [{ account: 'coast', completeThrough: '2026-03-01' }, {}, {}],
      runs: [{ outcome: 'done' }],
      unsent: [],
    });
  });

  it('ends with 0 when everything is loaded through yesterday', async () => {
    world = await openWorld();
    expect((await callsheet(['run'], world.environment)).code).toBe(0);
    const { code, stdout } = await callsheet(['status'], world.environment);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/[✕!] /);
  });
});

describe('a dry run', () => {
  it('prints every difference and every mail, and writes nothing', async () => {
    const { changes, dataset } = changing();
    world = await openWorld({ dataset });
    // Of a new install: the undated run would begin to expect yesterday, and mails it.
    const first = await callsheet(['run', '--dry-run'], world.environment);
    expect(first.stdout).toMatch(/^digest Campaigns of \S+ to ana@example.com$/m);
    expect(await world.query('select 1 from warehouse.accounts')).toEqual([]);
    const environment = { ...world.environment, ...(await mailsLongAgo(world)) };
    const days = ['--from', '2026-03-02', '--to', '2026-03-03'];
    const before = await callsheet(['run', ...days, '--dry-run'], environment);
    expect(before.code).toBe(0);
    expect(before.stdout).toMatch(/^clients of north: 620 listed, 620 new, 0 changed$/m);
    expect(before.stdout).toMatch(/^2026-03-02 north: \d+ new, 0 changed, 0 withdrawn/m);
    expect(before.stdout).toMatch(/^ {2}new +\d+ {2}attempts \d+, busies \d+/m);
    expect(before.stdout).toMatch(/^digest Campaigns of 2026-03-03.* to ana@example.com$/m);
    const digests = `etl.digests where day >= '2026-01-01'`;
    for (const table of ['warehouse.clients', 'etl.windows', 'etl.runs', digests]) {
      expect(await world.query(`select 1 from ${table}`)).toEqual([]);
    }
    await callsheet(['run', ...days], environment);
    changes.campaigns = (list) =>
      list.slice(1).map((each, index) => (index === 0 ? { ...each, attempts: each.attempts + 5 } : each));
    const after = await callsheet(['run', ...days, '--dry-run'], environment);
    expect(after.stdout).toMatch(
      /^2026-03-02 north: 0 new, 1 changed, 1 withdrawn, 2 of these restated, \d+ unchanged$/m,
    );
    expect(after.stdout).toMatch(/^ {2}restated +\d+ {2}attempts (\d+) → (\d+)/m);
    expect(after.stdout).not.toContain('digest ');
    expect(await world.query('select 1 from warehouse.campaign_day_restatements')).toEqual([]);
    changes.campaigns = (list) => list.slice(0, 1);
    const held = await callsheet(['run', '--day', '2026-03-02', '--dry-run'], environment);
    expect(held.stdout).toMatch(
      /^2026-03-02 north: held back, for it lacks \d+ of \d+ campaigns: 1 campaign, \d+ attempts, .*; accepted, it is 0 new, 0 changed, \d+ withdrawn/m,
    );
    expect(held.stdout).toMatch(/^ {2}withdrawn +\d+ {2}attempts \d+/m);
  });
});
