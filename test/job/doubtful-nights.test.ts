import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { statusOf } from '../../src/job/alerts/account-status.ts';
import { readState } from '../../src/job/alerts/read-alerts.ts';
import { needsAction } from '../../src/model/alert.ts';
import { addDays, type Day, daysBetween } from '../../src/model/day.ts';
import { type ReadMail, readMail } from '../stories/read-mail.ts';
import { atInstant, runNight } from '../support/nights.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { openWorld, type World } from '../support/world.ts';

/* What every surface says of a night on which something speaks against an answer: the same, in the same words. */

type Answer = { readonly campaigns?: number; readonly result: readonly object[]; readonly error?: string };
type Service = (account: string, day: Day, runDate: Day) => Answer;

const names = ['north', 'coast', 'valley'];
const weeks = 4;
const firstNight = '2026-03-12';
const lastNight = (nights: number) => addDays(firstNight, nights - 1);

const campaign = (account: string, n: number, attempts: number) => ({
  callsetid: 100 * (names.indexOf(account) + 1) + n,
  campaign: `${account} ${n}`,
  attempts,
  busies: 10,
  connects: Math.floor(attempts / 2),
  liveanswers: 20,
});

/** Four campaigns, with more attempts on some days than on others. */
const listOf = (account: string, day: Day) =>
  [1, 2, 3, 4].map((n) =>
    campaign(account, n, 1_000 * (names.indexOf(account) + 1) + 7 * Number(day.slice(8))),
  );
const good = (account: string, day: Day): Answer => {
  const result = listOf(account, day);
  return { campaigns: result.length, result };
};

/** Lives through nights with some weeks before them; what `service` answers may depend on the run date. */
async function live(service: Service, nights: number) {
  let runDate = firstNight;
  const world = await openWorld(
    scriptedService(names, (account, day) => {
      return { body: JSON.stringify(service(account, day, runDate)) };
    }),
  );
  onTestFinished(() => world.close());
  const history = daysBetween(addDays(firstNight, -7 * weeks - 1), addDays(firstNight, -2));
  await runNight(world, addDays(firstNight, -1), {}, { days: history, digest: false });
  const codes: number[] = [];
  for (const night of daysBetween(firstNight, lastNight(nights))) {
    runDate = night;
    codes.push((await runNight(world, night)).exitCode);
  }
  return { world, codes };
}

async function mailOf(world: World, name: string): Promise<ReadMail> {
  return await readMail(await readFile(path.join(world.outbox, name)));
}

const mailNames = async (world: World) =>
  (await readdir(world.outbox)).filter((name) => name.endsWith('.eml') && !name.startsWith('alert-'));

/** What each surface says of an account's newest day, on the evening after its night. */
async function said(world: World, night: Day, account: string) {
  const day = addDays(night, -1);
  const mail = await mailOf(world, `campaigns-${day}-ana@example.com.eml`);
  const part = (kind: string) => mail.parts.find((each) => each.kind === kind)?.lines ?? [];
  const [coverage] = await world.query<{ line: string }>(
    `select concat_ws(', ', state, case when held then 'held' end, reason) as line
     from warehouse.coverage where account = $1 and day = $2`,
    [account, day],
  );
  return await atInstant(world, `${night}T20:00:00Z`, async (app) => {
    const { accounts, alerts } = await readState(app.warehouse, app);
    const status = statusOf(accounts.find(({ name }) => name === account)!);
    return {
      subject: part('subject')[0],
      headline: part('headline').slice(2),
      provisional: part('provisional'),
      csv: [...new Set(mail.csv.filter((row) => row.account === account).map(({ status }) => status))],
      status: { provisional: status.provisional, completeThrough: status.completeThrough },
      coverage: coverage!.line,
      alerts: alerts.filter(needsAction).map(({ title }) => title),
    };
  });
}

/** The expected days that aren't confirmed after so many nights. */
const openDays = (world: World, nights: number) =>
  world.query(
    `select account, day::text from warehouse.coverage where state <> 'loaded' and day between $1 and $2`,
    [addDays(firstNight, -1), addDays(lastNight(nights), -1)],
  );

const onFirstNight = (instead: (account: string, day: Day) => Answer | null): Service => {
  const newest = addDays(firstNight, -1);
  return (account, day, runDate) => {
    const other = runDate === firstNight && day === newest ? instead(account, day) : null;
    return other ?? good(account, day);
  };
};
const follows = '- If they change, tomorrow at the earliest, a corrected mail follows.';

it('an account’s list that comes empty once is provisional wherever it is said', async () => {
  const empty = onFirstNight((account) => (account === 'coast' ? { campaigns: 0, result: [] } : null));
  const { world, codes } = await live(empty, 1);
  const why = 'no calls, on a weekday that usually has some';
  expect(codes).toEqual([0]);
  expect(await said(world, firstNight, 'coast')).toEqual({
    subject: 'Provisional: Campaigns, Wed 11 Mar: 50.0% connected, 16,616 attempts',
    headline: [],
    provisional: [`Provisional, perhaps wrong: coast: ${why}.`, follows],
    csv: [],
    status: { provisional: ['2026-03-11'], completeThrough: null },
    coverage: `provisional, ${why}`,
    alerts: ['Provisional figures: coast, 11 Mar'],
  });
});

