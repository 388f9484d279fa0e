import type { Finding } from '../../model/alert.ts';
import type { Day } from '../../model/day.ts';
import type { Account, CampaignRecord } from '../../model/records.ts';
import type { SummarizeCampaigns } from '../campaigns.ts';

export type WindowEnd = 'same-day' | 'next-day';

/**
 * What a date range means to the service (service.md 4.2 doesn't say): three requests, for two finished days one by
 * one, and for both together.
 *
 * @param summarize sends the last day as the end, whatever `WINDOW_END` says
 */
export async function examineFigures(
  summarize: SummarizeCampaigns,
  account: Account,
  [day, next]: readonly [Day, Day],
  windowEnd: WindowEnd,
): Promise<Finding[]> {
  const recordsOf = async (from: Day, to: Day) => (await summarize(account, { from, to })).records;
  const one = await recordsOf(day, day);
  const other = await recordsOf(next, next);
  const both = await recordsOf(day, next);
  return [rangeEnd(one, other, both, `${day} and ${next}`, windowEnd), idle([...one, ...other])];
}

function rangeEnd(
  one: readonly CampaignRecord[],
  other: readonly CampaignRecord[],
  both: readonly CampaignRecord[],
  days: string,
  windowEnd: WindowEnd,
): Finding {
  const finding = { area: 'service', subject: 'date range' } as const;
  const first = attemptsById(one);
  const second = attemptsById(other);
  const sum = attemptsById(both);
  if (total(sum) === 0 && total(first) + total(second) === 0) {
    const message = `no attempts on ${days}: whether the end of a range is included can't be determined`;
    return {
      ...finding,
      status: 'warning',
      message,
      advice: 'run doctor again when campaigns have run',
    };
  }
  if (total(first) + total(second) === 0)
    return checkedEnd('next-day', windowEnd, 'the end of a range is not included');
  if (isSum(sum, first, second)) {
    return checkedEnd('same-day', windowEnd, `the end of a range is included: ${days} add up`);
  }
  if (isLifetime(sum, first, second)) {
    const message =
      'the counts are the same whatever the dates: totals of the campaign, not of the requested days';
    const advice = 'figures by day are not available this way; ask the provider how to get them';
    return {
      ...finding,
      status: 'error',
      message,
      advice,
      exitCode: 78,
    };
  }
  const message = `${days} do not add up to both days together (${total(first)} + ${total(second)}, not ${total(sum)})`;
  return {
    ...finding,
    status: 'warning',
    message,
    advice: 'ask the provider what the counts of a range are',
  };
}

function checkedEnd(actual: WindowEnd, configured: WindowEnd, message: string): Finding {
  const finding = {
    area: 'service',
    subject: 'date range',
    message,
  } as const;
  if (actual === configured) return { ...finding, status: 'ok' };
  return { ...finding, status: 'error', advice: `set WINDOW_END=${actual}`, exitCode: 78 };
}

/** The document doesn't say whether a campaign without calls is listed. Callsheet accepts both. */
function idle(records: readonly CampaignRecord[]): Finding {
  const listed = records.some((record) => record.attempts === 0);
  const message = listed
    ? 'campaigns without attempts are listed'
    : 'no campaign without attempts was listed';
  return {
    area: 'service',
    subject: 'idle campaigns',
    message,
    status: 'ok',
  };
}

type Attempts = ReadonlyMap<number, number>;

const attemptsById = (records: readonly CampaignRecord[]): Attempts =>
  new Map(records.map((record) => [record.callsetId, record.attempts ?? 0]));

const total = (attempts: Attempts) => [...attempts.values()].reduce((sum, each) => sum + each, 0);

function isSum(both: Attempts, one: Attempts, other: Attempts): boolean {
  const ids = new Set([...both.keys(), ...one.keys(), ...other.keys()]);
  return [...ids].every((id) => (both.get(id) ?? 0) === (one.get(id) ?? 0) + (other.get(id) ?? 0));
}

function isLifetime(both: Attempts, one: Attempts, other: Attempts): boolean {
  return [one, other].every((day) => [...day].every(([id, attempts]) => both.get(id) === attempts));
}
