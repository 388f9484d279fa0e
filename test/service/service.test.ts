import { afterEach, describe, expect, it } from 'vitest';
import { Failure, lineOf } from '../../src/model/errors.ts';
import type { Account } from '../../src/model/records.ts';
import { createService, type Service } from '../../src/service/service.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../support/simulator.ts';

const dataset = generateDataset();
const coast = dataset.accounts.find(({ name }) => name === 'coast')!;
const account: Account = { name: coast.name, label: coast.name, timeZone: 'UTC' };
const open: Simulator[] = [];
afterEach(() => Promise.all(open.splice(0).map((simulator) => simulator.close())));

async function connect(
  options: SimulatorOptions = {},
  settings: { windowEnd?: 'next-day'; baseUrl?: string } = {},
) {
  const simulator = await startSimulator(options);
  open.push(simulator);
  const redactor = createRedactor();
  redactor.learn(coast.token);
  const service = createService({
    settings: {
      baseUrl: settings.baseUrl ?? simulator.url,
      requestTimeoutMs: 2_000,
      retries: 1,
      maxResponseBytes: 64_000_000,
      concurrency: 4,
      ratePerSecond: null,
      windowEnd: settings.windowEnd ?? 'same-day',
      balanceField: null,
    },
    token: () => coast.token,
    redactor,
    signal: new AbortController().signal,
  });
  return { simulator, service };
}

async function pagesOf(service: Service, limit: number) {
  const pages = [];
  let end = null;
  for await (const item of service.walkClients(account, { limit, balance: true })) {
    if ('verdict' in item) end = item;
    else pages.push(item);
  }
  return { pages, end };
}

describe('a request to the service', () => {
  it('has the token, the content type of the document and every given parameter', async () => {
    const { simulator, service } = await connect();
    await service.listClients(account, { limit: 7, page: 2, search: 'a b&c', balance: true });
    await service.summarizeCampaigns(account, { from: '2026-02-28', to: '2026-03-01', callsetId: 42 });
    expect(
      simulator.journal.map(({ operation, account, contentType, params }) => ({
        operation,
        account,
        contentType,
        params,
      })),
    ).toEqual([
      {
        operation: 'getClients',
        account: 'coast',
        contentType: 'application/x-www-form-urlencoded',
        params: { sidtoken: 'coast', limit: '7', page: '2', search: 'a b&c', balance: 'true' },
      },
      {
        operation: 'campaignSummary',
        account: 'coast',
        contentType: 'application/x-www-form-urlencoded',
        params: { sidtoken: 'coast', startdate: '02-28-2026', enddate: '03-01-2026', callsetid: '42' },
      },
    ]);
  });

  it('ends on the day after where WINDOW_END says that the end is not included', async () => {
    const { simulator, service } = await connect({}, { windowEnd: 'next-day' });
    await service.summarizeCampaigns(account, { from: '2026-12-31', to: '2026-12-31' });
    expect(simulator.journal[0]!.params).toMatchObject({ startdate: '12-31-2026', enddate: '01-01-2027' });
  });
});

