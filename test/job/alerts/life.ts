import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import PostalMime from 'postal-mime';
import { expect } from 'vitest';
import { dismissByKey, readStatus } from '../../../src/cli/commands/status.ts';
import { explain } from '../../../src/cli/explain.ts';
import { describeStep } from '../../../src/cli/print-dry-run.ts';
import { describeStatus } from '../../../src/cli/print-status.ts';
import { accept } from '../../../src/job/accept.ts';
import { acceptAlways } from '../../../src/job/accept-always.ts';
import { createAlertCheck } from '../../../src/job/alerts/between-runs.ts';
import type { DryWindow } from '../../../src/job/dry-run.ts';
import { type NightlyRequest, nightly } from '../../../src/job/nightly.ts';
import type { AppContext } from '../../../src/job/run/app-context.ts';
import { requireSchema } from '../../../src/job/run/database.ts';
import { endingOf } from '../../../src/job/run/ending.ts';
import { isAnythingUnrecorded } from '../../../src/job/run/unrecorded.ts';
import { localExecutor, type WindowExecutor } from '../../../src/job/windows/sync-windows.ts';
import { type ActiveAlert, isUrgent, needsAction } from '../../../src/model/alert.ts';
import { addDays, type Day, daysBetween } from '../../../src/model/day.ts';
import { createApp } from '../../../src/server/app.ts';
import type { ServiceResponse } from '../../../src/simulator/middleware.ts';
import { formatDate } from '../../../src/support/english.ts';
import { createRedactor } from '../../../src/support/redaction.ts';
import { keepUp, type SimulatedTime, setUp } from '../../schedule/simulated-time.ts';
import { parseExposition } from '../../server/exposition.ts';
import { readTimeout } from '../../server/served.ts';
import { atInstant, never, undated } from '../../support/nights.ts';
import { asOneLine, expectAgreement, headlineOf } from '../../support/renderings.ts';
import { type Fate, type SmtpStage, startSmtpProxy } from '../../support/smtp-proxy.ts';
import { startSmtpServer } from '../../support/smtp-server.ts';
import { startWatchdog } from '../../support/watchdog.ts';
import { openWorld, type World } from '../../support/world.ts';

/* The life of an alert, recorded for a reader: each surface, each time that something happens. */

/** A request to the service. */
export type Requested = {
  readonly account: string;
  /** Null for a page of the client list. */
  readonly day: Day | null;
  readonly params: URLSearchParams;
};

export type Campaign = { readonly callsetid: number; readonly campaign: string } & Record<string, unknown>;

/** Four campaigns; each account and day has counts of its own. */
export const campaignsOf = (account: string, day: Day, nth: number): Campaign[] =>
  [1, 2, 3, 4].map((n) => ({
    callsetid: 100 * (nth + 1) + n,
    campaign: `${account} ${n}`,
    attempts: 1_000 * (nth + 1) + 7 * Number(day.slice(8)),
    busies: 10,
    connects: 400,
    liveanswers: 20,
  }));

export const listed = (result: readonly object[], others: object = {}): ServiceResponse => ({
  body: JSON.stringify({ campaigns: result.length, result, ...others }),
});

export const clientPage = (count: number, others: object = {}): ServiceResponse => ({
  body: JSON.stringify({
    page: 1,
    pages: 1,
    limit: 100,
    clients: count,
    data: Array.from({ length: count }, (_, n) => ({ clientid: n + 1, clientname: `client ${n + 1}` })),
    ...others,
  }),
});

/** The first night of a life. The day before it was loaded on a good one. */
export const first = '2026-03-12';

/** The day so many nights after the first one. */
export const on = (nights: number): Day => addDays(first, nights);

const dayOf = (instant: Temporal.Instant): Day => instant.toString().slice(0, 10);

export type Life = Awaited<ReturnType<typeof openLife>>;

/**
 * Opens a world in which all is good.
 *
 * @param history days that are loaded before the first good night
 */
