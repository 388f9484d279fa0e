import { isDeepStrictEqual } from 'node:util';
import {
  type CampaignRecord,
  type CountName,
  type Counts,
  countNames,
  maxRejects,
  type RateName,
  type Reject,
} from '../../model/records.ts';
import type { CurrentRow, DayChange, DaySums, Restatement } from '../../model/window.ts';

/**
 * The changes that a response makes to a day. The same response again changes nothing.
 *
 * @param current every row of the day, withdrawn ones included; empty if it was never loaded
 * @param records the records of the response, no id twice
 * @param final somebody may have read the current rows as final: they are loaded, not provisional
 * @param rejects records that couldn't be read: their campaigns are listed, so their rows stay
 */
export function compareDay(
  current: readonly CurrentRow[],
  records: readonly CampaignRecord[],
  final: boolean,
  rejects: readonly Reject[] = [],
): DayChange {
  const before = new Map(current.map((row) => [row.callsetId, row]));
  const isListed = listedIn(records, rejects);
  const listed = new Set(records.map(({ callsetId }) => callsetId));
  const appeared = records.filter((record) => !before.has(record.callsetId));
  const updated = records.filter((record) => {
    const row = before.get(record.callsetId);
    if (row === undefined) return false;
    // The warehouse returns -0 as 0, which would differ on every run.
    const extra = JSON.parse(JSON.stringify(record.extra));
    const isSame = row.campaign === record.campaign && sameCounts(row, record);
    return row.withdrawn || !isSame || !isDeepStrictEqual(row.extra, extra);
  });
  const withdrawn = current
    .filter((row) => !row.withdrawn && !isListed(row.callsetId))
    .map((row) => row.callsetId);
  return {
    appeared,
    updated,
    withdrawn,
    restatements: final ? restatements(before, [...appeared, ...updated], withdrawn) : [],
    unchanged: records.length - appeared.length - updated.length,
    // A campaign whose record can't be read keeps the row it had.
    sums: sumUp([
      ...records,
      ...current.filter((row) => !row.withdrawn && isListed(row.callsetId) && !listed.has(row.callsetId)),
    ]),
  };
}

/** Sums up rows: 0 without rows, and null if none of them reports the count (docs/concepts.md). */
export function sumUp(rows: readonly Counts[]): DaySums {
  const sumOf = (name: CountName, reporting: readonly Counts[]) => {
    const counts = reporting.flatMap((row) => row[name] ?? []);
    if (rows.length > 0 && counts.length === 0) return null;
    return counts.reduce((sum, count) => sum + BigInt(count), 0n).toString();
  };
  const rateOf = (name: RateName) => {
    const both = rows.filter((row) => row.attempts !== null && row[name] !== null);
    return { part: sumOf(name, both), attempts: sumOf('attempts', both) };
  };
  return {
    campaigns: rows.length,
    activeCampaigns: rows.filter(({ attempts }) => (attempts ?? 0) > 0).length,
    attemptsUnreportedCampaigns: rows.filter(({ attempts }) => attempts === null).length,
    counts: {
      attempts: sumOf('attempts', rows),
      busies: sumOf('busies', rows),
      connects: sumOf('connects', rows),
      liveAnswers: sumOf('liveAnswers', rows),
    },
    rates: {
      connects: rateOf('connects'),
      liveAnswers: rateOf('liveAnswers'),
      busies: rateOf('busies'),
    },
  };
}

/**
 * Returns whether a response lists a campaign, readable or not. A record without a readable id may be any
 * campaign, and so may a reject beyond the kept ones.
 */
export function listedIn(
  records: readonly CampaignRecord[],
  rejects: readonly Reject[],
): (callsetId: number) => boolean {
  if (rejects.length === maxRejects || rejects.some((reject) => reject.id === null)) return () => true;
  const ids = new Set(records.map((record) => record.callsetId));
  for (const { id } of rejects) ids.add(id!);
  return (callsetId) => ids.has(callsetId);
}

/** Returns whether two rows have the same four counts; names and extra fields don't settle or restate a day. */
export function sameCounts(one: Counts, other: Counts): boolean {
  return countNames.every((name) => one[name] === other[name]);
}

function restatements(
  before: ReadonlyMap<number, CurrentRow>,
  written: readonly CampaignRecord[],
  withdrawn: readonly number[],
): Restatement[] {
  const restated = written.flatMap((record): Restatement[] => {
    const row = before.get(record.callsetId);
    if (row === undefined) return [{ reason: 'appeared', callsetId: record.callsetId }];
    if (row.withdrawn) return [{ reason: 'returned', callsetId: record.callsetId }];
    return sameCounts(row, record) ? [] : [{ reason: 'changed', callsetId: record.callsetId }];
  });
  return [...restated, ...withdrawn.map((callsetId): Restatement => ({ reason: 'withdrawn', callsetId }))];
}
