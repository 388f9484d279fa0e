import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FORTY_OFFICES } from '../../src/simulator/accounts.ts';
import { COUNTS, type SimulatedCampaign } from '../../src/simulator/campaigns.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';

const now = Temporal.Instant.from('2026-11-20T15:30:00Z');
const dataset = generateDataset(1, () => now);
const anyDay = fc
  .integer({ min: 0, max: 9_800 })
  .map((days) => Temporal.PlainDate.from('2000-01-01').add({ days }));

it('the figures of a campaign fit together', () => {
  fc.assert(
    fc.property(anyDay, (day) => {
      for (const campaign of dataset.campaigns('north', day, day)) {
        const { attempts, busies, connects, liveanswers, noanswers } = campaign;
        for (const count of COUNTS) expect(Number.isSafeInteger(campaign[count])).toBe(true);
        expect(attempts).toBeGreaterThan(0);
        expect(Math.min(busies, connects, liveanswers, noanswers)).toBeGreaterThanOrEqual(0);
        expect(busies + connects + noanswers).toBeLessThanOrEqual(attempts);
        expect(liveanswers).toBeLessThanOrEqual(connects);
      }
    }),
  );
});

it('the figures of a range are the sums of its days, each campaign once, by id', () => {
  fc.assert(
    fc.property(anyDay, fc.integer({ min: 0, max: 20 }), (from, length) => {
      const sums = new Map<number, SimulatedCampaign>();
      for (let days = 0; days <= length; days++) {
        const day = from.add({ days });
        for (const campaign of dataset.campaigns('coast', day, day)) {
          const sum = sums.get(campaign.callsetid);
          const counts = COUNTS.map((count) => [count, campaign[count] + (sum?.[count] ?? 0)]);
          sums.set(campaign.callsetid, { ...campaign, ...Object.fromEntries(counts) });
        }
      }
      const byId = [...sums.values()].sort((one, other) => one.callsetid - other.callsetid);
      expect(dataset.campaigns('coast', from, from.add({ days: length }))).toEqual(byId);
    }),
    { numRuns: 30 },
  );
});

it('one seed has the same figures of a day the night after it and long after, and another seed has others', () => {
  fc.assert(
    fc.property(anyDay, (day) => {
      const read = (seed: number, at: Temporal.Instant) =>
        generateDataset(seed, () => at).campaigns('north', day, day);
      const nightAfter = read(3, day.add({ days: 1 }).toZonedDateTime('UTC').toInstant());
      expect(nightAfter).toEqual(read(3, now));
      expect(nightAfter).not.toEqual(read(4, now));
    }),
    { numRuns: 20 },
  );
});

it('forty offices have ids and names of clients that are unique over all of them', () => {
  const offices = generateDataset(1, () => now, FORTY_OFFICES);
  const clients = offices.accounts.flatMap(({ name }) => offices.clients(name));
  expect(clients).toHaveLength(1_200);
  expect(new Set(clients.map(({ clientid }) => clientid)).size).toBe(1_200);
  expect(new Set(clients.map(({ clientname }) => clientname)).size).toBe(1_200);
});
