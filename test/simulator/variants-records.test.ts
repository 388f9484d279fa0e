import { describe, expect, test } from 'vitest';
import { FIRST_HOSTILE_ID } from '../../src/simulator/variants/hostile-records.ts';
import { hostileName } from '../../src/simulator/variants/hostile-text.ts';
import type { VariantName } from '../../src/simulator/variants.ts';
import { askCampaigns, askClients, DATASET, start, walk } from './ask.ts';

type Fields = Record<string, unknown>;

const NORTH = DATASET.clients('north');
const DAY = '2026-11-18';
const NEXT = '2026-11-19';

const campaignsOf = (from: string, to = from) =>
  DATASET.campaigns('north', Temporal.PlainDate.from(from), Temporal.PlainDate.from(to));

const inVariant = (...variants: VariantName[]) => start({ variants });

async function clientsIn(variant: VariantName): Promise<Fields[]> {
  const { body } = await askClients(await inVariant(variant), { limit: '620', balance: 'true' });
  return body.data;
}

describe('the counts of envelopes', () => {
  test('numbers-as-text: every number of envelopes and records is text', async () => {
    const simulator = await inVariant('numbers-as-text');
    const { body: clients } = await askClients(simulator, { limit: '50' });
    expect(clients).toMatchObject({ page: '1', pages: '13', limit: '50', clients: '620', count: '50' });
    const { body: campaigns } = await askCampaigns(simulator, DAY);
    expect(Number(campaigns.reports)).toBe(campaignsOf(DAY).length);
    for (const object of [clients, campaigns, ...clients.data, ...campaigns.result]) {
      expect(Object.values(object).filter((value) => typeof value === 'number')).toEqual([]);
    }
    expect(campaigns.result[0]!.attempts).toBe(String(campaignsOf(DAY)[0]!.attempts));
  });

  test('counts-missing: there are none, and the lists are right', async () => {
    const simulator = await inVariant('counts-missing');
    const { body: clients } = await askClients(simulator, { limit: '50' });
    expect(Object.keys(clients)).toEqual(['apirid', 'page', 'pages', 'limit', 'data']);
    expect((await askCampaigns(simulator, DAY)).body).toEqual({ result: campaignsOf(DAY) });
  });

  test('counts-other: they count other things', async () => {
    const simulator = await inVariant('counts-other');
    const query = { limit: '50', search: 'clínica' };
    const { body: plain } = await askClients(await start(), query);
    const { body: clients } = await askClients(simulator, query);
    expect(clients).toEqual({ ...plain, clients: plain.data.length, results: 620, count: plain.pages });
    const { body: campaigns } = await askCampaigns(simulator, DAY);
    const month = campaignsOf('2026-10-19', DAY).length;
    expect(month).toBeGreaterThan(campaignsOf(DAY).length);
    expect(campaigns).toEqual({ campaigns: month, reports: 1, result: campaignsOf(DAY) });
    const { status } = await askCampaigns(simulator, '2026-13-01', DAY);
    expect(status).toBe(400);
  });
});

describe('the balance', () => {
  test.for<[VariantName, (amount: string) => Fields]>([
    ['balance-number', (amount) => ({ balance: Number(amount) })],
    ['balance-other-name', (amount) => ({ accountBalance: amount })],
    ['balance-ambiguous', (amount) => ({ balance: amount, creditBalance: '5.00' })],
    ['balance-unreadable', () => ({ balance: 'n/a' })],
    ['balance-missing', () => ({})],
  ])('%s', async ([variant, expected]) => {
    expect(await clientsIn(variant)).toEqual(
      NORTH.map(({ balance, ...rest }) => ({ ...rest, ...expected(balance) })),
    );
  });

  test.for<[VariantName, RegExp, RegExp]>([
    ['balance-grouped', /^-?\d{1,3}(,\d{3})*\.\d\d$/, /^\d,\d{3}\.\d\d$/],
    ['balance-dollar', /^-?\$\d+(\.\d\d)?$/, /^(-\$\d.*|\$\d+)$/],
  ])('%s: the same amounts in another form', async ([variant, form, telling]) => {
    const balances = (await clientsIn(variant)).map(({ balance }) => String(balance));
    for (const balance of balances) expect(balance).toMatch(form);
    expect(balances.some((balance) => telling.test(balance))).toBe(true);
    expect(balances.map((balance) => Number(balance.replace(/[$,]/g, '')))).toEqual(
      NORTH.map(({ balance }) => Number(balance)),
    );
  });

  test('stays away where it isn’t asked for', async () => {
    const { body } = await askClients(await inVariant('balance-ambiguous'), { limit: '1' });
    expect(Object.keys(body.data[0]!)).toEqual(['clientid', 'clientname', 'checksum']);
  });
});

