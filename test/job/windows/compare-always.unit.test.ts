import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareDay, sameCounts } from '../../../src/job/windows/compare.ts';
import { contentHash } from '../../../src/job/windows/decide.ts';
import type { CampaignRecord } from '../../../src/model/records.ts';
import type { CurrentRow, DayChange } from '../../../src/model/window.ts';
import { rounds } from '../../support/rounds.ts';
import { responses, shuffled } from './campaign-records.ts';

/** The current rows after a change, as the warehouse writes it: `extra` goes through jsonb. */
function apply(current: readonly CurrentRow[], change: DayChange): CurrentRow[] {
  const rows = new Map(current.map((row) => [row.callsetId, row]));
  for (const record of [...change.appeared, ...change.updated]) {
    const extra = JSON.parse(JSON.stringify(record.extra));
    rows.set(record.callsetId, { ...record, extra, withdrawn: false });
  }
  for (const id of change.withdrawn) rows.set(id, { ...rows.get(id)!, withdrawn: true });
  return [...rows.values()];
}

/** A day after a history of responses. */
const currentDays = fc.array(responses, { maxLength: 3 }).map((history) => {
  const step = (rows: CurrentRow[], response: CampaignRecord[]) =>
    apply(rows, compareDay(rows, response, true));
  return history.reduce(step, []);
});

const idsOf = (records: readonly { callsetId: number }[]) => records.map((each) => each.callsetId);
const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

test('the same response again changes nothing, in whatever order its records are', () => {
  fc.assert(
    fc.property(currentDays, shuffled, fc.boolean(), (current, [response, reordered], final) => {
      const after = apply(current, compareDay(current, response, final));
      expect(compareDay(after, reordered, true)).toEqual({
        appeared: [],
        updated: [],
        withdrawn: [],
        restatements: [],
        unchanged: response.length,
      });
    }),
    { numRuns: rounds(400) },
  );
});

test('the current rows after a response are those of the response, whatever they were before', () => {
  fc.assert(
    fc.property(currentDays, responses, fc.boolean(), (current, response, final) => {
      const after = apply(current, compareDay(current, response, final));
      const rows = after.filter((row) => !row.withdrawn);
      expect(sorted(idsOf(rows))).toEqual(sorted(idsOf(response)));
      expect(contentHash(rows)).toBe(contentHash(response));
      expect(sorted(idsOf(after))).toEqual(sorted([...new Set(idsOf([...current, ...response]))]));
    }),
    { numRuns: rounds(200) },
  );
});

test('every record of a response appears, is updated or is unchanged, and every row lost is withdrawn', () => {
  fc.assert(
    fc.property(currentDays, responses, fc.boolean(), (current, response, final) => {
      const change = compareDay(current, response, final);
      expect(change.appeared.length + change.updated.length + change.unchanged).toBe(response.length);
      const known = idsOf(current);
      expect(idsOf(change.appeared)).toEqual(idsOf(response).filter((id) => !known.includes(id)));
      const present = current.filter((row) => !row.withdrawn);
      expect(change.withdrawn).toEqual(idsOf(present).filter((id) => !idsOf(response).includes(id)));
    }),
    { numRuns: rounds(200) },
  );
});

test('the order of the response and that of the rows change only the order of the changes', () => {
  fc.assert(
    fc.property(currentDays, shuffled, (current, [response, reordered]) => {
      const normal = (change: DayChange) => ({
        ...change,
        appeared: change.appeared.toSorted((a, b) => a.callsetId - b.callsetId),
        updated: change.updated.toSorted((a, b) => a.callsetId - b.callsetId),
        withdrawn: sorted(change.withdrawn),
        restatements: change.restatements.toSorted((a, b) => a.callsetId - b.callsetId),
      });
      const straight = compareDay(current, response, true);
      expect(normal(compareDay(current.toReversed(), reordered, true))).toEqual(normal(straight));
    }),
  );
});

test('only campaigns of a final day that appeared, were lost, returned or have other counts are restated', () => {
  fc.assert(
    fc.property(currentDays, responses, (current, response) => {
      const expected = current.flatMap((row) => {
        const record = response.find((each) => each.callsetId === row.callsetId);
        if (!record) return row.withdrawn ? [] : [`${row.callsetId} withdrawn`];
        if (row.withdrawn) return [`${row.callsetId} returned`];
        return sameCounts(row, record) ? [] : [`${row.callsetId} changed`];
      });
      const { appeared, restatements } = compareDay(current, response, true);
      expected.push(...idsOf(appeared).map((id) => `${id} appeared`));
      expect(restatements.map((each) => `${each.callsetId} ${each.reason}`).sort()).toEqual(expected.sort());
      expect(compareDay(current, response, false).restatements).toEqual([]);
    }),
    { numRuns: rounds(200) },
  );
});
