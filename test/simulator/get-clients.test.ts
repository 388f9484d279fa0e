import { describe, expect, test } from 'vitest';
import { askClients, DATASET, start } from './ask.ts';

const NORTH = DATASET.clients('north');

describe('the client list', () => {
  test('has the envelope and the records of the document', async () => {
    const { status, headers, body } = await askClients(await start(), { limit: '50' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/json');
    expect(Object.keys(body).sort()).toEqual(
      ['apirid', 'clients', 'count', 'data', 'limit', 'page', 'pages', 'results'].sort(),
    );
    expect(body).toMatchObject({
      apirid: '',
      page: 1,
      pages: Math.ceil(NORTH.length / 50),
      limit: 50,
      count: 50,
    });
    for (const record of body.data) {
      expect(Object.keys(record)).toEqual(['clientid', 'clientname', 'checksum']);
      expect(record.clientid).toBeTypeOf('number');
      expect(record.clientname).toBeTypeOf('string');
      expect(record.checksum).toMatch(/^\d+$/);
    }
  });

  test('comes in pages that hold each client once, in order', async () => {
    const simulator = await start();
    const seen: number[] = [];
    const { body: first } = await askClients(simulator, { limit: '70' });
    for (let page = 1; page <= first.pages; page += 1) {
      const { body } = await askClients(simulator, { limit: '70', page: String(page) });
      expect(body.page).toBe(page);
      expect(body.count).toBe(body.data.length);
      seen.push(...body.data.map((record) => record.clientid));
    }
    expect(seen).toEqual(NORTH.map((client) => client.clientid));
  });

  test('has a page size of its own when none is asked for', async () => {
    const { body } = await askClients(await start());
    expect(body).toMatchObject({ page: 1, limit: 100, count: 100, pages: Math.ceil(NORTH.length / 100) });
    expect(body.data).toHaveLength(100);
  });

  test('is one page when the limit is above the number of clients', async () => {
    const { body } = await askClients(await start(), { limit: '5000' });
    expect(body).toMatchObject({ page: 1, pages: 1, limit: 5000, count: NORTH.length });
  });

  test('is empty on a page beyond the last, under that page number', async () => {
    const { status, body } = await askClients(await start(), { limit: '100', page: '999' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ page: 999, count: 0, data: [] });
  });

  test('is refused when page comes without limit', async () => {
    const { status, body } = await askClients(await start(), { page: '1' });
    expect(status).toBe(400);
    expect(body.error.message).toContain('limit');
  });

  test.for(['0', '-1', '1.5', '1e2', 'ten', '', ' 1', '9007199254740993'])(
    'is refused when limit or page is "%s"',
    async (value) => {
      const simulator = await start();
      expect((await askClients(simulator, { limit: value })).status).toBe(400);
      expect((await askClients(simulator, { limit: '10', page: value })).status).toBe(400);
    },
  );
});

describe('a search', () => {
  test('finds part of the name in any case, over pages', async () => {
    const simulator = await start();
    const expected = NORTH.filter((client) => client.clientname.includes('Clínica'));
    expect(expected.length).toBeGreaterThan(3);
    const { body } = await askClients(simulator, { search: 'cLÍNICA', limit: '3', page: '2' });
    expect(body).toMatchObject({ results: expected.length, clients: NORTH.length });
    expect(body.data.map((record) => record.clientid)).toEqual(
      expected.slice(3, 6).map((client) => client.clientid),
    );
  });

  test('finds part of the id', async () => {
    const wanted = NORTH[7]!;
    const { body } = await askClients(await start(), { search: String(wanted.clientid) });
    expect(body.data.map((record) => record.clientid)).toEqual([wanted.clientid]);
    const { body: wider } = await askClients(await start(), { search: String(wanted.clientid).slice(0, 4) });
    expect(wider.count).toBeGreaterThan(1);
  });

  test('that matches nobody is one empty page', async () => {
    const { status, body } = await askClients(await start(), { search: 'no such client' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ page: 1, pages: 1, results: 0, count: 0, data: [] });
  });
});

describe('the balance', () => {
  test('is on each record, as text, when asked for', async () => {
    const { body } = await askClients(await start(), { balance: 'true', limit: '620' });
    expect(body.data).toEqual(NORTH);
    for (const record of body.data) expect(record.balance).toMatch(/^-?\d+\.\d\d$/);
  });

  test('is left out when asked not to, and refused when it is neither true nor false', async () => {
    const simulator = await start();
    expect((await askClients(simulator, { balance: 'false' })).body.data[0]).not.toHaveProperty('balance');
    expect((await askClients(simulator, { balance: 'maybe' })).status).toBe(400);
  });
});
