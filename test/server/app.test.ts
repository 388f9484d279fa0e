import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { alertCodes } from '../../src/job/alerts/conditions/catalogue.ts';
import type { ServerOptions } from '../../src/server/start.ts';
import { fill } from './fill.ts';
import { type FilledSite, openSite, type Site, serve } from './site.ts';

const token = 'page-t0ken/of+16';
let site: FilledSite;
beforeAll(async () => {
  site = await openSite({ names: ['callsheet.example.com'] });
});
afterAll(() => site.close());

async function serveHere(databaseUrl: string, options?: Partial<ServerOptions>): Promise<Site> {
  const opened = await serve(databaseUrl, options);
  onTestFinished(() => opened.close());
  return opened;
}

/** The status of a request to that host name; `fetch` doesn't allow another one. */
async function statusFor(host: string, path = '/healthz'): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(`${site.url}${path}`, { headers: { host } }, (response) => {
    text(response).then(() => resolve(response.statusCode!), reject);
  });
  sent.on('error', reject).end();
  return await promise;
}

describe('the server', () => {
  it('reports that it is alive and that it is ready', async () => {
    expect([(await site.get('/healthz')).status, await site.text('/healthz')]).toEqual([200, 'alive\n']);
    expect([(await site.get('/readyz')).status, await site.text('/readyz')]).toEqual([200, 'ready\n']);
  });

  it('has the chapter of each alert in the documents, and of nothing else', async () => {
    for (const code of alertCodes) {
      const chapter = await site.text(`/operations/${code}`);
      expect([code, chapter]).toEqual([code, expect.stringContaining(code)]);
      // It is shown as text.
      expect(chapter).not.toContain('](');
    }
    for (const other of ['alerts', 'NO_SUCH_CODE', '..%2F..%2Fpackage.json'])
      expect([other, (await site.get(`/operations/${other}`)).status]).toEqual([other, 404]);
  });

  it('accepts its own names and plain addresses, and no other name', async () => {
    const own = [
      'localhost',
      'LOCALHOST:80',
      '127.0.0.1:8080',
      '[::1]:8080',
      '10.1.2.3',
      'callsheet.example.com',
    ];
    for (const host of own) expect([host, await statusFor(host)]).toEqual([host, 200]);
    const others = [
      'evil.example',
      'evilcallsheet.example.com',
      'evil.callsheet.example.com',
      'callsheet.example.com.evil.example',
      'localhost.evil.example',
      '127.0.0.1.nip.io',
    ];
    for (const host of others) {
      for (const path of ['/healthz', '/', '/metrics'])
        expect([host, await statusFor(host, path)]).toEqual([host, 421]);
    }
  });

  it('is read-only', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      for (const path of ['/', '/healthz', '/nowhere']) {
        const response = await site.get(path, { method });
        expect([method, path, response.status, response.headers.get('allow')]).toEqual([
          method,
          path,
          405,
          'GET, HEAD',
        ]);
      }
    }
    expect((await site.get('/', { method: 'HEAD' })).status).toBe(200);
  });

  it('lets the page load its own style sheet and icon, and nothing else from anywhere', async () => {
    const { headers } = await site.get('/');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const page = await site.text('/');
    expect(page).not.toMatch(/<script|<style|\bstyle=|\bon[a-z]+=|javascript:|https?:/i);
    const loaded = [...page.matchAll(/<(?:link|script) [^>]*(?:href|src)="([^"]+)"/g)].map(
      ([, name]) => name!,
    );
    expect(loaded).toEqual(['style.css', 'icon.svg']);
    for (const name of loaded) expect([name, (await site.get(`/${name}`)).status]).toEqual([name, 200]);
  });

  it('ends with 78 if it can’t listen, and names the setting', async () => {
    const port = Number(new URL(site.url).port);
    await expect(serve(site.databaseUrl, { port })).rejects.toMatchObject({
      exitCode: 78,
      detail: `can't listen on HTTP_PORT ${port} of HTTP_HOST 127.0.0.1 (EADDRINUSE)`,
      advice: 'choose another port, or HTTP_PORT=0 for no server',
    });
  });

  it('closes while a client keeps a connection open, or has sent half a request', async () => {
    const other = await serve(site.databaseUrl);
    const half = connect(Number(new URL(other.url).port), '127.0.0.1');
    await once(half, 'connect');
    half.write('GET /healthz HTTP/1.1\r\n');
    await other.text('/healthz');
    const received = text(half).catch(() => '');
    await other.close();
    // The connection was closed; had the server waited for the rest of the request, it would have sent the time-out.
    expect(await received).toBe('');
    await expect(other.get('/healthz')).rejects.toThrow('fetch failed');
  });
});

