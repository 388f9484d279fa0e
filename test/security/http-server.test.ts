import { request } from 'node:http';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fill } from '../server/fill.ts';
import { type FilledSite, openSite, serve } from '../server/site.ts';
import { lockWaits } from '../support/database.ts';

const token = 'page-t0ken/of+16';
let site: FilledSite;
beforeAll(async () => {
  site = await openSite();
  await fill(site, ['north']);
});
afterAll(() => site.close());

/** The status of a request with these headers, which `fetch` would set itself. */
async function statusWith(headers: Record<string, string>, path = '/'): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(`${site.url}${path}`, { headers }, (response) => {
    text(response).then(() => resolve(response.statusCode!), reject);
  });
  sent.on('error', reject).end();
  return await promise;
}

/** A connection that never finishes its request: the number of bytes that the server sends until it closes it. */
function sendHalfARequest(port: number) {
  const socket = connect(port, '127.0.0.1', () => socket.write('GET /healthz HTTP/1.1\r\n'));
  socket.on('error', () => {}).resume();
  return {
    connected: new Promise((resolve) => socket.once('connect', resolve)),
    bytes: new Promise<number>((resolve) => socket.once('close', () => resolve(socket.bytesRead))),
  };
}

describe('however many requests come in, the server', () => {
  it('takes no connection of a run: it reads over two of its own', async () => {
    await site.query('begin');
    await site.query('lock table etl.runs in access exclusive mode');
    const paths = ['/', '/metrics', '/readyz'];
    const responses = paths.flatMap((path) => [site.get(path), site.get(path), site.get(path)]);
    await lockWaits(site.databaseUrl, 2);
    const sessions = await site.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'callsheet'`,
    );
    expect(sessions).toHaveLength(2);
    await site.query('rollback');
    await Promise.all(responses);
  });

  it('sends what it serves compressed, and plain to those who accept no gzip', async () => {
    for (const path of ['/', '/metrics', '/style.css']) {
      const compressed = await site.get(path, { headers: { 'accept-encoding': 'gzip' } });
      expect([path, compressed.headers.get('content-encoding')]).toEqual([path, 'gzip']);
      const plain = await site.get(path, { headers: { 'accept-encoding': 'identity' } });
      expect([path, plain.headers.get('content-encoding')]).toEqual([path, null]);
      expect(await plain.text()).toBe(await compressed.text());
      expect((await site.get(path, { method: 'HEAD' })).status).toBe(200);
    }
  });

  it('keeps 64 connections at most, and none that sends no whole request', async () => {
    const port = Number(new URL(site.url).port);
    const sizes = await Promise.all(Array.from({ length: 80 }, () => sendHalfARequest(port).bytes));
    // Each above the bound closes the oldest at once, the others end when their headers take too long.
    expect(sizes.filter((bytes) => bytes === 0).length).toBeGreaterThanOrEqual(16);
    expect((await site.get('/healthz')).status).toBe(200);
  });

  it('answers /healthz while slow clients hold all 64 connections', async () => {
    // A server of its own: no earlier request has left a connection open.
    const held = await serve(site.databaseUrl, { token });
    onTestFinished(() => held.close());
    const port = Number(new URL(held.url).port);
    const slow = Array.from({ length: 64 }, () => sendHalfARequest(port));
    await Promise.all(slow.map(({ connected }) => connected));
    expect((await held.get('/healthz')).status).toBe(200);
    await Promise.all(slow.map(({ bytes }) => bytes));
  });
});

describe('to pages of other sites the server', () => {
  it('gives nothing but a page that a link leads to', async () => {
    const statuses = async (site: string, mode: string, destination: string) =>
      await statusWith({ 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination });
    for (const other of ['cross-site', 'same-site']) {
      expect(await statuses(other, 'navigate', 'document')).toBe(200);
      for (const embedded of ['iframe', 'object', 'embed'])
        expect([embedded, await statuses(other, 'navigate', embedded)]).toEqual([embedded, 403]);
      for (const mode of ['no-cors', 'cors', 'websocket'])
        expect([mode, await statuses(other, mode, 'image')]).toEqual([mode, 403]);
    }
    for (const own of ['same-origin', 'none']) expect(await statuses(own, 'no-cors', 'style')).toBe(200);
  });

  it('refuses every route, the one without a token included', async () => {
    for (const path of ['/', '/metrics', '/readyz', '/healthz', '/style.css', '/nowhere'])
      expect([path, await statusWith({ 'sec-fetch-site': 'cross-site' }, path)]).toEqual([path, 403]);
  });
});

it('a path with control characters or broken escapes is a 404, and so is one of any length', async () => {
  for (const path of [
    '/%00',
    '/%0a',
    '/%1b[2J',
    '/%7f',
    '/%ff',
    '/%ed%a0%80',
    '/..%2f',
    `/${'x'.repeat(10_000)}`,
  ])
    expect([path.slice(0, 20), await statusWith({}, path)]).toEqual([path.slice(0, 20), 404]);
});

describe('a wrong token', () => {
  it('is logged once for many requests, with the address and without what was sent', async () => {
    const lines: string[] = [];
    const log = pino(new Writable({ write: (line, _, done) => done(void lines.push(String(line))) }));
    const guarded = await serve(site.databaseUrl, { token }, {}, log);
    onTestFinished(() => guarded.close());
    const tried = 'password-of-somewhere-else';
    const basic = `Basic ${Buffer.from(`ana:${tried}`).toString('base64')}`;
    const wrong = [`Bearer ${tried}`, basic, tried].flatMap((authorization) => [
      authorization,
      authorization,
    ]);
    const responses = await Promise.all(
      wrong.map((authorization) => guarded.get('/', { headers: { authorization } })),
    );
    expect(responses.map(({ status }) => status)).toEqual(wrong.map(() => 401));
    const warnings = lines.filter((line) => line.includes('HTTP_TOKEN'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('server: wrong HTTP_TOKEN, from 127.0.0.1;');
    for (const secret of [tried, basic, token]) expect(lines.join()).not.toContain(secret);
  });

  it('is answered after half a second, and no other request waits for that', async () => {
    const guarded = await serve(site.databaseUrl, { token });
    onTestFinished(() => guarded.close());
    const ask = async (bearer: string) =>
      (await guarded.get('/style.css', { headers: { authorization: `Bearer ${bearer}` } })).status;
    // On a busy machine, the right one may take longer than half a second.
    for (let first: number | undefined; first !== 200; ) {
      const began = performance.now();
      const wrong = ask('wrong');
      first = await Promise.race([wrong, ask(token)]);
      expect(await wrong).toBe(401);
      expect(performance.now() - began).toBeGreaterThan(490);
    }
  });
});
