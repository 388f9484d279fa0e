import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { CountHistory, CurrentDay } from '../../src/model/window.ts';
import { compareCounts, describeDisagreement, provenAfter } from '../../src/planning/compare-counts.ts';
import { contentHash, decideWindow } from '../../src/planning/decide-load.ts';
import { record } from './campaign-records.ts';

const known = (part: Partial<CountHistory> = {}): CountHistory => ({
  name: 'reports',
  agreed: provenAfter,
  sameBefore: false,
  ended: false,
  ...part,
});
const envelope = { rows: 10, counts: { campaigns: 10, reports: 20 } };

describe('a count of the envelope disagrees', () => {
  it('where it is not the number of rows, and always was', () => {
    expect(compareCounts(envelope, [known()])).toEqual({ disagreeing: ['reports'], ended: [] });
  });

  it.each([
    ['is the number of rows', known({ name: 'campaigns' })],
    ['was it in too few responses to prove anything', known({ agreed: provenAfter - 1 })],
    ['is no longer compared', known({ ended: true })],
    ['is not sent', known({ name: 'others' })],
  ])('not where it %s', (_, history) => {
    expect(compareCounts(envelope, [history])).toEqual({ disagreeing: [], ended: [] });
  });

  it('no longer where the same came on an earlier run date: that ends the comparison', () => {
    expect(compareCounts(envelope, [known({ sameBefore: true })])).toEqual({
      disagreeing: [],
      ended: ['reports'],
    });
  });

  it('in words that name each of them', () => {
    const both = { rows: 1, counts: { campaigns: 2, reports: 3 } };
    expect(describeDisagreement(both, ['campaigns', 'reports'])).toBe(
      'campaigns is 2 and reports is 3, with 1 listed',
    );
  });
});

describe('a window whose count disagrees', () => {
  const records = [1, 2, 3].map((id) => record(id));
  const response = {
    records,
    rejects: [],
    contentHash: contentHash(records),
    runDate: '2026-03-05',
    accepted: false,
    rows: 3,
    counts: { reports: 4 },
  };
  const day = (part: Partial<CurrentDay> = {}): CurrentDay => ({
    state: 'loaded',
    heldHash: null,
    heldRunDate: null,
    rows: [1, 2, 3, 4].map((id) => ({ ...record(id), withdrawn: false })),
    ...part,
  });
  const decide = (current: CurrentDay, repeated: boolean, part: object = {}) =>
    decideWindow(current, { ...response, ...part }, [known()], repeated).load.decision;

  test('is requested once more, and then held where it would change a loaded day', () => {
    expect(decide(day(), false)).toBe('retry');
    expect(decide(day(), true)).toBe('hold');
  });

  test('is applied at once where the count is the number of rows after all', () => {
    expect(decide(day(), false, { counts: { reports: 3 } })).toBe('apply');
  });

  test('is applied where the day was never loaded, is provisional, or stays the same', () => {
    expect(decide(day({ state: 'failed', rows: [] }), true)).toBe('apply');
    expect(decide(day({ state: 'provisional' }), true)).toBe('apply');
    expect(decide(day({ rows: day().rows.slice(0, 3) }), true)).toBe('apply');
  });

  test('is applied where it was held on an earlier run date, or is accepted', () => {
    const held = { heldHash: response.contentHash, heldRunDate: '2026-03-04' };
    expect(decide(day(held), true)).toBe('apply');
    const today = { ...held, heldRunDate: '2026-03-05' };
    expect(decide(day(today), true)).toBe('hold');
    expect(decide(day(today), false, { accepted: true })).toBe('apply');
  });

  test('whatever its history, is never applied at the first attempt unless nothing disagrees', () => {
    const history = fc.record({
      name: fc.constantFrom('campaigns', 'reports'),
      agreed: fc.nat(5),
      sameBefore: fc.boolean(),
      ended: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(history, { maxLength: 2 }), fc.nat(4), (histories, reports) => {
        const counted = { ...response, counts: { reports } };
        const { load, counts } = decideWindow(day(), counted, histories, false);
        expect(load.decision === 'retry').toBe(counts.disagreeing.length > 0);
        const again = decideWindow(day(), counted, histories, true);
        expect(again.load.decision === 'hold').toBe(counts.disagreeing.length > 0);
      }),
    );
  });
});
