import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import type { Middleware, ServiceResponse } from '../../src/simulator/middleware.ts';
import { callsheet, type Ended } from '../support/callsheet.ts';
import { command } from '../support/command.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { startWatchdog, type Watchdog } from '../support/watchdog.ts';
import { openWorld, type World } from '../support/world.ts';
import { spellingsOf } from './encodings.ts';
import { pages, traces } from './traces.ts';

const tokens = generateDataset().accounts.map((account) => account.token);

const inError = (echoed: string) => JSON.stringify({ error: `no: ${echoed}` });
const inHtml = (echoed: string) => `<html>${echoed}</html>`;
const inRecords = (echoed: string) =>
  JSON.stringify({
    page: 1,
    pages: 1,
    limit: 100,
    request: echoed,
    data: [
      { clientid: 1, clientname: echoed, requested: { [echoed]: echoed } },
      { clientid: null, clientname: echoed },
      { clientid: 2 },
    ],
    result: [
      { callsetid: 1, campaign: echoed, attempts: 1, link: echoed },
      { callsetid: 'x', campaign: echoed },
      { callsetid: 2 },
    ],
  });
/** As Gson and others write it: what is no letter or digit as \\u003d. */
const inEscapes = (echoed: string) =>
  inRecords(echoed).replaceAll(/[=+/&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);

type Way = (echoed: string) => ServiceResponse;

/** The ways in which the service of each account repeats a token: it takes one after the other. */
const ways: Readonly<Record<string, readonly Way[]>> = {
  north: [(echoed) => ({ body: inRecords(echoed) }), (echoed) => ({ body: inEscapes(echoed) })],
  coast: [
    (echoed) => ({ status: 429, body: inError(echoed), headers: { 'retry-after': '0' } }),
    (echoed) => ({ status: 400, body: inError(echoed) }),
    (echoed) => ({ status: 404, body: echoed }),
    (echoed) => ({ status: 500, body: inHtml(echoed) }),
    (echoed) => ({ body: inError(echoed) }),
    (echoed) => ({ body: inHtml(echoed) }),
    (echoed) => ({
      status: 302,
      body: '',
      headers: { location: `/elsewhere?${encodeURIComponent(echoed)}` },
    }),
    (echoed) => ({ body: echoed, headers: { 'content-length': '9999' } }),
  ],
  valley: [
    (echoed) => ({ status: 401, body: inHtml(echoed) }),
    (echoed) => ({ status: 401, body: JSON.stringify({ error: `Invalid session ${echoed}` }) }),
  ],
};

const requests = new Map<string, number>();
const repeatToken: Middleware = ({ account, params }) => {
  const number = requests.get(account!) ?? 0;
  requests.set(account!, number + 1);
  const token = params.get('sidtoken')!;
  const all = spellingsOf(token);
  const own = ways[account!]!;
  // In records each spelling is there, else one after the other.
  const echoed = account === 'north' ? all.join(' ') : `${all[number % all.length]} /getClients.wr?${params}`;
  return own[number % own.length]!(echoed);
};

let world: World;
let chat: Watchdog;
beforeAll(async () => {
  world = await openWorld({ intercept: repeatToken });
  chat = await startWatchdog();
});
afterAll(async () => {
  await chat[Symbol.asyncDispose]();
  await world.close();
});

/** Everything that the commands print, store, mail, post and show. */
async function everything(of: World, typed: readonly Ended[]): Promise<string[]> {
  return [
    ...typed.flatMap(({ stdout, stderr }) => [stdout, stderr]),
    ...(await traces(of)),
    ...(await pages(of)),
    ...chat.pings.map((ping) => JSON.stringify(ping)),
  ];
}

it('no token is anywhere, however a service repeats it', async () => {
  const environment = {
    ...world.environment,
    ALERT_TO: 'ops@example.com',
    ALERT_WEBHOOK_URL: chat.url,
    HEALTHCHECK_URL: chat.url,
    LOG_LEVEL: 'trace',
    REQUEST_TIMEOUT: '500ms',
  };
  const typed = [
    await callsheet(['run', '--from', '2026-03-01', '--to', '2026-03-12'], environment),
    await callsheet(['run'], environment),
    await callsheet(['clients'], environment),
    await command(['doctor'], environment),
    await command(['status', '--json'], environment),
  ];
  for (const [account, own] of Object.entries(ways))
    expect(requests.get(account)).toBeGreaterThanOrEqual(own.length);
  const found = await everything(world, typed);
  // Not an empty search: what the service said around the token is in the log, the tables, a mail, a page and a ping.
  expect(typed[0]!.stderr).toContain('status 401: [redacted]');
  expect(typed[1]!.code).toBe(77);
  expect(found.filter((text) => text.includes('Token refused: valley')).length).toBeGreaterThan(4);
  for (const text of found)
    for (const spelling of tokens.flatMap(spellingsOf)) expect(text).not.toContain(spelling);
  for (const { stderr } of typed) expect(stderr).not.toMatch(/^\s+at .*\.ts:/m);
});

it.each(['wr0ng+pw', 'wrong+password/of-some-length'])(
  'no password of a mail server is anywhere, however the server repeats it: %s',
  async (password) => {
    const other = await openWorld();
    onTestFinished(() => other.close());
    const spelt = [
      ...spellingsOf(password),
      btoa(password),
      btoa(`\0digest\0${password}`),
      encodeURIComponent(btoa(password)),
    ];
    const smtp = await startSmtpServer({
      onRefusedLogin: () => `535 refused: ${spelt.slice(-3).join(' ')} ${password}`,
    });
    onTestFinished(() => smtp.close());
    const url = new URL(smtp.url);
    url.password = encodeURIComponent(password);
    const environment = {
      ...other.environment,
      SMTP_URL: url.href,
      DIGEST_FROM: 'callsheet@example.com',
      ALERT_TO: 'ops@example.com',
      LOG_LEVEL: 'trace',
    };
    const run = await callsheet(['run'], environment);
    const status = await command(['status', '--json'], environment);
    expect(run.code).toBe(75);
    expect(run.stderr).toContain('535');
    for (const text of await everything(other, [run, status]))
      for (const spelling of spelt) expect(text).not.toContain(spelling);
  },
);
