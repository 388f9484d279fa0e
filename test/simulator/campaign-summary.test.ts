import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SimulatedCampaign } from '../../src/simulator/dataset.ts';
import { ask, askCampaigns, DATASET, type ErrorBody, NOW, start, tokenOf } from './ask.ts';

const COUNTS = ['attempts', 'busies', 'connects', 'liveanswers', 'noanswers'] as const;

describe('the campaign summary', () => {
  test('has the envelope and the records of the document, and fields it does not show', async () => {
    const { status, body } = await askCampaigns(await start(), '2026-11-18');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['campaigns', 'reports', 'result']);
    expect(body.result.length).toBeGreaterThan(10);
    expect(body).toMatchObject({ campaigns: body.result.length, reports: body.result.length });
    for (const summary of body.result) {
      expect(Object.keys(summary).sort()).toEqual(['callsetid', 'campaign', 'category', ...COUNTS].sort());
      expect(summary.callsetid).toBeTypeOf('number');
      expect(summary.campaign).toBeTypeOf('string');
    }
  });

  test('has each campaign once, with attempts, over any range', async () => {
    const { body } = await askCampaigns(await start(), '2026-03-01', '2026-05-31');
    const ids = body.result.map((summary) => summary.callsetid);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    for (const summary of body.result) expect(summary.attempts).toBeGreaterThan(0);
  });

  test('has counts that fit together', () => {
    const summaries = DATASET.accounts.flatMap(({ name }) =>
      DATASET.campaigns(name, Temporal.PlainDate.from('2026-11-01'), Temporal.PlainDate.from('2026-11-20')),
    );
    for (const summary of summaries) {
      for (const count of COUNTS) expect(Number.isSafeInteger(summary[count])).toBe(true);
      const { attempts, busies, connects, liveanswers, noanswers } = summary;
      expect(Math.min(attempts, busies, connects, liveanswers, noanswers)).toBeGreaterThanOrEqual(0);
      expect(busies + connects + noanswers).toBeLessThanOrEqual(attempts);
      expect(liveanswers).toBeLessThanOrEqual(connects);
    }
  });

  test('over a range is the sum of its days', () => {
    const today = NOW.toZonedDateTimeISO('UTC').toPlainDate();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 36_000 }), fc.integer({ min: 0, max: 40 }), (back, length) => {
        const from = today.add({ days: 20 }).subtract({ days: back });
        const to = from.add({ days: length });
        const days = Array.from({ length: length + 1 }, (_, index) => from.add({ days: index }));
        const byDay = days.flatMap((day) => DATASET.campaigns('coast', day, day));
        expect(DATASET.campaigns('coast', from, to)).toEqual(sumById(byDay));
      }),
    );
  });

  test('has nothing for days to come, before 2000, or without calls', async () => {
    const simulator = await start();
    expect((await askCampaigns(simulator, '2026-11-21', '2027-12-31')).body).toEqual({
      campaigns: 0,
      reports: 0,
      result: [],
    });
    expect((await askCampaigns(simulator, '1999-01-01', '1999-12-31')).body.result).toEqual([]);
  });

  test("counts the present day's calls as they are made, more each hour", async () => {
    let clock = Temporal.Instant.from('2026-11-20T00:10:00Z');
    const simulator = await start({ now: () => clock });
    const attempts: number[] = [];
    for (let hour = 0; hour <= 24; hour += 1, clock = clock.add({ hours: 1 })) {
      const { body } = await askCampaigns(simulator, '2026-11-20');
      attempts.push(body.result.reduce((sum, summary) => sum + summary.attempts, 0));
    }
    expect(new Set(attempts).size).toBe(25);
    expect(attempts).toEqual(attempts.toSorted((a, b) => a - b));
    clock = clock.add({ hours: 24 * 30 });
    const { body } = await askCampaigns(simulator, '2026-11-20');
    expect(body.result.reduce((sum, summary) => sum + summary.attempts, 0)).toBe(attempts.at(-1));
  });

  test('answers for a year in well under a second', async () => {
    const simulator = await start();
    const before = performance.now();
    const { body } = await askCampaigns(simulator, '2025-01-01', '2025-12-31');
    expect(performance.now() - before).toBeLessThan(1_000);
    expect(body.result.length).toBeGreaterThan(100);
  });
});

describe('callsetid', () => {
  test('narrows the answer to that one campaign', async () => {
    const simulator = await start();
    const { body: all } = await askCampaigns(simulator, '2026-11-10', '2026-11-18');
    const wanted = all.result[4]!;
    const { body } = await askCampaigns(simulator, '2026-11-10', '2026-11-18', {
      callsetid: String(wanted.callsetid),
    });
    expect(body).toEqual({ campaigns: 1, reports: 1, result: [wanted] });
  });

  test('of no campaign, or of another account’s, gives an empty result', async () => {
    const simulator = await start();
    const { body: others } = await askCampaigns(simulator, '2026-11-18', '2026-11-18', {}, 'coast');
    for (const callsetid of ['1', String(others.result[0]!.callsetid)]) {
      const { status, body } = await askCampaigns(simulator, '2026-11-18', '2026-11-18', { callsetid });
      expect(status).toBe(200);
      expect(body).toEqual({ campaigns: 0, reports: 0, result: [] });
    }
  });

  test.for(['', '0', '-3', '1.5', 'abc'])('is refused when it is "%s"', async (callsetid) => {
    const { status } = await askCampaigns(await start(), '2026-11-18', '2026-11-18', { callsetid });
    expect(status).toBe(400);
  });
});

describe('the dates', () => {
  test('are both mandatory', async () => {
    const simulator = await start();
    for (const given of ['startdate', 'enddate']) {
      const query = { sidtoken: tokenOf('north'), [given]: '11-18-2026' };
      const { status, body } = await ask<ErrorBody>(simulator, 'campaignSummary.wr', query);
      expect(status).toBe(400);
      expect(body.error.message).toContain(given === 'startdate' ? 'enddate' : 'startdate');
    }
  });

  test.for([
    '2026-11-18',
    '11/18/2026',
    '1-8-2026',
    '11-18-26',
    '02-30-2026',
    '02-29-2027',
    '13-01-2026',
    '00-10-2026',
    'today',
    '11-18-2026 ',
  ])('are refused when one is "%s"', async (date) => {
    const simulator = await start();
    for (const name of ['startdate', 'enddate']) {
      const { status, body } = await askCampaigns(simulator, '2026-11-18', '2026-11-18', { [name]: date });
      expect(status).toBe(400);
      expect(body.error.message).toContain(name);
    }
  });

  test('may be a leap day, and one and the same day, but not the wrong way round', async () => {
    const simulator = await start();
    expect((await askCampaigns(simulator, '2024-02-29')).status).toBe(200);
    expect((await askCampaigns(simulator, '2026-11-18', '2026-11-17')).status).toBe(400);
  });
});

function sumById(summaries: readonly SimulatedCampaign[]): SimulatedCampaign[] {
  const sums = new Map<number, SimulatedCampaign>();
  for (const summary of summaries) {
    const sum = sums.get(summary.callsetid);
    const counts = COUNTS.map((count) => [count, summary[count] + (sum?.[count] ?? 0)]);
    sums.set(summary.callsetid, { ...summary, ...Object.fromEntries(counts) });
  }
  return [...sums.values()].sort((a, b) => a.callsetid - b.callsetid);
}
