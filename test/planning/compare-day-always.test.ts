import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CampaignRecord } from '../../src/model/records.ts';
import type { CurrentRow, DayChange } from '../../src/model/window.ts';
import { compareDay, sameCounts } from '../../src/planning/compare-day.ts';
import { contentHash } from '../../src/planning/content-hash.ts';
import { rounds } from '../support/rounds.ts';
import { answers, shuffled } from './campaign-records.ts';

/** What stands after a change, as the warehouse writes it: `extra` goes through jsonb. */
function apply(current: readonly CurrentRow[], change: DayChange): CurrentRow[] {
  const rows = new Map(current.map((row) => [row.callsetId, row]));
  for (const record of [...change.appeared, ...change.updated]) {
    const extra = JSON.parse(JSON.stringify(record.extra));
    rows.set(record.callsetId, { ...record, extra, withdrawn: false });
  }
  for (const id of change.withdrawn) rows.set(id, { ...rows.get(id)!, withdrawn: true });
  return [...rows.values()];
}

/** A day after a history of answers. */
const standings = fc.array(answers, { maxLength: 3 }).map((history) => {
  const step = (rows: CurrentRow[], answer: CampaignRecord[]) => apply(rows, compareDay(rows, answer, true));
  return history.reduce(step, []);
});

const idsOf = (records: readonly { callsetId: number }[]) => records.map((each) => each.callsetId);
const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

test('the same answer again changes nothing, in whatever order it comes', () => {
  fc.assert(
    fc.property(standings, shuffled, fc.boolean(), (current, [answer, turned], final) => {
      const after = apply(current, compareDay(current, answer, final));
      expect(compareDay(after, turned, true)).toEqual({
        appeared: [],
        updated: [],
        withdrawn: [],
        restatements: [],
        unchanged: answer.length,
      });
    }),
    { numRuns: rounds(400) },
  );
});

test('what stands after an answer is the answer, whatever stood before', () => {
  fc.assert(
    fc.property(standings, answers, fc.boolean(), (current, answer, final) => {
      const after = apply(current, compareDay(current, answer, final));
      const stands = after.filter((row) => !row.withdrawn);
      expect(sorted(idsOf(stands))).toEqual(sorted(idsOf(answer)));
      expect(contentHash(stands)).toBe(contentHash(answer));
      expect(sorted(idsOf(after))).toEqual(sorted([...new Set(idsOf([...current, ...answer]))]));
    }),
    { numRuns: rounds(200) },
  );
});

test('every record of an answer appears, is updated or is unchanged, and every row lost is withdrawn', () => {
  fc.assert(
    fc.property(standings, answers, fc.boolean(), (current, answer, final) => {
      const change = compareDay(current, answer, final);
      expect(change.appeared.length + change.updated.length + change.unchanged).toBe(answer.length);
      const known = idsOf(current);
      expect(idsOf(change.appeared)).toEqual(idsOf(answer).filter((id) => !known.includes(id)));
      const stood = current.filter((row) => !row.withdrawn);
      expect(change.withdrawn).toEqual(idsOf(stood).filter((id) => !idsOf(answer).includes(id)));
    }),
    { numRuns: rounds(200) },
  );
});

test('the order of the answer and that of the rows change only the order of what is told', () => {
  fc.assert(
    fc.property(standings, shuffled, (current, [answer, turned]) => {
      const normal = (change: DayChange) => ({
        ...change,
        appeared: change.appeared.toSorted((a, b) => a.callsetId - b.callsetId),
        updated: change.updated.toSorted((a, b) => a.callsetId - b.callsetId),
        withdrawn: sorted(change.withdrawn),
        restatements: change.restatements.toSorted((a, b) => a.callsetId - b.callsetId),
      });
      const straight = compareDay(current, answer, true);
      expect(normal(compareDay(current.toReversed(), turned, true))).toEqual(normal(straight));
    }),
  );
});

test('restated are just the final rows that were lost, came back or have other counts', () => {
  fc.assert(
    fc.property(standings, answers, (current, answer) => {
      const expected = current.flatMap((row) => {
        const told = answer.find((record) => record.callsetId === row.callsetId);
        if (!told) return row.withdrawn ? [] : [`${row.callsetId} withdrawn`];
        if (row.withdrawn) return [`${row.callsetId} returned`];
        return sameCounts(row, told) ? [] : [`${row.callsetId} changed`];
      });
      const { restatements } = compareDay(current, answer, true);
      expect(restatements.map((each) => `${each.callsetId} ${each.reason}`).sort()).toEqual(expected.sort());
      expect(compareDay(current, answer, false).restatements).toEqual([]);
    }),
    { numRuns: rounds(200) },
  );
});
