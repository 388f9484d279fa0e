import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generateDataset, type SimulatedCampaign } from '../../src/simulator/dataset.ts';
import { askCampaigns, askClients, DATASET, NOW, start } from './ask.ts';

const now = () => NOW;

function campaignsOn(day: Temporal.PlainDate, dataset = DATASET): SimulatedCampaign[] {
  return dataset.accounts.flatMap(({ name }) => dataset.campaigns(name, day, day));
}

function daysFrom(first: string, count: number): Temporal.PlainDate[] {
  const from = Temporal.PlainDate.from(first);
  return Array.from({ length: count }, (_, index) => from.add({ days: index }));
}

function average(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

describe.each([1, 2, 77])('the data set of seed %i', (seed) => {
  const dataset = generateDataset(seed, now);
  const clients = dataset.accounts.flatMap(({ name }) => dataset.clients(name));

  test('has 3 accounts and 1,200 clients, no id or name twice', () => {
    expect(dataset.accounts.map(({ name }) => name)).toEqual(['north', 'coast', 'valley']);
    expect(clients).toHaveLength(1_200);
    expect(new Set(clients.map((client) => client.clientid)).size).toBe(1_200);
    expect(new Set(clients.map((client) => client.clientname)).size).toBe(1_200);
    for (const { name } of dataset.accounts) expect(dataset.clients(name).length).toBeGreaterThan(100);
  });

  test('has some 40 campaigns on a weekday and far fewer on weekends', () => {
    const days = daysFrom('2026-01-01', 300);
    const count = (day: Temporal.PlainDate) => campaignsOn(day, dataset).length;
    const weekdays = days.filter((day) => day.dayOfWeek <= 5).map(count);
    const weekends = days.filter((day) => day.dayOfWeek > 5).map(count);
    expect(average(weekdays)).toBeGreaterThan(37);
    expect(average(weekdays)).toBeLessThan(44);
    expect(Math.min(...weekdays)).toBeGreaterThan(28);
    expect(new Set(weekdays).size).toBeGreaterThan(4);
    expect(average(weekends)).toBeLessThan(14);
    expect(Math.min(...weekends)).toBeGreaterThan(0);
  });

  test('has campaigns that start and end, beside some that run all the year round', () => {
    const seenOn = new Map<number, Temporal.PlainDate[]>();
    for (const day of daysFrom('2026-01-01', 300)) {
      for (const { callsetid } of campaignsOn(day, dataset)) {
        seenOn.set(callsetid, [...(seenOn.get(callsetid) ?? []), day]);
      }
    }
    const spans = [...seenOn.values()].map((days) => days[0]!.until(days.at(-1)!).days + 1);
    expect(spans.filter((span) => span <= 65).length).toBeGreaterThan(100);
    expect(spans.filter((span) => span > 65 && span < 290)).toEqual([]);
    expect(spans.filter((span) => span >= 290).length).toBe(9);
  });

  test('has the names that break careless tools, on any weekday and in each list of clients', () => {
    const weekday = campaignsOn(Temporal.PlainDate.from('2026-11-18'), dataset);
    const lists = dataset.accounts.map(({ name }) =>
      dataset.clients(name).map((client) => client.clientname),
    );
    for (const names of [weekday.map((summary) => summary.campaign), ...lists]) {
      for (const special of [/[À-ÿ]/, /\p{Extended_Pictographic}/u, /,/, /"/, /^=/]) {
        expect(
          names.some((name) => special.test(name)),
          String(special),
        ).toBe(true);
      }
    }
  });

  test('has tokens that are recognisable, of which one reads differently when URL-encoded', () => {
    const tokens = dataset.accounts.map(({ token }) => token);
    expect(new Set(tokens).size).toBe(3);
    for (const token of tokens) expect(token).toMatch(/^demo-(north|coast|valley)-/);
    expect(tokens.some((token) => /[+/=]/.test(token) && encodeURIComponent(token) !== token)).toBe(true);
  });
});

describe('determinism', () => {
  test('gives the same bodies from two servers of one seed, in whatever order they are asked', async () => {
    const [one, other] = [await start({ seed: 1 }), await start({ seed: 1 })];
    const days = ['2001-02-03', '2026-11-18', '2014-07-31', '2026-11-20'];
    const answers = new Map<string, string>();
    for (const day of days) answers.set(day, (await askCampaigns(one, day)).text);
    answers.set('clients', (await askClients(one, { limit: '300', page: '2', balance: 'true' })).text);

    expect((await askClients(other, { limit: '300', page: '2', balance: 'true' })).text).toBe(
      answers.get('clients'),
    );
    for (const day of days.toReversed()) {
      await askCampaigns(other, '2010-01-01', '2011-12-31');
      expect((await askCampaigns(other, day)).text).toBe(answers.get(day));
    }
  });

  test('holds for any day of the century, long after it too', () => {
    const first = Temporal.PlainDate.from('2000-01-01');
    const centuryLater = generateDataset(3, () => Temporal.Instant.from('2101-01-01T00:00:00Z'));
    let night = NOW;
    const thatNight = generateDataset(3, () => night);
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

  test('is broken by another seed', () => {
    const other = generateDataset(2, now);
    const day = Temporal.PlainDate.from('2026-11-18');
    expect(campaignsOn(day, other)).not.toEqual(campaignsOn(day));
    expect(other.clients('north')).not.toEqual(DATASET.clients('north'));
    expect(other.accounts).not.toEqual(DATASET.accounts);
  });

  test('keeps a campaign’s name, and its id to its account, over its life', () => {
    const names = new Map<number, string>();
    for (const { name: account } of DATASET.accounts) {
      for (const day of daysFrom('2026-06-01', 120)) {
        for (const { callsetid, campaign } of DATASET.campaigns(account, day, day)) {
          const known = names.get(callsetid) ?? `${account}/${campaign}`;
          expect(`${account}/${campaign}`).toBe(known);
          names.set(callsetid, known);
        }
      }
    }
  });
});

test('an account that the data set lacks is an error', () => {
  expect(() => DATASET.clients('nowhere')).toThrow('no account "nowhere"');
});
