import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { createPing } from '../../src/job/alerts/ping.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { account } from '../service/account.ts';
import { connect, day, startRawServer, validBody } from '../service/raw-server.ts';
import { startWatchdog } from '../support/watchdog.ts';

/** One day of a server that responds so; `result` is the error where there is one. */
async function request(listener: RequestListener, retries = 2) {
  await using server = await startRawServer([listener]);
  const result = await connect(server.url, { retries, requestTimeoutMs: 20_000 })
    .summarizeCampaigns(account, day)
    .catch((error) => error);
  return { result, requests: server.times.length };
}

describe('a response', () => {
  it.each([1_000, 15_000])('with %i bytes of headers is read', async (size) => {
    const { result } = await request((_, response) =>
      response.setHeader('set-cookie', 'x'.repeat(size)).end(validBody),
    );
    expect(result).toMatchObject({ records: [] });
  });

  it('with more headers than Node takes is an error that says so, and is not requested again', async () => {
    const { result, requests } = await request((_, response) =>
      response.setHeader('set-cookie', 'x'.repeat(17_000)).end(validBody),
    );
    expect(result).toMatchObject({
      code: 'INVALID_RESPONSE',
      message: expect.stringMatching(/headers are too large/),
    });
    expect(requests).toBe(1);
  });

  it('in raw deflate is read', async () => {
    const { result } = await request((_, response) =>
      response.writeHead(200, { 'content-encoding': 'deflate' }).end(zlib.deflateRawSync(validBody)),
    );
    expect(result).toMatchObject({ records: [] });
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    'with status %i is not followed, and its error names the host',
    async (status) => {
      await using elsewhere = await startRawServer([(_, response) => response.end(validBody)]);
      const { result, requests } = await request((incoming, response) =>
        response.writeHead(status, { location: `${elsewhere.url}${incoming.url}` }).end(),
      );
      expect(elsewhere.times).toEqual([]);
      expect(requests).toBe(1);
      expect(result).toMatchObject({
        code: 'REQUEST_REFUSED',
        message: expect.stringContaining(`a redirect to ${elsewhere.url})`),
        advice: expect.stringMatching(/not followed.*SERVICE_BASE_URL/),
      });
    },
  );

  const mixed = 'MixedCaseSessionToken7';

  it.each([
    ['a path', `/login?sidtoken=${mixed}`, /a redirect to http:\/\/127\.0\.0\.1:\d+\)/],
    ['a host without scheme', `//other.example/?from=${mixed}`, /a redirect to http:\/\/other\.example\)/],
    ['a user at a host', `https://${mixed}@other.example/`, /a redirect to https:\/\/other\.example\)/],
    ['what is no web address', `mailto:ops@example.com?${mixed}`, /a redirect to no address\)/],
    ['a host named like it', `https://${mixed}.example/`, /a redirect to https:\/\/\[redacted\]\.example\)/],
    [
      'one with tabs in it',
      `https://${mixed.replace('C', '\tC')}.example/`,
      /https:\/\/\[redacted\]\.example\)/,
    ],
  ])('to %s never repeats the token, in whatever case', async (_, location, message) => {
    await using server = await startRawServer([(_, response) => response.writeHead(302, { location }).end()]);
    const redactor = createRedactor();
    redactor.learn(mixed);
    const error = await connect(server.url, {}, { token: () => mixed, redactor })
      .summarizeCampaigns(account, day)
      .catch((failure) => failure);
    expect(error.message).toMatch(message);
    expect(error.message.toLowerCase()).not.toContain(mixed.toLowerCase());
  });
});

describe('a 403', () => {
  const forbidden =
    (body: string): RequestListener =>
    (_, response) =>
      response.writeHead(403).end(body);

  it.each(['{}', ' \n{"error":"session expired"}', ''])(
    'with the body %j is a refused token',
    async (body) => {
      const { result } = await request(forbidden(body));
      expect(result).toMatchObject({ code: 'TOKEN_REFUSED' });
    },
  );

  it.each(['<!doctype html><h1>Request blocked</h1>', 'Access denied by policy', '"no"'])(
    'with the body %j is a firewall’s: no refused token, retried by the run, not by the request',
    async (body) => {
      const { result, requests } = await request(forbidden(body));
      expect(result).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringMatching(/firewall or proxy .* refuses the request \(status 403: [^)]/),
        advice: expect.stringMatching(/this machine's address/),
      });
      expect(requests).toBe(1);
    },
  );
});

describe('the User-Agent', () => {
  const expected = `callsheet/${manifest.version}`;

  it('of requests to the service names Callsheet and its version', async () => {
    const received: IncomingHttpHeaders[] = [];
    await request((incoming, response) => {
      received.push(incoming.headers);
      response.end(validBody);
    });
    expect(received.map((headers) => headers['user-agent'])).toEqual([expected]);
  });

  it('of pings does, too', async () => {
    await using watchdog = await startWatchdog();
    await createPing(watchdog.url, { warn: () => {} })('start');
    expect(watchdog.pings.map(({ headers }) => headers['user-agent'])).toEqual([expected]);
  });
});
