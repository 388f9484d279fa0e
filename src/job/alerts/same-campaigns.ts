import type { SameCampaigns } from '../../model/digest.ts';
import { formatDays } from '../../support/english.ts';
import type { FoundAlert } from './state.ts';
import { dismiss, manual, typed } from './steps.ts';

/** Statistics belong to the account of the token: two accounts with the same campaigns are one, counted twice. */
export function sameCampaigns({ account, label, other, otherLabel, days }: SameCampaigns): FoundAlert {
  const key = `SAME_CAMPAIGNS/${account}/${other}`;
  return {
    code: 'SAME_CAMPAIGNS',
    key,
    account: other,
    severity: 'warning',
    title: `${label} and ${otherLabel}: the same campaigns on ${formatDays(days)}`,
    cause:
      'All counts are the same, too: both tokens probably belong to one account. Digests with both, and sums over all accounts, count it twice.',
    days,
    affects: [`${account} and ${other}`],
    retried: false,
    steps: [
      manual(`Check which accounts the tokens of ${account} and ${other} belong to`),
      typed('To see what both say now', 'doctor'),
      dismiss('If it is right', key),
    ],
  };
}
