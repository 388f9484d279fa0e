import { expect, it, onTestFinished } from 'vitest';
import { accept } from '../../src/job/accept.ts';
import { acceptAlways } from '../../src/job/accept-always.ts';
import { readState } from '../../src/job/alerts/read-alerts.ts';
import { addDays, type Day } from '../../src/model/day.ts';
import { readWaitingSigns } from '../../src/warehouse/ledger/accepted.ts';
import { atInstant, never, runNight } from '../support/nights.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { openWorld } from '../support/world.ts';

/* Answers without records that the document doesn't show, each of one account, beside a good one. No words decide what they mean. */

const empty = { campaigns: 0, reports: 0, result: [] };
type Answer = { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown };

/** Each with what is quoted of it. */
const answers: readonly (readonly [says: string, answer: Answer])[] = [
  [
    'Lost connection to MySQL server',
    { body: { success: 0, result: [], message: 'Lost connection to MySQL server' } },
  ],
  ['Sesión caducada', { body: { ...empty, message: 'Sesión caducada' } }],
  ['Token ungültig', { body: { ...empty, error: 'Token ungültig' } }],
  ['Account suspended', { body: { ...empty, message: 'Account suspended' } }],
  ['IP address not whitelisted', { body: { ...empty, notice: 'IP address not whitelisted' } }],
  ['Insufficient credit', { body: { ...empty, detail: { text: 'Insufficient credit' } } }],
  ['success: 0', { body: { ...empty, success: 0 } }],
  ['status: KO', { body: { ...empty, status: 'KO' } }],
  ['timed_out: true', { body: { ...empty, timed_out: true } }],
  [
    'No campaigns found because the reporting database is down',
    { status: 404, body: { message: 'No campaigns found because the reporting database is down' } },
  ],
  ['No statistics loaded yet', { status: 404, body: { message: 'No statistics loaded yet' } }],
  ['HTTP 202', { status: 202, body: empty }],
  ['Aucune campagne trouvée', { body: { ...empty, message: 'Aucune campagne trouvée' } }],
  ['Nessun risultato', { status: 400, body: { errore: 'Nessun risultato' } }],
  ['レポートはまだ準備中です', { body: { ...empty, message: 'レポートはまだ準備中です' } }],
  ['没有找到活动', { body: { code: 'E104', result: null, msg: '没有找到活动' } }],
  ['E104', { body: { ...empty, code: 'E104' } }],
  ['E207', { body: { ...empty, code: 'E207' } }],
  ['a page titled "Wartungsarbeiten"', { body: '<html><title>Wartungsarbeiten</title></html>' }],
  [
    'PHP Warning: Division by zero',
    { body: 'PHP Warning:  Division by zero in report.php on line 7\n{"campaigns":0,"result":[]}' },
  ],
  ['result: see attachment', { body: { campaigns: 3, reports: 3, result: 'see attachment' } }],
];
const names = answers.map((_, index) => `a${index + 10}`);
const monday = '2026-03-16';
const friday = addDays(monday, 4);

const listOf = (day: Day) =>
  [1, 2, 3].map((n) => ({
    callsetid: n,
    campaign: `c${n}`,
    attempts: 100 * n + Number(day.slice(8)),
    busies: 1,
    connects: 50,
    liveanswers: 20,
  }));

