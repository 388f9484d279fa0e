import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPing, createPostAlert, payloadOf } from '../../../src/job/alerts/ping.ts';
import { Interrupted } from '../../../src/model/exit-code.ts';
import type { Middleware } from '../../../src/simulator/middleware.ts';
import { runNight } from '../../support/nights.ts';
import { runInProgress } from '../../support/run-in-progress.ts';
import { startWatchdog, type Watchdog, watchdogKey } from '../../support/watchdog.ts';
import { openWorld, type World } from '../../support/world.ts';

describe('a watchdog', () => {
  let world: World;
  let watchdog: Watchdog;
  let service: Middleware;
  let settings: World['environment'];
  beforeAll(async () => {
    world = await openWorld({ intercept: (request, next) => service(request, next) });
    watchdog = await startWatchdog();
    settings = {
      HEALTHCHECK_URL: watchdog.url,
      INSTALLATION: 'here',
      RETRIES: '0',
    };
  });
  afterAll(async () => {
    await watchdog[Symbol.asyncDispose]();
    await world.close();
  });
  let before = 0;
  beforeEach(async () => {
    service = () => undefined;
    before = watchdog.pings.length;
    await world.query(
      'truncate etl.runs, etl.windows, etl.walks, etl.alerts, etl.digest_starts, etl.mails, etl.mailed_periods cascade',
    );
  });
  const pings = () => watchdog.pings.slice(before);
  const paths = () => pings().map(({ path }) => path);
  const night: typeof runNight = (of, day, others, request, signal) =>
    runNight(of, day, { ...settings, ...others }, { digest: false, ...request }, signal);

  it.each([
    ['of success', 200, '', /^\[callsheet here\] all clear\n/],
    ['that the token is refused', 401, '/77', /^\[callsheet here\] 1 to do: .*\n\nToken refused/],
    ['that the service is down', 503, '/69', /^\[callsheet here\] 1 to check: .*\n\nService unavailable/],
  ])(
    'is pinged at the start of a run, and at its end %s, with what is wrong',
    async (_, status, path, body) => {
      if (status !== 200) service = () => ({ status, body: '{}' });
      await night(world, '2026-03-03');
      expect(paths()).toEqual(['/start', path]);
      expect(pings()[1]!.body).toMatch(body);
    },
  );

  it('is pinged when the database is unreachable', async () => {
    const away = new URL(world.databaseUrl);
    away.port = '1';
    await expect(night(world, '2026-03-03', { DATABASE_URL: away.href })).rejects.toThrow(/ECONNREFUSED/);
    expect(paths()).toEqual(['/start', '/69']);
    expect(pings()[1]!.body).toContain('Run failed: database unavailable');
  });

  it('is pinged when a run is interrupted', async () => {
    const interruption = new AbortController();
    service = () => {
      interruption.abort(new Interrupted('SIGTERM'));
      return new Promise(() => {});
    };
    await expect(night(world, '2026-03-03', {}, {}, interruption.signal)).rejects.toThrow(Interrupted);
    expect(paths()).toEqual(['/start', '/143']);
    expect(await world.query('select outcome, exit_code from etl.runs')).toEqual([
      { outcome: 'interrupted', exit_code: 143 },
    ]);
  });

  it('is left to the run in progress by one that finds it', async () => {
    const other = await runInProgress(world.databaseUrl);
    await expect(night(world, '2026-03-03')).rejects.toMatchObject({ code: 'RUN_IN_PROGRESS' });
    await other.release();
    expect(paths()).toEqual(['/start']);
  });

  it('is not pinged for single days and accounts', async () => {
    await night(world, '2026-03-03', {}, { days: ['2026-03-01'] });
    await night(world, '2026-03-03', {}, { accounts: ['valley'] });
    expect(paths()).toEqual([]);
  });
});

