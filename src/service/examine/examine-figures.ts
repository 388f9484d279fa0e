import type { Day } from '../../model/day.ts';
import type { Finding } from '../../model/finding.ts';
import type { Account } from '../../model/records.ts';
import type { SummarizeCampaigns, WindowEnd } from '../operations.ts';
import { error, ok, warning } from './findings.ts';

/** Attempts by campaign id. */
type Attempts = ReadonlyMap<number, bigint>;

/**
 * Finds out how the service reads a date range, because the service's document doesn't say (docs/service-assumptions.md). Sends three requests:
 * one for each of two finished days, and one for both together.
 *
 * @param summarize sends the last day as the end, whatever `WINDOW_END` says
 */
export async function examineFigures(
  summarize: SummarizeCampaigns,
  account: Account,
  [day, next]: readonly [Day, Day],
  windowEnd: WindowEnd,
): Promise<Finding> {
  const attemptsOf = async (from: Day, to: Day): Promise<Attempts> => {
    const { records } = await summarize(account, { from, to });
    return new Map(records.map((record) => [record.callsetId, BigInt(record.attempts ?? 0)]));
  };
  const one = await attemptsOf(day, day);
  const other = await attemptsOf(next, next);
  const both = await attemptsOf(day, next);
  const days = `${day} and ${next}`;
  const subject = 'date range';
  const withEnd = (actual: WindowEnd, message: string) =>
    actual === windowEnd ? ok(subject, message) : error(subject, message, `set WINDOW_END=${actual}`);
  if (total(one) + total(other) === 0n) {
    if (total(both) > 0n) return withEnd('next-day', 'the end of a range is not included');
    const message = `no attempts on ${days}: whether the end of a range is included can't be determined`;
    return warning(subject, message, 'run doctor again when campaigns have run');
  }
  const ids = new Set([...both.keys(), ...one.keys(), ...other.keys()]);
  if ([...ids].every((id) => (both.get(id) ?? 0n) === (one.get(id) ?? 0n) + (other.get(id) ?? 0n))) {
    return withEnd('same-day', `the end of a range is included: ${days} add up`);
  }
  if ([...one, ...other].every(([id, attempts]) => both.get(id) === attempts)) {
    return error(
      subject,
      'the counts are the same whatever the dates: totals of the campaign, not of the requested days',
      'figures by day are not available this way; ask the provider how to get them',
    );
  }
  return warning(
    subject,
    `${days} do not add up to both days together (${total(one)} + ${total(other)}, not ${total(both)})`,
    'ask the provider what the counts of a range mean',
  );
}

const total = (attempts: Attempts) => [...attempts.values()].reduce((sum, each) => sum + each, 0n);
