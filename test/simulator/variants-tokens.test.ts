import { describe, expect, test } from 'vitest';
import type { VariantName } from '../../src/simulator/variants.ts';
import { ask, askCampaigns, askClients, DATASET, start, tokenOf } from './ask.ts';
import { askRaw } from './raw.ts';

const DAY = '2026-11-18';
const NEW = 'north-after-the-change';

const askWith = async (simulator: Awaited<ReturnType<typeof start>>, sidtoken: string) =>
  (await ask(simulator, 'getClients.wr', { sidtoken, limit: '1' })).status;

describe('a token that is refused', () => {
  test.for<[VariantName, number, unknown]>([
    ['token-refused-401', 401, { error: { code: 401, message: expect.stringContaining('sidtoken') } }],
    ['token-refused-403', 403, { error: { code: 403, message: 'Access denied.' } }],
    ['token-refused-in-200', 200, { error: 'Invalid session token' }],
  ])('%s: every token, in both operations', async ([variant, status, body]) => {
    const simulator = await start({ variants: [variant] });
    for (const { name } of DATASET.accounts) {
      expect(await askClients(simulator, {}, name)).toMatchObject({ status, body });
      expect(await askCampaigns(simulator, DAY, DAY, {}, name)).toMatchObject({ status, body });
    }
    expect(await ask(simulator, 'getClients.wr', {})).toMatchObject({ status, body });
    expect((await ask(simulator, 'other.wr', {})).status).toBe(404);
    expect(simulator.journal.slice(0, 2)).toMatchObject([
      { account: 'north', spoiltBy: variant },
      { account: 'north', spoiltBy: variant },
    ]);
  });

  test('token-expires: after five requests of its account, until another is sent', async () => {
    const simulator = await start({ variants: ['token-expires'], tokens: { north: [NEW] } });
    const statuses = [];
    for (let turn = 0; turn < 5; turn += 1) statuses.push((await askClients(simulator)).status);
    statuses.push((await askClients(simulator)).status, (await askCampaigns(simulator, DAY)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 401, 401]);
    for (let turn = 0; turn < 7; turn += 1) expect(await askWith(simulator, NEW)).toBe(200);
    expect((await askClients(simulator, {}, 'coast')).status).toBe(200);
    expect((await askClients(simulator)).status).toBe(401);
  });

  test('token-expires with token-refused-in-200: the expired one is refused in that manner', async () => {
    const simulator = await start({
      variants: ['token-refused-in-200', 'token-expires'],
      tokens: { north: [NEW] },
    });
    for (let turn = 0; turn < 5; turn += 1) expect((await askClients(simulator)).body).toHaveProperty('data');
    const { status, body } = await askClients(simulator);
    expect([status, body]).toEqual([200, { error: 'Invalid session token' }]);
    expect((await ask(simulator, 'getClients.wr', { sidtoken: NEW })).body).toHaveProperty('data');
  });
});

describe('tokens that change', () => {
  test('an account has its further tokens beside the data set’s, until one is revoked', async () => {
    const simulator = await start({ tokens: { north: [NEW, 'a third'] } });
    const old = tokenOf('north');
    for (const token of [old, NEW, 'a third']) expect(await askWith(simulator, token)).toBe(200);
    simulator.revoke(old);
    expect(await askWith(simulator, old)).toBe(401);
    expect(await askWith(simulator, NEW)).toBe(200);
    simulator.revoke(NEW);
    expect(await askWith(simulator, NEW)).toBe(401);
    expect(await askWith(simulator, 'a third')).toBe(200);
    expect(await askWith(simulator, tokenOf('coast'))).toBe(200);
    const text = JSON.stringify(simulator.journal);
    expect(simulator.journal.map(({ account }) => account)).toEqual([...Array(7).fill('north'), 'coast']);
    for (const token of [old, NEW, 'a third']) expect(text).not.toContain(token);
  });

  test('a token of nobody can’t be revoked, nor tokens given to an account that isn’t there', async () => {
    const simulator = await start();
    expect(() => simulator.revoke('tokn-misspelt')).toThrow(/^No account has the token/);
    await expect(start({ tokens: { nroth: [NEW] } })).rejects.toThrow('no account "nroth"');
  });
});

describe('an error', () => {
  test('error-in-200: an object that says nothing of tokens', async () => {
    const simulator = await start({ variants: ['error-in-200'] });
    for (const answer of [await askClients(simulator), await askCampaigns(simulator, DAY)]) {
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ error: { code: 503, message: expect.any(String) } });
      expect(answer.text).not.toMatch(/token|session|log-?in/i);
    }
  });

  test.for([
    ['getClients.wr', 500],
    ['campaignSummary.wr', 400],
  ] as const)(
    'error-echoes-token: %s fails with %i and says the token raw and encoded',
    async ([name, status]) => {
      const simulator = await start({ variants: ['error-echoes-token'] });
      const token = tokenOf('coast');
      const answer = await askRaw(simulator, name, { sidtoken: token, limit: '7' });
      expect(answer.status).toBe(status);
      const { error } = JSON.parse(answer.text);
      expect(error.message).toContain(token);
      expect(error.url).toContain(`/${name}?sidtoken=${encodeURIComponent(token)}&limit=7`);
      expect(encodeURIComponent(token)).not.toBe(token);
      expect(answer.headers['x-request-url']).toBe(error.url);
    },
  );
});
