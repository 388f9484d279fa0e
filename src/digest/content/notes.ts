import type { AccountTotals, DigestFigures } from '../../model/digest.ts';
import { formatList } from '../../support/english.ts';
import type { Format } from '../format.ts';
import type { Note } from './content.ts';
import { countChanges } from './count-changes.ts';
import { shown } from './names.ts';
import { hasFigures, lackingAccounts, sumUp } from './totals.ts';

/** What a reader must know before the figures: that they are corrected, incomplete or none, and of which days. */
export function notes(figures: DigestFigures, format: Format): Note[] {
  return [corrected(figures, format), incomplete(figures), nothing(figures), earlier(figures, format)].filter(
    (note) => note !== null,
  );
}

function corrected({ accounts, before }: DigestFigures, format: Format): Note | null {
  if (before === null) return null;
  const lines = accounts.flatMap((account) => {
    const listed = before.find((one) => one.account === account.account);
    const change = correction(listed, account, format);
    return change === null ? [] : [`${shown(account.label, account.account)}: ${change}`];
  });
  const title = 'Corrected: this replaces the digest that was sent of that day.';
  return {
    kind: 'change',
    title,
    lines: lines.length > 0 ? lines : ['The sums are the same; campaigns among them changed.'],
  };
}

function correction(listed: AccountTotals | undefined, now: AccountTotals, format: Format): string | null {
  if (listed === undefined || !hasFigures(listed)) {
    if (!hasFigures(now)) return null;
    return `not loaded → ${countsOf(now, format)}`;
  }
  return countChanges(listed, now, format) || null;
}

function countsOf({ attempts, connects, liveAnswers, busies }: AccountTotals, { count }: Format): string {
  return `${count(attempts)} attempts, ${count(connects)} connects, ${count(liveAnswers)} live answers, ${count(busies)} busies`;
}

function incomplete(figures: DigestFigures): Note | null {
  const lacking = lackingAccounts(figures);
  if (lacking.length === 0) return null;
  const lines = lacking.map(
    (account) =>
      `${shown(account.label, account.account)}: ${account.state === 'provisional' ? 'the day was not over' : 'not loaded'}`,
  );
  // At most one corrected digest is sent of a day.
  const follows = figures.before === null ? ['A corrected digest follows once it is there.'] : [];
  return {
    kind: 'warning',
    title: 'Incomplete: a part of the day is missing.',
    lines: [...lines, ...follows],
  };
}

function nothing(figures: DigestFigures): Note | null {
  const { campaigns, attempts } = sumUp(figures.accounts);
  if (lackingAccounts(figures).length > 0 || attempts > 0) return null;
  const title =
    campaigns === 0
      ? 'Nothing that day: the service lists no campaign.'
      : 'Nothing that day: no campaign made an attempt.';
  return { kind: 'plain', title, lines: [] };
}

function earlier({ earlierDays }: DigestFigures, format: Format): Note | null {
  if (earlierDays.length === 0) return null;
  const days = formatList(earlierDays.map((day) => format.day(day)));
  return { kind: 'plain', title: `Also loaded, without a digest of their own: ${days}.`, lines: [] };
}
