import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { ObservedSign } from '../../../src/model/accepted.ts';
import { account } from '../account.ts';
import { connect, day, startRawServer } from '../raw-server.ts';

/* Answers without records that the document doesn't show (docs/service-assumptions.md), over HTTP. */

const answer =
  (status: number, body: object | string = '', headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));

const empty = { campaigns: 0, reports: 0, result: [] };
const one = { campaigns: 1, reports: 1, result: [{ callsetid: 501, attempts: 100 }] };

/** Requests a day of a server that does to each request what its listener does, or the last one. */
async function request(listeners: readonly RequestListener[], parts: Parameters<typeof connect>[2] = {}) {
  await using server = await startRawServer(listeners);
  const archived: (string | null)[] = [];
  const service = connect(
    server.url,
    { retries: 4 },
    { onDiscarded: async (_, __, sign) => void archived.push(sign), ...parts },
  );
  const read = await service.summarizeCampaigns(account, day).catch((error) => error);
  return {
    read,
    archived,
    requests: server.times.length,
    url: server.url,
  };
}

describe('an answer without records', () => {
  it('is requested once more, and then an error that quotes it', async () => {
    const sign = 'HTTP 404; message: Aucune campagne le #';
    const { read, requests, archived } = await request([
      answer(404, { message: 'Aucune campagne le 01-03-2026' }),
    ]);
    expect(read).toMatchObject({
      code: 'UNKNOWN_ANSWER',
      detail: `unknown answer (${sign})`,
      status: '404',
      sign,
      exitCode: 75,
    });
    expect(requests).toBe(2);
    expect(archived).toEqual([sign, sign]);
  });

  it('is no error if the next one has records', async () => {
    const { read, requests, archived } = await request([answer(202, empty), answer(200, one)]);
    expect(read).toMatchObject({ rows: 1, remarks: [], emptyBy: null });
    expect([requests, archived]).toEqual([2, ['HTTP 202']]);
  });

  it('is requested once more alone, whatever came before it', async () => {
    const { read, requests } = await request([
      answer(503),
      answer(404, {}),
      answer(503),
      answer(404, {}),
      answer(200, one),
    ]);
    expect(read).toMatchObject({ code: 'UNKNOWN_ANSWER' });
    expect(requests).toBe(4);
  });

  it('is requested once if it was alerted on an earlier run date', async () => {
    const alerted: unknown[] = [];
    const isAlerted = (sign: unknown) => alerted.push(sign) > 0;
    const { read, requests } = await request([answer(404, { message: 'x' })], { isAlerted });
    expect(read).toMatchObject({ code: 'UNKNOWN_ANSWER', sign: 'HTTP 404; message: x' });
    expect(requests).toBe(1);
    expect(alerted).toEqual([{ kind: 'empty', operation: 'campaignSummary', sign: 'HTTP 404; message: x' }]);
  });

  it('is an empty list if somebody accepted all that it says', async () => {
    const observed: ObservedSign[] = [];
    const isAccepted = (sign: ObservedSign) => observed.push(sign) > 0;
    const { read, requests, archived } = await request([answer(404, { message: 'No campaigns' })], {
      isAccepted,
    });
    expect(read).toMatchObject({
      rows: 0,
      counts: {},
      records: [],
      remarks: [],
      emptyBy: 'HTTP 404; message: No campaigns',
      response: { status: 404 },
    });
    expect([requests, archived]).toEqual([1, []]);
    expect(observed).toEqual([
      {
        kind: 'empty',
        operation: 'campaignSummary',
        sign: 'HTTP 404; message: No campaigns',
        account: 'main',
      },
    ]);
  });
});

it.each([401, 403])('a status of %i refuses access, and quotes what it says', async (status) => {
  const { read, requests } = await request([answer(status, { message: 'Account suspended' })]);
  expect(read).toMatchObject({
    code: 'TOKEN_REFUSED',
    detail: `the service refuses access (status ${status}: message: Account suspended)`,
    advice: expect.stringMatching(
      /^write a valid token.*; if the response is about something else.*ask the provider$/,
    ),
  });
  expect(requests).toBe(1);
});

it('a page of clients that may be missing is requested once', async () => {
  await using server = await startRawServer([answer(404, { message: 'no such page' })]);
  const list = connect(server.url).listClients(account, { limit: 2, page: 3 }, true);
  await expect(list).rejects.toMatchObject({ code: 'UNKNOWN_ANSWER' });
  expect(server.times).toHaveLength(1);
});
