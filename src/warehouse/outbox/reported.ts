import type { AccountTotals } from '../../model/digest.ts';
import { exact, type Read } from '../db/exact.ts';

/** The totals that a digest reported, as they are kept: sums are decimal text. */
export type KeptTotals = Read<AccountTotals>;

export const keptTotals = (reported: readonly AccountTotals[]): string =>
  JSON.stringify(reported, (_, value) => (typeof value === 'bigint' ? value.toString() : value));

export const reportedTotals = (kept: readonly KeptTotals[]): readonly AccountTotals[] =>
  kept.map((each) => exact<AccountTotals>(each));
