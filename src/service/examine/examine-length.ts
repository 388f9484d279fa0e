import { cutDays, cutLengths } from '../../model/cut-lists.ts';
import { addDays, type Day } from '../../model/day.ts';
import type { Finding } from '../../model/finding.ts';
import type { Account } from '../../model/records.ts';
import { formatCount } from '../../support/english.ts';
import type { SummarizeCampaigns } from '../operations.ts';
import { warning } from './findings.ts';

/** Far enough to pass a weekend without calls. */
const maxRequests = 5;

/**
 * Warns if the lists of an account may be cut: the last three days that have campaigns have exactly the same round number.
 * Stops at the first list of another length, mostly the first of all.
 *
 * @param last the account's yesterday
 * @param rows the length of its list
 */
export async function examineLength(
  summarize: SummarizeCampaigns,
  account: Account,
  last: Day,
  rows: number,
): Promise<Finding[]> {
  const days: Day[] = [];
  let length = rows;
  for (let ago = 0; ago < maxRequests && days.length < cutDays; ago++) {
    const day = addDays(last, -ago);
    const listed = ago === 0 ? rows : (await summarize(account, { from: day, to: day })).rows;
    if (listed === 0) continue;
    if (days.length > 0 && listed !== length) return [];
    if (!cutLengths.includes(listed)) return [];
    length = listed;
    days.push(day);
  }
  if (days.length < cutDays) return [];
  const message = `exactly ${formatCount(length)} campaigns on each of ${days.toReversed().join(', ')}: the list may be cut there`;
  return [
    warning(
      account.name,
      message,
      `ask the provider whether campaignSummary lists more than ${formatCount(length)}`,
    ),
  ];
}