export async function openLife(
  accounts: readonly string[] = ['north', 'coast'],
  {
    history = 28,
    isFresh = false,
    respond = (_: Requested): ServiceResponse | null => null,
    settings: own = {} as World['environment'],
  } = {},
) {
  const nths = new Map(accounts.map((name, nth) => [name, nth]));
  const wrong = {
    /** The response in place of a good one; null for that. */
    respond,
    /** The mail server's reply to a recipient. */
    refuses: (_: string): string | null => null,
    /** The fate of a message at a stage of the mail server. */
    mailServer: (_: SmtpStage): Fate => 'pass',
    /** The status with which the chat takes an alert. */
    chat: 200,
    settings: {} as World['environment'],
  };
  const good = { ...wrong, respond: () => null };
  const chat = await startWatchdog(() => wrong.chat);
  const watchdog = await startWatchdog();
  const smtp = await startSmtpServer({ plain: true, onRecipient: (address) => wrong.refuses(address) });
  const mailServer = await startSmtpProxy(smtp.port, (stage) => wrong.mailServer(stage));
  const world = await openWorld({
    dataset: {
      accounts: accounts.map((name) => ({ name, token: `a-token-of-${name}` })),
      clients: () => [],
      campaigns: () => [],
    },
    intercept: ({ operation, account, accepted, params }) => {
      if (!accepted) return undefined;
      const day = params.get('startdate')?.replace(/^(..)-(..)-(.*)$/, '$3-$1-$2') ?? null;
      const bad = wrong.respond({ account: account!, day, params });
      if (bad !== null) return bad;
      return operation === 'getClients'
        ? clientPage(9)
        : listed(campaignsOf(account!, day!, nths.get(account!)!));
    },
  });
  const environment = {
    ...world.environment,
    SMTP_URL: mailServer.url,
    DIGEST_FROM: 'Callsheet <callsheet@example.com>',
    DIGEST_TO: 'ana@example.com',
    ALERT_TO: 'ops@example.com',
    ALERT_WEBHOOK_URL: chat.url,
    HEALTHCHECK_URL: watchdog.url,
    INSTALLATION: 'here',
    SCHEDULE: '30 6 * * *',
    RETRIES: '0',
    ...own,
  };
  const settings = (others: World['environment'] = {}) => ({ ...environment, ...wrong.settings, ...others });

  const lines: string[] = [];
  const read = { mails: 0, posts: 0, pings: 0 };
  const notified = new Set<string>();
  let seen = new Map<string, ActiveAlert>();
  let before = '';
  let same: string[] = [];
  const logLines: string[] = [];
  const logger = pino(
    { level: 'warn' },
    {
      write(line: string) {
        const { msg } = JSON.parse(line) as { msg: string };
        if (msg.startsWith('alert: ')) logLines.push(msg);
      },
    },
  );
  let latest = `${first}T06:30:00Z`;

  /** Runs begin by the database's clock, which knows nothing of simulated time. */
  const settle = (at: Temporal.Instant) =>
    world.query(
      `update etl.runs set started_at = least(started_at, $1), finished_at = least(finished_at, $1)
       where finished_at > $1`,
      [at.toString()],
    );

  /** Texts without what differs from one time to the next. */
  const steady = (shown: string) =>
    shown.replaceAll(world.folder, '/srv/callsheet').replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT');

  /** The alert mail, the posts and the watchdog's newest result since the last entry. */
  async function readReceived() {
    const own = smtp.received.filter(({ to }) => to[0] === 'ops@example.com').slice(read.mails);
    const posts = (wrong.chat === 200 ? chat.pings : [])
      .slice(read.posts)
      .map(({ body }) => JSON.parse(body) as { text: string; status: string; keys: string[] });
    const pings = watchdog.pings.slice(read.pings).filter(({ path }) => path !== '/start');
    read.mails += own.length;
    read.posts = chat.pings.length;
    read.pings = watchdog.pings.length;
    const mails = await Promise.all(own.map(({ raw }) => PostalMime.parse(raw)));
    const mailed = mails.map((mail) => ({
      subject: mail.subject!.replace('[callsheet here] ', ''),
      text: mail.text!.replaceAll('\r\n', '\n').trimEnd(),
    }));
    const posted = posts.map(({ text: post, ...state }) => {
      const [, subject, body] = /^\[callsheet here\] ([^\n]*)\n\n(.*)\n$/s.exec(post)!;
      return { subject: subject!, text: body!.trimEnd(), ...state };
    });
    const ping = pings.at(-1);
    return { mailed, posted, ping: ping && { code: ping.path.slice(1) || '0', body: ping.body } };
  }

  async function record(
    app: AppContext,
    at: Temporal.Instant,
    what: string,
    exit: number | null,
  ): Promise<readonly ActiveAlert[]> {
    await settle(at);
    latest = at.toString();
    const { mailed, posted, ping } = await readReceived();
    const shown = await readShown(app);
    // What no row can say is in the ping alone.
    for (const { title } of shown.alerts.filter(needsAction))
      if (ping?.body && !isAnythingUnrecorded(app.unrecorded))
        expect(ping.body, `${at} ${shown.line}`).toContain(title);
    const logged = logLines.splice(0);
    // The run that posts shows only afterwards that the chat took nothing.
    const isOfRun = (line: string) => !line.includes('ALERT_WEBHOOK_URL');
    const toLog = shown.alerts.filter(needsAction).map(({ title }) => `alert: ${title}`);
    if (logged.length > 0) expect(logged.filter(isOfRun)).toEqual(toLog.filter(isOfRun));
    const found: string[] = [];
    const messages = posted.length > 0 ? posted : mailed;
    let by = posted.length > 0 ? 'webhook alone' : 'mail alone';
    if (posted.length > 0 && mailed.length > 0) {
      expect(mailed).toEqual(posted.map(({ subject, text: body }) => ({ subject, text: body })));
      by = 'mail, webhook';
    }
    const newest = messages.at(-1)?.subject;
    for (const { subject } of messages)
      found.push(
        subject === newest && subject === shown.line
          ? `  ${by}, page, status: ${subject}`
          : `  ${by}: ${subject}`,
      );
    if (messages.length === 0) found.push('  mail, webhook: nothing');
    if (newest !== shown.line) found.push(`  ${shown.by}: ${shown.line}`);
    for (const { status, keys } of posted) {
      found.push(`  ${status} ${keys.join(', ')}`);
      for (const key of keys) notified.add(key);
    }
    const active = new Map(
      shown.alerts.filter(({ dismissed }) => !dismissed).map((each) => [each.key, each]),
    );
    const isUnsent = (key: string) => !notified.has(key);
    const begun = [...active.keys()].filter((key) => !seen.has(key)).filter(isUnsent);
    const gone = [...seen.keys()].filter((key) => !active.has(key)).filter(isUnsent);
    for (const key of begun) found.push(`  shown ${key}: ${active.get(key)!.title}`);
    for (const key of gone) found.push(`  gone ${key}`);
    for (const { title } of shown.alerts.filter(({ dismissed }) => dismissed))
      found.push(`  dismissed: ${title}`);
    found.push(`  metric: ${shown.metric}; status exits with ${shown.exit}`);
    seen = active;

    const ended = exit ?? ping?.code ?? null;
    const head = `${what}${ended === null ? '' : `: exit ${ended}`}`;
    const time = `${formatDate(dayOf(at), first)} ${at.toString().slice(11, 16)}`;
    const entry = [head, ...found].join('\n');
    if (entry === before) same.push(time);
    else {
      flush();
      lines.push(`${time} ${head}`, ...found);
    }
    before = entry;
    return shown.alerts;
  }

  /** A line of the test's own. */
  function log(line: string): void {
    flush();
    lines.push(`  ${line}`);
  }

  function flush(): void {
    const [one] = same;
    if (one !== undefined) lines.push(`${same.length === 1 ? one : `${one} to ${same.at(-1)}`}: the same`);
    same = [];
  }

  /** Does `work` at a time, and records the surfaces then. */
  async function doAt(
    at: string,
    what: string,
    work: (app: AppContext) => Promise<number | null>,
    others: World['environment'] = {},
  ): Promise<readonly ActiveAlert[]> {
    return await atInstant(
      world,
      at,
      async (app) => {
        const exit = await work(app);
        return await record(app, Temporal.Instant.from(at), what, exit);
      },
      settings(others),
    );
  }

  async function runs(
    app: AppContext,
    request: Partial<NightlyRequest>,
    executor: WindowExecutor,
    signal: AbortSignal,
  ): Promise<number> {
    try {
      return (await nightly({ ...app, log: logger }, { ...undated, ...request }, signal, executor)).exitCode;
    } catch (error) {
      return endingOf(error).exitCode;
    }
  }

  type Night = {
    readonly settings?: World['environment'];
    readonly request?: Partial<NightlyRequest>;
    readonly executor?: (
      work: (executor: WindowExecutor) => Promise<number>,
      app: AppContext,
    ) => Promise<number>;
    readonly app?: (app: AppContext) => AppContext;
    readonly signal?: AbortSignal;
  };

  /** A nightly run, and the surfaces after it. */
  const night = (
    day: Day,
    { settings: others, request = {}, executor, app: made, signal = never }: Night = {},
  ) =>
    atInstant(
      world,
      `${day}T06:30:00Z`,
      async (given) => {
        const app = made?.(given) ?? given;
        const work = (own: WindowExecutor) => runs(app, request, own, signal);
        const exit = await (executor?.(work, app) ?? work(localExecutor));
        return await record(app, Temporal.Instant.from(`${day}T06:30:00Z`), 'run', exit);
      },
      settings(others),
    );

  const nights = async (from: Day, to: Day, others: Night = {}): Promise<void> => {
    for (const day of daysBetween(from, to)) await night(day, others);
  };

  /** The command of a step, typed. */
  async function type(at: string, words: readonly string[], others: World['environment'] = {}) {
    const [name] = words;
    const values = (option: string) =>
      words.flatMap((word, index) => (words[index - 1] === option ? [word] : []));
    const [day = null] = values('--day');
    const [from = day, to = day] = [values('--from')[0], values('--to')[0]];
    const days = from === null ? null : daysBetween(from!, to!);
    const accounts = values('--account').length === 0 ? null : values('--account');
    return await doAt(
      at,
      words.join(' '),
      async (app) => {
        if (name === 'run') return await runs(app, { days, accounts }, localExecutor, never);
        if (name === 'status') {
          await dismissByKey(app, values('--dismiss')[0]!);
          return null;
        }
        if (name !== 'accept') throw new Error(`${name} isn't typed here`);
        const [sign] = values('--always');
        if (sign !== undefined) {
          const request = { command: words.join(' '), sign, accounts, undo: false };
          const { exitCode } = await acceptAlways(app, request, never, async ({ days }) => {
            log(`confirms ${days.length} days`);
            return true;
          });
          return exitCode;
        }
        const shown: string[] = [];
        const show = (window: DryWindow) => void shown.push(...describeStep(window));
        const request = { command: words.join(' '), days: days!, accounts };
        const { exitCode } = await accept(app, request, never, show, async () => true);
        for (const line of shown.slice(0, 4)) log(`accept says first: ${line}`);
        if (shown.length > 4) log(`and ${shown.length - 4} more lines`);
        return exitCode;
      },
      others,
    );
  }

  /** `schedule`, from the time's now until then: an entry whenever somebody is notified, and at these times. */
  async function schedule(
    time: SimulatedTime,
    until: string,
    looks: readonly string[],
    others: World['environment'] = {},
    onWake: (time: SimulatedTime) => unknown = () => {},
  ): Promise<void> {
    let look: (() => Promise<void>) | null = null;
    await keepUp(world, settings(others), time, until, async (_, app) => {
      // The run before this wake may have sent something.
      await recordIfNews(app, time);
      await onWake(time);
      look ??= createAlertCheck(app, never);
      await look();
      await recordIfNews(app, time);
      if (looks.includes(time.now.toString())) await record(app, time.now, 'schedule', null);
    });
  }

  async function recordIfNews(app: AppContext, time: SimulatedTime): Promise<void> {
    const own = smtp.received.filter(({ to }) => to[0] === 'ops@example.com').length;
    if (own > read.mails) await record(app, time.now, 'schedule', null);
  }

  // Nobody is notified of days before the life.
  if (!isFresh) {
    const quiet = settings({ ALERT_TO: '', ALERT_WEBHOOK_URL: '' });
    const yesterday = addDays(first, -1);
    const work = (request: Partial<NightlyRequest>) =>
      atInstant(
        world,
        `${yesterday}T06:30:00Z`,
        (app) => nightly(app, { ...undated, ...request }, never),
        quiet,
      );
    if (history > 0)
      await work({ days: daysBetween(addDays(first, -1 - history), addDays(first, -3)), digest: false });
    await work({});
    await settle(Temporal.Instant.from(`${yesterday}T06:30:00Z`));
    // `schedule` has missed nothing.
    await setUp(world, `${yesterday}T12:00:00Z`);
    read.pings = watchdog.pings.length;
  }

  return {
    world,
    wrong,
    /** All is good again. */
    mend: () => void Object.assign(wrong, good),
    doAt,
    night,
    nights,
    type,
    schedule,
    settings,
    /** Does `work` at the time of the last entry. */
    look: (work: (app: AppContext) => Promise<void>, others: World['environment'] = {}) =>
      atInstant(world, latest, work, settings(others)),
    /** The text of the newest digest. */
    async digest(): Promise<string> {
      const { raw } = smtp.received.filter(({ to }) => to[0] === 'ana@example.com').at(-1)!;
      return (await PostalMime.parse(raw)).text!;
    },
    /** The alerts that were active at the last entry. */
    alerts: () => [...seen.values()],
    log,
    /** The recorded text, without anything that differs from one time to the next. */
    text(): string {
      flush();
      return steady(lines.join('\n'));
    },
    async close(): Promise<void> {
      await chat[Symbol.asyncDispose]();
      await watchdog[Symbol.asyncDispose]();
      await mailServer.close();
      await smtp.close();
      await world.close();
    },
  };
}

