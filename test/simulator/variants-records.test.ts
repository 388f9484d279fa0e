import { describe, expect, test } from 'vitest';
import { COUNTS } from '../../src/simulator/campaigns.ts';
import { hostileName } from '../../src/simulator/variants/hostile.ts';
import { FIRST_HOSTILE_ID } from '../../src/simulator/variants/records.ts';
import type { VariantName } from '../../src/simulator/variants.ts';
import { campaignsOf, DAY, getCampaigns, getClients, NORTH, start, walk } from './simulator.ts';

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
  test.for<[VariantName, (amount: string) => Fields]>([
    ['balance-number', (amount) => ({ balance: Number(amount) })],
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

  test.for<[VariantName, form: RegExp, special: RegExp]>([
    ['balance-grouped', /^-?\d{1,3}(,\d{3})*\.\d\d$/, /^\d,\d{3}\.\d\d$/],
    ['balance-dollar', /^-?\$\d+(\.\d\d)?$/, /^(-\$\d.*|\$\d+)$/],
  ])('%s: is the same amount in another form', async ([variant, form, special]) => {
    const balances = (await clientsIn(variant)).map(({ balance }) => String(balance));
    for (const balance of balances) expect(balance).toMatch(form);
    expect(balances.some((balance) => special.test(balance))).toBe(true);
    expect(balances.map((balance) => Number(balance.replace(/[$,]/g, '')))).toEqual(
      NORTH.map(({ balance }) => Number(balance)),
    );
  });
});

