import { describe, expect, test } from 'vitest';
import { type Dataset, generateDataset } from '../../src/simulator/dataset.ts';
import { startSimulator } from '../support/simulator.ts';
import { DATASET, getCampaigns, getClients, NOW, send, start, tokenOf } from './simulator.ts';

const NEW = 'north-after-the-change';

describe('a token', () => {
  test.for(['getClients.wr', 'campaignSummary.wr'])(
    'is required for %s, and never echoed',
    async (operation) => {
      const simulator = await start();
      const day = { startdate: '11-18-2026', enddate: '11-18-2026' };
      const wrong = 'wrong-token-4711';
      for (const query of [day, { ...day, sidtoken: '' }, { ...day, sidtoken: wrong }]) {
        const { status, headers, text, body } = await send(simulator, operation, query);
        expect(status).toBe(401);
        expect(headers['content-type']).toContain('application/json');
        expect(body).toEqual({ error: { code: 401, message: expect.stringContaining('sidtoken') } });
        expect(text).not.toContain(wrong);
      }
    },
  );

  test('yields the clients and campaigns of its account and of no other', async () => {
    const simulator = await start();
    const day = Temporal.PlainDate.from('2026-11-18');
    for (const { name } of DATASET.accounts) {
      const list = await getClients(simulator, { limit: '1000', balance: 'true' }, name);
      const summary = await getCampaigns(simulator, '2026-11-18', '2026-11-18', {}, name);
      expect(list.body.data).toEqual(DATASET.clients(name));
      expect(summary.body.result).toEqual(DATASET.campaigns(name, day, day));
    }
  });

  test('with characters that mean something in URLs works only when encoded', async () => {
    const simulator = await start();
    const token = tokenOf('coast');
    expect(token).toContain('+');
    expect((await getClients(simulator, {}, 'coast')).status).toBe(200);
    expect((await fetch(`${simulator.url}/getClients.wr?sidtoken=${token}`)).status).toBe(401);
  });

  test('may be one of several of an account, until it is revoked', async () => {
    const simulator = await start({ tokens: { north: [NEW, 'a third'] } });
    const old = tokenOf('north');
    const statuses: number[] = [];
    const request = async (sidtoken: string) => {
      statuses.push((await send(simulator, 'getClients.wr', { sidtoken })).status);
    };
    for (const token of [old, NEW, 'a third']) await request(token);
    simulator.revoke(old);
    await request(old);
    await request(NEW);
    simulator.revoke(NEW);
    for (const token of [NEW, 'a third', tokenOf('coast')]) await request(token);
    expect(statuses).toEqual([200, 200, 200, 401, 200, 401, 200, 200]);
    expect(simulator.journal.map(({ account }) => account)).toEqual([...Array(7).fill('north'), 'coast']);
    const journal = JSON.stringify(simulator.journal);
    for (const token of [old, NEW, 'a third']) expect(journal).not.toContain(token);
  });

  test('of nobody can’t be revoked, and an unknown account can’t have further ones', async () => {
    const simulator = await start();
    expect(() => simulator.revoke('tokn-misspelt')).toThrow(/^No account has the token/);
    await expect(start({ tokens: { nroth: [NEW] } })).rejects.toThrow('no account "nroth"');
  });
});

