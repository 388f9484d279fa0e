import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FORTY_OFFICES } from '../../src/simulator/accounts.ts';
import { COUNTS, type SimulatedCampaign } from '../../src/simulator/campaigns.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { DATASET, NOW } from './simulator.ts';

const WEDNESDAY = Temporal.PlainDate.from('2026-11-18');

function campaignsOn(day: Temporal.PlainDate, dataset = DATASET): SimulatedCampaign[] {
  return dataset.accounts.flatMap(({ name }) => dataset.campaigns(name, day, day));
}

function daysFrom(from: Temporal.PlainDate, count: number): Temporal.PlainDate[] {
  return Array.from({ length: count }, (_, index) => from.add({ days: index }));
}

function average(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

describe.each([1, 2, 77])('the data set of seed %i', (seed) => {
  const dataset = generateDataset(seed, () => NOW);
  const days = daysFrom(Temporal.PlainDate.from('2026-01-01'), 300).map((day) => ({
    day,
    campaigns: campaignsOn(day, dataset),
  }));

  test('has 3 accounts with 1,200 clients, whose ids and names are unique', () => {
    expect(dataset.accounts.map(({ name }) => [name, dataset.clients(name).length])).toEqual([
      ['north', 620],
      ['coast', 380],
      ['valley', 200],
    ]);
    const clients = dataset.accounts.flatMap(({ name }) => dataset.clients(name));
    expect(new Set(clients.map(({ clientid }) => clientid)).size).toBe(1_200);
    expect(new Set(clients.map(({ clientname }) => clientname)).size).toBe(1_200);
    for (const { checksum } of clients) expect(checksum).toMatch(/^\d{10}$/);
    for (const { balance } of clients) expect(balance).toMatch(/^-?\d+\.\d\d$/);
    expect(clients.some(({ balance }) => balance.startsWith('-'))).toBe(true);
  });

  test('has about 40 campaigns on a weekday and far fewer on weekends', () => {
    const countsWhere = (condition: (dayOfWeek: number) => boolean) =>
      days.filter(({ day }) => condition(day.dayOfWeek)).map(({ campaigns }) => campaigns.length);
    const weekdays = countsWhere((dayOfWeek) => dayOfWeek <= 5);
    const weekends = countsWhere((dayOfWeek) => dayOfWeek > 5);
    expect(average(weekdays)).toBeGreaterThan(37);
    expect(average(weekdays)).toBeLessThan(44);
    expect(Math.min(...weekdays)).toBeGreaterThan(28);
    expect(new Set(weekdays).size).toBeGreaterThan(4);
    expect(average(weekends)).toBeLessThan(14);
    expect(Math.min(...weekends)).toBeGreaterThan(0);
  });

  test('has campaigns that start and end, beside some that run all year', () => {
    const seenOn = new Map<number, Temporal.PlainDate[]>();
    for (const { day, campaigns } of days) {
      for (const { callsetid } of campaigns) seenOn.set(callsetid, [...(seenOn.get(callsetid) ?? []), day]);
    }
    const spans = [...seenOn.values()].map((seen) => seen[0]!.until(seen.at(-1)!).days + 1);
    expect(spans.filter((span) => span <= 65).length).toBeGreaterThan(100);
    expect(spans.filter((span) => span > 65 && span < 290)).toEqual([]);
    expect(spans.filter((span) => span >= 290)).toHaveLength(9);
  });

  test('keeps a campaign’s name, and its id to its account, over its life', () => {
    const names = new Map<number, string>();
    for (const { name: account } of dataset.accounts) {
      for (const { day } of days.slice(0, 120)) {
        for (const { callsetid, campaign } of dataset.campaigns(account, day, day)) {
          const known = names.get(callsetid) ?? `${account}/${campaign}`;
          expect(`${account}/${campaign}`).toBe(known);
          names.set(callsetid, known);
        }
      }
    }
  });

  test('has names that break careless tools, on any weekday and in each list of clients', () => {
    const campaigns = campaignsOn(WEDNESDAY, dataset).map(({ campaign }) => campaign);
    const clients = dataset.accounts.map(({ name }) => dataset.clients(name).map((each) => each.clientname));
    for (const names of [campaigns, ...clients]) {
      for (const special of [/[À-ÿ]/, /\p{Extended_Pictographic}/u, /,/, /"/, /^=/]) {
        expect(
          names.filter((name) => special.test(name)),
          String(special),
        ).not.toEqual([]);
      }
    }
  });

  test('has recognisable tokens, of which one reads differently when URL-encoded', () => {
    const tokens = dataset.accounts.map(({ token }) => token);
    for (const token of tokens) expect(token).toMatch(/^demo-(north|coast|valley)-[0-9a-f]{8}/);
    expect(tokens.filter((token) => encodeURIComponent(token) !== token)).toHaveLength(1);
  });
});

describe('the data set of forty offices', () => {
  const offices = generateDataset(1, () => NOW, FORTY_OFFICES);
  const names = offices.accounts.map(({ name }) => name);

  test('has 40 accounts with 30 clients each, ids ascending over all of them, and unique names', () => {
    expect(names).toHaveLength(40);
    expect([names[0], names.at(-1)]).toEqual(['office-01', 'office-40']);
    expect(new Set(offices.accounts.map(({ token }) => token)).size).toBe(40);
    expect(names.map((name) => offices.clients(name).length)).toEqual(names.map(() => 30));
    const clients = names.flatMap((name) => offices.clients(name));
    const ids = clients.map(({ clientid }) => clientid);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(new Set(clients.map(({ clientname }) => clientname)).size).toBe(1_200);
  });

  test('has campaigns of an id each, and hardly a day on which an office has none', () => {
    const days = daysFrom(Temporal.PlainDate.from('2026-10-01'), 28);
    const byOffice = days.flatMap((day) => names.map((name) => offices.campaigns(name, day, day).length));
    expect(byOffice.filter((count) => count === 0).length).toBeLessThan(10);
    for (const day of days) {
      const ids = campaignsOn(day, offices).map(({ callsetid }) => callsetid);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  test('can’t grow beyond the series that fit the ids, or beyond the names', () => {
    const [office] = FORTY_OFFICES;
    for (const tooMany of [{ clients: 1_300 }, { series: 101 }]) {
      expect(() => generateDataset(1, () => NOW, [{ ...office!, ...tooMany }])).toThrow(RangeError);
    }
  });
});

describe('the figures', () => {
  test('have counts that fit together, and attempts in every campaign', () => {
    for (const day of daysFrom(Temporal.PlainDate.from('2026-11-01'), 20)) {
      for (const campaign of campaignsOn(day)) {
        for (const count of COUNTS) expect(Number.isSafeInteger(campaign[count])).toBe(true);
        const { attempts, busies, connects, liveanswers, noanswers } = campaign;
        expect(attempts).toBeGreaterThan(0);
        expect(Math.min(busies, connects, liveanswers, noanswers)).toBeGreaterThanOrEqual(0);
        expect(busies + connects + noanswers).toBeLessThanOrEqual(attempts);
        expect(liveanswers).toBeLessThanOrEqual(connects);
      }
    }
  });

  test('of a range are the sums of its days, each campaign once, by id', () => {
    const today = NOW.toZonedDateTimeISO('UTC').toPlainDate();
    fc.assert(
      fc.property(fc.integer({ min: -20, max: 36_000 }), fc.integer({ min: 0, max: 40 }), (back, length) => {
        const from = today.subtract({ days: back });
        const byDay = daysFrom(from, length + 1).flatMap((day) => DATASET.campaigns('coast', day, day));
        expect(DATASET.campaigns('coast', from, from.add({ days: length }))).toEqual(sumById(byDay));
      }),
      { numRuns: 50 },
    );
  });

  test('of a year are there in well under a second', () => {
    const before = performance.now();
    const [from, to] = [Temporal.PlainDate.from('2025-01-01'), Temporal.PlainDate.from('2025-12-31')];
    expect(DATASET.campaigns('north', from, to).length).toBeGreaterThan(100);
    expect(performance.now() - before).toBeLessThan(1_000);
  });

  function sumById(campaigns: readonly SimulatedCampaign[]): SimulatedCampaign[] {
    const sums = new Map<number, SimulatedCampaign>();
    for (const campaign of campaigns) {
      const sum = sums.get(campaign.callsetid);
      const counts = COUNTS.map((count) => [count, campaign[count] + (sum?.[count] ?? 0)]);
      sums.set(campaign.callsetid, { ...campaign, ...Object.fromEntries(counts) });
    }
    return [...sums.values()].sort((a, b) => a.callsetid - b.callsetid);
  }
});

describe('one seed', () => {
  test('gives the same figures of any day of the century, the night after and long after', () => {
    const first = Temporal.PlainDate.from('2000-01-01');
    let night = NOW;
    const thatNight = generateDataset(3, () => night);
    const centuryLater = generateDataset(3, () => Temporal.Instant.from('2101-01-01T00:00:00Z'));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 36_889 }), (offset) => {
        const day = first.add({ days: offset });
        night = day.add({ days: 1 }).toZonedDateTime('UTC').toInstant();
        const campaigns = campaignsOn(day, thatNight);
        expect(campaigns).toEqual(campaignsOn(day, centuryLater));
        expect(campaigns.length).toBeGreaterThan(0);
        expect(new Set(campaigns.map(({ callsetid }) => callsetid)).size).toBe(campaigns.length);
      }),
      { numRuns: 60 },
    );
  });

  test('gives other data than another seed', () => {
    const other = generateDataset(2, () => NOW);
    expect(campaignsOn(WEDNESDAY, other)).not.toEqual(campaignsOn(WEDNESDAY));
    expect(other.clients('north')).not.toEqual(DATASET.clients('north'));
    expect(other.accounts).not.toEqual(DATASET.accounts);
  });
});
