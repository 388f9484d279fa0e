import { describe, expect, it } from 'vitest';
import { heldForKnownAlone, knownMarks, repeatedMarks } from '../../../src/job/windows/review-days.ts';
import type { Anomaly, HeldCode } from '../../../src/model/anomaly.ts';
import { addDays } from '../../../src/model/day.ts';
import type { EarlierDay } from '../../../src/model/window.ts';
import type { RepeatedDay, WaitingDay } from '../../../src/warehouse/load/marks.ts';

const day = '2026-03-20';
const loaded = {
  accountId: 1,
  day,
  name: 'north',
  state: 'loaded',
  isOver: true,
  fetchedAt: '2026-03-21 06:30:00+00',
  anomalies: [],
} as const;
const same = (part: { known?: boolean; datesIgnored?: boolean } = {}): Anomaly => ({
  code: 'same_figures',
  datesIgnored: false,
  known: false,
  ...part,
});
const announced = { code: 'announced', announced: 10, listed: 9, known: false } as const;
const unreadable = { code: 'unreadable', records: 1, known: false } as const;

describe('a day with the figures of the day before or after', () => {
  const repeated = (part: Partial<RepeatedDay>): RepeatedDay => ({
    ...loaded,
    contentHash: 'a',
    twin: addDays(day, -1),
    ...part,
  });

  it('is marked, though it was confirmed', () => {
    expect(repeatedMarks([repeated({})])).toMatchObject([
      { day, anomalies: [same()], provisional: 'the same campaigns and counts as the day before or after' },
    ]);
  });

  it('is marked beside what else speaks against it', () => {
    expect(repeatedMarks([repeated({ state: 'provisional', anomalies: [announced] })])).toMatchObject([
      { anomalies: [announced, same()] },
    ]);
  });

  it.each([same(), same({ known: true }), same({ datesIgnored: true })])('is marked once: %j', (anomaly) => {
    expect(repeatedMarks([repeated({ anomalies: [anomaly] })])).toEqual([]);
  });

  it('loses the mark once they differ', () => {
    expect(
      repeatedMarks([repeated({ state: 'provisional', anomalies: [same()], twin: null })]),
    ).toMatchObject([{ anomalies: [], provisional: null }]);
  });
});

const earlier = (anomalies: readonly Anomaly[]) =>
  new Map([
    [
      1,
      [1, 2, 3, 4].map(
        (ago): EarlierDay => ({
          day: addDays(day, 1 - ago),
          isConfirmed: false,
          rows: 9,
          hasCalls: true,
          unreported: [],
          anomalies,
          runDates: Object.fromEntries(anomalies.map(({ code }) => [code, [day, addDays(day, 1)]])),
        }),
      ),
    ],
  ]);
const waiting = (part: Partial<WaitingDay>): WaitingDay => ({
  ...loaded,
  state: 'provisional',
  held: null,
  rejectReasons: [],
  ...part,
});

describe('a provisional day', () => {
  const marks = (part: Partial<WaitingDay>, dismissed: readonly string[] = [], days = earlier([announced])) =>
    knownMarks([waiting(part)], days, new Set(dismissed));

  it('is confirmed by what is known by now, however old it is', () => {
    for (const old of [day, '2025-12-01'])
      expect(marks({ day: old, anomalies: [announced] })).toMatchObject([
        { day: old, anomalies: [{ ...announced, known: true }], provisional: null },
      ]);
  });

  it('stays provisional if something else speaks against it, and says only that', () => {
    const error = { code: 'error', text: 'half', known: false } as const;
    expect(marks({ anomalies: [announced, error] })).toMatchObject([
      { provisional: 'the service sent an error with the campaigns: half' },
    ]);
  });

  it('is left alone if nothing is known, or it was not over', () => {
    expect(marks({ anomalies: [unreadable] }, [], earlier([unreadable]))).toEqual([]);
    expect(marks({ anomalies: [announced] }, [], new Map())).toEqual([]);
    expect(marks({ anomalies: [announced], isOver: false })).toMatchObject([
      { provisional: 'the day was not over' },
    ]);
  });

  it('is confirmed without records that somebody dismissed: for this account, and for every reason that it has', () => {
    const rejectReasons = ['busies: not a whole number', 'campaign: not a text'];
    const day = { anomalies: [unreadable], rejectReasons };
    const all = rejectReasons.map((reason) => `north campaigns ${reason}`);
    expect(marks(day, all)).toMatchObject([
      { anomalies: [{ ...unreadable, known: true }], provisional: null },
    ]);
    expect(marks(day, all.slice(1))).toEqual([]);
    expect(
      marks(
        day,
        rejectReasons.map((reason) => `coast campaigns ${reason}`),
      ),
    ).toEqual([]);
    expect(marks({ ...day, rejectReasons: [] }, all), 'without a reason').toEqual([]);
  });
});

describe('a held response', () => {
  const held = (code: HeldCode, anomalies: readonly Anomaly[]) =>
    heldForKnownAlone([waiting({ state: 'loaded', held: { code, anomalies } })], earlier([announced]));

  it('is dropped if it is held for what is known alone', () => {
    expect(held('announced', [announced])).toHaveLength(1);
  });

  it('stays held for what it takes away, and for what isn’t known', () => {
    expect(held('halved', [announced])).toEqual([]);
    expect(held('announced', [announced, unreadable])).toEqual([]);
    expect(heldForKnownAlone([waiting({})], earlier([announced]))).toEqual([]);
  });
});
