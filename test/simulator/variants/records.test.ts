import { describe, expect, test } from 'vitest';
import type { VariantName } from '../../support/simulator/variants.ts';
import { campaignsOf, DAY, getCampaigns, getClients, NORTH, start } from '../simulator.ts';

type Fields = Record<string, unknown>;

const inVariant = (variant: VariantName) => start({ variants: [variant] });

async function clientsIn(variant: VariantName): Promise<Fields[]> {
  const { body } = await getClients(await inVariant(variant), { limit: '620', balance: 'true' });
  return body.data;
}

describe('the counts of an envelope', () => {
  test('numbers-as-text: are text, as is every number of the records', async () => {
    const simulator = await inVariant('numbers-as-text');
    const { body: clients } = await getClients(simulator, { limit: '50' });
    expect(clients).toMatchObject({ page: '1', pages: '13', limit: '50', clients: '620', count: '50' });
    const { body: campaigns } = await getCampaigns(simulator);
    expect(Number(campaigns.reports)).toBe(campaignsOf().length);
    for (const object of [clients, campaigns, ...clients.data, ...campaigns.result]) {
      expect(Object.values(object).filter((value) => typeof value === 'number')).toEqual([]);
    }
    expect(campaigns.result[0]!.attempts).toBe(String(campaignsOf()[0]!.attempts));
  });

  test('counts-missing: are missing, and the lists are right', async () => {
    const simulator = await inVariant('counts-missing');
    const { body: clients } = await getClients(simulator, { limit: '50' });
    expect(Object.keys(clients)).toEqual(['apirid', 'page', 'pages', 'limit', 'data']);
    expect((await getCampaigns(simulator)).body).toEqual({ result: campaignsOf() });
  });

  test('counts-other: count other things', async () => {
    const simulator = await inVariant('counts-other');
    const query = { limit: '50', search: 'clínica' };
    const { body: plain } = await getClients(await start(), query);
    const { body: clients } = await getClients(simulator, query);
    expect(clients).toEqual({ ...plain, clients: plain.data.length, results: 620, count: plain.pages });
    const month = campaignsOf('2026-10-19', DAY).length;
    expect(month).toBeGreaterThan(campaignsOf().length);
    const { body: campaigns } = await getCampaigns(simulator);
    expect(campaigns).toEqual({ campaigns: month, reports: 1, result: campaignsOf() });
    expect((await getCampaigns(simulator, '2026-13-01', DAY)).status).toBe(400);
  });
});

describe('a balance', () => {
  const grouped = new Intl.NumberFormat('en', { minimumFractionDigits: 2 });
  const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', useGrouping: false });

  test.for<[VariantName, (amount: string) => Fields]>([
    ['balance-number', (amount) => ({ balance: Number(amount) })],
    ['balance-grouped', (amount) => ({ balance: grouped.format(Number(amount)) })],
    ['balance-dollar', (amount) => ({ balance: dollars.format(Number(amount)).replace(/\.00$/, '') })],
    ['balance-other-name', (amount) => ({ accountBalance: amount })],
    ['balance-ambiguous', (amount) => ({ balance: amount, creditBalance: '5.00' })],
    ['balance-unreadable', () => ({ balance: 'n/a' })],
    ['balance-missing', () => ({})],
  ])(
    '%s: is that of the data set in another guise, and absent unless requested',
    async ([variant, expected]) => {
      expect(await clientsIn(variant)).toEqual(
        NORTH.map(({ balance, ...rest }) => ({ ...rest, ...expected(balance) })),
      );
      const { body } = await getClients(await inVariant(variant), { limit: '1' });
      expect(Object.keys(body.data[0]!)).toEqual(['clientid', 'clientname', 'checksum']);
    },
  );
});

/** By callsetid modulo 4. */
const GAPS = [{ attempts: null, busies: null }, { liveanswers: undefined }, {}, {}];

describe('the records', () => {
  test('counts-null: have gaps, the same for a campaign in every response', async () => {
    const month = campaignsOf('2026-11-01', DAY);
    const { body } = await getCampaigns(await inVariant('counts-null'), '2026-11-01', DAY);
    expect(body.result).toEqual(month.map((each) => ({ ...each, ...GAPS[each.callsetid % 4] })));
    expect(new Set(month.map(({ callsetid }) => callsetid % 4)).size).toBe(4);
  });

  test.for<[VariantName, (record: Fields) => Fields]>([
    ['attempts-null', (record) => ({ ...record, attempts: null })],
    ['attempts-renamed', ({ attempts, ...record }) => ({ ...record, calls: attempts })],
  ])('%s: report no attempts', async ([variant, expected]) => {
    const { body } = await getCampaigns(await inVariant(variant));
    expect(body.result).toEqual(campaignsOf().map((each) => expected({ ...each })));
  });

  test('rows-cut: are every other one, while campaigns and reports count all', async () => {
    const { body } = await getCampaigns(await inVariant('rows-cut'));
    const all = campaignsOf();
    const result = all.filter((_, index) => index % 2 === 0);
    expect(result.length).toBeLessThan(all.length);
    expect(body).toEqual({ campaigns: all.length, reports: all.length, result });
  });

  test('counts-huge: are those of the data set, and so many of 2^53 - 1 that bigint holds no sum', async () => {
    const { body } = await getCampaigns(await inVariant('counts-huge'));
    const all = campaignsOf();
    expect(body.result.slice(0, all.length)).toEqual(all);
    const sum = body.result.reduce((total, each) => total + BigInt(each.attempts as number), 0n);
    expect(sum).toBeGreaterThan(2n ** 63n);
    expect(body.campaigns).toBe(body.result.length);
  });

  test('extra-nested: have further fields of every kind beside those of the document', async () => {
    const simulator = await inVariant('extra-nested');
    const clients = await getClients(simulator, { limit: '5', balance: 'true' });
    const campaigns = await getCampaigns(simulator);
    const extra = { settings: { retries: { most: 3 } }, history: [[1, [2, []]], {}], active: true };
    expect(clients.body.data).toMatchObject(NORTH.slice(0, 5).map((each) => ({ ...each, ...extra })));
    expect(campaigns.body.result).toMatchObject(campaignsOf().map((each) => ({ ...each, ...extra })));
    for (const { text } of [clients, campaigns]) {
      expect(text).toContain('"dialled":12345678901234567890,"ratio":0.12345678901234567890123,');
    }
  });
});