describe('the walk over all client pages', () => {
  it('requests the limit alone first, then page by page, and sees every client once', async () => {
    const { simulator, service } = await connect();
    const { pages, end } = await pagesOf(service, 30);
    expect(end).toMatchObject({ verdict: 'complete' });
    expect(simulator.journal[0]!.params).not.toHaveProperty('page');
    const requested = simulator.journal.slice(1).map(({ params }) => Number(params.page));
    expect(requested.toSorted((one, other) => one - other)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(pages.flatMap((page) => page.records.map((client) => client.clientId))).toEqual(
      dataset.clients('coast').map((client) => client.clientid),
    );
  });

  it('follows a service that counts its pages from 0', async () => {
    const { service } = await connect({
      intercept: ({ params }) => {
        const page = Number(params.get('page') ?? 0);
        return {
          body: JSON.stringify({
            page,
            pages: 3,
            data: [{ clientid: page * 10, clientname: 'x', checksum: '1' }],
          }),
        };
      },
    });
    const { pages, end } = await pagesOf(service, 1);
    expect(end).toMatchObject({ verdict: 'complete' });
    expect(pages.flatMap((page) => page.records.map((client) => client.clientId))).toEqual([0, 10, 20]);
  });

  it('reports that it did not see the whole list', async () => {
    const { service } = await connect({
      intercept: () => ({ body: JSON.stringify({ page: 1, pages: 3, data: [{ clientid: 1 }] }) }),
    });
    const { pages, end } = await pagesOf(service, 1);
    expect(pages).toHaveLength(3);
    expect(end).toMatchObject({ verdict: 'incomplete', reason: 'requested page 2, got page 1' });
  });
});

describe('a response', () => {
  const respondWith = async (result: unknown[]) => {
    const { service } = await connect({ intercept: () => ({ body: JSON.stringify({ result }) }) });
    return await service.summarizeCampaigns(account, { from: '2026-03-01', to: '2026-03-01' });
  };

  it('hands on its counts, its rows, and the text of an error beside records without the token', async () => {
    const result = [{ callsetid: 7 }, { callsetid: 7 }, { callsetid: -1 }];
    const error = `late, for ${coast.token} ${'and so on '.repeat(30)}`;
    const { service } = await connect({
      intercept: () => ({ body: JSON.stringify({ campaigns: '3', reports: null, result, error }) }),
    });
    const summary = await service.summarizeCampaigns(account, { from: '2026-03-01', to: '2026-03-01' });
    expect(summary).toMatchObject({ counts: { campaigns: 3 }, rows: 3 });
    expect(summary.notice).toMatch(/^error: late, for \[redacted\] and so on/);
    expect(summary.notice!.length).toBeLessThanOrEqual(200);
  });

  it('may have numbers as text, missing counts, and fields that the document does not show', async () => {
    const { records } = await respondWith([
      {
        callsetid: '7',
        campaign: 'A',
        attempts: '12',
        busies: 0,
        connects: null,
        voicemails: 3,
        tags: ['x'],
      },
    ]);
    expect(records).toEqual([
      {
        callsetId: 7,
        campaign: 'A',
        attempts: 12,
        busies: 0,
        connects: null,
        liveAnswers: null,
        extra: { voicemails: 3, tags: ['x'] },
      },
    ]);
  });

  it('loads the readable records beside those that are not', async () => {
    const good = { callsetid: 1, campaign: 'A', attempts: 1, busies: 0, connects: 1, liveanswers: 1 };
    const bad = [
      { ...good, callsetid: null },
      { ...good, callsetid: 2, attempts: -1 },
      { ...good, callsetid: 3, attempts: 1.5 },
      { ...good, callsetid: 4, attempts: 2 ** 53 },
      { ...good, callsetid: 5, campaign: 'null\0char' },
      'text',
    ];
    const twice = [good, { ...good, callsetid: 6 }, { ...good, callsetid: 6, attempts: 9 }, good];
    const { records, rejects } = await respondWith([...bad, ...twice]);
    expect(records.map((record) => record.callsetId)).toEqual([1]);
    expect(rejects).toHaveLength(bad.length + 2);
    expect(rejects.every(({ reason, payload }) => reason !== '' && payload !== '')).toBe(true);
  });
});

describe('a failure', () => {
  const failing = async (status: number, body: string) => {
    const { service, simulator } = await connect({ intercept: () => ({ status, body }) });
    const error = await service
      .summarizeCampaigns(account, { from: '2026-03-01', to: '2026-03-01' })
      .catch((each) => each);
    return { error: error as Failure, attempts: simulator.journal.length };
  };

  it.each([
    [401, 'TOKEN_REFUSED', 2],
    [403, 'TOKEN_REFUSED', 2],
    [400, 'REQUEST_REFUSED', 1],
    [404, 'REQUEST_REFUSED', 1],
    [500, 'SERVICE_UNAVAILABLE', 2],
    [429, 'SERVICE_UNAVAILABLE', 2],
  ])(
    'with status %i is "%s" after %i attempts, and its text never holds the token',
    async (status, code, attempts) => {
      const ended = await failing(
        status,
        JSON.stringify({ error: `no: ${coast.token} ${encodeURIComponent(coast.token)}` }),
      );
      expect(ended.error).toBeInstanceOf(Failure);
      expect({ code: ended.error.code, attempts: ended.attempts }).toEqual({ code, attempts });
      for (const text of [lineOf(ended.error), ended.error.stack ?? '', JSON.stringify(ended.error)]) {
        expect(text).not.toContain(coast.token);
        expect(text).not.toContain(encodeURIComponent(coast.token));
      }
      expect(ended.error.cause).toBeUndefined();
    },
  );

  it('with HTML under status 200 is retried, then an invalid response', async () => {
    const ended = await failing(200, '<html>Maintenance</html>');
    expect({ code: ended.error.code, attempts: ended.attempts }).toEqual({
      code: 'INVALID_RESPONSE',
      attempts: 2,
    });
  });

  it('of a token that is refused twice is repeated in full without another request', async () => {
    const { service, simulator } = await connect({ intercept: () => ({ status: 401, body: '' }) });
    const list = () => service.listClients(account, { limit: 1 });
    await expect(list()).rejects.toThrow(
      'account coast, clients: the service refuses the session token (status',
    );
    await expect(list()).rejects.toThrow(/account coast, clients: .*refuses.*hasn't changed since/);
    expect(simulator.journal).toHaveLength(2);
  });

  it('with other JSON than the document shows is an invalid response', async () => {
    expect((await failing(200, '{"rows":[]}')).error.code).toBe('INVALID_RESPONSE');
  });

  it('heals when the second attempt gets a response', async () => {
    const { service } = await connect({
      intercept: ({ nth }) => (nth === 1 ? { status: 503, body: '' } : undefined),
    });
    const { records } = await service.summarizeCampaigns(account, { from: '2026-03-02', to: '2026-03-02' });
    expect(records.length).toBeGreaterThan(0);
  });
});
