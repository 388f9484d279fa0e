import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { account } from '../account.ts';
import { connect, day, startRawServer } from '../raw-server.ts';

/* Responses that aren't a good one (design, *A good response*), over HTTP. */

const answer =
  (status: number, body: object | string = ''): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));

const empty = { campaigns: 0, reports: 0, result: [] };
const one = { campaigns: 1, reports: 1, result: [{ callsetid: 501, attempts: 100 }] };
const nothing = { message: 'No campaigns found' };

/** Requests one day after the other; the server does to each what its listener does. */
async function days(
  listeners: readonly RequestListener[],
  count: number,
  parts: Parameters<typeof connect>[2] = {},
) {
  await using server = await startRawServer(listeners);
  const service = connect(server.url, { retries: 1 }, parts);
  const read: unknown[] = [];
  for (let each = 0; each < count; each++)
    read.push(await service.summarizeCampaigns(account, day).catch((error) => error));
  return { read, requests: server.times.length, url: server.url };
}

describe('a service that isn’t done', () => {
  it.each<[string, RequestListener, string]>([
    ['202 with an empty list', answer(202, empty), 'no records, and HTTP 202'],
    ['202 without a body', answer(202), 'HTTP 202'],
    [
      '200 that is processing',
      answer(200, { ...empty, status: 'processing' }),
      'no records, and status: processing',
    ],
    ['200 without a list', answer(200, { status: 'pending' }), 'status: pending'],
    [
      '409 that says so',
      answer(409, { message: 'The report is being generated' }),
      'HTTP 409; message: The report is being generated',
    ],
  ])('is asked again, and then an error that says so: %s', async (_, listener, what) => {
    const { read, requests } = await days([listener], 1);
    expect(read).toEqual([
      expect.objectContaining({
        code: 'INVALID_RESPONSE',
        detail: `the service isn't done yet (${what})`,
        advice: expect.stringContaining('each run asks again'),
      }),
    ]);
    expect(requests).toBe(2);
  });

  it('is done the second time', async () => {
    expect((await days([answer(202, empty), answer(200, one)], 1)).read).toMatchObject([
      { rows: 1, unfinished: null },
    ]);
  });

  it('says so beside rows', async () => {
    const { read, requests } = await days([answer(206, one)], 1);
    expect(read).toMatchObject([{ rows: 1, unfinished: 'HTTP 206', noList: null }]);
    expect(requests).toBe(1);
  });
});

describe('no list, from an address that has sent one,', () => {
  it.each<[number, object | string, string]>([
    [204, '', 'HTTP 204'],
    [404, nothing, 'HTTP 404: No campaigns found'],
    [200, nothing, 'HTTP 200: No campaigns found'],
  ])('is an empty one that says what came: %i', async (status, body, noList) => {
    const { read, requests } = await days([answer(200, one), answer(status, body)], 2);
    expect(read).toMatchObject([
      { rows: 1, noList: null },
      { rows: 0, counts: {}, records: [], noList },
    ]);
    expect(requests).toBe(2);
    const known = await days([answer(status, body)], 1, { hasSentList: async () => true });
    expect(known.read).toMatchObject([{ rows: 0, noList, response: { status } }]);
  });

  it.each<[string, RequestListener]>([
    ['a page', answer(404, '<title>No campaigns found</title>')],
    ['another address', answer(404, { message: 'Not Found' })],
  ])('is no 404 of %s', async (_, listener) => {
    const { read } = await days([answer(200, one), listener], 2);
    expect(read[1]).toMatchObject({
      code: 'REQUEST_REFUSED',
      detail: expect.stringContaining('has nothing at'),
    });
  });
});

it.each<[number, object | string, string]>([
  [204, '', 'HTTP 204'],
  [404, nothing, 'HTTP 404: No campaigns found'],
])(
  'no list, from an address that never sent one, is an error that names the setting: %i',
  async (status, body, noList) => {
    const { read, requests, url } = await days([answer(status, body)], 1);
    expect(read).toEqual([
      expect.objectContaining({
        code: 'INVALID_RESPONSE',
        detail: `invalid response (${noList}, from ${url}/campaignSummary.wr, which never sent a list)`,
        advice: `check SERVICE_BASE_URL: perhaps it is ${url}/api`,
      }),
    ]);
    expect(requests).toBe(1);
  },
);

it('a list of clients shows that an address is known, too', async () => {
  await using server = await startRawServer([answer(200, { data: [{ clientid: 1 }] }), answer(404, nothing)]);
  const service = connect(server.url);
  await service.listClients(account, {});
  expect(await service.summarizeCampaigns(account, day)).toMatchObject({ rows: 0 });
});

it('an error status with a text that refuses the token is about the token', async () => {
  expect((await days([answer(400, { error: 'Session expired' })], 1)).read).toMatchObject([
    {
      code: 'TOKEN_REFUSED',
      detail: 'the service refuses the session token (HTTP 400; error: Session expired)',
    },
  ]);
});