describe('a ping', () => {
  async function ping(listener: RequestListener, hurry = false) {
    const server = createServer(listener);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const warnings: string[] = [];
    const { port } = server.address() as AddressInfo;
    const send = createPing(`http://127.0.0.1:${port}/ping/${watchdogKey}`, {
      warn: (warning: unknown) => void warnings.push(String(warning)),
    });
    await send(143, undefined, hurry);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(String(warnings)).not.toContain(watchdogKey);
    return warnings;
  }

  it('is repeated once where the watchdog is busy', async () => {
    const statuses = [503, 200];
    expect(await ping((_, response) => void response.writeHead(statuses.shift()!).end())).toEqual([]);
    expect(statuses).toEqual([]);
  });

  it.each([
    [0, 'up', 'all clear'],
    [75, 'down', '1 to do: a day'],
  ])(
    'of exit code %i to a push address of Uptime Kuma has its state in the query, and none at a start',
    async (code, status, line) => {
      const requests: string[] = [];
      const kuma = createServer((request, response) => {
        requests.push(`${request.method} ${request.url}`);
        response.end('{"ok":true}');
      });
      await once(kuma.listen(0, '127.0.0.1'), 'listening');
      const { port } = kuma.address() as AddressInfo;
      const warn = (warning: unknown) => expect.fail(String(warning));
      const send = createPing(`http://127.0.0.1:${port}/api/push/k3y?status=up&msg=OK&ping=`, { warn });
      await send('start');
      await send(code, async () => `${line}\n\nMore of it`);
      kuma.close();
      const message = line.replaceAll(' ', '+').replaceAll(':', '%3A');
      expect(requests).toEqual([`GET /api/push/k3y?status=${status}&msg=${message}&ping=`]);
    },
  );

  it.each<[string, RequestListener, string]>([
    ['breaks off', (request) => void request.socket.destroy(), 'UND_ERR_SOCKET'],
    ['responds with 503', (_, response) => void response.writeHead(503).end(), 'status 503'],
  ])('to a watchdog that %s is logged without its address', async (_, listener, error) => {
    expect(await ping(listener)).toEqual([
      `HEALTHCHECK_URL was not notified of exit code 143 (${error}): check it if this happens again`,
    ]);
  });

  it.each<[string, RequestListener]>([
    ['is silent', () => {}],
    ['never ends the body of its 503', (_, response) => void response.writeHead(503).write('{')],
  ])('to a watchdog that %s takes two seconds of a process that is interrupted', async (_, listener) => {
    expect(await ping(listener, true)).toEqual([expect.stringContaining('(no response within 2.0 s)')]);
  });
});

const state = { status: 'firing', keys: ['TOKEN_REFUSED'] } as const;

it('what is posted holds no mention and no link of the service: chats take < and > for them', async ({
  onTestFinished,
}) => {
  const bodies: string[] = [];
  const chat = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      response.end();
    });
  });
  await once(chat.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void chat.close());
  const url = `http://127.0.0.1:${(chat.address() as AddressInfo).port}/`;
  const post = createPostAlert(url, { warn: () => {} })!;
  expect(await post('The service says: <!channel> & <https://evil.example|log in>', state)).toBeNull();
  expect(JSON.parse(bodies[0]!)).toEqual({
    ...state,
    text: 'The service says: &lt;!channel&gt; &amp; &lt;https://evil.example|log in&gt;',
  });
});

it('a chat that refuses other fields, as Google’s does, gets the text alone', async ({ onTestFinished }) => {
  const bodies: object[] = [];
  const chat = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(JSON.parse(body));
      response.writeHead(Object.keys(bodies.at(-1)!).length > 1 ? 400 : 200).end();
    });
  });
  await once(chat.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void chat.close());
  const { port } = chat.address() as AddressInfo;
  const post = createPostAlert(`http://127.0.0.1:${port}/`, {
    warn: (warning: unknown) => expect.fail(String(warning)),
  })!;
  expect(await post('One to do', state)).toBeNull();
  expect(bodies.at(-1)).toEqual({ text: 'One to do' });
});

it.each([
  'https://prod-1.westeurope.logic.azure.com:443/workflows/1/triggers/manual/paths/invoke?sig=x',
  'https://0.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/1/triggers/manual/paths/invoke/?sig=x',
  'https://0.environment.api.gov.powerplatform.microsoft.us/workflows/1/triggers/manual/paths/invoke',
])('a workflow of Teams gets the same text as a card, with no link of the service: %s', (url) => {
  expect(payloadOf(url, 'a\n[b](https://evil.example)', state)).toEqual({
    type: 'message',
    attachments: [
      expect.objectContaining({
        content: expect.objectContaining({
          type: 'AdaptiveCard',
          body: [{ type: 'TextBlock', wrap: true, text: 'a\n\n\\[b\\](https://evil.example)' }],
        }),
      }),
    ],
  });
});
