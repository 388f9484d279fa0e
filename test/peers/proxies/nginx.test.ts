import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort } from '../../server/site.ts';
import { healed, openProxied, unavailable } from './proxied.ts';

// A service that is down, and one that never responds.
const down = `127.0.0.1:${await freePort()}`;
const silent = createServer().listen(0, '127.0.0.1');
await once(silent, 'listening');
const mute = `127.0.0.1:${(silent.address() as AddressInfo).port}`;

const { nginx, run, close } = await openProxied((service) => ({
  shared: `
  limit_req_zone $server_port zone=limit:1m rate=20r/s;
  limit_req_status 429;
  # It reports the one that fails, then leaves it out.
  proxy_next_upstream off;
  upstream once_down { server ${down} fail_timeout=1h; server ${service}; }
  upstream once_mute { server ${mute} fail_timeout=1h; server ${service}; }`,
  places: {
    open: `location / { proxy_pass http://${service}; }`,
    limited: `location / { limit_req zone=limit burst=2 nodelay; proxy_pass http://${service}; }`,
    onceDown: 'location / { proxy_pass http://once_down; }',
    onceMute: 'location / { proxy_read_timeout 500ms; proxy_pass http://once_mute; }',
    down: `location / { proxy_pass http://${down}; }`,
    mute: `location / { proxy_read_timeout 500ms; proxy_pass http://${mute}; }`,
    busy: 'location / { return 429; }',
    tooLarge: 'location / { return 413; }',
    auth: `
    location / { auth_request /auth; error_page 401 = @login; proxy_pass http://${service}; }
    location = /auth { internal; return 401; }
    location @login { return 302 https://login.example.com/auth?next=$request_uri; }`,
    login: `location / { default_type text/html; return 200 '<html><title>Log in</title></html>'; }`,
  },
}));
afterAll(async () => {
  await close();
  silent.close();
});

describe('behind nginx, with an authority of its own', () => {
  it('a run loads its day over TLS and gzip', async () => {
    expect(await run(nginx.ports.open)).toEqual(healed);
    expect(new Set(await nginx.responses('open'))).toEqual(new Set(['200 gzip']));
  });

  it('a run that doesn’t trust the authority says how it would', async () => {
    const problem =
      /has a certificate of an authority that is not trusted here \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\): .*NODE_EXTRA_CA_CERTS/;
    expect(await run(nginx.ports.open, { NODE_EXTRA_CA_CERTS: '' })).toEqual(unavailable(problem));
  });

  it('a run that speaks http where https is served says what nginx says', async () => {
    const settings = { SERVICE_BASE_URL: `http://127.0.0.1:${nginx.ports.open}/api` };
    const problem =
      /\(status 400: a page titled "400 The plain HTTP request was sent to HTTPS port"\): check SERVICE_BASE_URL/;
    expect(await run(nginx.ports.open, settings)).toEqual(unavailable(problem));
  });

  it('a run heals what `limit_req` refuses, and with RATE_PER_SECOND nothing is refused', async () => {
    expect(await run(nginx.ports.limited, { RETRIES: '4' })).toEqual(healed);
    const refused = async () => (await nginx.responses('limited')).filter((line) => line === '429 -').length;
    const before = await refused();
    expect(before).toBeGreaterThan(0);
    expect(await run(nginx.ports.limited, { RATE_PER_SECOND: '10' })).toEqual(healed);
    expect(await refused()).toBe(before);
  });

  it.each([
    ['502', 'onceDown'],
    ['504', 'onceMute'],
  ] as const)('a run heals a passing %s', async (status, place) => {
    expect(await run(nginx.ports[place], { RETRIES: '4' })).toEqual(healed);
    expect(await nginx.responses(place)).toContain(`${status} -`);
  });

  it.each([
    [
      '429',
      'busy',
      /with status 429 on every attempt: a page titled "429 Too Many Requests": set RATE_PER_SECOND/,
    ],
    [
      '502',
      'down',
      /with status 502 on every attempt: a page titled "502 Bad Gateway": wait: the next run catches up/,
    ],
    [
      '504',
      'mute',
      /with status 504 on every attempt: a page titled "504 Gateway Time-out": wait: the next run catches up/,
    ],
    [
      '413',
      'tooLarge',
      /\(status 413: a page titled "413 Request Entity Too Large"\): check SERVICE_BASE_URL/,
    ],
    [
      'redirect to a login',
      'auth',
      /\(status 302, a redirect to https:\/\/login\.example\.com\): redirects are not followed/,
    ],
    ['page of a login', 'login', /\(not JSON: a page titled "Log in"\): check that SERVICE_BASE_URL/],
  ] as const)('a run that meets nothing but a %s ends with a line on it', async (_, place, problem) => {
    expect(await run(nginx.ports[place])).toEqual(unavailable(problem));
  });
});
