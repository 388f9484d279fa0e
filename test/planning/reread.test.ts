import { expect, test } from 'vitest';
import { effectiveResponses } from '../../src/planning/reread.ts';

type Row = Parameters<typeof effectiveResponses>[0][number];
const response = (id: number, runId: number, part: Partial<Row> = {}): Row => ({
  id,
  runId,
  fetchedAt: `2026-03-02 06:30:${10 + id}+00`,
  decidedAt: `2026-03-02 06:31:${10 + id}+00`,
  followed: false,
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

test('what other runs got takes nothing away, and the order is that of the decisions', () => {
  const rows = [discarded(1, 1), response(2, 2), discarded(3, 3), response(4, 4)];
  expect(idsOf(...rows)).toEqual([1, 2, 3, 4]);
  expect(idsOf(...rows.toReversed())).toEqual([1, 2, 3, 4]);
});

const at = (seconds: number) => `2026-03-02 06:30:${seconds}+00`;
const inTheFuture = '2029-03-02 06:30:00+00';

test('a followed response stays where it was decided on, whatever the clock said when it was requested', () => {
  const followed = (id: number, fetchedAt: string) => response(id, id, { followed: true, fetchedAt });
  expect(idsOf(followed(2, at(11)), followed(1, inTheFuture), followed(3, at(11)))).toEqual([1, 2, 3]);
});

test('one that is decided anew is stale where a run would find it so: not after one that was fetched in the future', () => {
  const before = (fetchedAt: string) => response(1, 1, { followed: true, fetchedAt });
  const after = response(2, 2, { fetchedAt: at(30) });
  expect(idsOf(before(at(40)), after)).toEqual([1]);
  expect(idsOf(before(at(30)), after)).toEqual([1]);
  expect(idsOf(before(at(29)), after)).toEqual([1, 2]);
  expect(idsOf(before(inTheFuture), after)).toEqual([1, 2]);
});
