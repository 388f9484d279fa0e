import { expect, test } from 'vitest';
import { effectiveResponses } from '../../src/planning/reread.ts';

type Row = Parameters<typeof effectiveResponses>[0][number];
const response = (id: number, runId: number, part: Partial<Row> = {}): Row => ({
  id,
  runId,
  readable: true,
  discarded: false,
  ...part,
});
const discarded = (id: number, runId: number, readable = true) =>
  response(id, runId, { readable, discarded: true });
const idsOf = (...rows: readonly Row[]) => effectiveResponses(rows).map(({ id }) => id);

test('of the discarded responses of a run the last counts that can be read', () => {
  expect(idsOf(discarded(1, 1), discarded(2, 1), discarded(3, 1, false))).toEqual([2]);
});

test('a discarded response does not count where its run got a later one, though that was requested before', () => {
  expect(idsOf(response(3, 1), discarded(1, 1), discarded(2, 1))).toEqual([3]);
  expect(idsOf(response(3, 1, { readable: false }), discarded(1, 1), discarded(2, 1))).toEqual([2]);
});

test('what other runs got takes nothing away, and the order stays', () => {
  expect(idsOf(discarded(1, 1), response(2, 2), discarded(3, 3), response(4, 4))).toEqual([1, 2, 3, 4]);
});
