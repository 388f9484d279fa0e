import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import type { Middleware } from '../../src/simulator/middleware.ts';
import { callsheet, startCallsheet } from '../support/callsheet.ts';
import { openWorld } from '../support/world.ts';
import { parseExposition } from './exposition.ts';
import { freePort } from './site.ts';

const token = 'page-t0ken/of+16';

/** `schedule` as a process, once its first run has ended; `lines` grows until it is stopped. */
async function scheduled(intercept?: Middleware) {
  const world = await openWorld(intercept ? { intercept } : {});
  onTestFinished(() => world.close());
  const port = await freePort();
  const settings = { HTTP_PORT: String(port), HTTP_TOKEN: token, LOG_LEVEL: 'trace', REQUEST_TIMEOUT: '2s' };
  const child = startCallsheet(['schedule'], { ...world.environment, ...settings, SCHEDULE: '* * * * * *' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const stdout = text(child.stdout);
  const reader = createInterface(child.stderr);
  const ran = Promise.withResolvers<void>();
  reader.on('line', (line) => {
    lines.push(line);
    if (/"msg":"(retry \d+: )?(done|partial|failed) in /.test(line)) ran.resolve();
  });
  await Promise.race([
    ran.promise,
    once(child, 'exit').then(() => Promise.reject(new Error(lines.join('\n')))),
  ]);
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return { status: response.status, text: await response.text() };
  };
  return { world, child, port, lines, stdout, get };
}

it('schedule serves the page, the metrics and its health until it is terminated: 143', async () => {
  const { child, port, get } = await scheduled();
  expect(await get('/healthz')).toEqual({ status: 200, text: 'alive\n' });
  expect(await get('/readyz')).toEqual({ status: 200, text: 'ready\n' });
  const page = await get('/');
  expect([page.status, page.text]).toEqual([200, expect.stringMatching(/<h1>All good: /)]);
  expect(page.text).toMatch(/Next run \w{3} \d/);
  const metrics = parseExposition((await get('/metrics')).text);
  expect(metrics.get('callsheet_runs_total')!.samples[0]).toMatchObject({ labels: { outcome: 'done' } });
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(401);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect((await ended)[0]).toBe(143);
  await expect(get('/healthz')).rejects.toThrow('fetch failed');
});

it('schedule ends with 78 if its port is in use, and names the port', async () => {
  const { world, port } = await scheduled();
  const taken = await callsheet(['schedule'], { ...world.environment, HTTP_PORT: String(port) });
  expect(taken.code).toBe(78);
  expect(taken.stderr).toContain(`can't listen on HTTP_PORT ${port} of HTTP_HOST 127.0.0.1 (EADDRINUSE)`);
  expect(taken.stderr).not.toMatch(/^\s+at /m);
});

const tokens = generateDataset().accounts.map((account) => account.token);
const secretsOf = (databaseUrl: string) => [token, ...tokens, new URL(databaseUrl).password];
const spelt = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ s: secret }).toString().slice(2),
  secret.replaceAll('/', '\\/'),
  secret.replaceAll('/', '&#x2F;').replaceAll('+', '&#43;'),
];

const echo = (params: URLSearchParams) => `${params.get('sidtoken')} /campaignSummary.wr?${params}`;
const services: Record<string, Middleware | undefined> = {
  works: undefined,
  'refuses every token and echoes it': ({ params }) => ({
    status: 401,
    body: JSON.stringify({ error: echo(params) }),
  }),
  'echoes the token in records that can’t be read': ({ params }) => ({
    body: JSON.stringify({
      page: 1,
      pages: 1,
      limit: 100,
      data: [
        { clientid: 1, clientname: echo(params) },
        { clientid: null, clientname: echo(params) },
      ],
      result: [
        { callsetid: 1, campaign: 'x', attempts: 1 },
        { callsetid: 'x', campaign: echo(params), attempts: echo(params) },
      ],
    }),
  }),
};

it.each(Object.entries(services))(
  'no secret is on the page, in the metrics or in the log, when the service %s',
  async (_, intercept) => {
    const { world, child, lines, stdout, get } = await scheduled(intercept);
    const secrets = secretsOf(world.databaseUrl).flatMap(spelt);
    expect(secrets.every((secret) => secret.length > 5)).toBe(true);
    const paths = ['/', '/metrics', '/readyz', '/healthz', '/nowhere'];
    const pages = await Promise.all(paths.map(async (path) => (await get(path)).text));
    expect(pages[0]).toContain('north');
    child.kill('SIGTERM');
    await once(child, 'close');
    for (const text of [...pages, ...lines, await stdout]) {
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
  },
);
