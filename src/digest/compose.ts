import type { DigestFigures, DigestMessage } from '../model/digest.ts';
import { digestCsv } from './csv.ts';
import { formatCount, formatDay, formatRate, rate } from './format.ts';
import { digestHtml } from './html.ts';
import { digestText } from './text.ts';
import { hasFigures, lackingAccounts, sumUp } from './totals.ts';

/** Turns figures into what the reader gets. Pure: the same figures give the same message. */
export async function composeDigest(figures: DigestFigures): Promise<DigestMessage> {
  return {
    subject: subject(figures),
    text: digestText(figures),
    html: await digestHtml(figures),
    csv: digestCsv(figures.rows),
    csvName: `${fileName(figures)}.csv`,
  };
}

/** `Campaigns, Thu 19 Nov: 12,480 attempts, 61% connected`. */
function subject(figures: DigestFigures): string {
  const incomplete = lackingAccounts(figures).length > 0 ? ' (incomplete)' : '';
  return `${figures.name}, ${formatDay(figures.day)}: ${headline(figures)}${incomplete}`;
}

function headline(figures: DigestFigures): string {
  const { attempts, connects } = sumUp(figures.accounts);
  if (!figures.accounts.some(hasFigures)) return 'nothing loaded';
  if (attempts === 0) return 'no attempts';
  return `${formatCount(attempts)} attempts, ${formatRate(rate(connects, attempts))} connected`;
}

/** `campaigns-2026-11-19`: the name of a digest's files, safe on every file system. */
export function fileName({ name, day }: Pick<DigestFigures, 'name' | 'day'>): string {
  return `${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${day}`;
}
