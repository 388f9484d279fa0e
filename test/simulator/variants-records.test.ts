import { describe, expect, test } from 'vitest';
import { COUNTS } from '../../src/simulator/campaigns.ts';
import type { VariantName } from '../../src/simulator/variants.ts';
import { campaignsOf, DAY, getCampaigns, getClients, NORTH, start } from './simulator.ts';

type Fields = Record<string, unknown>;

const NEXT = '2026-11-19';

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

/** The campaigns of the month before that don't call on DAY, with zeros. */
function idleCampaigns() {
  const active = new Set(campaignsOf().map(({ callsetid }) => callsetid));
  const zeros = Object.fromEntries(COUNTS.map((count) => [count, 0]));
  return campaignsOf('2026-10-19', DAY)
    .filter(({ callsetid }) => !active.has(callsetid))
    .map((each) => ({ ...each, ...zeros }));
}

/** By callsetid modulo 4. */
const GAPS = [{ attempts: null, busies: null }, { liveanswers: undefined }, {}, {}];

describe('the figures', () => {
  const byId = (list: readonly { callsetid: number }[]) => list.toSorted((a, b) => a.callsetid - b.callsetid);
  const month = campaignsOf('2026-11-01', DAY);

  test.for<[VariantName, from: string, to: string, expected: readonly object[]]>([
    ['end-exclusive', DAY, DAY, []],
    ['end-exclusive', DAY, NEXT, campaignsOf()],
    ['idle-listed', DAY, DAY, byId([...campaignsOf(), ...idleCampaigns()])],
    ['counts-null', '2026-11-01', DAY, month.map((each) => ({ ...each, ...GAPS[each.callsetid % 4] }))],
  ])(
    '%s: of %s to %s are those of the data set, changed as described',
    async ([variant, from, to, expected]) => {
      const { result } = (await getCampaigns(await inVariant(variant), from, to)).body;
      expect(result).toEqual(expected);
    },
  );

  test('are such that each of these changes shows', () => {
    expect(idleCampaigns().length).toBeGreaterThan(3);
    expect(new Set(month.map(({ callsetid }) => callsetid % 4)).size).toBe(4);
  });

  test('lifetime-totals: are totals, whatever the dates, which only choose the campaigns', async () => {
    const simulator = await inVariant('lifetime-totals');
    const { result: one } = (await getCampaigns(simulator)).body;
    const { result: other } = (await getCampaigns(simulator, NEXT)).body;
    const { result: both } = (await getCampaigns(simulator, DAY, NEXT)).body;
    expect(one).toMatchObject(campaignsOf().map(({ callsetid }) => ({ callsetid })));
    expect(other).toMatchObject(campaignsOf(NEXT).map(({ callsetid }) => ({ callsetid })));
    for (const campaign of [...one, ...other]) expect(both).toContainEqual(campaign);
    // The newest one has the highest id, and began within these days.
    expect(campaignsOf('2026-09-01', '2026-11-20')).toContainEqual(one.at(-1));
    const sum = (list: readonly { attempts: number }[]) => list.reduce((all, each) => all + each.attempts, 0);
    expect(sum(one)).toBeGreaterThan(2 * sum(campaignsOf()));
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