describe('the figures', () => {
  test('end-exclusive: D to D has nothing, D to D+1 has D', async () => {
    const simulator = await inVariant('end-exclusive');
    expect((await askCampaigns(simulator, DAY)).body).toEqual({ campaigns: 0, reports: 0, result: [] });
    expect((await askCampaigns(simulator, DAY, NEXT)).body.result).toEqual(campaignsOf(DAY));
    expect((await askCampaigns(simulator, NEXT, DAY)).status).toBe(400);
  });

  test('lifetime-totals: the dates choose the campaigns, and not what is counted', async () => {
    const simulator = await inVariant('lifetime-totals');
    const [one, other, both] = [
      (await askCampaigns(simulator, DAY)).body.result,
      (await askCampaigns(simulator, NEXT)).body.result,
      (await askCampaigns(simulator, DAY, NEXT)).body.result,
    ];
    const ids = (list: readonly { callsetid: number }[]) => list.map(({ callsetid }) => callsetid);
    expect(ids(one)).toEqual(ids(campaignsOf(DAY)));
    expect(ids(other)).toEqual(ids(campaignsOf(NEXT)));
    for (const campaign of [...one, ...other]) expect(both).toContainEqual(campaign);
    // The newest one has the highest id, and began within these days.
    const newest = one.at(-1)!;
    const life = campaignsOf('2026-09-01', '2026-11-20').find(
      ({ callsetid }) => callsetid === newest.callsetid,
    );
    expect(newest).toEqual(life);
    const sum = (list: readonly { attempts: number }[]) => list.reduce((all, each) => all + each.attempts, 0);
    expect(sum(one)).toBeGreaterThan(2 * sum(campaignsOf(DAY)));
  });

  test('idle-listed: campaigns of the month before are listed with zeros', async () => {
    const { body } = await askCampaigns(await inVariant('idle-listed'), DAY);
    const active = campaignsOf(DAY);
    expect(body.result.filter(({ attempts }) => attempts > 0)).toEqual(active);
    const idle = body.result.filter(({ attempts }) => attempts === 0);
    const ids = new Set(active.map(({ callsetid }) => callsetid));
    const expected = campaignsOf('2026-10-19', DAY).filter(({ callsetid }) => !ids.has(callsetid));
    expect(expected.length).toBeGreaterThan(3);
    expect(idle).toEqual(
      expected.map((each) => ({
        ...each,
        attempts: 0,
        busies: 0,
        connects: 0,
        liveanswers: 0,
        noanswers: 0,
      })),
    );
  });

  test('counts-null: some counts are null or absent, the others right', async () => {
    const { body } = await askCampaigns(await inVariant('counts-null'), '2026-11-01', DAY);
    const gaps = [{ attempts: null, busies: null }, { liveanswers: undefined }, {}, {}];
    const expected = campaignsOf('2026-11-01', DAY).map((each) => ({ ...each, ...gaps[each.callsetid % 4] }));
    expect(body.result).toEqual(expected);
    for (const gap of [0, 1]) expect(expected.some(({ callsetid }) => callsetid % 4 === gap)).toBe(true);
    expect(body.result.some((each) => each.attempts === null)).toBe(true);
    expect(body.result.some((each) => !('liveanswers' in each))).toBe(true);
  });

  test('extra-nested: further fields of every kind, the shown ones right', async () => {
    const simulator = await inVariant('extra-nested');
    const clients = await askClients(simulator, { limit: '5', balance: 'true' });
    const campaigns = await askCampaigns(simulator, DAY);
    const extra = { settings: { retries: { most: 3 } }, history: [[1, [2, []]], {}], active: true };
    expect(clients.body.data).toMatchObject(NORTH.slice(0, 5).map((each) => ({ ...each, ...extra })));
    expect(campaigns.body.result).toMatchObject(campaignsOf(DAY).map((each) => ({ ...each, ...extra })));
    for (const { text } of [clients, campaigns]) {
      expect(text).toContain('"dialled":12345678901234567890,"ratio":0.12345678901234567890123,');
    }
  });
});

