import PostalMime from 'postal-mime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLookBetweenRuns } from '../../../src/job/alerts/between-runs.ts';
import type { AppContext } from '../../../src/job/run/app-context.ts';
import { needsAction } from '../../../src/model/alert.ts';
import { addDays } from '../../../src/model/day.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { at, keepUp, type SimulatedTime, setUp } from '../../schedule/simulated-time.ts';
import { changing } from '../../support/changing.ts';
import { command } from '../../support/command.ts';
import { atInstant, never, runNight } from '../../support/nights.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts';
import { agreedAlerts } from '../../support/renderings.ts';
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts';
import { startWatchdog, type Watchdog } from '../../support/watchdog.ts';
import { openWorld, type World } from '../../support/world.ts';

// Each alert from its beginning to its end, as mail, webhook, page, `status`, metric and exit code have it. Nights are those of
// this machine: `status` and page look at its clock.

let world: World;
let service: ReturnType<typeof changing>;
let database: PostgresProxy;
let smtp: TestSmtpServer;
let chat: Watchdog;
let environment: World['environment'];

beforeEach(async () => {
  service = changing();
  world = await openWorld({ dataset: service.dataset });
  database = await startPostgresProxy(world.databaseUrl);
  smtp = await startSmtpServer({});
  chat = await startWatchdog();
  environment = {
    ...world.environment,
    SMTP_URL: smtp.url,
    DIGEST_FROM: 'Callsheet <callsheet@example.com>',
    DIGEST_TO: 'ana@example.com',
    ALERT_TO: 'ops@example.com',
    ALERT_WEBHOOK_URL: chat.url,
    INSTALLATION: 'here',
    RETRIES: '0',
    SCHEDULE: '30 6 * * *',
  };
});
afterEach(async () => {
  await chat[Symbol.asyncDispose]();
  await smtp.close();
  await database.close();
  await world.close();
});

const today = Temporal.Now.plainDateISO('UTC').toString();
const ago = (days: number) => addDays(today, -days);

/** What ops got since the last call: subjects, and what else the mails say. */
let read = 0;
beforeEach(() => {
  read = 0;
});
async function mailed(): Promise<{ subjects: string[]; text: string }> {
  const own = smtp.received.filter(({ to }) => to[0] === 'ops@example.com').slice(read);
  read += own.length;
  const mails = await Promise.all(own.map(({ raw }) => PostalMime.parse(raw)));
  return {
    subjects: mails.map(({ subject }) => subject!.replace('[callsheet here] ', '')),
    text: mails.map(({ text }) => text!.replaceAll('\r\n', '\n')).join('\n'),
  };
}

/** The keys of the active alerts, on which status, page, metrics and exit code agree. */
const active = async () => (await agreedAlerts(world, environment)).filter(needsAction).map(({ key }) => key);

/** What was posted, oldest first: of which alerts. */
const posted = () =>
  chat.pings.map(({ body }) => {
    const { status, keys } = JSON.parse(body) as { status: string; keys: string[] };
    return [status, keys];
  });

/** Does `work` with an app context whose clock is the time's. */
async function atTime(time: SimulatedTime, work: (app: AppContext) => Promise<void>): Promise<void> {
  await atInstant(world, time.now.toString(), (app) => work({ ...app, clock: () => time.now }), environment);
}

/** A schedule that looks between its runs, too. */
async function keepLooking(
  settings: World['environment'],
  time: SimulatedTime,
  until: string,
  onWake: () => Promise<void>,
): Promise<void> {
  let look: (() => Promise<void>) | null = null;
  await keepUp(world, settings, time, until, async (_, app) => {
    await onWake();
    look ??= createLookBetweenRuns(app, never);
    await look();
  });
}

const isBetween = ({ now }: SimulatedTime, from: string, to: string) =>
  now.toString() >= Temporal.Instant.from(from).toString() && now.toString() < to;

it('a database that is away for 70 s at a scheduled run: the alert lasts until a run succeeds, and ends under its title', async () => {
  // Its scheduled time is past, and the next one less than a day ahead: runs begin by the database's clock.
  const day = Temporal.Now.zonedDateTimeISO('UTC')
    .subtract({ hours: 6, minutes: 30 })
    .toPlainDate()
    .toString();
  await setUp(world, `${addDays(day, -1)}T12:00:00Z`);
  await runNight(world, addDays(day, -1), environment);
  const time = at(`${day}T06:29:00Z`);
  const settings = { ...environment, DATABASE_URL: database.url, RETRY_FOR: '1m' };
  await keepLooking(settings, time, `${day}T06:40:00Z`, async () => {
    const isAway = isBetween(time, `${day}T06:30:00Z`, `${day}T06:31:10Z`);
    database.refuse(isAway);
    if (isAway) await database.cut();
  });
  const begun = await mailed();
  expect(begun.subjects).toEqual(['1 to do: run failed: database unavailable']);
  // The process is gone: what it knew has its row.
  expect(await active()).toEqual(['RUN_FAILED/WAREHOUSE_UNAVAILABLE']);
  await keepUp(world, settings, at(`${addDays(day, 1)}T06:29:30Z`), `${addDays(day, 1)}T06:40:00Z`);
  const ended = await mailed();
  expect(ended.subjects).toEqual(['all clear']);
  expect(ended.text).toContain('Resolved\n- Run failed: database unavailable\n');
  expect(await active()).toEqual([]);
});