describe('the two operations', () => {
  test.for(['POST', 'PUT', 'DELETE', 'HEAD'])('refuse the method %s', async (method) => {
    const simulator = await start();
    for (const operation of ['getClients.wr', 'campaignSummary.wr']) {
      const url = `${simulator.url}/${operation}?sidtoken=${tokenOf('north')}`;
      const response = await fetch(url, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET');
    }
  });

  test('are found below /api, and no other path is', async () => {
    const { port } = await start();
    const statusOf = async (path: string) =>
      (await fetch(`http://127.0.0.1:${port}${path}?sidtoken=${tokenOf('north')}&limit=1`)).status;
    expect(await statusOf('/api/getClients.wr')).toBe(200);
    for (const path of [
      '/',
      '/api',
      '/getClients.wr',
      '/api/v2/getClients.wr',
      '/v2/api/getClients.wr',
      '/api/getClients',
      '/getclients.wr',
      '/getClients.wr/x',
      '//',
    ]) {
      expect(await statusOf(path)).toBe(404);
    }
  });

  test('ignore parameters that the document doesn’t name', async () => {
    expect((await getClients(await start(), { colour: 'blue' })).status).toBe(200);
  });
});

test('the journal has every request in order, with the account’s name in place of the token', async () => {
  const simulator = await start();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  await send(simulator, 'getClients.wr', { sidtoken: tokenOf('coast'), limit: '5' }, headers);
  await send(simulator, 'campaignSummary.wr', { sidtoken: 'nobody-knows-this', startdate: 'x' });
  await send(simulator, 'other.wr');
  await fetch(`${simulator.url}/getClients.wr?sidtoken=${tokenOf('north')}&search=a?b`);
  const entry = { at: NOW, method: 'GET', contentType: undefined, injectedBy: undefined };
  const list = { ...entry, path: '/api/getClients.wr', operation: 'getClients', status: 200 };
  expect(simulator.journal).toEqual([
    {
      ...list,
      account: 'coast',
      params: { sidtoken: 'coast', limit: '5' },
      contentType: 'application/x-www-form-urlencoded',
    },
    {
      ...entry,
      path: '/api/campaignSummary.wr',
      operation: 'campaignSummary',
      account: undefined,
      params: { sidtoken: 'unknown', startdate: 'x' },
      status: 401,
    },
    { ...entry, path: '/api/other.wr', operation: 'unknown', account: undefined, params: {}, status: 404 },
    { ...list, account: 'north', params: { sidtoken: 'north', search: 'a?b' } },
  ]);
});

describe('an intercept', () => {
  test('replaces a response, and leaves a request to the service by returning undefined', async () => {
    const seen: unknown[] = [];
    const simulator = await start({
      intercept: async ({ operation, account, params, nth }) => {
        seen.push([operation, account, params.get('limit'), nth]);
        if (operation !== 'getClients' || nth !== 2) return undefined;
        return { status: 503, headers: { 'content-type': 'text/html', 'x-trace': 'é' }, body: '"👋"' };
      },
    });
    await getClients(simulator, { limit: '1' });
    const replaced = await getClients(simulator, { limit: '2' });
    expect(replaced).toMatchObject({
      text: '"👋"',
      headers: { 'content-type': 'text/html', 'x-trace': 'é' },
    });
    await getCampaigns(simulator);
    await send(simulator, 'elsewhere');
    expect(simulator.journal.map(({ status }) => status)).toEqual([200, 503, 200, 404]);
    expect(seen).toEqual([
      ['getClients', 'north', '1', 1],
      ['getClients', 'north', '2', 2],
      ['campaignSummary', 'north', null, 1],
      ['unknown', undefined, null, 1],
    ]);
  });

  test('by default has status 200 and JSON, and may choose how its body is sent', async () => {
    const simulator = await start({ intercept: () => ({ body: '{"data":[]}', transfer: 'cut' }) });
    const { status, headers, text, end } = await getClients(simulator);
    expect({ status, text, end }).toEqual({ status: 200, text: '{"dat', end: 'cut' });
    expect(headers['content-type']).toContain('application/json');
  });

  test('that throws gives a 500, and the service goes on', async () => {
    const simulator = await start({
      intercept: ({ nth }) => {
        if (nth === 1) throw new Error('an error of the test');
        return undefined;
      },
    });
    expect(await getClients(simulator)).toMatchObject({
      status: 500,
      body: { error: { message: expect.stringContaining('an error of the test') } },
    });
    expect((await getClients(simulator)).status).toBe(200);
  });
});

test('a data set that is wrapped changes the responses from one request to the next', async () => {
  let extra = 0;
  const dataset: Dataset = {
    ...DATASET,
    campaigns: (account, from, to) =>
      DATASET.campaigns(account, from, to).map((each) => ({ ...each, attempts: each.attempts + extra })),
  };
  const simulator = await start({ dataset });
  const before = (await getCampaigns(simulator)).body.result;
  extra = 5;
  const after = (await getCampaigns(simulator)).body.result;
  expect(after.map(({ attempts }) => attempts)).toEqual(before.map(({ attempts }) => attempts + 5));
});

describe('the server', () => {
  test('rejects with Node’s own error when the port is in use', async () => {
    const { port } = await start();
    await expect(startSimulator({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  });

  test('frees its port and ends requests that hang when it closes, also the second time', async () => {
    const arrived = Promise.withResolvers<void>();
    const simulator = await start({
      intercept: () => {
        arrived.resolve();
        return new Promise(() => {});
      },
    });
    const hanging = getClients(simulator);
    await arrived.promise;
    await simulator.close();
    expect((await hanging).end).toBe('reset');
    await simulator.close();
    const next = await start({ port: simulator.port });
    expect(next.url).toBe(`http://127.0.0.1:${simulator.port}/api`);
    expect((await getClients(next, {}, 'valley')).status).toBe(200);
  });

  test('without options serves the data set of seed 1 at the present time', async () => {
    const simulator = await startSimulator();
    const { body } = await getClients(simulator, { limit: '1', balance: 'true' });
    await simulator.close();
    expect(body.data).toEqual(generateDataset().clients('north').slice(0, 1));
  });
});
