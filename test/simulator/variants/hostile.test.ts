import { describe, expect, test } from 'vitest';
import { hostileName } from '../../support/simulator/variants/hostile.ts';
import { FIRST_HOSTILE_ID } from '../../support/simulator/variants/records.ts';
import { campaignsOf, DAY, getCampaigns, getClients, NORTH, start, walk } from '../simulator.ts';

type Fields = Record<string, unknown>;

test('hostile-text: hard names of every kind, the same each time, in records that are otherwise right', async () => {
  const simulator = await start({ variants: ['hostile-text'] });
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
    const bodies = await walk(await start({ variants: ['hostile-records'] }), 50);
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
    const simulator = await start({ variants: ['hostile-records'] });
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

  function depthOf(record: Fields | null): number {
    let depth = 0;
    for (let value = record?.deep; Array.isArray(value); value = value[0]) depth += 1;
    return depth;
  }
});