it('… a run typed in another process ends it, and its mail is of that run', async () => {
  await setUp(world, `${ago(1)}T12:00:00Z`);
  await runNight(world, ago(1), environment);
  const time = at(`${today}T06:29:00Z`);
  const settings = { ...environment, DATABASE_URL: database.url, RETRY_FOR: '1m' };
  await keepLooking(settings, time, `${today}T09:00:00Z`, async () => {
    const isAway = isBetween(time, `${today}T06:30:00Z`, `${today}T06:31:10Z`);
    database.refuse(isAway);
    if (isAway) await database.cut();
    if (time.now.toString() === `${today}T06:40:00Z`) await runNight(world, today, environment);
  });
  const { subjects, text } = await mailed();
  expect(subjects).toEqual(['1 to do: run failed: database unavailable', 'all clear']);
  expect(text).toContain('Resolved\n- Run failed: database unavailable\n');
  expect(await active()).toEqual([]);
});

it('a disk that is full at a scheduled run is named, with what to do, and ends with the run after it', async () => {
  await setUp(world, `${ago(1)}T12:00:00Z`);
  await runNight(world, ago(1), environment);
  await world.query(
    `create function public.write() returns trigger language plpgsql as $$ begin
       raise 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
  );
  await world.query(
    `create trigger disk before insert on etl.runs for each row execute function public.write()`,
  );
  const time = at(`${today}T06:29:00Z`);
  const settings = { ...environment, RETRY_FOR: '1m' };
  await keepLooking(settings, time, `${today}T09:00:00Z`, async () => {
    if (time.now.toString() === `${today}T06:40:00Z`) await world.query('drop trigger disk on etl.runs');
    if (time.now.toString() === `${today}T07:00:00Z`) await runNight(world, today, environment);
  });
  const { subjects, text } = await mailed();
  expect(subjects).toEqual(['1 to do: run failed: database full', 'all clear']);
  expect(text).toContain('  To do:  Free space on the disk of the database.\n  Then:  npm start -- run\n');
  expect(text).toContain('Resolved\n- Run failed: database full\n');
  expect(posted()).toEqual([
    ['firing', ['RUN_FAILED/DATABASE_FULL']],
    ['resolved', ['RUN_FAILED/DATABASE_FULL']],
  ]);
  expect(await active()).toEqual([]);
});

it('a schema that is too old, and migrated: the alert lasts until a run succeeds', async () => {
  await setUp(world, `${ago(1)}T12:00:00Z`);
  await runNight(world, ago(1), environment);
  const [last] = await world.query(
    `delete from etl.migrations where name = (select max(name) from etl.migrations) returning *`,
  );
  const time = at(`${today}T06:29:00Z`);
  await keepLooking(environment, time, `${today}T06:40:00Z`, async () => {
    if (time.now.toString() !== `${today}T06:33:00Z`) return;
    await world.query('insert into etl.migrations values ($1, $2)', [last!.name, last!.timestamp]);
  });
  expect((await mailed()).subjects).toEqual(["1 to do: run failed: the schema doesn't match this version"]);
  expect(await active()).toEqual(['RUN_FAILED/SCHEMA_TOO_OLD']);
  await runNight(world, today, environment);
  const ended = await mailed();
  expect(ended.subjects).toEqual(['all clear']);
  expect(ended.text).toContain("Resolved\n- Run failed: the schema doesn't match this version\n");
});

it('a night that never began is mailed within the hour, once a scheduled time, and ends with the run that makes up for it', async () => {
  await runNight(world, today, environment);
  const tomorrow = addDays(today, 1);
  const time = at(`${tomorrow}T06:29:00Z`);
  const looks: string[] = [];
  await atTime(time, async (app) => {
    const look = createLookBetweenRuns(app, never);
    // Nobody runs at 06:30, tomorrow and on the day after.
    for (let minute = 0; minute < 2 * 1_440; minute++) {
      const before = smtp.received.length;
      await look();
      if (smtp.received.length > before) looks.push(time.now.toString().slice(0, 16));
      time.now = time.now.add({ minutes: 1 });
    }
  });
  expect(looks).toEqual([`${tomorrow}T07:29`, `${addDays(today, 2)}T07:29`]);
  const begun = await mailed();
  expect(begun.subjects[0]).toMatch(/^1 to do: day not loaded/);
  expect(posted()).toEqual(Array(2).fill(['firing', ['DAYS_NOT_LOADED']]));
  await runNight(world, addDays(today, 3), environment);
  expect((await mailed()).subjects).toEqual(['all clear']);
  expect(posted().at(-1)).toEqual(['resolved', ['DAYS_NOT_LOADED']]);
});

it('two accounts with the same campaigns are one alert, which explains what is held; its command loads what each has itself', async () => {
  const own = generateDataset();
  let coastIs = 'coast';
  service.changes.campaigns = (list, account, day) => {
    const on = Temporal.PlainDate.from(day);
    return account === 'coast' && coastIs !== 'coast' ? own.campaigns(coastIs, on, on) : list;
  };
  await runNight(world, ago(1), environment);
  coastIs = 'north';
  await runNight(world, today, environment);
  const found = (await agreedAlerts(world, environment)).filter(needsAction);
  expect(found.map(({ key }) => key)).toEqual([expect.stringMatching(/^SAME_CAMPAIGNS\//)]);
  expect(await world.query('select 1 from etl.windows where held_hash is not null')).not.toEqual([]);
  expect((await mailed()).subjects).toEqual(['1 to do: same campaigns (north and coast)']);
  // Somebody writes the right token, and types the step.
  coastIs = 'coast';
  const { command: words } = found[0]!.steps.find(({ command: each }) => each?.[0] === 'run')!;
  expect((await command(words!, environment)).code).toBe(0);
  expect(await active()).toEqual([]);
  expect((await mailed()).subjects).toEqual(['all clear']);
  const rows = await world.query<{ attempts: string }>(
    `select string_agg(distinct attempts::text, ' ') as attempts from warehouse.account_days where account in ('coast', 'north') group by day`,
  );
  expect(rows.every(({ attempts }) => attempts.includes(' '))).toBe(true);
});