/** `schedule` looks between runs, an hour after its start. */
export async function lookNow(app: AppContext): Promise<null> {
  let now = app.clock().subtract({ hours: 1 });
  const look = createAlertCheck({ ...app, clock: () => now }, never);
  now = app.clock();
  await look();
  return null;
}

export type Open = typeof openLife;

/** Lives it, and returns the recorded text. */
export async function written(live: (open: Open) => Promise<Life>): Promise<string> {
  let life: Life | undefined;
  const open: Open = async (...args) => {
    life = await openLife(...args);
    return life;
  };
  try {
    return (await live(open)).text();
  } finally {
    await life?.close();
  }
}

/** Lives with the text of each. */
type Lives = readonly (readonly [title: string, text: string])[];

/** Two thousand accounts take minutes, and have a test of their own. */
export const isOfMany = (title: string) => title.startsWith('two thousand');

/** The lives in lives.txt as it is now. */
export async function readLives(): Promise<Lives> {
  const file = await readFile(path.join(import.meta.dirname, 'lives.txt'), 'utf8');
  return file
    .split(/^# /m)
    .slice(1)
    .map((section) => {
      const [title, ...lines] = section.split('\n');
      return [title!, lines.join('\n').trim()];
    });
}

export const asText = (lives: Lives): string =>
  lives.map(([title, text]) => `# ${title}\n\n${text.trim()}\n`).join('\n');

/** Reads page, `status` and metrics, which have to agree. */
async function readShown(app: AppContext) {
  // Of 2,000 accounts, and beside other tests, a statement may take longer than a server waits.
  const served = createApp(app, { names: [], token: null, nextRun: () => null, readTimeout });
  const get = async (path: string) => {
    const response = await served.request(path, { headers: { host: 'localhost' } });
    return await response.text();
  };
  const html = await get('/');
  const headline = headlineOf(html);
  const metrics = parseExposition(await get('/metrics'));
  const samples = metrics.get('callsheet_active_alerts')?.samples ?? [];
  const firing = samples.filter(({ value }) => value > 0);
  const metric =
    metrics.get('callsheet_database_up')!.samples[0]!.value === 0
      ? 'callsheet_database_up 0'
      : firing.map(({ labels, value }) => `${labels.code} ${value} ${labels.kind}`).join(', ') || 'none';
  let status: Awaited<ReturnType<typeof readStatus>>;
  try {
    await requireSchema(app.warehouse);
    status = await readStatus(app);
  } catch (error) {
    const { lines, exitCode } = explain(error, createRedactor());
    return {
      by: 'page',
      line: `${headline}\n  status: ${lines.join(' ')}`,
      alerts: [],
      metric,
      exit: exitCode,
    };
  }
  const text = describeStatus(status, 100_000);
  const [line] = text.split('\n');
  const { alerts } = status;
  const isGood = !alerts.some(needsAction);
  if (!isGood) expect(headline).toBe(line);
  expectAgreement(alerts, { html, status: text, metrics });
  const isRunning = status.running !== null;
  expect(metrics.get('callsheet_run_running')!.samples[0]!.value).toBe(Number(isRunning));
  for (const surface of [text, asOneLine(html)]) expect(surface.includes('Running since')).toBe(isRunning);
  const by = isRunning ? 'page, status, beside what is running' : 'page, status';
  return { by, line: line!, alerts, metric, exit: alerts.some(isUrgent) ? 75 : 0 };
}