describe('the figures', () => {
  test('end-exclusive: of D to D are none, of D to D+1 those of D', async () => {
    const simulator = await inVariant('end-exclusive');
    expect((await getCampaigns(simulator)).body).toEqual({ campaigns: 0, reports: 0, result: [] });
    expect((await getCampaigns(simulator, DAY, NEXT)).body.result).toEqual(campaignsOf());
    expect((await getCampaigns(simulator, NEXT, DAY)).status).toBe(400);
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

  test('idle-listed: have the campaigns of the month before as zeros', async () => {
    const { body } = await getCampaigns(await inVariant('idle-listed'));
    const active = new Set(campaignsOf().map(({ callsetid }) => callsetid));
    const zeros = Object.fromEntries(COUNTS.map((count) => [count, 0]));
    const idle = campaignsOf('2026-10-19', DAY).filter(({ callsetid }) => !active.has(callsetid));
    expect(idle.length).toBeGreaterThan(3);
    expect(body.result.filter(({ attempts }) => attempts > 0)).toEqual(campaignsOf());
    expect(body.result.filter(({ attempts }) => attempts === 0)).toEqual(
      idle.map((each) => ({ ...each, ...zeros })),
    );
  });

  test('counts-null: have some counts that are null or absent, and the others are right', async () => {
    const { body } = await getCampaigns(await inVariant('counts-null'), '2026-11-01', DAY);
    const gaps = [{ attempts: null, busies: null }, { liveanswers: undefined }, {}, {}];
    const plain = campaignsOf('2026-11-01', DAY);
    expect(body.result).toEqual(plain.map((each) => ({ ...each, ...gaps[each.callsetid % 4] })));
    expect(body.result.some((each) => each.attempts === null)).toBe(true);
    expect(body.result.some((each) => !('liveanswers' in each))).toBe(true);
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

test('hostile-text: hard names of every kind, the same each time, in records that are otherwise right', async () => {
  const simulator = await inVariant('hostile-text');
  const { body: clients, text } = await getClients(simulator, { limit: '620', balance: 'true' });
  expect(clients.data).toEqual(
    NORTH.map((each) => ({ ...each, clientname: hostileName(each.clientid, each.clientname) })),
  );
  const { body: campaigns } = await getCampaigns(simulator, '2026-09-01', DAY);
  expect(campaigns.result).toEqual(
    campaignsOf('2026-09-01', DAY).map((each) => ({
      ...each,
      campaign: hostileName(each.callsetid, each.campaign),
    })),
  );
  for (const escaped of ['\\u0000', '\\ud800', '\\u001b', '\\r\\n']) expect(text).toContain(escaped);
  const kinds = [
    /\0/,
    /\r\n/,
    /<script>/,
    /^=HYPER/,
    /^\n =/,
    /^@/,
    /\u202e/,
    /^.{10000}$/s,
    /^$/,
    /^\ufeff/,
  ];
  for (const names of [
    clients.data.map((each) => each.clientname),
    campaigns.result.map((each) => each.campaign),
  ]) {
    for (const kind of kinds)
      expect(
        names.some((name) => kind.test(name)),
        String(kind),
      ).toBe(true);
    const invalid = names.filter((name) => name.includes('\0') || !name.isWellFormed());
    expect(invalid.length).toBeGreaterThan(0);
    expect(invalid.length).toBeLessThan(names.length / 4);
  }
});

describe('hostile-records', () => {
  const isHostile = (record: unknown, field: string, known: readonly unknown[]) =>
    typeof record !== 'object' || !known.includes((record as Fields | null)?.[field]);

  test('inserts every kind of malformed client over a walk, and leaves the data set whole', async () => {
    const bodies = await walk(await inVariant('hostile-records'), 50);
    const known = NORTH.map(({ clientid }) => clientid);
    const bad: Fields[] = [];
    const good: Fields[] = [];
    const repeated: Fields[] = [];
    for (const { data } of bodies) {
      const ids = new Set<unknown>();
      expect(data.length).toBeLessThanOrEqual(54);
      for (const each of data) {
        if (isHostile(each, 'clientid', known)) bad.push(each);
        else (ids.has(each.clientid) ? repeated : good).push(each);
        ids.add(each?.clientid);
      }
    }
    expect(good).toEqual(NORTH.map(({ balance: _, ...rest }) => rest));
    expect(repeated.length).toBeGreaterThan(1);
    for (const each of repeated) expect(good).toContainEqual(each);

    const ids = bad.map((each) => each?.clientid);
    for (const id of [undefined, null, 'abc', -7, 2 ** 53]) expect(ids).toContain(id);
    for (const each of ['a text', null, [1, 2, 3]]) expect(bad).toContainEqual(each);
    const free = ids.filter((id) => typeof id === 'number' && id >= FIRST_HOSTILE_ID && id < 2 ** 53);
    const differing = free.filter((id, index) => free.indexOf(id) !== index);
    expect(differing.length).toBeGreaterThan(0);
    for (const id of differing) {
      const names = bad.filter((each) => each?.clientid === id).map((each) => each.clientname);
      expect(names).toEqual(['One name', 'Another name']);
    }
    expect(bad.some((each) => each && Object.hasOwn(each, '__proto__'))).toBe(true);
    expect(Math.max(...bad.map(depthOf))).toBe(5_000);
  });

  test('inserts every kind of malformed count over some days, one for four good records at most', async () => {
    const simulator = await inVariant('hostile-records');
    const counts: unknown[] = [];
    const texts: string[] = [];
    for (const day of ['09', '10', '11', '12', '13', '16', '17', '18']) {
      const expected = campaignsOf(`2026-11-${day}`);
      const { body, text } = await getCampaigns(simulator, `2026-11-${day}`);
      texts.push(text);
      for (const each of expected) expect(body.result).toContainEqual(each);
      const known = expected.map(({ callsetid }) => callsetid);
      const bad = body.result.filter((each) => isHostile(each, 'callsetid', known));
      expect(bad.length).toBeLessThanOrEqual(expected.length / 4 + 1);
      for (const each of bad.filter((record) => record?.callsetid >= FIRST_HOSTILE_ID)) {
        counts.push(each.attempts, each.busies, each.connects, each.liveanswers);
      }
    }
    for (const count of [-1, 1.5, 2 ** 53, 'many']) expect(counts).toContain(count);
    expect(texts.join()).toContain('"connects":9007199254740993');
  });

  test('leaves responses of fewer than four records alone', async () => {
    const { body } = await getClients(await inVariant('hostile-records'), { limit: '3', balance: 'true' });
    expect(body.data).toEqual(NORTH.slice(0, 3));
  });

  function depthOf(record: Fields | null): number {
    let depth = 0;
    for (let value = record?.deep; Array.isArray(value); value = value[0]) depth += 1;
    return depth;
  }
});

test('mostly-unreadable: over half of a response’s records have no id, however few there are', async () => {
  const simulator = await inVariant('mostly-unreadable');
  for (const limit of [1, 2, 3, 4, 5, 50]) {
    const { body } = await getClients(simulator, { limit: String(limit) });
    const unreadable = body.data.filter(({ clientid }) => clientid === null).length;
    expect(body.data).toHaveLength(limit);
    expect(unreadable).toBeGreaterThan(limit / 2);
  }
  const { result } = (await getCampaigns(simulator)).body;
  const unreadable = result.filter(({ callsetid }) => callsetid === null).length;
  expect(unreadable).toBeGreaterThan(result.length / 2);
  expect(unreadable).toBeLessThan(result.length);
});
