import { describe, expect, it } from 'vitest';
import { disagreeingCounts } from '../../../src/job/windows/decide.ts';
import type { CountedResponse } from '../../../src/model/window.ts';

/** Responses with ten rows, whose `campaigns` and `reports` were these. */
const ten = (...counts: readonly (readonly [campaigns: number, reports: number])[]): CountedResponse[] =>
  counts.map(([campaigns, reports]) => ({ rows: 10, counts: { campaigns, reports } }));
const announcing = { rows: 10, counts: { campaigns: 11, reports: 20 } };

describe('a count announces more campaigns than are listed', () => {
  it('if it was their number in most of the responses before', () => {
    const earlier = ten([10, 20], [10, 20], [10, 20], [11, 20], [11, 20]);
    expect(disagreeingCounts(announcing, earlier)).toEqual(['campaigns']);
  });

  it.each([
    ['in two alone', ten([10, 10], [10, 10])],
    ['in half of them', ten([10, 10], [10, 10], [10, 10], [9, 9], [9, 9], [9, 9])],
    ['in none', []],
    ['under another name', [1, 2, 3].map((rows) => ({ rows, counts: { others: rows } }))],
  ])('not if it was their number %s', (_, earlier) => {
    expect(disagreeingCounts(announcing, earlier)).toEqual([]);
  });

  it('not if it is their number, or less', () => {
    const earlier = ten([10, 10], [10, 10], [10, 10]);
    expect(disagreeingCounts({ rows: 10, counts: { campaigns: 10, reports: 9 } }, earlier)).toEqual([]);
  });
});
