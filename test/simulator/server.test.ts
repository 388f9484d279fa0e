import { describe, expect, test } from 'vitest';
import type { Dataset } from '../../src/simulator/dataset.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import {
  ask,
  askCampaigns,
  askClients,
  type ClientsBody,
  DATASET,
  type ErrorBody,
  NOW,
  start,
  tokenOf,
} from './ask.ts';

const DAY = { startdate: '11-18-2026', enddate: '11-18-2026' };

describe('the token', () => {
  test.for(['getClients.wr', 'campaignSummary.wr'])(
    'is needed for %s, and never echoed',
    async (operation) => {
      const simulator = await start();
      const wrong = 'wrong-token-4711';
      for (const query of [{ ...DAY }, { ...DAY, sidtoken: '' }, { ...DAY, sidtoken: wrong }]) {
        const { status, headers, text, body } = await ask<ErrorBody>(simulator, operation, query);
        expect(status).toBe(401);
        expect(headers.get('content-type')).toContain('application/json');
        expect(body.error).toEqual({ code: 401, message: expect.stringContaining('sidtoken') });
        expect(text).not.toContain(wrong);
      }
    },
  );

  test('shows each account its own clients and campaigns, and nobody else’s', async () => {
    const simulator = await start();
    const day = Temporal.PlainDate.from('2026-11-18');
    const clients = new Set<number>();
    const campaigns = new Set<number>();
    for (const { name } of DATASET.accounts) {
      const list = (await askClients(simulator, { limit: '1000', balance: 'true' }, name)).body;
      const summary = (await askCampaigns(simulator, '2026-11-18', '2026-11-18', {}, name)).body;
      expect(list.data).toEqual(DATASET.clients(name));
      expect(summary.result).toEqual(DATASET.campaigns(name, day, day));
      for (const { clientid } of list.data) clients.add(clientid);
      for (const { callsetid } of summary.result) campaigns.add(callsetid);
    }
    const all = DATASET.accounts.flatMap(({ name }) => DATASET.campaigns(name, day, day));
    expect(clients.size).toBe(1_200);
    expect(campaigns.size).toBe(all.length);
  });

  test('with characters of its own in URLs works encoded, and only so', async () => {
    const simulator = await start();
    const token = tokenOf('coast');
    expect(token).toContain('+');
    expect((await askClients(simulator, {}, 'coast')).status).toBe(200);
    expect((await fetch(`${simulator.url}/getClients.wr?sidtoken=${token}`)).status).toBe(401);
  });
});

