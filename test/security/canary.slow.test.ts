import { afterAll, describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import type { Middleware, ServiceResponse } from '../../src/simulator/middleware.ts';
import { callsheet } from '../support/callsheet.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { startWatchdog } from '../support/watchdog.ts';
import { mailsLongAgo, openWorld, type World } from '../support/world.ts';
import { spellingsOf } from './encodings.ts';
import { pages, traces } from './traces.ts';

const tokens = generateDataset().accounts.map((account) => account.token);
const spellings = tokens.flatMap(spellingsOf);

/** A service that echoes the request in every way, token and all. */
const echo = (
  params: URLSearchParams,
  status: number,
  shape: (echoed: string) => string,
): ServiceResponse => {
  const token = params.get('sidtoken')!;
  return {
    status,
    body: shape(
      `${token} ${encodeURIComponent(token)} /campaignSummary.wr?${params} ${token.replaceAll('/', '\\/')}`,
    ),
  };
};

/** A service that spells the token in another way each time it is asked. */
function inTurn(status: number, shape: (echoed: string) => string): Middleware {
  let requests = 0;
  return ({ params }) => {
    const all = spellingsOf(params.get('sidtoken')!);
    return { status, body: shape(all[requests++ % all.length]!) };
  };
}

const inError = (echoed: string) => JSON.stringify({ error: `no: ${echoed}` });
/** As Gson and others write it: what is no letter or digit as \\u003d. */
const inEscapes = (echoed: string) =>
  inRecords(echoed).replaceAll(/[=+/&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);

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

const services: Record<string, Middleware> = {
  // These are waited for longest, and begin first.
  'is busy': ({ params }) => ({ ...echo(params, 429, inError), headers: { 'retry-after': '0' } }),
  'hangs up': () => ({ body: '{', headers: { 'content-length': '999' } }),
  'responds well': () => undefined,
  'refuses every token with 401': ({ params }) => echo(params, 401, inError),
  'refuses every token with 403 in HTML': ({ params }) =>
    echo(params, 403, (echoed) => `<html>${echoed}</html>`),
  'refuses in a 200': ({ params }) =>
    echo(params, 200, (echoed) => JSON.stringify({ error: `Invalid session ${echoed}` })),
  'refuses the request': ({ params }) => echo(params, 400, inError),
  'is not there': ({ params }) => echo(params, 404, (echoed) => echoed),
  'is broken': ({ params }) => echo(params, 500, inError),
  'returns something else': ({ params }) => echo(params, 200, inError),
  'is a proxy': ({ params }) => echo(params, 200, (echoed) => `<html>${echoed}</html>`),
  moved: ({ params }) => ({ ...echo(params, 302, inError), headers: { location: `/elsewhere?${params}` } }),
  'echoes the token in every record': ({ params }) => echo(params, 200, inRecords),
  'echoes the token in every record, in escapes': ({ params }) => echo(params, 200, inEscapes),
  'refuses the request, in every spelling': inTurn(400, inError),
  'refuses every token, in every spelling': inTurn(401, (echoed) => `<html>${echoed}</html>`),
  'echoes the token in every spelling, in every record': ({ params }) => ({
    body: inRecords(spellingsOf(params.get('sidtoken')!).join(' ')),
  }),
};

const worlds: World[] = [];
afterAll(() => Promise.all(worlds.map((world) => world.close())));

function expectNoToken(places: readonly string[]): void {
  for (const place of places) for (const spelling of spellings) expect(place).not.toContain(spelling);
}

describe.concurrent('no token is anywhere, when the service', () => {
  it.each(Object.entries(services))('%s', async (_, intercept) => {
    const world = await openWorld({ intercept });
    worlds.push(world);
    const environment = {
      ...world.environment,
      ...(await mailsLongAgo(world)),
      ALERT_TO: 'ops@example.com',
      LOG_LEVEL: 'trace',
      RETRIES: '1',
      REQUEST_TIMEOUT: '500ms',
    };
    const run = await callsheet(['run', '--day', '2026-03-02'], environment);
    const doctor = await callsheet(['doctor'], environment);
    const clients = await callsheet(['clients'], environment);
    expectNoToken([run, doctor, clients].flatMap(({ stdout, stderr }) => [stdout, stderr]));
    const left = [...(await traces(world)), ...(await pages(world))];
    // Not an empty search: the run, its windows and its mail are there.
    expect(left.length).toBeGreaterThan(6);
    expectNoToken(left);
    for (const { stderr } of [run, doctor, clients]) expect(stderr).not.toMatch(/^\s+at .*\.ts:/m);
  });
});

const plain = (user: string, password: string) => btoa(`\0${user}\0${password}`);
const long = 'wrong+password/of-some-length';
const refusals: [string, string, (user: string, password: string) => string][] = [
  ['refuses the login', long, () => '535 Authentication failed'],
  ['echoes AUTH PLAIN', long, (user, password) => `535 refused: ${plain(user, password)}`],
  [
    'echoes AUTH PLAIN of a short one',
    'wr0ng+pw',
    (user, password) => `535 refused: ${plain(user, password)}`,
  ],
  ['echoes AUTH LOGIN', 'wr0ng+pw', (_, password) => `535 no: ${btoa(password)}`],
  [
    'echoes AUTH LOGIN in an address',
    'wr0ng+pw',
    (_, password) => `535 no: ${encodeURIComponent(btoa(password))}`,
  ],
];

describe.concurrent('no password is anywhere, when the mail server', () => {
  it.each(refusals)('%s', async (_, password, onRefusedLogin) => {
    const world = await openWorld();
    worlds.push(world);
    const smtp = await startSmtpServer({ onRefusedLogin });
    const url = new URL(smtp.url);
    url.password = encodeURIComponent(password);
    const environment = {
      ...world.environment,
      ...(await mailsLongAgo(world)),
      SMTP_URL: url.href,
      DIGEST_FROM: 'callsheet@example.com',
      ALERT_TO: 'ops@example.com',
      LOG_LEVEL: 'trace',
    };
    const run = await callsheet(['run', '--day', '2026-03-02'], environment);
    const status = await callsheet(['status', '--json'], environment);
    await smtp.close();
    expect(run.code).toBe(75);
    expect(run.stderr).toContain('535');
    const printed = [run, status].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    for (const place of [...printed, ...(await traces(world)), ...(await pages(world))]) {
      for (const encoded of [
        ...spellingsOf(password),
        btoa(password),
        plain('digest', password),
        encodeURIComponent(btoa(password)),
      ])
        expect(place).not.toContain(encoded);
    }
  });
});

it.each(['responds well', 'echoes the token in every record', 'refuses in a 200', 'is broken'])(
  'no token is in the pings of a night, when the service %s',
  async (name) => {
    const world = await openWorld({ intercept: services[name]! });
    worlds.push(world);
    await using watchdog = await startWatchdog();
    await callsheet(['run'], { ...world.environment, HEALTHCHECK_URL: watchdog.url });
    expect(watchdog.pings).toHaveLength(2);
    expectNoToken(watchdog.pings.map((ping) => JSON.stringify(ping)));
  },
);
