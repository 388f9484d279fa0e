import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reviewAccount } from '../../../src/job/windows/review-days.ts';
import type { Accepted } from '../../../src/model/accepted.ts';
import type { Anomaly } from '../../../src/model/anomaly.ts';
import { addDays } from '../../../src/model/day.ts';
import type { ReviewedDay } from '../../../src/warehouse/load/reviewed-days.ts';

/* Days beside each other (docs/concepts.md, *Anomaly*). Weeks are of Mondays: 0 is the newest. */

const monday = '2026-03-23';
const runDate = '2026-03-24';
const weeksAgo = (weeks: number) => addDays(monday, -7 * weeks);
const of = (day: string, part: Partial<ReviewedDay> = {}): ReviewedDay => ({
  accountId: 1,
  account: 'north',
  day,
  state: 'loaded',
  isOver: true,
  fetchedAt: `${day} 06:30:00+00`,
  contentHash: day,
  heldHash: null,
  campaigns: 4,
  hasCalls: true,
  isDistinct: true,
  unreported: [],
  anomalies: [],
  sameSinceRunDate: runDate,
  syncedRunDate: runDate,
  ...part,
});
const empty = { campaigns: 0, hasCalls: false, isDistinct: false, contentHash: 'empty' } as const;
const open = (anomaly: { readonly code: 'no_calls' | 'same_figures' }): Anomaly => ({
  ...anomaly,
  confirmedBy: null,
});
const accepted = (sign: string, kind: Accepted['kind'] = 'anomaly'): Accepted => ({
  kind,
  operation: 'campaignSummary',
  sign,
  account: null,
});
const byDay = (days: readonly ReviewedDay[]) => days.toSorted((one, other) => (one.day < other.day ? -1 : 1));

/** The days that change, with their anomalies: `2026-03-23 no_calls`, `2026-03-23 no_calls (repetition)`. */
function review(
  days: readonly ReviewedDay[],
  of: { readonly accepted?: readonly Accepted[]; readonly from?: string } = {},
) {
  const { accepted = [], from = addDays(runDate, -31) } = of;
  return reviewAccount(byDay(days), { from, runDate, accepted }).map(({ day, anomalies, provisional }) => {
    const all = anomalies.map(({ code, confirmedBy }) =>
      confirmedBy === null ? code : `${code} (${confirmedBy})`,
    );
    return `${day} ${[...all, ...(provisional === null ? ['confirmed'] : [])].join(', ')}`;
  });
}

describe('a day without calls', () => {
  const twoMondays = [of(weeksAgo(1)), of(weeksAgo(2))];
  const quiet = of(monday, empty);

  it('is provisional if the last two confirmed days of that weekday had some', () => {
    expect(review([...twoMondays, quiet])).toEqual([`${monday} no_calls`]);
  });

  it.each<[why: string, before: readonly ReviewedDay[]]>([
    ['only one is known', [of(weeksAgo(1))]],
    ['the last one had none', [of(weeksAgo(1), empty), of(weeksAgo(2), empty), of(weeksAgo(3))]],
    ['the one before had none', [of(weeksAgo(1)), of(weeksAgo(2), empty)]],
    ['those are provisional', twoMondays.map((day) => ({ ...day, isOver: false, state: 'provisional' }))],
    ['those are other weekdays', [of(addDays(monday, -1)), of(addDays(monday, -2))]],
  ])('is as confirmed as its response if %s', (_, before) => {
    expect(review([...before, quiet])).toEqual([]);
  });

  it('is compared with confirmed days however old', () => {
    expect(review([of(weeksAgo(30)), of(weeksAgo(40)), quiet])).toEqual([`${monday} no_calls`]);
  });

  it('doesn’t become the rule by lasting: each Monday is compared with the last ones that are confirmed', () => {
    const lasting = [0, 1, 2, 3].map((weeks) => of(weeksAgo(weeks), empty));
    expect(review([of(weeksAgo(4)), of(weeksAgo(5)), ...lasting])).toEqual(
      [3, 2, 1, 0].map((weeks) => `${weeksAgo(weeks)} no_calls`),
    );
  });

  it('is confirmed by a later run date once the account lists records for a later day', () => {
    const again = {
      ...quiet,
      anomalies: [open({ code: 'no_calls' })],
      state: 'provisional',
      sameSinceRunDate: monday,
    } as const;
    expect(review([...twoMondays, again])).toEqual([]);
    expect(review([...twoMondays, again, of(addDays(monday, 1))])).toEqual([
      `${monday} no_calls (repetition), confirmed`,
    ]);
  });

  it('is never confirmed so if the answer isn’t the documented one', () => {
    const anomalies: Anomaly[] = [{ code: 'empty', sign: 'HTTP 404', confirmedBy: 'always' }];
    const again = of(monday, { ...empty, anomalies, sameSinceRunDate: monday });
    expect(
      review([...twoMondays, again, of(addDays(monday, 1))], { accepted: [accepted('HTTP 404', 'empty')] }),
    ).toEqual([`${monday} empty (always), no_calls`]);
  });

  it('is confirmed by a person who accepts the day', () => {
    const input = { from: monday, runDate, accepted: [], acceptedDays: [monday] };
    expect(reviewAccount(byDay([...twoMondays, quiet]), input)).toMatchObject([
      { day: monday, anomalies: [{ code: 'no_calls', confirmedBy: 'day' }], provisional: null },
    ]);
  });

  it('is confirmed by a person, for good or for the day', () => {
    expect(review([...twoMondays, quiet], { accepted: [accepted('no_calls')] })).toEqual([
      `${monday} no_calls (always), confirmed`,
    ]);
    const forTheDay = { ...quiet, anomalies: [{ code: 'no_calls', confirmedBy: 'day' } as const] };
    expect(review([...twoMondays, forTheDay])).toEqual([]);
  });

  it('is left to its records that can’t be read', () => {
    const unread = { code: 'unreadable', reason: 'long', records: 1, confirmedBy: null } as const;
    expect(review([...twoMondays, { ...quiet, state: 'provisional', anomalies: [unread] }])).toEqual([]);
  });
});

