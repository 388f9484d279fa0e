import type { DigestFigures } from '../model/digest.ts';
import { formatCount, formatDay, formatRate, rate } from './format.ts';
import { lackingAccounts, sumUp } from './totals.ts';

/** The digest in plain text: the same facts as the HTML. */
export function digestText(figures: DigestFigures): string {
  const totals = sumUp(figures.accounts);
  const lines = [
    `${figures.name}, ${formatDay(figures.day, 'long')}`,
    '',
    ...notes(figures),
    `Attempts      ${formatCount(totals.attempts)}`,
    `Connects      ${formatCount(totals.connects)} (${formatRate(rate(totals.connects, totals.attempts))} of attempts)`,
    `Live answers  ${formatCount(totals.liveAnswers)} (${formatRate(rate(totals.liveAnswers, totals.attempts))} of attempts)`,
    `Busies        ${formatCount(totals.busies)} (${formatRate(rate(totals.busies, totals.attempts))} of attempts)`,
    `Campaigns     ${formatCount(totals.campaigns)}`,
    '',
    ...accountLines(figures),
    'Every campaign of the day is in the attached CSV. All counts are as the service defines them.',
  ];
  return `${lines.join('\n')}\n`;
}

/** What a reader must know before the figures: an account is missing, an earlier day has no digest of its own. */
export function notes(figures: DigestFigures): string[] {
  const lacking = lackingAccounts(figures).map(
    (account) =>
      `${account.label}: ${account.state === 'provisional' ? 'the day was not over' : 'not loaded'}`,
  );
  const notes: string[] = [];
  if (lacking.length > 0) notes.push(`Incomplete. ${lacking.join('; ')}.`);
  if (lacking.length === 0 && figures.rows.length === 0) notes.push('No campaign made calls on that day.');
  if (figures.earlierDays.length > 0) {
    notes.push(
      `Also loaded, without a digest of their own: ${figures.earlierDays.map((day) => formatDay(day)).join(', ')}.`,
    );
  }
  return notes.flatMap((note) => [note, '']);
}

function accountLines(figures: DigestFigures): string[] {
  if (figures.accounts.length < 2) return [];
  const lines = figures.accounts.map(
    (account) =>
      `${account.label}: ${formatCount(account.attempts)} attempts, ` +
      `${formatRate(rate(account.connects, account.attempts))} connected, ` +
      `${formatCount(account.liveAnswers)} live answers, ${formatCount(account.campaigns)} campaigns`,
  );
  return ['By account', ...lines, ''];
}