describe('hostile-text', () => {
  test('sends hard names of every kind, the same each time, and leaves the rest alone', async () => {
    const simulator = await inVariant('hostile-text');
    const { body, text } = await askClients(simulator, { limit: '620', balance: 'true' });
    expect(body.data).toEqual(
      NORTH.map((each) => ({ ...each, clientname: hostileName(each.clientid, each.clientname) })),
    );
    const { body: campaigns } = await askCampaigns(simulator, '2026-09-01', DAY);
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
    for (const list of [
      body.data.map((each) => each.clientname),
      campaigns.result.map((each) => each.campaign),
    ]) {
      for (const kind of kinds)
        expect(
          list.some((name) => kind.test(name)),
          String(kind),
        ).toBe(true);
      expect(list.some((name) => !name.isWellFormed())).toBe(true);
      expect(list.filter((name) => name.includes('\0') || !name.isWellFormed()).length).toBeLessThan(
        list.length / 4,
      );
    }
  });
});

describe('hostile-records', () => {
  const hostile = (record: unknown, field: string, known: readonly unknown[]) => {
    const id = (record as Fields | null)?.[field];
    return !known.includes(id) || typeof record !== 'object';
  };

  test('brings every kind of malformed client over a walk, and leaves the data set whole', async () => {
    const simulator = await inVariant('hostile-records');
    const bodies = await walk(simulator, 50);
    const known = NORTH.map(({ clientid }) => clientid);
    const bad = bodies.flatMap(({ data }) => data.filter((each) => hostile(each, 'clientid', known)));
    const twice = bodies.flatMap(({ data }) =>
      data.filter(
        (each, index) =>
          !bad.includes(each) && data.findIndex((other) => other?.clientid === each.clientid) !== index,
      ),
    );
    const good = bodies.flatMap(({ data }) =>
      data.filter((each) => !bad.includes(each) && !twice.includes(each)),
    );
    expect(good).toEqual(NORTH.map(({ balance: _, ...rest }) => rest));
    expect(twice.length).toBeGreaterThan(1);
    for (const each of twice) expect(good).toContainEqual(each);
    const ids = bad.map((each: Fields | null) => each?.clientid);
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
    expect(bad.map(depthOf).some((depth) => depth > 5_000)).toBe(true);
    for (const { data } of bodies) expect(data.length).toBeLessThanOrEqual(54);
  });

  test('brings every kind of malformed count over a week, one for four good records at most', async () => {
    const simulator = await inVariant('hostile-records');
    const counts: unknown[] = [];
    for (const day of ['09', '10', '11', '12', '13', '16', '17', '18']) {
      const expected = campaignsOf(`2026-11-${day}`);
      const { body, text } = await askCampaigns(simulator, `2026-11-${day}`);
      for (const each of expected) expect(body.result).toContainEqual(each);
      const known = expected.map(({ callsetid }) => callsetid);
      const bad = body.result.filter((each) => hostile(each, 'callsetid', known));
      expect(bad.length).toBeLessThanOrEqual(expected.length / 4 + 1);
      for (const each of bad) {
        if (each?.callsetid >= FIRST_HOSTILE_ID) {
          counts.push(each.attempts, each.busies, each.connects, each.liveanswers);
        }
      }
      if (bad.some((each) => each?.connects === 2 ** 53))
        expect(text).toContain('"connects":9007199254740993');
    }
    for (const count of [-1, 1.5, 2 ** 53, 'many']) expect(counts).toContain(count);
  });

  test('leaves answers of fewer than four records alone', async () => {
    const { body } = await askClients(await inVariant('hostile-records'), { limit: '3', balance: 'true' });
    expect(body.data).toEqual(NORTH.slice(0, 3));
  });

  function depthOf(record: unknown): number {
    let depth = 0;
    for (let value = (record as Fields | null)?.deep; Array.isArray(value); value = value[0]) depth += 1;
    return depth + 1;
  }
});

test('mostly-unreadable: over half of an answer’s records have no id, however few there are', async () => {
  const simulator = await inVariant('mostly-unreadable');
  for (const limit of [1, 2, 3, 4, 5, 50]) {
    const { body } = await askClients(simulator, { limit: String(limit) });
    const unreadable = body.data.filter(({ clientid }) => clientid === null).length;
    expect(body.data).toHaveLength(limit);
    expect(unreadable).toBeGreaterThan(limit / 2);
  }
  const { body } = await askCampaigns(simulator, DAY);
  const unreadable = body.result.filter(({ callsetid }) => callsetid === null).length;
  expect(unreadable).toBeGreaterThan(body.result.length / 2);
  expect(unreadable).toBeLessThan(body.result.length);
});
