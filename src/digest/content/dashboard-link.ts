import type { DigestFigures } from '../../model/digest.ts';
import type { Block } from '../blocks.ts';
import type { Format } from '../format.ts';

/**
 * Fills in `DIGEST_LINK`: the day, the first and last day, and the names of the accounts, separated by commas. The values
 * are URL-encoded. The link of a digest over all accounts has no `{account}`.
 */
export function dashboardButton({ link, period, accounts }: DigestFigures, { words }: Format): Block[] {
  if (link === null) return [];
  const values = {
    day: period.to,
    from: period.from,
    to: period.to,
    account: accounts.map(({ account }) => account).join(','),
  };
  const address = link.replaceAll(/\{(day|from|to|account)\}/g, (_, name: keyof typeof values) =>
    encodeURIComponent(values[name]),
  );
  return [{ kind: 'button', text: words.openDashboard, address }];
}
