import { describe, expect, test } from 'vitest';
import { compareDay as compare, sameCounts, sumUp } from '../../../src/job/windows/compare.ts';
import { type CampaignRecord, countNames } from '../../../src/model/records.ts';
import type { CurrentRow } from '../../../src/model/window.ts';

const record = (callsetId: number, part: Partial<CampaignRecord> = {}): CampaignRecord => ({
  callsetId,
  campaign: `Campaign ${callsetId}`,
  attempts: 100,
  busies: 10,
  connects: 60,
  liveAnswers: 40,
  extra: {},
  ...part,
});
const row = (callsetId: number, part: Partial<CampaignRecord> = {}): CurrentRow => ({
  ...record(callsetId, part),
  withdrawn: false,
});
const nothing = { appeared: [], updated: [], withdrawn: [], restatements: [], unchanged: 0 };

/** The changes alone. */
function compareDay(...args: Parameters<typeof compare>) {
  const { sums: _, ...changes } = compare(...args);
  return changes;
}

test('a day sums to its current rows: a rate has the campaigns that report both, and an unread record keeps its row', () => {
  const current = [row(1), { ...row(2), withdrawn: true }, row(3), row(4)];
  const reject = { payload: '', reason: '', id: 4 };
  const most = Number.MAX_SAFE_INTEGER;
  const records = [
    record(1, { attempts: most, busies: null }),
    record(5, { attempts: most, connects: null }),
  ];
  const { sums } = compare(current, records, true, [reject]);
  const attempts = String(2n * BigInt(most) + 100n);
  expect(sums).toEqual({
    campaigns: 3,
    activeCampaigns: 3,
    attemptsUnreportedCampaigns: 0,
    counts: { attempts, busies: '20', connects: '120', liveAnswers: '120' },
    rates: {
      connects: { part: '120', attempts: String(BigInt(most) + 100n) },
      liveAnswers: { part: '120', attempts },
      busies: { part: '20', attempts: String(BigInt(most) + 100n) },
    },
  });
  const none = { part: '0', attempts: '0' };
  expect(sumUp([])).toEqual({
    campaigns: 0,
    activeCampaigns: 0,
    attemptsUnreportedCampaigns: 0,
    counts: { attempts: '0', busies: '0', connects: '0', liveAnswers: '0' },
    rates: { connects: none, liveAnswers: none, busies: none },
  });
  const silent = { attempts: null, busies: null, connects: null, liveAnswers: null };
  expect(sumUp([silent, { ...silent, busies: 3 }])).toMatchObject({
    campaigns: 2,
    activeCampaigns: 0,
    attemptsUnreportedCampaigns: 2,
    counts: { attempts: null, busies: '3', connects: null, liveAnswers: null },
  });
});

describe('a response for a day', () => {
  test('that was never loaded appears as it is, and restates nothing', () => {
    expect(compareDay([], [record(1), record(2)], false)).toEqual({
      ...nothing,
      appeared: [record(1), record(2)],
    });
  });

  test('that has not changed changes nothing', () => {
    expect(compareDay([row(1), row(2)], [record(2), record(1)], true)).toEqual({ ...nothing, unchanged: 2 });
  });

  test('with another value of any one count restates the row', () => {
    for (const name of countNames) {
      for (const value of [99, 0, null]) {
        const changed = record(1, { [name]: value });
        expect(compareDay([row(1)], [changed], true), `${name} ${value}`).toEqual({
          ...nothing,
          updated: [changed],
          restatements: [{ reason: 'changed', callsetId: 1 }],
        });
      }
    }
  });

  test('with another name or other extra fields updates the row and restates nothing', () => {
    const old = row(1, { extra: { cost: 1, tags: ['a', 'b'] } });
    for (const part of [
      { campaign: 'Renamed' },
      { campaign: null },
      { extra: {} },
      { extra: { cost: '1' } },
    ]) {
      const changed = record(1, { extra: old.extra, ...part });
      expect(compareDay([old], [changed], true)).toEqual({ ...nothing, updated: [changed] });
    }
  });

  test('with the same extra fields in another order changes nothing', () => {
    const one = row(1, { extra: { cost: 1, deep: { a: 1, b: [2, 3] } } });
    const reordered = record(1, { extra: { deep: { b: [2, 3], a: 1 }, cost: 1 } });
    expect(compareDay([one], [reordered], true)).toEqual({ ...nothing, unchanged: 1 });
  });

  test('with a number that the warehouse writes otherwise, as -0, changes nothing once it is stored', () => {
    const stored = row(1, { extra: { margin: 0, deep: [0] } });
    const received = record(1, { extra: { margin: -0, deep: [-0] } });
    expect(compareDay([stored], [received], true)).toEqual({ ...nothing, unchanged: 1 });
  });

  test('that lacks a current row withdraws it', () => {
    expect(compareDay([row(1), row(2)], [record(1)], true)).toEqual({
      ...nothing,
      withdrawn: [2],
      restatements: [{ reason: 'withdrawn', callsetId: 2 }],
      unchanged: 1,
    });
  });

  test('that lacks a row already withdrawn does not withdraw it again', () => {
    expect(compareDay([{ ...row(1), withdrawn: true }], [], true)).toEqual(nothing);
  });

  test('that has a withdrawn row again returns it, with the same counts or with others', () => {
    const gone = { ...row(1), withdrawn: true };
    for (const returned of [record(1), record(1, { attempts: 5 })]) {
      expect(compareDay([gone], [returned], true)).toEqual({
        ...nothing,
        updated: [returned],
        restatements: [{ reason: 'returned', callsetId: 1 }],
      });
    }
  });

  test('that nobody has read as final yet restates nothing, whatever it changes', () => {
    const current = [row(1), row(2), { ...row(3), withdrawn: true }];
    const change = compareDay(current, [record(1, { attempts: 5 }), record(3)], false);
    expect(change.updated).toHaveLength(2);
    expect(change.withdrawn).toEqual([2]);
    expect(change.restatements).toEqual([]);
  });

  test('with a campaign that was not there restates the day', () => {
    expect(compareDay([row(1)], [record(1), record(2)], true)).toEqual({
      ...nothing,
      appeared: [record(2)],
      restatements: [{ reason: 'appeared', callsetId: 2 }],
      unchanged: 1,
    });
  });
});

test('a count that the service did not report is not the same as 0', () => {
  expect(sameCounts(record(1), record(2, { campaign: null, extra: { cost: 1 } }))).toBe(true);
  expect(sameCounts(record(1, { busies: null }), record(1, { busies: 0 }))).toBe(false);
});

test('a record that can not be read keeps the row of its own campaign, and no other', () => {
  const reject = { payload: '{}', reason: 'attempts: negative', id: 1 };
  expect(compareDay([row(1), row(2)], [], true, [reject])).toEqual({
    ...nothing,
    withdrawn: [2],
    restatements: [{ reason: 'withdrawn', callsetId: 2 }],
  });
});

test('a hundred records that can not be read keep every row: there may be more, of any campaign', () => {
  const reject = { payload: '{}', reason: 'attempts: negative', id: 1 };
  const withdrawn = (rejects: number) =>
    compareDay([row(1), row(2)], [], true, Array(rejects).fill(reject)).withdrawn;
  expect(withdrawn(99)).toEqual([2]);
  expect(withdrawn(100)).toEqual([]);
});