describe('the two operations', () => {
  test.for(['POST', 'PUT', 'DELETE', 'HEAD'])('refuse %s', async (method) => {
    const simulator = await start();
    for (const operation of ['getClients.wr', 'campaignSummary.wr']) {
      const url = `${simulator.url}/${operation}?sidtoken=${tokenOf('north')}`;
      const response = await fetch(url, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET');
    }
  });

  test('lie below any base path, and no other path is known', async () => {
    const simulator = await start();
    const query = `?sidtoken=${tokenOf('north')}&limit=1`;
    const root = `http://127.0.0.1:${simulator.port}`;
    for (const base of ['', '/api', '/v2/deep/er']) {
      expect((await fetch(`${root}${base}/getClients.wr${query}`)).status).toBe(200);
    }
    for (const path of ['/', '/api', '/api/getClients', '/getclients.wr', '/getClients.wr/x', '//']) {
      const response = await fetch(`${root}${path}${query}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toHaveProperty('error.code', 404);
    }
  });

  test('answer without the document’s content type too, and with parameters it does not name', async () => {
    const { status } = await askClients(await start(), { colour: 'blue' });
    expect(status).toBe(200);
  });

  test('take a question mark within a parameter', async () => {
    const simulator = await start();
    await fetch(`${simulator.url}/getClients.wr?sidtoken=${tokenOf('north')}&search=a?b&limit=9`);
    expect(simulator.journal[0]?.params).toEqual({ sidtoken: 'north', search: 'a?b', limit: '9' });
  });
});

describe('the journal', () => {
  test('has every request in order, the token replaced by the account’s name', async () => {
    const simulator = await start();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await ask(simulator, 'getClients.wr', { sidtoken: tokenOf('coast'), limit: '5' }, { headers });
    await ask(simulator, 'campaignSummary.wr', { sidtoken: 'nobody-knows-this', ...DAY });
    await ask(simulator, 'other.wr');
    expect(simulator.journal).toEqual([
      {
        at: NOW,
        method: 'GET',
        path: '/api/getClients.wr',
        operation: 'getClients',
        account: 'coast',
        params: { sidtoken: 'coast', limit: '5' },
        contentType: 'application/x-www-form-urlencoded',
        status: 200,
      },
      expect.objectContaining({
        operation: 'campaignSummary',
        account: undefined,
        params: { sidtoken: 'unknown', ...DAY },
        contentType: undefined,
        status: 401,
      }),
      expect.objectContaining({ operation: 'unknown', path: '/api/other.wr', params: {}, status: 404 }),
    ]);
    const text = JSON.stringify(simulator.journal);
    expect(text).not.toContain(tokenOf('coast'));
    expect(text).not.toContain('nobody-knows-this');
  });
});

describe('an intercept', () => {
  test('answers in the service’s place, and leaves the rest to it', async () => {
    const seen: unknown[] = [];
    const simulator = await start({
      intercept: async ({ operation, account, params, nth }) => {
        seen.push([operation, account, params.get('limit'), nth]);
        if (operation !== 'getClients' || nth !== 2) return undefined;
        return { status: 503, headers: { 'content-type': 'text/html', 'retry-after': '7' }, body: '"busy"' };
      },
    });
    const statuses = [];
    for (const limit of ['1', '2', '3']) statuses.push((await askClients(simulator, { limit })).status);
    statuses.push((await askCampaigns(simulator, '2026-11-18')).status);
    statuses.push((await ask(simulator, 'elsewhere')).status);
    expect(statuses).toEqual([200, 503, 200, 200, 404]);
    expect(simulator.journal.map(({ status }) => status)).toEqual(statuses);
    expect(seen).toEqual([
      ['getClients', 'north', '1', 1],
      ['getClients', 'north', '2', 2],
      ['getClients', 'north', '3', 3],
      ['campaignSummary', 'north', null, 1],
      ['unknown', undefined, null, 1],
    ]);
  });

  test('gives its headers and body as they are, status 200 and JSON unless told', async () => {
    const simulator = await start({
      intercept: () => ({ headers: { 'x-trace': 'é' }, body: '{"data":"👋"}' }),
    });
    const { status, headers, text } = await askClients(simulator);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/json');
    expect(headers.get('x-trace')).toBe('é');
    expect(text).toBe('{"data":"👋"}');
  });

  test('that throws gives a 500, and the service goes on', async () => {
    const simulator = await start({
      intercept: ({ nth }) => {
        if (nth === 1) throw new Error('a fault of the test');
        return undefined;
      },
    });
    expect(await askClients(simulator)).toMatchObject({
      status: 500,
      body: { error: { message: expect.stringContaining('a fault of the test') } },
    });
    expect((await askClients(simulator)).status).toBe(200);
  });
});

test('a data set that is wrapped changes the answers from one request to the next', async () => {
  let extra = 0;
  const dataset: Dataset = {
    ...DATASET,
    campaigns: (account, from, to) =>
      DATASET.campaigns(account, from, to).map((summary) => ({
        ...summary,
        attempts: summary.attempts + extra,
      })),
  };
  const simulator = await start({ dataset });
  const before = (await askCampaigns(simulator, '2026-11-18')).body.result;
  extra = 5;
  const after = (await askCampaigns(simulator, '2026-11-18')).body.result;
  expect(after.map(({ attempts }) => attempts)).toEqual(before.map(({ attempts }) => attempts + 5));
});

describe('starting and closing', () => {
  test('a port in use rejects with Node’s own error', async () => {
    const { port } = await start();
    await expect(startSimulator({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  });

  test('closing frees the port, ends requests that hang, and may be done twice', async () => {
    const arrived = Promise.withResolvers<void>();
    const simulator = await start({
      intercept: () => {
        arrived.resolve();
        return new Promise(() => {});
      },
    });
    const hanging = fetch(`${simulator.url}/getClients.wr`);
    const failed = expect(hanging).rejects.toThrow();
    await arrived.promise;
    await simulator.close();
    await failed;
    await simulator.close();
    const next = await start({ port: simulator.port });
    expect(next.url).toBe(`http://127.0.0.1:${simulator.port}/api`);
    expect((await ask<ClientsBody>(next, 'getClients.wr', { sidtoken: tokenOf('valley') })).status).toBe(200);
  });

  test('without options it serves the present', async () => {
    const simulator = await startSimulator();
    const { body } = await askClients(simulator, { limit: '1' });
    await simulator.close();
    expect(body.data).toHaveLength(1);
  });
});