it('no words decide: each is quoted, asked about once, and confirms nothing in five nights; an accept mends its day, or all', async () => {
  let isWrong = false;
  const requests: string[] = [];
  const world = await openWorld(
    scriptedService([...names, 'good'], (account, day) => {
      const answer = day >= monday && isWrong ? answers[names.indexOf(account)]?.[1] : undefined;
      if (answer !== undefined) requests.push(`${account} ${day}`);
      const { status = 200, body } = answer ?? { body: { campaigns: 3, reports: 3, result: listOf(day) } };
      return { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
    }),
  );
  onTestFinished(() => world.close());
  const settings = { RETRIES: '4' };
  const days = Array.from({ length: 15 }, (_, index) => addDays(monday, index - 15));
  await runNight(world, monday, settings, { days, digest: false });
  isWrong = true;
  for (let night = 1; night <= 4; night++)
    expect((await runNight(world, addDays(monday, night), settings)).exitCode).toBe(75);

  const states = (through: number) =>
    world.query<{ account: string; day: string; state: string; code: string; reason: string }>(
      `select account, day::text, state, reason_code as code, reason from warehouse.coverage
       where day between '${monday}' and '${addDays(friday, through)}' and account <> 'good' order by account, day`,
    );
  const found = await states(-1);
  expect(found).toHaveLength(names.length * 4);
  for (const { account, state, code, reason } of found) {
    expect([account, state, code]).toEqual([account, 'failed', 'UNKNOWN_ANSWER']);
    expect(reason).toContain(answers[names.indexOf(account)]![0]);
  }
  const alertsOf = (at: string) =>
    atInstant(world, at, async (app) =>
      (await readState(app.warehouse, app)).alerts.filter(({ code }) => code === 'UNKNOWN_ANSWER'),
    );
  const alerts = await alertsOf(`${friday}T12:00:00Z`);
  // One for each set of texts.
  expect(alerts).toHaveLength(answers.length);
  const mailed = await world.query<{ campaigns: string }>(
    `select count(*)::text as campaigns from warehouse.account_days where day >= '${monday}' and account <> 'good'`,
  );
  expect(mailed).toEqual([{ campaigns: '0' }]);

  // The first step, typed: that day is empty, and the same answer is no error any more.
  const confirm = async () => true;
  await atInstant(world, `${friday}T13:00:00Z`, (app) =>
    accept(app, { command: 'accept', days: [monday], accounts: ['a11'] }, never, () => {}, confirm),
  );
  const request = {
    command: 'accept',
    sign: 'message: Aucune campagne trouvée',
    accounts: null,
    undo: false,
  };
  await atInstant(world, `${friday}T14:00:00Z`, (app) => acceptAlways(app, request, never, confirm));
  requests.length = 0;
  await runNight(world, addDays(friday, 1), settings);
  const after = await states(0);
  const of = (account: string) =>
    after.filter((each) => each.account === account).map(({ day, state, code }) => `${day} ${state} ${code}`);
  expect(of('a11')).toEqual([
    `${monday} loaded null`,
    ...[1, 2, 3, 4].map((later) => `${addDays(monday, later)} failed UNKNOWN_ANSWER`),
  ]);
  // Accepted for good, it is an empty list. Weekdays with calls before stay provisional: an outage may say the same.
  expect(of('a22')).toEqual([0, 1, 2, 3, 4].map((later) => `${addDays(monday, later)} provisional NO_CALLS`));
  // An answer that somebody was asked about on an earlier run date is requested once.
  expect(requests.filter((each) => each === `a12 ${friday}`)).toHaveLength(1);
});

it('an account without clients, whose list is an error, is asked about once: what the alert says to type makes it an empty list', async () => {
  const { intercept, ...service } = scriptedService(['north'], (_, day) => ({
    body: JSON.stringify({ campaigns: 3, reports: 3, result: listOf(day) }),
  }));
  const world = await openWorld({
    ...service,
    intercept: (request, next) =>
      request.operation === 'getClients'
        ? { status: 404, body: '{"message":"No clients","trace":"c6af9ac6-7b61-11e6-9a41-93e8deadbeef"}' }
        : intercept!(request, next),
  });
  onTestFinished(() => world.close());
  const listAlerts = (day: Day) =>
    atInstant(world, `${day}T12:00:00Z`, async (app) =>
      (await readState(app.warehouse, app)).alerts.filter(({ code }) => code === 'UNKNOWN_ANSWER'),
    );
  expect((await runNight(world, monday)).exitCode).toBe(75);
  const [alert] = await listAlerts(monday);
  const [command, option, sign] = alert!.steps.find((step) => step.command?.[0] === 'accept')!.command!;
  expect([command, option]).toEqual(['accept', '--always']);
  const request = { command: 'accept', sign: sign!, accounts: null, undo: false };
  await atInstant(world, `${monday}T13:00:00Z`, (app) => acceptAlways(app, request, never, async () => true));
  const tuesday = addDays(monday, 1);
  expect((await runNight(world, tuesday)).exitCode).toBe(0);
  expect(await listAlerts(tuesday)).toEqual([]);
});

it('an unknown answer of a day that no run looks at any more is asked about, too', async () => {
  const world = await openWorld(
    scriptedService(['north'], () => ({ status: 404, body: '{"message":"None"}' })),
  );
  onTestFinished(() => world.close());
  await runNight(world, monday, {}, { days: [addDays(monday, -200)] });
  const waiting = await atInstant(world, `${monday}T20:00:00Z`, (app) =>
    readWaitingSigns(app.warehouse, app.config.service.baseUrl),
  );
  expect(waiting).toMatchObject([
    { sign: { sign: 'HTTP 404; message: None', operation: 'campaignSummary' } },
  ]);
});
