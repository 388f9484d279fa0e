import type { DigestFigures } from '../../model/digest.ts';
import { type Format, formatter, rate } from '../format.ts';
import { hasFigures, lackingAccounts, sumUp } from './totals.ts';

/** `Campaigns, Thu 19 Nov: 12,480 attempts, 61% connected`, and whether it is corrected or incomplete. */
export function subject(figures: DigestFigures): string {
  const format = formatter(figures.locale, figures.timeZone);
  const corrected = figures.before === null ? '' : 'Corrected: ';
  const incomplete = lackingAccounts(figures).length > 0 ? ' (incomplete)' : '';
  return `${corrected}${figures.name}, ${format.day(figures.day)}: ${headline(figures, format)}${incomplete}`;
}

/** `12,480 attempts, 61% connected`. */
export function headline({ accounts }: DigestFigures, format: Format): string {
  const { attempts, connects } = sumUp(accounts);
  if (!accounts.some(hasFigures)) return 'nothing loaded';
  if (attempts === 0) return 'no attempts';
  return `${format.count(attempts)} attempts, ${format.rate(rate(connects, attempts))} connected`;
}
