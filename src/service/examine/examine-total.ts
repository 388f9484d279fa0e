import type { Finding } from '../../model/finding.ts';
import { type Account, type CampaignRecord, countNames } from '../../model/records.ts';
import { warning } from './findings.ts';

/** With fewer campaigns, one is the sum of the others by chance. */
const minOthers = 3;

/** Warns of a record whose counts are the sums of all others: it may be a total, and then each call counts twice. */
export function examineTotal(account: Account, records: readonly CampaignRecord[]): Finding[] {
  const sums = countNames.map((name) => records.reduce((sum, record) => sum + BigInt(record[name] ?? 0), 0n));
  const total = records.find(
    (record) =>
      (record.attempts ?? 0) > 0 &&
      countNames.every((name, index) => BigInt(record[name] ?? 0) * 2n === sums[index]),
  );
  if (total === undefined || records.length <= minOthers) return [];
  const message = `campaign ${total.callsetId}${total.campaign === null ? '' : ` (${total.campaign})`} has the counts of all others together`;
  return [
    warning(
      account.name,
      message,
      'ask the provider whether it is their total: sums then count each call twice',
    ),
  ];
}
