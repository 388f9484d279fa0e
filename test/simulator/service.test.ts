import { describe, expect, test } from 'vitest';
import { COUNTS } from '../../src/simulator/campaigns.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { campaignsOf, DATASET, getCampaigns, getClients, NORTH, send, start, tokenOf } from './simulator.ts';

describe('the client list', () => {
  test('has the envelope and the records of the document', async () => {
    const { status, headers, body } = await getClients(await start(), { limit: '50' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      apirid: '',
      page: 1,
      pages: 13,
      limit: 50,
      clients: 620,
      results: 620,
      count: 50,
      data: NORTH.slice(0, 50).map(({ balance: _, ...record }) => record),
    });
  });

  test('has pages that hold each client once, in order', async () => {
    const simulator = await start();
    const seen: number[] = [];
    for (let page = 1; page <= 9; page += 1) {
      const { body } = await getClients(simulator, { limit: '70', page: String(page) });
      expect(body).toMatchObject({ page, pages: 9, count: body.data.length });
      seen.push(...body.data.map(({ clientid }) => clientid));
    }
    expect(seen).toEqual(NORTH.map(({ clientid }) => clientid));
  });

  test.for<[string, Record<string, string>, object]>([
    ['has pages of 100 by default', {}, { page: 1, limit: 100, count: 100, pages: 7 }],
    [
      'is one page when the limit exceeds it',
      { limit: '5000' },
      { page: 1, pages: 1, limit: 5000, count: 620 },
    ],
    ['is empty beyond the last page', { limit: '100', page: '999' }, { page: 999, count: 0, data: [] }],
    [
      'is one empty page when a search matches nobody',
      { search: 'no such' },
      { page: 1, pages: 1, data: [] },
    ],
  ])('%s', async ([_, query, body]) => {
    expect(await getClients(await start(), query)).toMatchObject({ status: 200, body });
  });

  test.for<Record<string, string>>([
    { page: '1' },
    ...['0', '-1', '1.5', '1e2', 'ten', '', ' 1', '9007199254740993'].flatMap((value) => [
      { limit: value },
      { limit: '10', page: value },
    ]),
    { balance: 'maybe' },
  ])('is refused for %j', async (query) => {
    expect((await getClients(await start(), query)).status).toBe(400);
  });

  test('is searched for a part of the name in any case, over pages', async () => {
    const expected = NORTH.filter(({ clientname }) => clientname.includes('Clínica'));
    expect(expected.length).toBeGreaterThan(6);
    const { body } = await getClients(await start(), { search: 'cLÍNICA', limit: '3', page: '2' });
    expect(body).toMatchObject({ results: expected.length, clients: NORTH.length });
    expect(body.data).toMatchObject(expected.slice(3, 6).map(({ clientid }) => ({ clientid })));
  });

  test('is searched for a part of the id', async () => {
    const simulator = await start();
    const id = String(NORTH[7]!.clientid);
    const { body } = await getClients(simulator, { search: id });
    expect(body.data.map(({ clientid }) => String(clientid))).toEqual([id]);
    expect((await getClients(simulator, { search: id.slice(0, 4) })).body.count).toBeGreaterThan(1);
  });

  test('has balances as text only when they are requested', async () => {
    const simulator = await start();
    const { body } = await getClients(simulator, { balance: 'true', limit: '620' });
    expect(body.data).toEqual(NORTH);
    for (const { balance } of body.data) expect(balance).toMatch(/^-?\d+\.\d\d$/);
    expect((await getClients(simulator, { balance: 'false' })).body.data[0]).not.toHaveProperty('balance');
  });
});

describe('the campaign summary', () => {
  test('has the envelope and the records of the document, and two fields that it doesn’t show', async () => {
    const { status, body } = await getCampaigns(await start());
    const result = campaignsOf();
    expect(status).toBe(200);
    expect(body).toEqual({ campaigns: result.length, reports: result.length, result });
    expect(result.length).toBeGreaterThan(10);
    for (const summary of result) {
      expect(Object.keys(summary)).toEqual(['callsetid', 'campaign', ...COUNTS, 'category']);
    }
  });

  test('has nothing for future days and before 2000', async () => {
    const simulator = await start();
    const nothing = { campaigns: 0, reports: 0, result: [] };
    expect((await getCampaigns(simulator, '2026-11-21', '2027-12-31')).body).toEqual(nothing);
    expect((await getCampaigns(simulator, '1999-01-01', '1999-12-31')).body).toEqual(nothing);
  });

  test('counts the present day’s calls as they are made, more each hour', async () => {
    let clock = Temporal.Instant.from('2026-11-20T00:10:00Z');
    const simulator = await start({ dataset: generateDataset(1, () => clock) });
    const attempts: number[] = [];
    const sum = async () => {
      const { body } = await getCampaigns(simulator, '2026-11-20');
      return body.result.reduce((total, summary) => total + summary.attempts, 0);
    };
    for (let hour = 0; hour <= 24; hour += 1, clock = clock.add({ hours: 1 })) attempts.push(await sum());
    expect(new Set(attempts).size).toBe(25);
    expect(attempts).toEqual(attempts.toSorted((a, b) => a - b));
    clock = clock.add({ hours: 24 * 30 });
    expect(await sum()).toBe(attempts.at(-1));
  });

  test('with a callsetid has that campaign only, and nothing for one of another account', async () => {
    const simulator = await start();
    const wanted = campaignsOf('2026-11-10', '2026-11-18')[4]!;
    const callsetid = String(wanted.callsetid);
    const { body } = await getCampaigns(simulator, '2026-11-10', '2026-11-18', { callsetid });
    expect(body).toEqual({ campaigns: 1, reports: 1, result: [wanted] });
    const other = await getCampaigns(simulator, '2026-11-10', '2026-11-18', { callsetid }, 'coast');
    expect(other).toMatchObject({ status: 200, body: { campaigns: 0, reports: 0, result: [] } });
  });

  test('accepts a leap day', async () => {
    expect((await getCampaigns(await start(), '2024-02-29')).status).toBe(200);
  });

  const wrongDates = [
    ...['2026-11-18', '11/18/2026', '1-8-2026', '11-18-26', '02-30-2026', '02-29-2027', '13-01-2026'],
    ...['00-10-2026', 'today', '11-18-2026 ', ''],
  ];
  test.for<[name: string, value: string]>([
    ...wrongDates.flatMap<[string, string]>((date) => [
      ['startdate', date],
      ['enddate', date],
    ]),
    ['startdate', '11-19-2026'],
    ...['', '0', '-3', '1.5', 'abc'].map<[string, string]>((id) => ['callsetid', id]),
  ])('is refused when %s is "%s"', async ([name, value]) => {
    const { status, body } = await getCampaigns(await start(), '2026-11-18', '2026-11-18', { [name]: value });
    expect(status).toBe(400);
    expect(body.error.message).toContain(name);
  });

  test('is refused without one of the dates', async () => {
    const simulator = await start();
    for (const [given, missing] of [
      ['startdate', 'enddate'],
      ['enddate', 'startdate'],
    ] as const) {
      const query = { sidtoken: tokenOf('north'), [given]: '11-18-2026' };
      const message = `The parameter ${missing} is mandatory.`;
      expect(await send(simulator, 'campaignSummary.wr', query)).toMatchObject({
        status: 400,
        body: { error: { message } },
      });
    }
  });
});

test('an account that the data set lacks is an error', () => {
  expect(() => DATASET.clients('nowhere')).toThrow('no account "nowhere"');
});