it('a day of which half is announced and not listed is provisional wherever it is said', async () => {
  const half = onFirstNight((account, day) =>
    account === 'coast' ? { campaigns: 4, result: listOf(account, day).slice(0, 2) } : null,
  );
  const { world, codes } = await live(half, 1);
  const why = 'the service announced 4 campaigns and listed 2';
  expect(codes).toEqual([0]);
  expect(await said(world, firstNight, 'coast')).toEqual({
    subject: 'Provisional: Campaigns, Wed 11 Mar: 50.0% connected, 20,770 attempts',
    headline: [],
    provisional: [
      'Provisional, probably too low: coast: 2 of 4 campaigns missing.',
      '- Once the service sends the rest, tomorrow at the earliest, a corrected mail follows.',
    ],
    csv: ['provisional'],
    status: { provisional: ['2026-03-11'], completeThrough: null },
    coverage: `provisional, ${why}`,
    alerts: ['Provisional figures: coast, 11 Mar'],
  });
});

it('two tokens mixed up are provisional wherever it is said, and the right answer is loaded and corrects the mail', async () => {
  const mixed = onFirstNight((account, day) => (account === 'coast' ? good('north', day) : null));
  const { world, codes } = await live(mixed, 2);
  const why = 'the same campaigns and counts as another account, so probably counted more than once';
  expect(codes).toEqual([0, 0]);
  const { status, coverage, ...mailed } = await said(world, firstNight, 'coast');
  expect(mailed).toEqual({
    subject: 'Provisional: Campaigns, Wed 11 Mar: 50.0% connected, 20,924 attempts',
    headline: [],
    provisional: [`Provisional, probably too high: north and coast: ${why}.`, follows],
    csv: ['provisional'],
    alerts: [],
  });
  expect([status.completeThrough, coverage]).toEqual(['2026-03-12', 'loaded']);
  expect((await mailNames(world)).sort()).toEqual([
    'campaigns-2026-03-11-ana@example.com.eml',
    'campaigns-2026-03-12-ana@example.com.eml',
  ]);
  const next = await mailOf(world, 'campaigns-2026-03-12-ana@example.com.eml');
  expect(next.parts.find(({ kind }) => kind === 'earlier')!.lines).toEqual([
    '20,924 → 24,924 50.0% Wed 11 Mar (corrected: coast)',
  ]);
});

it('a service that always announces one more is known on its second run date, in one standing alert and one line of each mail', async () => {
  const counting: Service = (account, day) => ({ campaigns: 5, result: listOf(account, day) });
  const { world, codes } = await live(counting, 6);
  expect(new Set(codes)).toEqual(new Set([0]));
  const marked = [];
  for (const name of (await mailNames(world)).sort()) {
    const mail = await mailOf(world, name);
    if (mail.parts[0]!.lines[0]!.startsWith('Provisional')) marked.push(name.slice(10, 20));
  }
  // The weeks before came a run date earlier.
  expect(marked).toEqual([]);
  const state = await atInstant(world, `${lastNight(6)}T20:00:00Z`, (app) => readState(app.warehouse, app));
  expect(state.alerts.filter(needsAction).map(({ key }) => key)).toEqual(['ANOMALY_KNOWN']);
  expect(await openDays(world, 6)).toEqual([]);
  const newest = await mailOf(world, `campaigns-${addDays(lastNight(6), -1)}-ana@example.com.eml`);
  expect(newest.parts.flatMap(({ lines }) => lines).join(' ')).toContain(
    'Usual for this service, so counted as complete: coast: 1 of 5 campaigns missing; north:',
  );
});

it('a service that never reports busies has no provisional day', async () => {
  const silent: Service = (account, day) => ({
    campaigns: 4,
    result: listOf(account, day).map((each) => ({ ...each, busies: null })),
  });
  const { world } = await live(silent, 3);
  expect(await openDays(world, 3)).toEqual([]);
});

it('a service at 30% of its calls is told of on the first night, and believed on the second', async () => {
  const quiet: Service = (account, day) => {
    if (account !== 'coast' || day < '2026-03-11') return good(account, day);
    const result = listOf(account, day).map((each) => ({
      ...each,
      attempts: Math.floor(each.attempts * 0.3),
      connects: 100,
    }));
    return { campaigns: 4, result };
  };
  const { world } = await live(quiet, 1);
  const alertsOn = async (night: Day) => {
    const { alerts } = await atInstant(world, `${night}T20:00:00Z`, (app) => readState(app.warehouse, app));
    return alerts.filter(needsAction).map(({ title }) => title);
  };
  expect(await alertsOn(firstNight)).toEqual(['Unusually few attempts: coast, 11 Mar']);
  await runNight(world, '2026-03-13');
  expect(await alertsOn('2026-03-13')).toEqual(['Unusually few attempts: coast, 12 Mar']);
});

it('a service whose busies are never a number marks its first nights; then that is known, in one standing alert', async () => {
  const odd: Service = (account, day) => ({
    campaigns: 4,
    result: listOf(account, day).map((each) => ({ ...each, busies: 'N/A' })),
  });
  const { world, codes } = await live(odd, 6);
  expect(new Set(codes)).toEqual(new Set([0]));
  const rows = await world.query(
    'select distinct busies, attempts > 0 as called from warehouse.campaign_days',
  );
  expect(rows).toEqual([{ busies: null, called: true }]);
  expect(await openDays(world, 6)).toEqual([]);
  const state = await atInstant(world, `${lastNight(6)}T20:00:00Z`, (app) => readState(app.warehouse, app));
  const [alert, ...others] = state.alerts.filter(needsAction);
  expect([alert, others]).toMatchObject([
    { key: 'ANOMALY_KNOWN', cause: expect.stringContaining('Counts of 4 campaigns') },
    [],
  ]);
});
