import type { RequestListener } from 'node:http';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ServiceResponse } from '../../src/model/records.ts';
import { account } from './account.ts';
import { connect, day, startRawServer, status, token } from './raw-server.ts';

/** Services that repeat the request in their response: these words may be in an error, without the token. */
const echoing: [string, RequestListener][] = [
  [
    'refuses the token',
    (request, response) => response.writeHead(401).end(`${decodeURIComponent(request.url!)} ${request.url}`),
  ],
  ['repeats the request in a 200', (request, response) => response.end(`{"error":"${request.url}"}`)],
  ['is broken', (request, response) => response.writeHead(500).end(request.url)],
  ['sends HTML', (request, response) => response.end(`<a href="${request.url}">`)],
];

/** Errors without words of the service. */
const silent: [string, RequestListener][] = [
  ['redirects', (request, response) => response.writeHead(302, { location: `/x${request.url}` }).end()],
  ['is busy', status(429)],
  ['refuses the request', status(400)],
  ['hangs up', (request) => request.socket.destroy()],
  ['speaks something other than HTTP', (request) => request.socket.end(`GET ${request.url}\r\n\r\n`)],
  ['is silent', () => {}],
  [
    'cuts the body',
    (_, response) => response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy()),
  ],
  ['sends too much', (_, response) => void response.writeHead(200, { 'content-length': 2 ** 31 }).write('{')],
  [
    'sends what is not gzip',
    (request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(request.url),
  ],
];

const tokens = [token, encodeURIComponent(token), encodeURIComponent(token).toLowerCase()];
const query = ['sidtoken', 'startdate', '03-01-2026'];

/** All of a value, as deep as it goes: messages, stacks, causes, hidden properties. */
function expectNone(secrets: readonly string[], value: unknown): void {
  const text = inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true });
  for (const secret of secrets) expect(text).not.toContain(secret);
}

async function failWith(listener: RequestListener, requestTimeoutMs = 600_000) {
  await using server = await startRawServer([listener]);
  const discarded: (Omit<ServiceResponse, 'body'> & { readonly body: string })[] = [];
  const onDiscarded = async (_: unknown, response: ServiceResponse) =>
    void discarded.push({ ...response, body: String(response.body) });
  const error: unknown = await connect(server.url, { requestTimeoutMs }, { onDiscarded })
    .summarizeCampaigns(account, day)
    .catch((error) => error);
  expect(error).toHaveProperty('code');
  expect(error).not.toHaveProperty('cause');
  return { error, discarded };
}

describe('an error of a service that', () => {
  it.each(echoing)('%s holds no token, nor does what is archived', async (_, listener) => {
    const { error, discarded } = await failWith(listener);
    expect(discarded).not.toEqual([]);
    expectNone(tokens, [error, discarded]);
  });

  it.each(silent)('%s holds neither token nor query', async (_, listener) => {
    const { error, discarded } = await failWith(listener, 1_000);
    expectNone(tokens, [error, discarded]);
    expectNone(query, error);
  });

  it('can’t be reached names its address, and holds neither token nor query', async () => {
    const server = await startRawServer([]);
    await server[Symbol.asyncDispose]();
    const error: unknown = await connect(server.url, { retries: 0 })
      .summarizeCampaigns(account, day)
      .catch((error) => error);
    expect(error).toMatchObject({ message: expect.stringContaining(`at ${server.url} (ECONNREFUSED)`) });
    expect(error).not.toHaveProperty('cause');
    expectNone([...tokens, ...query], error);
  });
});

describe('an error that ky makes itself', () => {
  it('leaves without the query that ky knows, and ky knows no token', async () => {
    await using server = await startRawServer([status(400)]);
    // What ky takes for a failed connection.
    const onDiscarded = () => Promise.reject(new TypeError('fetch failed'));
    const error: unknown = await connect(server.url, { retries: 0 }, { onDiscarded })
      .summarizeCampaigns(account, day)
      .catch((error) => error);
    expect(error).toMatchObject({ message: 'unexpected NetworkError' });
    expect(error).not.toHaveProperty('cause');
    expectNone([...tokens, ...query], error);
  });
});
