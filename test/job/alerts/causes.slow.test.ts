import PostalMime from 'postal-mime';
import { expect, it } from 'vitest';
import { describeStatus, statusOf } from '../../../src/cli/print-status.ts';
import { readState } from '../../../src/job/alerts/read-alerts.ts';
import { addDays, type Day, daysBetween } from '../../../src/model/day.ts';
import { createApp } from '../../../src/server/app.ts';
import type { ServiceResponse } from '../../../src/simulator/middleware.ts';
import { errorResponse } from '../../../src/simulator/service.ts';
import { parseExposition } from '../../server/exposition.ts';
import { atInstant, runNight } from '../../support/nights.ts';
import { asOneLine } from '../../support/renderings.ts';
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts';
import { startWatchdog, type Watchdog } from '../../support/watchdog.ts';
import { openWorld, type World } from '../../support/world.ts';

/* Each cause of an alert on some nights, and its end: what mail, webhook, page, status, metrics and exit code say of it. */

const accounts = ['north', 'coast'];
const first = '2026-03-12';

type Asked = {
  readonly account: string;
  /** Null for a page of the client list. */
  readonly day: Day | null;
  readonly page: number;
  /** The first ones are bad, the last two good. */
  readonly night: number;
};
type Cause = {
  /** Two by default. */
  readonly badNights?: number;
  /** The service's response on bad nights; null for a good one. */
  readonly answer?: (asked: Asked) => ServiceResponse | null;
  /** Settings of bad nights. */
  readonly settings?: World['environment'];
  /** Recipients that the mail server refuses on bad nights. */
  readonly refused?: string;
};

type Campaign = { readonly callsetid: number; readonly campaign: string } & Record<string, unknown>;
const campaignsOf = (account: string, day: Day): Campaign[] =>
  [1, 2, 3, 4].map((n) => ({
    callsetid: 100 * (accounts.indexOf(account) + 1) + n,
    campaign: `${account} ${n}`,
    attempts: 1_000 * (accounts.indexOf(account) + 1) + 7 * Number(day.slice(8)),
    busies: 10,
    connects: 400,
    liveanswers: 20,
  }));
const listed = (result: readonly object[], others: object = {}): ServiceResponse => ({
  body: JSON.stringify({ campaigns: result.length, result, ...others }),
});
const clientsOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => ({
    clientid: from + n + 1,
    clientname: `client ${from + n + 1}`,
  }));

/** On bad nights, coast's newest day. */
const newest =
  (answer: (day: Day) => ServiceResponse) =>
  ({ account, day, night }: Asked) =>
    account === 'coast' && day === addDays(first, night - 2) ? answer(day) : null;

const causes: { readonly [name: string]: Cause } = {
  'a refused token': {
    answer: ({ account }) => (account === 'coast' ? errorResponse(401, 'expired') : null),
  },
  'a refused token, and one more that is refused on the second night': {
    answer: ({ account, night }) =>
      account === 'coast' || night === 2 ? errorResponse(401, 'expired') : null,
  },
  'a service that is down': { answer: () => errorResponse(503, 'Down for maintenance.') },
  'a response that is no JSON': { answer: newest(() => ({ body: '<html>Log in</html>' })) },
  'a client list that breaks off': {
    answer: ({ account, day }) => (account === 'coast' && day === null ? errorResponse(500, 'oh') : null),
  },
  'client pages that fail, though campaigns load': {
    badNights: 4,
    answer: ({ day }) => (day === null ? errorResponse(500, 'oh') : null),
  },
  'a list that is shorter than announced': {
    answer: newest((day) => listed(campaignsOf('coast', day).slice(0, 2), { campaigns: 4 })),
  },
  'an error beside half of the rows': {
    answer: newest((day) =>
      listed(campaignsOf('coast', day).slice(0, 2), { campaigns: 4, error: 'partial data' }),
    ),
  },
  'a confirmed day that loses its campaigns': {
    // Another one each night, or the second would confirm it.
    answer: ({ account, day, night }) =>
      account === 'coast' && day === addDays(first, -2)
        ? listed(campaignsOf('coast', day).slice(night, night + 1))
        : null,
  },
  'a record that can not be read': {
    answer: newest((day) => {
      const [one, ...others] = campaignsOf('coast', day);
      return listed([{ ...one, callsetid: 'none' }, ...others]);
    }),
  },
  'two accounts with the same campaigns': { answer: newest((day) => listed(campaignsOf('north', day))) },
  'a third of the calls': {
    answer: newest((day) => listed(campaignsOf('coast', day).map((each) => ({ ...each, attempts: 500 })))),
  },
  'over half of the clients missing': {
    answer: ({ account, day }) => (account === 'coast' && day === null ? pageOf(clientsOf(0, 2)) : null),
  },
  'a refused recipient': { refused: 'ana@example.com' },
  'a mail server that is down': { settings: { SMTP_URL: 'smtp://127.0.0.1:1' } },
};

const pageOf = (data: readonly object[]): ServiceResponse => ({
  body: JSON.stringify({ page: 1, pages: 1, limit: 100, clients: data.length, data }),
});

it('each cause is told on its first night, once again on the second, and resolved with an all clear, alike on every surface', async () => {
  const lines: string[] = [];
  for (const [name, cause] of Object.entries(causes)) lines.push(`# ${name}`, ...(await live(cause)), '');
  await expect(lines.join('\n')).toMatchFileSnapshot('causes.txt');
});