describe('with HTTP_TOKEN the server', () => {
  const basic = (user: string, password: string) =>
    `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const paths = ['/', '/metrics', '/readyz', '/style.css', '/nowhere'];

  it('serves only /healthz without it', async () => {
    const guarded = await serveHere(site.databaseUrl, { token });
    expect((await guarded.get('/healthz')).status).toBe(200);
    const wrong = [
      ...[
        undefined,
        '',
        token,
        `Bearer ${token}x`,
        `Bearer ${token.slice(1)}`,
        'Bearer ',
        'Basic',
        'Basic ?',
      ],
      ...[basic('ana', 'wrong'), basic(token, ''), basic('', `${token} `), `Digest ${token}`],
    ];
    const refused = async (path: string, authorization: string | undefined) => {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await guarded.get(path, { headers });
      expect([path, authorization, response.status]).toEqual([path, authorization, 401]);
      expect(response.headers.get('www-authenticate')).toBe('Basic realm="Callsheet"');
      expect(await response.text()).not.toContain(token);
    };
    // All at once: the reply to a wrong token is late.
    await Promise.all(wrong.map((authorization) => refused('/', authorization)));
    await Promise.all(paths.flatMap((path) => [refused(path, undefined), refused(path, 'Bearer wrong')]));
    expect((await guarded.get(`/?token=${encodeURIComponent(token)}`)).status).toBe(401);
  });

  it('accepts it as a bearer token, and as the password with any user name', async () => {
    const guarded = await serveHere(site.databaseUrl, { token });
    for (const authorization of [
      `Bearer ${token}`,
      `bearer ${token}`,
      basic('', token),
      basic('ana', token),
    ]) {
      for (const path of ['/', '/metrics', '/readyz', '/style.css']) {
        const { status } = await guarded.get(path, { headers: { authorization } });
        expect([path, authorization, status]).toEqual([path, authorization, 200]);
      }
    }
  });
});

describe('while the warehouse can’t be read, the server', () => {
  const responsesOf = async ({ get, text }: Site) => {
    const page = await get('/');
    return {
      alive: (await get('/healthz')).status,
      ready: [(await get('/readyz')).status, await text('/readyz')] as const,
      page: [page.status, await page.text()] as const,
      metrics: [(await get('/metrics')).status, await text('/metrics')] as const,
    };
  };
  const expectReason = (
    { alive, ready, page, metrics }: Awaited<ReturnType<typeof responsesOf>>,
    reason: RegExp,
  ) => {
    expect([alive, ready[0], page[0], metrics[0]]).toEqual([200, 503, 503, 200]);
    expect(ready[1]).toMatch(reason);
    expect(page[1]).toContain('The warehouse can’t be read.');
    // On the page, message and advice are two sentences.
    const read = page[1]
      .replaceAll('&#39;', "'")
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll(/\.\s+To do\s*/g, ': ');
    expect(read).toMatch(new RegExp(reason, 'i'));
    for (const text of [ready[1], page[1]]) expect(text).not.toMatch(/^\s+at |\.ts:\d|node_modules/m);
    expect(metrics[1].match(/^callsheet\S* .*$/gm)).toEqual(['callsheet_database_up 0']);
  };

  it('reports that the connection is refused', async () => {
    const url = new URL(site.databaseUrl);
    url.port = '1';
    expectReason(
      await responsesOf(await serveHere(url.href)),
      /the database can't be used \(ECONNREFUSED.*check that the database is running/,
    );
  });

  it('reports a wrong password without the password', async () => {
    const url = new URL(site.databaseUrl);
    url.password = 'wr0ng-w0rd';
    const responses = await responsesOf(await serveHere(url.href));
    expectReason(responses, /the database rejected the password .*check DATABASE_URL/);
    expect(JSON.stringify(responses)).not.toContain('wr0ng-w0rd');
  });

  it('reports its own bound as its own, shows what it could read within it, and recovers afterwards', async () => {
    const locked = await openSite({ readTimeout: '2s' });
    onTestFinished(() => locked.close());
    await fill(locked, ['north']);
    await locked.query('begin; lock table etl.windows in access exclusive mode');
    const partial = await locked.get('/');
    const html = await partial.text();
    expect([partial.status, html]).toEqual([200, expect.stringContaining('can’t be read in time')]);
    expect(html).toContain('<code>schedule</code>');
    expect(html).not.toContain('All good');
    const metrics = await locked.text('/metrics');
    expect(metrics).toContain('callsheet_database_up 1');
    expect(metrics).not.toContain('callsheet_active_alerts{');
    await locked.query('rollback; begin; lock table etl.runs in access exclusive mode');
    const none = await locked.get('/');
    const body = await none.text();
    expect([none.status, body]).toEqual([503, expect.stringContaining('longer than Callsheet waits: 2s')]);
    expect(body).not.toContain('alter role');
    await locked.query('rollback');
    expect((await locked.get('/')).status).toBe(200);
  });
});