describe('a day whose campaigns leave out a count', () => {
  const without = of(monday, { unreported: ['connects'] });
  const week = [1, 2, 3, 4, 5, 6, 7].map((ago) => of(addDays(monday, -ago)));

  it('is provisional if most of the last seven confirmed days with campaigns reported it', () => {
    expect(review([...week, without])).toEqual([`${monday} missing_counts`]);
    const most = week.map((day, index) =>
      index < 4 ? { ...day, unreported: ['connects' as const], anomalies: [accountsFor] } : day,
    );
    expect(review([...most, without], { accepted: [], from: monday })).toEqual([]);
  });
  const accountsFor: Anomaly = { code: 'missing_counts', count: 'connects', confirmedBy: 'day' };

  it('stays so for as long as it lasts', () => {
    const lasting = [...Array(10).keys()].map((ago) =>
      of(addDays(monday, -ago), { unreported: ['connects'] }),
    );
    const before = [...Array(7).keys()].map((ago) => of(addDays(monday, -10 - ago)));
    expect(review([...before, ...lasting])).toHaveLength(10);
  });

  it('is confirmed once a person said that it is no more reported', () => {
    expect(review([...week, without], { accepted: [accepted('missing/connects')] })).toEqual([
      `${monday} missing_counts (always), confirmed`,
    ]);
  });
});

describe('a day with the figures of the day before', () => {
  const same = of(monday, { contentHash: addDays(monday, -1) });

  it('is provisional, and the day before isn’t if it had them on an earlier run date', () => {
    const before = of(addDays(monday, -1), { sameSinceRunDate: addDays(runDate, -1) });
    expect(review([before, same])).toEqual([`${monday} same_figures`]);
  });

  it('is as doubtful as that day if both got them on one run date: dates may have no effect', () => {
    const sunday = addDays(monday, -1);
    expect(review([of(sunday), same])).toEqual([`${sunday} same_figures`, `${monday} same_figures`]);
  });

  it('is provisional if that day’s newest response, which is held, has them', () => {
    const before = of(addDays(monday, -1), { heldHash: monday, sameSinceRunDate: addDays(runDate, -1) });
    expect(review([before, of(monday)])).toEqual([`${monday} same_figures`]);
  });

  it('isn’t if it has so few attempts that chance may have made them', () => {
    const few = { isDistinct: false };
    expect(review([of(addDays(monday, -1), few), { ...same, ...few }])).toEqual([]);
  });

  it('is confirmed once they differ', () => {
    const marked = of(monday, { state: 'provisional', anomalies: [open({ code: 'same_figures' })] });
    expect(review([of(addDays(monday, -1)), marked])).toEqual([`${monday} confirmed`]);
  });
});

describe('a remark', () => {
  const remark = (confirmedBy: Anomaly['confirmedBy']): Anomaly => ({
    code: 'remark',
    sign: 'version: 2.1',
    confirmedBy,
  });
  const marked = of(monday, { state: 'provisional', anomalies: [remark(null)] });
  const settled = of(addDays(monday, -2), { anomalies: [remark('figures')] });

  it('marks no day if the same run date saw it beside confirmed figures that were unchanged', () => {
    expect(review([settled, marked])).toEqual([`${monday} remark (figures), confirmed`]);
  });

  it('marks it if that was on an earlier run date, or another remark', () => {
    expect(review([{ ...settled, syncedRunDate: monday }, marked])).toEqual([]);
    const other: Anomaly = { code: 'remark', sign: 'version: 2.0', confirmedBy: 'figures' };
    expect(review([{ ...settled, anomalies: [other] }, marked])).toEqual([]);
  });

  it('is provisional again once a person takes back that it is accepted', () => {
    const by = of(monday, { anomalies: [remark('always')] });
    expect(review([by], { accepted: [accepted('version: *', 'remark')] })).toEqual([]);
    expect(review([by])).toEqual([`${monday} remark`]);
  });
});

it('days come to the same whatever was looked at before: a second look changes nothing', () => {
  const anyDay = fc.record({
    ago: fc.nat(40),
    hasCalls: fc.boolean(),
    unreported: fc.constantFrom([], [], ['connects' as const]),
    contentHash: fc.constantFrom('a', 'b', 'c', 'd'),
    sameSinceRunDate: fc.constantFrom(runDate, monday),
  });
  fc.assert(
    fc.property(fc.uniqueArray(anyDay, { selector: ({ ago }) => ago }), fc.nat(20), (drawn, early) => {
      const days = byDay(drawn.map(({ ago, ...part }) => of(addDays(monday, -ago), part)));
      if (days.length === 0) return;
      const input = { from: addDays(runDate, -31), runDate, accepted: [] };
      const after = (some: readonly ReviewedDay[]) => {
        const marks = new Map(reviewAccount(some, input).map((mark) => [mark.day, mark]));
        return some.map((day): ReviewedDay => {
          const mark = marks.get(day.day);
          return mark === undefined
            ? day
            : {
                ...day,
                anomalies: mark.anomalies,
                state: mark.provisional === null ? 'loaded' : 'provisional',
              };
        });
      };
      const whole = after(days);
      // A killed run has looked at the older days alone.
      const older = days.slice(0, early);
      const inTwo = after([...(older.length === 0 ? [] : after(older)), ...days.slice(early)]);
      expect(after(whole)).toEqual(whole);
      expect(inTwo).toEqual(whole);
    }),
  );
});