async function live({ badNights = 2, answer, settings, refused }: Cause): Promise<string[]> {
  let night = 0;
  const isBad = () => night > 0 && night <= badNights;
  await using chat = await startWatchdog();
  const smtp = await startSmtpServer({
    onRecipient: (address) => (isBad() && address === refused ? '550 5.1.1 No such user' : null),
  });
  const world = await openWorld({
    dataset: {
      accounts: accounts.map((name) => ({ name, token: `a-token-of-${name}` })),
      clients: () => [],
      campaigns: () => [],
    },
    intercept: ({ operation, account, params }) => {
      const day = params.get('startdate')?.replace(/^(..)-(..)-(.*)$/, '$3-$1-$2') ?? null;
      const asked = { account: account!, day, page: Number(params.get('page')), night };
      const bad = isBad() ? (answer?.(asked) ?? null) : null;
      if (bad !== null) return bad;
      return operation === 'getClients' ? pageOf(clientsOf(0, 9)) : listed(campaignsOf(account!, day!));
    },
  });
  const usual = {
    ...world.environment,
    SMTP_URL: smtp.url,
    DIGEST_FROM: 'Callsheet <callsheet@example.com>',
    ALERT_TO: 'ops@example.com',
    ALERT_WEBHOOK_URL: chat.url,
    INSTALLATION: 'here',
    RETRIES: '0',
  };
  const history = daysBetween(addDays(first, -30), addDays(first, -2));
  await runNight(
    world,
    addDays(first, -1),
    { ...usual, ALERT_TO: '', ALERT_WEBHOOK_URL: '' },
    { days: history, digest: false },
  );
  await runNight(world, addDays(first, -1), usual);
  const lines: string[] = [];
  for (const date of daysBetween(first, addDays(first, badNights + 1))) {
    night++;
    const environment = { ...usual, ...(isBad() ? settings : {}) };
    const before = { mails: smtp.received.length, posts: chat.pings.length };
    const { exitCode } = await runNight(world, date, environment);
    lines.push(
      `night ${night}, exit ${exitCode}`,
      ...(await toldOf(smtp, chat, before, settings === undefined)),
      ...(await shownOn(world, date, environment)),
    );
  }
  await smtp.close();
  await world.close();
  return lines;
}

/** What alert mail and webhook say: the same, where the mail server is there. */
async function toldOf(
  smtp: TestSmtpServer,
  chat: Watchdog,
  before: { readonly mails: number; readonly posts: number },
  isMailed: boolean,
): Promise<string[]> {
  const own = smtp.received.slice(before.mails).filter(({ to }) => to[0] === 'ops@example.com');
  const mails = await Promise.all(own.map(({ raw }) => PostalMime.parse(raw)));
  const posts = chat.pings
    .slice(before.posts)
    .map(({ body }) => JSON.parse(body) as { text: string; status: string; keys: string[] });
  const posted = posts.map(({ text }) => text);
  const mailed = mails.map(
    ({ subject, text }) => `${subject}\n\n${text!.replaceAll('\r\n', '\n').trimEnd()}\n`,
  );
  if (isMailed) expect(posted).toEqual(mailed);
  const told = posted.map((text) => {
    const subject = text.split('\n', 1)[0];
    const resolved = (/Resolved\n((?:- .*\n)+)/.exec(text)?.[1] ?? '')
      .split('\n')
      .filter((line) => line !== '');
    return [subject, ...resolved.map((title) => `resolved: ${title.slice(2)}`)].join('; ');
  });
  if (told.length === 0) return ['  mail, webhook: none'];
  return posts.flatMap(({ status, keys }, index) => [
    `  mail: ${told[index]}`,
    `  webhook: ${status} ${keys.join(', ')}`,
  ]);
}

/** What page, status and metrics show on the evening after the night. */
async function shownOn(world: World, date: Day, environment: World['environment']): Promise<string[]> {
  return await atInstant(
    world,
    `${date}T20:00:00Z`,
    async (app) => {
      const served = createApp(app, { names: [], token: null, nextRun: () => null });
      const get = async (path: string) => {
        const response = await served.request(path, { headers: { host: 'localhost' } });
        return await response.text();
      };
      const html = await get('/');
      const headline = asOneLine(/<h1>(.*?)<\/h1>/s.exec(html)![1]!);
      const state = await readState(app.warehouse, app);
      const status = describeStatus(
        {
          ...state,
          accounts: state.accounts.map(statusOf),
          timeZone: 'UTC',
          runs: [],
          unsent: [],
          quarantined: [],
        },
        500,
      );
      const [line] = status.split('\n');
      const samples = parseExposition(await get('/metrics')).get('callsheet_active_alerts')!.samples;
      const codes = samples
        .filter(({ value }) => value > 0)
        .map(({ labels, value }) => `${labels.code} ${value}`);
      const isGood = line === 'All good. Nothing to do.';
      expect(headline.startsWith('All good')).toBe(isGood);
      if (!isGood) expect(headline.replaceAll(/ +/g, ' ').replaceAll(' )', ')')).toBe(line);
      expect(codes.length > 0).toBe(!isGood);
      return [`  page, status: ${line}`, `  metric: ${codes.join(', ') || 'none'}`];
    },
    environment,
  );
}
